//! `takeme export --format cert`.

use anyhow::Result;

use super::{Sink, Source};
use crate::stored_proofs::StoredProofs;

/// Memory: about 60 bytes a position.
pub(super) fn write(source: &Source<'_>, sink: &mut Sink<'_>, memory_bytes: u64) -> Result<u64> {
    let mut proofs = StoredProofs::new(source.store);
    let draft = proofs.certificate(&source.settled, source.endgames, memory_bytes)?;
    drop(proofs);
    let mut bytes = Vec::new();
    draft.write(&mut bytes)?;
    sink.bytes(&bytes)?;
    Ok(draft.positions())
}
