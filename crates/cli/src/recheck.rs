//! A proof that was stored just now, before the verifier: as it stands in the database, where entries of other proofs may have come in.

use anyhow::Result;
use proof::Proof;
use search::StopFlag;
use store::{Basis, ClaimId, Store};

use crate::{
    context::Context,
    leaned_on::LeanedOn,
    lookup::Settled,
    stored_proofs::StoredProofs,
    verification::{Checked, Watch},
};

/// Verifies a stored proof, which leans on these tables, records the verdict, and tells what is wrong.
///
/// # Errors
///
/// The database cannot be read or written.
pub(crate) fn recheck(
    store: &mut Store,
    id: ClaimId,
    proof: &Proof,
    tables: &mut LeanedOn,
    name: &str,
    stop: &StopFlag,
    context: &Context,
) -> Result<Checked> {
    let settled = Settled::stored(proof.claim, Basis::of(proof));
    let watch = Watch {
        progress: &context.progress,
        stop,
        name,
        memory_bytes: context.memory_bytes(),
    };
    let checked = StoredProofs::new(store).check(&settled, proof.positions(), tables, &watch)?;
    checked.record(store, id)?;
    if let Some(problem) = checked.problem() {
        context.progress.error(&format!("{name}: {problem}"));
    }
    Ok(checked)
}
