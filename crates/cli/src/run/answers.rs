//! Answers as they are printed, one by one and at the end.

use std::{collections::HashSet, mem};

use anyhow::Result;

use super::Run;
use crate::{
    answer::{Answer, Cost, Source, Status, add_cost},
    exit::Exit,
    units,
};

impl Run<'_> {
    /// A table that the question needs is damaged. Others may still be answered.
    pub(super) fn table_failed(&mut self, index: usize, problem: &str, cost: Cost) -> Result<()> {
        let name = self.questions[index].name();
        self.context.progress.error(&format!("{name}: {problem}"));
        self.worst = self.worst.worse(Exit::Damaged);
        let answer = Answer {
            remark: Some("an endgame table is damaged".to_owned()),
            ..Answer::without_winner(Status::Unknown, Source::Search)
        };
        self.settle(index, answer, cost)
    }

    /// Takes note of an answer, and prints it at once; also for the questions that are the same, which have cost nothing.
    pub(super) fn settle(&mut self, index: usize, answer: Answer, cost: Cost) -> Result<()> {
        let answer = self.asked_for(answer);
        self.settle_one(index, &answer, cost)?;
        for twin in mem::take(&mut self.twins[index]) {
            self.settle_one(twin, &answer, Cost::default())?;
        }
        Ok(())
    }

    fn settle_one(&mut self, index: usize, answer: &Answer, cost: Cost) -> Result<()> {
        let question = &self.questions[index];
        self.worst = self.worst.worse(answer.status.exit());
        self.summary.add(index, question, answer, cost);
        if answer.status == Status::Proved {
            self.proved.push(question.clone());
        }
        let context = &mut *self.context;
        context.progress.aside(|| {
            if context.global.json {
                let mut object = answer.object("prove", question);
                add_cost(&mut object, cost);
                context.out.object(object)?;
            } else {
                context.out.line(&answer.sentence(question, Some(cost)))?;
            }
            context.out.flush()
        })
    }

    /// A win of the side that was not asked for is a no.
    fn asked_for(&self, answer: Answer) -> Answer {
        match answer.winner {
            Some(winner) if !self.args.winner.includes(winner) => Answer {
                status: Status::Disproved,
                ..answer
            },
            _ => answer,
        }
    }

    pub(super) fn end(mut self) -> Result<Exit> {
        self.context.progress.clear();
        if !self.context.global.json && !self.context.global.quiet {
            self.print_summary()?;
        }
        if !self.stop.is_raised() {
            return Ok(self.worst);
        }
        let path = self.store.path().display();
        let interrupted = format!(
            "interrupted: {} of {} answered",
            units::thousands(self.summary.answered()),
            units::count(self.questions.len() as u64, "line"),
        );
        if !self.lost.is_empty() {
            self.context.progress.say(&format!(
                "{interrupted}, and not all that was found could be stored in {path}"
            ));
            return Ok(self.worst);
        }
        let kept = match (self.saved_searches()?, self.kept) {
            (0, 0) => &format!("what was answered is kept in {path}"),
            (0, kept) => &format!(
                "{} of unfinished lines kept in {path}",
                units::count(kept, "proven position")
            ),
            (searches, _) => &format!(
                "{} kept in {path} with all that was proven",
                units::count(searches, "unfinished search")
            ),
        };
        self.context.progress.say(&format!(
            "{interrupted}, {kept}; the same command goes on from there"
        ));
        Ok(Exit::Interrupted)
    }

    /// How many searches of lines without an answer the database keeps, from which this command goes on: one for each side of a position.
    fn saved_searches(&self) -> Result<u64> {
        let open = (0..self.questions.len()).filter(|&index| !self.summary.is_answered(index));
        let keys = open.flat_map(|index| {
            let (place, spared) = (self.checkpoints(index), self.spared[index]);
            let mut sides = self.sides();
            sides.retain(|side| spared[side.index()].is_none_or(|spared| spared.is_of_use));
            sides.into_iter().map(move |side| place.key(side))
        });
        let mut seen = HashSet::new();
        let mut saved = 0;
        for key in keys {
            if seen.insert((key.root.pack(), key.attacker)) && self.store.campaign(&key)?.is_some()
            {
                saved += 1;
            }
        }
        Ok(saved)
    }

    fn print_summary(&mut self) -> Result<()> {
        let table = self.summary.table();
        if table.is_empty() {
            return Ok(());
        }
        let out = &mut self.context.out;
        out.line("")?;
        for line in table {
            out.line(&line)?;
        }
        let threads = self.threads() as u64;
        self.context.out.line(&format!(
            "({}, {}, {} in all)",
            self.context.ruleset(),
            units::count(threads, "thread"),
            units::seconds(self.summary.elapsed()),
        ))?;
        self.context.out.flush()
    }
}
