//! Directives, the items that mirror them, and the calls that act on them.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, asks, first};
use super::wording::{Wording, compare};
use crate::extract::directives::Directive;
use crate::extract::prose::tokens;
use crate::link::{FactId, LinkKind};
use crate::session::{MsgIx, Role};

#[derive(Debug, Serialize)]
struct View {
    from: String,
    of_prompt: bool,
    is_plan: bool,
    total: usize,
    rows: Vec<Row>,
    left: usize,
    mirrored: usize,
    /// Mirrored directives and their items stand in the same order.
    in_order: bool,
    verbatim: usize,
    unmirrored: Vec<String>,
    standing: Vec<Standing>,
}

#[derive(Debug, Serialize)]
struct Row {
    text: String,
    polarity: &'static str,
    constraint: Option<String>,
    /// Items of the message whose words carry the constraint.
    carried_by: Vec<String>,
    item: Option<Item>,
    acted: Vec<String>,
    acted_left: usize,
}

#[derive(Debug, Serialize)]
struct Item {
    label: String,
    text: String,
    msg: String,
    wording: Wording,
}

/// An instruction that holds without having been typed.
#[derive(Debug, Serialize)]
struct Standing {
    text: String,
    msg: String,
}

const ROWS: usize = 14;
const ACTED: usize = 4;
const STANDING: usize = 4;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let of_prompt = subject.message().role != Role::User;
    let from = if of_prompt { subject.prompt? } else { subject.ix };
    let all: Vec<(u32, &Directive)> = (0..).zip(&subject.facts().directives).filter(|(_, d)| d.msg == from).collect();
    let is_plan = of_prompt && subject.snapshot().is_some();
    let shown = shown(subject, &all, of_prompt);
    let standing = if is_plan { standing(subject) } else { Vec::new() };
    if shown.is_empty() && standing.is_empty() {
        return None;
    }
    let items: Vec<u32> = shown.iter().filter_map(|(i, _)| mirror(subject, *i)).collect();
    let unmirrored = shown.iter().filter(|(i, _)| mirror(subject, *i).is_none()).map(|(_, d)| d.text.clone());
    let unmirrored = unmirrored.collect();
    let (rows, left) = first(shown.iter().map(|(i, d)| row(subject, *i, d)), ROWS);
    some(View {
        from: subject.name(from),
        of_prompt,
        is_plan,
        total: all.len(),
        mirrored: items.len(),
        in_order: items.len() > 1 && items.is_sorted(),
        verbatim: rows.iter().filter(|r| r.item.as_ref().is_some_and(|i| i.wording.same)).count(),
        rows,
        left,
        unmirrored,
        standing,
    })
}

/// All directives for a prompt, and for the plan that answers one; of another reply those it acts on.
fn shown<'a>(subject: &Subject<'_>, all: &[(u32, &'a Directive)], of_prompt: bool) -> Vec<(u32, &'a Directive)> {
    let here = |i: u32, kind: LinkKind| {
        let to = FactId::Directive(i);
        subject.analysis.links.iter().any(|l| l.to == to && l.kind == kind && l.from_msg == subject.ix)
    };
    let plans = all.iter().any(|(i, _)| here(*i, LinkKind::Mirrors)) && subject.snapshot().is_some();
    let takes_all = !of_prompt || plans || (subject.snapshot().is_some() && subject.is_first_answer());
    all.iter().copied().filter(|(i, _)| takes_all || here(*i, LinkKind::ActsOn)).collect()
}

fn mirror(subject: &Subject<'_>, directive: u32) -> Option<u32> {
    let to = FactId::Directive(directive);
    let link = subject.analysis.links.iter().find(|l| l.to == to && l.kind == LinkKind::Mirrors)?;
    match link.from {
        FactId::Item(n) => Some(n),
        _ => None,
    }
}

fn row(subject: &Subject<'_>, i: u32, d: &Directive) -> Row {
    let to = FactId::Directive(i);
    let links = subject.analysis.links.iter().filter(|l| l.to == to && l.kind == LinkKind::ActsOn);
    let acted: BTreeSet<MsgIx> = links.map(|l| l.from_msg).collect();
    let (acted, acted_left) = first(acted.into_iter().map(|m| subject.name(m)), ACTED);
    let item = mirror(subject, i).and_then(|n| subject.facts().plan.items.get(n as usize));
    Row {
        text: d.text.clone(),
        polarity: d.polarity.word(),
        carried_by: d.constraint.as_deref().map_or_else(Vec::new, |c| carriers(subject, c)),
        constraint: d.constraint.clone().filter(|c| *c != d.text || item.is_some()),
        item: item.map(|item| {
            let text = first_text(subject, item);
            Item {
                label: item.label.clone(),
                wording: compare(&d.text, &text),
                text,
                msg: subject.name(item.first_msg),
            }
        }),
        acted,
        acted_left,
    }
}

/// The item's text when it was first written: it may have been reworded since.
fn first_text(subject: &Subject<'_>, item: &crate::extract::plan::PlanItem) -> String {
    let plan = &subject.facts().plan;
    let written = plan
        .transitions
        .iter()
        .find(|t| t.msg == item.first_msg && t.item.is_some_and(|i| plan.items[i.at()].label == item.label));
    written.map_or_else(|| item.text.clone(), |t| t.text.clone())
}

/// Items of the message's plan that hold the first word of content of a constraint.
fn carriers(subject: &Subject<'_>, constraint: &str) -> Vec<String> {
    let words: Vec<String> = tokens(constraint).map(str::to_lowercase).collect();
    let Some(word) = words.iter().find(|w| w.len() > 4 && !crate::extract::prose::is_stop(w)) else {
        return Vec::new();
    };
    let items = subject.snapshot().into_iter().flat_map(|s| &s.items);
    let holding = items.filter(|i| tokens(&i.text).any(|t| t.to_lowercase() == *word));
    holding.filter_map(|i| Some(subject.facts().plan.items[i.item?.at()].label.clone())).collect()
}

/// Instructions of the last summary before the message, each with the sentence or line that holds it.
fn standing(subject: &Subject<'_>) -> Vec<Standing> {
    let last = subject.before(subject.ix).find(|(_, m)| m.kind == crate::session::MessageKind::CompactionSummary);
    let near = last.filter(|(i, _)| subject.before(subject.ix).take_while(|(b, _)| b > i).all(|(_, m)| asks(m)));
    let Some((msg, _)) = near else { return Vec::new() };
    let mut lines: Vec<&str> = Vec::new();
    for s in subject.facts().standing.iter().filter(|s| s.directive.msg == msg) {
        let Some(text) = subject.session().text_of(&s.directive.span) else { continue };
        let at = s.directive.span.start as usize;
        let from = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let to = text[at..].find('\n').map_or(text.len(), |i| at + i);
        let line = text[from..to].trim().trim_start_matches(['-', '*', ' ']);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.into_iter().take(STANDING).map(|l| Standing { text: l.to_owned(), msg: subject.name(msg) }).collect()
}
