//! The proof-number search kernel.
//!
//! The question is always whether one side, the *attacker*, wins. A draw, a repetition and an unknown all count as failure;
//! the other side is the *defender*. [`search`] answers it by depth-first proof-number search over a [`Table`] that several
//! searches may share, and enters each proven position in a [`ProofLog`], from which the strategy is read afterwards.

mod child;
mod evaluator;
mod features;
mod hints;
mod job;
mod kernel;
mod limits;
mod lists;
mod log;
mod logarithm;
mod net;
mod numbers;
mod oracle;
mod pages;
mod table;

pub use evaluator::{Evaluator, Leaf, Linear};
pub use features::{FeatureSet, FreeKing, Kinds, RoyalKing, feature_rows};
pub use hints::{Advice, Hints};
pub use job::{Answer, Job, Report};
pub use kernel::{Branch, Tools, branches, search};
pub use limits::{Limits, Observer, Progress, StopFlag, Thresholds};
pub use lists::Workspace;
pub use log::ProofLog;
pub use net::{HIDDEN, LANES, MAGIC as NET_MAGIC, Net, NetContext, Trained};
pub use numbers::{FINITE_MAX, INFINITY, PnDn, finite, unless_saturated, with_slack};
pub use oracle::{NoOracle, Oracle, Verdict};
pub use table::{DUMPED_BYTES, ENTRY_BYTES, Known, MIN_BYTES, Table};
