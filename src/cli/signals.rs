//! Signals: temporary files are removed, what stands under a final name stays whole, and the exit code says which it was.

/// From here on a signal to end is heard.
#[cfg(unix)]
pub(super) fn listen() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    // A file that grows over its limit is an error in writing like a full disk, and no reason to die.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    // Without a listener the program ends as others do, only less tidily.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            crate::temp::sweep();
            signal_hook::low_level::exit(128 + signal);
        }
    });
}

#[cfg(not(unix))]
pub(super) fn listen() {}
