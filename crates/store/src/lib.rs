//! Proofs kept in a SQLite file.

mod check;
mod claim;
mod db;
mod error;
mod exact;
mod locate;
mod lock;
mod maintenance;
mod merge;
mod move_code;
mod page;
mod schema;
mod set;
mod stats;
mod store;
mod strategy;

pub use check::Problem;
pub use claim::{ClaimId, Provenance, StoredClaim, StoredVerdict, Verdict};
pub use error::{Error, ErrorKind, Holder, Result};
pub use maintenance::Checkpoint;
pub use merge::Merged;
pub use page::PageError;
pub(crate) use set::SetKey;
pub use set::StoredRecord;
pub use stats::{SetStats, Stats};
pub use store::{Access, DEFAULT_WAIT, Store};
pub use strategy::{LoadedStrategy, StoredStrategy};

/// Seconds since 1970.
fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
