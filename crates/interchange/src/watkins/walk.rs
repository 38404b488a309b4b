//! The walk through tree and positions together.
//!
//! Records are visited in the order of the file, each once, which is depth first: a sibling lies behind the subtree before it. The walk
//! knows the position of each record, and so sees what the readers of this format do not look for. A transposition is not followed: the
//! record that it points to is, or was, visited in its own place, and must hold the same position. Memory: the stack, the winner's moves,
//! and what is kept of records that transpositions point to; nothing else grows with the file.

use std::{
    io::{Read, Seek},
    ops::ControlFlow,
};

use proof::{Claim, Entry, Plies};
use rules::{Move, Position, legal_moves};
use thiserror::Error;

use super::{
    defect::{Defect, Defects},
    file::{FileError, WinTree},
    moves::WinnerMoves,
    targets::Targets,
    word::{Below, Data, Played, read_move},
};

/// Men that a line may leave to a table.
pub const TABLE_MEN: u32 = 4;
/// Records between two reports.
const REPORT_EVERY: u64 = 1 << 14;

/// What is known of the end of a line that the rules leave open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// It is won, in at most so many plies.
    Won(Plies),
    /// It is not.
    NotWon,
    /// Nobody here could tell, and why.
    Unknown(String),
}

/// Something that knows ends of lines with few men.
pub trait Leaves {
    /// Why it could not answer.
    type Error;

    /// Whether the winner of the claim wins `position`, in which the game goes on with at most [`TABLE_MEN`] men. The same position may
    /// come again.
    ///
    /// # Errors
    ///
    /// A table could not be read, say.
    fn judge(&mut self, position: &Position, claim: &Claim) -> Result<Leaf, Self::Error>;
}

/// Why a walk ended before its end.
#[derive(Debug, Error)]
pub enum WalkError<E> {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The end of a line could not be judged.
    #[error("the end of a line could not be judged")]
    Leaves(E),
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

/// How far a walk has come.
#[derive(Clone, Copy, Debug)]
pub struct WalkProgress {
    /// Records visited.
    pub records: u64,
    /// Records in the file.
    pub of: u64,
    /// Bytes that the walk has in use, about.
    pub bytes: usize,
}

/// What a walk found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The winner's moves.
    pub moves: WinnerMoves,
    /// What is wrong.
    pub defects: Defects,
    /// Records visited, the root included.
    pub records: u64,
    /// Records that point to another one.
    pub transpositions: u64,
    /// Records, not transpositions, that end a line which the rules leave open.
    pub open_ends: u64,
}

/// A link to a sibling or a first child.
#[derive(Clone, Copy)]
struct Link {
    from: u32,
    to: u32,
}

/// A node on the way from the root.
struct Frame {
    record: u32,
    position: Position,
    arrived_by: Option<Move>,
    child: Option<Link>,
    /// Where its legal moves begin; the loser's are struck out as they are met.
    moves_from: usize,
    /// The winner's move.
    played: Option<Move>,
    /// The greatest height among the children so far.
    below: Plies,
    /// Its place among the targets.
    target: Option<usize>,
    /// Whether the list of its children broke off.
    cut: bool,
    /// Whether it is below a node that is marked as not solved, where nothing counts.
    quiet: bool,
}

struct Walk<'a, R, L> {
    tree: &'a mut WinTree<R>,
    claim: &'a Claim,
    opening: &'a [Move],
    leaves: &'a mut L,
    targets: Targets,
    stack: Vec<Frame>,
    /// The legal moves of the nodes on the stack.
    moves: Vec<Move>,
    /// The least record that was not visited yet.
    next: u32,
    findings: Findings,
}

/// Walks through a tree that should prove `claim`, whose root the moves `opening` lead to.
///
/// # Errors
///
/// The file cannot be read, a leaf cannot be judged, or `watch` breaks off. What is wrong with the tree is no error, but a finding.
pub fn walk<R: Read + Seek, L: Leaves>(
    tree: &mut WinTree<R>,
    claim: &Claim,
    opening: &[Move],
    leaves: &mut L,
    watch: &dyn Fn(WalkProgress) -> ControlFlow<()>,
) -> Result<Findings, WalkError<L::Error>> {
    let targets = Targets::collect(tree)?;
    let mut walk = Walk {
        tree,
        claim,
        opening,
        leaves,
        targets,
        stack: Vec::new(),
        moves: Vec::new(),
        next: 1,
        findings: Findings::default(),
    };
    walk.root()?;
    while let Some(frame) = walk.stack.last_mut() {
        match frame.child.take() {
            Some(link) => walk.follow(link)?,
            None => walk.close(),
        }
        if walk.findings.records.is_multiple_of(REPORT_EVERY) && walk.watched(watch).is_break() {
            return Err(WalkError::Stopped);
        }
    }
    walk.never_seen();
    walk.compare_length();
    Ok(walk.findings)
}

