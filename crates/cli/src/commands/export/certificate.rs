//! `takeme export --format cert`.

use anyhow::Result;
use proof::certificate;

use super::{Sink, Source};
use crate::lookup::proof_of;

pub(super) fn write(source: &Source<'_>, sink: &mut Sink<'_>) -> Result<u64> {
    let proof = proof_of(source.store, &source.settled, source.endgames)?;
    let mut bytes = Vec::new();
    certificate::write(&proof, &mut bytes)?;
    sink.bytes(&bytes)?;
    Ok(proof.positions())
}
