//! Proofs of the database before the independent verifier.
//!
//! This is the only place where the two meet: a position crosses as the men on its squares, and a move as its squares.
//! Nothing here is trusted. If it put a position wrong, the move found for it would be illegal, or lead nowhere.

use std::{cell::Cell, ops::ControlFlow, path::Path};

use anyhow::Result;
use proof::{Claim, Plies, Proof, Strategy, TableId, certificate::Draft};
use prover::Endgames;
use rules::{Color, Move, Position, PositionBuilder, Role, Ruleset, Square, fen};
use search::StopFlag;
use store::{Basis, ClaimId, LoadedStrategy, Store};
use verify::{Choice, FiftyMoves, Options, Reason, Rejection, StrategyError};

use crate::{
    exit::Exit,
    leaned_on::LeanedOn,
    lookup::{Settled, certificate_from, is_asked_for, proof_from},
    progress::Progress,
    units,
    usage::Usage,
};

/// The verifier and its version, as the database keeps it with each verdict.
pub(crate) fn verifier() -> String {
    format!("takeme-verify {}", verify::VERSION)
}

/// What a verdict takes for granted besides tables.
const DRAW_RULES: &str = "draw rules: none (clocks and repetition are left out)";

/// What a verdict takes for granted.
pub(crate) fn assumptions(verified: &verify::Verified) -> Vec<String> {
    let mut assumptions = vec![DRAW_RULES.to_owned()];
    if verified.assumptions.is_empty() {
        assumptions.push("tables: none".to_owned());
    }
    assumptions.extend(verified.assumptions.iter().cloned());
    assumptions
}

/// What the verifier found.
#[derive(Debug)]
pub(crate) enum Checked {
    /// The claim is proved.
    Verified(verify::Verified),
    /// The strategy proves nothing.
    Rejected(Rejection),
    /// A table that the strategy leans on is wrong.
    TablesRefused(String),
    /// The strategy cannot be read.
    Damaged(String),
    /// Somebody asked to stop.
    Interrupted,
    /// The memory was used up.
    OutOfMemory,
}

