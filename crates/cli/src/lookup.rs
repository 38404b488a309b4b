//! What the database says about a position.

use anyhow::Result;
use proof::{Claim, Entry, NoTables, Plies, Proof, Strategy, extract};
use rules::{Color, Move, Outcome, Position, Ruleset, canonical_moves, fen};
use store::{Basis, Store, StoredClaim, StoredStrategy, Verdict};
use thiserror::Error;

use crate::{context::Context, question::Question};

/// Moves of the winner in a row that leave no choice, which a search does not store, are followed this far.
const MAX_FORCED: u32 = 32;

/// What is known about a position.
#[derive(Clone, Debug)]
pub(crate) enum Finding {
    /// The game is over: a side has won, or nobody can any more.
    Over(Option<Color>),
    /// A stored strategy wins.
    Proved(Box<Proved>),
    /// A stored strategy wins after some move, but not the position itself.
    Open,
    /// Nothing.
    Unknown,
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

/// Asks the database under one ruleset.
pub(crate) struct Lookup<'a> {
    store: &'a Store,
    ruleset: Ruleset,
    strategies: [StoredStrategy<'a>; 2],
    /// Stored moves found so far. A winner's position that rests on none of them has no move to tell.
    found: u64,
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(store: &'a Store, ruleset: Ruleset) -> Self {
        Self {
            store,
            ruleset,
            strategies: Color::ALL.map(|winner| store.strategy(ruleset, winner, Basis::Rules)),
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
        if let Some(over) = over(position, self.ruleset) {
            return Ok(over);
        }
        if let Some(claim) = self
            .store
            .claim(position, self.ruleset, None, Basis::Rules)?
        {
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

    fn claimed(&mut self, position: &Position, claim: StoredClaim) -> Result<Proved> {
        let Some((plies, mv)) = self.bound(position, claim.winner)? else {
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
        match self.ruleset.outcome(position) {
            Outcome::Ongoing => {}
            over => return Ok((over.winner() == Some(winner)).then_some(Plies::ZERO)),
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
        match self.ruleset.outcome(position) {
            Outcome::Ongoing => {}
            over => return Ok((over.winner() == Some(winner)).then_some(Plies::ZERO)),
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

/// The claim that the database, or the end of the game, settles about a question. Says so if there is none.
///
/// # Errors
///
/// The database cannot be read, or the verifier has rejected what is stored.
pub(crate) fn settled_claim(
    store: &Store,
    question: &Question,
    context: &Context,
) -> Result<Option<Claim>> {
    let winner = match Lookup::new(store, question.ruleset()).find(question.position())? {
        Finding::Proved(proved) => {
            if let Some(verdict) = proved.rejection() {
                return Err(RejectedProof::new(question, verdict).into());
            }
            proved.winner
        }
        Finding::Over(Some(winner)) => winner,
        Finding::Over(None) | Finding::Open | Finding::Unknown => {
            let name = question.name();
            context
                .progress
                .error(&format!("{name}: no proof of it is stored"));
            return Ok(None);
        }
    };
    Ok(Some(Claim {
        ruleset: question.ruleset(),
        root: *question.position(),
        winner,
    }))
}

/// Reads the proof of a claim out of the database.
///
/// # Errors
///
/// The database cannot be read, or what it holds is no proof.
pub(crate) fn proof_of(store: &Store, claim: &Claim) -> Result<Proof> {
    let mut strategy = store.strategy(claim.ruleset, claim.winner, Basis::Rules);
    extract(claim, &mut strategy, &NoTables).map_err(|error| match error {
        proof::ExtractError::Strategy(error) => error.into(),
        other => store::Error::Damaged {
            path: store.path().to_owned(),
            what: other.to_string(),
        }
        .into(),
    })
}

/// What is known of a position in which the game is over.
fn over(position: &Position, ruleset: Ruleset) -> Option<Finding> {
    match ruleset.outcome(position) {
        Outcome::Ongoing if ruleset.is_dead(position) => Some(Finding::Over(None)),
        Outcome::Ongoing => None,
        over => Some(Finding::Over(over.winner())),
    }
}
