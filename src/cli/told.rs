//! What is said on standard error about the input: each warning by itself up to a limit, then numbers for all of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use crate::diag::{Diag, Loc, Severity, Trouble};
use crate::session::{Session, visible};

/// Warnings printed before the rest is only counted; of notes as many again.
const SHOWN: usize = 20;

/// Copies are many where there are any: of each kind, those of one file make one line.
const FOLDED: [Trouble; 2] = [Trouble::Duplicate, Trouble::DuplicateFile];

/// Warnings as they are printed: remarks on copies are added up in the first of them.
pub(super) fn fold(diags: &[Diag]) -> Vec<Cow<'_, Diag>> {
    let mut out: Vec<Cow<'_, Diag>> = Vec::new();
    let mut first: BTreeMap<(Trouble, &str), usize> = BTreeMap::new();
    for diag in diags {
        let file = if diag.kind == Trouble::Duplicate { diag.loc.file.as_str() } else { "" };
        let at = *first.entry((diag.kind, file)).or_insert(out.len());
        match out.get_mut(at).filter(|_| FOLDED.contains(&diag.kind)) {
            Some(told) => told.to_mut().times += diag.times,
            None => out.push(Cow::Borrowed(diag)),
        }
    }
    for told in out.iter_mut().filter(|d| matches!(d, Cow::Owned(_))) {
        let more = told.times - 1;
        told.to_mut().message.push_str(&format!("; and {more} more like this"));
    }
    out
}

/// What was told, and what is left to tell.
#[derive(Debug, Default)]
pub(super) struct Told {
    warnings: usize,
    notes: usize,
    /// Per kind: how many there were, and how many of them were not printed.
    kinds: BTreeMap<Trouble, (u64, u64)>,
    read: u64,
    used: u64,
    skipped: u64,
    /// Per kind: how often input was lost.
    lost: BTreeMap<Trouble, u64>,
    files: HashSet<(String, String)>,
    /// Agent and file of each session id.
    sessions: BTreeMap<String, (String, String)>,
}

impl Told {
    /// The line to print for a warning, if it is one of the first.
    pub(super) fn line(&mut self, diag: &Diag) -> Option<String> {
        let shown = if diag.severity == Severity::Note { &mut self.notes } else { &mut self.warnings };
        let (all, left) = self.kinds.entry(diag.kind).or_default();
        *all += diag.times;
        if diag.severity == Severity::Lost {
            *self.lost.entry(diag.kind).or_default() += diag.times;
        }
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

    /// What is said of a session whose id another one before it has.
    pub(super) fn shared_id(&mut self, session: &Session) -> Option<Diag> {
        let file = session.sources.first().map(|s| s.file.clone()).unwrap_or_default();
        let new = (session.agent.clone(), file.clone());
        let Some((agent, first)) = self.sessions.get(&session.id) else {
            self.sessions.insert(session.id.clone(), new);
            return None;
        };
        let text = format!(
            "this session of {} has the id {} of another one, of {agent} in {first}; ids in tables and links do not tell the two apart",
            session.agent, session.id
        );
        Some(Diag::warning(Trouble::IdTwice, Loc { file, ..Loc::default() }, text))
    }

    /// All that is said where warnings are not wanted: that input was lost.
    pub(super) fn losses(&self) -> Vec<String> {
        if self.lost.is_empty() {
            return Vec::new();
        }
        let list: Vec<String> = self.lost.iter().map(|(kind, n)| format!("{n} × {kind}")).collect();
        let bytes = if self.skipped > 0 { format!(" ({} bytes)", self.skipped) } else { String::new() };
        vec![format!("a part of the input was passed over{bytes}: {}; without --quiet it is named", list.join(", "))]
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
    fn copies_make_one_line_a_file() {
        let of = |kind, file: &str, line| Diag::note(kind, Loc { file: file.into(), line, byte: 0 }, "again");
        let diags = [
            of(Trouble::Duplicate, "a", 3),
            of(Trouble::Torn, "a", 4),
            of(Trouble::Duplicate, "a", 5),
            of(Trouble::Duplicate, "b", 6),
            of(Trouble::Torn, "a", 7),
            of(Trouble::DuplicateFile, "c", 0),
            of(Trouble::DuplicateFile, "d", 0),
            of(Trouble::Duplicate, "a", 8),
        ];
        let lines: Vec<String> =
            fold(&diags).iter().map(|d| format!("{}:{} {}", d.loc.file, d.loc.line, d.message)).collect();
        let want = [
            "a:3 again; and 2 more like this",
            "a:4 again",
            "b:6 again",
            "a:7 again",
            "c:0 again; and 1 more like this",
        ];
        assert_eq!(lines, want);
    }

    #[test]
    fn a_loss_is_told_where_warnings_are_not_wanted() {
        let mut told = Told::default();
        told.line(&Diag::warning(Trouble::Number, Loc::default(), "unknown"));
        assert!(told.losses().is_empty());
        told.line(&Diag::lost(Trouble::Torn, Loc::default(), 8, 0, "half a record"));
        assert_eq!(told.losses(), ["a part of the input was passed over: 1 × torn; without --quiet it is named"]);
    }

    #[test]
    fn every_warning_is_counted_and_the_first_are_printed() {
        let mut told = Told::default();
        assert!(told.end().is_empty());
        let printed =
            (0..30).filter_map(|_| told.line(&Diag::note(Trouble::Duplicate, Loc::default(), "again"))).count();
        let folded = Diag { times: 5, ..Diag::warning(Trouble::Torn, Loc::default(), "half a record") };
        assert!(told.line(&folded).is_some());
        assert_eq!(printed, 20);
        assert_eq!(told.end(), ["and 10 more: 10 × duplicate", "30 × duplicate, 5 × torn"]);
    }
}
