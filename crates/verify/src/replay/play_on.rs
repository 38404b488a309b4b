//! Lines that a table ends, played on to the end of the game, for the fifty-move rule.
//!
//! A replay of its own does it, with the table as the strategy and no table to end a line. So every reply is tried there, too, and nothing
//! that the table says is believed: were it wrong, the replay would find a defect, and the run would not be known. What it
//! finds counts for the runs alone.

use std::fmt::Display;

use super::{Longest, Progress, Replay, Stop};
use crate::board::Position;
use crate::quiet::Run;
use crate::replay::Options;
use crate::seen::Status;
use crate::shortest::Shortest;
use crate::strategy::{Claim, Strategy};
use crate::tables::{NoTables, Tables};

impl<S: Strategy + ?Sized, T: Tables + ?Sized> Replay<'_, S, T> {
    /// The longest run that follows a position that a table ends the line at, with the winner taking the shortest way.
    pub(super) fn run_from_table(
        &mut self,
        position: Position,
        fingerprint: u128,
    ) -> Result<Run, Stop> {
        if !self.options.fifty || self.rejection.is_some() || self.unknown.is_some() {
            return Ok(Run::OVER);
        }
        let winner_moves = position.side_to_move() == self.claim.winner;
        if let (true, Some(Status::Closed(closed))) =
            (winner_moves, self.in_tables.get(fingerprint))
        {
            return Ok(closed.run);
        }
        let claim = Claim {
            root: position,
            ..*self.claim
        };
        let met = std::mem::take(&mut self.in_tables);
        let (positions, bytes) = (self.seen.len(), self.peak_bytes());
        let report = self.options.progress.map(|progress| {
            move |within: Progress| {
                progress(Progress {
                    positions,
                    defects: 0,
                    peak_bytes: bytes.saturating_add(within.peak_bytes),
                })
            }
        });
        let options = Options {
            progress: match &report {
                Some(report) => Some(report),
                None => None,
            },
            max_defects: 1,
            ..*self.options
        };
        let mut strategy = Shortest {
            ruleset: claim.ruleset,
            winner: claim.winner,
            tables: &mut *self.tables,
        };
        let mut no_tables = NoTables;
        let mut replay = Replay::new(&claim, &mut strategy, &mut no_tables, &options, self.keys);
        replay.visits = self.visits;
        replay.longest.run = self.longest.run;
        replay.seen = met;
        let end = replay.run();
        self.visits = replay.visits;
        self.in_tables = replay.seen;
        let Longest { run, after } = replay.longest;
        if let Some(after) = after {
            let after = Some([self.path(), after].concat());
            self.longest = Longest { run, after };
        }
        match end {
            Ok(closed) => Ok(closed.run),
            Err(Stop::Interrupted) => Err(Stop::Interrupted),
            Err(Stop::EnoughDefects(rejection)) => Ok(self.unknown_run(&position, &rejection)),
            Err(Stop::Damaged(error)) => Ok(self.unknown_run(&position, &error)),
        }
    }

    /// Notes why a line cannot be played on.
    fn unknown_run(&mut self, position: &Position, why: &dyn Display) -> Run {
        let fen = position.fen();
        self.unknown = Some(format!(
            "the tables give no way to the end from {fen}: {why}"
        ));
        Run::OVER
    }
}
