//! What a table holds, judged soberly: in doubt it is [`TableKind::Other`].

use std::sync::LazyLock;

use regex::Regex;

use super::bench::{self, Grid};
use super::prose::re;
use super::tables::{self, Table, TableKind};
use crate::session::Session;

static LEVEL_COLUMN: LazyLock<Regex> = LazyLock::new(|| re(r"^(severity|sev|level|criticality|impact)$"));
static PRIORITY_COLUMN: LazyLock<Regex> = LazyLock::new(|| re(r"^(prio|priority|urgency|p)$"));
static STATUS_COLUMN: LazyLock<Regex> =
    LazyLock::new(|| re(r"^(status|state|verdict|ok|ok\?|fixed|fixed\?|resolved)$"));
static FINDING_COLUMN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(findings?|issues?|problems?|bugs?|defects?|vulnerabilit(y|ies)|weakness(es)?|concerns?|observations?|violations?|gaps?|discrepanc(y|ies))( .*)?$",
    )
});
static SETTING_COLUMN: LazyLock<Regex> = LazyLock::new(|| re(r"^(current|actual|now|found)( (value|setting|state))?$"));
static WANTED_COLUMN: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^(wanted|recommended|optimal|desired|should be|expected|target|proposed|fix)( (value|setting|state))?$")
});
static NO_FINDING_COLUMN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(likelihood|probability|mitigation|tests?|test cases?|coverage|user story|story|stories|estimate|effort|milestone|phase|sprint|owner|feature)( .*)?$",
    )
});
static LEVEL_CELL: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(p[0-4]|s[0-4]|sev[ -]?[0-4]|blocker|critical|crit|severe|major|high|medium|med|moderate|minor|low|trivial|nit|info|informational|warning|warn|error|note)\b",
    )
});
static STATUS_CELL: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(ok|pass|passed|fail|failed|fixed|open|resolved|done|closed|not fixed|unfixed|partial|pending|wont ?fix|confirmed|missing|wrong|yes|no|needs .*|actionable)\b",
    )
});
static OPTION_COLUMN: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^(options?|alternatives?|approach(es)?|choices?|candidates?|strateg(y|ies)|variants?)( .*)?$")
});
static FINDING_CAPTION: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b(findings?|issues|problems|vulnerabilities|audit|bugs|defects|review)\b"));

/// Reads every Markdown table of what was said, with what each holds.
pub fn extract(session: &Session) -> Vec<Table> {
    let mut tables = tables::extract(session);
    for table in &mut tables {
        table.kind = of(table);
    }
    tables
}

fn of(table: &Table) -> TableKind {
    let header: Vec<String> = table.header.iter().map(|c| plain(&c.text)).collect();
    let flags = || (0..header.len().min(2)).any(|i| share(table, i, is_flag) > 0.5);
    if table.rows.is_empty() || flags() {
        TableKind::Other
    } else if is_findings(table, &header) {
        TableKind::Findings
    } else if is_options(table, &header) {
        TableKind::Options
    } else if bench::holds_figures(&Grid::of_table(table, None, "")) {
        TableKind::Benchmark
    } else {
        TableKind::Other
    }
}

fn is_findings(table: &Table, header: &[String]) -> bool {
    let has = |re: &Regex| header.iter().any(|h| re.is_match(h));
    if has(&NO_FINDING_COLUMN) {
        return false;
    }
    let filled = |column: &Regex, cell: &Regex| {
        header.iter().enumerate().any(|(i, h)| column.is_match(h) && share(table, i, |t| cell.is_match(t)) >= 0.6)
    };
    let caption = table.caption.iter().chain(&table.heading).any(|c| FINDING_CAPTION.is_match(&plain(c)));
    let pair = has(&SETTING_COLUMN) && has(&WANTED_COLUMN);
    let noun = has(&FINDING_COLUMN) || pair;
    filled(&LEVEL_COLUMN, &LEVEL_CELL) && (noun || caption || header.len() > 2)
        || filled(&PRIORITY_COLUMN, &LEVEL_CELL) && (noun || caption)
        || filled(&STATUS_COLUMN, &STATUS_CELL) && (has(&FINDING_COLUMN) || pair && caption)
}

