//! The replay: every line of a strategy, depth first, with an explicit stack.
//!
//! Invariants:
//! - `frames` is the line from the root to the position being looked at, one frame a position, and `moves` holds the moves
//!   still to be tried of all frames: those of the last frame are at its end.
//! - A position with the winner to move is open in `seen` exactly while a frame of it is on the stack. So a position met
//!   while it is open closes a loop, and a position met when it is closed has been won on every line.
//! - A closed position carries the exact length of its longest line and the longest run without a capture or a pawn move that
//!   follows it, so that neither needs a second pass.
//!
//! After a defect the replay goes on as if the position had been won, to count the defects.

mod play_on;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::board::Position;
use crate::fingerprint::Keys;
use crate::moves::{Move, legal_moves_into};
use crate::outcome::{Outcome, outcome_knowing_moves};
use crate::quiet::{FiftyMoves, Longest, Run, is_quiet};
use crate::seen::{Closed, MAX_LENGTH, Seen, Status};
use crate::strategy::{Choice, Claim, Strategy, StrategyError};
use crate::tables::{TableAnswer, TableId, Tables};
use crate::verdict::{Reason, Rejection, Verdict, Verified};

/// The longest line that can be verified, in plies. A longer one is a defect.
pub const MAX_PLIES: u16 = MAX_LENGTH;

/// How a replay is run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Called every [`Options::interval`] positions; [`ControlFlow::Break`] stops the replay.
    pub progress: Option<&'a dyn Fn(Progress) -> ControlFlow<()>>,
    /// Positions of either side between two calls of `progress`; 0 means never.
    pub interval: u64,
    /// Stop counting defects at this number; at least one is always looked for.
    pub max_defects: u64,
    /// Whether to find out what the fifty-move rule makes of the strategy.
    pub fifty: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            progress: None,
            interval: 1 << 16,
            max_defects: u64::MAX,
            fifty: false,
        }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("progress", &self.progress.is_some())
            .field("interval", &self.interval)
            .field("max_defects", &self.max_defects)
            .field("fifty", &self.fifty)
            .finish()
    }
}

/// How far a replay has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Distinct positions with the winner to move, so far.
    pub positions: u64,
    /// Defects so far.
    pub defects: u64,
    /// The most memory held so far for the replay's tables and stack, in bytes.
    pub peak_bytes: u64,
}

/// Checks that a strategy wins a claim against every reply.
///
/// Cost: about one move generation for each position with the winner to move and one for its successor. Memory: at most 29
/// bytes for each distinct position with the winner to move, and the stack of the
/// current line (under 1 KiB a ply, never more than [`MAX_PLIES`]).
///
/// With [`Options::fifty`], lines that end in a table are played on, at the same cost for each position there.
pub fn verify<S, T>(
    claim: &Claim,
    strategy: &mut S,
    tables: &mut T,
    options: &Options<'_>,
) -> Verdict
where
    S: Strategy + ?Sized,
    T: Tables + ?Sized,
{
    let tables_are_for = tables.ruleset().filter(|&other| other != claim.ruleset);
    let unfit = if claim.root.class() == claim.ruleset.move_class() {
        tables_are_for.map(Reason::TablesOfAnotherRuleset)
    } else {
        Some(Reason::RootOfAnotherRuleset)
    };
    if let Some(reason) = unfit {
        return Verdict::Rejected(Rejection {
            reason,
            path: Vec::new(),
            defects: 1,
            stopped: true,
        });
    }
    let keys = Box::new(Keys::draw());
    let mut replay = Replay::new(claim, strategy, tables, options, &keys);
    let end = replay.run();
    replay.judge(end)
}

/// A position of the current line.
struct Frame {
    position: Position,
    fingerprint: u128,
    /// Where the moves to be tried start in `Replay::moves`.
    first: usize,
    /// The next of them.
    next: usize,
    /// The greatest length after a move tried so far.
    longest: u16,
    /// The longest run that starts with a move tried so far.
    run: Run,
}

/// Why a replay ends before its last line.
enum Stop {
    Damaged(StrategyError),
    EnoughDefects(Rejection),
    Interrupted,
}

/// What is said of a position whose line is over.
const WON: Closed = Closed {
    length: 0,
    run: Run::OVER,
};

