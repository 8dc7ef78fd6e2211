//! Lists of options or next steps, and questions with choices.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::extract::prose::{Kind, Line, lines, offset, re, unmarked};
use crate::extract::tables::{Table, TableKind};
use crate::session::{CallRef, Field, MsgIx, Provenance, Session, Span, TextRef, ToolCall, ToolKind};

/// A list of options or next steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptionList {
    /// Message.
    pub msg: MsgIx,
    /// Heading or sentence that introduces it.
    pub title: String,
    /// The options, in order.
    pub options: Vec<Opt>,
    /// They exclude each other: ways to do one thing, not steps that may all be taken.
    pub exclusive: bool,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Opt {
    /// Bytes of the text.
    pub span: Span,
    /// Text, an exact substring of the source.
    pub text: String,
    /// Number or letter by which it is listed, as written.
    pub marker: Option<String>,
}

static TITLE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(next steps?|(my|your|our|two|three|four|several|few|possible|available|the|these|main) options|^options|options? (are|for|to|we have|you have|going forward)|alternatives|(possible|potential|two|three|several|alternative) (approaches|solutions|fixes|improvements|optimi[sz]ations|ways|paths|strategies)|choices|ways? forward|what'?s next|future (work|improvements)|follow[- ]ups?|(would|do) you (like|want|prefer)|(you|we) (can|could) either|which (one|of these|option|approach))\b",
    )
});
static NO_TITLE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(command|cli|config(uration)?|compiler|build|menu|flags?|format|output|supported|allowed|valid|link(er)?|mount|render|editor) options|\boptions (parsed|struct|object|table)\b|^(completed|done|finished)",
    )
});
/// Titles of lists whose options exclude each other.
static EXCLUSIVE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(options?|approach(es)?|alternatives?|choices?|strateg(y|ies)|ways? (forward|to)|paths?|which|either|prefer)\b",
    )
});
static STEPS: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b(next|steps?|follow[- ]ups?|future|improvements?|fixes|optimi[sz]ations)\b|what'?s next"));
static NAMED: LazyLock<Regex> =
    LazyLock::new(|| re(r"^\W*(option|approach|alternative|choice|variant|path) ([A-F]|[1-9])\b\W*\w"));

/// Reads every list of options.
pub fn extract(session: &Session, tables: &[Table]) -> Vec<OptionList> {
    let mut found: Vec<OptionList> = Vec::new();
    for text in session.texts().filter(|t| reads(session, t)) {
        found.extend(in_text(&text));
    }
    found.extend(
        tables
            .iter()
            .filter(|t| t.kind == TableKind::Options && t.restates.is_none())
            .filter_map(|t| in_table(session, t)),
    );
    found.extend(session.calls().filter(|(_, c)| c.kind == ToolKind::Ask).flat_map(|(at, call)| in_question(at, call)));
    found.sort_by_key(|l| (l.msg, l.options.first().map(|o| (o.span.part, o.span.start))));
    new_only(session, found)
}

/// What the agent and the user say, and summaries; not tasks given to subagents.
fn reads(session: &Session, text: &TextRef<'_>) -> bool {
    match text.provenance {
        Provenance::Assistant | Provenance::Summary => true,
        Provenance::User => session.on_main(text.msg),
        _ => false,
    }
}

/// Lists of a summary whose options were all listed before are not new.
fn new_only(session: &Session, lists: Vec<OptionList>) -> Vec<OptionList> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut kept = Vec::new();
    for list in lists {
        let summary = Provenance::of_text(session.message(list.msg)) == Provenance::Summary;
        let old = list.options.iter().filter(|o| seen.contains(&o.text.to_lowercase())).count();
        if summary && old == list.options.len() {
            continue;
        }
        seen.extend(list.options.iter().map(|o| o.text.to_lowercase()));
        kept.push(list);
    }
    kept
}

fn in_text(text: &TextRef<'_>) -> Vec<OptionList> {
    if memchr::memchr(b'\n', text.text.as_bytes()).is_none() {
        return Vec::new();
    }
    let lines = lines(text.text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some((list, next)) = titled(text, &lines, at) {
            found.push(list);
            at = next;
        } else {
            at += 1;
        }
    }
    let named = named(text, &lines);
    // A heading of options over headings "Option A", "Option B" is one list, not two.
    found.retain(|l| !named.iter().any(|n| n.options.iter().any(|o| l.options.iter().any(|p| p.span == o.span))));
    found.extend(named);
    found
}

fn excludes(title: &str) -> bool {
    EXCLUSIVE.is_match(title) && !STEPS.is_match(title)
}

