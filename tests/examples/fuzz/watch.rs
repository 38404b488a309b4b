//! A watch over the time that one input takes.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use crate::findings::Findings;

/// The processor time that one input may take. What it waits for a busy machine does not count.
const MOST: Duration = Duration::from_secs(2);
/// Then the reader is taken to hang.
const HANGS: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// What is being read.
#[derive(Default)]
pub(crate) struct Current {
    number: AtomicU64,
    input: Mutex<Vec<u8>>,
}

impl Current {
    /// The next input begins.
    pub(crate) fn begin(&self, input: &[u8]) {
        let mut current = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        current.clear();
        current.extend_from_slice(input);
        self.number.fetch_add(1, Ordering::Release);
    }

    fn input(&self) -> Vec<u8> {
        let current = self.input.lock();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Watches the thread that calls this, until the process ends.
pub(crate) fn begin(findings: &Arc<Findings>) -> Arc<Current> {
    let current = Arc::new(Current::default());
    let thread = fs::read_link("/proc/thread-self").map(|link| Path::new("/proc").join(link));
    if let Ok(thread) = thread {
        let (current, findings) = (Arc::clone(&current), Arc::clone(findings));
        thread::spawn(move || watch(&thread, &current, &findings));
    }
    current
}

fn watch(thread: &Path, current: &Current, findings: &Findings) {
    let mut began = (0, Duration::ZERO);
    let mut told = false;
    while let Some(used) = processor_time(&thread.join("schedstat")) {
        let number = current.number.load(Ordering::Acquire);
        if number != began.0 {
            began = (number, used);
            told = false;
        }
        let spent = used.saturating_sub(began.1);
        if spent > MOST && !told {
            findings.add("slow", "an input takes more than 2 s", &current.input());
            told = true;
        }
        if spent > HANGS {
            findings.add("hangs", "an input takes more than 60 s", &current.input());
            process::exit(1);
        }
        thread::sleep(LOOK_EVERY);
    }
}

fn processor_time(schedstat: &PathBuf) -> Option<Duration> {
    let text = fs::read_to_string(schedstat).ok()?;
    let nanos = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

/// Memory that inputs take.
pub(crate) mod memory {
    use std::fs;

    /// The most that the process has held since [`forget`], in bytes; 0 if the system does not tell.
    pub(crate) fn most() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
        kib.unwrap_or(0) << 10
    }

    /// Begins anew.
    pub(crate) fn forget() {
        // Where it cannot be written, what was most stays most.
        let _ = fs::write("/proc/self/clear_refs", "5");
    }
}
