//! What the database keeps of searches that have not ended.

use std::mem;

use anyhow::Result;
use proof::Record;
use prover::{Checkpoint, Resumed};
use rules::Color;
use store::ErrorKind;

use super::Run;
use crate::{
    checkpoints::{Checkpoints, Spared},
    exit::Exit,
    known,
    known::Known,
    units,
};

impl Run<'_> {
    pub(super) fn checkpoints(&self, index: usize) -> Checkpoints {
        let question = &self.questions[index];
        let (root, ruleset) = (question.position(), question.ruleset());
        Checkpoints::new(self.store.path(), root, ruleset, self.basis)
    }

    /// Saves what is needed to go on with a line.
    pub(super) fn save(&mut self, index: usize, checkpoints: Vec<Checkpoint>) -> store::Result<()> {
        let place = self.checkpoints(index);
        let spared = &mut self.spared[index];
        place.save(&mut self.store, checkpoints, spared, &self.provenance)
    }

    /// The same while the search goes on. What could not be saved is in its next checkpoint, too; of what may lean on false positions none
    /// is saved.
    pub(super) fn save_on_the_way(
        &mut self,
        index: usize,
        checkpoints: Vec<Checkpoint>,
    ) -> Result<()> {
        if self.damaged {
            return Ok(());
        }
        let saved = self.save(index, checkpoints);
        let name = self.questions[index].name();
        let progress = &self.context.progress;
        match saved {
            Err(error) if may_pass(&error) => {
                if !mem::replace(&mut self.unsaved[index], true) {
                    progress.error(&format!("{name}: {error}; the search goes on unsaved"));
                }
            }
            saved => {
                saved?;
                if mem::take(&mut self.unsaved[index]) {
                    progress.note(&format!("{name}: the search is saved again"));
                }
            }
        }
        Ok(())
    }

    /// What came of writing something about a line. Where the database could not take it, that is told, and nothing comes back: other
    /// lines may have more luck.
    ///
    /// # Errors
    ///
    /// The database cannot be written at all.
    pub(super) fn written<T>(
        &mut self,
        index: usize,
        written: store::Result<T>,
    ) -> Result<Option<T>> {
        match written {
            Err(error) if may_pass(&error) => {
                // Once is enough for all that a line has found.
                if self.lost.insert((index, error.to_string())) {
                    let name = self.questions[index].name();
                    self.context.progress.error(&format!("{name}: {error}"));
                }
                self.worst = self.worst.worse(Exit::of_error(&error.into()));
                Ok(None)
            }
            written => Ok(Some(written?)),
        }
    }

    pub(super) fn resumed(&mut self, index: usize, from: &[Resumed]) {
        for side in from {
            self.spared[index][side.attacker.index()] = side.keep_until.map(|until| Spared {
                until,
                is_of_use: side.nodes > 0,
            });
        }
        self.tell_resumed(index, from);
    }

    fn tell_resumed(&self, index: usize, from: &[Resumed]) {
        let name = self.questions[index].name();
        let progress = &self.context.progress;
        let nodes = from.iter().map(|side| side.nodes).sum();
        if nodes > 0 {
            let nodes = units::count(nodes, "expansion");
            progress.note(&format!("resuming {name} at {nodes}"));
        }
        for side in from {
            let Some(trouble) = &side.trouble else {
                continue;
            };
            let on = if side.nodes == 0 {
                "starting anew".to_owned()
            } else {
                let positions = units::count(side.positions, "position");
                format!("going on with the {positions} proven so far")
            };
            let spared = side.keep_until.map_or(String::new(), |until| {
                let own = units::count(until - side.nodes, "expansion");
                format!("; what was saved stays until this search has done more than its {own}")
            });
            progress.note(&format!(
                "{name}, for a win of {}: not all that was saved is of use: {trouble}; {on}{spared}",
                side.attacker
            ));
        }
    }

    /// Forgets the saved searches of a line.
    pub(super) fn forget(&mut self, index: usize) -> Result<()> {
        let forgotten = self.checkpoints(index).forget(&mut self.store);
        self.written(index, forgotten).map(|_| ())
    }

    /// Stores what a search has proven that has not ended.
    pub(super) fn keep_proven(
        &mut self,
        index: usize,
        proven: Vec<(Color, Vec<Record>)>,
        known: &Known,
    ) -> Result<()> {
        for (winner, found) in proven {
            let (ruleset, basis) = (self.ruleset(), self.basis);
            let news = known::news(found, &known[winner.index()]);
            let merged = self.store.put_entries(ruleset, winner, basis, news);
            if let Some(merged) = self.written(index, merged)? {
                self.kept += merged.added + merged.improved;
            }
        }
        Ok(())
    }
}

/// Whether the database may be able to take other things, or the same later: it lacks room, or another program writes it.
fn may_pass(error: &store::Error) -> bool {
    matches!(error.kind(), ErrorKind::Full | ErrorKind::Locked)
}
