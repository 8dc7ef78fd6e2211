//! Artefacts: files that the session wrote, read back or deleted, or promised to write.

mod half;
mod place;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::session::patch;
use crate::session::{CallRef, CallStatus, MsgIx, Provenance, Session, Span, ToolCall, ToolKind};

/// A file that the session wrote, and where it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct Artefact {
    /// Path, as written by the tool (as promised, when nothing wrote it).
    pub path: String,
    /// Where it was first promised, before it was written.
    pub promised: Option<Span>,
    /// Calls that wrote or edited it, in order.
    pub written: Vec<CallRef>,
    /// Calls that read it, in order.
    pub read: Vec<CallRef>,
    /// Commands that deleted it, in order.
    pub deleted: Vec<CallRef>,
    /// Commands that may have changed, moved or removed it, in order.
    pub touched: Vec<CallRef>,
}

impl Artefact {
    /// Its state at the end, as far as calls tell: `written`, `deleted` or `promised`; `unknown` when a command that came
    /// last may have changed or removed it.
    pub fn state(&self) -> &'static str {
        let (written, deleted) = (self.written.last(), self.deleted.last());
        if self.touched.last() > written.max(deleted) && written.is_some() {
            return "unknown";
        }
        match (written, deleted) {
            (None, _) => "promised",
            (Some(w), Some(d)) if d > w => "deleted",
            (Some(_), _) => "written",
        }
    }
}

/// How many files calls in messages `from` up to `to` (not included) wrote.
pub fn written_between(artefacts: &[Artefact], from: MsgIx, to: MsgIx) -> usize {
    let within = |a: &&Artefact| {
        let first = a.written.partition_point(|r| r.msg < from);
        a.written.get(first).is_some_and(|r| r.msg < to)
    };
    artefacts.iter().filter(within).count()
}

static REDIRECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?:^|[^0-9&>=-])>{1,2}\s*(?:"([^"\n]+)"|'([^'\n]+)'|([\w./~-]+\.\w+))|\btee (?:-a )?([\w./~-]+\.\w+)"#,
    )
    .expect("a redirection")
});
static DELETE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)(?:^|[;&|]\s*|\n\s*)(?:sudo )?rm (?:-\w+ )*([^;&|\n]+)").expect("a deletion"));
static PROMISE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:i(?:'ll|’ll| will| am going to|'m going to)|let me(?: now)?|now i(?:'ll| will)|next,? i(?:'ll| will)) (?:now |also |then |first )?(?:write|create|save|document|put|record|generate|add)\b[^.\n]{0,80}?[`\x22(]?((?:[\w.~-]+/)*[\w-][\w.-]*\.(?:md|txt|json|jsonl|csv|html|py|rs|ts|js|go|sh|toml|yaml|yml|sql|log))\b",
    )
    .expect("a promise to write a file")
});

/// Commands that may change or remove the files they name; and those of which any file may be the target.
static TOUCH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)(?:^|[;&|(]\s*|\n\s*)(?:sudo )?(?:rm|mv|sed -i\S*|perl -\w*i\S*|truncate|shred|unlink|git (?:mv|rm|checkout|restore)|patch|dd|cp (?:-\w+ )*\S+) ([^;&|\n]+)")
        .expect("commands that change files")
});
static SWEEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bgit (?:reset --hard|clean -\w*f|stash(?: push)?(?:\s*$|\s*[;&])|checkout (?:-f|\.|-- \.)|restore \.)|\brm -\w*r\w* +\S*\*")
        .expect("commands that change any file")
});

/// The artefacts found so far, by path and by file name.
#[derive(Default)]
struct Found {
    /// Where relative paths of file tools begin, if the transcript says.
    folder: Option<String>,
    all: Vec<Artefact>,
    by_path: BTreeMap<String, usize>,
    by_name: BTreeMap<String, Vec<usize>>,
}

impl Found {
    /// The artefact of this path, which begins at a folder if it is relative; made when it is not there.
    fn make(&mut self, path: &str, from: Option<&str>) -> &mut Artefact {
        let key = place::key(path, from);
        let at = match self.by_path.get(&key) {
            Some(at) => *at,
            None => {
                let at = self.all.len();
                self.by_path.insert(key, at);
                self.by_name.entry(name(path).to_owned()).or_default().push(at);
                self.all.push(Artefact { path: path.to_owned(), ..Artefact::default() });
                at
            }
        };
        &mut self.all[at]
    }

    fn at(&self, path: &str) -> Option<usize> {
        self.by_path.get(&place::key(path, self.folder.as_deref())).copied()
    }

    /// What a file tool or a patch writes and deletes.
    fn patch(&mut self, r: CallRef, call: &ToolCall) {
        let folder = self.folder.clone();
        for path in call.written_paths() {
            self.make(path, folder.as_deref()).written.push(r);
        }
        for path in call.deleted_paths() {
            if let Some(at) = self.at(path) {
                self.all[at].deleted.push(r);
            }
        }
    }

    /// What a command writes, deletes and may have changed.
    fn command(&mut self, r: CallRef, call: &ToolCall, command: &str, from: Option<&str>, failed: bool) {
        let command = &patch::without(command);
        if failed {
            half::written(call, command).iter().for_each(|path| self.make(path, from).written.push(r));
            // Whether the others were written is not known.
            for at in redirected(command).filter_map(|path| self.by_path.get(&place::key(path, from)).copied()) {
                if self.all[at].written.last() != Some(&r) {
                    self.all[at].touched.push(r);
                }
            }
        } else {
            for path in redirected(command) {
                self.make(path, from).written.push(r);
            }
        }
        for path in deleted(command).filter(|_| !failed) {
            let key = place::key(path, from);
            let folder = format!("{}/", key.trim_end_matches('/'));
            let inside = self.by_path.range(folder.clone()..).take_while(|(p, _)| p.starts_with(&folder));
            let gone: Vec<usize> = inside.map(|(_, &at)| at).chain(self.by_path.get(&key).copied()).collect();
            for at in gone {
                self.all[at].deleted.push(r);
            }
        }
        let words = TOUCH.captures_iter(command).filter_map(|c| c.get(1)).flat_map(|m| m.as_str().split_whitespace());
        for word in words.map(|w| name(w.trim_matches(['"', '\'']))) {
            for &at in self.by_name.get(word).map_or(&[][..], Vec::as_slice) {
                let known = self.all[at].deleted.last() == Some(&r) || self.all[at].written.last() == Some(&r);
                if !known && self.all[at].touched.last() != Some(&r) {
                    self.all[at].touched.push(r);
                }
            }
        }
        if SWEEP.is_match(command) {
            self.all.iter_mut().for_each(|a| a.touched.push(r));
        }
    }
}

/// Collects the files that file tools and redirections wrote, and those promised by the agent.
pub fn extract(session: &Session) -> Vec<Artefact> {
    let mut found = Found { folder: session.cwd.clone().filter(|f| place::is_absolute(f)), ..Found::default() };
    let mut shells = place::Shells::new(session.cwd.as_deref());
    // A call that was not answered, or stopped, has not done what it was to do; some formats keep no answers at all.
    let answers = session.calls().any(|(_, call)| call.result.is_some());
    let done = |call: &ToolCall| {
        !call.undone() && call.status() != CallStatus::Interrupted && (!answers || call.result.is_some())
    };
    for (r, call) in session.calls().filter(|(r, _)| !session.message(r.msg).abandoned) {
        if done(call) {
            found.patch(r, call);
        }
        match (call.kind, call.path(), call.command()) {
            (ToolKind::Read, Some(path), _) if done(call) => {
                if let Some(i) = found.at(path) {
                    found.all[i].read.push(r);
                }
            }
            (_, _, Some(command)) => {
                let from = shells.folder(session.message(r.msg).thread, call, command);
                found.command(r, call, command, from.as_deref(), !done(call));
            }
            _ => {}
        }
    }
    promises(session, &mut found.all);
    found.all
}

/// Files that a command writes by `>` or `tee`; devices are none.
fn redirected(command: &str) -> impl Iterator<Item = &str> {
    let paths = REDIRECT.captures_iter(command).filter_map(|c| (1..5).find_map(|i| c.get(i)));
    let paths = paths.filter(|m| !in_comment(command, m.start())).map(|m| m.as_str());
    paths.filter(|p| !p.starts_with("/dev/") && !p.contains('$'))
}

/// Whether a place in a command line stands in a comment.
fn in_comment(command: &str, at: usize) -> bool {
    let line = &command[command[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    let even = |before: &str| ['"', '\''].iter().all(|quote| before.matches(*quote).count() % 2 == 0);
    line.match_indices('#').any(|(i, _)| (i == 0 || line[..i].ends_with([' ', '\t', ';'])) && even(&line[..i]))
}

fn deleted(command: &str) -> impl Iterator<Item = &str> {
    let lists = DELETE.captures_iter(command).filter_map(|c| c.get(1).map(|m| m.as_str()));
    lists.flat_map(str::split_whitespace).map(|p| p.trim_matches(['"', '\''])).filter(|p| !p.starts_with('-'))
}

/// Ties promises to the files written, and keeps those of which nothing was written.
fn promises(session: &Session, found: &mut Vec<Artefact>) {
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    for (i, artefact) in found.iter().enumerate() {
        by_name.entry(name(&artefact.path).to_owned()).or_insert(i);
    }
    for text in session.texts().filter(|t| t.provenance == Provenance::Assistant && !session.message(t.msg).abandoned) {
        for c in PROMISE.captures_iter(text.text) {
            let Some(path) = c.get(1) else { continue };
            let span = text.span(path.start(), path.end());
            let i = *by_name.entry(name(path.as_str()).to_owned()).or_insert_with(|| {
                found.push(Artefact { path: path.as_str().to_owned(), ..Artefact::default() });
                found.len() - 1
            });
            let before = found[i].written.first().is_none_or(|w| text.msg <= w.msg);
            if found[i].promised.is_none() && before {
                found[i].promised = Some(span);
            }
        }
    }
}

/// The last part of a path.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn arrows_and_comments_write_nothing() {
        let wrote = |line: &str| {
            let session = SessionBuilder::new().shell(line, 0, "").build();
            extract(&session).iter().filter(|a| !a.written.is_empty()).map(|a| a.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(wrote("# conf -> ../conf.d/site-a/x\nls"), [""; 0]);
        assert_eq!(wrote("make # then > out.log"), [""; 0]);
        assert_eq!(wrote("echo 'a => b.txt'"), [""; 0]);
        assert_eq!(wrote("echo '# head' > out.md"), ["out.md"]);
        assert_eq!(wrote("sort a#b > c.txt"), ["c.txt"]);
    }

    #[test]
    fn follows_a_file_from_promise_to_deletion() {
        let session = SessionBuilder::new()
            .assistant("I'll write the notes to docs/notes.md and then go on. Next I will create `other.txt`.")
            .call("Write", json!({"file_path": "/a/docs/notes.md", "content": "x"}), "ok")
            .call("Read", json!({"file_path": "/a/docs/notes.md"}), "x")
            .shell("echo 1 > out.log 2>/dev/null; ls > /dev/null", 0, "")
            .shell("cd /a && rm -f /a/docs/notes.md", 0, "")
            .shell("cat > never.txt", 1, "denied")
            .build();
        let found = extract(&session);
        let got: Vec<_> = found
            .iter()
            .map(|a| (a.path.as_str(), a.promised.is_some(), a.written.len(), a.read.len(), a.deleted.len(), a.state()))
            .collect();
        assert_eq!(
            got,
            [
                ("/a/docs/notes.md", true, 1, 1, 1, "deleted"),
                ("out.log", false, 1, 0, 0, "written"),
                ("other.txt", true, 0, 0, 0, "promised")
            ]
        );
    }

    #[test]
    fn a_patch_in_a_command_writes_and_deletes() {
        let patch = |lines: &str| format!("apply_patch <<'EOF'\n*** Begin Patch\n{lines}*** End Patch\nEOF");
        let session = SessionBuilder::new()
            .shell(&patch("*** Add File: a.md\n+one -> 1\n*** Add File: b.md\n+two > three.txt\n"), 0, "Done")
            .shell(&patch("*** Update File: a.md\n@@\n-one -> 1\n+1\n*** Delete File: b.md\n"), 0, "Done")
            .shell(&patch("*** Add File: never.md\n+x\n"), 1, "no")
            .build();
        let found = extract(&session);
        let got: Vec<_> = found.iter().map(|a| (a.path.as_str(), a.written.len(), a.state())).collect();
        assert_eq!(got, [("a.md", 2, "written"), ("b.md", 1, "deleted")]);
        // Two files in the first command, one in the second, none after it.
        let end = MsgIx(session.messages.len() as u32);
        let second = found[0].written[1].msg;
        assert_eq!(written_between(&found, MsgIx(0), second), 2);
        assert_eq!(written_between(&found, second, end), 1);
        assert_eq!(written_between(&found, MsgIx(second.0 + 1), end), 0);
    }

    #[test]
    fn one_file_under_a_relative_and_an_absolute_path_is_one() {
        let write = |path: &str| json!({"file_path": path, "content": "x"});
        let mut session = SessionBuilder::new()
            .call("Write", write("/w/a/x.md"), "ok")
            .call("Edit", write("a/x.md"), "ok")
            .shell("echo 1 > ./a/x.md", 0, "")
            .shell("cd a && echo 2 > x.md", 0, "")
            // Where the shell stands now is not known: another file, as far as can be told.
            .shell("echo 3 > x.md", 0, "")
            .shell("cd /w/a && echo 4 > ../a/x.md", 0, "")
            .call("Read", json!({"file_path": "/w/a/x.md"}), "x")
            .build();
        session.cwd = Some("/w".into());
        let found = extract(&session);
        let got: Vec<_> = found.iter().map(|a| (a.path.as_str(), a.written.len(), a.read.len())).collect();
        assert_eq!(got, [("/w/a/x.md", 5, 1), ("x.md", 1, 0)]);
        session.cwd = None;
        assert_eq!(extract(&session).len(), 3);
    }

    #[test]
    fn a_write_without_an_answer_has_not_written() {
        let write = json!({"file_path": "/a.md", "content": "x"});
        let open =
            SessionBuilder::new().call("Read", json!({"file_path": "/b"}), "x").call_with("w", "Write", write, None);
        assert!(extract(&open.build()).is_empty());
    }

    #[test]
    fn a_later_command_may_have_changed_a_file() {
        let state = |command: &str, exit: i64| {
            let write = json!({"file_path": "/a/docs/notes.md", "content": "x"});
            let session = SessionBuilder::new().call("Write", write, "ok").shell(command, exit, "").build();
            extract(&session)[0].state()
        };
        for (command, exit, want) in [
            ("ls /a/docs", 0, "written"),
            ("cat /a/docs/notes.md", 0, "written"),
            ("rm -rf /a/docs", 0, "deleted"),
            ("cd /a/docs && rm notes.md", 0, "deleted"),
            ("cd /b; rm notes.md", 0, "unknown"),
            ("rm /a/docs/notes.md && false", 1, "unknown"),
            ("mv /a/docs/notes.md /b", 0, "unknown"),
            ("sed -i s/x/y/ docs/notes.md", 0, "unknown"),
            ("git reset --hard", 0, "unknown"),
            ("echo y > /a/docs/notes.md", 0, "written"),
        ] {
            assert_eq!(state(command, exit), want, "{command}");
        }
    }
}
