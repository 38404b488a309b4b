//! What the database says about a position.

use anyhow::Result;
use proof::{
    Claim, EndTables as _, Entry, ExtractError, Plies, Proof, Strategy, TableEnd,
    certificate::Draft, extract,
};
use prover::Endgames;
use rules::{Color, Move, Outcome, Position, Ruleset, canonical_moves, fen};
use store::{Basis, Store, StoredClaim, StoredStrategy, Verdict};
use tablebase::Wdl;
use thiserror::Error;

use crate::{
    context::Context,
    leaned_on::NoTableFor,
    question::Question,
    table_files::{self, DamagedTable},
};

/// What is said of a position that nothing settles.
pub(crate) const NO_PROOF: &str = "no proof of it is stored";

/// Moves of the winner in a row that leave no choice, which a search does not store, are followed this far.
const MAX_FORCED: u32 = 32;

/// What is known about a position.
#[derive(Clone, Debug)]
pub(crate) enum Finding {
    /// The game is over: a side has won, or nobody can any more.
    Over(Option<Color>),
    /// An endgame table has it.
    Tabled(Tabled),
    /// A stored strategy wins.
    Proved(Box<Proved>),
    /// A stored strategy wins after some move, but not the position itself.
    Open,
    /// Nothing.
    Unknown,
}

/// What an endgame table says of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tabled {
    /// Who wins; nobody in a draw.
    pub(crate) winner: Option<Color>,
    /// The shortest way to win, if the winner is to move.
    pub(crate) mv: Option<Move>,
    /// The plies to the end of the game; none in a draw.
    pub(crate) plies: Option<Plies>,
}

/// A win by a stored strategy.
#[derive(Clone, Debug)]
pub(crate) struct Proved {
    pub(crate) winner: Color,
    /// The winning move, if the winner is to move.
    pub(crate) mv: Option<Move>,
    /// At least the plies to the end of the game.
    pub(crate) plies: Plies,
    /// Whether no stored move is needed: every reply ends the game.
    pub(crate) by_rules: bool,
    /// The claim about exactly this position, if there is one.
    pub(crate) claim: Option<StoredClaim>,
}

impl Proved {
    /// What the verifier said when it rejected the claim about exactly this position.
    pub(crate) fn rejection(&self) -> Option<&Verdict> {
        self.claim.as_ref()?.rejection()
    }

    /// Whether the verifier has accepted the claim about exactly this position.
    pub(crate) fn is_verified(&self) -> bool {
        let claim = self.claim.as_ref();
        let verdict = claim.and_then(|claim| claim.verified.as_ref());
        verdict.is_some_and(|stored| stored.verdict.verified)
    }
}

/// The verifier has rejected the proof that is stored of a position.
#[derive(Debug, Error)]
#[error("{name}: the stored proof was rejected by {}: {}", verdict.verifier, verdict.detail)]
pub(crate) struct RejectedProof {
    name: String,
    verdict: Verdict,
}

impl RejectedProof {
    pub(crate) fn new(question: &Question, verdict: &Verdict) -> Self {
        Self {
            name: question.name(),
            verdict: verdict.clone(),
        }
    }
}

/// Asks the database, and the tables that are here, under one ruleset.
pub(crate) struct Lookup<'a> {
    store: &'a Store,
    ruleset: Ruleset,
    basis: Basis,
    endgames: &'a Endgames,
    strategies: [StoredStrategy<'a>; 2],
    /// Stored moves found so far. A winner's position that rests on none of them has no move to tell.
    found: u64,
}

impl<'a> Lookup<'a> {
    /// Asks for proofs on this basis.
    pub(crate) fn new(
        store: &'a Store,
        ruleset: Ruleset,
        basis: Basis,
        endgames: &'a Endgames,
    ) -> Self {
        Self {
            store,
            ruleset,
            basis,
            endgames,
            strategies: Color::ALL.map(|winner| store.strategy(ruleset, winner, basis)),
            found: 0,
        }
    }

    /// The stored move and height of a position with `winner` to move. Where there is no choice, that move is meant.
    fn entry(&mut self, position: &Position, winner: Color) -> Result<Option<Entry>> {
        let Some(mut entry) = self.strategies[winner.index()].entry(position)? else {
            return Ok(None);
        };
        let legal = canonical_moves(position, self.ruleset);
        match legal[..] {
            [mv] => entry.mv = mv,
            _ if legal.contains(&entry.mv) => {}
            _ => {
                let fen = fen::write_position(position);
                return Err(self.damaged(format!("the move {} is illegal in {fen}", entry.mv)));
            }
        }
        self.found += 1;
        Ok(Some(entry))
    }

    fn damaged(&self, what: String) -> anyhow::Error {
        let path = self.store.path().to_owned();
        store::Error::Damaged { path, what }.into()
    }

