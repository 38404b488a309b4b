//! Proofs of the database: before the verifier, or read whole.

use anyhow::Result;
use proof::{Plies, Proof, Strategy, certificate::Draft};
use prover::Endgames;
use rules::{Color, Position, Ruleset};
use store::{Basis, LoadedStrategy, Store};
use verify::{Choice, StrategyError};

use crate::{
    crossing::{claim_to_verifier, move_to_verifier, position_from_verifier},
    leaned_on::LeanedOn,
    lookup::{Settled, certificate_from, proof_from},
    verification::{Checked, Watch},
};

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
        let root = match claim_to_verifier(claim) {
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

    /// Whether no stored height of a proof that leans on these tables is below the plies that its moves take. One that is would drive out
    /// better ways, and be driven out by none. What a table says is the least that any strategy takes, so more tables than the proof was
    /// made with are no reason to refuse it.
    ///
    /// # Errors
    ///
    /// As for [`proof_of`](crate::lookup::proof_of).
    pub(crate) fn heights_hold(
        &mut self,
        settled: &Settled,
        endgames: &Endgames,
        memory_bytes: u64,
    ) -> Result<bool> {
        let mut stored: Vec<(u64, Plies)> = Vec::new();
        let mut note = |key, height| stored.push((key, height));
        let proof = self.proof_noting(settled, endgames, memory_bytes, &mut note)?;
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
