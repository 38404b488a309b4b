//! What a saved search knows, for those who only look.

use std::{collections::HashMap, time::Duration};

use rules::{Color, Move, Position, Ruleset};
use search::{Hints, PnDn, Table};

use crate::{
    Archive, Part,
    checkpoint::{EdgeRow, Head, NodeRow, Reading, nodes_of, records_of, restore_table},
    manager::{MISFIT, graph_of},
};

/// The last checkpoint of the search for a win of one side: the upper part of its tree, as far as the manager keeps it.
#[derive(Clone, Debug)]
pub struct CampaignView {
    head: Head,
    rows: Vec<NodeRow>,
    by_key: HashMap<u64, usize>,
}

/// How a move stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveStatus {
    /// The attacker wins after it.
    Proven,
    /// The attacker does not win after it, or by a repetition only.
    Failed,
    /// Neither is shown, though it was searched.
    Open,
    /// Nothing was searched after it for its own sake.
    Untouched,
}

/// A move of a position of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveView {
    /// The move.
    pub mv: Move,
    /// Forced moves after it, which are played at once.
    pub forced: u16,
    /// How it stands.
    pub status: MoveStatus,
    /// The numbers of the position after it and the forced moves.
    pub numbers: PnDn,
    /// Expansions spent on that position.
    pub work: u64,
}

/// A position of the tree.
#[derive(Clone, Copy, Debug)]
pub struct NodeView<'a> {
    view: &'a CampaignView,
    row: &'a NodeRow,
}

impl CampaignView {
    /// Reads the checkpoint of the search for a win of `attacker`. None if there is none.
    ///
    /// # Errors
    ///
    /// A text that says what cannot be read, or is damaged.
    pub fn read(archive: &dyn Archive, attacker: Color) -> Result<Option<Self>, String> {
        let reading = Reading { archive, attacker };
        let mut head = None;
        reading.each(Part::Head, |bytes| {
            head = Some(Head::from_bytes(bytes)?);
            Ok(())
        })?;
        let Some(head) = head else {
            return Ok(None);
        };
        let mut rows = Vec::new();
        reading.each(Part::Manager, |bytes| {
            rows.extend(nodes_of(bytes)?);
            Ok(())
        })?;
        let count = rows.len();
        let edges = || rows.iter().flat_map(|row| &row.edges);
        if count == 0 || edges().any(|edge| edge.child as usize >= count) {
            return Err("its graph is damaged: nodes are missing".to_owned());
        }
        let by_key = rows.iter().map(|row| row.key).zip(0..).collect();
        Ok(Some(Self { head, rows, by_key }))
    }

    /// Looks whether all of the checkpoint of the search for a win of `attacker` of `root` can be read.
    ///
    /// # Errors
    ///
    /// A text that says what cannot be read, or is damaged or missing.
    pub fn check(
        archive: &dyn Archive,
        root: &Position,
        ruleset: Ruleset,
        attacker: Color,
    ) -> Result<(), String> {
        let Some(Self { head, rows, .. }) = Self::read(archive, attacker)? else {
            return Err("its head is missing".to_owned());
        };
        if graph_of(rows, &root.pack(), attacker, ruleset, &Hints::default()).is_none() {
            return Err(MISFIT.to_owned());
        }
        let reading = Reading { archive, attacker };
        let mut records = 0;
        reading.each(Part::Log, |bytes| {
            records += records_of(bytes)?.len() as u64;
            Ok(())
        })?;
        head.check_log(records)?;
        let table = Table::with_bytes(0);
        let mut bytes_found = 0;
        reading.each(Part::Table, |bytes| {
            bytes_found += restore_table(&table, bytes)?;
            Ok(())
        })?;
        head.check_table(bytes_found)
    }

    /// Expansions over all runs.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.head.nodes
    }

    /// Time over all runs of the line.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.head.elapsed
    }

    /// Nodes of the tree.
    #[must_use]
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// The position that the search is about.
    #[must_use]
    pub fn root(&self) -> NodeView<'_> {
        NodeView {
            view: self,
            row: &self.rows[0],
        }
    }

    /// A position of the tree. Those on a chain of forced moves are none.
    #[must_use]
    pub fn at(&self, position: &Position) -> Option<NodeView<'_>> {
        let row = &self.rows[*self.by_key.get(&position.key())?];
        let same = row.position == position.pack().as_bytes();
        same.then_some(NodeView { view: self, row })
    }
}

impl<'a> NodeView<'a> {
    /// Its numbers.
    #[must_use]
    pub fn numbers(&self) -> PnDn {
        self.row.numbers
    }

    /// Expansions spent on it.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.row.work
    }

    /// Whether the attacker is to move.
    #[must_use]
    pub fn attacker_to_move(&self) -> bool {
        self.row.attacker_to_move
    }

    /// Its moves, in the order of their generation; none if it was not split yet, or is decided.
    pub fn moves(&self) -> impl Iterator<Item = MoveView> + 'a {
        let view = self.view;
        let edges = self.row.edges.iter();
        edges.map(move |edge| view.move_view(edge))
    }

    /// The line of open moves on which most was spent, move by move, from here down to a position that was not split.
    #[must_use]
    pub fn heaviest(&self) -> Vec<MoveView> {
        let mut line = Vec::new();
        let mut row = self.row;
        // Edges that close a cycle count as failed, so this comes to an end.
        while let Some(edge) = row
            .edges
            .iter()
            .filter(|edge| self.view.move_view(edge).status == MoveStatus::Open)
            .max_by_key(|edge| self.view.rows[edge.child as usize].work)
        {
            line.push(self.view.move_view(edge));
            row = &self.view.rows[edge.child as usize];
            if line.len() > self.view.rows.len() {
                break;
            }
        }
        line
    }
}

impl CampaignView {
    fn move_view(&self, edge: &EdgeRow) -> MoveView {
        let child = &self.rows[edge.child as usize];
        let status = if child.numbers.is_proven() {
            MoveStatus::Proven
        } else if child.numbers.is_disproven() || edge.link != 0 {
            MoveStatus::Failed
        } else if child.work > 0 {
            MoveStatus::Open
        } else {
            MoveStatus::Untouched
        };
        MoveView {
            mv: edge.mv,
            forced: edge.forced,
            status,
            numbers: child.numbers,
            work: child.work,
        }
    }
}
