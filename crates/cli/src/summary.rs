//! What a `prove` of several lines ends with: a table of all of them.

use std::time::{Duration, Instant};

use crate::{
    answer::{Answer, Cost, Status},
    columns::{Side, align},
    question::Question,
    units,
};

const COLUMNS: [(&str, Side); 7] = [
    ("line", Side::Left),
    ("result", Side::Left),
    ("plies", Side::Right),
    ("positions", Side::Right),
    ("expansions", Side::Right),
    ("seconds", Side::Right),
    ("verified", Side::Left),
];

/// The answers so far.
#[derive(Debug)]
pub(crate) struct Summary {
    /// By question; the cells of those that are answered.
    rows: Vec<Option<[String; 7]>>,
    total: Total,
    since: Instant,
}

/// What the answers come to.
#[derive(Debug, Default)]
struct Total {
    answered: u64,
    proved: u64,
    verified: u64,
    positions: u64,
    cost: Cost,
}

impl Summary {
    /// A summary of so many questions, none of them answered yet.
    pub(crate) fn new(questions: usize) -> Self {
        Self {
            rows: vec![None; questions],
            total: Total::default(),
            since: Instant::now(),
        }
    }

    /// How many questions are answered.
    pub(crate) fn answered(&self) -> u64 {
        self.total.answered
    }

    /// Whether a question is answered.
    pub(crate) fn is_answered(&self, index: usize) -> bool {
        self.rows[index].is_some()
    }

    /// Takes note of the answer to a question that was not answered before.
    pub(crate) fn add(&mut self, index: usize, question: &Question, answer: &Answer, cost: Cost) {
        let total = &mut self.total;
        total.answered += 1;
        total.proved += u64::from(answer.status == Status::Proved);
        total.verified += u64::from(answer.verified);
        total.positions += answer.positions.unwrap_or(0);
        total.cost.nodes += cost.nodes;
        total.cost.elapsed += cost.elapsed;
        let result = match (answer.status, answer.winner) {
            (_, Some(winner)) => format!("{winner} wins"),
            (Status::Disproved, None) => "not won".to_owned(),
            (status, None) => status.name().to_owned(),
        };
        let verified = match (answer.winner, answer.verified) {
            (None, _) => "",
            (_, true) => "yes",
            (_, false) => "no",
        };
        self.rows[index] = Some([
            question.name(),
            result,
            answer
                .plies
                .map_or_else(String::new, |plies| plies.0.to_string()),
            answer.positions.map_or_else(String::new, units::thousands),
            units::thousands(cost.nodes),
            seconds(cost.elapsed),
            verified.to_owned(),
        ]);
    }

    /// The table as lines of text, in the order of the questions, with a head and totals; nothing if one question or none was
    /// asked. The seconds of all lines come to more than have passed if some were proved side by side.
    pub(crate) fn table(&self) -> Vec<String> {
        if self.rows.len() < 2 {
            return Vec::new();
        }
        let total = &self.total;
        let mut rows = vec![COLUMNS.map(|(name, _)| name.to_owned())];
        rows.extend(self.rows.iter().flatten().cloned());
        rows.push([
            format!(
                "{} of {}",
                total.answered,
                units::count(self.rows.len() as u64, "line")
            ),
            format!("{} proved", units::thousands(total.proved)),
            String::new(),
            units::thousands(total.positions),
            units::thousands(total.cost.nodes),
            seconds(total.cost.elapsed),
            units::thousands(total.verified),
        ]);
        align(COLUMNS.map(|(_, side)| side), &rows)
    }

    /// The time since the first question was asked.
    pub(crate) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}
