//! Whose win a tree shows. The format does not say; the children do.

use std::{
    cmp::Ordering,
    io::{Read, Seek},
};

use rules::{Color, Move, MoveList, Position, Ruleset, legal_moves};

use super::{
    file::{FileError, WinTree},
    word::{Below, Data, Played, read_move},
};

/// Positions of the first line that are looked at.
const LOOKED_AT: usize = 64;

/// Finds the winner along the first line: where there are two legal moves or more, one child shows that the side to move is the winner,
/// and all of them that it is the loser. The first such position decides in a tree without holes; in one with holes the majority does.
/// Nobody if it is a tie.
///
/// # Errors
///
/// The file cannot be read.
pub fn winner<R: Read + Seek>(
    tree: &mut WinTree<R>,
    root: &Position,
    ruleset: Ruleset,
) -> Result<Option<Color>, FileError> {
    let mut votes = [0, 0];
    let mut position = *root;
    let mut child = tree.has_root_child().then_some(1);
    for _ in 0..LOOKED_AT {
        let legal = legal_moves(&position, ruleset);
        let children = children(tree, child, &legal)?;
        let mover = position.side_to_move();
        let vote = match (legal.len(), children.played) {
            (0, _) => ruleset.outcome(&position).winner(),
            (1, _) => None,
            (_, 1) => Some(mover),
            (all, played) => (played == all).then_some(!mover),
        };
        if let Some(winner) = vote {
            votes[winner.index()] += 1;
        }
        let Some((mv, below)) = children.first else {
            break;
        };
        position = position.after(mv, ruleset);
        child = below;
    }
    let [white, black] = votes;
    Ok(match white.cmp(&black) {
        Ordering::Greater => Some(Color::White),
        Ordering::Less => Some(Color::Black),
        Ordering::Equal => None,
    })
}

/// Whether all records are in the file, and one of the root's children, if it has any, has a legal move. Where not, the tree is damaged, and whatever it shows is
/// not to be relied on.
///
/// # Errors
///
/// The file cannot be read.
pub fn first_is_readable<R: Read + Seek>(
    tree: &mut WinTree<R>,
    root: &Position,
    ruleset: Ruleset,
) -> Result<bool, FileError> {
    if tree.present() < tree.records() {
        return Ok(false);
    }
    let legal = legal_moves(root, ruleset);
    let child = tree.has_root_child().then_some(1);
    Ok(child.is_none() || children(tree, child, &legal)?.first.is_some())
}

/// The children of a node.
#[derive(Default)]
struct Children {
    /// How many legal moves there are among them.
    played: usize,
    /// The first legal one, with its own first child.
    first: Option<(Move, Option<u32>)>,
}

fn children<R: Read + Seek>(
    tree: &mut WinTree<R>,
    mut next: Option<u32>,
    legal: &MoveList,
) -> Result<Children, FileError> {
    let mut children = Children::default();
    let mut left = legal.clone();
    // More children than legal moves are of no interest.
    for _ in 0..=legal.len() {
        let Some(index) = next.filter(|&index| index < tree.present()) else {
            break;
        };
        let record = tree.record(index)?;
        let data = Data::read(index, record.data);
        if let Played::Move(mv) | Played::Unsolved(mv) = read_move(record.mv)
            && let Some(place) = left.iter().position(|&legal| legal == mv)
        {
            left.swap_remove(place);
            let below = (data.below == Below::Child).then(|| index + 1);
            children.first.get_or_insert((mv, below));
        }
        next = data.next.filter(|&next| next > index);
    }
    children.played = legal.len() - left.len();
    Ok(children)
}
