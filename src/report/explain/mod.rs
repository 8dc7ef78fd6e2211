//! The article on one message: what it answers, what it holds, what came of it.

mod around;
mod plan;
mod telling;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::document::{Amount, cited, tidy};
use super::engine::Engine;
use super::section::messages;
use super::section::value::{label, number, pairs, percent, time, word};
use super::sentence;
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::MeasurementRole;
use crate::link::{FactId, LinkKind};
use crate::session::{MsgIx, PartBody, Role, Session, ToolKind};

pub use telling::{Telling, telling};

/// Everything the article says, as plain values.
#[derive(Debug, Serialize)]
pub struct Article {
    msg: String,
    role: &'static str,
    kind: &'static str,
    at: Option<String>,
    model: Option<String>,
    place: String,
    native_id: Option<String>,
    thread: Option<String>,
    abandoned: bool,
    texts: Vec<String>,
    calls: Vec<Call>,
    /// Kinds of tool with no call in the message, of those a reader would look for.
    absent: Vec<&'static str>,
    responds_to: Option<around::Said>,
    before: around::Before,
    asked: Vec<Asked>,
    options: Vec<OptionRow>,
    plan: Option<plan::PlanOfMessage>,
    left_out: Vec<LeftOut>,
    measured: Vec<Measured>,
    findings: BTreeMap<String, usize>,
    discrepancies: Vec<Disagreement>,
    next: Vec<around::Next>,
    builds_on: Vec<Reference>,
    referred_by: Vec<Reference>,
}

#[derive(Debug, Serialize)]
struct Call {
    tool: String,
    kind: &'static str,
    what: String,
    status: &'static str,
    exit_code: Option<i64>,
}

/// A discrepancy of the message, or of the prompt it answers.
#[derive(Debug, Serialize)]
struct Disagreement {
    text: String,
    rule: &'static str,
    experimental: bool,
}

/// A directive that the message answers, or holds, with the item that mirrors it.
#[derive(Debug, Serialize)]
struct Asked {
    directive: String,
    msg: String,
    polarity: String,
    constraint: Option<String>,
    item: Option<String>,
    item_text: Option<String>,
    item_msg: Option<String>,
    acted: Vec<String>,
}

#[derive(Debug, Serialize)]
struct OptionRow {
    text: String,
    msg: String,
    fate: &'static str,
    item: Option<String>,
    at: Option<String>,
}

/// A finding that no item of the message's plan takes up.
#[derive(Debug, Serialize)]
struct LeftOut {
    title: String,
    level: Option<String>,
    needs: Option<String>,
    msg: String,
}

#[derive(Debug, Serialize)]
struct Measured {
    metric: String,
    params: String,
    value: String,
    role: String,
    efficiency: Option<String>,
    gap: Option<String>,
    limit: Option<String>,
    limit_msg: Option<String>,
}

/// Another message and what ties it to this one.
#[derive(Debug, Serialize)]
struct Reference {
    msg: String,
    how: Vec<String>,
}

/// Calls that share only words with an option do not take it up.
const NAMED: f64 = 0.7;

/// Collects what the article on a message says.
pub fn article(engine: &Engine, analysis: &Analysis, ix: MsgIx) -> Result<Article, Error> {
    let session = &analysis.session;
    let m = session.message(ix);
    let file = session.sources.get(m.place.file as usize).map_or("", |s| s.file.as_str());
    let responds_to = around::responds_to(analysis, ix);
    let plan = plan::of_message(analysis, ix);
    Ok(Article {
        msg: label(session, ix),
        role: m.role.word(),
        kind: m.kind.word(),
        at: m.at.map(time),
        model: m.model.clone(),
        place: format!("{file}:{}", m.place.line),
        native_id: m.native_id.clone(),
        thread: (!session.on_main(ix)).then(|| session.threads[m.thread.0 as usize].label.clone()),
        abandoned: m.abandoned,
        texts: texts(session, ix),
        calls: m.calls().map(call).collect(),
        absent: absent(session, ix),
        before: around::before(analysis, ix),
        asked: asked(analysis, ix, responds_to.as_ref().map(|s| s.ix)),
        options: options(analysis, ix),
        left_out: if plan.is_some() { left_out(analysis, ix) } else { Vec::new() },
        plan,
        measured: measured(analysis, ix),
        findings: findings(analysis, ix),
        discrepancies: disagreements(engine, analysis, ix, responds_to.as_ref().map(|s| s.ix))?,
        next: around::next(analysis, ix),
        builds_on: references(analysis, ix, true),
        referred_by: references(analysis, ix, false),
        responds_to,
    })
}

