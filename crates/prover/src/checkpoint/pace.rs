//! How often checkpoints are made.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Checkpoints at most so often …
const LEAST_PAUSE: Duration = Duration::from_secs(1);
/// … and at least, unless one takes longer than that allows …
const MOST_PAUSE: Duration = Duration::from_mins(1);
/// … since the time between them is so many times what one takes.
const PAUSE_FOR_COST: u32 = 15;

/// When the next checkpoint is due. Whoever writes one tells how long it took by dropping [`Saving`].
#[derive(Debug, Default)]
pub(crate) struct Pace {
    busy: AtomicBool,
    cost_ms: AtomicU64,
}

/// A checkpoint that is being made and written.
#[derive(Debug)]
pub struct Saving {
    pace: Arc<Pace>,
    start: Instant,
}

impl Drop for Saving {
    fn drop(&mut self) {
        let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.pace.cost_ms.store(millis, Relaxed);
        self.pace.busy.store(false, Relaxed);
    }
}

impl Pace {
    /// Begins a checkpoint if one is due so long after the last began.
    pub(crate) fn begin(self: &Arc<Self>, since: Duration) -> Option<Saving> {
        let cost = Duration::from_millis(self.cost_ms.load(Relaxed));
        let pause = (cost * PAUSE_FOR_COST).clamp(LEAST_PAUSE, MOST_PAUSE);
        if since < pause || self.busy.swap(true, Relaxed) {
            return None;
        }
        Some(Saving {
            pace: Arc::clone(self),
            start: Instant::now(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_take_a_small_part_of_the_time() {
        let pace = Arc::new(Pace::default());
        assert!(pace.begin(Duration::from_millis(900)).is_none());
        let saving = pace.begin(Duration::from_secs(2)).expect("due");
        assert!(
            pace.begin(Duration::from_secs(100)).is_none(),
            "one at a time"
        );
        drop(saving);
        pace.cost_ms.store(300, Relaxed);
        assert!(pace.begin(Duration::from_secs(4)).is_none());
        drop(pace.begin(Duration::from_secs(5)).expect("due"));
        pace.cost_ms.store(60_000, Relaxed);
        assert!(pace.begin(Duration::from_mins(1)).is_some());
    }
}