impl Checked {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Verified(_) => "verified",
            Self::Rejected(_) | Self::TablesRefused(_) => "rejected",
            Self::Damaged(_) => "damaged",
            Self::Interrupted => "interrupted",
            Self::OutOfMemory => "out of memory",
        }
    }

    /// What the database keeps; nothing of a replay that was not finished.
    pub(crate) fn verdict(&self) -> Option<store::Verdict> {
        let detail = match self {
            Self::Verified(verified) => {
                let assumed = format!("assumed: {}", assumptions(verified).join("; "));
                match &verified.fifty {
                    Some(fifty) => format!("{assumed}; under the fifty-move rule: {fifty}"),
                    None => assumed,
                }
            }
            Self::Rejected(rejection) => rejection.to_string(),
            Self::Damaged(problem) | Self::TablesRefused(problem) => problem.clone(),
            Self::Interrupted | Self::OutOfMemory => return None,
        };
        Some(store::Verdict {
            verified: matches!(self, Self::Verified(_)),
            verifier: verifier(),
            detail,
        })
    }

    /// Positions and plies of a proof that was accepted, as it stands in the database now.
    pub(crate) fn size(&self) -> Option<(u64, Plies)> {
        let Self::Verified(verified) = self else {
            return None;
        };
        let plies = u16::try_from(verified.plies).ok()?;
        Some((verified.positions, Plies(plies)))
    }

    /// Records verdict and size of a claim that was checked.
    pub(crate) fn record(&self, store: &mut Store, id: ClaimId) -> store::Result<()> {
        if let Some((positions, plies)) = self.size() {
            store.record_size(id, positions, plies)?;
        }
        match self.verdict() {
            Some(verdict) => store.record_verdict(id, &verdict),
            None => Ok(()),
        }
    }

    /// The same, and the tables that the proof leans on now.
    pub(crate) fn record_with_tables(
        &self,
        store: &mut Store,
        id: ClaimId,
        tables: &[TableId],
    ) -> store::Result<()> {
        self.record(store, id)?;
        if self.is_verified() && !tables.is_empty() {
            store.record_tables(id, tables)?;
        }
        Ok(())
    }

    pub(crate) fn is_verified(&self) -> bool {
        matches!(self, Self::Verified(_))
    }

    /// How a command ends that found this.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Verified(verified) => match verified.fifty.as_ref().map(FiftyMoves::holds) {
                None | Some(Some(true)) => Exit::Done,
                Some(Some(false)) => Exit::No,
                Some(None) => Exit::Undecided,
            },
            Self::Rejected(rejection) if matches!(rejection.reason, Reason::MissingTable(_)) => {
                Exit::NotCovered
            }
            Self::Rejected(_) | Self::TablesRefused(_) => Exit::Rejected,
            Self::Damaged(_) => Exit::Damaged,
            Self::Interrupted => Exit::Interrupted,
            Self::OutOfMemory => Exit::Full,
        }
    }

    /// What is wrong, if anything is.
    pub(crate) fn problem(&self) -> Option<String> {
        match self {
            Self::Verified(_) => None,
            Self::Rejected(rejection) => Some(format!("rejected: {rejection}")),
            Self::TablesRefused(problem) => Some(format!("rejected: {problem}")),
            Self::Damaged(problem) => Some(format!("damaged: {problem}")),
            Self::Interrupted => Some("interrupted".to_owned()),
            Self::OutOfMemory => {
                Some("not verified: the proof needs more memory than --memory allows".to_owned())
            }
        }
    }

    /// What the verdict of the verifier's library means here.
    fn of(verdict: verify::Verdict) -> Self {
        match verdict {
            verify::Verdict::Verified(verified) => Self::Verified(verified),
            verify::Verdict::Rejected(rejection) => Self::Rejected(rejection),
            verify::Verdict::Damaged(StrategyError::Damaged(problem)) => Self::Damaged(problem),
            verify::Verdict::Damaged(error) => Self::Damaged(error.to_string()),
            verify::Verdict::Interrupted(_) => Self::Interrupted,
        }
    }
}

/// How a replay is watched.
pub(crate) struct Watch<'a> {
    pub(crate) progress: &'a Progress,
    pub(crate) stop: &'a StopFlag,
    /// What is being verified.
    pub(crate) name: &'a str,
    /// What the replay may take.
    pub(crate) memory_bytes: u64,
}

impl Watch<'_> {
    /// Runs `replay` with options that show how far it has come, and end it when somebody asks or the memory is used up; with
    /// `fifty`, they ask about the fifty-move rule, too.
    fn run(&self, fifty: bool, replay: impl FnOnce(&Options<'_>) -> verify::Verdict) -> Checked {
        let full = Cell::new(false);
        let report = |progress: verify::Progress| {
            full.set(progress.peak_bytes > self.memory_bytes);
            self.progress.show(|| {
                let positions = units::count(progress.positions, "position");
                format!("{}: verifying, {positions}", self.name)
            });
            if self.stop.is_raised() || full.get() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let verdict = replay(&Options {
            progress: Some(&report),
            fifty,
            ..Options::default()
        });
        match Checked::of(verdict) {
            Checked::Interrupted if full.get() => Checked::OutOfMemory,
            checked => checked,
        }
    }
}

/// A set is loaded as a whole if it holds at most so many positions for each one of the proof: reading it in order takes less
/// time than looking up that part of it one by one.
const LOAD_RATIO: u64 = 100;
/// Sets up to this size are always loaded.
const LOAD_ALWAYS: u64 = 100_000;
/// Bytes that a loaded set takes for each position, and a replay for each position of the proof: when both do not fit the
/// memory, the set is read as it is asked.
const LOADED_BYTES: u64 = 12;
const REPLAY_BYTES: u64 = 29;

/// What a reader of the database asks for.
type Set = (Ruleset, Color, Basis);

/// The proofs of a database before the verifier.
pub(crate) struct StoredProofs<'a> {
    store: &'a Store,
    /// The set that was loaded last: several claims may rest on it.
    loaded: Option<(Set, LoadedStrategy)>,
}

