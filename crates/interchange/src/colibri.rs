//! Opening books of the solver Colibri.
//!
//! A book is the part of a proof-number graph that its solver kept. Where it is solved it is a skeleton: inner positions have the
//! winner's one move and the loser's replies, and the leaves are bare claims. So nothing in it is a proof; the moves by which it
//! says that positions are won are worth trying first.
//!
//! The file, little-endian unless said:
//!
//! ```text
//! 136 bytes  the root: 16 words of 64 bits (White's men, pawns, knights, bishops, rooks, queens, kings; the same of Black; the
//!            empty squares; the en-passant square), then 1 byte for the side to move (0 White), then padding
//! then the nodes, depth first, each before its children:
//!   1 byte   the number of children
//!   number   the depth; 10^9 marks a position that repeats one before it
//!   without children:
//!     number   the proof number + 1, from the view of the side to move; 0 is infinity
//!     number   the disproof number + 1, likewise
//!   for each child:
//!     2 bytes  the move: origin (6 bits, the highest), destination (6), the man that moves or that a pawn becomes (3; pawn 1,
//!              knight, bishop, rook, queen, king 6), whether a pawn becomes it (1)
//!     number   the child: the number of nodes so far if it follows at once, less if it is one of those
//! ```
//!
//! A *number* is groups of seven bits, the most significant first, each in a byte whose high bit says that more follow. A node's
//! proof number is the least disproof number of its children, its disproof number the sum of their proof numbers.

mod error;
mod header;
mod input;
mod number;
mod reader;
#[cfg(test)]
mod tests;

pub use error::{ColibriError, Problem};
pub use header::HEADER_BYTES;
pub use number::Number;
pub use reader::{Book, Node, read};
