//! When a search must end, and who watches it.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant},
};

use crate::numbers::PnDn;

/// Bounds of one search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Expansions at most.
    pub nodes: u64,
    /// When to end at the latest.
    pub deadline: Option<Instant>,
    /// The search ends as soon as one of the root's numbers is this large.
    pub root: Thresholds,
}

/// Numbers at which a search is no longer worth going on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// For the proof number.
    pub pn: u64,
    /// For the disproof number.
    pub dn: u64,
}

impl Thresholds {
    /// No number is too large.
    pub const NONE: Self = Self {
        pn: u64::MAX,
        dn: u64::MAX,
    };
}

impl Limits {
    /// So many expansions at most, whatever the time and the numbers.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            nodes,
            deadline: None,
            root: Thresholds::NONE,
        }
    }
}

/// Tells searches to end soon. Shared by all threads that should.
#[derive(Debug, Default)]
pub struct StopFlag(AtomicBool);

impl StopFlag {
    /// A flag that is not raised.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Asks every search that watches the flag to end.
    pub fn raise(&self) {
        self.0.store(true, Relaxed);
    }

    /// The flag itself, for those who watch it without knowing of searches. They must not raise it.
    #[must_use]
    pub const fn as_atomic(&self) -> &AtomicBool {
        &self.0
    }

    /// Whether the flag was raised.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// The state of a running search.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The root's numbers at the last look.
    pub root: PnDn,
    /// Expansions so far.
    pub nodes: u64,
    /// Time so far.
    pub elapsed: Duration,
}

/// Watches a search. Called every few thousand expansions from the searching thread.
pub trait Observer {
    /// Takes note of the state.
    fn progress(&self, progress: &Progress);
}

/// Watches nothing.
impl Observer for () {
    fn progress(&self, _: &Progress) {}
}