    /// What is known about `position`, clocks and repetition left aside.
    ///
    /// # Errors
    ///
    /// The database cannot be read, or it claims a win for which it holds no move.
    pub(crate) fn find(&mut self, position: &Position) -> Result<Finding> {
        if let Some(finding) = without_database(position, self.ruleset, self.endgames)? {
            return Ok(finding);
        }
        if let Some(claim) = self.store.claim(position, self.ruleset, None, self.basis)? {
            let proved = self.claimed(position, claim)?;
            return Ok(Finding::Proved(Box::new(proved)));
        }
        for winner in Color::ALL {
            let before = self.found;
            // The last position of a strategy needs no stored move: every reply ends the game.
            let needs_entry = position.side_to_move() == winner;
            if let Some((plies, mv)) = self.bound(position, winner)?
                && (self.found > before || !needs_entry)
            {
                return Ok(Finding::Proved(Box::new(Proved {
                    winner,
                    mv: mv.filter(|_| position.side_to_move() == winner),
                    plies,
                    by_rules: self.found == before,
                    claim: None,
                })));
            }
        }
        if self.leads_to_a_win(position)? {
            return Ok(Finding::Open);
        }
        Ok(Finding::Unknown)
    }

    /// What the rules or the tables make of a position in a win of `winner`.
    fn ended(&self, position: &Position, winner: Color) -> Result<TableEnd> {
        match self.ruleset.outcome(position) {
            Outcome::Ongoing => Ok(self.endgames.end(position, winner).map_err(DamagedTable)?),
            over if over.winner() == Some(winner) => Ok(TableEnd::Won(Plies::ZERO)),
            _ => Ok(TableEnd::NotWon),
        }
    }

    /// What a claim says whose moves are under another ruleset, or end in tables that are not here.
    fn leaning(&self, position: &Position, claim: StoredClaim) -> Result<Proved> {
        let StoredClaim {
            ruleset,
            winner,
            basis,
            plies,
            ..
        } = claim;
        let entry = self.store.entry(ruleset, winner, basis, position)?;
        Ok(Proved {
            winner,
            mv: entry
                .filter(|_| position.side_to_move() == winner)
                .map(|entry| entry.mv),
            plies,
            by_rules: false,
            claim: Some(claim),
        })
    }

    fn claimed(&mut self, position: &Position, claim: StoredClaim) -> Result<Proved> {
        let Some((plies, mv)) = self.bound(position, claim.winner)? else {
            if claim.basis == Basis::Tables {
                return self.leaning(position, claim);
            }
            return Err(self.damaged(format!(
                "a claim says that {}, but the moves for it are missing",
                claim.claim()
            )));
        };
        Ok(Proved {
            winner: claim.winner,
            mv: mv.filter(|_| position.side_to_move() == claim.winner),
            // Both are bounds.
            plies: plies.min(claim.plies),
            by_rules: false,
            claim: Some(claim),
        })
    }

    /// A bound on the plies that `winner` needs, and the first move: the winner's entry, else some move after which all
    /// replies are won. `None` if no win is stored.
    fn bound(
        &mut self,
        position: &Position,
        winner: Color,
    ) -> Result<Option<(Plies, Option<Move>)>> {
        if position.side_to_move() != winner {
            return Ok(self
                .all_replies(position, winner, MAX_FORCED)?
                .map(|plies| (plies, None)));
        }
        if let Some(entry) = self.entry(position, winner)? {
            return Ok(Some((entry.height, Some(entry.mv))));
        }
        let mut best: Option<(Plies, Option<Move>)> = None;
        for mv in canonical_moves(position, self.ruleset) {
            let after = position.after(mv, self.ruleset);
            if let Some(plies) = self
                .all_replies(&after, winner, MAX_FORCED)?
                .and_then(|plies| plies.plus(1))
                && best.is_none_or(|(least, _)| plies < least)
            {
                best = Some((plies, Some(mv)));
            }
        }
        Ok(best)
    }

    /// A bound on the plies that `winner` needs when the other side is to move: every reply must be won. Positions that leave
    /// the winner no choice are followed for `forced` moves.
    fn all_replies(
        &mut self,
        position: &Position,
        winner: Color,
        forced: u32,
    ) -> Result<Option<Plies>> {
        match self.ended(position, winner)? {
            TableEnd::Won(plies) => return Ok(Some(plies)),
            TableEnd::NotWon => return Ok(None),
            TableEnd::NotCovered => {}
        }
        let mut longest = Plies::ZERO;
        for reply in canonical_moves(position, self.ruleset) {
            let after = position.after(reply, self.ruleset);
            let plies = self.stored(&after, winner, forced)?;
            match plies.and_then(|plies| plies.plus(1)) {
                Some(plies) => longest = longest.max(plies),
                None => return Ok(None),
            }
        }
        Ok(Some(longest))
    }