struct Replay<'a, S: ?Sized, T: ?Sized> {
    claim: &'a Claim,
    strategy: &'a mut S,
    tables: &'a mut T,
    options: &'a Options<'a>,
    keys: &'a Keys,
    seen: Seen,
    frames: Vec<Frame>,
    moves: Vec<Move>,
    /// Of the positions after the moves of one frame; empty but for a moment.
    fingerprints: Vec<u128>,
    assumptions: BTreeSet<TableId>,
    rejection: Option<Rejection>,
    visits: u64,
    longest: Longest,
    /// The positions met in lines that are played on from a table, and why one of them could not be.
    in_tables: Seen,
    unknown: Option<String>,
}

impl<'a, S: Strategy + ?Sized, T: Tables + ?Sized> Replay<'a, S, T> {
    fn new(
        claim: &'a Claim,
        strategy: &'a mut S,
        tables: &'a mut T,
        options: &'a Options<'a>,
        keys: &'a Keys,
    ) -> Self {
        Self {
            claim,
            strategy,
            tables,
            options,
            keys,
            seen: Seen::default(),
            frames: Vec::new(),
            moves: Vec::new(),
            fingerprints: Vec::new(),
            assumptions: BTreeSet::new(),
            rejection: None,
            visits: 0,
            longest: Longest::default(),
            in_tables: Seen::default(),
            unknown: None,
        }
    }

    /// Plays every line; returns what there is to say of the root.
    fn run(&mut self) -> Result<Closed, Stop> {
        let root = self.claim.root;
        // What there is to say of the position last looked at; `None` while the replay is below it.
        let mut after = self.enter(root, self.keys.fingerprint(&root))?;
        loop {
            if let Some(after) = after {
                self.add(after);
            }
            let Some(frame) = self.frames.last_mut() else {
                return Ok(after.unwrap_or(WON));
            };
            after = match self.moves.get(frame.next) {
                Some(&mv) => {
                    frame.next = frame.next.saturating_add(1);
                    let (position, fingerprint) =
                        self.keys.play(&frame.position, frame.fingerprint, mv);
                    self.enter(position, fingerprint)?
                }
                None => self.leave()?,
            };
        }
    }

