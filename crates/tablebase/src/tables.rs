//! The tables of a directory, asked by position.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use quick_cache::{Weighter, sync::Cache};
use rules::{Color, Move, Position, Ruleset, Square, canonical_moves};

use crate::{
    Error, Result,
    catalog::{Catalog, MaterialId},
    file::{Block, Hash, TableFile, hash_of},
    layout::{MIRROR, Squares},
    manifest::{MANIFEST, Manifest, VERIFIED, file_of},
    material::Material,
    resolve::{Cells, Resolver, index_of},
    value::Value,
    work::Counts,
};

/// Which tables are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Those that the independent verifier has accepted.
    Verified,
    /// All that the manifest lists.
    Listed,
}

/// By table and number of the block.
type BlockId = (MaterialId, u32);

#[derive(Clone, Debug)]
struct ByBytes;

impl Weighter<BlockId, Arc<Block>> for ByBytes {
    fn weight(&self, _: &BlockId, block: &Arc<Block>) -> u64 {
        block.len() as u64 + 64
    }
}

/// The tables of one ruleset in a directory. Files are opened, and their hashes compared with the manifest, when they are first
/// asked. Many threads may ask at once.
pub struct Tables {
    catalog: Catalog,
    folder: PathBuf,
    manifest: Manifest,
    verified: Manifest,
    /// By the material's number: whether it and all that captures lead to may be asked.
    usable: Vec<bool>,
    files: Vec<OnceLock<TableFile>>,
    blocks: Cache<BlockId, Arc<Block>, ByBytes>,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Tables");
        debug.field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Tables {
    /// The tables of `ruleset` in `directory`; `cache_bytes` bounds the blocks that are kept unpacked.
    ///
    /// # Errors
    ///
    /// There are no tables for the ruleset, or a list of tables cannot be read. That there is no table is no error.
    pub fn open(
        directory: &Path,
        ruleset: Ruleset,
        trust: Trust,
        cache_bytes: u64,
    ) -> Result<Self> {
        let catalog = Catalog::new(ruleset).ok_or(Error::NoTables(ruleset))?;
        let folder = directory.join(ruleset.name());
        let manifest = Manifest::read(folder.join(MANIFEST))?;
        let verified = Manifest::read(folder.join(VERIFIED))?;
        let mut usable: Vec<bool> = Vec::with_capacity(catalog.len());
        for id in catalog.ids() {
            let shape = catalog.shape(id);
            let hash = manifest.get(&shape.material);
            let accepted = trust == Trust::Listed || verified.get(&shape.material) == hash;
            let mut captures = catalog.captures_of(id);
            usable.push(hash.is_some() && accepted && captures.all(|other| usable[other.index()]));
        }
        Ok(Self {
            files: (0..catalog.len()).map(|_| OnceLock::new()).collect(),
            blocks: Cache::with_weighter(1024, cache_bytes, ByBytes),
            catalog,
            folder,
            manifest,
            verified,
            usable,
        })
    }

    /// The ruleset.
    #[must_use]
    pub fn ruleset(&self) -> Ruleset {
        self.catalog.ruleset
    }

    /// Where the files lie.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The tables that may be asked, smaller ones first.
    pub fn usable(&self) -> impl Iterator<Item = Material> + '_ {
        let ids = self.catalog.ids().filter(|id| self.usable[id.index()]);
        ids.map(|id| self.catalog.shape(id).material)
    }

