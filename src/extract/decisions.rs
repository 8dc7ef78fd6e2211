//! Decisions: choices that a participant states, with the reason as written.
//!
//! Read are sentences of the agent that choose ("since X, I'll Y", "I'll Y instead of Z", "I decided to Y because X"),
//! answers to questions with choices, and plans that the user approved. What is merely done is no decision, and a reason
//! that is not written is not known.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::Serialize;

use crate::extract::options::OptionList;
use crate::extract::prose::{Kind, content_words, lines, offset, re, sentences};
use crate::session::{Field, MsgIx, Provenance, Session, Span, TextRef, ToolKind};

/// Longer sentences hold more than one thought.
const LONGEST: usize = 400;
/// Words that a later sentence has to share with a choice to take it back.
const SHARED: usize = 2;

/// A choice that a participant states.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// Message.
    pub msg: MsgIx,
    /// Bytes of the choice.
    pub span: Span,
    /// The choice, an exact substring of the source.
    pub choice: String,
    /// The reason, an exact substring of the source; `None` = not stated.
    pub reason: Option<String>,
    /// What was passed over, as written.
    pub alternatives: Vec<String>,
    /// Who chose.
    pub by: By,
    /// Later message that says the choice is taken back.
    pub reversed_msg: Option<MsgIx>,
}

/// Who made a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The agent.
    Assistant,
    /// The user.
    User,
}

impl By {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::User => "user",
        }
    }
}

/// Forms of a stated choice; the groups `choice`, `reason` and `other` name their parts.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"^\W*(?:since|because|given(?: that)?|as) (?P<reason>[^,]{6,200}), (?:so )?(?:i'll|i’ll|i will|i am going to|i'm going to|let me|let's|we'll|we should|i should) (?:instead )?(?P<choice>[^.;]{4,200})",
        r"\b(?:i'll|i’ll|i will|i'm going to|let's|we'll) (?P<choice>[^.;]{4,160}?),? (?:instead of|rather than) (?P<other>[^.;,]{3,120})(?:,? (?:because|since) (?P<reason>[^.;]{4,200}))?",
        r"\b(?:i (?:have )?decided to|i've decided to|i (?:have )?chosen? to|i chose to|i opted to|i'll go with|i will go with|let's go with|i'm going with|going with) (?P<choice>[^.;]{3,160}?)(?:,? (?:because|since|as it|as this) (?P<reason>[^.;]{4,200}))?(?:[.;]|$)",
        r"^\W*(?:i'll|i’ll|i will|let's|we'll) (?P<choice>(?:use|keep|skip|leave|avoid|pick|choose|defer|drop|stick with|switch to) [^.;]{3,160}?),? (?:because|since) (?P<reason>[^.;]{4,200})",
    ]
    .iter()
    .map(|p| re(p))
    .collect()
});
static CHEAP: LazyLock<aho_corasick::AhoCorasick> = LazyLock::new(|| {
    aho_corasick::AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .build([
            "since ",
            "because ",
            "given ",
            "instead of",
            "rather than",
            "decided to",
            "chose",
            "opted to",
            "go with",
            "going with",
            "as ",
        ])
        .expect("static words")
});
static DOUBT: LazyLock<Regex> =
    LazyLock::new(|| re(r"\?\W*$|^\W*(?:if|would|should|could|do you)\b|\b(?:would you|you could|you can)\b"));
static OPEN: LazyLock<Regex> = LazyLock::new(|| re(r"\bor\b"));
static APPROVED: LazyLock<Regex> = LazyLock::new(|| re(r"\buser (?:has )?approved (?:your|the) plan\b"));
static BACK: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:revert(?:ing|ed)?|undo(?:ing)?|roll(?:ing|ed)? back|(?:go|going) back (?:to|from)|switch(?:ing|ed)? back|abandon(?:ing|ed)?|instead of|drop(?:ping|ped)? (?:this|the|that) (?:approach|idea))\b",
    )
});

/// Reads the decisions of a session, in reading order.
pub fn extract(session: &Session, options: &[OptionList]) -> Vec<Decision> {
    let mut found: Vec<Decision> =
        session.texts().filter(|t| t.provenance == Provenance::Assistant).flat_map(|t| stated(&t)).collect();
    found.extend(options.iter().filter_map(|list| answered(session, list)));
    found.extend(approved(session));
    found.sort_by_key(|d| (d.msg, d.span.part, d.span.start));
    reversals(session, &mut found);
    found
}

/// Sentences of prose and of list items; code, tables and quotations state nothing of the speaker's own.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let said = |k: Kind| matches!(k, Kind::Text | Kind::Bullet | Kind::Numbered(_));
    let lines = lines(text).into_iter().filter(move |l| said(l.kind));
    lines.flat_map(|l| sentences(l.text)).filter(|s| s.len() <= LONGEST)
}

fn stated(text: &TextRef<'_>) -> Vec<Decision> {
    let likely = prose(text.text).filter(|s| CHEAP.is_match(*s) && !DOUBT.is_match(s));
    likely.filter_map(|s| FORMS.iter().find_map(|form| form.captures(s)).and_then(|c| decision(text, &c))).collect()
}

fn decision(text: &TextRef<'_>, c: &Captures<'_>) -> Option<Decision> {
    let part = |name: &str| c.name(name).map(|m| m.as_str().trim().trim_end_matches(['.', ':', ',']).to_owned());
    let choice = c.name("choice")?.as_str().trim().trim_end_matches(['.', ':', ',']);
    // What leaves two ways open decides nothing.
    if OPEN.is_match(choice) {
        return None;
    }
    let start = offset(text.text, choice);
    Some(Decision {
        msg: text.msg,
        span: text.span(start, start + choice.len()),
        choice: choice.to_owned(),
        reason: part("reason"),
        alternatives: part("other").into_iter().collect(),
        by: By::Assistant,
        reversed_msg: None,
    })
}

