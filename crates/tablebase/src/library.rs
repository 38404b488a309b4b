//! Tables in memory while others are made.

use std::{
    collections::HashMap,
    convert::Infallible,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use quick_cache::{Weighter, sync::Cache};
use rules::Color;

use crate::{
    Error, Result,
    catalog::{Catalog, MaterialId},
    file::{TableFile, hash_of},
    layout::Squares,
    manifest::{Manifest, file_of},
    resolve::{Cells, Resolver},
    value::Value,
    work::Dense,
};

/// Men of tables that are kept whole: they are small, and asked most.
const WHOLE_MEN: usize = 3;

#[derive(Clone, Debug)]
struct ByBytes;

impl Weighter<MaterialId, Arc<Dense>> for ByBytes {
    fn weight(&self, _: &MaterialId, table: &Arc<Dense>) -> u64 {
        table.bytes() as u64
    }
}

/// The tables that are there, of a directory.
pub(crate) struct Library<'a> {
    catalog: &'a Catalog,
    folder: &'a Path,
    manifest: &'a Mutex<Manifest>,
    whole: Mutex<HashMap<MaterialId, Arc<Dense>>>,
    others: Cache<MaterialId, Arc<Dense>, ByBytes>,
}

/// What the making of one table needs.
pub(crate) struct Needed<'a> {
    catalog: &'a Catalog,
    /// By the material's number.
    tables: Vec<Option<Arc<Dense>>>,
}

impl Cells for Needed<'_> {
    type Error = Infallible;

    #[inline]
    fn is_complete(&self, id: MaterialId) -> bool {
        self.table(id).is_complete()
    }

    #[inline]
    fn cell(
        &self,
        id: MaterialId,
        squares: Squares,
        side: Color,
    ) -> std::result::Result<Value, Infallible> {
        let place = self.catalog.shape(id).layout.place(squares);
        Ok(self.table(id).value(side, place.index))
    }
}

impl Needed<'_> {
    fn table(&self, id: MaterialId) -> &Dense {
        self.tables[id.index()]
            .as_ref()
            .expect("whatever a table leads to was loaded")
    }
}

impl<'a> Library<'a> {
    /// A library that keeps up to `cache_bytes` of tables of more than three men.
    pub(crate) fn new(
        catalog: &'a Catalog,
        folder: &'a Path,
        manifest: &'a Mutex<Manifest>,
        cache_bytes: u64,
    ) -> Self {
        Self {
            catalog,
            folder,
            manifest,
            whole: Mutex::default(),
            others: Cache::with_weighter(64, cache_bytes, ByBytes),
        }
    }

    /// Whatever the making of a table asks.
    pub(crate) fn needed(&self, id: MaterialId) -> Result<Needed<'a>> {
        let mut tables = vec![None; self.catalog.len()];
        for other in self.catalog.shape(id).prerequisites() {
            tables[other.index()] = Some(self.get(other, id)?);
            if self.is_whole(other) {
                continue;
            }
            // Only its quiet cells are loaded; what can be captured there leads on.
            for next in self.catalog.captures_of(other) {
                tables[next.index()] = Some(self.get(next, id)?);
            }
        }
        Ok(Needed {
            catalog: self.catalog,
            tables,
        })
    }

    /// Takes in a table that was just made.
    pub(crate) fn add(&self, id: MaterialId, table: Dense) {
        let table = Arc::new(table);
        if self.is_whole(id) {
            self.lock().insert(id, table);
        } else {
            self.others.insert(id, table);
        }
    }

    fn is_whole(&self, id: MaterialId) -> bool {
        self.catalog.shape(id).material.men() <= WHOLE_MEN
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<MaterialId, Arc<Dense>>> {
        self.whole.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, id: MaterialId, needed_for: MaterialId) -> Result<Arc<Dense>> {
        if !self.is_whole(id) {
            return self
                .others
                .get_or_insert_with(&id, || Ok(Arc::new(self.read(id, needed_for)?)));
        }
        let found = self.lock().get(&id).cloned();
        if let Some(table) = found {
            return Ok(table);
        }
        let kept = self.read(id, needed_for)?;
        let mut tables = vec![None; self.catalog.len()];
        for other in self.catalog.captures_of(id) {
            tables[other.index()] = Some(self.get(other, id)?);
        }
        let needed = Needed {
            catalog: self.catalog,
            tables,
        };
        let resolver = Resolver {
            catalog: self.catalog,
            cells: &needed,
        };
        let Ok(table) = Dense::complete(&resolver, id, |side, index| kept.value(side, index));
        let table = Arc::new(table);
        self.lock().insert(id, Arc::clone(&table));
        Ok(table)
    }

    fn read(&self, id: MaterialId, needed_for: MaterialId) -> Result<Dense> {
        let shape = self.catalog.shape(id);
        let path = file_of(self.folder, &shape.material);
        if !path.exists() {
            let needed_for = self.catalog.shape(needed_for).material.to_string();
            return Err(Error::Missing { path, needed_for });
        }
        let manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = manifest.hash_of_file(&shape.material, &path)?;
        drop(manifest);
        if hash_of(&path)? != listed {
            let reason = "its SHA-256 is not the manifest's".to_owned();
            return Err(Error::Damaged { path, reason });
        }
        TableFile::open(&path, self.catalog.ruleset, shape)?.read_cells(shape)
    }
}