/// A heading or a line with a colon that speaks of options, and the list below it.
fn titled(text: &TextRef<'_>, lines: &[Line<'_>], at: usize) -> Option<(OptionList, usize)> {
    let line = lines[at];
    let heading = matches!(line.kind, Kind::Heading(_));
    let intro = line.kind == Kind::Text && unmarked(line.text).ends_with([':', '?']);
    let title = unmarked(line.text);
    if !(heading || intro) || !TITLE.is_match(title) || NO_TITLE.is_match(title) || title.len() > 300 {
        return None;
    }
    let first = at + 1 + lines[at + 1..].iter().position(|l| l.kind != Kind::Blank)?;
    // Under a heading one paragraph may stand before the list.
    let first = if heading && lines[first].kind == Kind::Text {
        first + lines[first..].iter().position(|l| l.kind != Kind::Text && l.kind != Kind::Blank)?
    } else {
        first
    };
    let indent = lines.get(first).filter(|l| l.kind.is_item())?.indent;
    let kind = lines[first].kind;
    let mut options = Vec::new();
    let mut next = first;
    while let Some(l) = lines.get(next) {
        let same = l.kind.is_item() && l.indent <= indent;
        let inner = l.kind == Kind::Blank || l.indent > indent || l.kind == Kind::Code;
        if same && matches!(l.kind, Kind::Numbered(_)) == matches!(kind, Kind::Numbered(_)) {
            let own = option(text, l.text);
            options.push(Opt { marker: own.marker.clone().or_else(|| number(l.kind)), ..own });
        } else if !inner {
            break;
        }
        next += 1;
    }
    let flags = options.iter().filter(|o| o.text.starts_with(['-', '`'])).count();
    (options.len() >= 2 && flags * 2 <= options.len() && options.len() <= 20).then(|| {
        let exclusive = excludes(title);
        (OptionList { msg: text.msg, title: title.to_owned(), options, exclusive }, next)
    })
}

fn number(kind: Kind) -> Option<String> {
    match kind {
        Kind::Numbered(n) => Some(n.to_string()),
        _ => None,
    }
}

/// "Option A: …", "Option B: …" wherever they stand in one text. A marker that comes again begins another list.
fn named(text: &TextRef<'_>, lines: &[Line<'_>]) -> Vec<OptionList> {
    let hits = (0..lines.len()).filter(|&i| !matches!(lines[i].kind, Kind::Code | Kind::Table));
    let hits = hits.filter_map(|i| Some((i, NAMED.captures(lines[i].text)?.get(2)?.as_str().to_uppercase())));
    let mut lists: Vec<(usize, Vec<Opt>)> = Vec::new();
    for (i, marker) in hits {
        let again = lists.last().is_none_or(|(_, o)| o.iter().any(|o| o.marker.as_deref() == Some(&marker)));
        if again {
            lists.push((i, Vec::new()));
        }
        if let Some((_, options)) = lists.last_mut() {
            options.push(Opt { marker: Some(marker), ..option(text, lines[i].text) });
        }
    }
    let listed = lists.into_iter().filter(|(_, options)| options.len() >= 2);
    let made = |(first, options): (usize, Vec<Opt>)| {
        let above = lines[..first].iter().rev().find(|l| l.kind != Kind::Blank).map_or("", |l| unmarked(l.text));
        OptionList { msg: text.msg, title: clip(above).to_owned(), options, exclusive: true }
    };
    listed.map(made).collect()
}

/// "**A. Keep it**": the letter or number that an item begins with.
static MARKED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\W*(?:(?i:option|approach|alternative|choice|variant) )?([A-F]|[1-9])(?:[.):]|\*\*)(?:\s|\*|$)")
        .expect("a marker of an item")
});

fn option(text: &TextRef<'_>, line: &str) -> Opt {
    let shown = clip(unmarked(line));
    let start = offset(text.text, shown);
    Opt { span: text.span(start, start + shown.len()), text: shown.to_owned(), marker: marked(shown) }
}

fn marked(shown: &str) -> Option<String> {
    MARKED.captures(shown).and_then(|c| c.get(1)).map(|m| m.as_str().to_owned())
}

fn clip(text: &str) -> &str {
    if text.len() <= 300 { text } else { &text[..text.floor_char_boundary(300)] }
}