/// A question with choices whose answer names some of them.
fn answered(session: &Session, list: &OptionList) -> Option<Decision> {
    let span = &list.options.first()?.span;
    if !matches!(span.field, Field::Input(_)) {
        return None;
    }
    let call = session.call(crate::session::CallRef { msg: span.msg, part: span.part })?;
    let answer = call.result.as_ref()?.text.as_str();
    let (taken, rest): (Vec<_>, Vec<_>) = list.options.iter().partition(|o| answer.contains(&o.text));
    let first = taken.first()?;
    Some(Decision {
        msg: list.msg,
        span: first.span.clone(),
        choice: first.text.clone(),
        reason: None,
        alternatives: rest.into_iter().map(|o| o.text.clone()).collect(),
        by: By::User,
        reversed_msg: None,
    })
    // An answer that names every choice chooses none.
    .filter(|d| !d.alternatives.is_empty() || list.options.len() == 1)
}

/// Plans that the user approved; the choice is the first line of the plan.
fn approved(session: &Session) -> Vec<Decision> {
    let plans = session.calls().filter(|(_, c)| c.kind == ToolKind::Plan);
    plans
        .filter_map(|(at, call)| {
            let answer = call.result.as_ref().filter(|r| APPROVED.is_match(&r.text))?;
            let found = APPROVED.find(&answer.text)?;
            Some(Decision {
                msg: at.msg,
                span: Span {
                    msg: at.msg,
                    part: at.part,
                    field: Field::Output,
                    start: found.start() as u32,
                    end: found.end() as u32,
                },
                choice: found.as_str().to_owned(),
                reason: None,
                alternatives: Vec::new(),
                by: By::User,
                reversed_msg: None,
            })
        })
        .collect()
}

/// Sets the message that takes a choice back: a later sentence of going back that shares most words of the choice.
fn reversals(session: &Session, found: &mut [Decision]) {
    if found.is_empty() {
        return;
    }
    let mut back: Vec<(MsgIx, Vec<String>)> = Vec::new();
    for text in session.texts().filter(|t| t.provenance.is_said()) {
        back.extend(prose(text.text).filter_map(|s| BACK.find(s).map(|m| (text.msg, content_words(&s[m.end()..])))));
    }
    for decision in found.iter_mut().filter(|d| d.by == By::Assistant) {
        let words = content_words(&decision.choice);
        let from = back.partition_point(|(msg, _)| *msg <= decision.msg);
        let taken = back[from..].iter().take(64).find(|(_, said)| {
            let shared = said.iter().filter(|w| words.binary_search(w).is_ok()).count();
            shared >= SHARED && shared * 10 >= words.len() * 6
        });
        decision.reversed_msg = taken.map(|(msg, _)| *msg);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{options, table_kinds};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn read(session: &Session) -> Vec<Decision> {
        let found = extract(session, &options::extract(session, &table_kinds::extract(session)));
        assert!(found.iter().all(|d| session.quote(&d.span) == Some(d.choice.as_str())));
        found
    }

    #[test]
    fn reads_choices_with_their_reasons() {
        let rows = [
            ("Since the disk is full, I'll write to memory.", "write to memory", Some("the disk is full"), None),
            ("I'll patch the loader instead of the kernel.", "patch the loader", None, Some("the kernel")),
            ("I decided to keep the cache because it is cheap.", "keep the cache", Some("it is cheap"), None),
        ];
        for (text, choice, reason, other) in rows {
            let found = read(&SessionBuilder::new().assistant(text).build());
            let got: Vec<_> = found
                .iter()
                .map(|d| (d.choice.as_str(), d.reason.as_deref(), d.alternatives.first().map(String::as_str)))
                .collect();
            assert_eq!(got, [(choice, reason, other)], "{text}");
        }
    }

    #[test]
    fn deeds_questions_and_code_decide_nothing() {
        for text in [
            "I'll run the tests.",
            "Should I use tabs instead of spaces?",
            "```\n# since it fails, I'll skip\n```",
            "The build failed because the disk is full.",
            "If you prefer, I'll use tabs rather than spaces.",
            "I'll go with a blank name, or just handle it openly.",
        ] {
            assert_eq!(read(&SessionBuilder::new().assistant(text).build()), [], "{text}");
        }
    }

    #[test]
    fn answers_and_approvals_are_the_users() {
        let input = json!({"questions": [{"question": "Which?", "options": [{"label": "Red"}, {"label": "Blue"}]}]});
        let session = SessionBuilder::new()
            .call("AskUserQuestion", input, "User has answered: \"Which?\"=\"Blue\"")
            .call("ExitPlanMode", json!({"plan": "# Paint"}), "User has approved your plan. You can now start coding.")
            .build();
        let got: Vec<_> = read(&session).into_iter().map(|d| (d.choice, d.by, d.alternatives)).collect();
        assert_eq!(
            got,
            [
                ("Blue".to_owned(), By::User, vec!["Red".to_owned()]),
                ("User has approved your plan".to_owned(), By::User, vec![])
            ]
        );
    }

    #[test]
    fn a_choice_may_be_taken_back() {
        let session = SessionBuilder::new()
            .assistant("Since it is slow, I'll cache the parsed config.")
            .assistant("That broke reloads. Reverting the cached parsed config.")
            .build();
        assert_eq!(read(&session)[0].reversed_msg, Some(MsgIx(1)));
    }
}
