//! Options that the message lists or answers, and what became of each.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::Subject;
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
    unnamed: usize,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    text: String,
    fate: &'static str,
    item: Option<String>,
    at: Option<String>,
    /// Other lines of the list's message that name the same thing.
    said: Vec<String>,
}

/// Calls that share only words with an option do not take it up.
const NAMED: f64 = 0.7;
/// Other lines quoted for each option.
const LINES: usize = 2;
/// Longer lines are documents.
const LONGEST: usize = 400;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let acts = acts_after(subject);
    let mut lists = Vec::new();
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
        let rows: Vec<Row> = ids.zip(&list.options).map(|(id, o)| row(subject, &acts, id, o, list.msg)).collect();
        let count = |fates: &[&str]| rows.iter().filter(|r| fates.contains(&r.fate)).count();
        lists.push(List {
            msg: subject.name(list.msg),
            here: list.msg == subject.ix,
            title: list.title.clone(),
            count: rows.len(),
            selected: count(&["selected-here"]),
            unnamed: count(&["later", "never"]),
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
    acts: &BTreeMap<FactId, MsgIx>,
    id: u32,
    option: &crate::extract::options::Opt,
    msg: MsgIx,
) -> Row {
    let link = taken(subject, id);
    let item = link.and_then(|l| match l.from {
        FactId::Item(n) => subject.facts().plan.items.get(n as usize).map(|i| i.label.clone()),
        _ => None,
    });
    let act = acts.get(&FactId::Option(id)).copied();
    let fate = match (link, act) {
        (Some(l), _) if l.from_msg == subject.ix => "selected-here",
        (Some(l), _) if l.from_msg > subject.ix => "selected-later",
        (Some(_), _) => "selected-before",
        (None, Some(_)) => "later",
        (None, None) => "never",
    };
    let at = link.map(|l| l.from_msg).or(act).map(|m| subject.name(m));
    Row { text: option.text.clone(), fate, item, at, said: said(subject, &option.text, msg) }
}

/// The first call after the message that names the thing of an option, per option.
fn acts_after(subject: &Subject<'_>) -> BTreeMap<FactId, MsgIx> {
    let mut first = BTreeMap::new();
    let sure = subject.analysis.links.iter().filter(|l| l.kind == LinkKind::ActsOn && l.confidence >= NAMED);
    for l in sure.filter(|l| l.from_msg > subject.ix && matches!(l.to, FactId::Option(_))) {
        let slot = first.entry(l.to).or_insert(l.from_msg);
        *slot = l.from_msg.min(*slot);
    }
    first
}

/// Lines of the list's message that hold a name of the option: a flag, an identifier, a name in capitals.
fn said(subject: &Subject<'_>, option: &str, msg: MsgIx) -> Vec<String> {
    let names: Vec<&str> = option
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| matches!(c, '`' | '*' | '(' | ')' | ',' | ';' | '.' | ':' | '"')))
        .filter(|w| is_name(w))
        .collect();
    let text = subject.session().message(msg).text();
    let lines = text.lines().map(|l| l.trim().trim_start_matches(['-', '*', '+', ' ']));
    let others = lines.filter(|l| l.len() <= LONGEST && !l.contains(option) && !l.starts_with('|'));
    others.filter(|l| names.iter().any(|n| l.contains(n))).take(LINES).map(str::to_owned).collect()
}

fn is_name(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    word.starts_with("--") && word.len() > 4 || word.len() > 3 && (capitals >= 3 || word.contains('_'))
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn tells_names_from_words() {
        for (word, name) in
            [("--fast-copy", true), ("SPEC/DRAFT", true), ("max_batch", true), ("Benchmark", false), ("C=64", false)]
        {
            assert_eq!(is_name(word), name, "{word}");
        }
    }
}
