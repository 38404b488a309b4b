//! Proofs and books in the formats of other programs.
//!
//! Nothing that is read here is believed: a reader gives a [`proof::Strategy`], or hints, and the verifier has the last word.

#![forbid(unsafe_code)]

pub mod colibri;
pub mod pgn;
pub mod watkins;
