//! Endgame tables: the exact value of every position of up to four men.
//!
//! Values are for the side to move; lengths are plies to the end of the game (DTW). There are tables for the rulesets in which
//! captures are compulsory and kings are ordinary men. `FORMAT.md` beside this crate says what a file holds.
//!
//! - [`Material`]: the men of a table, `KRvN`.
//! - [`Tables`]: asks tables.
//! - [`generate`]: makes tables, smaller ones first.

mod catalog;
mod error;
mod file;
mod generate;
mod layout;
mod library;
mod lock;
mod manifest;
mod material;
mod resolve;
mod tables;
mod value;
mod work;

pub use catalog::has_tables;
pub use error::{Error, ErrorKind, Result};
pub use file::{Hash, unpack};
pub use generate::{Made, Order, generate};
pub use lock::DirectoryLock;
pub use manifest::hex;
pub use material::{MAX_MEN, Material, MaterialError};
pub use tables::{Tables, Trust};
pub use value::{FIFTY_PLIES, MAX_PLIES, Value, Wdl};
pub use work::Counts;