    /// The tables that the manifest lists, smaller ones first.
    pub fn listed(&self) -> impl Iterator<Item = Material> + '_ {
        let materials = self.catalog.ids().map(|id| self.catalog.shape(id).material);
        materials.filter(|material| self.manifest.get(material).is_some())
    }

    /// The hash by which proofs name a table, if it is listed.
    #[must_use]
    pub fn hash(&self, material: &Material) -> Option<Hash> {
        self.manifest.get(material)
    }

    /// Whether the independent verifier has accepted the table as it is listed.
    #[must_use]
    pub fn is_verified(&self, material: &Material) -> bool {
        let hash = self.manifest.get(material);
        hash.is_some() && self.verified.get(material) == hash
    }

    /// Notes that the independent verifier accepts or refuses a table.
    ///
    /// # Errors
    ///
    /// The list cannot be written.
    pub fn set_verified(&mut self, material: &Material, accepted: bool) -> Result<()> {
        let hash = self.manifest.get(material).filter(|_| accepted);
        self.verified.set(material, hash)
    }

    /// The file of a table.
    #[must_use]
    pub fn path(&self, material: &Material) -> PathBuf {
        file_of(&self.folder, material)
    }

    /// The bytes of a listed table's file, whose hash is the manifest's.
    ///
    /// # Errors
    ///
    /// The table is not there, not listed, or not the one that is listed.
    pub fn bytes(&self, material: &Material) -> Result<Vec<u8>> {
        let path = self.checked_path(material)?;
        fs::read(&path).map_err(|source| Error::Io { path, source })
    }

    /// What a table's file says of its positions with `side` to move, `side` having the first side's men if White.
    ///
    /// # Errors
    ///
    /// The table is not there or damaged.
    pub fn counts(&self, material: &Material, side: Color) -> Result<Counts> {
        Ok(self.file(self.catalog.id(material))?.counts(side))
    }

    /// The tables that the values of all positions with the men of this one rest on: their own, and those that captures lead to.
    /// None if they may not be asked.
    #[must_use]
    pub fn leaned_on(&self, position: &Position) -> Vec<Material> {
        let own = self.catalog.of(position).map(|(id, _)| id);
        let mut found: Vec<MaterialId> = own
            .filter(|id| self.usable[id.index()])
            .into_iter()
            .collect();
        let mut next = 0;
        while let Some(&id) = found.get(next) {
            for other in self.catalog.captures_of(id) {
                if !found.contains(&other) {
                    found.push(other);
                }
            }
            next += 1;
        }
        let materials = found.into_iter();
        materials
            .map(|id| self.catalog.shape(id).material)
            .collect()
    }

    /// The value of a position to the side to move, `None` if no table that may be asked has it.
    ///
    /// # Errors
    ///
    /// A table is damaged.
    pub fn probe(&self, position: &Position) -> Result<Option<Value>> {
        let Some((id, exchanged)) = self.catalog.of(position) else {
            return Ok(None);
        };
        if !self.usable[id.index()] {
            return Ok(None);
        }
        let shape = self.catalog.shape(id);
        let turn = |color: Color| if exchanged { !color } else { color };
        let mirror = if exchanged { MIRROR } else { 0 };
        let mut squares = Squares::default();
        for group in &shape.layout.groups {
            let (color, role) = shape.layout.men[group.first];
            let men = position.men_of(turn(color), role);
            for (place, square) in squares[group.first..].iter_mut().zip(men) {
                *place = index_of(square) ^ mirror;
            }
        }
        let passed = position
            .en_passant()
            .map(|square| Square::new(index_of(square) ^ mirror));
        let resolver = Resolver {
            catalog: &self.catalog,
            cells: self,
        };
        resolver
            .value(id, squares, turn(position.side_to_move()), passed)
            .map(Some)
    }

    /// What each legal move of a position is worth to its mover, best first; `None` if no table that may be asked has one of the
    /// positions they lead to. Moves of one worth stand in the canonical order.
    ///
    /// # Errors
    ///
    /// A table is damaged.
    pub fn moves(&self, position: &Position) -> Result<Option<Vec<(Move, Value)>>> {
        let ruleset = self.catalog.ruleset;
        let mut moves = Vec::new();
        for mv in canonical_moves(position, ruleset) {
            let after = position.after(mv, ruleset);
            let value = if ruleset.outcome(&after).winner() == Some(after.side_to_move()) {
                // Their last man was captured, or they are stalemated: they have won.
                Value::win(0)
            } else {
                match self.probe(&after)? {
                    Some(value) => value,
                    None => return Ok(None),
                }
            };
            moves.push((mv, value.before()));
        }
        moves.sort_by_key(|(_, value)| std::cmp::Reverse(value.preference()));
        Ok(Some(moves))
    }

    fn file(&self, id: MaterialId) -> Result<&TableFile> {
        let cell = &self.files[id.index()];
        if let Some(file) = cell.get() {
            return Ok(file);
        }
        let shape = self.catalog.shape(id);
        let path = self.checked_path(&shape.material)?;
        let file = TableFile::open(&path, self.catalog.ruleset, shape)?;
        // Another thread may have been faster; both opened the same file.
        Ok(cell.get_or_init(|| file))
    }

    fn checked_path(&self, material: &Material) -> Result<PathBuf> {
        let path = self.path(material);
        if !path.exists() {
            let needed_for = "this question".to_owned();
            return Err(Error::Missing { path, needed_for });
        }
        let listed = self.manifest.hash_of_file(material, &path)?;
        if hash_of(&path)? != listed {
            // What is wrong with the file itself says more, if anything is.
            TableFile::open(
                &path,
                self.catalog.ruleset,
                self.catalog.shape(self.catalog.id(material)),
            )?;
            let reason = format!(
                "its SHA-256 is not that in {}",
                self.manifest.path.display()
            );
            return Err(Error::Damaged { path, reason });
        }
        Ok(path)
    }
}

impl Cells for Tables {
    type Error = Error;

    fn is_complete(&self, _: MaterialId) -> bool {
        false
    }

    fn cell(&self, id: MaterialId, squares: Squares, side: Color) -> Result<Value> {
        let shape = self.catalog.shape(id);
        // A symmetric table keeps only White's move.
        let (squares, side) = if side == Color::Black && shape.is_symmetric {
            (shape.exchange(squares), Color::White)
        } else {
            (squares, side)
        };
        let file = self.file(id)?;
        let (block, place) = file.locate(side, shape.layout.place(squares).index);
        let number = u32::try_from(block).expect("a table has fewer than 2^32 blocks");
        let block = self
            .blocks
            .get_or_insert_with(&(id, number), || file.read_block(block).map(Arc::new))?;
        file.value(&block, place)
    }
}
