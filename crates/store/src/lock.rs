//! The writer's lock: a file beside the database, held with the system's advisory lock.
//!
//! The system releases the lock when the holder ends, however it ends, so a file that a dead process left behind blocks
//! nobody. The file stays: removing it would race with a process that waits for it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::{Error, Holder, Result, open::beside};

const POLL: Duration = Duration::from_millis(20);

/// Held for as long as a store is open for writing.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: File,
}

/// Where the lock of the database at `path` is.
pub(crate) fn lock_path(path: &Path) -> PathBuf {
    beside(path, ".lock")
}

impl WriterLock {
    /// Takes the lock of the database at `path`, waiting at most `wait` for another writer to end.
    pub(crate) fn take(path: &Path, wait: Duration) -> Result<Self> {
        let lock_path = lock_path(path);
        let io = |error| lock_error(path, &lock_path, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&lock_path)
            .map_err(io)?;
        let deadline = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(io(error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(Error::Locked {
                        path: path.to_owned(),
                        holder: read_holder(&mut file),
                    });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(POLL),
            }
        }
        let text = format!("pid {}\nsince {}\n", std::process::id(), crate::now());
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(text.as_bytes()))
            .and_then(|()| file.flush())
            .map_err(io)?;
        Ok(Self { _file: file })
    }
}

/// What it means for the database at `path` that its lock cannot be had. A lock that is there is named too: it may be another
/// user's.
fn lock_error(path: &Path, lock_path: &Path, error: io::Error) -> Error {
    let is_anothers =
        error.kind() == io::ErrorKind::PermissionDenied && fs::exists(lock_path).unwrap_or(false);
    let lock = |path, source| Error::Lock {
        path,
        lock: lock_path.to_owned(),
        source,
    };
    if is_anothers {
        return lock(path.to_owned(), error);
    }
    match Error::io(path, error) {
        Error::Io { path, source } => lock(path, source),
        other => other,
    }
}

/// Who says in the file to hold it; what cannot be read stays unknown.
fn read_holder(file: &mut File) -> Holder {
    let mut text = String::new();
    if file.seek(SeekFrom::Start(0)).is_err() || file.take(1024).read_to_string(&mut text).is_err()
    {
        return Holder::default();
    }
    let field = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
    };
    Holder {
        pid: field("pid").and_then(|pid| pid.parse().ok()),
        since: field("since").and_then(|since| since.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_writer_learns_who_the_first_is() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("p.db");
        let first = WriterLock::take(&path, Duration::ZERO).expect("free");
        let second = WriterLock::take(&path, Duration::from_millis(30));
        let Err(Error::Locked { holder, .. }) = second else {
            panic!("two writers: {second:?}");
        };
        assert_eq!(holder.pid, Some(std::process::id()));
        assert!(holder.since.is_some());
        drop(first);
        WriterLock::take(&path, Duration::ZERO).expect("free again");
    }

    /// A directory in the lock's place: root, too, fails to open it.
    #[test]
    fn an_error_names_the_database_and_then_the_lock() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("p.db");
        fs::create_dir(lock_path(&path)).expect("made");
        let error = WriterLock::take(&path, Duration::ZERO).expect_err("no file");
        let path = path.display();
        assert_eq!(
            error.to_string(),
            format!("cannot write {path}: its lock {path}.lock cannot be opened")
        );
        assert_eq!(error.kind(), crate::ErrorKind::Usage);
        let missing = dir.path().join("none/p.db");
        let error = WriterLock::take(&missing, Duration::ZERO).expect_err("no directory");
        let start = format!("cannot write {}", missing.display());
        assert!(error.to_string().starts_with(&start), "{error}");
    }

    #[test]
    fn a_file_left_behind_blocks_nobody() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("p.db");
        fs::write(lock_path(&path), "pid 1\nsince 1\n").expect("written");
        WriterLock::take(&path, Duration::ZERO).expect("nobody holds it");
    }

    #[test]
    fn waiting_lets_the_second_writer_in() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("p.db");
        let first = WriterLock::take(&path, Duration::ZERO).expect("free");
        thread::scope(|scope| {
            let second = scope.spawn(|| WriterLock::take(&path, Duration::from_secs(20)));
            drop(first);
            second.join().expect("no panic").expect("free in time");
        });
    }
}
