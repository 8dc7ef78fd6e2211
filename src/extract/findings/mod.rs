//! Findings: what the participants found, from tables and lists; what tools print is in [`tools`].
//!
//! A bare level (`P1`) makes no finding: priorities of work, user stories, option menus and templates carry them too. A
//! finding has a level together with a state, a pair of values or a heading that speaks of findings.

mod item;
mod level;
mod list;
mod stated;
mod table;
pub mod tools;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::extract::prose::content_words;
use crate::extract::tables::Table;
use crate::session::{MsgIx, Provenance, Session, Span, TextRef};

/// Findings of a session, and the counts that its texts state about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Findings, in reading order.
    pub findings: Vec<Finding>,
    /// Stated counts ("9 findings at P0"), for the audit.
    pub stated: Vec<StatedCount>,
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
    let mut known = Known::default();
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

/// Findings met so far, by the words of their titles.
#[derive(Default)]
struct Known {
    by_title: BTreeMap<String, u32>,
    by_word: BTreeMap<String, Vec<u32>>,
    words: Vec<Vec<String>>,
}

impl Known {
    /// Ties the findings from `here` on to those they repeat. A summary only repeats: what has no original there is
    /// dropped.
    fn tie(&mut self, findings: &mut Vec<Finding>, here: usize, summary: bool) {
        let new = findings.split_off(here);
        for mut finding in new {
            let words = content_words(&finding.title);
            let title = finding.title.to_lowercase();
            finding.restates = self.by_title.get(&title).copied().or_else(|| self.alike(&words));
            if summary && finding.restates.is_none() {
                continue;
            }
            let at = findings.len() as u32;
            if finding.restates.is_none() {
                self.by_title.insert(title, at);
                for word in &words {
                    self.by_word.entry(word.clone()).or_default().push(at);
                }
            }
            self.words.push(words);
            findings.push(finding);
        }
    }

    /// An earlier finding most of whose words are these. Only the rarest words are looked up.
    fn alike(&self, words: &[String]) -> Option<u32> {
        if words.len() < 3 {
            return None;
        }
        let lists = words.iter().filter_map(|w| self.by_word.get(w)).filter(|l| l.len() <= 8);
        let mut near: Vec<u32> = lists.flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        near.into_iter().find(|&at| {
            let old = &self.words[at as usize];
            let shared = old.iter().filter(|w| words.binary_search(w).is_ok()).count();
            shared >= 3 && shared * 10 >= 7 * (old.len() + words.len() - shared)
        })
    }
}

#[cfg(test)]
mod tests;
