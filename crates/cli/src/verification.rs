//! What the independent verifier says, and how it is run.

use std::{cell::Cell, ops::ControlFlow, path::Path};

use anyhow::Result;
use proof::{Plies, TableId};
use rules::Ruleset;
use search::StopFlag;
use store::{ClaimId, Store};
use verify::{FiftyMoves, Options, Reason, Rejection, StrategyError};

use crate::{
    crossing::ruleset_from_verifier, exit::Exit, leaned_on::LeanedOn, lookup::is_asked_for,
    progress::Progress, units, usage::Usage,
};

/// The verifier and its version, as the database keeps it with each verdict.
pub(crate) fn verifier() -> String {
    format!("takeme-verify {}", verify::VERSION)
}

/// What a verdict takes for granted besides tables.
const DRAW_RULES: &str = "draw rules: none (clocks and repetition are left out)";

/// What a verdict takes for granted.
pub(crate) fn assumptions(verified: &verify::Verified) -> Vec<String> {
    let mut assumptions = vec![DRAW_RULES.to_owned()];
    if verified.assumptions.is_empty() {
        assumptions.push("tables: none".to_owned());
    }
    assumptions.extend(verified.assumptions.iter().cloned());
    assumptions
}

/// What the verifier found.
#[derive(Debug)]
pub(crate) enum Checked {
    /// The claim is proved.
    Verified(verify::Verified),
    /// The strategy proves nothing.
    Rejected(Rejection),
    /// A table that the strategy leans on is wrong.
    TablesRefused(String),
    /// The strategy cannot be read.
    Damaged(String),
    /// Somebody asked to stop.
    Interrupted,
    /// The memory was used up.
    OutOfMemory,
}

impl Checked {
    /// The verdict in a word, if one was reached.
    pub(crate) fn name(&self) -> Option<&'static str> {
        match self {
            Self::Verified(_) => Some("verified"),
            Self::Rejected(_) | Self::TablesRefused(_) => Some("rejected"),
            Self::Damaged(_) => Some("damaged"),
            Self::Interrupted | Self::OutOfMemory => None,
        }
    }

    /// What the database keeps; nothing of a replay that was not finished.
    pub(crate) fn verdict(&self) -> Option<store::Verdict> {
        let detail = match self {
            Self::Verified(verified) => {
                let assumed = format!("assumed: {}", assumptions(verified).join("; "));
                match &verified.fifty {
                    Some(fifty) => format!("{assumed}; under the fifty-move rule: {fifty}"),
                    None => assumed,
                }
            }
            Self::Rejected(rejection) => rejection.to_string(),
            Self::Damaged(problem) | Self::TablesRefused(problem) => problem.clone(),
            Self::Interrupted | Self::OutOfMemory => return None,
        };
        Some(store::Verdict {
            verified: matches!(self, Self::Verified(_)),
            verifier: verifier(),
            detail,
        })
    }

    /// Positions and plies of a proof that was accepted, as it stands in the database now.
    pub(crate) fn size(&self) -> Option<(u64, Plies)> {
        let Self::Verified(verified) = self else {
            return None;
        };
        let plies = u16::try_from(verified.plies).ok()?;
        Some((verified.positions, Plies(plies)))
    }

    /// Records verdict and size of a claim that was checked.
    pub(crate) fn record(&self, store: &mut Store, id: ClaimId) -> store::Result<()> {
        if let Some((positions, plies)) = self.size() {
            store.record_size(id, positions, plies)?;
        }
        match self.verdict() {
            Some(verdict) => store.record_verdict(id, &verdict),
            None => Ok(()),
        }
    }

    /// The same, and the tables that the proof leans on now.
    pub(crate) fn record_with_tables(
        &self,
        store: &mut Store,
        id: ClaimId,
        tables: &[TableId],
    ) -> store::Result<()> {
        self.record(store, id)?;
        if self.is_verified() && !tables.is_empty() {
            store.record_tables(id, tables)?;
        }
        Ok(())
    }

    pub(crate) fn is_verified(&self) -> bool {
        matches!(self, Self::Verified(_))
    }

    /// How a command ends that found this.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Verified(verified) => match verified.fifty.as_ref().map(FiftyMoves::holds) {
                None | Some(Some(true)) => Exit::Done,
                Some(Some(false)) => Exit::No,
                Some(None) => Exit::Undecided,
            },
            Self::Rejected(rejection) if matches!(rejection.reason, Reason::MissingTable(_)) => {
                Exit::NotCovered
            }
            Self::Rejected(_) | Self::TablesRefused(_) => Exit::Rejected,
            Self::Damaged(_) => Exit::Damaged,
            Self::Interrupted => Exit::Interrupted,
            Self::OutOfMemory => Exit::Full,
        }
    }

    /// What is wrong, if anything is.
    pub(crate) fn problem(&self) -> Option<String> {
        match self {
            Self::Verified(_) => None,
            Self::Rejected(rejection) => Some(format!("rejected: {rejection}")),
            Self::TablesRefused(problem) => Some(format!("rejected: {problem}")),
            Self::Damaged(problem) => Some(format!("damaged: {problem}")),
            Self::Interrupted => Some("interrupted".to_owned()),
            Self::OutOfMemory => {
                Some("not verified: the proof needs more memory than --memory allows".to_owned())
            }
        }
    }

    /// What the verdict of the verifier's library means here.
    fn of(verdict: verify::Verdict) -> Self {
        match verdict {
            verify::Verdict::Verified(verified) => Self::Verified(verified),
            verify::Verdict::Rejected(rejection) => Self::Rejected(rejection),
            verify::Verdict::Damaged(StrategyError::Damaged(problem)) => Self::Damaged(problem),
            verify::Verdict::Damaged(error) => Self::Damaged(error.to_string()),
            verify::Verdict::Interrupted(_) => Self::Interrupted,
        }
    }
}

