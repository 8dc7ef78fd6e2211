//! The summary: what a reader with two minutes needs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::value::{duration, label, number, pairs, percent, time};
use super::{Material, some};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::findings::FindingStatus;
use crate::extract::plan::Figures;
use crate::session::{CallStatus, MessageKind, MsgIx, Role, Session};

/// Key figures of a session; also the source of the five lines at the end of `report`.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    agent: String,
    id: String,
    version: Option<String>,
    cwd: Option<String>,
    forked_from: Option<String>,
    models: Vec<String>,
    first_at: Option<String>,
    last_at: Option<String>,
    took: Option<String>,
    first_msg: Option<String>,
    last_msg: Option<String>,
    messages: usize,
    prompts: usize,
    /// Of these, commands of the program.
    commands: usize,
    subagents: usize,
    abandoned: usize,
    compactions: Vec<String>,
    asked: Option<Said>,
    plan: Option<PlanFigures>,
    /// Messages whose writes of a plan the tool refused or never answered.
    refused_plans: Vec<String>,
    bench: Option<BenchFigures>,
    findings: Option<FindingFigures>,
    discrepancies: Vec<Count>,
    discrepancy_msgs: Vec<String>,
    calls: usize,
    failed: usize,
    refused: usize,
    interrupted: usize,
    /// Calls that were answered without a word on how they ended.
    unknown: usize,
    missing: usize,
    lost_bytes: u64,
    warnings: usize,
}

#[derive(Debug, Serialize)]
struct Said {
    msg: String,
    text: String,
}

#[derive(Debug, Serialize)]
struct Count {
    what: String,
    count: usize,
}

/// Figures of a plan that changed, with the names of the messages that changed it first and last.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PlanFigures {
    #[serde(flatten)]
    figures: Figures,
    first: String,
    last: String,
}

impl PlanFigures {
    pub(crate) fn of(analysis: &Analysis) -> Option<Self> {
        let figures = analysis.facts.plan.figures();
        let (first, last) = (label(&analysis.session, figures.first?), label(&analysis.session, figures.last?));
        Some(Self { figures, first, last })
    }
}

