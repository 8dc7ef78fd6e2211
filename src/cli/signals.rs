//! Signals: temporary files are removed, what stands under a final name stays whole, and the exit code says which it was.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Transcripts that a command goes through, and the reports it has written; only one that writes reports counts.
static EXPECTED: AtomicUsize = AtomicUsize::new(0);
static WRITTEN: AtomicUsize = AtomicUsize::new(NOTHING);

/// No reports are written.
const NOTHING: usize = usize::MAX;

/// So many transcripts are gone through.
pub(super) fn expect(transcripts: usize) {
    EXPECTED.store(transcripts, Ordering::Relaxed);
}

/// From here on so many reports stand in their places.
pub(super) fn written(reports: usize) {
    WRITTEN.store(reports, Ordering::Relaxed);
}

/// How far the writing of reports came.
#[cfg(unix)]
fn how_far() -> Option<String> {
    came(WRITTEN.load(Ordering::Relaxed), EXPECTED.load(Ordering::Relaxed))
}

#[cfg(unix)]
fn came(written: usize, expected: usize) -> Option<String> {
    let all = if expected > 0 { format!(" of {expected}") } else { String::new() };
    let whole = if written > 0 { "; they are whole, the page that lists them is not" } else { "" };
    (written != NOTHING).then(|| format!("turnpoint: interrupted: {written}{all} reports written{whole}"))
}

/// From here on a signal to end is heard.
#[cfg(unix)]
pub(super) fn listen() {
    use std::io::Write;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    // A file that grows over its limit is an error in writing like a full disk, and no reason to die.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    // Without a listener the program ends as others do, only less tidily.
    let hangup = hangup_ends().then_some(SIGHUP);
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup)) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            crate::temp::sweep();
            if let Some(said) = how_far() {
                let _ = writeln!(std::io::stderr(), "{said}");
            }
            signal_hook::low_level::exit(128 + signal);
        }
    });
}

/// Whether the end of the terminal ends this process: under `nohup` it must not. Where the system does not say so,
/// what happens then stays its own affair.
#[cfg(unix)]
fn hangup_ends() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| !ignores_hangup(&status))
}

/// Reads the set of ignored signals, of which a hangup is the lowest bit.
#[cfg(unix)]
fn ignores_hangup(status: &str) -> bool {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).is_none_or(|set| set & 1 != 0)
}

#[cfg(not(unix))]
pub(super) fn listen() {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_says_how_many_reports_are_whole() {
        let said = |written, expected| came(written, expected).unwrap_or_default();
        assert_eq!(said(0, 3), "turnpoint: interrupted: 0 of 3 reports written");
        let whole = "they are whole, the page that lists them is not";
        assert_eq!(said(2, 3), format!("turnpoint: interrupted: 2 of 3 reports written; {whole}"));
        assert_eq!(said(NOTHING, 3), "");
    }

    #[test]
    fn a_hangup_that_is_ignored_stays_ignored() {
        assert!(!ignores_hangup("Name:\tx\nSigIgn:\t0000000000001000\nSigCgt:\t1\n"));
        assert!(ignores_hangup("SigIgn:\t0000000000001001\n"));
        assert!(ignores_hangup("another system"));
    }
}
