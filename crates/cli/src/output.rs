//! Standard output: results and nothing else.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};

use anyhow::Result;
use serde_json::{Map, Value};
use thiserror::Error;

/// The reader of standard output has gone, as `head` does. That ends the work, quietly.
#[derive(Debug, Error)]
#[error("nobody reads the standard output any more")]
pub(crate) struct ClosedPipe;

/// Standard output could not be written.
#[derive(Debug, Error)]
#[error("cannot write the standard output")]
pub(crate) struct OutputError(#[source] pub(crate) io::Error);

/// Where results go. What is written is kept back until [`Output::flush`].
#[derive(Debug)]
pub(crate) struct Output {
    stdout: BufWriter<Stdout>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self {
            stdout: BufWriter::with_capacity(1 << 16, io::stdout()),
        }
    }

    /// Writes a line of text.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        self.text(text)?;
        self.text("\n")
    }

    /// Writes text as it is.
    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        told(self.stdout.write_all(bytes))
    }

    /// Writes an object as a line.
    pub(crate) fn object(&mut self, object: Map<String, Value>) -> Result<()> {
        self.line(&Value::Object(object).to_string())
    }

    /// Hands over what was kept back.
    pub(crate) fn flush(&mut self) -> Result<()> {
        told(self.stdout.flush())
    }
}

fn told(result: io::Result<()>) -> Result<()> {
    result.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => ClosedPipe.into(),
        _ => OutputError(error).into(),
    })
}
