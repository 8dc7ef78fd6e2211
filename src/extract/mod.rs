//! Stage 3: from a session to facts.
//!
//! One file or folder per kind of fact; each is a pure function of the session (and of facts of an earlier line below)
//! and total: what it cannot read is an absence, not an error. Every fact names the bytes it was read from.

pub mod artefacts;
pub mod assumptions;
pub mod bench;
pub mod calculations;
pub mod claims;
pub mod decisions;
pub mod directives;
pub mod episodes;
pub mod equipment;
pub mod findings;
pub mod options;
pub mod plan;
pub(crate) mod prose;
pub mod shape;
pub mod table_kinds;
pub mod tables;

use crate::session::{CallRef, Session};

/// What the user adds to the transcript: limits to measure against.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Limits from a `limits.toml`.
    pub limits: bench::limits::LimitsFile,
}

/// Everything extracted from one session.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Tool calls, in reading order.
    pub calls: Vec<CallRef>,
    /// Markdown tables, in reading order.
    pub tables: Vec<tables::Table>,
    /// Plan snapshots, items and transitions.
    pub plan: plan::Plan,
    /// Measurements, limits and efficiencies.
    pub bench: bench::Bench,
    /// Measurements of one quantity that follow each other, with what was done between them.
    pub comparisons: Vec<bench::comparisons::Comparison>,
    /// Arithmetic that the participants state, worked out again.
    pub calculations: Vec<calculations::Calculation>,
    /// Findings of the participants.
    pub findings: findings::Findings,
    /// Findings that linters, test runners and scanners printed.
    pub printed: Vec<findings::tools::Printed>,
    /// What the user asked for.
    pub directives: Vec<directives::Directive>,
    /// Instructions that hold for the whole session, not typed as a prompt.
    pub standing: Vec<directives::Standing>,
    /// Lists of options or next steps.
    pub options: Vec<options::OptionList>,
    /// Choices that a participant states.
    pub decisions: Vec<decisions::Decision>,
    /// What the agent takes for granted.
    pub assumptions: Vec<assumptions::Assumption>,
    /// Files written, read back, promised.
    pub artefacts: Vec<artefacts::Artefact>,
    /// What the agent says about the state of the work.
    pub claims: Vec<claims::Claim>,
    /// Phases of the work and scores of messages; read from all facts above.
    pub episodes: episodes::Episodes,
}

/// Extracts every kind of fact from a session.
pub fn extract(session: &Session, config: &Config) -> Facts {
    let tables = table_kinds::extract(session);
    let options = options::extract(session, &tables);
    let plan = plan::extract(session);
    let bench = bench::extract(session, &tables, &config.limits);
    let mut facts = Facts {
        comparisons: bench::comparisons::all(session, &plan, &bench),
        plan,
        bench,
        calls: session.calls().map(|(at, _)| at).collect(),
        calculations: calculations::extract(session, &tables),
        findings: findings::extract(session, &tables),
        printed: findings::tools::extract(session),
        directives: directives::extract(session),
        standing: directives::standing(session),
        decisions: decisions::extract(session, &options),
        assumptions: assumptions::extract(session),
        options,
        artefacts: artefacts::extract(session),
        claims: claims::extract(session),
        tables,
        episodes: episodes::Episodes::default(),
    };
    facts.episodes = episodes::extract(session, &facts);
    facts
}
