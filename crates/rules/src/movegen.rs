//! The seam between move-generation classes and their users.

use std::fmt::Debug;

use arrayvec::ArrayVec;

use crate::{Change, Class, Color, Move, Position, Ruleset, SideSurvey, Square};

/// Legal moves of one position; sixteen men have at most 27 moves each.
pub type MoveList = ArrayVec<Move, 432>;

/// The legal moves of a position as far as it takes to follow forced ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// There is none: the game is over.
    Over,
    /// There is only this one.
    Forced(Move),
    /// There are so many, or more if the number is 2.
    Free(u32),
}

impl Choice {
    /// What counting and making the moves tells; never less than there are.
    #[inline]
    pub(crate) fn among_generated<G: MoveGen>(position: &Position) -> Self {
        match G::count_moves(position) {
            1 => {
                let mut only = Self::Over;
                G::for_each_move(position, |mv| only = Self::Forced(mv));
                only
            }
            0 => Self::Over,
            moves => Self::Free(moves),
        }
    }

    /// The number of moves; 2 may stand for more.
    #[inline]
    #[must_use]
    pub const fn moves(self) -> u32 {
        match self {
            Self::Over => 0,
            Self::Forced(_) => 1,
            Self::Free(moves) => moves,
        }
    }
}

/// How men move in one class of rulesets.
///
/// Search, perft and the like are generic over this trait, so that each class is compiled on its own and none pays for
/// another's rules.
pub trait MoveGen: Copy + Debug + Default + Send + Sync + 'static {
    /// The class that this type implements.
    const CLASS: Class;

    /// Calls `f` with each legal move, in no promised order (but always in the same one). A decided position has none.
    fn for_each_move(position: &Position, f: impl FnMut(Move));

    /// The number of legal moves, without making them.
    fn count_moves(position: &Position) -> u32;

    /// Plays a legal move. With any other move the result is some position, but not one of the game.
    #[inline]
    fn play_unchecked(position: &mut Position, mv: Move) {
        Self::play_noting(position, mv, |_| {});
    }

    /// Plays a legal move as [`MoveGen::play_unchecked`] does, and calls `note` with each change on the board.
    fn play_noting(position: &mut Position, mv: Move, note: impl FnMut(Change));

    /// Which choice the side to move has. `survey` is that side's.
    #[inline]
    #[must_use]
    fn choice(position: &Position, _survey: &SideSurvey) -> Choice {
        Choice::among_generated::<Self>(position)
    }

    /// The winner if the men on the board alone decide the game.
    fn winner_by_men(position: &Position) -> Option<Color>;

    /// Whether the side to move may capture en passant on `square`, given that the enemy pawn has just passed it.
    fn en_passant_counts(position: &Position, square: Square) -> bool;
}

/// Evaluates an expression with a name for the move generator of a [`Class`], once compiled for each class.
///
/// ```
/// use rules::{Game, MoveGen, Ruleset, for_class};
///
/// let game = Game::initial(Ruleset::Extinction);
/// let moves = for_class!(game.ruleset().class(), G => G::count_moves(game.position()));
/// assert_eq!(moves, 20);
/// ```
#[macro_export]
macro_rules! for_class {
    ($class:expr, $generator:ident => $body:expr) => {
        match $class {
            $crate::Class::Antichess => {
                type $generator = $crate::Antichess;
                $body
            }
            $crate::Class::Variant2 => {
                type $generator = $crate::Variant2;
                $body
            }
            $crate::Class::Variant34 => {
                type $generator = $crate::Variant34;
                $body
            }
            $crate::Class::Extinction => {
                type $generator = $crate::Extinction;
                $body
            }
        }
    };
}

/// The legal moves of `position`, in the generator's order.
#[must_use]
pub fn legal_moves(position: &Position, ruleset: Ruleset) -> MoveList {
    let mut list = MoveList::new();
    for_class!(ruleset.class(), G => G::for_each_move(position, |mv| list.push(mv)));
    list
}

/// The legal moves of `position` in the canonical order: by origin, destination, promotion.
#[must_use]
pub fn canonical_moves(position: &Position, ruleset: Ruleset) -> MoveList {
    let mut list = legal_moves(position, ruleset);
    list.sort_unstable();
    list
}

impl Position {
    /// Plays a legal move of `ruleset`; see [`MoveGen::play_unchecked`].
    #[must_use]
    pub fn after(mut self, mv: Move, ruleset: Ruleset) -> Self {
        for_class!(ruleset.class(), G => G::play_unchecked(&mut self, mv));
        self
    }
}
