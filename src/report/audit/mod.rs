//! The audit of one session as a view: what was asked, found, left open, and where the record disagrees with itself.

mod judged;
mod matrix;

pub use judged::{Suppressed, Used};
pub use matrix::{Action, Asked};

use std::collections::BTreeMap;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;

use super::engine::Engine;
use super::section::value::label;
use super::sentence;
use crate::analysis::Analysis;
use crate::error::Error;
use crate::link::{FactId, fate};

/// Version of the JSON that `turnpoint audit --format json` prints; a change that breaks readers raises it.
pub const VERSION: u32 = 1;

/// What `turnpoint audit --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Audit {
    /// Version of this form.
    pub version: u32,
    /// One audit per session.
    pub sessions: Vec<View>,
}

/// The JSON Schema of [`Audit`].
pub fn schema() -> serde_json::Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Audit>().into()
}

/// The audit of one session.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct View {
    /// The session's own id.
    pub session_id: String,
    /// Its title.
    pub title: String,
    /// What the user asked for, and what took it up.
    pub asked: Vec<Asked>,
    /// What the participants found.
    pub findings: Vec<Finding>,
    /// Findings that are open at the end, counted.
    pub open_findings: OpenFindings,
    /// What linters, test runners and scanners printed, tool by tool.
    pub tools: Vec<Tool>,
    /// What participants decided.
    pub decisions: Vec<Decision>,
    /// What the agent took for granted.
    pub assumptions: Vec<Assumption>,
    /// Plan items still open at the end.
    pub open_items: Vec<OpenItem>,
    /// Where the record disagrees with itself.
    pub discrepancies: Vec<Row>,
    /// Discrepancies that the configuration or the baseline knows.
    pub suppressed: Vec<Suppressed>,
}

/// A finding and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Finding {
    /// Name of the fact, as in the tables `findings` and `links`.
    pub id: String,
    /// Number of the message.
    pub msg: String,
    /// Level, normalised.
    pub level: Option<String>,
    /// Level, as written.
    pub level_text: Option<String>,
    /// State, as the text gives it.
    pub status: &'static str,
    /// Title, as written.
    pub title: String,
    /// Value found.
    pub current: Option<String>,
    /// Value wanted.
    pub wanted: Option<String>,
    /// What the change needs.
    pub needs: Option<String>,
    /// What became of it.
    pub fate: Option<&'static str>,
    /// Message that shows that.
    pub fate_msg: Option<String>,
    /// It asks for something, and nothing says that it is fixed, verified, dropped or no problem.
    pub open: bool,
    /// What is tied to it, in reading order.
    pub history: Vec<Step>,
    /// Later messages that tell it again.
    pub told_again: Vec<String>,
}

/// One thing that became of a finding.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Step {
    /// `asked for`, `planned`, `acted on`, `fixed`, `verified`, `deferred`, `dropped`, `contradicted` or `reopened`.
    pub word: &'static str,
    /// Number of the message that shows it first.
    pub msg: String,
}

/// Findings that ask for something and are not known to be settled, each counted once.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OpenFindings {
    /// All of them.
    pub total: usize,
    /// By normalised level; the empty level = not stated.
    pub by_level: BTreeMap<String, usize>,
    /// A call acted on them.
    pub acted: usize,
    /// Put off in so many words.
    pub deferred: usize,
    /// Nothing later is tied to them.
    pub untouched: usize,
}

/// What one tool found, counted: every finding once, however often it was printed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tool {
    /// The tool.
    pub tool: &'static str,
    /// Findings.
    pub found: u32,
    /// Times that one of them was printed again.
    pub repeated: u32,
    /// Findings gone when the same command ran clean later.
    pub gone: u32,
    /// Findings by normalised level.
    pub levels: BTreeMap<&'static str, u32>,
    /// Findings by level as printed.
    pub printed_levels: BTreeMap<String, u32>,
    /// Number of the first message that prints one.
    pub first_msg: String,
    /// Number of the last.
    pub last_msg: String,
}

