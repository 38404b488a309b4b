//! Tests of the verifier through its public interface.
//!
//! The slow ones are ignored by default; run them with `cargo test --release -p takeme-verify -- --ignored`:
//! `perft::deep_rows_of_the_perft_tables`, `perft::en_passant_is_compulsory_six_plies_into_the_game`,
//! `measure::speed_and_memory_on_a_large_proof`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

mod adjudication;
mod binary;
mod castling;
mod certificates;
mod extinction;
mod fen;
mod fifty;
mod measure;
mod messages;
mod moves;
mod perft;
mod proofs;
mod rejection;
mod royal;
mod support;
mod tables;
mod variant2;
mod walk;
