//! `takeme export --format pgn`: a strategy as games.
//!
//! The winner's moves have no alternatives. Of the loser's replies the one that holds out longest goes on, the others are variations; each
//! position of the winner is followed once, and a comment says where.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use interchange::pgn::{GameWriter, Tags};
use proof::{Claim, Record};
use rules::{Color, Game, Move, Position, canonical_moves, line};

use super::{Sink, Source};
use crate::{
    args::Export,
    context::Context,
    question::Question,
    walk::{ENDLESS, End, Walk},
};

/// Text is handed on when there is so much of it, in bytes.
const CHUNK_BYTES: usize = 1 << 16;

/// Memory: about 80 bytes for each position of the winner in a game, and 20 for each in any.
pub(super) fn write(source: &Source<'_>, sink: &mut Sink<'_>, args: &Export) -> Result<u64> {
    let claim = source.settled.claim;
    let mut tree = Tree {
        walk: Walk::new(source.store, &source.settled, source.endgames),
        claim,
        start: source.question.start(),
        prolog: &source.question.moves,
        met: HashMap::new(),
        ways: Vec::new(),
        on_line: Vec::new(),
        line: Vec::new(),
        variations: 0,
        lines_left: args.most.unwrap_or(u64::MAX),
        counted: HashSet::new(),
        positions: 0,
    };
    let openings = if args.split {
        tree.openings()?
    } else {
        vec![Vec::new()]
    };
    for (opening, round) in openings.iter().zip(1u64..) {
        if tree.lines_left == 0 {
            break;
        }
        tree.game(source.question, opening, round, sink)?;
    }
    Ok(tree.positions)
}

/// How a position of the winner is reached, from the one before it or from the root.
struct Way {
    from: Option<u32>,
    moves: Box<[Move]>,
}

/// What is still to be written, last first.
enum Step {
    /// What follows the best reply, after so many moves before it.
    Follow {
        position: Position,
        reply: Move,
        plies: usize,
    },
    /// A variation that begins with a reply, after so many moves.
    Vary {
        position: Position,
        reply: Move,
        plies: usize,
    },
    /// The end of a variation.
    Close,
}

struct Tree<'a> {
    walk: Walk<'a>,
    claim: Claim,
    start: &'a Game,
    /// The moves from the start to the root.
    prolog: &'a [Move],
    /// Positions of the winner in this game, by key and check.
    met: HashMap<(u64, u64), u32>,
    ways: Vec<Way>,
    /// The winner's positions on the current line: plies from the root, and way.
    on_line: Vec<(usize, u32)>,
    /// The moves from the root to where we are.
    line: Vec<Move>,
    /// Variations that are open: none on the main line.
    variations: u32,
    /// Lines that may still be begun.
    lines_left: u64,
    /// The winner's positions that games have so far, and how many.
    counted: HashSet<(u64, u64)>,
    positions: u64,
}

