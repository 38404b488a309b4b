//! Runs of proof-number searches: which side, how long, with how much memory, on how many threads.
//!
//! - [`Campaign`]: the search for a win of one side of one position, in slices, with a table that grows with the work.
//! - [`prove`]: one [`Task`] (White wins? Black wins? whichever), to its [`Outcome`].
//! - [`prove_all`]: many tasks on several threads.
//!
//! The library prints nothing and stores nothing; what it finds goes to its caller as it is found.

mod batch;
mod campaign;
mod endgames;
mod schedule;
mod task;

pub use batch::{Event, prove_all};
pub use campaign::{Campaign, Memory};
pub use endgames::Endgames;
pub use schedule::prove;
pub use task::{Effort, Goal, Outcome, Settings, Snapshot, Task, Undecided, Verdict};
