//! Findings of the message, those that its plan takes up or leaves out, and what tools printed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, first};
use crate::extract::findings::{Finding, FindingStatus};
use crate::link::fate::{self, Fate};
use crate::link::{FactId, LinkKind};
use crate::session::MsgIx;

#[derive(Debug, Serialize)]
struct View {
    /// Findings that the message itself reports.
    own: Vec<Row>,
    own_count: usize,
    own_left: usize,
    fine: Vec<String>,
    planned: Option<Planned>,
    printed: Vec<Printed>,
}

#[derive(Debug, Serialize)]
struct Row {
    level: Option<String>,
    title: String,
    current: Option<String>,
    wanted: Option<String>,
    needs: Option<String>,
    fate: Option<&'static str>,
    fate_msg: Option<String>,
}

/// The last findings before the message, set against the items of its plan.
#[derive(Debug, Serialize)]
struct Planned {
    msg: String,
    named: Vec<Named>,
    left_out: Vec<Row>,
    late: Vec<Late>,
}

/// An item, and the findings that it names by a level or by its words.
#[derive(Debug, Serialize)]
struct Named {
    item: String,
    level: Option<String>,
    rows: Vec<Row>,
}

/// A call that acts on a finding after the item that names it was done.
#[derive(Debug, Serialize)]
struct Late {
    item: String,
    done: String,
    title: String,
    msg: String,
}

/// What tools printed in the message.
#[derive(Debug, Serialize)]
struct Printed {
    tool: &'static str,
    count: usize,
    titles: Vec<String>,
    gone: usize,
}

const ROWS: usize = 30;
const TITLES: usize = 5;
/// Calls that share only words with a finding do not act on it.
const SURE: f64 = 0.7;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let all = &subject.facts().findings.findings;
    let own: Vec<(usize, &Finding)> = all.iter().enumerate().filter(|(_, f)| f.msg == subject.ix).collect();
    let fates = fate::findings(subject.facts(), &subject.analysis.links);
    let (fine, found): (Vec<_>, Vec<_>) = own.into_iter().partition(|(_, f)| f.status == FindingStatus::Ok);
    let (own, own_left) = first(found.iter().map(|(i, f)| row(subject, f, fates[*i])), ROWS);
    let view = View {
        own,
        own_count: found.len(),
        own_left,
        fine: fine.iter().map(|(_, f)| f.title.clone()).collect(),
        planned: planned(subject, &fates),
        printed: printed(subject),
    };
    let nothing = view.own.is_empty() && view.fine.is_empty() && view.planned.is_none() && view.printed.is_empty();
    some(&view).filter(|_| !nothing)
}

fn row(subject: &Subject<'_>, f: &Finding, fate: Option<Fate>) -> Row {
    let fate = fate.filter(|fate| fate.msg > subject.ix);
    Row {
        level: f.level_text.clone(),
        title: f.title.clone(),
        current: f.current.clone(),
        wanted: f.wanted.clone(),
        needs: f.needs.clone(),
        fate: fate.map(|f| f.word),
        fate_msg: fate.map(|f| subject.name(f.msg)),
    }
}

