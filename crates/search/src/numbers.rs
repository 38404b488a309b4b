//! Proof and disproof numbers.

/// The proof or disproof number of a position that cannot be proven or disproven.
pub const INFINITY: u32 = u32::MAX;

/// The largest finite number; sums stop here.
pub const FINITE_MAX: u32 = 1 << 31;

/// A proof number and a disproof number: estimates of the effort left to prove that the attacker wins, and to prove that it
/// does not. Proven is `pn == 0`, disproven is `dn == 0`; the other number is then [`INFINITY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PnDn {
    /// Proof number.
    pub pn: u32,
    /// Disproof number.
    pub dn: u32,
}

impl PnDn {
    /// The attacker wins.
    pub const PROVEN: Self = Self {
        pn: 0,
        dn: INFINITY,
    };
    /// The attacker does not win.
    pub const DISPROVEN: Self = Self {
        pn: INFINITY,
        dn: 0,
    };

    /// Whether the attacker's win is shown.
    #[must_use]
    pub const fn is_proven(self) -> bool {
        self.pn == 0
    }

    /// Whether it is shown that the attacker does not win.
    #[must_use]
    pub const fn is_disproven(self) -> bool {
        self.dn == 0
    }
}
