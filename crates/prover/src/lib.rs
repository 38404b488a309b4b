//! prover.
