//! Taking over all that another database holds.

use proof::Record;
use rules::{Position, Ruleset};
use rusqlite::Transaction;

use crate::{
    Merged, Result, Store, StoredClaim,
    claim::{self, ClaimFacts},
    db::Db,
    locate::locate,
    maintenance::live_sets,
    merge::{self, Ties},
    set::{SetKey, SetRecords},
    strategy::{Asked, look_up},
};

impl Store {
    /// Takes over the proofs and claims of `other` under these rulesets, set by set; each set with its claims at once or not at all. Verdicts are not taken
    /// over: what was verified there is to be verified here. Nor are searches that have not ended.
    ///
    /// Before a set is committed, `accept` is shown this database as it will be, and the claims whose proofs read from that set,
    /// those of `other` among them. If it says no, the set is left as it was, and nothing of it is counted.
    ///
    /// The records handed back as `unplaced` share their key with another position and belong to no claim.
    ///
    /// # Errors
    ///
    /// This database cannot be written, or the other one cannot be read or is damaged. Sets that were taken over before stay.
    pub fn merge_from(
        &mut self,
        other: &Self,
        rulesets: &[Ruleset],
        mut accept: impl FnMut(&Self, &[StoredClaim]) -> bool,
    ) -> Result<Merged> {
        self.writable()?;
        let here = &*self;
        let from = &other.db;
        let snapshot = from.snapshot()?;
        let claims = claim::all(from)?;
        let mut sets = live_sets(from)?;
        sets.extend(claims.iter().map(SetKey::of));
        sets.retain(|set| rulesets.contains(&set.ruleset));
        sets.sort_unstable();
        sets.dedup();
        let mut total = Merged::default();
        for set in sets {
            let claims: Vec<_> = claims
                .iter()
                .filter(|claim| SetKey::of(claim) == set)
                .collect();
            let mut take = || {
                let (tx, merged) = take_set(&here.db, from, set, &claims)?;
                if !accept(here, &reading(&here.db, set)?) {
                    return here.db.sql(tx.rollback()).map(|()| Merged::default());
                }
                here.db.sql(tx.commit())?;
                Ok(merged)
            };
            let merged = here.swept(take())?;
            total.added += merged.added;
            total.improved += merged.improved;
            total.kept += merged.kept;
            total.unplaced.extend(merged.unplaced);
        }
        snapshot.end(from)?;
        Ok(total)
    }
}

/// The claims whose proofs read from `set`.
fn reading(db: &Db, set: SetKey) -> Result<Vec<StoredClaim>> {
    let mut claims = claim::all(db)?;
    claims.retain(|claim| {
        SetKey::serving(claim.ruleset, claim.winner, claim.basis).any(|serving| serving == set)
    });
    Ok(claims)
}

/// Merges a set and its claims. The transaction that comes back makes it visible when it is committed.
fn take_set<'a>(
    db: &'a Db,
    from: &Db,
    set: SetKey,
    claims: &[&StoredClaim],
) -> Result<(Transaction<'a>, Merged)> {
    let row = set.live(from)?;
    let records = row.map(|row| SetRecords::new(from, set, row.id));
    let records = records.into_iter().flatten().map(|record| {
        record.map(|record| Record {
            key: record.key,
            // All that is known of it.
            check: u64::from(record.check),
            entry: record.entry,
        })
    });
    let len = row.map_or(0, |row| row.positions);
    let (tx, mut merged) = merge::merge(db, set, len, records, Ties::Stored)?;
    // A better entry of this set may lead to positions that only the sets beside it hold.
    let strategy = |position: &Position| match set.look_up(from, &Asked::new(position))? {
        None => look_up(from, set.ruleset, set.winner, set.basis, position),
        own => Ok(own),
    };
    for claim in claims {
        let found = locate(
            &claim.claim(),
            strategy,
            &mut merged.unplaced,
            |wanted, check| wanted.check == u64::from(check.to_le_bytes()[0]),
        )?;
        for located in found {
            set.put_exact(db, located.key, &located.position, located.entry)?;
        }
    }
    for row in set.exact_rows(from)? {
        set.put_exact(db, row.key, &row.position, row.entry)?;
    }
    for claim in claims {
        let facts = ClaimFacts {
            positions: claim.positions,
            plies: claim.plies,
            basis: claim.basis,
            tables: &claim.tables,
            provenance: &claim::provenance(from, claim)?,
            when: claim.when,
        };
        claim::put(db, &claim.claim(), &facts)?;
    }
    Ok((tx, merged))
}