/// A choice that a participant states.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Decision {
    /// Name of the fact, as in the tables `decisions` and `links`.
    pub id: String,
    /// Number of the message.
    pub msg: String,
    /// `assistant` or `user`.
    pub by: &'static str,
    /// The choice, as written.
    pub choice: String,
    /// The reason, as written.
    pub reason: Option<String>,
    /// What was passed over, as written.
    pub alternatives: Vec<String>,
    /// Later message that says the choice is taken back.
    pub reversed_msg: Option<String>,
}

/// Something the agent takes for granted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Assumption {
    /// Name of the fact, as in the tables `assumptions` and `links`.
    pub id: String,
    /// Number of the message that assumes it.
    pub msg: String,
    /// `stated` or `precondition`.
    pub kind: &'static str,
    /// The assumption, as written.
    pub text: String,
    /// First later message with a call that checks it.
    pub verified_msg: Option<String>,
    /// What the check printed.
    pub outcome: Option<String>,
}

/// A plan item still open at the end.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OpenItem {
    /// Short label, such as `T3`.
    pub item: String,
    /// Its latest text.
    pub text: String,
    /// Its state.
    pub state: &'static str,
    /// Message where it was first seen.
    pub msg: String,
}

/// A discrepancy with its sentence and place.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Row {
    /// Id of the rule.
    pub rule: &'static str,
    /// `low`, `medium` or `high`.
    pub severity: &'static str,
    /// Number of the message that shows it.
    pub msg: String,
    /// Number of the message that it disagrees with.
    pub other_msg: Option<String>,
    /// The sentence.
    pub message: String,
    /// The bytes that show it.
    pub quote: Option<String>,
    /// File of the transcript.
    pub file: Option<String>,
    /// Line of the transcript, from 1.
    pub line: Option<u32>,
    /// Same for the same discrepancy in two runs.
    pub fingerprint: String,
}

impl View {
    /// The view of one analysed session; sentences are made by the engine.
    pub fn of(engine: &Engine, analysis: &Analysis) -> Result<Self, Error> {
        let session = &analysis.session;
        let findings = findings(analysis);
        Ok(Self {
            session_id: session.id.clone(),
            title: session.name(),
            asked: matrix::rows(analysis),
            open_findings: open_findings(&findings),
            findings,
            tools: tools(analysis),
            decisions: decisions(analysis),
            assumptions: assumptions(analysis),
            open_items: open_items(analysis),
            discrepancies: analysis
                .discrepancies
                .iter()
                .map(|d| {
                    let message = session.message(d.msg);
                    let file = session.sources.get(message.place.file as usize).map(|s| s.file.clone());
                    Ok(Row {
                        rule: d.rule,
                        severity: d.severity.word(),
                        msg: label(session, d.msg),
                        other_msg: d.other_msg.map(|m| label(session, m)),
                        message: sentence::discrepancy(engine, session, d)?,
                        quote: d.span.as_ref().and_then(|s| session.quote(s)).map(str::to_owned),
                        file,
                        line: Some(message.place.line).filter(|l| *l > 0),
                        fingerprint: d.fingerprint(session),
                    })
                })
                .collect::<Result<_, Error>>()?,
            suppressed: Vec::new(),
        })
    }
}

