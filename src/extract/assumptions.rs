//! Assumptions: what the agent says it takes for granted, and preconditions that it checks only after it planned on them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::extract::prose::{Kind, content_words, lines, offset, re, sentences};
use crate::session::{CallRef, MsgIx, Provenance, Session, Span, TextRef, ToolCall, ToolKind};

/// Longer sentences hold more than one thought.
const LONGEST: usize = 400;
/// Calls after a stated assumption that are looked through for a check.
const WINDOW: usize = 200;
/// Messages between a plan and the check of what it needs.
const NEAR: u32 = 3;
/// Characters of an output that are kept as the outcome.
const OUTCOME: usize = 160;

/// Something taken for granted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assumption {
    /// Message that assumes it.
    pub msg: MsgIx,
    /// Bytes of the text; for a precondition they stand in the message that checks it.
    pub span: Span,
    /// The assumption, an exact substring of the source.
    pub text: String,
    /// Stated, or needed by a plan.
    pub kind: AssumptionKind,
    /// First later message with a call that checks it.
    pub verified_msg: Option<MsgIx>,
    /// That call.
    #[serde(skip)]
    pub check: Option<CallRef>,
    /// What the check printed: its last line; `failed` when the call did.
    pub outcome: Option<String>,
}

/// How an assumption shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssumptionKind {
    /// The agent says that it assumes it.
    Stated,
    /// A plan stood before its precondition was checked.
    Precondition,
}

impl AssumptionKind {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Precondition => "precondition",
        }
    }
}

static STATED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:i(?:'m| am)? ?(?:assum(?:e|ing)|presum(?:e|ing))|i(?:'ll| will) assume|we (?:can |will |'ll )?assume|my assumption is|assuming) (?:here |for now )?(?:that )?(?P<text>[^.;:?]{8,200})",
    )
});
static PROBED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:check(?:ing)? (?:first )?that|(?:verify|confirm|make sure)(?:ing)? (?:first )?(?:that|if|whether)) (?P<text>[^.;:?,]{3,80}? (?:is|are) (?:still |already |actually |even )?(?:up|running|there|alive|present|available|installed|reachable|healthy|mounted|loaded|ready|listening|visible)|[^.;:?,]{3,80}? exists?)\b",
    )
});

/// Reads the assumptions of the agent, in order of the messages that make them.
pub fn extract(session: &Session) -> Vec<Assumption> {
    let planned: BTreeSet<MsgIx> =
        session.calls().filter(|(_, c)| c.kind == ToolKind::Plan).map(|(at, _)| at.msg).collect();
    let mut found = Vec::new();
    for text in session.texts().filter(|t| t.provenance == Provenance::Assistant) {
        if memchr::memmem::find(text.text.as_bytes(), b"ssum").is_some()
            || memchr::memmem::find(text.text.as_bytes(), b"resum").is_some()
        {
            found.extend(each(&text, &STATED).map(|said| stated(session, &text, said)));
        }
        if planned.range(MsgIx(text.msg.0.saturating_sub(NEAR))..text.msg).next().is_some() {
            found.extend(each(&text, &PROBED).filter_map(|said| precondition(session, &planned, &text, said)));
        }
    }
    found.sort_by_key(|a| (a.msg, a.span.msg, a.span.start));
    found
}

/// What a pattern finds in the sentences of a text.
fn each<'a>(text: &TextRef<'a>, pattern: &'static Regex) -> impl Iterator<Item = &'a str> + use<'a> {
    let said = |k: Kind| matches!(k, Kind::Text | Kind::Bullet | Kind::Numbered(_));
    let lines = lines(text.text).into_iter().filter(move |l| said(l.kind));
    lines
        .flat_map(|l| sentences(l.text))
        // A question to the user assumes nothing.
        .filter(|s| s.len() <= LONGEST && !s.trim_end_matches(['*', '"', ')']).ends_with('?'))
        .filter_map(|s| Some(pattern.captures(s)?.name("text")?.as_str().trim()))
}

fn made(text: &TextRef<'_>, said: &str, msg: MsgIx, kind: AssumptionKind) -> Assumption {
    let start = offset(text.text, said);
    let span = text.span(start, start + said.len());
    Assumption { msg, span, text: said.to_owned(), kind, verified_msg: None, check: None, outcome: None }
}

