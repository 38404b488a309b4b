//! Checkpoints that were handed on and may be lost.

use std::{
    mem,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use proof::Record;
use search::ProofLog;

/// What a campaign's checkpoints have to make up for.
#[derive(Debug)]
pub(crate) struct Owed {
    /// Whether nothing of an earlier checkpoint is to stay.
    fresh: AtomicBool,
    /// Proven positions that were handed out to be written and were not kept.
    records: Mutex<Vec<Record>>,
    /// How many were kept.
    kept: AtomicU64,
}

impl Owed {
    /// Nothing was written yet, and of what others have written all or nothing is of use.
    pub(crate) fn new(fresh: bool) -> Self {
        Self {
            fresh: AtomicBool::new(fresh),
            records: Mutex::default(),
            kept: AtomicU64::new(0),
        }
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh.load(Relaxed)
    }

    /// From now on checkpoints add to what is there: so many proven positions.
    pub(crate) fn set_kept(&self, records: u64) {
        self.fresh.store(false, Relaxed);
        self.kept.store(records, Relaxed);
    }

    /// Bytes that the positions take which were not kept.
    pub(crate) fn bytes(&self) -> usize {
        self.records().len() * size_of::<Record>()
    }

    fn records(&self) -> MutexGuard<'_, Vec<Record>> {
        self.records
            .lock()
            .expect("no thread panics while it holds the lock")
    }
}

/// A checkpoint that was handed on and may still be lost.
#[derive(Debug)]
#[must_use = "what is not kept is written again"]
pub struct Written {
    owed: Arc<Owed>,
    pub(super) records: Vec<Record>,
}

impl Written {
    pub(super) fn of(log: &ProofLog, owed: &Arc<Owed>) -> Self {
        let mut records = mem::take(&mut *owed.records());
        // What was owed leans on none of these.
        records.extend(log.take_news());
        Self {
            owed: Arc::clone(owed),
            records,
        }
    }

    /// How many proven positions are kept if this is.
    pub(super) fn records_then(&self) -> u64 {
        self.owed.kept.load(Relaxed) + self.records.len() as u64
    }

    /// It is where it can be read again.
    pub fn keep(mut self) {
        self.owed.set_kept(self.records_then());
        self.records.clear();
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        self.owed.records().append(&mut self.records);
    }
}
