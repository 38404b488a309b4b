//! File formats by name.

use std::str::FromStr;

use thiserror::Error;

/// A format that proofs are written in or read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The winner's choices in replay order, as `crates/proof/FORMAT.md` lays out.
    Certificate,
    /// One JSON object for each position with the winner to move.
    JsonLines,
}

/// A name that is no format's here.
#[derive(Debug, Error)]
#[error("{what} '{name}'; this version has cert (export, import) and jsonl (export)")]
pub(crate) struct UnknownFormat {
    what: &'static str,
    name: String,
}

/// Formats of proofs that other versions may read or write.
const ELSEWHERE: [&str; 3] = ["watkins", "colibri", "pgn"];

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        match name {
            "cert" => Ok(Self::Certificate),
            "jsonl" => Ok(Self::JsonLines),
            _ => Err(UnknownFormat {
                what: if ELSEWHERE.contains(&name) {
                    "this version cannot do"
                } else {
                    "there is no format"
                },
                name: name.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_lists_what_there_is() {
        for name in ["watkins", "nonsense"] {
            let text = name.parse::<Format>().expect_err("refused").to_string();
            assert!(
                text.contains(name) && text.contains("cert") && text.contains("jsonl"),
                "{text}"
            );
        }
    }
}
