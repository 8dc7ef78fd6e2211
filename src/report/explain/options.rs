//! Options that the message lists or answers, and what became of each.

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::Subject;
use crate::extract::prose::content_words;
use crate::link::fate::{self, Fate};
use crate::link::{FactId, LinkKind};
use crate::session::MsgIx;

#[derive(Debug, Serialize)]
struct View {
    lists: Vec<List>,
}

#[derive(Debug, Serialize)]
struct List {
    msg: String,
    here: bool,
    title: String,
    count: usize,
    selected: usize,
    omitted: usize,
    /// Options that the message does not mention.
    silent: usize,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    text: String,
    fate: &'static str,
    /// The message holds no name of the option, or, where it has none, half of its words.
    silent: bool,
    item: Option<String>,
    at: Option<String>,
    /// Other lines of the list's message that name the same thing.
    said: Vec<String>,
}

/// Other lines quoted for each option.
const LINES: usize = 2;
/// Longer lines are documents.
const LONGEST: usize = 400;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let fates = fate::options(subject.facts(), &subject.analysis.links);
    let mut lists = Vec::new();
    let here = text_of(subject);
    // Older lists were answered, or left, by the prompts since.
    let since = subject.prompt.and_then(|p| subject.prompt_before(p));
    let mut first = 0;
    for list in &subject.facts().options {
        let ids = first..first + list.options.len() as u32;
        first = ids.end;
        let near = list.msg == subject.ix || Some(list.msg) >= since;
        let is_answered = near && ids.clone().any(|id| taken(subject, id).is_some_and(|l| l.from_msg == subject.ix));
        if list.msg != subject.ix && !is_answered {
            continue;
        }
        let rows: Vec<Row> = ids
            .zip(&list.options)
            .map(|(id, o)| row(subject, fates.get(id as usize).copied().flatten(), (id, o), (list.msg, &here)))
            .collect();
        let count = |fates: &[&str]| rows.iter().filter(|r| fates.contains(&r.fate)).count();
        lists.push(List {
            msg: subject.name(list.msg),
            here: list.msg == subject.ix,
            title: list.title.clone(),
            count: rows.len(),
            selected: count(&["selected-here"]),
            omitted: count(&["omitted-here"]),
            silent: rows.iter().filter(|r| r.silent).count(),
            rows,
        });
    }
    if lists.is_empty() { None } else { some(View { lists }) }
}

fn taken<'a>(subject: &Subject<'a>, id: u32) -> Option<&'a crate::link::Link> {
    let to = FactId::Option(id);
    let links = subject.analysis.links.iter();
    links.filter(|l| l.to == to).find(|l| matches!(l.kind, LinkKind::Selects | LinkKind::Mirrors))
}

fn row(
    subject: &Subject<'_>,
    fate: Option<Fate>,
    (id, option): (u32, &crate::extract::options::Opt),
    (msg, here): (MsgIx, &str),
) -> Row {
    let link = taken(subject, id);
    let item = link.filter(|_| fate.is_some()).and_then(|l| match l.from {
        FactId::Item(n) => subject.facts().plan.items.get(n as usize).map(|i| i.label.clone()),
        _ => None,
    });
    let at = fate.map(|f| f.msg);
    let fate = match fate {
        Some(f) if f.word == fate::OMITTED => {
            if f.msg == subject.ix {
                "omitted-here"
            } else {
                "omitted"
            }
        }
        Some(f) if f.word == fate::LATER => "later",
        Some(f) if f.msg == subject.ix => "selected-here",
        Some(f) if f.msg > subject.ix => "selected-later",
        Some(_) => "selected-before",
        None => "unknown",
    };
    let at = at.map(|m| subject.name(m));
    let silent = msg != subject.ix && fate != "selected-here" && !mentions(here, &option.text);
    Row { text: option.text.clone(), fate, silent, item, at, said: said(subject, &option.text, msg) }
}

/// Lines of the list's message that hold a name of the option: a flag, an identifier, a name in capitals.
fn said(subject: &Subject<'_>, option: &str, msg: MsgIx) -> Vec<String> {
    let names = names(option);
    let text = subject.session().message(msg).text();
    let lines = text.lines().map(|l| l.trim().trim_start_matches(['-', '*', '+', ' ']));
    let others = lines.filter(|l| l.len() <= LONGEST && !l.contains(option) && !l.starts_with('|'));
    others.filter(|l| names.iter().any(|n| l.contains(n))).take(LINES).map(str::to_owned).collect()
}

/// The names that an option gives.
fn names(option: &str) -> Vec<&str> {
    let marks = |c: char| matches!(c, '`' | '*' | '(' | ')' | ',' | ';' | '.' | ':' | '"');
    option.split_whitespace().map(|w| w.trim_matches(marks)).filter(|w| is_name(w)).collect()
}

/// What the message says, with the items of its plan.
fn text_of(subject: &Subject<'_>) -> String {
    let items = subject.snapshot().into_iter().flat_map(|s| &s.items).map(|i| i.text.as_str());
    std::iter::once(subject.message().text().as_str()).chain(items).collect::<Vec<_>>().join("\n")
}

/// Whether a text holds a name of an option, or, where it has none, half of its words.
fn mentions(text: &str, option: &str) -> bool {
    let names = names(option);
    if !names.is_empty() {
        return names.iter().any(|n| text.contains(n));
    }
    let (words, wanted) = (content_words(text), content_words(option));
    let shared = wanted.iter().filter(|w| words.binary_search(w).is_ok()).count();
    shared > 0 && shared * 2 >= wanted.len()
}

fn is_name(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    word.starts_with("--") && word.len() > 4 || word.len() > 3 && (capitals >= 3 || word.contains('_'))
}

#[cfg(test)]
mod tests {
    use super::{is_name, mentions};

    #[test]
    fn tells_names_from_words() {
        for (word, name) in
            [("--fast-copy", true), ("SPEC/DRAFT", true), ("max_batch", true), ("Benchmark", false), ("C=64", false)]
        {
            assert_eq!(is_name(word), name, "{word}");
        }
    }

    #[test]
    fn an_option_is_mentioned_by_its_name_or_half_of_its_words() {
        assert!(mentions("We set --fast-copy.", "Try --fast-copy for all"));
        assert!(!mentions("We try it for all.", "Try --fast-copy for all"));
        assert!(mentions("The fence is next.", "Paint the fence"));
        assert!(!mentions("The lawn is next.", "Paint the fence"));
    }
}