/// How a replay is watched.
pub(crate) struct Watch<'a> {
    pub(crate) progress: &'a Progress,
    pub(crate) stop: &'a StopFlag,
    /// What is being verified.
    pub(crate) name: &'a str,
    /// What the replay may take.
    pub(crate) memory_bytes: u64,
}

impl Watch<'_> {
    /// Runs `replay` with options that show how far it has come, and end it when somebody asks or the memory is used up; with
    /// `fifty`, they ask about the fifty-move rule, too.
    pub(crate) fn run(
        &self,
        fifty: bool,
        replay: impl FnOnce(&Options<'_>) -> verify::Verdict,
    ) -> Checked {
        let full = Cell::new(false);
        let report = |progress: verify::Progress| {
            full.set(progress.peak_bytes > self.memory_bytes);
            self.progress.show(|| {
                let positions = units::count(progress.positions, "position");
                format!("{}: verifying, {positions}", self.name)
            });
            if self.stop.is_raised() || full.get() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let verdict = replay(&Options {
            progress: Some(&report),
            fifty,
            ..Options::default()
        });
        match Checked::of(verdict) {
            Checked::Interrupted if full.get() => Checked::OutOfMemory,
            checked => checked,
        }
    }
}

/// A certificate must hold under the ruleset that `--rules` names, if it names one.
///
/// # Errors
///
/// It holds under another.
pub(crate) fn must_serve(
    certificate: &verify::Certificate<'_>,
    asked_for: Option<Ruleset>,
    file: &Path,
) -> Result<()> {
    let ruleset = ruleset_from_verifier(certificate.claim().ruleset);
    match asked_for {
        Some(asked_for) if !is_asked_for(ruleset, Some(asked_for)) => {
            let file = file.display();
            let message =
                format!("the proof in {file} is one under {ruleset}, not under {asked_for}");
            Err(Usage::new(message).into())
        }
        _ => Ok(()),
    }
}

/// Replays a certificate.
pub(crate) fn check_certificate(
    certificate: &verify::Certificate<'_>,
    tables: &mut LeanedOn,
    watch: &Watch<'_>,
) -> Checked {
    let fifty = tables.are_played_on();
    // The certificate restricts the tables to its list itself.
    tables.replay_all(|tables| watch.run(fifty, |options| certificate.verify(tables, options)))
}

/// Moves in UCI.
pub(crate) fn path(moves: &[verify::Move]) -> String {
    let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
    moves.join(" ")
}

#[cfg(test)]
mod tests {
    use verify::Choice;

    use super::*;
    use crate::args::ProgressChoice;

    /// Plays the first move everywhere, and so has a lot to replay.
    struct First;

    impl verify::Strategy for First {
        fn choose(
            &mut self,
            _: &verify::Position,
            _: &[verify::Move],
        ) -> Result<Choice, StrategyError> {
            Ok(Choice::Index(0))
        }
    }

    fn replay_first(stop: &StopFlag, memory_bytes: u64) -> Checked {
        let progress = Progress::new(ProgressChoice::None, true);
        let watch = Watch {
            progress: &progress,
            stop,
            name: "test",
            memory_bytes,
        };
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -";
        let claim = verify::Claim::new(verify::Ruleset::Joint, start, verify::Color::White);
        let claim = claim.expect("a position");
        watch.run(false, |options| {
            verify::verify(&claim, &mut First, &mut verify::NoTables, options)
        })
    }

    #[test]
    fn a_replay_ends_when_somebody_asks_or_the_memory_is_used_up() {
        let stop = StopFlag::new();
        let checked = replay_first(&stop, 1 << 10);
        assert!(matches!(checked, Checked::OutOfMemory), "{checked:?}");
        assert_eq!(checked.exit(), Exit::Full);
        assert!(checked.verdict().is_none());
        stop.raise();
        let checked = replay_first(&stop, u64::MAX);
        assert!(matches!(checked, Checked::Interrupted), "{checked:?}");
    }
}
