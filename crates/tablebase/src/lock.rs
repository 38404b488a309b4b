//! One process at a time changes a directory of tables.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

use rules::Ruleset;

use crate::{Error, Result, file::UNFINISHED};

/// Held as long as tables of a ruleset are made or verified in a directory. The system lets go of it when the process ends.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Takes the lock of the tables of `ruleset` in `directory`, which is made if it is not there. What a process that was killed
    /// has left half-written is removed.
    ///
    /// # Errors
    ///
    /// Another process holds it, or the directory cannot be written.
    pub fn take(directory: &Path, ruleset: Ruleset) -> Result<Self> {
        let folder = directory.join(ruleset.name());
        let path = folder.join(".lock");
        let opened = fs::create_dir_all(&folder).and_then(|()| File::create(&path));
        let file = opened.map_err(|source| Error::Io {
            path: path.clone(),
            source,
        })?;
        match file.try_lock() {
            Ok(()) => {
                remove_unfinished(&folder)?;
                Ok(Self { _file: file })
            }
            Err(TryLockError::WouldBlock) => Err(Error::Locked(folder)),
            Err(TryLockError::Error(source)) => Err(Error::Io { path, source }),
        }
    }
}

/// Removes files that never got their names. Whoever holds the lock is the only one who writes such.
fn remove_unfinished(folder: &Path) -> Result<()> {
    let failed = |source| Error::Io {
        path: folder.to_owned(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()) {
            fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}
