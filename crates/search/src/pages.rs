//! Zeroed memory for tables, on huge pages where the system has them.
//!
//! A transposition table is read at random. With 4 KiB pages most reads miss the processor's page cache as well as its data
//! cache; huge pages were measured to make the search faster by half and more.

use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;

/// Zeroed words shared between threads. Memory that is not touched costs nothing.
#[derive(Debug)]
pub(crate) struct Words {
    map: MmapMut,
}

impl Words {
    /// So many words of zero.
    ///
    /// # Panics
    ///
    /// If the system has no address space left.
    pub(crate) fn zeroed(len: usize) -> Self {
        let map = MmapMut::map_anon(len * size_of::<u64>()).expect("address space for the table");
        #[cfg(target_os = "linux")]
        {
            // Advice: a system without huge pages refuses it, and the table works all the same.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Self { map }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[AtomicU64] {
        let len = self.map.len() / size_of::<u64>();
        #[expect(
            unsafe_code,
            clippy::cast_ptr_alignment,
            reason = "no safe view of mapped memory as atomic words; mappings are page-aligned"
        )]
        // SAFETY: the mapping is page-aligned, lives as long as the borrow, holds `len` words, every bit pattern is a valid
        // word, and nothing but these atomic words ever refers to it.
        unsafe {
            std::slice::from_raw_parts(self.map.as_ptr().cast::<AtomicU64>(), len)
        }
    }
}
