//! Runs of proof-number searches: which side, how long, with how much memory, on how many threads.
//!
//! - [`Campaign`]: the search for a win of one side of one position: a best-first manager that hands out jobs
//!   ([`Assignment`]), and the table and the log that its workers share.
//! - [`Checkpoint`], [`Archive`], [`CampaignView`]: what a search needs to go on, where it is kept, and what it tells to those who look.
//! - [`prove`]: one [`Task`] (White wins? Black wins? whichever), to its [`Outcome`].
//! - [`prove_all`]: many tasks on several threads.
//! - [`Skeleton`]: the upper part of a proof, as others claim it: its leaves are proven first.
//! - [`shrink`]: a smaller proof of what is proved.
//!
//! The library prints nothing and stores nothing; what it finds goes to its caller as it is found.

mod assignment;
mod batch;
mod blame;
mod campaign;
mod checkpoint;
mod choices;
mod codec;
mod endgames;
mod graph;
mod leaves;
mod manager;
mod schedule;
mod shrink;
mod skeleton;
mod task;
mod view;

pub use assignment::{Assignment, Finding};
pub use batch::{Event, prove_all};
pub use campaign::{Campaign, Memory, Resumed, Workplace};
pub use checkpoint::{Archive, Checkpoint, Part, Saving, Written};
pub use codec::CodecError;
pub use endgames::Endgames;
pub use leaves::LeafCount;
pub use schedule::prove;
pub use shrink::{ShrinkLimits, Shrinking, Shrunk, shrink};
pub use skeleton::{Part as SkeletonPart, Skeleton};
pub use task::{Effort, Goal, Outcome, Settings, Snapshot, Task, Undecided, Verdict};
pub use view::{CampaignView, MoveStatus, MoveView, NodeView};
