//! Questions that the rules, a table or the database answers.

use anyhow::Result;
use proof::{Claim, extract};
use store::Basis;

use super::Run;
use crate::{
    answer::{Answer, Cost, Source, Status},
    exit::Exit,
    lookup::{Finding, Lookup, Proved, RejectedProof, Settled, Tabled},
    table_files::is_of_a_table,
};

impl Run<'_> {
    /// Answers what the rules or the database settle; returns the other questions.
    pub(super) fn answer_without_search(&mut self) -> Result<Vec<usize>> {
        let mut open = Vec::new();
        for index in 0..self.questions.len() {
            let position = *self.questions[index].position();
            let (ruleset, basis) = (self.ruleset(), self.basis);
            let mut lookup = Lookup::new(&self.store, ruleset, basis, &self.endgames);
            let finding = match lookup.find(&position) {
                Err(error) if is_of_a_table(&error) => {
                    self.table_failed(index, &error.to_string(), Cost::default())?;
                    continue;
                }
                finding => finding?,
            };
            match finding {
                Finding::Over(winner) => {
                    self.settle(index, Answer::game_over(winner), Cost::default())?;
                }
                Finding::Tabled(tabled) => self.answer_from_table(index, &tabled)?,
                Finding::Proved(proved) if !proved.by_rules => {
                    if !self.answer_from_database(index, &proved)? {
                        open.push(index);
                    }
                }
                Finding::Proved(_) | Finding::Open | Finding::Unknown => open.push(index),
            }
        }
        Ok(open)
    }

    /// Answers from a table. A win is a claim whose proof is the table's word.
    fn answer_from_table(&mut self, index: usize, tabled: &Tabled) -> Result<()> {
        let Some(winner) = tabled.winner else {
            return self.settle(index, Answer::tabled(tabled), Cost::default());
        };
        let claim = Claim {
            ruleset: self.ruleset(),
            root: *self.questions[index].position(),
            winner,
        };
        let mut nothing = self.store.strategy(claim.ruleset, winner, Basis::Rules);
        let proof = extract(&claim, &mut nothing, &self.endgames)?;
        // No entry of the proof has the move.
        let answer = Answer {
            mv: tabled.mv,
            ..Answer::proved(&proof, Source::Table)
        };
        self.keep(index, &proof, answer, Cost::default())
    }

    /// Answers with a stored claim, or makes a claim of stored positions. Says no if they are not complete.
    fn answer_from_database(&mut self, index: usize, proved: &Proved) -> Result<bool> {
        let Some(stored) = &proved.claim else {
            let claim = Claim {
                ruleset: self.ruleset(),
                root: *self.questions[index].position(),
                winner: proved.winner,
            };
            let (ruleset, winner) = (claim.ruleset, claim.winner);
            let mut strategy = self.store.strategy(ruleset, winner, self.basis);
            let Ok(proof) = extract(&claim, &mut strategy, &self.endgames) else {
                return Ok(false);
            };
            let answer = Answer::proved(&proof, Source::Database);
            self.keep(index, &proof, answer, Cost::default())?;
            return Ok(true);
        };
        if let Some(verdict) = proved.rejection().filter(|_| self.args.no_verify) {
            let error = RejectedProof::new(&self.questions[index], verdict);
            self.context.progress.error(&error.to_string());
            self.worst = self.worst.worse(Exit::Rejected);
            self.settle(index, Answer::rejected(), Cost::default())?;
            return Ok(true);
        }
        let mut answer = Answer {
            status: Status::Proved,
            winner: Some(proved.winner),
            mv: proved.mv,
            plies: Some(proved.plies),
            positions: Some(stored.positions),
            source: Source::Database,
            verified: proved.is_verified(),
            remark: None,
        };
        if !answer.verified && !self.args.no_verify {
            let settled = Settled::stored(stored.claim(), stored.basis);
            self.verify(index, stored.id, &settled, stored.positions, &mut answer)?;
        }
        if answer.verified {
            // A search under another ruleset may have been on its way when the proof came.
            let forgotten = self.store.forget_answered(&stored.claim(), stored.basis);
            self.written(index, forgotten)?;
        }
        self.settle(index, answer, Cost::default())?;
        Ok(true)
    }
}