impl<'a> StoredProofs<'a> {
    pub(crate) fn new(store: &'a Store) -> Self {
        Self {
            store,
            loaded: None,
        }
    }

    /// Replays the stored proof of a claim, in which it has about `positions` positions, and which leans on these tables.
    ///
    /// # Errors
    ///
    /// The database cannot be read, for a reason other than damage.
    pub(crate) fn check(
        &mut self,
        settled: &Settled,
        positions: u64,
        tables: &mut LeanedOn,
        watch: &Watch<'_>,
    ) -> Result<Checked> {
        let Settled { claim, basis, .. } = settled;
        let root = match to_verifier(claim) {
            Ok(root) => root,
            Err(error) => return Ok(Checked::Damaged(error.to_string())),
        };
        let set = (claim.ruleset, claim.winner, *basis);
        if self.is_worth_loading(set, positions, watch.memory_bytes)? {
            match self.load(set) {
                Ok(loaded) => {
                    let strategy = settled.strategy(Loaded(loaded));
                    return replay(&root, strategy, tables, watch);
                }
                // The damage may be in a part that this proof does not need.
                Err(error) if error.kind() == store::ErrorKind::Damaged => {}
                Err(error) => return Err(error.into()),
            }
        }
        let (ruleset, winner, basis) = set;
        let strategy = settled.strategy(self.store.strategy(ruleset, winner, basis));
        replay(&root, strategy, tables, watch)
    }

    /// The stored proof of a claim; a large one is read in order first.
    ///
    /// # Errors
    ///
    /// As for [`proof_of`](crate::lookup::proof_of).
    pub(crate) fn proof(
        &mut self,
        settled: &Settled,
        endgames: &Endgames,
        memory_bytes: u64,
    ) -> Result<Proof> {
        self.proof_noting(settled, endgames, memory_bytes, &mut |_, _| {})
    }

    /// Whether no stored height of a proof by the rules alone is below the plies that its moves take. One that is would drive out better
    /// ways, and be driven out by none.
    ///
    /// # Errors
    ///
    /// As for [`proof_of`](crate::lookup::proof_of).
    pub(crate) fn heights_hold(&mut self, settled: &Settled, memory_bytes: u64) -> Result<bool> {
        let mut stored: Vec<(u64, Plies)> = Vec::new();
        let mut note = |key, height| stored.push((key, height));
        let endgames = Endgames::new(None);
        let proof = self.proof_noting(settled, &endgames, memory_bytes, &mut note)?;
        Ok(stored.into_iter().all(|(key, height)| {
            let found = proof
                .records
                .binary_search_by_key(&key, |record| record.key);
            found.is_err() || found.is_ok_and(|at| proof.records[at].entry.height <= height)
        }))
    }

    /// The certificate of the stored proof of a claim; a large one is read in order first.
    ///
    /// # Errors
    ///
    /// As for [`proof_of`](crate::lookup::proof_of).
    pub(crate) fn certificate(
        &mut self,
        settled: &Settled,
        endgames: &Endgames,
        memory_bytes: u64,
    ) -> Result<Draft> {
        let store = self.store;
        self.read(settled, memory_bytes, |stored| {
            certificate_from(stored, store, settled, endgames)
        })
    }

    fn proof_noting(
        &mut self,
        settled: &Settled,
        endgames: &Endgames,
        memory_bytes: u64,
        note: &mut dyn FnMut(u64, Plies),
    ) -> Result<Proof> {
        let store = self.store;
        self.read(settled, memory_bytes, |stored| {
            proof_from(Noted { stored, note }, store, settled, endgames)
        })
    }

