//! Benchmarks: measurements, limits and efficiencies.

pub mod calculators;
mod collect;
mod columns;
pub mod comparisons;
mod efficiency;
mod grid;
pub mod hardware;
pub mod lexicon;
pub mod limits;
mod numbered;
pub mod numbers;
mod prose;
mod restate;
pub mod series;
mod table;
mod tools;
pub mod units;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::extract::tables::Table;
use crate::session::{MsgIx, Session, Span};
use units::Unit;

pub(crate) use grid::Grid;
pub(crate) use table::holds_figures;

/// Everything known of the figures of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bench {
    /// Measurements, in reading order.
    pub measurements: Vec<Measurement>,
    /// Limits: from the transcript, from the limits file, from calculators.
    pub limits: Vec<Limit>,
    /// Measurements set against the limits that match them.
    pub efficiencies: Vec<Efficiency>,
    /// The same against limits of another origin, or stated later, that differ.
    pub other_efficiencies: Vec<Efficiency>,
    /// Limits of the file that no figure gives the inputs of: id, and the conditions they ask for.
    pub waiting_limits: Vec<(String, Vec<String>)>,
}

/// What a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum MeasurementRole {
    /// A result.
    #[default]
    Measured,
    /// What is possible at most.
    Theoretical,
    /// What is asked for.
    Target,
    /// What is expected.
    Estimated,
    /// What others report.
    Quoted,
    /// A result withdrawn, from a warm-up, or called invalid by its tool.
    Invalid,
    /// A difference or ratio of other figures.
    Derived,
}

/// A figure with its unit and the conditions it holds under.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measurement {
    /// Message.
    pub msg: MsgIx,
    /// Bytes it was read from.
    pub span: Span,
    /// What was measured, such as `output_throughput`.
    pub metric: String,
    /// Value in `unit`; `None` for a range.
    pub value: Option<f64>,
    /// Unit as written (with its prefix); `None` = not known.
    pub unit: Option<String>,
    /// What the figure is.
    pub role: MeasurementRole,
    /// `baseline`, `before` or `after`.
    pub phase: Option<String>,
    /// `mean`, `median`, `p99` …
    pub statistic: Option<String>,
    /// `total`, `per_gpu`, `per_user` …
    pub scope: Option<String>,
    /// Conditions: concurrency, batch, model …
    pub params: BTreeMap<String, String>,
    /// Lower end of a range or interval.
    pub lo: Option<f64>,
    /// Upper end of a range or interval.
    pub hi: Option<f64>,
    /// Half width after `±`.
    pub pm: Option<f64>,
    /// Written with `~` or `≈`.
    pub approx: bool,
    /// False for runs with failures, and for what was withdrawn.
    pub valid: bool,
    /// Whether a tool printed it, or somebody says so.
    pub evidence: FigureEvidence,
    /// Table (position in `Facts::tables`), row and column, from 0.
    pub cell: Option<(u32, u32, u32)>,
    /// Where the same figure is stated again.
    pub citations: Vec<Span>,
    /// The table that states it again: its message, and the conditions it sets the figure under to compare it.
    pub conditions: Option<(MsgIx, BTreeMap<String, String>)>,
}

/// Whether a tool printed a figure, or somebody says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum FigureEvidence {
    /// Printed by a tool.
    Tool,
    /// Said in prose or in a table written by hand.
    #[default]
    Claimed,
}

/// Where a limit comes from. Earlier is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitOrigin {
    /// The user's limits file.
    File,
    /// A figure the transcript itself calls theoretical.
    Transcript,
    /// A calculator whose inputs are all known.
    Calculator,
}

