//! Tables before the independent verifier, several at a time.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicUsize, atomic::Ordering::Relaxed, mpsc},
    thread,
    time::{Duration, Instant},
};

use quick_cache::{Weighter, sync::Cache};
use search::StopFlag;
use tablebase::{Material, Tables, unpack};
use verify::{CheckError, ExpandedTable, TableFile};

use crate::crossing::ruleset_to_verifier;

/// Men of tables that are kept in any case.
const SMALL_MEN: usize = 3;

/// What the verifier says of a table.
#[derive(Debug)]
pub(crate) enum TableVerdict {
    /// Each value is right.
    Accepted,
    /// A value is wrong.
    Refused(String),
    /// The file cannot be read.
    Damaged(anyhow::Error),
    /// A table that it rests on was refused, is damaged or not there.
    Unfounded(String),
}

/// A table that was checked.
#[derive(Debug)]
pub(crate) struct CheckedTable {
    pub(crate) material: Material,
    pub(crate) verdict: TableVerdict,
    /// Cells of the file.
    pub(crate) cells: u64,
    pub(crate) elapsed: Duration,
}

#[derive(Clone, Debug)]
struct ByBytes;

impl Weighter<String, Arc<ExpandedTable>> for ByBytes {
    fn weight(&self, _: &String, table: &Arc<ExpandedTable>) -> u64 {
        table.bytes() as u64
    }
}

/// What the verifier, which has no library, unpacks blocks with.
pub(crate) fn unpack_for_verifier(frame: &[u8], bytes: usize) -> Result<Vec<u8>, String> {
    unpack(frame, bytes).map_err(|error| error.to_string())
}

/// Checks tables of one directory.
struct Checker<'a> {
    tables: &'a Tables,
    stop: &'a StopFlag,
    small: Mutex<HashMap<String, Arc<ExpandedTable>>>,
    large: Cache<String, Arc<ExpandedTable>, ByBytes>,
    /// Tables of this run that were accepted.
    accepted: Mutex<BTreeSet<String>>,
    /// Tables of this run that were not.
    refused: Mutex<Vec<String>>,
}

/// Why a table that another rests on is not at hand.
enum NotAtHand {
    Refused(String),
    NotVerified(String),
    Problem(anyhow::Error),
    Stopped,
}

/// Checks tables, smaller ones first, and hands over each verdict as it is reached. Those that they rest on must be
/// among them, or verified. Ends early if `stop` is raised.
pub(crate) fn check_tables(
    tables: &Tables,
    materials: &[Material],
    threads: usize,
    memory_bytes: u64,
    stop: &StopFlag,
    mut on_table: impl FnMut(CheckedTable),
) {
    let checker = Checker {
        tables,
        stop,
        small: Mutex::default(),
        large: Cache::with_weighter(64, memory_bytes / 3, ByBytes),
        accepted: Mutex::default(),
        refused: Mutex::default(),
    };
    let level = |material: &Material| (material.men(), material.pawns());
    for level in materials.chunk_by(|one, other| level(one) == level(other)) {
        let next = AtomicUsize::new(0);
        let (sender, verdicts) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..threads.clamp(1, level.len()) {
                let (sender, next, checker) = (sender.clone(), &next, &checker);
                scope.spawn(move || {
                    while let Some(material) = level.get(next.fetch_add(1, Relaxed)) {
                        let Some(verdict) = checker.check(material) else {
                            return;
                        };
                        // The receiver outlives the threads.
                        let _ = sender.send(verdict);
                    }
                });
            }
            drop(sender);
            for checked in verdicts {
                on_table(checked);
            }
        });
    }
}

