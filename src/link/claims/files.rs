//! Files: the calls that wrote them, or printed that they are there.

use super::Verdict;
use super::record::Record;
use crate::extract::artefacts::name;
use crate::extract::claims::Claim;
use crate::session::ToolKind;

/// The verdict on a file that is said to be written.
pub(super) fn judge(record: &Record<'_>, claim: &Claim, at: usize, path: &str) -> Verdict {
    let file = name(path);
    for (i, seen) in record.newest(claim, at) {
        let call = seen.call;
        if matches!(call.kind, ToolKind::Write | ToolKind::Edit) {
            if call.worked() && call.written_paths().iter().any(|p| name(p) == file) {
                return Verdict::supported(i, false);
            }
            continue;
        }
        if let Some(line) = seen.printed.lines().rev().find(|l| l.contains(file)) {
            let gone = line.contains("No such file") || line.contains("cannot access") || line.contains("not found");
            if !gone && !call.undone() {
                return Verdict::supported(i, true);
            }
            let later = record.since(claim, i, at, |c| c.changes || !c.command.is_empty()).is_some();
            if gone && line.contains(path) && !later && !claim.hedged {
                return Verdict::contradicted(i);
            }
        } else if call.worked() && seen.changes && seen.command.contains(file) {
            return Verdict::supported(i, false);
        }
    }
    Verdict::NONE
}
