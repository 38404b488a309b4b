//! Inputs that a reader fails on.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// Findings by what is wrong; of each kind the smallest input is kept as a file.
pub(crate) struct Findings {
    folder: PathBuf,
    kinds: Mutex<BTreeMap<String, (usize, u64)>>,
}

impl Findings {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            kinds: Mutex::default(),
        }
    }

    /// Notes an input with what is wrong with the reader.
    pub(crate) fn add(&self, kind: &str, what: &str, input: &[u8]) {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let number = kinds.len();
        let place = kinds.entry(kind.to_owned()).or_insert((number, 0));
        place.1 += 1;
        let file = self.folder.join(format!("finding-{}", place.0));
        let is_smaller = fs::read(&file).map_or(true, |kept| input.len() < kept.len());
        if is_smaller {
            println!("FINDING {}: {what}", file.display());
            if let Err(error) = fs::write(&file, input) {
                println!("{}: {error}: {input:?}", file.display());
            }
        }
    }

    /// How many kinds there are.
    pub(crate) fn count(&self) -> usize {
        let kinds = self.kinds.lock();
        kinds.unwrap_or_else(PoisonError::into_inner).len()
    }
}