/// What is possible at most (or at least, for times).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// Id: the file's own, or made from message and metric.
    pub id: String,
    /// Message it was read from; `None` for the file's.
    pub msg: Option<MsgIx>,
    /// Bytes it was read from.
    pub span: Option<Span>,
    /// Metric it bounds; a file may give a glob.
    pub metric: String,
    /// Value in `unit`; of a band its outer end, which nothing can pass.
    pub value: f64,
    /// Both ends, where the inputs are known only within bounds.
    pub band: Option<(f64, f64)>,
    /// Unit as written.
    pub unit: String,
    /// Where it comes from.
    pub origin: LimitOrigin,
    /// `theoretical`, `calibrated`, `target`, `slo`, `vendor`, `measured_best` or `implied`.
    pub kind: String,
    /// `total`, `per_gpu`, `per_user` …
    pub scope: Option<String>,
    /// Statistic it bounds; `None` = any.
    pub statistic: Option<String>,
    /// It is stated of a link between devices (PCIe, NVLink), so it bounds copies between peers, too.
    pub of_link: bool,
    /// Conditions a measurement must meet.
    pub applies_when: BTreeMap<String, String>,
    /// Formula and inputs as written, or why they are unknown.
    pub derivation: Option<String>,
    /// Source as the file names it, or the message's citation.
    pub source: String,
}

/// A measurement against a limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Efficiency {
    /// Position in [`Bench::measurements`].
    pub measurement: u32,
    /// Position in [`Bench::limits`].
    pub limit: u32,
    /// Measured ÷ limit, or limit ÷ measured where lower is better; units converted.
    pub efficiency: f64,
    /// 1 − efficiency.
    pub gap: f64,
    /// The limit's value in the unit of the measurement.
    pub limit_in_unit: f64,
    /// Why this limit.
    pub standing: Standing,
}

/// Why a measurement is set against a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It is the first by origin, conditions and message.
    Preferred,
    /// Another origin gives a limit that differs by more than 2 %.
    OtherOrigin,
    /// The transcript states another limit after the measurement.
    Final,
}

/// A measurement while it is being read: with what decides whether it repeats another.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    measurement: Measurement,
    unit: Option<Unit>,
    /// Digits after the decimal mark.
    decimals: u8,
    /// The terms of an equation that it is the result of.
    derivation: Option<String>,
}

impl Bench {
    /// A measurement against the limit that is preferred for it; efficiencies come in the order of measurements.
    pub fn efficiency_of(&self, measurement: u32) -> Option<&Efficiency> {
        let at = self.efficiencies.partition_point(|e| e.measurement < measurement);
        self.efficiencies.get(at).filter(|e| e.measurement == measurement)
    }
}

impl Measurement {
    /// What is stated of its spread, in the unit in which it is `value`: `±`, or the ends of an interval.
    pub fn spread(&self, value: f64) -> Option<(f64, f64)> {
        let factor = self.value.filter(|v| *v != 0.0).map_or(1.0, |v| value / v);
        let (low, high) = match (self.pm, self.lo.zip(self.hi)) {
            (Some(pm), _) => (value - pm * factor, value + pm * factor),
            (None, Some((lo, hi))) => (lo * factor, hi * factor),
            (None, None) => return None,
        };
        (low < high).then_some((low, high))
    }

    /// Whether a message states it, first or again.
    pub fn stands_in(&self, msg: MsgIx) -> bool {
        self.msg == msg || self.citations.iter().any(|c| c.msg == msg)
    }

    /// An empty measurement at a place.
    pub fn at(span: Span) -> Self {
        Self {
            msg: span.msg,
            span,
            metric: String::new(),
            value: None,
            unit: None,
            role: MeasurementRole::Measured,
            phase: None,
            statistic: None,
            scope: None,
            params: BTreeMap::new(),
            lo: None,
            hi: None,
            pm: None,
            approx: false,
            valid: true,
            evidence: FigureEvidence::Claimed,
            cell: None,
            citations: Vec::new(),
            conditions: None,
        }
    }
}

/// Reads every measurement and limit and sets them against each other.
pub fn extract(session: &Session, tables: &[Table], file: &limits::LimitsFile) -> Bench {
    let found = collect::all(session, tables);
    let mut limits = file.limits_for(&found);
    let waiting_limits = file.waiting(&limits);
    limits.extend(limits::stated(session, &found));
    let measurements: Vec<Measurement> = found.into_iter().map(|f| f.measurement).collect();
    let (efficiencies, other_efficiencies) = efficiency::all(&measurements, &limits);
    Bench { measurements, limits, efficiencies, other_efficiencies, waiting_limits }
}
