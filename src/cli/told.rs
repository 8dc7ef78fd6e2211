//! What is said on standard error about the input: each warning by itself up to a limit, then numbers for all of it.

use std::collections::{BTreeMap, HashSet};

use crate::diag::{Diag, Severity};
use crate::session::{Session, visible};

/// Warnings printed before the rest is only counted; of notes as many again.
const SHOWN: usize = 20;

/// What was told, and what is left to tell.
#[derive(Debug, Default)]
pub(super) struct Told {
    warnings: usize,
    notes: usize,
    /// Per kind: how many there were, and how many of them were not printed.
    kinds: BTreeMap<&'static str, (u64, u64)>,
    read: u64,
    used: u64,
    skipped: u64,
    files: HashSet<(String, String)>,
}

impl Told {
    /// The line to print for a warning, if it is one of the first.
    pub(super) fn line(&mut self, diag: &Diag) -> Option<String> {
        let shown = if diag.severity == Severity::Note { &mut self.notes } else { &mut self.warnings };
        let (all, left) = self.kinds.entry(diag.kind).or_default();
        *all += diag.times;
        if *shown == SHOWN {
            *left += diag.times;
            return None;
        }
        *shown += 1;
        Some(visible(&diag.to_string().replace('\n', "⏎")).into_owned())
    }

    /// Adds the account of a session's bytes; a file that several sessions share counts once.
    pub(super) fn account(&mut self, session: &Session) {
        for source in &session.sources {
            if source.bytes_read > 0 && self.files.insert((source.file.clone(), source.digest.clone())) {
                self.read += source.bytes_read;
                self.used += source.bytes_used;
                self.skipped += source.bytes_skipped;
            }
        }
    }

    /// The lines that end the list: what was not printed, and the account. None when there was nothing to tell.
    pub(super) fn end(&self) -> Vec<String> {
        let list = |of: fn(&(u64, u64)) -> u64| {
            let found = self.kinds.iter().filter(|(_, n)| of(n) > 0);
            found.map(|(kind, n)| format!("{} × {kind}", of(n))).collect::<Vec<_>>().join(", ")
        };
        if self.kinds.is_empty() {
            return Vec::new();
        }
        let mut out = Vec::new();
        let left: u64 = self.kinds.values().map(|(_, left)| left).sum();
        if left > 0 {
            out.push(format!("and {left} more: {}", list(|n| n.1)));
        }
        let (read, used, skipped) = (self.read, self.used, self.skipped);
        // Files that were passed over have no account.
        let account =
            if read > 0 { format!("{read} bytes read, {used} used, {skipped} skipped; ") } else { String::new() };
        out.push(account + &list(|n| n.0));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Loc;

    #[test]
    fn every_warning_is_counted_and_the_first_are_printed() {
        let mut told = Told::default();
        assert!(told.end().is_empty());
        let printed = (0..30).filter_map(|_| told.line(&Diag::note("copy", Loc::default(), "again"))).count();
        let folded = Diag { times: 5, ..Diag::warning("torn", Loc::default(), "half a record") };
        assert!(told.line(&folded).is_some());
        assert_eq!(printed, 20);
        assert_eq!(told.end(), ["and 10 more: 10 × copy", "30 × copy, 5 × torn"]);
    }
}
