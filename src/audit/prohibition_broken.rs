//! Something the user forbade was done all the same.

use std::sync::LazyLock;

use regex::Regex;

use super::words::{re, shown};
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::directives::{Directive, Polarity};
use crate::session::{CallRef, MsgIx, Session, ToolCall, ToolKind};

pub(super) const RULE: Rule = Rule {
    id: "prohibition-broken",
    severity: Severity::High,
    experimental: true,
    doc: r#"
**What it finds.** The user forbade to change a named file, to commit, to push, to reboot or to install, and a later call that worked did so.

**Why it matters.** It is the plainest breach of an instruction, and often not mentioned in the closing report.

**Example.** "Do not modify `tests/conftest.py`", and an `Edit` of that file that the tool confirms.

**Exceptions.** Failed and unanswered calls; anything after a later prompt of the user that names the same deed or file; prohibitions that
hold until something ("not yet", "before", "until", "without", "unless").
"#,
    check,
};

/// What is forbidden.
enum Ban {
    /// Changing files with this path or name.
    Change(String),
    /// A kind of command, proved by its output.
    Command(&'static Regex, &'static Regex),
}

static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(yet|until|unless|before|without|if|when|while|more than|other|unnecessar\w*|except|anything else|only|just|again|instead)\b",
    )
});
static FILE: LazyLock<Regex> = LazyLock::new(|| re(r"`?((?:[\w.~-]*/)*[\w-]+\.[a-z][\w]{0,5})\b`?"));
static COMMIT: LazyLock<Regex> = LazyLock::new(|| re(r"(?:^|[;&|\n]\s*)git (?:-C \S+ )?commit\b"));
static COMMITTED: LazyLock<Regex> = LazyLock::new(|| re(r"(?m)^\[[^\]\n]+ (?:\(root-commit\) )?[0-9a-f]{7,}\]"));
static PUSH: LazyLock<Regex> = LazyLock::new(|| re(r"(?:^|[;&|\n]\s*)git (?:-C \S+ )?push\b"));
static PUSHED: LazyLock<Regex> = LazyLock::new(|| re(r"(?m)(?:[0-9a-f]{7,}\.\.\.?[0-9a-f]{7,}|\[new branch\]).* -> "));

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let forbidden =
        e.facts.directives.iter().filter(|d| d.polarity == Polarity::Dont && d.typed && !CONDITION.is_match(&d.text));
    forbidden.filter_map(|d| ban(d).and_then(|ban| broken(e, d, &ban))).collect()
}

fn ban(directive: &Directive) -> Option<Ban> {
    let object = directive.object.as_deref().unwrap_or("");
    match directive.verb.as_str() {
        "modify" | "edit" | "touch" | "change" | "alter" | "delete" | "remove" | "update" | "overwrite" => {
            let file = FILE.captures(object)?.get(1)?.as_str();
            Some(Ban::Change(file.trim_start_matches("./").to_owned()))
        }
        "commit" if object.len() < 20 => Some(Ban::Command(&COMMIT, &COMMITTED)),
        "push" if object.len() < 20 => Some(Ban::Command(&PUSH, &PUSHED)),
        _ => None,
    }
}

/// The first call that breaks the ban before the user lifts it.
fn broken(e: &Evidence<'_>, directive: &Directive, ban: &Ban) -> Option<Discrepancy> {
    let lifted = lifted(e, directive, ban);
    let from = e.facts.calls.partition_point(|c| c.msg <= directive.msg);
    let calls = e.facts.calls[from..].iter().take_while(|c| lifted.is_none_or(|l| c.msg < l));
    let (at, call) =
        calls.filter_map(|r| Some((*r, e.session.call(*r)?))).find(|(r, call)| breaks(e.session, *r, call, ban))?;
    let deed = call.command().map(shown).or_else(|| call.path().map(str::to_owned)).unwrap_or_default();
    let found = Discrepancy::of(&RULE, at.msg).against(directive.msg).at(&directive.span);
    Some(found.value("said", directive.text.clone()).value("tool", call.tool.clone()).value("deed", deed))
}

/// The next prompt that names the deed or the file again: from there on the ban is not certain.
fn lifted(e: &Evidence<'_>, directive: &Directive, ban: &Ban) -> Option<MsgIx> {
    let name = match ban {
        Ban::Change(path) => crate::extract::artefacts::name(path).to_lowercase(),
        Ban::Command(..) => directive.verb.clone(),
    };
    let later = e.session.texts().filter(|t| t.msg > directive.msg && t.provenance == crate::session::Provenance::User);
    later.filter(|t| t.text.to_lowercase().contains(&name)).map(|t| t.msg).next()
}

fn breaks(session: &Session, at: CallRef, call: &ToolCall, ban: &Ban) -> bool {
    if !call.worked() || session.message(at.msg).abandoned {
        return false;
    }
    match ban {
        Ban::Change(path) => {
            let same = |p: &str| p == path || p.ends_with(&format!("/{path}"));
            matches!(call.kind, ToolKind::Edit | ToolKind::Write) && call.path().is_some_and(same)
        }
        Ban::Command(run, proof) => {
            let output = call.result.as_ref().map_or("", |r| r.text.as_str());
            call.command().is_some_and(|c| run.is_match(c)) && proof.is_match(output)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn finds_a_forbidden_edit_and_commit() {
        let session = SessionBuilder::new()
            .user("Fix the bug. Do not modify src/a.py. Don't commit.")
            .call("Edit", json!({"file_path": "/w/src/a.py"}), "updated")
            .shell("git commit -am x", 0, "[main 1a2b3c4] x")
            .build();
        let deeds: Vec<_> = fire(&RULE, &session).iter().map(|d| d.values["deed"].clone()).collect();
        assert_eq!(deeds, ["/w/src/a.py", "git commit -am x"]);
    }

    #[test]
    fn failed_calls_other_files_and_later_leave_are_fine() {
        let session = SessionBuilder::new()
            .user("Do not modify src/a.py. Don't commit.")
            .call("Edit", json!({"file_path": "/w/src/aa.py"}), "updated")
            .shell("git commit -am x", 1, "nothing to commit")
            .user("now commit it")
            .shell("git commit -am x", 0, "[main 1a2b3c4] x")
            .build();
        assert_eq!(fire(&RULE, &session), []);
    }
}