#[derive(Debug, Serialize)]
struct BenchFigures {
    measured: usize,
    first: String,
    best: Option<Best>,
    /// Figures beyond their limit.
    over: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Best {
    metric: String,
    params: String,
    value: String,
    unit: String,
    limit: String,
    efficiency: String,
    gap: String,
    msg: String,
    limit_msg: Option<String>,
}

#[derive(Debug, Serialize)]
struct FindingFigures {
    total: usize,
    levels: Vec<Count>,
    ok: usize,
    msgs: Vec<String>,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    some(summary(material.analysis))
}

/// Counts and picks the key figures.
pub(crate) fn summary(analysis: &Analysis) -> Summary {
    let session = &analysis.session;
    let live: Vec<_> = session.live().collect();
    let on_main: Vec<MsgIx> = live.iter().filter(|(ix, _)| session.on_main(*ix)).map(|(ix, _)| *ix).collect();
    let name = |ix: &MsgIx| label(session, *ix);
    let (first_at, last_at) = (session.first_at(), session.last_at());
    let calls: Vec<_> = session.calls().filter(|(at, _)| !session.message(at.msg).abandoned).map(|(_, c)| c).collect();
    let mut levels: BTreeMap<&str, usize> = BTreeMap::new();
    analysis.discrepancies.iter().for_each(|d| *levels.entry(d.severity.word()).or_default() += 1);
    let flagged: BTreeSet<MsgIx> = analysis.discrepancies.iter().map(|d| d.msg).collect();
    Summary {
        agent: session.agent.clone(),
        id: session.id.clone(),
        version: session.version.clone(),
        cwd: session.cwd.clone(),
        forked_from: session.forked_from.clone(),
        models: session.models().into_iter().map(String::from).collect(),
        first_at: first_at.map(time),
        last_at: last_at.map(time),
        took: first_at.zip(last_at).map(|(a, b)| duration(a, b)),
        first_msg: on_main.first().map(name),
        last_msg: on_main.last().map(name),
        messages: session.messages.len(),
        prompts: session.asks().count(),
        commands: session.asks().filter(|(ix, _)| session.message(*ix).kind == MessageKind::Command).count(),
        subagents: session.threads.len().saturating_sub(1),
        abandoned: session.messages.len() - live.len(),
        compactions: on_main
            .iter()
            .filter(|ix| session.message(**ix).kind == MessageKind::CompactionSummary)
            .map(name)
            .collect(),
        asked: session.asks().next().map(|(ix, text)| Said { msg: label(session, ix), text: text.into_owned() }),
        plan: PlanFigures::of(analysis),
        refused_plans: refused(analysis),
        bench: bench(analysis),
        findings: findings(analysis),
        discrepancies: levels.into_iter().map(|(what, count)| Count { what: what.into(), count }).collect(),
        discrepancy_msgs: flagged.iter().take(12).map(name).collect(),
        calls: calls.len(),
        failed: calls.iter().filter(|c| c.failed()).count(),
        refused: calls.iter().filter(|c| c.refused()).count(),
        interrupted: calls.iter().filter(|c| c.status() == CallStatus::Interrupted).count(),
        unknown: calls.iter().filter(|c| c.status() == CallStatus::Unknown).count(),
        missing: calls.iter().filter(|c| c.result.is_none()).count(),
        lost_bytes: session.sources.iter().map(|s| s.bytes_skipped).sum(),
        warnings: session.warnings.len(),
    }
}

/// Each message once, in order.
fn refused(analysis: &Analysis) -> Vec<String> {
    let snapshots = analysis.facts.plan.snapshots.iter().filter(|s| !s.accepted);
    let messages: BTreeSet<MsgIx> = snapshots.map(|s| s.msg).collect();
    messages.into_iter().map(|ix| label(&analysis.session, ix)).collect()
}

/// Whether a message is a reply of the agent that says something.
pub(crate) fn is_reply(session: &Session, ix: MsgIx) -> bool {
    let m = session.message(ix);
    m.role == Role::Assistant && m.kind == MessageKind::Reply && !m.text().trim().is_empty()
}

fn bench(analysis: &Analysis) -> Option<BenchFigures> {
    use crate::extract::bench::MeasurementRole::Measured;
    let bench = &analysis.facts.bench;
    let session = &analysis.session;
    let measured: Vec<_> = bench.measurements.iter().filter(|m| m.role == Measured).collect();
    let valid = || bench.efficiencies.iter().filter(|e| bench.measurements[e.measurement as usize].valid);
    // What exceeds its limit says that figure and limit do not belong together, or that one is wrong: never the best.
    let best = valid()
        .filter(|e| e.efficiency <= 1.0)
        .max_by(|a, b| a.efficiency.total_cmp(&b.efficiency).then(b.measurement.cmp(&a.measurement)));
    Some(BenchFigures {
        measured: measured.len(),
        first: label(session, measured.first()?.msg),
        over: valid()
            .filter(|e| e.efficiency > 1.0)
            .map(|e| bench.measurements[e.measurement as usize].msg)
            .collect::<BTreeSet<MsgIx>>()
            .into_iter()
            .take(8)
            .map(|ix| label(session, ix))
            .collect(),
        best: best.map(|e| {
            let (m, l) = (&bench.measurements[e.measurement as usize], &bench.limits[e.limit as usize]);
            Best {
                metric: m.metric.clone(),
                params: pairs(&m.params),
                value: m.value.map(number).unwrap_or_default(),
                unit: m.unit.clone().unwrap_or_default(),
                limit: format!("{} {}", number(l.value), l.unit),
                efficiency: percent(e.efficiency),
                gap: percent(e.gap),
                msg: label(session, m.msg),
                limit_msg: l.msg.map(|ix| label(session, ix)),
            }
        }),
    })
}

fn findings(analysis: &Analysis) -> Option<FindingFigures> {
    let new: Vec<_> = analysis.facts.findings.findings.iter().filter(|f| f.restates.is_none()).collect();
    if new.is_empty() {
        return None;
    }
    let (ok, found): (Vec<_>, Vec<_>) = new.into_iter().partition(|f| f.status == FindingStatus::Ok);
    let mut levels: BTreeMap<String, usize> = BTreeMap::new();
    for f in &found {
        *levels.entry(f.level.clone().unwrap_or_else(|| "without level".into())).or_default() += 1;
    }
    let msgs: BTreeSet<MsgIx> = found.iter().chain(&ok).map(|f| f.msg).collect();
    Some(FindingFigures {
        total: found.len(),
        levels: levels.into_iter().map(|(what, count)| Count { what, count }).collect(),
        ok: ok.len(),
        msgs: msgs.iter().take(12).map(|ix| label(&analysis.session, *ix)).collect(),
    })
}
