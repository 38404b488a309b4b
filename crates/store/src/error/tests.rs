use super::*;

fn failure(code: i32) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
}

/// Every variant with the message it must give, but for messages of the system.
#[expect(clippy::too_many_lines, reason = "a flat list")]
fn all() -> Vec<(Error, &'static str, ErrorKind)> {
    use ErrorKind::{Damaged, Full, Locked, Usage};

    let path = || PathBuf::from("p.db");
    let holder = Holder {
        pid: Some(4711),
        since: None,
    };
    vec![
        (
            Error::NotFound(path()),
            "there is no database at p.db",
            Usage,
        ),
        (
            Error::Exists(path()),
            "p.db exists already: use --force to replace it",
            Usage,
        ),
        (Error::ReadOnly(path()), "p.db is not writable", Usage),
        (
            Error::OpenedForReading(path()),
            "p.db was opened for reading only",
            Usage,
        ),
        (
            Error::Full(path()),
            "the disk is full: no room to write p.db",
            Full,
        ),
        (
            Error::Locked {
                path: path(),
                holder,
            },
            "p.db is locked by process 4711",
            Locked,
        ),
        (
            Error::Lock {
                path: path(),
                lock: PathBuf::from("p.db.lock"),
                source: io::ErrorKind::IsADirectory.into(),
            },
            "cannot write p.db: its lock p.db.lock cannot be opened",
            Usage,
        ),
        (
            Error::NotADatabase(path()),
            "p.db is not a database, or its first bytes are damaged",
            Damaged,
        ),
        (
            Error::Foreign {
                path: path(),
                application_id: 0x1234,
            },
            "p.db belongs to another program (application id 0x1234): choose another file",
            Damaged,
        ),
        (
            Error::Empty(path()),
            "p.db is empty: nothing was stored in it yet",
            Usage,
        ),
        (
            Error::NewerSchema {
                path: path(),
                found: 9,
                known: 1,
            },
            "p.db has schema version 9, and this version knows only up to 1: use a newer takeme",
            Damaged,
        ),
        (
            Error::OlderSchema {
                path: path(),
                found: 1,
                known: 2,
            },
            "p.db has schema version 1, and 2 is needed: open it once for writing to upgrade it",
            Usage,
        ),
        (
            Error::Upgrade {
                path: path(),
                version: 2,
                source: failure(ffi::SQLITE_ERROR),
            },
            "the upgrade of p.db to schema version 2 failed and was undone",
            Damaged,
        ),
        (
            Error::Damaged {
                path: path(),
                what: "proof_page row 3: the checksum does not fit".to_owned(),
            },
            "p.db is damaged: proof_page row 3: the checksum does not fit",
            Damaged,
        ),
        (
            Error::NoClaim {
                path: path(),
                id: 7,
            },
            "p.db has no claim number 7",
            Usage,
        ),
        (
            Error::ImpossibleMove(Move::parse_uci("a1b4").expect("UCI")),
            "the move a1b4 is possible in no position",
            Usage,
        ),
        (
            Error::Sqlite {
                path: path(),
                source: failure(ffi::SQLITE_ERROR),
            },
            "cannot use p.db",
            Damaged,
        ),
        (
            Error::Io {
                path: path(),
                source: io::ErrorKind::NotFound.into(),
            },
            "cannot use p.db",
            Usage,
        ),
    ]
}

#[test]
fn every_variant_renders() {
    for (error, message, kind) in all() {
        assert_eq!(error.to_string(), message);
        assert_eq!(error.kind(), kind, "{error:?}");
        assert!(!message.ends_with('.'));
    }
}

#[test]
fn a_holder_is_named_as_far_as_it_is_known() {
    let since = Some(crate::now() - 35);
    let known = Holder {
        pid: Some(7),
        since,
    };
    assert_eq!(known.to_string(), "process 7 for 35 s");
    assert_eq!(Holder::default().to_string(), "another process");
}

#[test]
fn codes_of_sqlite_are_told_apart() {
    for (code, kind) in [
        (ffi::SQLITE_FULL, ErrorKind::Full),
        (ffi::SQLITE_IOERR_SHMSIZE, ErrorKind::Full),
        (ffi::SQLITE_BUSY, ErrorKind::Locked),
        (ffi::SQLITE_NOTADB, ErrorKind::Damaged),
        (ffi::SQLITE_CORRUPT, ErrorKind::Damaged),
        (ffi::SQLITE_READONLY, ErrorKind::Usage),
        (ffi::SQLITE_IOERR_READ, ErrorKind::Damaged),
    ] {
        assert_eq!(Error::sqlite(Path::new("p.db"), failure(code)).kind(), kind);
    }
}

#[test]
fn codes_of_the_system_are_told_apart() {
    for (of, kind) in [
        (io::ErrorKind::StorageFull, ErrorKind::Full),
        (io::ErrorKind::ReadOnlyFilesystem, ErrorKind::Usage),
        (io::ErrorKind::NotFound, ErrorKind::Usage),
    ] {
        assert_eq!(Error::io(Path::new("p.db"), of.into()).kind(), kind);
    }
}
