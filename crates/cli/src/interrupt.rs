//! Signals: the first asks the work to end and be saved, the second ends the process at once.

use std::{
    process,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use search::StopFlag;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    iterator::Signals,
};

use crate::exit::Exit;

/// A signal so soon after the first is the same one: `timeout` and shells send it to the process and to its group.
const SAME_SIGNAL: Duration = Duration::from_millis(300);

/// Watches for SIGINT, SIGTERM and SIGHUP from now on; the first raises the flag that comes back. A file that may not grow is an error of
/// whoever writes it, not the end of the process.
pub(crate) fn watch() -> Result<Arc<StopFlag>> {
    let stop = Arc::new(StopFlag::new());
    let mut signals =
        Signals::new([SIGINT, SIGTERM, SIGHUP, SIGXFSZ]).context("cannot watch for signals")?;
    let flag = Arc::clone(&stop);
    thread::spawn(move || {
        let mut first = None;
        for _ in signals.forever().filter(|&signal| signal != SIGXFSZ) {
            let first = *first.get_or_insert_with(Instant::now);
            if flag.is_raised() && first.elapsed() >= SAME_SIGNAL {
                process::exit(Exit::Interrupted as i32);
            }
            flag.raise();
        }
    });
    Ok(stop)
}
