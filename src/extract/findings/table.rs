//! Findings in tables: columns are told by their headers.

use super::item::needs;
use super::{Finding, FindingStatus, level};
use crate::extract::prose::unmarked;
use crate::extract::tables::{Cell, Table, TableKind};
use crate::session::{Session, Span};

/// Which column is what.
#[derive(Debug, Default)]
struct Columns {
    level: Option<usize>,
    title: Option<usize>,
    status: Option<usize>,
    current: Option<usize>,
    wanted: Option<usize>,
    needs: Option<usize>,
    named: bool,
}

const LEVEL: &[&str] = &["severity", "level", "priority", "prio", "sev", "risk", "criticality", "cvss", "impact", "p"];
const STATUS: &[&str] = &["status", "state", "result", "verdict", "ok", "ok?", "action", "done", "fixed", "pass", "✓"];
const CURRENT: &[&str] = &["current", "value", "actual", "now", "found", "is", "before", "observed", "setting"];
const WANTED: &[&str] = &[
    "expected",
    "recommended",
    "wanted",
    "want",
    "target",
    "should be",
    "optimal",
    "desired",
    "required",
    "proposed",
    "fix",
];
const NEEDS: &[&str] = &["needs", "requires", "need", "how", "apply", "when", "reboot", "type", "reboot?"];
const TITLE: &[&str] =
    &["finding", "issue", "problem", "vulnerability", "bug", "defect", "concern", "weakness", "misconfiguration"];
const SUBJECT: &[&str] = &[
    "check",
    "setting",
    "parameter",
    "item",
    "title",
    "description",
    "component",
    "area",
    "what",
    "name",
    "rule",
    "package",
    "cve",
    "subject",
];
/// Headers of tables about work, not about findings.
const FRIENDS: &[&str] = &[
    "test",
    "coverage",
    "story",
    "feature",
    "task",
    "skill",
    "option",
    "effort",
    "estimate",
    "owner",
    "phase",
    "count",
    "scenario",
    "milestone",
    "weight",
];

impl Columns {
    fn of(table: &Table) -> Option<Self> {
        let heads: Vec<String> = table.header.iter().map(|c| unmarked(&c.text).to_lowercase()).collect();
        let words = |h: &str, all: &[&str]| {
            h.split(|c: char| !c.is_alphanumeric() && c != '?').any(|w| {
                all.iter().any(|a| {
                    w == *a
                        || w.strip_suffix('s') == Some(a)
                        || (a.ends_with('y') && w.strip_suffix("ies") == a.strip_suffix('y'))
                })
            }) || all.contains(&h)
        };
        let verdicts = heads.iter().any(|h| h == "verdict") && heads.iter().any(|h| h.starts_with("key "));
        if verdicts || heads.iter().any(|h| words(h, FRIENDS)) {
            return None;
        }
        let find = |all: &[&str], not: &[Option<usize>]| {
            (0..heads.len()).find(|i| !not.contains(&Some(*i)) && words(&heads[*i], all))
        };
        let filled = |i: usize, test: &dyn Fn(&str) -> bool| {
            let cells = table.rows.iter().filter_map(|r| r.get(i));
            let (mut good, mut all) = (0, 0);
            for cell in cells.filter(|c| !c.text.is_empty()) {
                all += 1;
                good += usize::from(test(&cell.text));
            }
            all > 0 && good * 10 >= all * 6
        };
        let named = find(TITLE, &[]);
        let level = find(LEVEL, &[named]).filter(|&i| filled(i, &|t| level::whole(t).is_some()));
        let status = find(STATUS, &[named, level]).filter(|&i| filled(i, &|t| level::status(t).is_some()));
        let current = find(CURRENT, &[named, level, status]);
        let wanted = find(WANTED, &[named, level, status, current]);
        let needs = find(NEEDS, &[named, level, status, current, wanted]);
        let taken = [level, status, current, wanted, needs];
        let title = named.or_else(|| find(SUBJECT, &taken)).or_else(|| {
            (0..heads.len()).find(|i| {
                !taken.contains(&Some(*i)) && !matches!(heads[*i].as_str(), "#" | "no" | "no." | "id" | "nr" | "")
            })
        });
        title.map(|_| Self { level, title, status, current, wanted, needs, named: named.is_some() })
    }

    /// A level alone is a priority of work; it takes a second sign that the table is about findings.
    fn are_findings(&self, kind: TableKind) -> bool {
        let pair = self.current.is_some() && self.wanted.is_some();
        let signs = [self.named, self.status.is_some(), pair, kind == TableKind::Findings];
        let second = signs.iter().filter(|s| **s).count();
        if self.level.is_some() {
            second >= 1
        } else {
            pair && (self.status.is_some() || self.named) || self.named && self.status.is_some()
        }
    }
}

/// The findings of one table.
pub(super) fn read(session: &Session, table: &Table, index: u32) -> Vec<Finding> {
    let Some(columns) = Columns::of(table).filter(|c| c.are_findings(table.kind)) else { return Vec::new() };
    let rows = table.rows.iter().enumerate();
    rows.filter_map(|(row, cells)| finding(session, &columns, cells, (index, row as u32))).collect()
}

fn finding(session: &Session, columns: &Columns, cells: &[Cell], row: (u32, u32)) -> Option<Finding> {
    let cell = |column: Option<usize>| column.and_then(|i| cells.get(i)).filter(|c| !c.text.is_empty());
    let value = |column| {
        cell(column).map(|c| c.text.clone()).filter(|t| !matches!(t.as_str(), "-" | "—" | "–" | "n/a" | "N/A"))
    };
    let title_cell = cell(columns.title)?;
    let raw = session.quote(&title_cell.span)?;
    let title = unmarked(raw);
    if !title.chars().any(char::is_alphabetic) || is_sum(title) || super::is_test_name(title) {
        return None;
    }
    let start = title_cell.span.start + (title.as_ptr() as usize - raw.as_ptr() as usize) as u32;
    let level_cell = cell(columns.level);
    let level = level_cell.and_then(|c| level::whole(&c.text));
    let (current, wanted) = (value(columns.current), value(columns.wanted));
    let told = cell(columns.status).and_then(|c| level::status(&c.text));
    let status = told.unwrap_or(match (&current, &wanted) {
        (Some(a), Some(b)) if a == b => FindingStatus::Ok,
        _ => FindingStatus::Actionable,
    });
    Some(Finding {
        msg: title_cell.span.msg,
        span: Span { start, end: start + title.len() as u32, ..title_cell.span.clone() },
        level: level.map(|l| l.norm.to_owned()),
        level_text: level_cell.map(|c| c.text.clone()),
        title: title.to_owned(),
        status,
        current,
        wanted,
        needs: cell(columns.needs).and_then(|c| needs(&c.text)).map(str::to_owned),
        row: Some(row),
        restates: None,
    })
}

/// Rows of sums are no findings.
fn is_sum(title: &str) -> bool {
    matches!(title.to_lowercase().trim_end_matches(':'), "total" | "sum" | "overall" | "all" | "none")
}
