//! Searches that have not ended, as the database keeps them and the prover reads them.

use std::{
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use prover::{Archive, Checkpoint, Part, Written};
use rules::{Color, Position, Ruleset};
use store::{
    Access, Basis, CampaignKey, CampaignState, PartKind, Provenance, SavedCampaign, Store,
};

/// How the database calls a part.
pub(crate) const fn kind(part: Part) -> PartKind {
    PartKind {
        number: part as u8,
        adds: part.adds(),
    }
}

/// The checkpoints of the searches for a win of either side of one position.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoints {
    path: PathBuf,
    ruleset: Ruleset,
    root: Position,
    basis: Basis,
}

/// A checkpoint that other tables or another version of the program made. It stays while this run's say less.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spared {
    /// Until the search counts more expansions than these.
    pub(crate) until: u64,
    /// Whether this run goes on with what it has proven. If not, nothing of this run stands beside it.
    pub(crate) is_of_use: bool,
}

impl Checkpoints {
    /// Those in the database at `path`.
    pub(crate) fn new(path: &Path, root: &Position, ruleset: Ruleset, basis: Basis) -> Self {
        Self {
            path: path.to_owned(),
            ruleset,
            root: *root,
            basis,
        }
    }

    /// Where the checkpoint of the search for a win of `attacker` is.
    pub(crate) fn key(&self, attacker: Color) -> CampaignKey {
        CampaignKey {
            ruleset: self.ruleset,
            root: self.root,
            attacker,
            basis: self.basis,
        }
    }

    /// Writes checkpoints in the place of those before, in one transaction. Of a search whose checkpoint is spared (by side) no more
    /// is written than proven positions that may stand beside it.
    ///
    /// # Errors
    ///
    /// The database cannot be written. What was there before stays.
    pub(crate) fn save(
        &self,
        store: &mut Store,
        checkpoints: Vec<Checkpoint>,
        spared: &mut [Option<Spared>; 2],
        provenance: &Provenance,
    ) -> store::Result<()> {
        if checkpoints.is_empty() {
            return Ok(());
        }
        let mut olds = [None, None];
        for side in Color::ALL {
            if spared[side.index()].is_some() {
                olds[side.index()] = store.campaign(&self.key(side))?;
            }
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since.map_or(0, |since| since.as_secs());
        let mut writer = store.save_campaigns()?;
        let mut written = Vec::new();
        for checkpoint in checkpoints {
            let side = checkpoint.attacker();
            let fresh = checkpoint.is_fresh();
            if let (Some(old), Some(spared)) = (&olds[side.index()], spared[side.index()])
                && checkpoint.nodes() <= spared.until
            {
                if !fresh {
                    written.push(checkpoint.write(&mut |part, bytes: &[u8]| {
                        if part.adds() {
                            writer.put(old, kind(part), bytes)
                        } else {
                            Ok(())
                        }
                    })?);
                }
                continue;
            }
            spared[side.index()] = None;
            let state = CampaignState {
                engine: provenance.engine.clone(),
                nodes: checkpoint.nodes(),
                seconds: checkpoint.elapsed().as_secs_f64(),
                pn: checkpoint.root().pn,
                dn: checkpoint.root().dn,
                when: now,
            };
            let saved = writer.begin(&self.key(side), &state, fresh)?;
            let mut put = |part, bytes: &[u8]| writer.put(&saved, kind(part), bytes);
            written.push(checkpoint.write(&mut put)?);
        }
        writer.commit()?;
        written.into_iter().for_each(Written::keep);
        Ok(())
    }

    /// Forgets the checkpoints of both sides.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub(crate) fn forget(&self, store: &mut Store) -> store::Result<()> {
        for side in Color::ALL {
            store.forget_campaign(&self.key(side))?;
        }
        Ok(())
    }
}

impl Archive for Checkpoints {
    fn read(
        &self,
        attacker: Color,
        part: Part,
        sink: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), String> {
        // A connection of its own: this is a thread of the search.
        let read = || {
            let store = Store::open(&self.path, Access::Read)?;
            match store.campaign(&self.key(attacker))? {
                Some(saved) => store.for_each_part(&saved, kind(part), sink),
                None => Ok(()),
            }
        };
        read().map_err(|error| error.to_string())
    }
}

/// A saved search, for those who only look: the store is to be held, or another process may save or forget it between two looks.
#[derive(Debug)]
pub(crate) struct SavedSearch<'a> {
    pub(crate) store: &'a Store,
    pub(crate) saved: &'a SavedCampaign,
}

impl Archive for SavedSearch<'_> {
    fn read(
        &self,
        attacker: Color,
        part: Part,
        sink: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), String> {
        if attacker != self.saved.key.attacker {
            return Ok(());
        }
        let read = self.store.for_each_part(self.saved, kind(part), sink);
        read.map_err(|error| error.to_string())
    }
}