    /// Reads what is stored of a claim's proof, in memory if it is large.
    fn read<R>(
        &mut self,
        settled: &Settled,
        memory_bytes: u64,
        read: impl FnOnce(&mut dyn Strategy<Error = store::Error>) -> Result<R>,
    ) -> Result<R> {
        let Settled { claim, basis, .. } = settled;
        let (ruleset, winner) = (claim.ruleset, claim.winner);
        let store = self.store;
        let stored = store.claim(&claim.root, ruleset, Some(winner), *basis)?;
        let positions = stored.map_or(0, |stored| stored.positions);
        let set = (ruleset, winner, *basis);
        if self.is_worth_loading(set, positions, memory_bytes)?
            && let Ok(loaded) = self.load(set)
        {
            return read(&mut Loaded(loaded));
        }
        read(&mut store.strategy(ruleset, winner, *basis))
    }

    fn is_worth_loading(&self, set: Set, positions: u64, memory_bytes: u64) -> Result<bool> {
        if self.holds(set) {
            return Ok(true);
        }
        let (ruleset, winner, basis) = set;
        let sets = self.store.stats()?.sets;
        let serving = sets
            .iter()
            .filter(|set| set.winner == winner && set.serves(ruleset, basis));
        let stored = serving.map(|set| set.positions);
        let stored = stored.fold(0, u64::saturating_add);
        let needed = stored
            .saturating_mul(LOADED_BYTES)
            .saturating_add(positions.saturating_mul(REPLAY_BYTES));
        let few = stored <= LOAD_ALWAYS.max(positions.saturating_mul(LOAD_RATIO));
        Ok(few && needed <= memory_bytes)
    }

    fn holds(&self, set: Set) -> bool {
        self.loaded
            .as_ref()
            .is_some_and(|(loaded, _)| *loaded == set)
    }

    fn load(&mut self, set: Set) -> store::Result<&LoadedStrategy> {
        if !self.holds(set) {
            self.loaded = None;
        }
        let (ruleset, winner, basis) = set;
        let (_, strategy) = match &mut self.loaded {
            Some(loaded) => loaded,
            none => none.insert((set, self.store.load_strategy(ruleset, winner, basis)?)),
        };
        Ok(strategy)
    }
}

/// A certificate must hold under the ruleset that `--rules` names, if it names one.
///
/// # Errors
///
/// It holds under another.
pub(crate) fn must_serve(
    certificate: &verify::Certificate<'_>,
    asked_for: Option<Ruleset>,
    file: &Path,
) -> Result<()> {
    let ruleset = ruleset_from_verifier(certificate.claim().ruleset);
    match asked_for {
        Some(asked_for) if !is_asked_for(ruleset, Some(asked_for)) => {
            let file = file.display();
            let message =
                format!("the proof in {file} is one under {ruleset}, not under {asked_for}");
            Err(Usage::new(message).into())
        }
        _ => Ok(()),
    }
}

/// Replays a certificate.
pub(crate) fn check_certificate(
    certificate: &verify::Certificate<'_>,
    tables: &mut LeanedOn,
    watch: &Watch<'_>,
) -> Checked {
    let fifty = tables.are_played_on();
    // The certificate restricts the tables to its list itself.
    tables.replay_all(|tables| watch.run(fifty, |options| certificate.verify(tables, options)))
}

fn replay<S: Strategy<Error = store::Error>>(
    claim: &verify::Claim,
    strategy: S,
    tables: &mut LeanedOn,
    watch: &Watch<'_>,
) -> Result<Checked> {
    let mut witness = Witness {
        strategy,
        failure: None,
    };
    let fifty = tables.are_played_on();
    let checked = tables.replay(|tables| {
        watch.run(fifty, |options| {
            verify::verify(claim, &mut witness, tables, options)
        })
    })?;
    match witness.failure {
        Some(error) => damaged_or_failed(error),
        None => Ok(checked),
    }
}

/// Damage is a verdict; a disk that cannot be read, say, is none.
fn damaged_or_failed(error: store::Error) -> Result<Checked> {
    match error.kind() {
        store::ErrorKind::Damaged => Ok(Checked::Damaged(error.to_string())),
        _ => Err(error.into()),
    }
}

/// A strategy in memory that several may ask.
struct Loaded<'a>(&'a LoadedStrategy);