/// Discrepancies that the message or the prompt it answers shows, or is set against.
fn disagreements(
    engine: &Engine,
    analysis: &Analysis,
    ix: MsgIx,
    prompt: Option<MsgIx>,
) -> Result<Vec<Disagreement>, Error> {
    let here = |m: MsgIx| m == ix || Some(m) == prompt;
    let of_message = analysis.discrepancies.iter().filter(|d| here(d.msg) || d.other_msg.is_some_and(here));
    of_message
        .map(|d| {
            let text = sentence::discrepancy(engine, &analysis.session, d)?;
            let experimental = crate::audit::rule(d.rule).is_some_and(|r| r.experimental);
            Ok(Disagreement { text, rule: d.rule, experimental })
        })
        .collect()
}

/// The article as Markdown, with the messages it cites behind it.
pub fn markdown(engine: &Engine, analysis: &Analysis, article: &Article) -> Result<String, Error> {
    #[derive(Serialize)]
    struct One<T> {
        s: T,
    }
    let body = engine.render("explain.md", article)?;
    let view = messages::view(&analysis.session, &cited(&body), Amount::Excerpt, &std::collections::BTreeMap::new());
    let appendix = engine.render("sections/messages.md", &One { s: view })?;
    Ok(tidy(&format!("{body}\n{appendix}")))
}

/// The article as JSON.
pub fn json(article: &Article) -> Result<Value, Error> {
    serde_json::to_value(article).map_err(|e| Error::Template(e.to_string()))
}

fn texts(session: &Session, ix: MsgIx) -> Vec<String> {
    let parts = session.message(ix).parts.iter();
    parts
        .filter_map(|p| match &p.body {
            PartBody::Text(t) if !t.trim().is_empty() => Some(t.clone()),
            _ => None,
        })
        .collect()
}

fn call(call: &crate::session::ToolCall) -> Call {
    Call {
        tool: call.tool.clone(),
        kind: call.kind.word(),
        what: call.command().or_else(|| call.target()).unwrap_or_default().to_string(),
        status: call.status().word(),
        exit_code: call.exit_code(),
    }
}

fn absent(session: &Session, ix: MsgIx) -> Vec<&'static str> {
    let m = session.message(ix);
    if m.role != Role::Assistant {
        return Vec::new();
    }
    let kinds: BTreeSet<ToolKind> = m.calls().map(|c| c.kind).collect();
    [ToolKind::Shell, ToolKind::Write, ToolKind::Edit]
        .into_iter()
        .filter(|k| !kinds.contains(k))
        .map(|k| k.word())
        .collect()
}

/// Directives of the message itself, or of the prompt it answers.
fn asked(analysis: &Analysis, ix: MsgIx, prompt: Option<MsgIx>) -> Vec<Asked> {
    let (session, facts) = (&analysis.session, &analysis.facts);
    let from = if session.message(ix).role == Role::User { Some(ix) } else { prompt };
    let directives = facts.directives.iter().enumerate().filter(|(_, d)| Some(d.msg) == from);
    directives
        .map(|(i, d)| {
            let to = FactId::Directive(i as u32);
            let mirror = analysis.links.iter().find(|l| l.to == to && l.kind == LinkKind::Mirrors);
            let item = mirror.and_then(|l| match l.from {
                FactId::Item(n) => facts.plan.items.get(n as usize),
                _ => None,
            });
            let acted: BTreeSet<MsgIx> = analysis
                .links
                .iter()
                .filter(|l| l.to == to && l.kind == LinkKind::ActsOn)
                .map(|l| l.from_msg)
                .collect();
            Asked {
                directive: d.text.clone(),
                msg: label(session, d.msg),
                polarity: word(d.polarity),
                constraint: d.constraint.clone(),
                item: item.map(|i| i.label.clone()),
                item_text: item.map(|i| i.text.clone()),
                item_msg: item.map(|i| label(session, i.first_msg)),
                acted: acted.into_iter().take(4).map(|ix| label(session, ix)).collect(),
            }
        })
        .collect()
}

/// Options of the last list before the message or in it, when the message took some of them up.
fn options(analysis: &Analysis, ix: MsgIx) -> Vec<OptionRow> {
    let (session, facts) = (&analysis.session, &analysis.facts);
    let acts = acts_after(analysis, ix);
    let mut first = 0;
    let mut rows = Vec::new();
    for list in &facts.options {
        let ids = first..first + list.options.len() as u32;
        first = ids.end;
        let taken = |id: u32| {
            let to = FactId::Option(id);
            analysis.links.iter().find(|l| l.to == to && matches!(l.kind, LinkKind::Selects | LinkKind::Mirrors))
        };
        let is_answered = ids.clone().any(|id| taken(id).is_some_and(|l| l.from_msg == ix));
        if !(list.msg == ix || is_answered) {
            continue;
        }
        for (id, option) in ids.zip(&list.options) {
            let link = taken(id);
            let item = link.and_then(|l| match l.from {
                FactId::Item(n) => facts.plan.items.get(n as usize).map(|i| i.label.clone()),
                _ => None,
            });
            let act = acts.get(&FactId::Option(id)).copied();
            let fate = match (link, act) {
                (Some(l), _) if l.from_msg == ix => "selected here",
                (Some(l), _) if l.from_msg > ix => "taken up later",
                (Some(_), _) => "taken up before",
                (None, Some(_)) => "not mentioned here, taken up later",
                (None, None) => "not mentioned here, no later item or call found",
            };
            let at = link.map(|l| l.from_msg).or(act).map(|m| label(session, m));
            rows.push(OptionRow { text: option.text.clone(), msg: label(session, list.msg), fate, item, at });
        }
    }
    rows
}

