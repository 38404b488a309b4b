//! Why a tree is no proof, as the program tells it.

use std::convert::Infallible;

use anyhow::Result;
use interchange::watkins::{Defects, FileError, Severity, line_from_start};
use proof::{Claim, ExtractError};
use rules::{Move, Ruleset, line};
use serde_json::{Value, json};

use crate::{
    context::{Context, extend, object},
    exit::Exit,
    units,
};

/// What is wrong with a file, and what that means.
pub(super) struct Refusal {
    severity: Severity,
    /// A sentence for each defect that is told.
    told: Vec<String>,
    /// How many there are.
    total: u64,
    /// The moves from the start of the game to the first defect, if it has a place.
    first: Option<Vec<Move>>,
}

impl Refusal {
    /// What is wrong with a file that cannot be read as a tree.
    pub(super) fn of_file(error: &FileError) -> Self {
        let severity = match error {
            FileError::Null => Severity::NotSupported,
            _ => Severity::Damaged,
        };
        Self {
            severity,
            told: vec![error.to_string()],
            total: 1,
            first: None,
        }
    }

    /// What is wrong with a tree; nothing if there are no defects.
    pub(super) fn of_defects(defects: &Defects, ruleset: Ruleset) -> Option<Self> {
        let severity = defects.severity()?;
        let told = defects.first().iter();
        Some(Self {
            severity,
            told: told.map(|found| found.sentence(ruleset)).collect(),
            total: defects.total(),
            first: defects.first().first().map(|found| found.line.clone()),
        })
    }

    /// Why the moves of a tree that seemed sound prove nothing.
    pub(super) fn of_moves(
        error: &ExtractError<Infallible>,
        opening: &[Move],
        claim: &Claim,
    ) -> Self {
        let (severity, problem, below) = match error {
            ExtractError::Loop { line, .. } => {
                let problem = "a position of the line comes again: a loop";
                (Severity::Cyclic, problem.to_owned(), Some(line))
            }
            ExtractError::Missing { line, .. } => {
                let problem = "no move of the winner is there";
                (Severity::NotProved, problem.to_owned(), Some(line))
            }
            ExtractError::Illegal { line, mv, .. } => {
                (Severity::Damaged, format!("{mv} is illegal"), Some(line))
            }
            ExtractError::NotWon { line, winner } => {
                let problem = format!("the game is over, and {winner} has not won");
                (Severity::NotProved, problem, Some(line))
            }
            ExtractError::TableNotWon { line, winner, .. } => {
                let problem = format!("a table gives no win for {winner}");
                (Severity::NotProved, problem, Some(line))
            }
            other => (Severity::NotProved, other.to_string(), None),
        };
        let first = below.map(|below| [opening, below].concat());
        let place = first.as_deref().map_or_else(String::new, |moves| {
            format!("after {}: ", line_from_start(moves, claim.ruleset))
        });
        Self {
            severity,
            told: vec![format!("{place}{problem}")],
            total: 1,
            first,
        }
    }

    fn verdict(&self) -> &'static str {
        match self.severity {
            Severity::Damaged => "damaged file",
            Severity::NotProved => "not proved",
            Severity::Cyclic => "cyclic, not proved",
            Severity::Undecided => "not decided",
            Severity::NotSupported => "not supported",
        }
    }

    fn exit(&self) -> Exit {
        match self.severity {
            Severity::Damaged => Exit::Damaged,
            Severity::NotProved | Severity::Cyclic => Exit::Rejected,
            Severity::Undecided => Exit::Undecided,
            Severity::NotSupported => Exit::NotCovered,
        }
    }

    /// Tells why nothing of the file `name` was stored.
    pub(super) fn tell(&self, name: &str, context: &mut Context) -> Result<Exit> {
        for defect in &self.told {
            context.progress.error(&format!("{name}: {defect}"));
        }
        let defects = units::count(self.total, "defect");
        let more = if self.total > self.told.len() as u64 {
            format!(", of which {} are told", self.told.len())
        } else {
            String::new()
        };
        let verdict = self.verdict();
        context.progress.error(&format!(
            "{name}: {verdict}: {defects}{more}; nothing was stored"
        ));
        if context.global.json {
            let mut object = object("import", context.ruleset());
            let first = self.first.as_ref().map(|moves| line::write_uci(moves));
            extend(
                &mut object,
                json!({
                    "file": name,
                    "verdict": match self.severity {
                        Severity::Damaged => "damaged",
                        _ => "rejected",
                    },
                    "defects": self.total,
                    "first_defect": first.map_or(Value::Null, Value::from),
                    "reason": self.told.first(),
                }),
            );
            context.out.object(object)?;
        }
        Ok(self.exit())
    }
}
