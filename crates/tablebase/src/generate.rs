//! Making tables: level by level, several at a time, each file as soon as it is done.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use rayon::prelude::*;
use rules::Ruleset;
use sha2::{Digest, Sha256};

use crate::{
    Error, Result,
    catalog::{Catalog, MaterialId},
    file::{TableFile, encode, hash_of, write_whole},
    library::Library,
    manifest::{MANIFEST, Manifest, file_of},
    material::Material,
    work::{Stopped, Work},
};

/// Bytes that the making of one 4-man table takes at most, those of the tables that its promotions lead to included.
const BYTES_A_TABLE: u64 = 400 << 20;
/// Bytes of tables that are kept for later ones at least, and at most: a run on two threads stays below 2 GB.
const MIN_CACHE_BYTES: u64 = 64 << 20;
const MAX_CACHE_BYTES: u64 = 768 << 20;

/// Which tables to make, and how.
#[derive(Clone, Debug)]
pub struct Order {
    /// The ruleset.
    pub ruleset: Ruleset,
    /// The directory that holds a directory a ruleset.
    pub directory: PathBuf,
    /// The tables; those that they need must be there or among them.
    pub materials: Vec<Material>,
    /// Tables in the making at a time, at most.
    pub threads: usize,
    /// Bytes of memory at most, about; one table at a time is made whatever that takes.
    pub memory_bytes: u64,
    /// Whether tables that are there already are made anew.
    pub again: bool,
}

/// A table that was made, or was there.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// Which.
    pub material: Material,
    /// Whether it was there already.
    pub was_there: bool,
    /// Cells for both sides to move.
    pub cells: u64,
    /// The file's length.
    pub bytes: u64,
    /// Time it took.
    pub elapsed: Duration,
}

/// Makes tables. `watch` is called from the making threads as each is done. Tables whose files are there, as they are
/// listed, are left as they are, so an interrupted order goes on where it stopped.
///
/// # Errors
///
/// The first thing that went wrong; tables made before stay. [`Error::Stopped`] soon after `stop` is set.
pub fn generate(order: &Order, stop: &AtomicBool, watch: &(dyn Fn(&Made) + Sync)) -> Result<()> {
    let catalog = Catalog::new(order.ruleset).ok_or(Error::NoTables(order.ruleset))?;
    let folder = order.directory.join(order.ruleset.name());
    fs::create_dir_all(&folder).map_err(|source| Error::Io {
        path: folder.clone(),
        source,
    })?;
    let manifest = Mutex::new(Manifest::read(folder.join(MANIFEST))?);
    let at_a_time = (order.memory_bytes / BYTES_A_TABLE).clamp(1, order.threads.max(1) as u64);
    let cache_bytes = order
        .memory_bytes
        .saturating_sub(at_a_time * BYTES_A_TABLE)
        .clamp(MIN_CACHE_BYTES, MAX_CACHE_BYTES);
    let workshop = Workshop {
        library: Library::new(&catalog, &folder, &manifest, cache_bytes),
        catalog: &catalog,
        manifest: &manifest,
        folder: folder.clone(),
        again: order.again,
        stop,
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(usize::try_from(at_a_time).unwrap_or(1))
        .build()
        .map_err(|error| Error::Io {
            path: folder.clone(),
            source: std::io::Error::other(error),
        })?;
    for level in levels(&catalog, &order.materials) {
        pool.install(|| {
            // One by one, the largest first: the last to end should be small.
            level.par_iter().with_max_len(1).try_for_each(|&id| {
                let made = workshop.make(id)?;
                watch(&made);
                Ok(())
            })
        })?;
    }
    Ok(())
}

/// The materials in levels, none of which needs another of its level; the larger ones first in each.
fn levels(catalog: &Catalog, materials: &[Material]) -> Vec<Vec<MaterialId>> {
    let mut ids: Vec<MaterialId> = materials
        .iter()
        .map(|material| catalog.id(material))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let level = |id: &MaterialId| {
        let material = &catalog.shape(*id).material;
        (material.men(), material.pawns())
    };
    ids.chunk_by(|one, other| level(one) == level(other))
        .map(|ids| {
            let mut ids = ids.to_vec();
            ids.sort_by_key(|&id| std::cmp::Reverse(catalog.shape(id).layout.cells));
            ids
        })
        .collect()
}

struct Workshop<'a> {
    library: Library<'a>,
    catalog: &'a Catalog,
    manifest: &'a Mutex<Manifest>,
    folder: PathBuf,
    again: bool,
    stop: &'a AtomicBool,
}

impl Workshop<'_> {
    fn make(&self, id: MaterialId) -> Result<Made> {
        if self.stop.load(Relaxed) {
            return Err(Error::Stopped);
        }
        let start = Instant::now();
        let shape = self.catalog.shape(id);
        let path = file_of(&self.folder, &shape.material);
        let made = |bytes, was_there| Made {
            material: shape.material,
            was_there,
            cells: 2 * u64::from(shape.layout.cells),
            bytes,
            elapsed: start.elapsed(),
        };
        if !self.again
            && let Some(bytes) = self.intact(id, &path)?
        {
            return Ok(made(bytes, true));
        }
        let needed = self.library.needed(id)?;
        let Ok(table) = Work::new(self.catalog, &needed, id, self.stop).values();
        let table = table.map_err(|Stopped| Error::Stopped)?;
        let bytes = encode(self.catalog.ruleset, shape, &table).map_err(|source| Error::Io {
            path: path.clone(),
            source,
        })?;
        // Until the new file is listed, the old one's hash is in the manifest, and refuses it.
        write_whole(&path, &bytes)?;
        let hash = Sha256::digest(&bytes).into();
        self.lock().set(&shape.material, Some(hash))?;
        self.library.add(id, table);
        Ok(made(bytes.len() as u64, false))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The length of a table's file, if it is there and the one that is listed.
    fn intact(&self, id: MaterialId, path: &Path) -> Result<Option<u64>> {
        let shape = self.catalog.shape(id);
        let listed = self.lock().get(&shape.material);
        if listed.is_none() || !path.exists() || listed != Some(hash_of(path)?) {
            return Ok(None);
        }
        let file = TableFile::open(path, self.catalog.ruleset, shape)?;
        Ok(Some(file.len()))
    }
}
