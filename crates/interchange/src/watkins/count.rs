//! What the public reader answers: the moves of a position in the tree, and how many nodes each has.
//!
//! The nodes of a record are the distinct records that it leads to, itself included, and pointers not counted but followed. For a position
//! within the opening, and for the root, the reader takes N, which counts pointers.

use std::{
    collections::HashMap,
    io::{Read, Seek},
};

use rules::Move;

use super::{
    file::{FileError, WinTree},
    word::{Below, Data, Played, read_move},
};

/// Pointers to pointers are followed so far; writers make none.
const LONGEST_CHAIN: u32 = 1000;

/// A move in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move.
    pub mv: Move,
    /// The nodes of the record that it leads to.
    pub nodes: u64,
}

/// How far a footer was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FooterCheck {
    /// All sizes were counted again.
    Counted,
    /// That would have taken too long for some, of which only the range was checked.
    Partly,
}

impl<R: Read + Seek> WinTree<R> {
    /// What the public reader answers to a line from the start of the game: the most nodes first. Nothing if the line leaves the tree, or
    /// ends it.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a link leads astray.
    pub fn answers(&mut self, line: &[Move]) -> Result<Vec<Answer>, FileError> {
        let words = self.prolog_words().iter();
        let prolog: Vec<Played> = words.map(|&word| read_move(word)).collect();
        let agree = prolog.iter().zip(line);
        if !agree.into_iter().all(|(own, &mv)| *own == Played::Move(mv)) {
            return Ok(Vec::new());
        }
        if let Some(&Played::Move(mv)) = prolog.get(line.len()) {
            let plies = (prolog.len() - line.len()) as u64;
            let nodes = u64::from(self.records()) + plies;
            return Ok(vec![Answer { mv, nodes }]);
        }
        let mut node = 0;
        for &wanted in &line[prolog.len().min(line.len())..] {
            let children = self.children(node)?;
            let Some(&(_, child)) = children.iter().find(|(mv, _)| *mv == wanted) else {
                return Ok(Vec::new());
            };
            node = self.resolve(child)?;
        }
        let mut answers = Vec::new();
        for (mv, child) in self.children(node)? {
            let nodes = self.count(child, u64::MAX)?.unwrap_or(0);
            answers.push(Answer { mv, nodes });
        }
        answers.sort_by_key(|answer| std::cmp::Reverse(answer.nodes));
        Ok(answers)
    }

    /// Compares the footer with the tree, and counts anew as long as no more than `budget` records are read for that. One that is counted
    /// is read three times.
    ///
    /// # Errors
    ///
    /// An entry does not fit, or the file cannot be read.
    pub fn check_footer(&mut self, mut budget: u64) -> Result<FooterCheck, FileError> {
        let mut check = FooterCheck::Counted;
        for entry in 0..self.footer() {
            let (record, size) = self.footer_entry(entry)?;
            let wrong = |problem: String| FileError::Footer {
                entry,
                record,
                size,
                problem,
            };
            if record >= self.records() {
                return Err(wrong(format!("there are {} records", self.records())));
            }
            let nodes = u64::from(size.unsigned_abs());
            if nodes == 0 || nodes > u64::from(self.records()) {
                return Err(wrong(format!("there are {} records", self.records())));
            }
            if record == 0 {
                if nodes != u64::from(self.records()) {
                    return Err(wrong(format!("N is {}", self.records())));
                }
                continue;
            }
            let before = self.reads();
            match self.count(record, budget)? {
                Some(counted) if counted != nodes => {
                    return Err(wrong(format!("it has {counted}")));
                }
                Some(_) => {}
                None => check = FooterCheck::Partly,
            }
            // What was counted in vain is spent, too, or each of many entries could take as long.
            budget = budget.saturating_sub(self.reads() - before);
        }
        Ok(check)
    }

    /// The nodes of a record; none if more than `budget` records would be read for that.
    fn count(&mut self, record: u32, budget: u64) -> Result<Option<u64>, FileError> {
        if budget == 0 {
            return Ok(None);
        }
        let end = self.reads().saturating_add(budget);
        let mut seen = Seen::default();
        let mut counted = 0;
        let mut open = vec![self.resolve(record)?];
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            counted += 1;
            for (_, child) in self.children(node)? {
                open.push(self.resolve(child)?);
            }
            if self.reads() > end {
                return Ok(None);
            }
        }
        Ok(Some(counted))
    }

    /// The children of a record that is no transposition, with their moves.
    fn children(&mut self, node: u32) -> Result<Vec<(Move, u32)>, FileError> {
        let has_child = match node {
            0 => self.has_root_child(),
            _ => Data::read(node, self.record(node)?.data).below == Below::Child,
        };
        let mut children = Vec::new();
        let mut next = has_child.then(|| node.saturating_add(1));
        let mut from = node;
        while let Some(child) = next {
            if child <= from || child >= self.present() {
                return Err(FileError::Link(from));
            }
            let record = self.record(child)?;
            if let Played::Move(mv) | Played::Unsolved(mv) = read_move(record.mv) {
                children.push((mv, child));
            }
            from = child;
            next = Data::read(child, record.data).next;
        }
        Ok(children)
    }

    /// The record that a chain of pointers leads to.
    pub(super) fn resolve(&mut self, record: u32) -> Result<u32, FileError> {
        let mut at = record;
        for _ in 0..LONGEST_CHAIN {
            if at == 0 {
                return Ok(at);
            }
            match Data::read(at, self.record(at)?.data).below {
                Below::SameAs(target) if target >= self.present() => break,
                Below::SameAs(target) => at = target,
                _ => return Ok(at),
            }
        }
        Err(FileError::Link(record))
    }
}

/// A set of records. Memory and time follow the records in it, not the greatest one: small subtrees lie at the end of large files.
#[derive(Default)]
struct Seen(HashMap<u32, u64>);

impl Seen {
    fn insert(&mut self, record: u32) -> bool {
        let word = self.0.entry(record / 64).or_default();
        let bit = 1 << (record % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}
