//! Files that are complete or not there, and standard output in their place.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{output::Output, usage::Usage};

/// A file that is written under another name and gets its own when it is complete. Given up, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    partial: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl NewFile {
    /// Begins a file. An existing one is replaced at the end if `force` says so.
    ///
    /// # Errors
    ///
    /// The file exists and may not be replaced, or none can be made there.
    pub(crate) fn create(path: &Path, force: bool) -> Result<Self> {
        if !force && path.symlink_metadata().is_ok() {
            let message = format!("{} exists already", path.display());
            return Err(Usage::new(message).hint("--force replaces it").into());
        }
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let message = format!("{} is no regular file", path.display());
            let hint = "--output - writes to standard output";
            return Err(Usage::new(message).hint(hint).into());
        }
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".partial-{}", std::process::id()));
        let partial = PathBuf::from(partial);
        let file =
            File::create(&partial).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            partial,
            writer: Some(BufWriter::new(file)),
        })
    }

    /// Gives the file its name, once all of it is on the disk.
    ///
    /// # Errors
    ///
    /// The disk is full, or cannot be written.
    pub(crate) fn finish(mut self) -> Result<()> {
        let writer = self.writer.take();
        let on_disk = writer.map_or(Ok(()), |writer| {
            let file = writer
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?;
            file.sync_all()
        });
        on_disk
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Where a command writes what it was asked for.
#[derive(Debug)]
pub(crate) enum Destination {
    /// A file, which is there once it is complete.
    File(NewFile),
    /// Standard output, called `-`.
    Stdout,
}

impl Destination {
    /// Begins to write to `path`. An existing file is replaced at the end if `force` says so.
    ///
    /// # Errors
    ///
    /// The file exists and may not be replaced, or none can be made there.
    pub(crate) fn open(path: &Path, force: bool) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        NewFile::create(path, force).map(Self::File)
    }

    /// Writes bytes, to `out` if it is standard output.
    pub(crate) fn write(&mut self, bytes: &[u8], out: &mut Output) -> Result<()> {
        match self {
            Self::File(file) => file
                .write_all(bytes)
                .with_context(|| format!("cannot write {}", file.path.display())),
            Self::Stdout => out.bytes(bytes),
        }
    }

    /// Gives a file its name, once all of it is on the disk.
    ///
    /// # Errors
    ///
    /// The disk is full, or cannot be written.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::File(file) => file.finish(),
            Self::Stdout => Ok(()),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer
            .as_mut()
            .map_or(Ok(0), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Gone already if all went well.
        let _ = fs::remove_file(&self.partial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_given_up_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("p.cert");
        let mut file = NewFile::create(&path, false).expect("created");
        file.write_all(b"half").expect("written");
        drop(file);
        assert_eq!(fs::read_dir(dir.path()).expect("read").count(), 0);
    }

    #[test]
    fn an_existing_file_is_replaced_only_by_force() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("p.cert");
        fs::write(&path, "old").expect("written");
        NewFile::create(&path, false).expect_err("it exists");
        let mut file = NewFile::create(&path, true).expect("created");
        file.write_all(b"new").expect("written");
        assert_eq!(fs::read(&path).expect("read"), b"old");
        file.finish().expect("finished");
        assert_eq!(fs::read(&path).expect("read"), b"new");
        assert_eq!(fs::read_dir(dir.path()).expect("read").count(), 1);
    }
}
