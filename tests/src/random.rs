//! Numbers that are the same in every run.

/// xorshift64* (Vigna 2016).
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a seed other than 0.
    pub(crate) fn new(seed: u64) -> Self {
        assert_ne!(seed, 0, "0 gives nothing but 0");
        Self(seed)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16;
        usize::try_from(number).expect("48 bits") % end
    }
}