impl Strategy for Loaded<'_> {
    type Error = store::Error;

    fn entry(&mut self, position: &Position) -> Result<Option<proof::Entry>, store::Error> {
        Ok(self.0.get(position))
    }
}

/// A strategy of which each height that it tells is noted, by key.
struct Noted<'a, S> {
    stored: S,
    note: &'a mut dyn FnMut(u64, Plies),
}

impl<S: Strategy> Strategy for Noted<'_, S> {
    type Error = S::Error;

    fn entry(&mut self, position: &Position) -> Result<Option<proof::Entry>, S::Error> {
        let entry = self.stored.entry(position)?;
        if let Some(entry) = entry {
            (self.note)(position.key(), entry.height);
        }
        Ok(entry)
    }
}

/// Answers the verifier's questions from a strategy of the prover's side.
struct Witness<S> {
    strategy: S,
    failure: Option<store::Error>,
}

impl<S: Strategy<Error = store::Error>> verify::Strategy for Witness<S> {
    fn choose(
        &mut self,
        position: &verify::Position,
        legal: &[verify::Move],
    ) -> Result<Choice, StrategyError> {
        // Where there is no choice the search stores none.
        if legal.len() == 1 {
            return Ok(Choice::Index(0));
        }
        match self.strategy.entry(&position_from_verifier(position)) {
            Ok(Some(entry)) => Ok(Choice::Move(move_to_verifier(entry.mv))),
            Ok(None) => Ok(Choice::Unknown),
            Err(error) => {
                let problem = error.to_string();
                self.failure = Some(error);
                Err(StrategyError::Damaged(problem))
            }
        }
    }
}

pub(crate) fn ruleset_to_verifier(ruleset: Ruleset) -> verify::Ruleset {
    match ruleset {
        Ruleset::International => verify::Ruleset::International,
        Ruleset::Fics => verify::Ruleset::Fics,
        Ruleset::Joint => verify::Ruleset::Joint,
        Ruleset::Variant2 => verify::Ruleset::Variant2,
        Ruleset::Variant3 => verify::Ruleset::Variant3,
        Ruleset::Variant4 => verify::Ruleset::Variant4,
        Ruleset::Extinction => verify::Ruleset::Extinction,
    }
}

/// The tables that a certificate lists.
pub(crate) fn tables_of_certificate(certificate: &verify::Certificate<'_>) -> Vec<TableId> {
    let tables = certificate.tables().iter();
    tables
        .map(|table| TableId {
            name: table.name.clone(),
            sha256: table.sha256,
        })
        .collect()
}

fn to_verifier(claim: &Claim) -> Result<verify::Claim, verify::FenError> {
    let ruleset = ruleset_to_verifier(claim.ruleset);
    let winner = match claim.winner {
        Color::White => verify::Color::White,
        Color::Black => verify::Color::Black,
    };
    verify::Claim::new(ruleset, &fen::write_position(&claim.root), winner)
}

pub(crate) fn claim_from_verifier(claim: &verify::Claim) -> Claim {
    Claim {
        ruleset: ruleset_from_verifier(claim.ruleset),
        root: position_from_verifier(&claim.root),
        winner: color_from_verifier(claim.winner),
    }
}

pub(crate) fn ruleset_from_verifier(ruleset: verify::Ruleset) -> Ruleset {
    match ruleset {
        verify::Ruleset::International => Ruleset::International,
        verify::Ruleset::Fics => Ruleset::Fics,
        verify::Ruleset::Joint => Ruleset::Joint,
        verify::Ruleset::Variant2 => Ruleset::Variant2,
        verify::Ruleset::Variant3 => Ruleset::Variant3,
        verify::Ruleset::Variant4 => Ruleset::Variant4,
        verify::Ruleset::Extinction => Ruleset::Extinction,
    }
}

fn color_from_verifier(color: verify::Color) -> Color {
    match color {
        verify::Color::White => Color::White,
        verify::Color::Black => Color::Black,
    }
}

