//! Names of positions that come without the moves that led to them.

use std::collections::HashMap;

use rules::{Game, Move, Position, Ruleset, canonical_moves};

use crate::question::Question;

/// Positions up to so many plies from the start have a name.
const NAMED_PLIES: usize = 3;

/// The shortest lines from the initial position, by the position they lead to. A claim in the database is about a position
/// and knows no line, but most are about openings.
pub(crate) struct Names {
    ruleset: Ruleset,
    lines: HashMap<u64, (Position, Vec<Move>)>,
}

impl Names {
    pub(crate) fn new(ruleset: Ruleset) -> Self {
        let root = *Game::initial(ruleset).position();
        let mut lines = HashMap::from([(root.key(), (root, Vec::new()))]);
        let mut level = vec![(root, Vec::new())];
        for _ in 0..NAMED_PLIES {
            let mut next = Vec::new();
            for (position, line) in level {
                for mv in canonical_moves(&position, ruleset) {
                    let after = position.after(mv, ruleset);
                    let mut line: Vec<Move> = line.clone();
                    line.push(mv);
                    lines
                        .entry(after.key())
                        .or_insert_with(|| (after, line.clone()));
                    next.push((after, line));
                }
            }
            level = next;
        }
        Self { ruleset, lines }
    }

    /// The position as a line from the start if it has a name, else as a FEN.
    pub(crate) fn question(&self, position: &Position) -> Question {
        let found = self.lines.get(&position.key());
        match found.filter(|(named, _)| named == position) {
            Some((_, moves)) => Question::of_moves(&Game::initial(self.ruleset), moves),
            None => Question::of_position(position, self.ruleset),
        }
    }
}
