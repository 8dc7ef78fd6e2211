//! What a call does: it looks, changes files, runs something, or hands work on; and which of these the verbs of an item ask for.

use super::words::VERBS;
use crate::extract::episodes::command::{Class, class};
use crate::extract::episodes::shell::commands;
use crate::extract::plan::wording::{Wording, is_join};
use crate::session::{ToolCall, ToolKind};

/// One thing that a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Shows what is there.
    Look,
    /// Changes files, settings or history.
    Change,
    /// Fetches or installs something, starts or stops a service.
    Install,
    /// Runs a program: it may do anything.
    Run,
    /// Builds, tests or measures what is there.
    Try,
    /// Gives work to a subagent.
    Delegate,
}

/// Words of an item among which its verbs are looked for.
const BEGINNING: usize = 8;

/// What a call does.
pub(super) fn effects(call: &ToolCall) -> Vec<Effect> {
    match call.kind {
        _ if call.patch().is_some() => vec![Effect::Change],
        ToolKind::Read | ToolKind::Search | ToolKind::Fetch => vec![Effect::Look],
        ToolKind::Write | ToolKind::Edit => vec![Effect::Change],
        ToolKind::Task => vec![Effect::Delegate],
        ToolKind::Shell => call.command().map_or_else(|| vec![Effect::Run], of_script),
        _ => vec![Effect::Run],
    }
}

/// Programs that put files in place; others install, fetch, start or stop something.
const ARRANGES: &[&str] = &[
    "mkdir", "mv", "cp", "rm", "rmdir", "touch", "ln", "chmod", "chown", "truncate", "tar", "unzip", "zip", "rsync",
    "dd",
];

fn of_script(script: &str) -> Vec<Effect> {
    let mut out = Vec::new();
    for command in commands(script) {
        out.extend(match class(&command) {
            Class::Idle => &[][..],
            Class::Look => &[Effect::Look],
            Class::Probe => &[Effect::Look, Effect::Run],
            Class::Edit => &[Effect::Change],
            Class::Arrange if ARRANGES.contains(&command.program()) => &[Effect::Change],
            Class::Arrange => &[Effect::Install],
            Class::Commit => &[Effect::Change, Effect::Run],
            Class::Run => &[Effect::Run],
            Class::Build | Class::Test | Class::Bench => &[Effect::Try],
        });
        if command.into.as_ref().is_some_and(|file| !file.starts_with("/dev/")) {
            out.push(Effect::Change);
        }
        // Code typed into the command line that writes files.
        if command.fed && ["write_text(", ".write(", "writeFile", "'w')", "\"w\")"].iter().any(|w| script.contains(w)) {
            out.push(Effect::Change);
        }
    }
    out
}

/// What the verbs of an item ask for: those that begin it or a clause of it, and those that "and", "then" or "to" add.
pub(super) fn wanted(text: &str) -> Vec<Effect> {
    let mut out = Vec::new();
    let mut left = BEGINNING;
    for clause in text.split([':', '—', '–', ';', ',', '(', ')']) {
        let words = Wording::of(clause).words;
        let begins = |at: usize| at == 0 || is_join(&words[at - 1]) || words[at - 1] == "to";
        for word in words.iter().enumerate().take(left).filter(|(at, _)| begins(*at)).map(|(_, word)| word) {
            out.extend(VERBS.iter().filter(|(verbs, _)| verbs.iter().any(|v| is_verb(word, v))).flat_map(|(_, e)| *e));
        }
        left = left.saturating_sub(words.len());
    }
    out
}

/// Whether a word asks for nothing but a look, so that sharing it says nothing.
pub(super) fn asks_to_look(word: &str) -> bool {
    VERBS.iter().any(|(verbs, effects)| effects[0] == Effect::Look && verbs.iter().any(|v| is_verb(word, v)))
}

/// Whether a word is this verb: `fix`, `fixing`.
fn is_verb(word: &str, verb: &str) -> bool {
    let bare = verb.strip_suffix('e').unwrap_or(verb);
    word == verb
        || word.strip_suffix("ing").is_some_and(|stem| {
            let doubled = || stem.strip_prefix(bare).is_some_and(|rest| bare.ends_with(rest) && rest.len() == 1);
            stem == verb || stem == bare || doubled()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn commands_look_change_or_run() {
        for (script, effects) in [
            ("cd a && cat b.md | head", vec![Effect::Look]),
            ("git worktree add ../x -b y", vec![Effect::Change, Effect::Run]),
            ("mv a.c src/ && rm b.o", vec![Effect::Change]),
            ("pip install pumps", vec![Effect::Install]),
            ("go test ./...", vec![Effect::Try]),
            ("cat > spec.md <<'E'\nx\nE", vec![Effect::Change]),
            ("./pour.sh", vec![Effect::Run]),
            ("python3 - <<'E'\nopen('a', 'w').write('b')\nE", vec![Effect::Look, Effect::Run, Effect::Change]),
        ] {
            let session = SessionBuilder::new().shell(script, 0, "").build();
            let (_, call) = session.calls().next().unwrap();
            let mut found = super::effects(call);
            found.dedup();
            let mut wanted = effects;
            wanted.dedup();
            assert_eq!(found, wanted, "{script}");
        }
    }

    #[test]
    fn the_first_verb_counts_and_those_that_are_added() {
        assert_eq!(wanted("Update the benchmark to include pumps"), [Effect::Change]);
        assert_eq!(wanted("URGENT: Fixing the test harness"), [Effect::Change]);
        assert_eq!(wanted("Read the notes and write the summary"), [Effect::Look, Effect::Change]);
        assert_eq!(wanted("Running the pumps"), [Effect::Run, Effect::Try]);
        assert_eq!(wanted("Pack the archive"), []);
    }
}
