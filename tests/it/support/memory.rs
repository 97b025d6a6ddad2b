//! How much memory a run of the program has held. Owns the moment from which that can be told;
//! knows nothing of what it was held for.

use std::fs;

/// The most memory that the program may hold whatever a server sends, in bytes.
pub(crate) const MOST_MEMORY: u64 = 100_000_000;

/// The most memory that a process has held since it runs another program than the tests, in bytes;
/// 0 before that and once it is gone.
///
/// A process that was only just started can still have the memory of the tests, with all that they
/// ever held: it takes a lock to let go of it, which a test that forks holds for milliseconds. So
/// it is asked first what it runs, and never goes back from there.
pub(crate) fn peak_of(pid: u32) -> u64 {
    let tests = fs::read_link("/proc/self/exe").unwrap();
    if !fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|runs| runs != tests) {
        return 0;
    }
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