/// The first call after a message that names the thing of an option, per option.
fn acts_after(analysis: &Analysis, ix: MsgIx) -> BTreeMap<FactId, MsgIx> {
    let mut first = BTreeMap::new();
    let sure = analysis.links.iter().filter(|l| l.kind == LinkKind::ActsOn && l.confidence >= NAMED);
    for l in sure.filter(|l| l.from_msg > ix && matches!(l.to, FactId::Option(_))) {
        let slot = first.entry(l.to).or_insert(l.from_msg);
        *slot = l.from_msg.min(*slot);
    }
    first
}

/// Findings of the last message with findings before this one that no item mirrors.
fn left_out(analysis: &Analysis, ix: MsgIx) -> Vec<LeftOut> {
    use crate::extract::findings::FindingStatus::Actionable;
    let all = &analysis.facts.findings.findings;
    let Some(last) = all.iter().filter(|f| f.msg < ix && f.restates.is_none()).map(|f| f.msg).max() else {
        return Vec::new();
    };
    let mirrored: BTreeSet<FactId> =
        analysis.links.iter().filter(|l| l.kind == LinkKind::Mirrors && l.from_msg == ix).map(|l| l.to).collect();
    // An item such as "apply the P0 fixes" names every finding of that level.
    let snapshots = analysis.facts.plan.snapshots.iter().filter(|s| s.msg == ix);
    let items: Vec<&str> = snapshots.flat_map(|s| &s.items).map(|i| i.text.as_str()).collect();
    let names = |level: &str| items.iter().any(|t| t.split(|c: char| !c.is_alphanumeric()).any(|w| w == level));
    let open = all.iter().enumerate().filter(|(i, f)| {
        let is_named = [&f.level, &f.level_text].into_iter().flatten().any(|level| names(level));
        f.msg == last && f.status == Actionable && !is_named && !mirrored.contains(&FactId::Finding(*i as u32))
    });
    open.map(|(_, f)| LeftOut {
        title: f.title.clone(),
        level: f.level_text.clone(),
        needs: f.needs.clone(),
        msg: label(&analysis.session, f.msg),
    })
    .collect()
}

fn measured(analysis: &Analysis, ix: MsgIx) -> Vec<Measured> {
    let bench = &analysis.facts.bench;
    let here = bench.measurements.iter().enumerate().filter(|(_, m)| m.msg == ix && m.role != MeasurementRole::Derived);
    here.map(|(i, m)| {
        let best = bench.efficiencies.iter().find(|e| e.measurement as usize == i);
        let limit = best.map(|e| &bench.limits[e.limit as usize]);
        Measured {
            metric: m.metric.clone(),
            params: pairs(&m.params),
            value: format!(
                "{} {}",
                m.value.map_or_else(|| "range".into(), number),
                m.unit.as_deref().unwrap_or_default()
            ),
            role: word(m.role),
            efficiency: best.map(|e| percent(e.efficiency)),
            gap: best.map(|e| percent(e.gap)),
            limit: limit.map(|l| format!("{} {}", number(l.value), l.unit)),
            limit_msg: limit.and_then(|l| l.msg).map(|ix| label(&analysis.session, ix)),
        }
    })
    .collect()
}

fn findings(analysis: &Analysis, ix: MsgIx) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for f in analysis.facts.findings.findings.iter().filter(|f| f.msg == ix) {
        let what = match &f.level {
            Some(level) if f.status != crate::extract::findings::FindingStatus::Ok => level.clone(),
            _ => f.status.word().to_string(),
        };
        *counts.entry(what).or_default() += 1;
    }
    counts
}

/// Messages that this one builds on (`back`), or that build on it, by links between their facts.
fn references(analysis: &Analysis, ix: MsgIx, back: bool) -> Vec<Reference> {
    let mut by_msg: BTreeMap<MsgIx, BTreeSet<&str>> = BTreeMap::new();
    for l in &analysis.links {
        let (this, other) = if back { (l.from_msg, l.to_msg) } else { (l.to_msg, l.from_msg) };
        let is_plain = matches!(l.kind, LinkKind::ResultOf);
        if this == ix && other != ix && !is_plain && (other < ix) == back {
            by_msg.entry(other).or_default().insert(l.kind.word());
        }
    }
    let how = |words: BTreeSet<&str>| words.into_iter().map(|w| w.replace('_', " ")).collect();
    by_msg
        .into_iter()
        .take(24)
        .map(|(m, words)| Reference { msg: label(&analysis.session, m), how: how(words) })
        .collect()
}