fn position_from_verifier(position: &verify::Position) -> Position {
    let mut builder = PositionBuilder::new(color_from_verifier(position.side_to_move()));
    for (square, color, kind) in position.pieces() {
        let role = match kind {
            verify::Kind::Pawn => Role::Pawn,
            verify::Kind::Knight => Role::Knight,
            verify::Kind::Bishop => Role::Bishop,
            verify::Kind::Rook => Role::Rook,
            verify::Kind::Queen => Role::Queen,
            verify::Kind::King => Role::King,
        };
        builder.put(Square::new(square), color_from_verifier(color), role);
    }
    builder.castling(position.castling_rights());
    // Both sides keep the square only while a capture on it is legal.
    builder.en_passant_that_counts(position.en_passant().map(Square::new));
    builder.build()
}

fn move_to_verifier(mv: Move) -> verify::Move {
    let promotion = mv.promotion().map(|role| match role {
        Role::Pawn => verify::Kind::Pawn,
        Role::Knight => verify::Kind::Knight,
        Role::Bishop => verify::Kind::Bishop,
        Role::Rook => verify::Kind::Rook,
        Role::Queen => verify::Kind::Queen,
        Role::King => verify::Kind::King,
    });
    #[expect(clippy::cast_possible_truncation, reason = "below 64")]
    verify::Move {
        origin: mv.from().index() as u8,
        destination: mv.to().index() as u8,
        promotion,
    }
}

/// Moves in UCI.
pub(crate) fn path(moves: &[verify::Move]) -> String {
    let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
    moves.join(" ")
}

#[cfg(test)]
mod tests {
    use rules::{Game, line};

    use super::*;
    use crate::args::ProgressChoice;

    /// Plays the first move everywhere, and so has a lot to replay.
    struct First;

    impl verify::Strategy for First {
        fn choose(
            &mut self,
            _: &verify::Position,
            _: &[verify::Move],
        ) -> Result<Choice, StrategyError> {
            Ok(Choice::Index(0))
        }
    }

    fn replay_first(stop: &StopFlag, memory_bytes: u64) -> Checked {
        let progress = Progress::new(ProgressChoice::None, true);
        let watch = Watch {
            progress: &progress,
            stop,
            name: "test",
            memory_bytes,
        };
        let claim = Claim {
            ruleset: Ruleset::Joint,
            root: *Game::initial(Ruleset::Joint).position(),
            winner: Color::White,
        };
        let claim = to_verifier(&claim).expect("a position");
        watch.run(false, |options| {
            verify::verify(&claim, &mut First, &mut verify::NoTables, options)
        })
    }

    #[test]
    fn a_replay_ends_when_somebody_asks_or_the_memory_is_used_up() {
        let stop = StopFlag::new();
        let checked = replay_first(&stop, 1 << 10);
        assert!(matches!(checked, Checked::OutOfMemory), "{checked:?}");
        assert_eq!(checked.exit(), Exit::Full);
        assert!(checked.verdict().is_none());
        stop.raise();
        let checked = replay_first(&stop, u64::MAX);
        assert!(matches!(checked, Checked::Interrupted), "{checked:?}");
    }

    #[test]
    fn positions_and_moves_cross_unchanged() {
        let lines = ["", "e3 d5", "a4 b5 axb5 a5", "e4 b5 Bxb5 e6 Bxd7 Bxd7"];
        for text in lines {
            let (game, _) = line::play(Game::initial(Ruleset::Joint), text).expect("legal");
            let claim = Claim {
                ruleset: Ruleset::Joint,
                root: *game.position(),
                winner: Color::White,
            };
            let theirs = to_verifier(&claim).expect("a position");
            assert_eq!(position_from_verifier(&theirs.root), *game.position());
            let moves: Vec<verify::Move> = game
                .legal_moves()
                .into_iter()
                .map(move_to_verifier)
                .collect();
            assert_eq!(moves, verify::legal_moves(&theirs.root));
        }
        let promotion = Move::parse_uci("a7a8k").expect("UCI");
        assert_eq!(move_to_verifier(promotion).to_uci(), "a7a8k");
    }
}
