//! Tests in which the prover's side and the verifier meet, and nothing else.
//!
//! - `differential`: both move generators, outcomes and FENs agree on random games.
//! - `proofs`: what the prover proves the verifier accepts.
//! - `rulesets`: positions that are won under one ruleset and not under another.
//! - `suites`: the won positions of `data/positions`.
//! - `tables`: endgame tables of up to three men, their values, and the verifier's check.
//! - `rejection`: a strategy spoilt in any one way is rejected, with the right complaint.
//! - `certificates`: the same for the bytes of a certificate.

#![forbid(unsafe_code)]
#![cfg(test)]

mod certificates;
mod differential;
mod proofs;
mod random;
mod rejection;
mod rulesets;
mod suites;
mod support;
mod tables;