    /// The stored height of a position with the winner to move. One that leaves no choice may have none of its own.
    fn stored(&mut self, position: &Position, winner: Color, forced: u32) -> Result<Option<Plies>> {
        match self.ended(position, winner)? {
            TableEnd::Won(plies) => return Ok(Some(plies)),
            TableEnd::NotWon => return Ok(None),
            TableEnd::NotCovered => {}
        }
        if let Some(entry) = self.entry(position, winner)? {
            return Ok(Some(entry.height));
        }
        let moves = canonical_moves(position, self.ruleset);
        let ([mv], Some(rest)) = (&moves[..], forced.checked_sub(1)) else {
            return Ok(None);
        };
        let after = position.after(*mv, self.ruleset);
        let plies = self.all_replies(&after, winner, rest)?;
        Ok(plies.and_then(|plies| plies.plus(1)))
    }

    /// Whether a stored strategy of either side wins after some move.
    fn leads_to_a_win(&mut self, position: &Position) -> Result<bool> {
        for mv in canonical_moves(position, self.ruleset) {
            let after = position.after(mv, self.ruleset);
            if over(&after, self.ruleset).is_some() {
                continue;
            }
            for winner in Color::ALL {
                let before = self.found;
                let plies = if after.side_to_move() == winner {
                    self.stored(&after, winner, 0)?
                } else {
                    self.all_replies(&after, winner, 0)?
                };
                if plies.is_some() && self.found > before {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Whether what holds under `ruleset` answers for the one that `--rules` names; all does if it names none.
pub(crate) fn is_asked_for(ruleset: Ruleset, asked_for: Option<Ruleset>) -> bool {
    asked_for.is_none_or(|asked_for| ruleset.serves(asked_for))
}

/// A claim, and on which basis its proof is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled {
    pub(crate) claim: Claim,
    pub(crate) basis: Basis,
    /// What to play in the root, where only what comes after that need be stored.
    first: Option<Move>,
}

impl Settled {
    /// A claim of which all is stored.
    pub(crate) const fn stored(claim: Claim, basis: Basis) -> Self {
        Self {
            claim,
            basis,
            first: None,
        }
    }

    /// The winner's move in the root, if it is the winner's turn and was asked for.
    pub(crate) const fn first(&self) -> Option<Move> {
        self.first
    }

    /// The strategy that proves it, given the stored one.
    pub(crate) fn strategy<S>(&self, stored: S) -> Begun<S> {
        Begun {
            first: self.first.map(|mv| (self.claim.root, mv)),
            stored,
        }
    }
}

/// A stored strategy, and the move with which it begins.
pub(crate) struct Begun<S> {
    first: Option<(Position, Move)>,
    stored: S,
}

impl<S: Strategy> Strategy for Begun<S> {
    type Error = S::Error;

    fn entry(&mut self, position: &Position) -> Result<Option<Entry>, S::Error> {
        let stored = self.stored.entry(position)?;
        // The height of the first position is above all others; nothing leads to it.
        let height = Plies(u16::MAX);
        let begin = self.first.filter(|(root, _)| root == position);
        Ok(stored.or_else(|| begin.map(|(_, mv)| Entry { mv, height })))
    }
}

/// The claim that the database, a table or the end of the game settles about a question. Says so if there is none.
///
/// # Errors
///
/// The database cannot be read, or the verifier has rejected what is stored.
fn settled_claim(
    store: &Store,
    question: &Question,
    (endgames, mut basis): (&Endgames, Basis),
    context: &Context,
) -> Result<Option<Settled>> {
    let ruleset = question.ruleset();
    let mut claim = Claim {
        ruleset,
        root: *question.position(),
        winner: Color::White,
    };
    let mut first = None;
    let winner = match Lookup::new(store, ruleset, basis, endgames).find(question.position())? {
        Finding::Proved(proved) => {
            first = proved.mv;
            if let Some(verdict) = proved.rejection() {
                return Err(RejectedProof::new(question, verdict).into());
            }
            if let Some(stored) = &proved.claim {
                basis = stored.basis;
                if basis == Basis::Tables {
                    // Its tables are those of its own ruleset.
                    claim.ruleset = stored.ruleset;
                }
            }
            Some(proved.winner)
        }
        Finding::Over(winner) => winner,
        Finding::Tabled(tabled) => tabled.winner,
        Finding::Open | Finding::Unknown => None,
    };
    let Some(winner) = winner else {
        let name = question.name();
        context.progress.error(&format!("{name}: {NO_PROOF}"));
        return Ok(None);
    };
    claim.winner = winner;
    Ok(Some(Settled {
        claim,
        basis,
        first,
    }))
}

/// The same, with the tables that are here for the claim's ruleset.
///
/// # Errors
///
/// As for [`settled_claim`], or the tables cannot be read.
pub(crate) fn settled_with_tables(
    store: &Store,
    question: &Question,
    context: &Context,
) -> Result<Option<(Settled, Endgames)>> {
    let (mut endgames, basis) = table_files::at_hand(store, context, question.ruleset())?;
    let Some(settled) = settled_claim(store, question, (&endgames, basis), context)? else {
        return Ok(None);
    };
    if settled.claim.ruleset != question.ruleset() {
        endgames = table_files::endgames(context, settled.claim.ruleset)?;
    }
    Ok(Some((settled, endgames)))
}

/// Reads the proof of a claim out of the database.
///
/// # Errors
///
/// The database cannot be read, what it holds is no proof, or it leans on a table that is not here.
pub(crate) fn proof_of(store: &Store, settled: &Settled, endgames: &Endgames) -> Result<Proof> {
    let Settled { claim, basis, .. } = settled;
    let stored = store.strategy(claim.ruleset, claim.winner, *basis);
    proof_from(stored, store, settled, endgames)
}

/// The same from a strategy that was read out of the database before.
///
/// # Errors
///
/// As for [`proof_of`].
pub(crate) fn proof_from(
    stored: impl Strategy<Error = store::Error>,
    store: &Store,
    settled: &Settled,
    endgames: &Endgames,
) -> Result<Proof> {
    let Settled { claim, basis, .. } = settled;
    let tables = (*basis == Basis::Tables).then_some(endgames);
    extract(claim, &mut settled.strategy(stored), &tables)
        .map_err(|error| not_extracted(error, store, *basis))
}

/// The certificate of a proof, likewise.
///
/// # Errors
///
/// As for [`proof_of`].
pub(crate) fn certificate_from(
    stored: impl Strategy<Error = store::Error>,
    store: &Store,
    settled: &Settled,
    endgames: &Endgames,
) -> Result<Draft> {
    let Settled { claim, basis, .. } = settled;
    let tables = (*basis == Basis::Tables).then_some(endgames);
    Draft::extract(claim, &mut settled.strategy(stored), &tables)
        .map_err(|error| not_extracted(error, store, *basis))
}

/// Why what is stored is no proof.
fn not_extracted(error: ExtractError<store::Error>, store: &Store, basis: Basis) -> anyhow::Error {
    match error {
        ExtractError::Strategy(error) => error.into(),
        ExtractError::Tables(problem) => DamagedTable(problem).into(),
        ExtractError::Missing { position, .. } if is_for_a_table(basis, &position) => {
            NoTableFor(fen::write_position(&position)).into()
        }
        other => store::Error::Damaged {
            path: store.path().to_owned(),
            what: other.to_string(),
        }
        .into(),
    }
}

/// Whether a table may have been meant to end a line in `position`.
pub(crate) fn is_for_a_table(basis: Basis, position: &Position) -> bool {
    basis == Basis::Tables && position.occupied().count() as usize <= tablebase::MAX_MEN
}

/// What the rules and the tables say of a position; nothing if it is left to a database.
///
/// # Errors
///
/// A table cannot be read.
pub(crate) fn without_database(
    position: &Position,
    ruleset: Ruleset,
    endgames: &Endgames,
) -> Result<Option<Finding>> {
    if let Some(over) = over(position, ruleset) {
        return Ok(Some(over));
    }
    Ok(tabled(position, endgames)?.map(Finding::Tabled))
}

/// What a table says of a position that the rules leave open.
fn tabled(position: &Position, endgames: &Endgames) -> Result<Option<Tabled>> {
    let Some(tables) = endgames.tables() else {
        return Ok(None);
    };
    let Some(value) = tables.probe(position)? else {
        return Ok(None);
    };
    let us = position.side_to_move();
    let winner = match value.wdl() {
        Wdl::Win => Some(us),
        Wdl::Draw => None,
        Wdl::Loss => Some(!us),
    };
    let mut mv = None;
    if value.wdl() == Wdl::Win {
        let moves = tables.moves(position)?;
        mv = moves.and_then(|moves| moves.first().map(|&(mv, _)| mv));
    }
    Ok(Some(Tabled {
        winner,
        mv,
        plies: value.dtw().map(Plies),
    }))
}

/// What is known of a position in which the game is over.
fn over(position: &Position, ruleset: Ruleset) -> Option<Finding> {
    match ruleset.outcome(position) {
        Outcome::Ongoing if ruleset.is_dead(position) => Some(Finding::Over(None)),
        Outcome::Ongoing => None,
        over => Some(Finding::Over(over.winner())),
    }
}