impl Checker<'_> {
    /// The verdict on a table; none if the run was stopped.
    fn check(&self, material: &Material) -> Option<CheckedTable> {
        if self.stop.is_raised() {
            return None;
        }
        let start = Instant::now();
        let (verdict, cells) = self.judge(material)?;
        if matches!(verdict, TableVerdict::Accepted) {
            self.accepted().insert(material.to_string());
        } else {
            self.refused().push(material.to_string());
        }
        Some(CheckedTable {
            material: *material,
            verdict,
            cells,
            elapsed: start.elapsed(),
        })
    }

    fn judge(&self, material: &Material) -> Option<(TableVerdict, u64)> {
        let file = match self.read(material) {
            Ok(file) => file,
            Err(error) => return Some((TableVerdict::Damaged(error), 0)),
        };
        let cells = file.cells() as u64;
        let verdict = match self.smaller(material) {
            Ok(smaller) => match verify::check_table(&file, &smaller, self.stop.as_atomic()) {
                Ok(table) => {
                    self.keep(material, table);
                    TableVerdict::Accepted
                }
                Err(CheckError::Interrupted) => return None,
                Err(CheckError::Damaged(error)) => {
                    TableVerdict::Damaged(self.named(material, error))
                }
                Err(error) => TableVerdict::Refused(error.to_string()),
            },
            Err(NotAtHand::Refused(name)) => {
                TableVerdict::Unfounded(format!("it rests on {name}, which was not accepted"))
            }
            Err(NotAtHand::NotVerified(name)) => {
                TableVerdict::Unfounded(format!("it rests on {name}, which is not verified"))
            }
            Err(NotAtHand::Problem(error)) => {
                TableVerdict::Unfounded(format!("it rests on others: {error:#}"))
            }
            Err(NotAtHand::Stopped) => return None,
        };
        Some((verdict, cells))
    }

    /// An error of the verifier's with the file's name.
    fn named(&self, material: &Material, error: verify::TableError) -> anyhow::Error {
        let path = self.tables.path(material);
        match error {
            // A later version is no damage.
            verify::TableError::UnsupportedVersion(_) | verify::TableError::UnknownMetric(_) => {
                anyhow::anyhow!("{}: {error}", path.display())
            }
            error => tablebase::Error::Damaged {
                path,
                reason: error.to_string(),
            }
            .into(),
        }
    }

    fn read(&self, material: &Material) -> anyhow::Result<TableFile<Vec<u8>>> {
        let bytes = self.tables.bytes(material)?;
        let ruleset = ruleset_to_verifier(self.tables.ruleset());
        TableFile::read(bytes, ruleset, &material.to_string(), unpack_for_verifier)
            .map_err(|error| self.named(material, error))
    }

    /// The tables that a table rests on, expanded.
    fn smaller(&self, material: &Material) -> Result<Vec<Arc<ExpandedTable>>, NotAtHand> {
        let ruleset = ruleset_to_verifier(self.tables.ruleset());
        let names = verify::prerequisites(&material.to_string(), ruleset).unwrap_or_default();
        names.iter().map(|name| self.expanded(name)).collect()
    }

    fn expanded(&self, name: &str) -> Result<Arc<ExpandedTable>, NotAtHand> {
        if self.refused().iter().any(|refused| refused == name) {
            return Err(NotAtHand::Refused(name.to_owned()));
        }
        let material: Material = name
            .parse()
            .map_err(|error: tablebase::MaterialError| NotAtHand::Problem(error.into()))?;
        if !self.accepted().contains(name) && !self.tables.is_verified(&material) {
            return Err(NotAtHand::NotVerified(name.to_owned()));
        }
        let kept = self.small().get(name).cloned();
        if let Some(table) = kept.or_else(|| self.large.get(name)) {
            return Ok(table);
        }
        let file = self.read(&material).map_err(NotAtHand::Problem)?;
        let smaller = self.smaller(&material)?;
        match verify::expand_table(&file, &smaller, self.stop.as_atomic()) {
            Ok(table) => Ok(self.keep(&material, table)),
            Err(CheckError::Interrupted) => Err(NotAtHand::Stopped),
            Err(error) => Err(NotAtHand::Problem(error.into())),
        }
    }

    fn keep(&self, material: &Material, table: ExpandedTable) -> Arc<ExpandedTable> {
        let table = Arc::new(table);
        let name = material.to_string();
        if material.men() <= SMALL_MEN {
            self.small().insert(name, Arc::clone(&table));
        } else {
            self.large.insert(name, Arc::clone(&table));
        }
        table
    }

    fn small(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<ExpandedTable>>> {
        self.small.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accepted(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refused(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
