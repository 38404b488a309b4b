//! Signals: the first asks the work to end and be saved, the second ends the process at once.

use std::{process, sync::Arc, thread};

use anyhow::{Context, Result};
use search::StopFlag;
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::exit::Exit;

/// Watches for SIGINT and SIGTERM from now on; the first raises the flag that comes back.
pub(crate) fn watch() -> Result<Arc<StopFlag>> {
    let stop = Arc::new(StopFlag::new());
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot watch for signals")?;
    let flag = Arc::clone(&stop);
    thread::spawn(move || {
        for _ in signals.forever() {
            if flag.is_raised() {
                process::exit(Exit::Interrupted as i32);
            }
            flag.raise();
        }
    });
    Ok(stop)
}
