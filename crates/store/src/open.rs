//! Opening a database.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};

use crate::{
    Access, Error, Result, Store,
    db::Db,
    lock::WriterLock,
    merge,
    schema::{self, Identity, MIGRATIONS},
};

/// The write-ahead log is cut to this size when it starts anew.
const WAL_LIMIT_BYTES: i64 = 16 << 20;

/// Pages that SQLite keeps in memory, in KiB.
const CACHE_KIB: i64 = 16 << 10;

/// Opens the database for writing; makes it if it is missing, upgrades it if it is old.
pub(crate) fn open_for_writing(path: &Path, wait: Duration, migrations: &[&str]) -> Result<Store> {
    if fs::metadata(path).is_ok_and(|data| cannot_be_a_database(&data)) {
        return Err(Error::NotADatabase(path.to_owned()));
    }
    let lock = WriterLock::take(path, wait)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = connect(path, path.to_owned(), flags, wait)?;
    if db.sql(db.conn.is_readonly("main"))? {
        return Err(Error::ReadOnly(path.to_owned()));
    }
    let known = schema::version_of(migrations);
    let version = match schema::identify(&db.conn, path, known)? {
        Identity::Fresh => {
            db.sql(db.conn.pragma_update(None, "page_size", 4096))?;
            0
        }
        Identity::Ours(version) => version,
    };
    let settings = [
        // Commits are ordered, and survive the end of the process; the last of them may be lost with the power.
        ("synchronous", "NORMAL"),
        ("foreign_keys", "ON"),
    ];
    db.sql(
        db.conn
            .pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())),
    )?;
    for (name, value) in settings {
        db.sql(db.conn.pragma_update(None, name, value))?;
    }
    db.sql(
        db.conn
            .pragma_update_and_check(None, "journal_size_limit", WAL_LIMIT_BYTES, |_| Ok(())),
    )?;
    schema::migrate(&db.conn, path, version, migrations)?;
    merge::sweep(&db)?;
    Ok(Store {
        db,
        access: Access::Write,
        _lock: Some(lock),
    })
}

/// Opens the database for reading; changes nothing.
pub(crate) fn open_for_reading(path: &Path, wait: Duration) -> Result<Store> {
    match fs::metadata(path) {
        Ok(data) if cannot_be_a_database(&data) => {
            return Err(Error::NotADatabase(path.to_owned()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::NotFound(path.to_owned()));
        }
        Err(error) => return Err(Error::io(path, error)),
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let known = schema::version_of(MIGRATIONS);
    let open = |file: PathBuf, flags| {
        let db = connect(&file, path.to_owned(), flags, wait)?;
        let identity = schema::identify(&db.conn, path, known)?;
        Ok((db, identity))
    };
    let opened = match open(path.to_owned(), flags) {
        // Readers of a write-ahead log keep a file beside the database. Where none can be made, and no log is left to read,
        // nobody writes either.
        Err(Error::Sqlite { .. } | Error::ReadOnly(_)) if !has_log(path) => {
            open(immutable(path), flags | OpenFlags::SQLITE_OPEN_URI)
        }
        opened => opened,
    };
    let (db, identity) = opened?;
    match identity {
        Identity::Fresh => Err(Error::Empty(path.to_owned())),
        Identity::Ours(found) if found < known => Err(Error::OlderSchema {
            path: path.to_owned(),
            found,
            known,
        }),
        Identity::Ours(_) => Ok(Store {
            db,
            access: Access::Read,
            _lock: None,
        }),
    }
}

/// A directory, or a file shorter than SQLite's smallest page but not empty: SQLite takes the shortest for empty ones and would
/// write over them.
fn cannot_be_a_database(data: &fs::Metadata) -> bool {
    data.is_dir() || (1..512).contains(&data.len())
}

fn connect(file: &Path, path: PathBuf, flags: OpenFlags, wait: Duration) -> Result<Db> {
    let conn =
        Connection::open_with_flags(file, flags).map_err(|error| Error::sqlite(&path, error))?;
    let db = Db { conn, path };
    db.sql(db.conn.busy_timeout(wait))?;
    db.conn.set_prepared_statement_cache_capacity(32);
    db.sql(db.conn.pragma_update(None, "cache_size", -CACHE_KIB))?;
    db.sql(db.conn.pragma_update(None, "trusted_schema", "OFF"))?;
    db.sql(db.conn.pragma_update(None, "cell_size_check", "ON"))?;
    Ok(db)
}

/// The file beside the database at `path` whose name ends so. A link to a database is followed, since whoever follows another
/// link to it must find the same file.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let real = fs::canonicalize(path);
    let mut name = real.as_deref().unwrap_or(path).as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Where the write-ahead log of the database at `path` is.
pub(crate) fn log_path(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

fn has_log(path: &Path) -> bool {
    fs::metadata(log_path(path)).is_ok_and(|data| data.len() > 0)
}

/// The address by which SQLite opens a file that nobody changes.
fn immutable(path: &Path) -> PathBuf {
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").expect("a string takes all");
        }
    }
    uri.push_str("?immutable=1");
    uri.into()
}
