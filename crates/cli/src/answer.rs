//! The answer about one position, as `prove` and `query` give it.

use std::time::Duration;

use proof::{Plies, Proof};
use rules::{Color, Move};
use serde_json::{Map, Value, json};

use crate::{
    context::{extend, name_or_null, object},
    exit::Exit,
    lookup::Tabled,
    memory,
    question::Question,
    units,
};

/// What is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// A side that was asked for wins.
    Proved,
    /// No side that was asked for wins.
    Disproved,
    /// The database knows something, but nothing that settles it.
    Open,
    /// Nothing.
    Unknown,
}

impl Status {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Disproved => "disproved",
            Self::Open => "open",
            Self::Unknown => "unknown",
        }
    }

    pub(crate) const fn exit(self) -> Exit {
        match self {
            Self::Proved => Exit::Done,
            Self::Disproved => Exit::No,
            Self::Open | Self::Unknown => Exit::Undecided,
        }
    }
}

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    GameOver,
    Table,
    Database,
    Search,
}

impl Source {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::GameOver => "game-over",
            Self::Table => "table",
            Self::Database => "database",
            Self::Search => "search",
        }
    }
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// Expansions.
    pub(crate) nodes: u64,
    /// Time of search and verification.
    pub(crate) elapsed: Duration,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: Status,
    pub(crate) winner: Option<Color>,
    /// The winning move, if the winner is to move.
    pub(crate) mv: Option<Move>,
    /// A bound on the plies to the end.
    pub(crate) plies: Option<Plies>,
    /// Distinct positions with the winner to move.
    pub(crate) positions: Option<u64>,
    pub(crate) source: Source,
    pub(crate) verified: bool,
    /// Why there is no better answer, or what else there is to say.
    pub(crate) remark: Option<String>,
}

impl Answer {
    /// An answer that names no winner.
    pub(crate) fn without_winner(status: Status, source: Source) -> Self {
        Self {
            status,
            winner: None,
            mv: None,
            plies: None,
            positions: None,
            source,
            verified: false,
            remark: None,
        }
    }

    /// A position of which a proof is stored that the verifier has rejected.
    pub(crate) fn rejected() -> Self {
        Self {
            remark: Some("the verifier does not accept the proof".to_owned()),
            ..Self::without_winner(Status::Open, Source::Database)
        }
    }

    /// A position in which the game is over.
    pub(crate) fn game_over(winner: Option<Color>) -> Self {
        match winner {
            None => Self {
                remark: Some("the game is drawn".to_owned()),
                ..Self::without_winner(Status::Disproved, Source::GameOver)
            },
            Some(_) => Self {
                winner,
                plies: Some(Plies::ZERO),
                positions: Some(0),
                // The ruleset alone says so: there is no proof that could be wrong.
                verified: true,
                ..Self::without_winner(Status::Proved, Source::GameOver)
            },
        }
    }

    /// A position that an endgame table has. The prover asks only tables that the verifier has accepted.
    pub(crate) fn tabled(tabled: &Tabled) -> Self {
        let Tabled { winner, mv, plies } = *tabled;
        match winner {
            None => Self {
                remark: Some("a draw by the endgame tables".to_owned()),
                ..Self::without_winner(Status::Disproved, Source::Table)
            },
            Some(_) => Self {
                winner,
                mv,
                plies,
                verified: true,
                ..Self::without_winner(Status::Proved, Source::Table)
            },
        }
    }

    /// A position of which a complete proof is at hand, not verified yet.
    pub(crate) fn proved(proof: &Proof, source: Source) -> Self {
        let claim = &proof.claim;
        let entry = proof.entry(&claim.root);
        let winner_moves = claim.root.side_to_move() == claim.winner;
        Self {
            winner: Some(claim.winner),
            mv: entry.filter(|_| winner_moves).map(|entry| entry.mv),
            plies: Some(proof.plies),
            // A table's word is a proof without positions.
            positions: (source != Source::Table).then(|| proof.positions()),
            ..Self::without_winner(Status::Proved, source)
        }
    }

    /// The fields about the position in question.
    pub(crate) fn object(&self, command: &str, question: &Question) -> Map<String, Value> {
        let mut object = object(command, question.ruleset());
        extend(
            &mut object,
            json!({
                "line": question.uci(),
                "fen": question.fen(),
                "status": self.status.name(),
                "winner": name_or_null(self.winner),
                "move": name_or_null(self.mv),
                "move_san": name_or_null(self.mv.map(|mv| question.san(mv))),
                "plies": self.plies.map(|plies| plies.0),
                "positions": self.positions,
                "source": self.source.name(),
                "verified": self.verified,
            }),
        );
        object
    }

    /// A sentence about the position in question.
    pub(crate) fn sentence(&self, question: &Question, cost: Option<Cost>) -> String {
        let mut facts: Vec<String> = Vec::new();
        facts.push(self.result(question));
        if self.source != Source::GameOver {
            facts.extend(
                self.plies
                    .map(|plies| format!("{} at most", plural_plies(plies))),
            );
            facts.extend(
                self.positions
                    .map(|positions| units::count(positions, "position")),
            );
            if self.winner.is_some() {
                let verified = if self.verified {
                    "verified"
                } else {
                    "not verified"
                };
                facts.push(verified.to_owned());
            }
        }
        facts.extend(self.remark.clone());
        let mut origin = vec![
            question.ruleset().name().to_owned(),
            self.source.name().to_owned(),
        ];
        if let (Some(cost), Source::Search) = (cost, self.source) {
            origin.push(units::count(cost.nodes, "node"));
            origin.push(units::seconds(cost.elapsed));
        }
        format!(
            "{}: {} ({})",
            question.name(),
            facts.join(", "),
            origin.join(", ")
        )
    }

    fn result(&self, question: &Question) -> String {
        match (self.status, self.winner) {
            (_, Some(winner)) if self.source == Source::GameOver => {
                format!("the game is over, {winner} has won")
            }
            (Status::Proved | Status::Disproved, Some(winner)) => match self.mv {
                Some(mv) => format!("{winner} wins with {}", question.numbered(mv)),
                None => format!("{winner} wins"),
            },
            (Status::Disproved, None) => "not won by the side asked for".to_owned(),
            (status, _) => status.name().to_owned(),
        }
    }
}

/// Adds what an answer of `prove` cost.
pub(crate) fn add_cost(object: &mut Map<String, Value>, cost: Cost) {
    extend(
        object,
        json!({
            "nodes": cost.nodes,
            "seconds": cost.elapsed.as_secs_f64(),
            "nodes_per_second": units::per_second(cost.nodes, cost.elapsed),
            "peak_bytes": memory::peak_bytes(),
        }),
    );
}

/// A number of plies, with the unit.
pub(crate) fn plural_plies(plies: Plies) -> String {
    units::plies(u32::from(plies.0))
}