/// Sets the last findings before the message against its items, when it is the plan that answers the next prompt.
fn planned(subject: &Subject<'_>, fates: &[Option<Fate>]) -> Option<Planned> {
    let all = &subject.facts().findings.findings;
    let snapshot = subject.snapshot().filter(|s| s.accepted)?;
    let last = all.iter().filter(|f| f.msg < subject.ix && f.restates.is_none()).map(|f| f.msg).max()?;
    let since = subject.prompt_before(subject.prompt?).unwrap_or(MsgIx(0));
    let is_new = subject.facts().plan.transitions.iter().any(|t| t.msg == subject.ix && t.is_change());
    if last < since || !is_new || !subject.is_first_answer() {
        return None;
    }
    let findings: Vec<(usize, &Finding)> =
        all.iter().enumerate().filter(|(_, f)| f.msg == last && f.status == FindingStatus::Actionable).collect();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let (mut named, mut late) = (Vec::new(), Vec::new());
    for item in &snapshot.items {
        let Some(ix) = item.item else { continue };
        let label = subject.facts().plan.items[ix.at()].label.clone();
        let mirrored = mirrored(subject, FactId::Item(ix.0));
        let level = findings.iter().find_map(|(_, f)| level_in(&item.text, f));
        let mine: Vec<&(usize, &Finding)> = findings
            .iter()
            .filter(|(i, f)| mirrored.contains(i) || (level.is_some() && level_in(&item.text, f) == level))
            .collect();
        if mine.is_empty() {
            continue;
        }
        taken.extend(mine.iter().map(|(i, _)| *i));
        late.extend(acts_late(subject, ix, &label, &mine));
        let rows = mine.iter().map(|(i, f)| row(subject, f, fates[*i])).collect();
        named.push(Named { item: label, level, rows });
    }
    let left_out: Vec<Row> =
        findings.iter().filter(|(i, _)| !taken.contains(i)).map(|(i, f)| row(subject, f, fates[*i])).collect();
    let unrelated = named.is_empty() && mirrors_none(subject);
    (!findings.is_empty() && !unrelated).then(|| Planned { msg: subject.name(last), named, left_out, late })
}

/// Whether no item of the message takes up a directive or a finding: then it is not a plan for them.
fn mirrors_none(subject: &Subject<'_>) -> bool {
    let links = subject.analysis.links.iter().filter(|l| l.kind == LinkKind::Mirrors && l.from_msg == subject.ix);
    links.count() == 0
}

fn mirrored(subject: &Subject<'_>, item: FactId) -> BTreeSet<usize> {
    let links = subject.analysis.links.iter().filter(|l| l.kind == LinkKind::Mirrors && l.from == item);
    let finding = |l: &crate::link::Link| match l.to {
        FactId::Finding(n) => Some(n as usize),
        _ => None,
    };
    links.filter_map(finding).collect()
}

/// The level of a finding, when the item's text names it: "apply the P0 fixes".
fn level_in(text: &str, f: &Finding) -> Option<String> {
    let levels = [&f.level_text, &f.level].into_iter().flatten();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    levels.into_iter().find(|level| words.any(|w| w == level.as_str())).cloned()
}

/// Calls that act on findings of an item after the item was done.
fn acts_late(
    subject: &Subject<'_>,
    item: crate::extract::plan::ItemIx,
    label: &str,
    findings: &[&(usize, &Finding)],
) -> Vec<Late> {
    let Some(done) = super::plan::done(subject, Some(item)).map(|t| t.msg) else { return Vec::new() };
    let mut last: BTreeMap<MsgIx, Late> = BTreeMap::new();
    for (i, f) in findings {
        let to = FactId::Finding(*i as u32);
        let acts = subject.analysis.links.iter().filter(|l| l.to == to && l.kind == LinkKind::ActsOn);
        let after = acts.filter(|l| l.confidence >= SURE && l.from_msg > done).map(|l| l.from_msg).min();
        let earlier = subject
            .analysis
            .links
            .iter()
            .any(|l| l.to == to && l.kind == LinkKind::ActsOn && l.confidence >= SURE && l.from_msg <= done);
        if let Some(msg) = after.filter(|_| !earlier) {
            last.entry(msg).or_insert_with(|| Late {
                item: label.to_owned(),
                done: subject.name(done),
                title: f.title.clone(),
                msg: subject.name(msg),
            });
        }
    }
    last.into_values().collect()
}

fn printed(subject: &Subject<'_>) -> Vec<Printed> {
    let mut by_tool: BTreeMap<&'static str, Printed> = BTreeMap::new();
    for p in subject.facts().printed.iter().filter(|p| p.msg == subject.ix) {
        let row =
            by_tool.entry(p.tool).or_insert_with(|| Printed { tool: p.tool, count: 0, titles: Vec::new(), gone: 0 });
        row.count += 1;
        row.gone += usize::from(p.gone_msg.is_some());
        if row.titles.len() < TITLES {
            row.titles.push(p.title.clone());
        }
    }
    by_tool.into_values().collect()
}
