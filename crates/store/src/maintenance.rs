//! Backup, compaction, and emptying the write-ahead log.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use crate::{Error, Result, Store, db::Db, merge, open::log_path, set::SetKey};

/// What is left of the write-ahead log after [`Store::checkpoint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Whether all of it is in the database now. If not, a reader still looks at an older state.
    pub complete: bool,
    /// Its size on disk.
    pub wal_bytes: u64,
}

impl Store {
    /// Copies the database as it is now to `path`, which is written under another name first and so never incomplete. Works
    /// beside a writer; a copy of the file alone would lack what is still in the write-ahead log.
    ///
    /// # Errors
    ///
    /// The file exists and `force` is not given, it cannot be written, or the database cannot be read.
    pub fn backup(&self, path: impl AsRef<Path>, force: bool) -> Result<()> {
        let path = path.as_ref();
        let free = || match path.symlink_metadata() {
            Ok(_) if !force => Err(Error::Exists(path.to_owned())),
            _ => Ok(()),
        };
        free()?;
        let io = |error| Error::io(path, error);
        let name = partial_name(path);
        // SQLite fills an empty file; making it here tells why it cannot be made.
        File::create_new(&name).map_err(io)?;
        let partial = Partial(name);
        self.copy_into(&partial.0, path)?;
        File::open(&partial.0)
            .and_then(|file| file.sync_all())
            .map_err(io)?;
        free()?;
        fs::rename(&partial.0, path).map_err(io)
    }

    fn copy_into(&self, partial: &Path, path: &Path) -> Result<()> {
        let name = partial.to_str().ok_or_else(|| Error::Io {
            path: path.to_owned(),
            source: std::io::Error::other("the path is no UTF-8"),
        })?;
        let copied = self.db.conn.execute("VACUUM INTO ?1", [name]);
        // Of the two files the one that is read may be damaged, and the one that is written lacks room.
        copied
            .map(drop)
            .map_err(|error| match Error::sqlite(path, error) {
                Error::Damaged { what, .. } => self.db.damaged(what),
                other => other,
            })
    }

    /// Merges all recent rows into pages, fills the pages, and gives unused space back. Needs about twice the size of the
    /// database on disk while it runs.
    ///
    /// # Errors
    ///
    /// The database cannot be written, or a page is damaged.
    pub fn vacuum(&mut self) -> Result<()> {
        self.writable()?;
        for set in live_sets(&self.db)? {
            merge::repack(&self.db, set)?;
        }
        self.db.sql(self.db.conn.execute_batch("VACUUM"))?;
        self.checkpoint().map(drop)
    }

    /// Writes all of the write-ahead log into the database and empties it; after that, what was stored survives a power cut.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn checkpoint(&mut self) -> Result<Checkpoint> {
        self.writable()?;
        let busy: i64 = self.db.sql(self.db.conn.query_row(
            "PRAGMA wal_checkpoint(TRUNCATE)",
            [],
            |row| row.get(0),
        ))?;
        Ok(Checkpoint {
            complete: busy == 0,
            wal_bytes: self.wal_bytes(),
        })
    }

    /// The size of the write-ahead log on disk. It exceeds some 30 MiB only while a reader holds on to an older state.
    #[must_use]
    pub fn wal_bytes(&self) -> u64 {
        fs::metadata(log_path(&self.db.path)).map_or(0, |data| data.len())
    }
}

/// The sets that hold anything, in order.
pub(crate) fn live_sets(db: &Db) -> Result<Vec<SetKey>> {
    let names = || -> rusqlite::Result<Vec<(i64, String, String, String)>> {
        db.conn
            .prepare_cached(
                "SELECT id, ruleset, winner, basis FROM proof_set WHERE state = 1
                 ORDER BY basis, ruleset, winner",
            )?
            .query_map([], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?
            .collect()
    };
    let names = db.sql(names())?;
    let known = names.iter().map(|(id, ruleset, winner, basis)| {
        SetKey::named(ruleset, winner, basis).ok_or_else(|| {
            db.damaged(format!(
                "proof_set row {id}: no ruleset, side or basis is called so"
            ))
        })
    });
    known.collect()
}

/// A file that is removed unless it has got its final name.
struct Partial(PathBuf);

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already if all went well.
        let _ = fs::remove_file(&self.0);
    }
}

fn partial_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".partial-{}", std::process::id()));
    name.into()
}