    /// Adds what there is to say of the position after the move tried last to what is known of the one before it.
    fn add(&mut self, after: Closed) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let tried = frame.next.checked_sub(1);
        let Some(&mv) = tried.and_then(|tried| self.moves.get(tried)) else {
            return;
        };
        let is_quiet = is_quiet(&frame.position, mv);
        frame.longest = frame.longest.max(after.length);
        frame.run = frame.run.max(after.run.before(is_quiet));
        if !is_quiet && after.run > self.longest.run {
            self.longest = Longest {
                run: after.run,
                after: Some(self.path()),
            };
        }
    }

    /// Looks at a position that the line has come to: returns what there is to say of it if it needs nothing more, else adds a
    /// frame.
    fn enter(&mut self, position: Position, fingerprint: u128) -> Result<Option<Closed>, Stop> {
        self.report_progress()?;
        let winner_moves = position.side_to_move() == self.claim.winner;
        // A position in `seen` is neither decided nor covered by a table, so it can be looked up before those are asked.
        let status = if winner_moves {
            self.seen.get(fingerprint)
        } else {
            None
        };
        match status {
            Some(Status::Closed(closed)) => return Ok(Some(closed)),
            Some(Status::Open) => return self.defect(Reason::Loop),
            None => {}
        }
        let first = self.moves.len();
        legal_moves_into(&position, &mut self.moves);
        let has_moves = self.moves.len() > first;
        match outcome_knowing_moves(&position, self.claim.ruleset, has_moves) {
            Outcome::Won(side) if side == self.claim.winner => return Ok(Some(WON)),
            Outcome::Won(_) => return self.defect(Reason::LostEnd),
            Outcome::Drawn => return self.defect(Reason::DrawnEnd),
            Outcome::Ongoing => {}
        }
        if let Some(end) = self.ask_tables(&position)? {
            self.moves.truncate(first);
            return match end {
                Ok(length) => {
                    let run = self.run_from_table(position, fingerprint)?;
                    Ok(Some(Closed { length, run }))
                }
                Err(reason) => self.defect(reason),
            };
        }
        if self.frames.len() >= usize::from(MAX_PLIES) {
            self.moves.truncate(first);
            return self.defect(Reason::LineTooLong);
        }
        if winner_moves {
            self.seen.open(fingerprint);
            let legal = self.moves.get(first..).unwrap_or_default();
            let choice = self
                .strategy
                .choose(&position, legal)
                .map_err(Stop::Damaged)?;
            let chosen = legal_move(choice, legal);
            self.moves.truncate(first);
            match chosen {
                Ok(mv) => self.moves.push(mv),
                Err(reason) => {
                    self.seen.close(fingerprint, WON);
                    return self.defect(reason);
                }
            }
        }
        self.frames.push(Frame {
            position,
            fingerprint,
            first,
            next: first,
            longest: 0,
            run: Run::OVER,
        });
        if !winner_moves {
            self.pass_over_closed()?;
        }
        Ok(None)
    }

    /// Tries at once the replies in the last frame that lead to positions the replay is done with, and leaves the others for later.
    ///
    /// It only saves time: of many positions looked up one after the other, memory brings several at once.
    fn pass_over_closed(&mut self) -> Result<(), Stop> {
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let first = frame.first;
        let (keys, moves) = (self.keys, self.moves.get(first..).unwrap_or_default());
        let after = moves
            .iter()
            .map(|&mv| keys.play(&frame.position, frame.fingerprint, mv).1);
        let mut fingerprints = std::mem::take(&mut self.fingerprints);
        fingerprints.extend(after);
        self.seen.fetch(&fingerprints);
        let mut kept = first;
        for (at, &fingerprint) in (first..).zip(&fingerprints) {
            let Some(Status::Closed(closed)) = self.seen.get(fingerprint) else {
                self.moves.swap(kept, at);
                kept = kept.saturating_add(1);
                continue;
            };
            self.report_progress()?;
            if let Some(frame) = self.frames.last_mut() {
                frame.next = at.saturating_add(1);
            }
            self.add(closed);
        }
        self.moves.truncate(kept);
        if let Some(frame) = self.frames.last_mut() {
            frame.next = first;
        }
        fingerprints.clear();
        self.fingerprints = fingerprints;
        Ok(())
    }

    /// Leaves the last frame, all of whose moves have been tried; returns what there is to say of its position.
    fn leave(&mut self) -> Result<Option<Closed>, Stop> {
        let Some(frame) = self.frames.pop() else {
            return Ok(None);
        };
        self.moves.truncate(frame.first);
        let length = frame
            .longest
            .checked_add(1)
            .filter(|&length| length <= MAX_PLIES);
        let closed = Closed {
            length: length.unwrap_or_default(),
            run: frame.run,
        };
        if frame.position.side_to_move() == self.claim.winner {
            self.seen.close(frame.fingerprint, closed);
        }
        if length.is_none() {
            return self.defect(Reason::LineTooLong);
        }
        Ok(Some(closed))
    }

    /// Whether a table ends the line here, and if so, with how many plies to the end of the game, or the defect if it is not won
    /// for the winner.
    fn ask_tables(&mut self, position: &Position) -> Result<Option<Result<u16, Reason>>, Stop> {
        Ok(match self.tables.probe(position) {
            TableAnswer::NotCovered => None,
            TableAnswer::Won { winner, plies } if winner == self.claim.winner => {
                Some(self.assume_tables(position, plies))
            }
            TableAnswer::Won { winner, .. } => Some(Err(Reason::TableNotWon {
                winner: Some(winner),
            })),
            TableAnswer::NotWon => Some(Err(Reason::TableNotWon { winner: None })),
            TableAnswer::Missing(table) => Some(Err(Reason::MissingTable(table))),
            TableAnswer::Damaged(problem) => {
                return Err(Stop::Damaged(StrategyError::Damaged(problem)));
            }
        })
    }

    /// Lists the tables that the last answer rests on; returns the plies that they give as a length.
    fn assume_tables(&mut self, position: &Position, plies: u32) -> Result<u16, Reason> {
        let sources = self.tables.sources(position);
        if sources.is_empty() {
            return Err(Reason::NamelessTable);
        }
        for table in sources {
            if !self.assumptions.contains(table) {
                self.assumptions.insert(table.clone());
            }
        }
        u16::try_from(plies)
            .ok()
            .filter(|&length| length <= MAX_PLIES)
            .ok_or(Reason::LineTooLong)
    }

    /// The moves to the position that the line has come to.
    fn path(&self) -> Vec<Move> {
        let played = |frame: &Frame| self.moves.get(frame.next.checked_sub(1)?).copied();
        self.frames.iter().filter_map(played).collect()
    }

    /// Notes a defect at the position that the line has come to, which then counts as won.
    fn defect(&mut self, reason: Reason) -> Result<Option<Closed>, Stop> {
        let rejection = match self.rejection.take() {
            None => Rejection {
                reason,
                path: self.path(),
                defects: 1,
                stopped: false,
            },
            Some(first) => Rejection {
                defects: first.defects.saturating_add(1),
                ..first
            },
        };
        if rejection.defects >= self.options.max_defects || self.strategy.is_sequential() {
            return Err(Stop::EnoughDefects(Rejection {
                stopped: true,
                ..rejection
            }));
        }
        self.rejection = Some(rejection);
        Ok(Some(WON))
    }

    fn report_progress(&mut self) -> Result<(), Stop> {
        self.visits = self.visits.saturating_add(1);
        let Some(progress) = self.options.progress else {
            return Ok(());
        };
        if !self.visits.is_multiple_of(self.options.interval) {
            return Ok(());
        }
        let defects = self
            .rejection
            .as_ref()
            .map_or(0, |rejection| rejection.defects);
        match progress(Progress {
            positions: self.seen.len(),
            defects,
            peak_bytes: self.peak_bytes(),
        }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Interrupted),
        }
    }

    /// Neither vector ever shrinks, so their capacities are their peaks.
    fn peak_bytes(&self) -> u64 {
        let frames = self.frames.capacity().saturating_mul(size_of::<Frame>());
        let moves = self.moves.capacity().saturating_mul(size_of::<Move>());
        let seen = self.seen.peak_bytes();
        let all = seen
            .saturating_add(self.in_tables.peak_bytes())
            .saturating_add(frames)
            .saturating_add(moves);
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// What the fifty-move rule makes of a strategy that wins, if that is asked.
    fn fifty_moves(&mut self, root: Closed) -> Option<FiftyMoves> {
        // At the root a run starts, too.
        let longest = std::mem::take(&mut self.longest);
        let longest = if root.run > longest.run {
            Longest {
                run: root.run,
                after: None,
            }
        } else {
            longest
        };
        let unknown = self.unknown.take();
        self.options
            .fifty
            .then(|| FiftyMoves::new(longest, unknown))
    }

    fn judge(mut self, end: Result<Closed, Stop>) -> Verdict {
        let peak_bytes = self.peak_bytes();
        let fifty = end.as_ref().ok().and_then(|&root| self.fifty_moves(root));
        match (end, self.rejection) {
            (Err(Stop::Damaged(error)), _) => Verdict::Damaged(error),
            (Err(Stop::Interrupted), _) => Verdict::Interrupted(self.seen.len()),
            (Err(Stop::EnoughDefects(rejection)), _) | (Ok(_), Some(rejection)) => {
                Verdict::Rejected(rejection)
            }
            (Ok(root), None) => match self.strategy.end() {
                Ok(()) => Verdict::Verified(Verified {
                    positions: self.seen.len(),
                    plies: u32::from(root.length),
                    assumptions: self.assumptions.iter().map(ToString::to_string).collect(),
                    fifty,
                    peak_bytes,
                }),
                Err(StrategyError::LeftOver(count)) => {
                    let reason = Reason::LeftOverChoices(count);
                    Verdict::Rejected(Rejection {
                        reason,
                        path: Vec::new(),
                        defects: 1,
                        stopped: false,
                    })
                }
                Err(error) => Verdict::Damaged(error),
            },
        }
    }
}

/// The move that a strategy has chosen, if it is legal.
fn legal_move(choice: Choice, legal: &[Move]) -> Result<Move, Reason> {
    let chosen = match choice {
        Choice::Unknown => return Err(Reason::MissingMove),
        Choice::Move(mv) => legal.iter().find(|&&other| other == mv),
        Choice::Index(index) => legal.get(usize::from(index)),
    };
    chosen.copied().ok_or(Reason::IllegalMove {
        choice,
        legal: legal.len(),
    })
}