fn stated(session: &Session, text: &TextRef<'_>, said: &str) -> Assumption {
    let words = content_words(said);
    let later = session.calls().skip_while(|(at, _)| at.msg <= text.msg).take(WINDOW);
    let check = later.filter(|(_, c)| probes(c)).find(|(_, call)| names(call, &words));
    Assumption {
        verified_msg: check.map(|(at, _)| at.msg),
        check: check.map(|(at, _)| at),
        outcome: check.and_then(|(_, call)| outcome(call)),
        ..made(text, said, text.msg, AssumptionKind::Stated)
    }
}

/// A check announced right after a plan, with its call in the same message.
fn precondition(session: &Session, planned: &BTreeSet<MsgIx>, text: &TextRef<'_>, said: &str) -> Option<Assumption> {
    let plan = *planned.range(..text.msg).next_back()?;
    let thread = session.message(text.msg).thread;
    if session.message(plan).thread != thread {
        return None;
    }
    let mut here = session.calls().skip_while(|(at, _)| at.msg < text.msg).take_while(|(at, _)| at.msg == text.msg);
    let (at, call) = here.find(|(_, c)| probes(c))?;
    Some(Assumption {
        verified_msg: Some(text.msg),
        check: Some(at),
        outcome: outcome(call),
        ..made(text, said, plan, AssumptionKind::Precondition)
    })
}

/// Calls that look at something.
fn probes(call: &ToolCall) -> bool {
    matches!(call.kind, ToolKind::Shell | ToolKind::Read | ToolKind::Search | ToolKind::Fetch) && call.result.is_some()
}

/// Whether a call names what the words are about: two of them.
fn names(call: &ToolCall, words: &[String]) -> bool {
    let description = call.input.get("description").and_then(|d| d.as_str()).unwrap_or("");
    let about = [call.command().unwrap_or(""), call.target().unwrap_or(""), description].join(" ");
    let said = content_words(&about[..about.floor_char_boundary(1_000)]);
    words.iter().filter(|w| said.binary_search(w).is_ok()).take(2).count() == 2
}

/// The last line of what a call printed.
fn outcome(call: &ToolCall) -> Option<String> {
    let text = call.result.as_ref()?.text.as_str();
    let line = text.lines().rev().map(str::trim).find(|l| !l.is_empty());
    let line = line.map(|l| l.chars().take(OUTCOME).collect::<String>());
    if call.undone() { Some(line.map_or_else(|| "failed".to_owned(), |l| format!("failed: {l}"))) } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn a_stated_assumption_is_checked_or_not() {
        let session = SessionBuilder::new()
            .assistant("I'm assuming the cache folder is writable. We can assume that the clock is right.")
            .shell("ls -ld /var/cache/folder # cache folder", 0, "drwxrwxr-x")
            .build();
        let found = extract(&session);
        let got: Vec<_> = found.iter().map(|a| (a.text.as_str(), a.verified_msg, a.outcome.as_deref())).collect();
        assert_eq!(
            got,
            [("the cache folder is writable", Some(MsgIx(1)), Some("drwxrwxr-x")), ("the clock is right", None, None)]
        );
        assert!(found.iter().all(|a| session.quote(&a.span) == Some(a.text.as_str())));
    }

    #[test]
    fn a_plan_assumes_what_is_checked_after_it() {
        let todos = json!({"todos": [{"content": "Load it", "status": "pending", "activeForm": "x"}]});
        let session = SessionBuilder::new()
            .call("TodoWrite", todos, "ok")
            .assistant("First I check that the server is up.")
            .shell("systemctl is-active web", 3, "inactive")
            .merge()
            .build();
        let found = extract(&session);
        let got: Vec<_> =
            found.iter().map(|a| (a.msg, a.text.as_str(), a.verified_msg, a.outcome.as_deref())).collect();
        assert_eq!(got, [(MsgIx(0), "the server is up", Some(MsgIx(1)), Some("failed: inactive"))]);
    }

    #[test]
    fn questions_and_code_assume_nothing() {
        let asked = "I assume the lamp is the left one, correct?";
        assert_eq!(extract(&SessionBuilder::new().assistant(asked).build()), []);
        let text = "Do you resume?\n```\nassuming that x holds here\n```\nThe tests resume after that.";
        assert_eq!(extract(&SessionBuilder::new().assistant(text).build()), []);
    }
}
