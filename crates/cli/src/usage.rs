//! Errors of whoever wrote the command line.

use std::fmt;

/// What is wrong with the command line, and what to do about it.
#[derive(Debug)]
pub(crate) struct Usage {
    messages: Vec<String>,
    hint: Option<String>,
}

impl Usage {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::several(vec![message.into()])
    }

    /// Several mistakes, each to be told.
    pub(crate) fn several(messages: Vec<String>) -> Self {
        Self {
            messages,
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages.join("\nerror: "))?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Usage {}
