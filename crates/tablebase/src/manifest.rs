//! Lists of table files with their hashes, in the form that `sha256sum -c` reads.

use std::{
    collections::BTreeMap,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    Error, Result,
    file::{Hash, write_whole},
    material::Material,
};

/// What table files are called behind the material's name.
pub(crate) const EXTENSION: &str = "tkt";
/// The tables that were made here.
pub(crate) const MANIFEST: &str = "MANIFEST";
/// Those of them that the independent verifier has accepted.
pub(crate) const VERIFIED: &str = "VERIFIED";

/// A list of tables by name, with their hashes.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    pub(crate) path: PathBuf,
    hashes: BTreeMap<String, Hash>,
}

impl Manifest {
    /// Reads a list; one that is not there is empty.
    pub(crate) fn read(path: PathBuf) -> Result<Self> {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                let reason = "it is no text".to_owned();
                return Err(Error::List { path, reason });
            }
            Err(source) => return Err(Error::Io { path, source }),
        };
        let mut hashes = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let Some((name, hash)) = read_line(line) else {
                let reason = format!("line {number} is not \"SHA-256  NAME.{EXTENSION}\"");
                return Err(Error::List { path, reason });
            };
            if hashes.insert(name, hash).is_some_and(|other| other != hash) {
                let reason =
                    format!("line {number} has another hash of a table that is listed above");
                return Err(Error::List { path, reason });
            }
        }
        Ok(Self { path, hashes })
    }

    /// The hash of a material's table.
    pub(crate) fn get(&self, material: &Material) -> Option<Hash> {
        self.hashes.get(&material.to_string()).copied()
    }

    /// The hash of a material's table, whose file is there.
    pub(crate) fn hash_of_file(&self, material: &Material, file: &Path) -> Result<Hash> {
        self.get(material).ok_or_else(|| Error::Unlisted {
            path: file.to_owned(),
            manifest: self.path.clone(),
        })
    }

    /// Enters a table, or removes it, and writes the list.
    pub(crate) fn set(&mut self, material: &Material, hash: Option<Hash>) -> Result<()> {
        let changed = match hash {
            Some(hash) => self.hashes.insert(material.to_string(), hash) != Some(hash),
            None => self.hashes.remove(&material.to_string()).is_some(),
        };
        if changed { self.write() } else { Ok(()) }
    }

    fn write(&self) -> Result<()> {
        let mut text = String::new();
        for (name, hash) in &self.hashes {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}  {name}.{EXTENSION}", hex(hash));
        }
        write_whole(&self.path, text.as_bytes())
    }
}

/// The file of a material's table in a directory.
pub(crate) fn file_of(folder: &Path, material: &Material) -> PathBuf {
    folder.join(format!("{material}.{EXTENSION}"))
}

/// A hash in lower-case hexadecimal.
#[must_use]
pub fn hex(hash: &Hash) -> String {
    hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn read_line(line: &str) -> Option<(String, Hash)> {
    let (digits, file) = line.split_once("  ")?;
    let name = file.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    let material: Material = name.parse().ok()?;
    if material.to_string() != name || digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, pair) in hash.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some((name.to_owned(), hash))
}
