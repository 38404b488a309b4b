//! Watkins' proof trees, and the trees that other programs write in his format.
//!
//! A file holds a tree of moves, six bytes a record, depth first; pointers join transpositions. It names neither the rules nor the winner,
//! and its readers believe it. Here it is walked together with its positions, and whatever the format allows to be wrong is found.
//!
//! - [`WinTree`]: a file; [`WinTree::answers`] tells what the public reader answers.
//! - [`winner`](fn@winner): whose win a tree shows.
//! - [`walk`](fn@walk): collects the winner's moves, and what is wrong.
//! - [`write`](fn@write): writes a proof as a tree.

mod count;
mod defect;
mod file;
mod moves;
mod targets;
mod walk;
mod winner;
mod word;
mod write;

pub use count::{Answer, FooterCheck};
pub use defect::{Defect, Defects, Found, Severity, line_from_start};
pub use file::{FileError, WinTree};
pub use moves::WinnerMoves;
pub use walk::{Findings, Leaf, Leaves, TABLE_MEN, WalkError, WalkProgress, walk};
pub use winner::{first_is_readable, winner};
pub use write::{WriteError, Written, write};
