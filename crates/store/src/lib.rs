//! Proofs kept in a SQLite file.
//!
//! A [`Store`] holds *claims* ([`StoredClaim`]: who wins which position under which ruleset, who found it, what the verifier
//! said) and for each ruleset, winner and [`Basis`] one *strategy set*: the move and height of every position with the winner to
//! move that is known to be won. All proofs of one ruleset, winner and basis share a set, so a position is stored once however many
//! of them pass it. When a claim is stored, all its positions are in the set of its own ruleset and basis.
//!
//! Rulesets are never mixed; where one serves another ([`rules::Ruleset::serves`]), questions about the other are answered from
//! both sets, the smaller height first. Nor are complete strategies mixed with those that lean on endgame tables: a reader chooses
//! its basis, and on the basis of tables asks both kinds, the smaller height first. The table-leaning set of another ruleset never
//! serves: its tables are that ruleset's.
//!
//! Nothing here proves anything: what comes out is a [`proof::Strategy`] for the verifier to replay. Two positions whose 64-bit
//! key and 8 bits of check agree would be taken for one, and the replay is what would tell.
//!
//! # Schema
//!
//! | table | holds |
//! |---|---|
//! | `claim` | one row for each (root, ruleset, winner, basis); the root as its exact packed position and as FEN |
//! | `run` | the command that a claim came from: command line, engine, start, end |
//! | `proof_set` | the generations of each set (ruleset, winner, basis); the one with state 1 counts (0: being written, 2: replaced) |
//! | `proof_page` | the records of a generation, some 430 a row, in the format of `FORMAT.md` |
//! | `proof_recent` | newer records of the live generation, one a row; of two for one position the smaller height counts |
//! | `campaign` | a search that has not ended, one row for each (root, ruleset, attacker, basis): how it stands |
//! | `campaign_part` | what such a search needs to go on, in parts of its own format |
//! | `hint` | moves that books of other solvers say win, one for each (ruleset, position): claims that steer searches |
//! | `proof_exact` | positions whose key is another position's, by their exact packed position; they come first |
//!
//! Keys are 64-bit and unsigned; SQLite's integers are signed, so the top bit is flipped to keep the order.
//!
//! # Merging
//!
//! Of two entries for one position in one set the one with the smaller height stays, the stored one at a tie. Batches that are small for
//! their set go to `proof_recent`, at most 16 rows a page (or 2000, if that is more; never more than 16 million); a batch that
//! does not fit makes a new generation of full pages out of all there is. A proof and its claim, or a batch of entries, become
//! visible in one transaction or not at all. [`Store::merge_from`] takes over another database in the same way.
//!
//! # Locking
//!
//! One process writes. It holds the file `<database>.lock` with the system's advisory lock (`flock` on Linux), in which its number
//! and the time stand for the message that another writer gets after waiting [`DEFAULT_WAIT`]. The lock ends with its holder,
//! so a file left behind blocks nobody; the file stays. Readers take no lock and are never blocked; each lookup sees
//! one committed state, and [`Store::for_each_record`], [`Store::load_strategy`], [`Store::check`] and [`Store::backup`] see one
//! state from beginning to end. Writing transactions take SQLite's own lock at once (`BEGIN IMMEDIATE`), so they wait for other
//! programs that write instead of failing halfway. The advisory lock is not to be relied on over network file systems.
//!
//! # Durability
//!
//! Write-ahead log, `synchronous=NORMAL`: after a crash or `kill -9` everything that was committed is there; after a power cut
//! the last commits may be missing, but what is there is sound, and [`Store::checkpoint`] makes sure of all. The log takes
//! about 8.5 MiB while a set is rewritten, whatever its size, since that happens in transactions of 2048 pages; a batch
//! of recent rows takes at most the size of the pages it touches, which is a few MiB for sets below 10^8 positions and below 0.5 GiB
//! ever. Beyond 16 MiB it is cut when it starts anew. While a reader holds on to an older state the log grows;
//! [`Store::wal_bytes`] tells.
//!
//! A full disk fails the call with [`Error::Full`] and changes nothing. A rewrite needs room for the set a second time; the
//! file keeps that room for the next one until [`Store::vacuum`] gives it back. Never copy the file of a database in use:
//! it lacks the log. [`Store::backup`] makes a copy.
//!
//! # Compatibility
//!
//! `application_id` is `0x74616B65` ("take"), `user_version` the schema version, now 4. A writer upgrades an older file, each
//! version in a transaction of its own; a reader asks for that. A newer version is refused by name, and so are other programs'
//! databases; neither is touched. A sample of each version is kept in `data/store`.
//! Version 2 brought the basis; what version 1 holds is complete. Version 3 brought searches that have not ended, version 4
//! the moves of books.
//!
//! # Performance
//!
//! Measured by `cargo run --release -p takeme-store --example store_figures` on two cores shared with other work, positions of
//! random games, random heights up to 120:
//!
//! | | 100,000 positions | 1,000,000 positions |
//! |---|---|---|
//! | bytes a position in the file after [`Store::vacuum`] | 10.16 | 9.32 |
//! | bulk load, positions a second | 1.7 to 4.0 M | 1.4 to 2.7 M |
//! | streaming, positions a second | 3.6 to 8.8 M | 3.8 to 7.0 M |
//! | [`Store::entry`] | 34 to 44 µs | 33 to 56 µs |
//! | [`StoredStrategy`], page in its cache | 2.4 µs | 4 to 7 µs |
//! | [`LoadedStrategy`] | 0.6 to 2.1 µs | 1.1 to 4.6 µs |
//! | batches of 1000 onto half of it, records a second | 35 to 66 k | 23 to 32 k |
//!
//! So a replay of a large proof should ask a [`LoadedStrategy`], which takes 12 bytes a position.
//!
//! # Examples
//!
//! ```
//! use proof::{Entry, Plies, Record};
//! use rules::{Color, Game, Move, Ruleset};
//! use store::{Access, Basis, Store};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! let mut store = Store::open(dir.path().join("takeme.db"), Access::Write)?;
//! let root = *Game::initial(Ruleset::Joint).position();
//! let entry = Entry { mv: Move::parse_uci("e2e3")?, height: Plies(120) };
//! store.put_entries(Ruleset::Joint, Color::White, Basis::Rules, [Record::new(&root, entry)])?;
//!
//! // A win under joint is a win under both of the others.
//! let found = store.entry(Ruleset::Fics, Color::White, Basis::Rules, &root)?;
//! assert_eq!(found, Some(entry));
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod basis;
mod campaign;
mod check;
mod claim;
mod db;
mod error;
mod exact;
mod hint;
mod locate;
mod lock;
mod maintenance;
mod merge;
mod move_code;
mod open;
mod page;
mod schema;
mod set;
mod stats;
mod store;
mod strategy;
mod union;

pub use basis::Basis;
pub use campaign::{CampaignKey, CampaignState, CampaignWriter, PartKind, SavedCampaign};
pub use check::Problem;
pub use claim::{ClaimId, Provenance, StoredClaim, StoredVerdict, Verdict};
pub use error::{Error, ErrorKind, Holder, Result};
pub use maintenance::Checkpoint;
pub use merge::Merged;
pub(crate) use set::SetKey;
pub use set::StoredRecord;
pub use stats::{SetStats, Stats};
pub use store::{Access, DEFAULT_WAIT, Store};
pub use strategy::{LoadedStrategy, StoredStrategy};

/// Seconds since 1970.
fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
