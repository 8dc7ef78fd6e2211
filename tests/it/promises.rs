//! What holds for any bytes whatever: nothing panics, every byte is accounted for, and a page made from them passes the
//! gate. The property tests and the coverage-guided runs in `fuzz/` ask the same questions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::report::document::{Choices, document};
use turnpoint::report::engine::{Engine, Target};
use turnpoint::report::html;
use turnpoint::session::Session;
use turnpoint::source::{self, FORMATS, Format, Group, Head, Input};

#[path = "gate.rs"]
mod gate;

/// The format of this name.
pub(crate) fn format(id: &str) -> &'static Format {
    FORMATS.iter().find(|f| f.id == id).unwrap_or_else(|| panic!("no format {id}"))
}

/// Files as one format: its sessions, whose accounts were checked. Unreadable ones give none.
pub(crate) fn load(format: &'static Format, files: &[(String, Vec<u8>)]) -> Vec<Session> {
    for (name, bytes) in files {
        let whole = bytes.len() <= Head::SIZE;
        let head = Head { name, path: None, bytes: &bytes[..bytes.len().min(Head::SIZE)], whole };
        (format.sniff)(&head);
        (format.keys)(&head);
    }
    let inputs: Vec<Input> = files.iter().map(|(name, bytes)| Input::bytes(name, bytes.clone())).collect();
    let sessions = source::load(&Group { format, inputs }, None).unwrap_or_default();
    check(&sessions);
    whole(format, files, &sessions);
    sessions
}

/// Every byte and record that a session names is used or named in a warning.
pub(crate) fn check(sessions: &[Session]) {
    for session in sessions {
        for s in &session.sources {
            assert_eq!(s.bytes_read, s.bytes_used + s.bytes_skipped, "{}: bytes", s.file);
            assert_eq!(s.records, s.kept + s.copies + s.skipped, "{}: records", s.file);
            let named = session.warnings.iter().filter(|w| w.loc.file == s.file).map(|w| w.skipped).sum::<u64>();
            assert_eq!(s.bytes_skipped, named, "{}: bytes named in warnings", s.file);
        }
        assert!(session.warnings.iter().all(|w| w.message.chars().count() <= 540), "a warning is too long");
        let labels: BTreeSet<_> = session.messages.iter().map(|m| &m.label).collect();
        assert_eq!(labels.len(), session.messages.len(), "a number stands twice");
    }
}

/// All bytes of a file are read. Databases count rows; packed and UTF-16 inputs what they unpack to.
fn whole(format: &Format, files: &[(String, Vec<u8>)], sessions: &[Session]) {
    let mut read: BTreeMap<&str, u64> = BTreeMap::new();
    for s in sessions.iter().flat_map(|s| &s.sources) {
        *read.entry(&s.file).or_default() += s.bytes_read;
    }
    let marks = [&[0x1F, 0x8B][..], &[0x28, 0xB5], &[0xFF, 0xFE], &[0xFE, 0xFF]];
    let plain = |b: &[u8]| !marks.iter().any(|m| b.starts_with(m));
    if format.id != "opencode-db" && !sessions.is_empty() {
        for (name, bytes) in files.iter().filter(|(_, b)| plain(b)) {
            assert_eq!(read.get(name.as_str()), Some(&(bytes.len() as u64)), "{name}: bytes of the file");
        }
    }
}

static ENGINE: LazyLock<Engine> =
    LazyLock::new(|| Engine::new(Target::Markdown, None).expect("the templates are sound"));

/// Reads the templates, so that no run has to.
pub(crate) fn warm() {
    LazyLock::force(&ENGINE);
}

/// Analyses a session and writes its report, which must pass the gate.
pub(crate) fn report(session: Session) -> Analysis {
    let analysis = analyse(session, &Config::default(), true);
    let choices = Choices { full: true, ..Choices::default() };
    let doc = document(&ENGINE, &analysis, &choices).expect("the templates fit");
    let page = html::page(&ENGINE, &doc.title, &doc.markdown, &doc.figures).expect("the template fits");
    let wrong = gate::check(&page);
    assert!(wrong.is_empty(), "the page does not pass the gate: {wrong:#?}");
    analysis
}
