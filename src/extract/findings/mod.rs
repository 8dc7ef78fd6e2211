//! Findings: what the participants found, from tables and lists; what tools print is in [`tools`].
//!
//! A bare level (`P1`) makes no finding: priorities of work, user stories, option menus and templates carry them too. A
//! finding has a level together with a state, a pair of values or a heading that speaks of findings.

mod item;
mod level;
mod list;
pub mod remarks;
mod same;
mod stated;
mod table;
pub mod tools;
mod wording;

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::extract::tables::Table;
use crate::session::{MsgIx, Provenance, Session, Span, TextRef};

/// Findings of a session, and the counts that its texts state about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Findings, in reading order.
    pub findings: Vec<Finding>,
    /// Stated counts ("9 findings at P0"), for the audit.
    pub stated: Vec<StatedCount>,
    /// Sentences that say what becomes of a finding.
    pub remarks: Vec<remarks::Remark>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Message.
    pub msg: MsgIx,
    /// Bytes of the title.
    pub span: Span,
    /// Normalised level, `P0` (worst) to `P4`; `None` = not stated.
    pub level: Option<String>,
    /// Level as written.
    pub level_text: Option<String>,
    /// Title, an exact substring of the source.
    pub title: String,
    /// State.
    pub status: FindingStatus,
    /// Value found.
    pub current: Option<String>,
    /// Value wanted.
    pub wanted: Option<String>,
    /// What the change needs: `runtime`, `reboot`, `rebuild`, `credentials` …
    pub needs: Option<String>,
    /// Table (position in `Facts::tables`) and row, from 0.
    pub row: Option<(u32, u32)>,
    /// Earlier finding (position in [`Findings::findings`]) that this one repeats.
    pub restates: Option<u32>,
}

/// State of a finding, as the text gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingStatus {
    /// In order.
    Ok,
    /// Asks for something to be done.
    Actionable,
    /// Done.
    Fixed,
    /// Worth knowing.
    Info,
}

impl FindingStatus {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Actionable => "actionable",
            Self::Fixed => "fixed",
            Self::Info => "info",
        }
    }
}

/// A count of findings that a text states.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatedCount {
    /// Where it is stated.
    pub span: Span,
    /// The number.
    pub count: u64,
    /// What is counted, as written ("findings", "critical issues").
    pub what: String,
    /// Level that the count is of.
    pub level: Option<String>,
    /// How many the same message lists.
    pub listed: u64,
}

/// Reads every finding.
pub fn extract(session: &Session, tables: &[Table]) -> Findings {
    let mut found = Findings::default();
    let mut known = same::Known::default();
    let mut next_table = 0;
    for text in session.texts().filter(|t| reads(session, t)) {
        let here = found.findings.len();
        while let Some(table) = tables.get(next_table).filter(|t| before(&t.span, &text)) {
            if same_text(&table.span, &text) {
                found.findings.extend(table::read(session, table, next_table as u32));
            }
            next_table += 1;
        }
        if text.provenance != Provenance::User {
            let beside = found.findings.len() > here;
            found.findings.extend(list::read(&text, beside));
        }
        found.findings[here..].sort_by_key(|f| f.span.start);
        known.tie(&mut found.findings, here, text.provenance == Provenance::Summary);
        if !found.findings.is_empty() && text.provenance != Provenance::Summary {
            remarks::read(&text, &mut found.remarks);
        }
        found.stated.extend(stated::read(&text, &found.findings[here..]));
    }
    found
}

/// Findings are looked for in what participants said and in summaries; the task given to a subagent is an instruction.
fn reads(session: &Session, text: &TextRef<'_>) -> bool {
    let said = match text.provenance {
        Provenance::Assistant | Provenance::Summary => true,
        Provenance::User => session.on_main(text.msg),
        _ => false,
    };
    said && !has_placeholders(text.text)
}

/// A title that is but the name of a test names what looks for a finding, not one.
fn is_test_name(title: &str) -> bool {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:[\w./-]+(?:::|/|#))*(?:Test[A-Z_]\w*|test_\w+|\w+_tests?|\w+Tests?)(?:\(\))?(?:[/\[].*)?$")
            .expect("names of tests")
    });
    NAME.is_match(title)
}

/// Whether a text is a template to be filled in.
fn has_placeholders(text: &str) -> bool {
    PLACEHOLDER.find_iter(text).take(2).count() == 2
}

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\[(?:count|number|title|name|description|finding|issue|file|severity|todo|insert|your)[ a-z_-]{0,30}\]|\{\{[^}\n]{1,40}\}\}|\$ARGUMENTS|\[[A-Z][A-Z _-]{3,30}\]",
    )
    .expect("placeholders")
});

fn before(span: &Span, text: &TextRef<'_>) -> bool {
    (span.msg, span.part) <= (text.msg, text.part)
}

fn same_text(span: &Span, text: &TextRef<'_>) -> bool {
    (span.msg, span.part) == (text.msg, text.part)
}

#[cfg(test)]
mod tests;
