//! Positions as the command line gives them.

use anyhow::Result;
use rules::{Game, Move, Position, Ruleset, fen, line, san};

use crate::{
    args::{Line, Positions},
    context::Context,
    usage::Usage,
};

/// A LINE: the moves from a start, and the position they lead to.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    start: Game,
    /// The moves from the start.
    pub(crate) moves: Vec<Move>,
    /// The game after the moves.
    pub(crate) game: Game,
    from_fen: bool,
}

impl Question {
    /// Plays a LINE from `start`.
    ///
    /// # Errors
    ///
    /// Tells the first move that cannot be played.
    pub(crate) fn play(start: &Game, text: &str, from_fen: bool) -> Result<Self, String> {
        let (game, moves) = line::play(start.clone(), text)
            .map_err(|error| format!("cannot play '{}': {error}", text.trim()))?;
        Ok(Self {
            start: start.clone(),
            moves,
            game,
            from_fen,
        })
    }

    /// A LINE by its moves, which must be legal.
    ///
    /// # Panics
    ///
    /// If one is not.
    pub(crate) fn of_moves(start: &Game, moves: &[Move]) -> Self {
        let mut game = start.clone();
        for &mv in moves {
            game.play(mv).expect("the caller's moves are legal");
        }
        Self {
            start: start.clone(),
            moves: moves.to_vec(),
            game,
            from_fen: false,
        }
    }

    /// The line with its only legal move added. None if there is a choice, or no move.
    pub(crate) fn after_forced(&self) -> Option<Self> {
        let [only] = self.game.legal_moves()[..] else {
            return None;
        };
        let mut longer = self.clone();
        longer.game.play(only).ok()?;
        longer.moves.push(only);
        Some(longer)
    }

    /// The position in question under the rules of a stored claim, which knows no moves that lead to it.
    pub(crate) fn of_position(position: &Position, ruleset: Ruleset) -> Self {
        let game = Game::from_position(*position, ruleset);
        Self {
            start: game.clone(),
            moves: Vec::new(),
            game,
            from_fen: true,
        }
    }

    /// Whether the moves begin at the initial position, as far as the command line says.
    pub(crate) fn is_from_start(&self) -> bool {
        !self.from_fen
    }

    /// The game before the moves.
    pub(crate) fn start(&self) -> &Game {
        &self.start
    }

    pub(crate) fn position(&self) -> &Position {
        self.game.position()
    }

    pub(crate) fn ruleset(&self) -> Ruleset {
        self.game.ruleset()
    }

    /// The moves in UCI, as JSON has them.
    pub(crate) fn uci(&self) -> String {
        line::write_uci(&self.moves)
    }

    pub(crate) fn fen(&self) -> String {
        fen::write(&self.game)
    }

    /// The line as people read it: `1. e3 d5`, after the FEN of another start.
    pub(crate) fn name(&self) -> String {
        let start = self.start.position();
        let moves = line::write_san(start, self.start.full_move(), &self.moves, self.ruleset());
        match (self.from_fen, moves.is_empty()) {
            (false, true) => "startpos".to_owned(),
            (false, false) => moves,
            (true, true) => fen::write(&self.start),
            (true, false) => format!("{} {moves}", fen::write(&self.start)),
        }
    }

    /// A move of the position in question with its number: `2. Qg4`.
    pub(crate) fn numbered(&self, mv: Move) -> String {
        line::write_san(
            self.position(),
            self.game.full_move(),
            &[mv],
            self.ruleset(),
        )
    }

    pub(crate) fn san(&self, mv: Move) -> String {
        san::write(self.position(), mv, self.ruleset())
    }
}

/// The game that lines start from.
pub(crate) fn start(fen: Option<&str>, context: &Context) -> Result<Game> {
    let ruleset = context.ruleset();
    let Some(text) = fen else {
        return Ok(Game::initial(ruleset));
    };
    let read = fen::parse(text, ruleset).map_err(|error| Usage::new(error.to_string()))?;
    for note in &read.notes {
        context.progress.note(&note.to_string());
    }
    Ok(read.game)
}

/// The position that a command is about; the start if no line is given.
pub(crate) fn one(args: &Line, context: &Context) -> Result<Question> {
    let start = start(args.fen.as_deref(), context)?;
    let text = args.line.as_deref().unwrap_or_default();
    Ok(Question::play(&start, text, args.fen.is_some()).map_err(Usage::new)?)
}

/// The positions that a command is about, whose lines begin at `start`: none only if neither a line nor a FEN is given.
///
/// # Errors
///
/// Tells every line that is wrong.
pub(crate) fn several(args: &Positions, start: &Game) -> Result<Vec<Question>> {
    let from_fen = args.fen.is_some();
    if args.lines.is_empty() && from_fen {
        let question = Question::play(start, "", true).map_err(Usage::new)?;
        return Ok(vec![question]);
    }
    let played = args
        .lines
        .iter()
        .map(|text| Question::play(start, text, from_fen));
    let (good, bad) = partition(played);
    if bad.is_empty() {
        return Ok(good);
    }
    let usage = Usage::several(bad);
    let unquoted = args.lines.len() > 1 && args.lines.iter().all(|line| !line.contains(' '));
    Err(if unquoted {
        usage.hint("each argument is a line of its own: put a line with several moves in quotes")
    } else {
        usage
    }
    .into())
}

/// The same, for a command that needs a position.
pub(crate) fn at_least_one(args: &Positions, start: &Game) -> Result<Vec<Question>> {
    let questions = several(args, start)?;
    if questions.is_empty() {
        return Err(Usage::new("no position is given")
            .hint("name a LINE, such as \"e3 d5\", or startpos, or give --fen")
            .into());
    }
    Ok(questions)
}

/// The positions that could be read, and what is wrong with the others.
pub(crate) fn partition(
    played: impl IntoIterator<Item = Result<Question, String>>,
) -> (Vec<Question>, Vec<String>) {
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for question in played {
        match question {
            Ok(question) => good.push(question),
            Err(message) => bad.push(message),
        }
    }
    (good, bad)
}