impl Tree<'_> {
    /// The moves that each game of several begins with: up to the first choice that the loser has.
    fn openings(&mut self) -> Result<Vec<Vec<Move>>> {
        let Claim {
            ruleset,
            winner,
            root,
        } = self.claim;
        let mut position = root;
        let mut opening = Vec::new();
        loop {
            let legal = canonical_moves(&position, ruleset);
            if self.walk.end(&position, &legal)?.is_some() {
                return Ok(vec![Vec::new()]);
            }
            let mv = match legal[..] {
                _ if position.side_to_move() == winner => self.walk.choose(&position, &legal)?.mv,
                [forced] => forced,
                _ => {
                    let replies = legal.iter();
                    return Ok(replies
                        .map(|&reply| [&opening[..], &[reply]].concat())
                        .collect());
                }
            };
            opening.push(mv);
            position = position.after(mv, ruleset);
        }
    }

    /// Writes the game that follows some moves after the root.
    fn game(
        &mut self,
        question: &Question,
        opening: &[Move],
        round: u64,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let Claim {
            ruleset,
            winner,
            root,
        } = self.claim;
        let mut writer = GameWriter::begin(&Tags {
            winner,
            start: self.start,
            event: &format!("{winner} wins {}", question.name()),
            round: &round.to_string(),
            annotator: &Context::provenance().engine,
        });
        self.met.clear();
        self.ways.clear();
        self.on_line.clear();
        self.line.clear();
        let mut position = *self.start.position();
        for (ply, &mv) in self.prolog.iter().enumerate() {
            writer.play(&position, self.number(&position, ply), mv);
            position = position.after(mv, ruleset);
        }
        position = root;
        for &mv in opening {
            if position.side_to_move() == winner {
                self.positions += u64::from(self.counted.insert(Record::id(&position)));
            }
            self.play(&mut writer, &position, mv);
            position = position.after(mv, ruleset);
        }
        self.lines_left -= 1;
        self.follow_all(position, &mut writer, sink)?;
        writer.end();
        sink.bytes(writer.take().as_bytes())
    }

    fn follow_all(
        &mut self,
        position: Position,
        writer: &mut GameWriter,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let mut steps = Vec::new();
        self.follow(position, writer, &mut steps)?;
        while let Some(step) = steps.pop() {
            match step {
                Step::Close => {
                    self.variations -= 1;
                    writer.close();
                }
                Step::Follow {
                    position,
                    reply,
                    plies,
                } => {
                    self.line.truncate(plies);
                    self.line.push(reply);
                    self.follow(position, writer, &mut steps)?;
                }
                Step::Vary {
                    position,
                    reply,
                    plies,
                } => {
                    self.line.truncate(plies);
                    self.variations += 1;
                    writer.open();
                    self.play(writer, &position, reply);
                    steps.push(Step::Close);
                    let next = position.after(reply, self.claim.ruleset);
                    self.follow(next, writer, &mut steps)?;
                }
            }
            if writer.waiting_bytes() >= CHUNK_BYTES {
                sink.bytes(writer.take().as_bytes())?;
            }
        }
        Ok(())
    }

    /// Writes the winner's move, if it is his, and the best reply; what comes then is put on the steps.
    fn follow(
        &mut self,
        mut position: Position,
        writer: &mut GameWriter,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let Claim {
            ruleset, winner, ..
        } = self.claim;
        let mut legal = canonical_moves(&position, ruleset);
        if self.ends(&position, &legal, writer)? {
            return Ok(());
        }
        if position.side_to_move() == winner {
            if let Some(&met) = self.met.get(&Record::id(&position)) {
                let Some(way) = self.way_to(met) else {
                    return Err(self.walk.damaged(ENDLESS, &position).into());
                };
                // The main line is complete, whatever its variations have met.
                if self.variations > 0 {
                    writer.comment(&format!("transposes to {way}"));
                    return Ok(());
                }
                self.arrive(met);
            } else {
                self.note(&position);
            }
            let mv = self.walk.choose(&position, &legal)?.mv;
            self.play(writer, &position, mv);
            position = position.after(mv, ruleset);
            legal = canonical_moves(&position, ruleset);
            if self.ends(&position, &legal, writer)? {
                return Ok(());
            }
        }
        self.reply(position, &legal, writer, steps)
    }

    /// Writes the loser's best reply.
    fn reply(
        &mut self,
        position: Position,
        legal: &[Move],
        writer: &mut GameWriter,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let mut best = (None, legal[0]);
        for &reply in legal {
            let next = position.after(reply, self.claim.ruleset);
            let height = self.walk.height(&next)?;
            if height > best.0 {
                best = (height, reply);
            }
        }
        let (_, best) = best;
        let plies = self.line.len();
        self.play(writer, &position, best);
        steps.push(Step::Follow {
            position: position.after(best, self.claim.ruleset),
            reply: best,
            plies,
        });
        let others = legal.iter().copied().filter(|&reply| reply != best);
        let room = usize::try_from(self.lines_left).unwrap_or(usize::MAX);
        let written: Vec<Move> = others.take(room).collect();
        self.lines_left -= written.len() as u64;
        let left_out = legal.len() - 1 - written.len();
        if left_out > 0 {
            let noun = if left_out == 1 { "reply" } else { "replies" };
            writer.comment(&format!("{left_out} other {noun} left out"));
        }
        steps.extend(written.into_iter().rev().map(|reply| Step::Vary {
            position,
            reply,
            plies,
        }));
        Ok(())
    }

    /// Whether a line ends here, and if a table says so, a comment.
    fn ends(&self, position: &Position, legal: &[Move], writer: &mut GameWriter) -> Result<bool> {
        let end = self.walk.end(position, legal)?;
        if end == Some(End::Table) {
            writer.comment("won by an endgame table");
        }
        Ok(end.is_some())
    }

    fn play(&mut self, writer: &mut GameWriter, position: &Position, mv: Move) {
        let number = self.number(position, self.prolog.len() + self.line.len());
        writer.play(position, number, mv);
        self.line.push(mv);
    }

    /// The number of the move in a position so many plies after the start.
    fn number(&self, position: &Position, plies: usize) -> u32 {
        let by_black = usize::from(position.side_to_move() == Color::Black);
        let before = usize::from(self.start.position().side_to_move() == Color::Black);
        let moves = (plies + before - by_black) / 2;
        u32::from(self.start.full_move()) + u32::try_from(moves).unwrap_or(u32::MAX / 2)
    }

    /// Keeps how this position of the winner was reached.
    fn note(&mut self, position: &Position) {
        let id = Record::id(position);
        self.positions += u64::from(self.counted.insert(id));
        let way = u32::try_from(self.ways.len()).unwrap_or(u32::MAX);
        self.met.insert(id, way);
        self.arrive(way);
        let above = self.on_line.iter().rev().nth(1).copied();
        let (plies, from) = above.map_or((0, None), |(plies, way)| (plies, Some(way)));
        self.ways.push(Way {
            from,
            moves: self.line[plies..].into(),
        });
    }

    /// The current line has come to a position of the winner that was met.
    fn arrive(&mut self, way: u32) {
        let plies = self.line.len();
        let before = self.on_line.iter().rposition(|&(before, _)| before < plies);
        self.on_line.truncate(before.map_or(0, |at| at + 1));
        self.on_line.push((plies, way));
    }

    /// The moves by which a position was reached first, from where they leave the current line.
    fn way_to(&self, met: u32) -> Option<String> {
        let mut moves = Vec::new();
        let mut next = Some(met);
        while let Some(Way { from, moves: last }) = next.map(|way| &self.ways[way as usize]) {
            moves.extend(last.iter().rev());
            next = *from;
        }
        moves.reverse();
        let same = moves.iter().zip(&self.line).take_while(|(a, b)| a == b);
        let same = same.count();
        if same == moves.len() {
            return None;
        }
        let ruleset = self.claim.ruleset;
        let position = moves[..same]
            .iter()
            .fold(self.claim.root, |position, &mv| position.after(mv, ruleset));
        let number = self.number(&position, self.prolog.len() + same);
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        Some(line::write_san(&position, number, &moves[same..], ruleset))
    }
}
