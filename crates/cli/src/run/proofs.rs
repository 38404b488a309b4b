//! What searches have found: into the database, and past the verifier.

use anyhow::Result;
use proof::Proof;
use prover::{Outcome, Undecided, Verdict};
use store::{Basis, ClaimId, Provenance};

use super::Run;
use crate::{
    answer::{Answer, Cost, Source, Status},
    exit::Exit,
    known::Known,
    leaned_on::LeanedOn,
    lookup::{Settled, proof_of},
    stored_proofs::StoredProofs,
    verification::{Checked, Watch},
};

impl Run<'_> {
    /// Stores and verifies what a search has found.
    pub(super) fn finish(&mut self, index: usize, outcome: Outcome, known: &Known) -> Result<()> {
        let cost = Cost {
            nodes: outcome.effort.nodes,
            elapsed: outcome.effort.elapsed,
        };
        match outcome.verdict {
            Verdict::Proved(proof) => {
                let answer = Answer::proved(&proof, Source::Search);
                self.keep(index, &proof, answer, cost)
            }
            Verdict::Disproved => {
                self.forget(index)?;
                let answer = Answer::without_winner(Status::Disproved, Source::Search);
                self.settle(index, answer, cost)
            }
            Verdict::KnownFail(what) => {
                let error = store::Error::Damaged {
                    path: self.store.path().to_owned(),
                    what,
                };
                let name = self.questions[index].name();
                self.context.progress.error(&format!("{name}: {error}"));
                self.damaged = true;
                if let Some(side) = outcome.spoilt {
                    let key = self.checkpoints(index).key(side);
                    let forgotten = self.store.forget_campaign(&key);
                    self.written(index, forgotten)?;
                }
                self.worst = self.worst.worse(Exit::Damaged);
                let answer = Answer {
                    remark: Some("the database is damaged".to_owned()),
                    ..Answer::without_winner(Status::Unknown, Source::Search)
                };
                self.settle(index, answer, cost)
            }
            Verdict::TablesFail(problem) => self.table_failed(index, &problem, cost),
            Verdict::Undecided(why) => {
                if !self.damaged {
                    let saved = self.save(index, outcome.checkpoints);
                    self.written(index, saved)?;
                    self.keep_proven(index, outcome.proven, known)?;
                }
                if why == Undecided::Stopped {
                    return Ok(());
                }
                let answer = Answer {
                    remark: Some(remark(why).to_owned()),
                    ..Answer::without_winner(Status::Unknown, Source::Search)
                };
                self.settle(index, answer, cost)
            }
        }
    }

    /// Stores the proof of an answer at once, and then verifies it as it stands in the database.
    pub(super) fn keep(
        &mut self,
        index: usize,
        proof: &Proof,
        mut answer: Answer,
        cost: Cost,
    ) -> Result<()> {
        let provenance = Provenance {
            nodes: cost.nodes,
            seconds: cost.elapsed.as_secs_f64(),
            ..self.provenance.clone()
        };
        let stored = self.store.put_proof(proof, &provenance);
        let Some(id) = self.written(index, stored)? else {
            let answer = Answer {
                remark: Some("the proof that was found could not be stored".to_owned()),
                ..Answer::without_winner(Status::Unknown, answer.source)
            };
            return self.settle(index, answer, cost);
        };
        let claim = proof.claim;
        if !self.args.no_verify {
            let settled = Settled::stored(claim, Basis::of(proof));
            self.verify(index, id, &settled, proof.positions(), &mut answer)?;
        }
        self.settle(index, answer, cost)
    }

    /// Verifies a stored claim and records the verdict. If it is rejected, nothing is called proved.
    pub(super) fn verify(
        &mut self,
        index: usize,
        id: ClaimId,
        settled: &Settled,
        positions: u64,
        answer: &mut Answer,
    ) -> Result<()> {
        let name = self.questions[index].name();
        let mut tables = LeanedOn::nothing();
        if settled.basis == Basis::Tables {
            // As it stands in the database now: entries of other proofs may have come in.
            let list = proof_of(&self.store, settled, &self.endgames)?.tables;
            tables = LeanedOn::open(&list, settled.claim.ruleset, self.context)?;
            let recorded = self.store.record_tables(id, &list);
            self.written(index, recorded)?;
        }
        let watch = Watch {
            progress: &self.context.progress,
            stop: &self.stop,
            name: &name,
            // The prover leaves a quarter of the memory for this.
            memory_bytes: self.context.memory_bytes() / 4,
        };
        let mut proofs = StoredProofs::new(&self.store);
        let checked = proofs.check(settled, positions, &mut tables, &watch)?;
        let recorded = checked.record(&mut self.store, id);
        self.written(index, recorded)?;
        let Some(problem) = checked.problem() else {
            answer.verified = true;
            return Ok(());
        };
        if matches!(checked, Checked::Interrupted) {
            return Ok(());
        }
        self.worst = self.worst.worse(checked.exit());
        self.context.progress.error(&format!("{name}: {problem}"));
        if matches!(checked, Checked::Rejected(_) | Checked::Damaged(_)) {
            *answer = Answer {
                source: answer.source,
                ..Answer::rejected()
            };
        }
        Ok(())
    }
}

fn remark(why: Undecided) -> &'static str {
    match why {
        Undecided::Nodes => "the limit on nodes was reached",
        Undecided::Time => "the limit on time was reached",
        Undecided::Memory => "the limit on memory was reached",
        Undecided::Stopped => "stopped",
        Undecided::Repetition => "the lines that are left end in repetitions",
    }
}
