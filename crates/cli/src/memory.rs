//! How much memory there is, and how much was used.

use std::fs;

/// Taken off the limit before the search gets the rest: the program, the caches of the database, buffers. Of a small limit three eighths.
const RESERVED_BYTES: u64 = 40 << 20;

/// Half of the machine's memory, or of what a container may use if that is less; 1 GiB if nobody says.
pub(crate) fn half_of_machine() -> u64 {
    let machine = field("/proc/meminfo", "MemTotal:");
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let least = [machine, container].into_iter().flatten().min();
    least.unwrap_or(2 << 30) / 2
}

/// What the database may keep in memory if the process may use `limit`.
pub(crate) fn for_database(limit: u64) -> u64 {
    (limit / 32).clamp(1 << 20, 16 << 20)
}

/// What the search may use if the process may use `limit`.
pub(crate) fn for_search(limit: u64) -> usize {
    usize::try_from(limit - RESERVED_BYTES.min(limit / 8 * 3)).unwrap_or(usize::MAX)
}

/// What a thread takes for itself: its stack, and the lists that it keeps from search to search.
const THREAD_BYTES: u64 = 4 << 20;

/// What `threads` threads take, the first of them left out: [`for_search`] has counted it.
pub(crate) const fn for_threads(threads: usize) -> u64 {
    (threads as u64 - 1) * THREAD_BYTES
}

/// How many threads can run if the process may use `limit`: an eighth of it is for them.
pub(crate) fn most_threads(limit: u64) -> usize {
    usize::try_from(limit / 8 / THREAD_BYTES).unwrap_or(usize::MAX)
}

/// The most memory that this process has used so far; 0 where the system does not say.
pub(crate) fn peak_bytes() -> u64 {
    field("/proc/self/status", "VmHWM:").unwrap_or(0)
}

/// A field of a file of the proc file system, given there in KiB.
fn field(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(number << 10)
}