fn findings(analysis: &Analysis) -> Vec<Finding> {
    let session = &analysis.session;
    let found = &analysis.facts.findings.findings;
    let fates = fate::findings(&analysis.facts, &analysis.links);
    let histories = fate::histories(&analysis.facts, &analysis.links);
    let mut again: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (f, first) in found.iter().filter_map(|f| Some((f, f.restates?))) {
        again.entry(first).or_default().push(label(session, f.msg));
    }
    let all = found.iter().zip(fates).zip(histories).enumerate();
    all.filter(|(_, ((f, _), _))| f.restates.is_none())
        .map(|(i, ((f, fate), history))| Finding {
            id: FactId::Finding(i as u32).to_string(),
            msg: label(session, f.msg),
            level: f.level.clone(),
            level_text: f.level_text.clone(),
            status: f.status.word(),
            title: f.title.clone(),
            current: f.current.clone(),
            wanted: f.wanted.clone(),
            needs: f.needs.clone(),
            fate: fate.map(|x| x.word),
            fate_msg: fate.map(|x| label(session, x.msg)),
            open: fate::is_open(f, fate),
            history: history.iter().map(|s| Step { word: s.word, msg: label(session, s.msg) }).collect(),
            told_again: again.remove(&(i as u32)).unwrap_or_default(),
        })
        .collect()
}

fn open_findings(findings: &[Finding]) -> OpenFindings {
    let mut open = OpenFindings::default();
    for f in findings.iter().filter(|f| f.open) {
        open.total += 1;
        *open.by_level.entry(f.level.clone().unwrap_or_default()).or_default() += 1;
        open.acted += usize::from(f.fate == Some(fate::ACTED));
        open.deferred += usize::from(f.fate == Some(fate::DEFERRED));
        open.untouched += usize::from(f.fate.is_none());
    }
    open
}

/// What tools printed, tool by tool.
pub(crate) fn tools(analysis: &Analysis) -> Vec<Tool> {
    let mut found: BTreeMap<&'static str, Tool> = BTreeMap::new();
    for f in &analysis.facts.printed {
        let msg = label(&analysis.session, f.msg);
        let tool = found.entry(f.tool).or_insert_with(|| Tool {
            tool: f.tool,
            found: 0,
            repeated: 0,
            gone: 0,
            levels: BTreeMap::new(),
            printed_levels: BTreeMap::new(),
            first_msg: msg.clone(),
            last_msg: String::new(),
        });
        tool.last_msg = msg;
        tool.found += u32::from(f.restates.is_none());
        tool.repeated += u32::from(f.restates.is_some());
        tool.gone += u32::from(f.gone_msg.is_some());
        if let Some(level) = f.level.filter(|_| f.restates.is_none()) {
            *tool.levels.entry(level).or_default() += 1;
        }
        if let Some(level) = f.level_text.clone().filter(|_| f.restates.is_none()) {
            *tool.printed_levels.entry(level).or_default() += 1;
        }
    }
    found.into_values().collect()
}

/// What participants decided.
pub(crate) fn decisions(analysis: &Analysis) -> Vec<Decision> {
    let session = &analysis.session;
    let row = |(i, d): (u32, &crate::extract::decisions::Decision)| Decision {
        id: FactId::Decision(i).to_string(),
        msg: label(session, d.msg),
        by: d.by.word(),
        choice: d.choice.clone(),
        reason: d.reason.clone(),
        alternatives: d.alternatives.clone(),
        reversed_msg: d.reversed_msg.map(|m| label(session, m)),
    };
    (0..).zip(&analysis.facts.decisions).map(row).collect()
}

/// What the agent took for granted.
pub(crate) fn assumptions(analysis: &Analysis) -> Vec<Assumption> {
    let session = &analysis.session;
    let row = |(i, a): (u32, &crate::extract::assumptions::Assumption)| Assumption {
        id: FactId::Assumption(i).to_string(),
        msg: label(session, a.msg),
        kind: a.kind.word(),
        text: a.text.clone(),
        verified_msg: a.verified_msg.map(|m| label(session, m)),
        outcome: a.outcome.clone(),
    };
    (0..).zip(&analysis.facts.assumptions).map(row).collect()
}

fn open_items(analysis: &Analysis) -> Vec<OpenItem> {
    let open = analysis.facts.plan.open_items();
    open.map(|(_, item)| OpenItem {
        item: item.label.clone(),
        text: item.text.clone(),
        state: item.last.word(),
        msg: label(&analysis.session, item.first_msg),
    })
    .collect()
}
