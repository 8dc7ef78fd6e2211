//! Trivy: rows of its table of vulnerabilities.

use super::{Raw, Tool};

pub(super) const TOOL: Tool = Tool { name: "trivy", marks: &["│ CVE-", "│ GHSA-"], read, clean };

const LEVELS: [&str; 5] = ["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"];

/// A library or a severity left blank is that of the row above.
fn read(text: &str) -> Vec<Raw<'_>> {
    let (mut library, mut level) = (None, None);
    let mut found = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.trim().trim_matches('│').split('│').map(str::trim).collect();
        if cells.len() < 4 {
            continue;
        }
        if !cells[0].is_empty() {
            library = Some(cells[0]);
        }
        level = LEVELS.into_iter().find_map(|l| cells.iter().copied().find(|c| *c == l)).or(level);
        let rule = cells[1];
        if !(rule.starts_with("CVE-") || rule.starts_with("GHSA-")) {
            continue;
        }
        let title = cells.last().copied().filter(|t| !t.is_empty()).unwrap_or(rule);
        let file = library.map(Into::into);
        found.push(Raw { source: line.trim(), level, rule: Some(rule), title: title.into(), file, line: None });
    }
    found
}

fn clean(text: &str) -> bool {
    text.contains("Total: 0 (") && !text.contains("│ CVE-")
}