impl<R: Read + Seek, L: Leaves> Walk<'_, R, L> {
    fn watched(&self, watch: &dyn Fn(WalkProgress) -> ControlFlow<()>) -> ControlFlow<()> {
        watch(WalkProgress {
            records: self.findings.records,
            of: u64::from(self.tree.records()),
            bytes: self.findings.moves.bytes() + self.targets.bytes(),
        })
    }

    fn root(&mut self) -> Result<(), WalkError<L::Error>> {
        self.findings.records += 1;
        let root = self.claim.root;
        if self.tree.has_root_child() {
            self.open(0, root, None, false);
        } else {
            self.end(0, &root, None)?;
        }
        Ok(())
    }

    /// Visits a child of the node on top.
    fn follow(&mut self, link: Link) -> Result<(), WalkError<L::Error>> {
        let Link { from, to } = link;
        if let Some(defect) = self.astray(to) {
            self.defect(defect, from, None);
            self.top().cut = true;
            return Ok(());
        }
        self.next = to + 1;
        self.findings.records += 1;
        let record = self.tree.record(to)?;
        let data = Data::read(to, record.data);
        self.top().child = data.next.map(|next| Link { from: to, to: next });
        let played = match read_move(record.mv) {
            Played::Move(mv) => Ok((mv, false)),
            Played::Unsolved(mv) => Ok((mv, true)),
            Played::Null => Err(Defect::NullMove),
            Played::NoMove => Err(Defect::Illegal(record.mv)),
        };
        let legal = played.and_then(|(mv, marked)| {
            self.strike_out(mv, record.mv)?;
            Ok((mv, marked))
        });
        match legal {
            Err(defect) => {
                self.defect(defect, to, None);
                Ok(())
            }
            Ok((mv, marked)) => {
                if marked || data.below == Below::Unsolved {
                    self.defect(Defect::Unsolved, to, Some(mv));
                }
                self.arrive(to, mv, data, marked)
            }
        }
    }

    /// What is wrong with a link to a child or a sibling.
    fn astray(&self, to: u32) -> Option<Defect> {
        if to >= self.tree.records() {
            Some(Defect::BeyondEnd(to))
        } else if to >= self.tree.present() {
            Some(Defect::Truncated(to))
        } else if to < self.next {
            Some(Defect::Backward(to))
        } else {
            None
        }
    }

    /// Takes a legal move of the node on top as played there.
    fn strike_out(&mut self, mv: Move, word: u16) -> Result<(), Defect> {
        let winner = self.claim.winner;
        let ruleset = self.claim.ruleset;
        let Some(frame) = self.stack.last_mut() else {
            return Ok(());
        };
        let mut moves = self.moves[frame.moves_from..].iter();
        let place = moves.position(|&legal| legal == mv);
        if frame.position.side_to_move() == winner {
            return match (place, frame.played) {
                (None, _) => Err(Defect::Illegal(word)),
                (Some(_), Some(_)) => Err(Defect::ExtraMove),
                (Some(_), None) => {
                    frame.played = Some(mv);
                    Ok(())
                }
            };
        }
        match place {
            Some(place) => {
                self.moves.swap_remove(frame.moves_from + place);
                Ok(())
            }
            None if legal_moves(&frame.position, ruleset).contains(&mv) => Err(Defect::Repeated),
            None => Err(Defect::Illegal(word)),
        }
    }

    /// Comes to a record by a legal move of the node on top.
    fn arrive(
        &mut self,
        record: u32,
        mv: Move,
        data: Data,
        marked: bool,
    ) -> Result<(), WalkError<L::Error>> {
        let top = self.top();
        let position = top.position;
        let quiet = top.quiet || marked;
        let position = position.after(mv, self.claim.ruleset);
        let height = match data.below {
            Below::Unsolved => {
                self.leave_unsolved(record)?;
                Plies::ZERO
            }
            Below::Child if self.stack.len() >= usize::from(u16::MAX) => {
                self.defect(Defect::TooLong, record, Some(mv));
                return Ok(());
            }
            Below::Child => {
                self.open(record, position, Some(mv), quiet);
                return Ok(());
            }
            Below::Nothing if quiet => Plies::ZERO,
            Below::Nothing => self.end(record, &position, Some(mv))?,
            Below::SameAs(target) => {
                self.findings.transpositions += 1;
                self.point(record, target, &position, mv)
            }
        };
        let place = self.see(record, &position);
        if let (Some(place), Below::SameAs(_)) = (place, data.below) {
            self.end_of_chain(place, record)?;
        }
        self.settle(place, height);
        Ok(())
    }

    /// Where an old mark stands, nobody can tell whether the record that follows is a sibling or a child that was left behind. It is a
    /// sibling if its move is one of those that are left.
    fn leave_unsolved(&mut self, record: u32) -> Result<(), FileError> {
        let Some(frame) = self.stack.last_mut() else {
            return Ok(());
        };
        let Some(link) = frame.child.filter(|link| link.to < self.tree.present()) else {
            return Ok(());
        };
        let is_sibling = match read_move(self.tree.record(link.to)?.mv) {
            Played::Move(mv) | Played::Unsolved(mv) => {
                frame.position.side_to_move() != self.claim.winner
                    && self.moves[frame.moves_from..].contains(&mv)
            }
            Played::Null | Played::NoMove => false,
        };
        if !is_sibling {
            frame.child = None;
            frame.cut = true;
        }
        debug_assert!(link.from == record, "the link is that of the marked record");
        Ok(())
    }

    fn open(&mut self, record: u32, position: Position, arrived_by: Option<Move>, quiet: bool) {
        let target = self.see(record, &position);
        let moves_from = self.moves.len();
        self.moves
            .extend(legal_moves(&position, self.claim.ruleset));
        self.stack.push(Frame {
            record,
            position,
            arrived_by,
            child: Some(Link {
                from: record,
                to: record + 1,
            }),
            moves_from,
            played: None,
            below: Plies::ZERO,
            target,
            cut: false,
            quiet,
        });
    }

    /// What the end of a line is worth.
    fn end(
        &mut self,
        record: u32,
        position: &Position,
        mv: Option<Move>,
    ) -> Result<Plies, WalkError<L::Error>> {
        let Claim {
            ruleset, winner, ..
        } = *self.claim;
        if legal_moves(position, ruleset).is_empty() {
            if ruleset.outcome(position).winner() != Some(winner) {
                self.defect(Defect::NotWon(winner), record, mv);
            }
            return Ok(Plies::ZERO);
        }
        self.findings.open_ends += 1;
        if position.occupied().count() > TABLE_MEN {
            self.defect(Defect::OpenEnd, record, mv);
            return Ok(Plies::ZERO);
        }
        let leaf = self.leaves.judge(position, self.claim);
        let defect = match leaf.map_err(WalkError::Leaves)? {
            Leaf::Won(plies) => return Ok(plies),
            Leaf::NotWon => Defect::LeafNotWon(winner),
            Leaf::Unknown(why) => Defect::Undecided(why),
        };
        self.defect(defect, record, mv);
        Ok(Plies::ZERO)
    }

    /// Follows a pointer as far as to see that it is right. The height of what it points to, 0 if that is not known yet.
    fn point(&mut self, record: u32, to: u32, position: &Position, mv: Move) -> Plies {
        match self.pointed_to(record, to, position) {
            Ok(height) => height,
            Err(defect) => {
                self.defect(defect, record, Some(mv));
                Plies::ZERO
            }
        }
    }

    fn pointed_to(&mut self, record: u32, to: u32, position: &Position) -> Result<Plies, Defect> {
        let on_line = |frame: &Frame| frame.record;
        if to == record {
            return Err(Defect::ToItself);
        }
        if to >= self.tree.records() {
            return Err(Defect::BeyondEnd(to));
        }
        if to >= self.tree.present() {
            return Err(Defect::Truncated(to));
        }
        if self.stack.binary_search_by_key(&to, on_line).is_ok() {
            return Err(Defect::Loop);
        }
        let place = self.targets.find(to).ok_or(Defect::Unreached(to))?;
        let target = self.targets.at(place);
        // Whether the walk comes there at all is known at its end.
        if !target.seen && target.pointer == 0 {
            target.pointer = record;
            target.key = position.key();
        }
        if target.key == position.key() {
            Ok(target.height)
        } else {
            Err(Defect::OtherPosition(to))
        }
    }

    /// A pointer to a pointer is fine if they come to an end. A circle of them has one that leads forward.
    fn end_of_chain(&mut self, place: usize, record: u32) -> Result<(), FileError> {
        let pointer = self.targets.at(place).pointer;
        if pointer != 0 {
            match self.tree.resolve(record) {
                Err(FileError::Link(_)) => self.passed(Defect::Loop, pointer),
                resolved => drop(resolved?),
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let left = self.moves.split_off(frame.moves_from);
        let height = frame.below.plus(1).unwrap_or(frame.below);
        if frame.position.side_to_move() != self.claim.winner {
            if !frame.cut && !frame.quiet {
                for &reply in &left {
                    self.missing(&frame, reply);
                }
            }
        } else if let (Some(mv), false) = (frame.played, frame.quiet) {
            self.findings
                .moves
                .add(&frame.position, Entry { mv, height });
        }
        self.settle(frame.target, height);
    }

    fn missing(&mut self, frame: &Frame, reply: Move) {
        let Self {
            stack, findings, ..
        } = self;
        findings
            .defects
            .add(Defect::MissingReply, frame.record, || {
                let mut line = line(self.opening, stack);
                line.extend(frame.arrived_by);
                line.push(reply);
                line
            });
    }

    /// Notes the height of a node, in its parent and where it is a target.
    fn settle(&mut self, place: Option<usize>, height: Plies) {
        if let Some(place) = place {
            self.targets.at(place).height = height;
        }
        if let Some(parent) = self.stack.last_mut() {
            parent.below = parent.below.max(height);
        }
    }

    /// Notes the position of a record that transpositions point to.
    fn see(&mut self, record: u32, position: &Position) -> Option<usize> {
        let place = self.targets.pass(record)?;
        let target = self.targets.at(place);
        let wrong = target.pointer != 0 && target.key != position.key();
        let pointer = target.pointer;
        target.key = position.key();
        target.seen = true;
        if wrong {
            self.passed(Defect::OtherPosition(record), pointer);
        }
        Some(place)
    }

    fn never_seen(&mut self) {
        let never_seen: Vec<(u32, u32)> = self.targets.never_seen().collect();
        for (target, pointer) in never_seen {
            self.passed(Defect::Unreached(target), pointer);
        }
    }

    /// A file may be cut off where no line leads.
    fn compare_length(&mut self) {
        let present = self.tree.present();
        if present < self.tree.records() && self.findings.defects.total() == 0 {
            self.passed(Defect::Truncated(present), present - 1);
        }
    }

    /// Tells of a record that was passed before. In a file whose links lead astray the links to it may pass other records than the walk has:
    /// then the line ends where they have no legal move.
    fn passed(&mut self, defect: Defect, pointer: u32) {
        let Self {
            tree,
            claim,
            findings,
            opening,
            ..
        } = self;
        findings.defects.add(defect, pointer, || {
            let mut position = claim.root;
            let mut line = opening.to_vec();
            line.extend(tree.line_to(pointer).into_iter().take_while(|&mv| {
                let is_legal = legal_moves(&position, claim.ruleset).contains(&mv);
                if is_legal {
                    position = position.after(mv, claim.ruleset);
                }
                is_legal
            }));
            line
        });
    }

    fn defect(&mut self, defect: Defect, record: u32, mv: Option<Move>) {
        let Self {
            stack, findings, ..
        } = self;
        if stack.last().is_some_and(|frame| frame.quiet) {
            return;
        }
        findings.defects.add(defect, record, || {
            let mut line = line(self.opening, stack);
            line.extend(mv);
            line
        });
    }

    fn top(&mut self) -> &mut Frame {
        self.stack
            .last_mut()
            .expect("a child is visited below its parent")
    }
}

fn line(opening: &[Move], stack: &[Frame]) -> Vec<Move> {
    let below = stack.iter().filter_map(|frame| frame.arrived_by);
    opening.iter().copied().chain(below).collect()
}
