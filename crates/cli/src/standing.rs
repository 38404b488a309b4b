//! How a position stands in the tree of a search that has not ended.

use prover::{CampaignView, MoveStatus, MoveView, NodeView};
use rules::{Game, Move};
use search::PnDn;

/// A position of the tree.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) numbers: PnDn,
    /// Expansions spent on it.
    pub(crate) work: u64,
    /// Whether the side is to move whose win is searched for.
    pub(crate) attacker_to_move: bool,
    /// The moves from it, those first on which most was spent; none if it is still searched as a whole.
    pub(crate) replies: Vec<Reply>,
    /// The line from it to where the search goes on, by the numbers as they are.
    pub(crate) next: Vec<Move>,
}

/// A move from the position.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) mv: Move,
    pub(crate) status: MoveStatus,
    pub(crate) numbers: PnDn,
    /// Expansions spent on the position after it.
    pub(crate) work: u64,
    /// From the move on, the open line on which most was spent.
    pub(crate) heaviest: Vec<Move>,
}

impl Reply {
    /// Whether it is still to be shown who wins after it.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.status, MoveStatus::Open | MoveStatus::Untouched)
    }
}

impl Standing {
    /// The position that `game` has come to. None if the tree does not reach it.
    pub(crate) fn of(view: &CampaignView, game: &Game) -> Option<Self> {
        let node = view.at(game.position())?;
        let mut replies: Vec<Reply> = node.moves().map(|mv| reply(view, game, &mv)).collect();
        replies.sort_by_key(|reply| std::cmp::Reverse(reply.work));
        Some(Self {
            numbers: node.numbers(),
            work: node.work(),
            attacker_to_move: node.attacker_to_move(),
            replies,
            next: next(view, game, node),
        })
    }

    /// How many replies stand so.
    pub(crate) fn count(&self, what: impl Fn(&Reply) -> bool) -> u64 {
        self.replies.iter().filter(|reply| what(reply)).count() as u64
    }
}

fn reply(view: &CampaignView, game: &Game, mv: &MoveView) -> Reply {
    let mut game = game.clone();
    let mut heaviest = play(&mut game, mv);
    if let Some(node) = view.at(game.position()) {
        for mv in node.heaviest() {
            heaviest.extend(play(&mut game, &mv));
        }
    }
    Reply {
        mv: mv.mv,
        status: mv.status,
        numbers: mv.numbers,
        work: mv.work,
        heaviest,
    }
}

/// Plays a move and the forced ones after it; returns them. A move that is illegal is not played: the tree is damaged, and a
/// search that reads it will say so.
fn play(game: &mut Game, mv: &MoveView) -> Vec<Move> {
    let mut played = Vec::new();
    if game.play(mv.mv).is_err() {
        return played;
    }
    played.push(mv.mv);
    for _ in 0..mv.forced {
        let [only] = game.legal_moves()[..] else {
            break;
        };
        if game.play(only).is_err() {
            break;
        }
        played.push(only);
    }
    played
}

/// Follows the open moves whose number is least for whoever is to move.
fn next<'a>(view: &'a CampaignView, game: &Game, mut node: NodeView<'a>) -> Vec<Move> {
    let mut game = game.clone();
    let mut line = Vec::new();
    for _ in 0..view.size() {
        let attacker_to_move = node.attacker_to_move();
        let open = node
            .moves()
            .filter(|mv| matches!(mv.status, MoveStatus::Open | MoveStatus::Untouched));
        let Some(best) = open.min_by_key(|mv| mv.numbers.for_mover(attacker_to_move).0) else {
            break;
        };
        let played = play(&mut game, &best);
        let Some(child) = view.at(game.position()).filter(|_| !played.is_empty()) else {
            break;
        };
        line.extend(played);
        node = child;
    }
    line
}
