//! What every command works with.

use std::{
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Result;
use rules::Ruleset;
use serde_json::{Map, Value, json};
use store::{Access, Provenance, Store};

use crate::{args::Global, memory, output::Output, progress::Progress};

/// The program and its version, as the database keeps it with each claim.
pub(crate) const ENGINE: &str = concat!("takeme ", env!("CARGO_PKG_VERSION"));

/// The version of the interface that JSON objects follow.
const SCHEMA: u64 = 1;

/// The options of every command, and where results and messages go.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) global: Global,
    pub(crate) out: Output,
    pub(crate) progress: Progress,
}

impl Context {
    pub(crate) fn new(global: Global) -> Self {
        Self {
            progress: Progress::new(global.progress, global.quiet),
            out: Output::new(),
            global,
        }
    }

    pub(crate) fn ruleset(&self) -> Ruleset {
        self.global.ruleset()
    }

    pub(crate) fn threads(&self) -> usize {
        match self.global.threads {
            Some(threads) => usize::from(threads),
            None => thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// The memory that the process may use.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.global.memory.unwrap_or_else(memory::half_of_machine)
    }

    pub(crate) fn open(&self, access: Access) -> Result<Store> {
        let path = &self.global.db;
        match Store::open(path, access) {
            Err(error @ store::Error::OlderSchema { .. }) => {
                // Only a writer brings the file up to date; where nobody may write, the first error stands.
                Store::open(path, Access::Write).map_err(|_| error)?;
                let path = path.display();
                self.progress
                    .note(&format!("{path} was brought up to this version's schema"));
                Ok(Store::open(&self.global.db, access)?)
            }
            opened => Ok(opened?),
        }
    }

    /// Where the proofs of this command come from, but for what they cost.
    pub(crate) fn provenance() -> Provenance {
        let command: Vec<String> = std::env::args_os()
            .skip(1)
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect();
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Provenance {
            engine: ENGINE.to_owned(),
            command: format!("takeme {}", command.join(" ")),
            started: since.map_or(0, |since| since.as_secs()),
            ..Provenance::default()
        }
    }
}

/// An object for `--json`, begun with what every object has. The ruleset is null if nobody knows it.
pub(crate) fn object(command: &str, rules: impl Into<Option<Ruleset>>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("schema".to_owned(), SCHEMA.into());
    object.insert("command".to_owned(), command.into());
    object.insert("rules".to_owned(), rules.into().map(Ruleset::name).into());
    object
}

/// Adds the keys of `fields`, an object, to `object`.
pub(crate) fn extend(object: &mut Map<String, Value>, fields: Value) {
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
}

/// A name or null.
pub(crate) fn name_or_null<T: ToString>(value: Option<T>) -> Value {
    value.map_or(Value::Null, |value| json!(value.to_string()))
}