fn is_options(table: &Table, header: &[String]) -> bool {
    let named = header.iter().take(2).any(|h| OPTION_COLUMN.is_match(h));
    named && !bench::holds_figures(&Grid::of_table(table, None, ""))
}

fn is_flag(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|t| t.starts_with(|c: char| c == '-' || c.is_ascii_alphabetic()))
}

/// Share of the filled cells of a column that satisfy `test`.
fn share(table: &Table, column: usize, test: impl Fn(&str) -> bool) -> f64 {
    let cells: Vec<String> =
        table.rows.iter().filter_map(|r| r.get(column)).map(|c| plain(&c.text)).filter(|t| !t.is_empty()).collect();
    let hits = cells.iter().filter(|t| test(t)).count();
    if cells.is_empty() { 0.0 } else { hits as f64 / cells.len() as f64 }
}

/// Lower case, without marks and pictures before the first and after the last letter or digit.
fn plain(text: &str) -> String {
    let keep = |c: char| c.is_alphanumeric() || "-+~≈<>≤≥−$%)]?".contains(c);
    text.trim_matches(|c: char| !keep(c)).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::TableKind::{self, Benchmark, Findings, Options, Other};
    use crate::session::build::SessionBuilder;

    fn kind(text: &str) -> TableKind {
        let session = SessionBuilder::new().assistant(text).build();
        super::extract(&session)[0].kind
    }

    #[test]
    fn findings_have_a_level_or_a_state() {
        assert_eq!(
            kind("| # | Issue | Severity |\n|---|---|---|\n| 1 | leak | **High** |\n| 2 | typo | 🟢 low |\n"),
            Findings
        );
        assert_eq!(
            kind("| Setting | Current | Recommended | Priority |\n|---|---|---|---|\n| a | 1 | 2 | P0 |\n"),
            Findings
        );
        assert_eq!(kind("| Bug | Status |\n|---|---|\n| crash | ✅ fixed |\n"), Findings);
        assert_eq!(kind("## Audit findings\n\n| Item | Priority |\n|---|---|\n| crash | P1 |\n"), Findings);
    }

    #[test]
    fn work_lists_and_risks_are_no_findings() {
        assert_eq!(kind("| Test | Priority | Coverage |\n|---|---|---|\n| login | P0 | none |\n"), Other);
        assert_eq!(kind("| Task | Priority |\n|---|---|\n| write docs | P1 |\n"), Other);
        assert_eq!(kind("| Risk | Impact | Mitigation |\n|---|---|---|\n| delay | high | start early |\n"), Other);
        assert_eq!(kind("| File | Status |\n|---|---|\n| a.rs | done |\n"), Other);
    }

    #[test]
    fn options_are_alternatives_not_flags() {
        assert_eq!(kind("| Option | Description |\n|---|---|\n| A | rewrite it |\n| B | leave it |\n"), Options);
        assert_eq!(kind("| Option | Description |\n|---|---|\n| `--fast` | 3 ms at most |\n| `-q` | quiet |\n"), Other);
    }

    #[test]
    fn benchmarks_say_what_was_measured() {
        assert_eq!(kind("| conc | tok/s | TTFT (ms) |\n|---|---|---|\n| 1 | 20.5 | 90 |\n"), Benchmark);
        assert_eq!(kind("| | TP=4 | TP=8 |\n|:--|--:|--:|\n| Throughput (tok/s) | 900 | 1,500 |\n"), Benchmark);
        assert_eq!(kind("| Size | CPU | GPU |\n|---|---|---|\n| 1024 | 20 µs | 3 µs |\n"), Benchmark);
        assert_eq!(kind("| Token | Value |\n|---|---|\n| accent | #ff8800 |\n| gap | 12 px |\n"), Other);
        assert_eq!(kind("| Directory | Files |\n|---|---|\n| src | 40 |\n"), Other);
        assert_eq!(kind("| Port | Service |\n|---|---|\n| 8080 | web |\n"), Other);
    }
}
