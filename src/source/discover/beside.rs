//! The files that belong to a named one and stand near it.

use std::path::Path;

use super::{Found, Tried, file_below, try_input, whole_file};
use crate::diag::{Diag, Trouble};
use crate::source::{Format, regular};

/// Finds them. What has the name of one and cannot be read is told.
pub(super) fn read(format: &'static Format, path: &Path, found: &mut Vec<Found>, warnings: &mut Vec<Diag>) {
    let base = path.parent().unwrap_or(Path::new(""));
    for near in (format.companions)(path) {
        let input = file_below(base, &near);
        let loc = whole_file(&input.name);
        if let Some(what) = regular::special(&near) {
            warnings.push(Diag::warning(Trouble::SpecialFile, loc, format!("not read: {what}")));
            continue;
        }
        match try_input(input) {
            Ok(Tried::Taken(file, _)) if file.format.id == format.id => found.push(file),
            Ok(_) => {}
            Err(e) => warnings.push(Diag::lost(Trouble::Unreadable, loc, 0, 0, format!("{e}; passed over"))),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::net::UnixListener;

    use crate::source::discover;

    const LINE: &str = r#"{"type":"user","uuid":"U","sessionId":"s","message":{"content":"hello"}}"#;

    #[test]
    fn what_is_no_file_in_the_place_of_one_is_named() {
        let root = tempfile::tempdir().unwrap();
        let below = root.path().join("s/subagents");
        fs::create_dir_all(&below).unwrap();
        fs::write(root.path().join("s.jsonl"), LINE).unwrap();
        let _a = UnixListener::bind(below.join("agent-1.jsonl")).unwrap();
        let _b = UnixListener::bind(root.path().join("agent-2.jsonl")).unwrap();
        let found = discover(&[root.path().join("s.jsonl")]);
        let told: Vec<_> = found.warnings.iter().map(|w| (w.loc.file.as_str(), &*w.message)).collect();
        assert_eq!(
            told,
            [("agent-2.jsonl", "not read: a socket"), ("s/subagents/agent-1.jsonl", "not read: a socket")]
        );
        assert!(found.errors.is_empty() && found.groups[0].inputs.len() == 1);
        let (project, messages) = (root.path().join("session/p"), root.path().join("message/ses_a"));
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(&messages).unwrap();
        let info = r#"{"id":"ses_a","projectID":"p","directory":"/x","title":"t","version":"1","time":{"created":1}}"#;
        fs::write(project.join("ses_a.json"), info).unwrap();
        let _c = UnixListener::bind(messages.join("msg_1.json")).unwrap();
        let found = discover(&[project.join("ses_a.json")]);
        assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
        assert!(found.warnings[0].loc.file.ends_with("message/ses_a/msg_1.json"));
    }
}
