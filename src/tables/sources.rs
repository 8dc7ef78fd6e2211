//! `sources` and `warnings`: what was read, and what could not be.

use super::{Rows, SESSION, Scope, Table, int, text};

pub(super) const SOURCES: Table = Table {
    name: "sources",
    about: "A file that a session was read from, and what became of its bytes and records: bytes_read = bytes_used + bytes_skipped, records = kept + copies + skipped.",
    head: SESSION,
    own: &[
        text("file", "path, relative to the INPUT"),
        text("format", "id of the format, as `turnpoint formats` lists it"),
        int("bytes_read", "bytes", "size of the file"),
        int("bytes_used", "bytes", "records kept, copies, and white space between"),
        int("bytes_skipped", "bytes", "bytes named in warnings"),
        int("records", "", "records seen"),
        int("kept", "", "records that are part of the session"),
        int("copies", "", "records that repeat another record"),
        int("skipped", "", "records named in warnings"),
        text("digest", "SHA-256 of the file, in hex"),
    ],
    rows: sources,
};

fn sources<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for s in &scope.analysis.session.sources {
        out.plain([
            (&s.file).into(),
            s.format.into(),
            s.bytes_read.into(),
            s.bytes_used.into(),
            s.bytes_skipped.into(),
            s.records.into(),
            s.kept.into(),
            s.copies.into(),
            s.skipped.into(),
            (&s.digest).into(),
        ]);
    }
}

pub(super) const WARNINGS: Table = Table {
    name: "warnings",
    about: "Trouble in reading input.",
    head: SESSION,
    own: &[
        text("file", "path, relative to the INPUT"),
        int("line", "", "line, from 1; NULL when the file as a whole is meant"),
        int("byte", "bytes", "offset of the line or span, from 0"),
        int("skipped", "bytes", "bytes that were skipped for it"),
        int("records", "", "records that were skipped for it"),
        text("severity", "note, warning (nothing was lost) or lost"),
        text("kind", "id of the kind of trouble, such as bad-json"),
        text("message", "what was wrong and what was done"),
    ],
    rows: warnings,
};

fn warnings<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    use crate::diag::Severity;
    for w in &scope.analysis.session.warnings {
        let severity = match w.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Lost => "lost",
        };
        out.plain([
            (&w.loc.file).into(),
            Some(w.loc.line).filter(|&n| n > 0).into(),
            w.loc.byte.into(),
            w.skipped.into(),
            w.records.into(),
            severity.into(),
            w.kind.word().into(),
            crate::tables::Value::Text(w.text()),
        ]);
    }
}