fn in_table(session: &Session, table: &Table) -> Option<OptionList> {
    let options: Vec<Opt> = table
        .rows
        .iter()
        .filter_map(|row| {
            let cell = row.iter().find(|c| c.text.chars().any(char::is_alphabetic))?;
            Some(Opt { span: cell.span.clone(), text: session.quote(&cell.span)?.to_owned(), marker: None })
        })
        .collect();
    let title = table.caption.clone().unwrap_or_default();
    let said = table.provenance.is_said();
    let exclusive = excludes(&title);
    (said && options.len() >= 2).then_some(OptionList { msg: table.span.msg, title, options, exclusive })
}

/// The choices of a question put to the user.
fn in_question(at: CallRef, call: &ToolCall) -> Vec<OptionList> {
    let questions = call.input.get("questions").and_then(|q| q.as_array());
    let list = |(q, question): (usize, &serde_json::Value)| {
        let choices = question.get("options")?.as_array()?;
        let options: Vec<Opt> = choices
            .iter()
            .enumerate()
            .filter_map(|(o, choice)| {
                let text = choice.get("label")?.as_str()?;
                let field = Field::Input(format!("/questions/{q}/options/{o}/label"));
                let span = Span { msg: at.msg, part: at.part, field, start: 0, end: text.len() as u32 };
                Some(Opt { span, text: text.to_owned(), marker: None })
            })
            .collect();
        let title = question.get("question").and_then(|t| t.as_str()).unwrap_or_default().to_owned();
        let many = ["multiSelect", "multiple"].iter().any(|k| question.get(k) == Some(&serde_json::Value::Bool(true)));
        (!options.is_empty()).then_some(OptionList { msg: at.msg, title, options, exclusive: !many })
    };
    questions.into_iter().flatten().enumerate().filter_map(list).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;
    use crate::session::{MessageKind, Role};

    fn shown(session: &Session) -> Vec<(String, Vec<String>)> {
        let lists = extract(session, &crate::extract::table_kinds::extract(session));
        for o in lists.iter().flat_map(|l| &l.options) {
            assert_eq!(session.quote(&o.span), Some(o.text.as_str()));
        }
        lists.into_iter().map(|l| (l.title, l.options.into_iter().map(|o| o.text).collect())).collect()
    }

    #[test]
    fn reads_next_steps_and_named_options() {
        let session = SessionBuilder::new()
            .user("State.\n\n## Potential Next Steps\n1. Try **more** load\n   - with 64\n2. Drop the flag\n\nGo on.")
            .assistant("We can go two ways.\n\n**Option A: rewrite it**\ntext\n\n**Option B: patch it**\n")
            .assistant("Build options:\n- `--fast`\n- `--safe`\n")
            .build();
        assert_eq!(
            shown(&session),
            [
                ("Potential Next Steps".to_owned(), vec!["Try **more** load".to_owned(), "Drop the flag".to_owned()]),
                (
                    "We can go two ways.".to_owned(),
                    vec!["Option A: rewrite it".to_owned(), "Option B: patch it".to_owned()]
                ),
            ]
        );
    }

    #[test]
    fn reads_the_choices_of_a_question() {
        let input = serde_json::json!({"questions": [{"question": "Which?", "options": [{"label": "Red"}, {"label": "Blue"}]}]});
        let session = SessionBuilder::new().call("AskUserQuestion", input, "Red").build();
        assert_eq!(shown(&session), [("Which?".to_owned(), vec!["Red".to_owned(), "Blue".to_owned()])]);
    }

    #[test]
    fn equal_markers_begin_another_list() {
        let text = "Colour:\n\n**Option A: red**\n**Option B: blue**\n\nShape:\n\n**Option A: round**\n**Option B: square**\n**Option C: flat**\n";
        let session = SessionBuilder::new().assistant(text).build();
        let titles: Vec<_> = shown(&session).into_iter().map(|(title, options)| (title, options.len())).collect();
        assert_eq!(titles, [("Colour:".to_owned(), 2), ("Shape:".to_owned(), 3)]);
    }

    #[test]
    fn steps_do_not_exclude_each_other() {
        let list = |title: &str| format!("{title}:\n1. one thing\n2. other thing\n");
        for (title, exclusive) in [("Next steps", false), ("Two approaches", true), ("Options", true)] {
            let session = SessionBuilder::new().assistant(&list(title)).build();
            let lists = extract(&session, &[]);
            assert_eq!(lists[0].exclusive, exclusive, "{title}");
            assert_eq!(lists[0].options[1].marker.as_deref(), Some("2"));
        }
    }

    #[test]
    fn a_summary_repeats() {
        let list = "Next steps:\n- one thing\n- other thing\n";
        let session =
            SessionBuilder::new().assistant(list).text(Role::User, MessageKind::CompactionSummary, list).build();
        assert_eq!(shown(&session).len(), 1);
    }
}
