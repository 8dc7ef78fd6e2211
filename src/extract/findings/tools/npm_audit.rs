//! `npm audit`: a package, its severity and its advisories.

use super::{Raw, Tool};

pub(super) const TOOL: Tool = Tool { name: "npm audit", marks: &["Severity: "], read, clean };

fn read(text: &str) -> Vec<Raw<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate().skip(1) {
        let Some(level) = line.strip_prefix("Severity: ").map(str::trim) else { continue };
        let package = lines[i - 1].split_whitespace().next();
        let advisories = lines[i + 1..].iter().map_while(|l| l.split_once(" - https://github.com/advisories/"));
        for (title, id) in advisories {
            let (file, rule) = (package.map(Into::into), Some(id.trim()));
            found.push(Raw {
                source: title.trim(),
                level: Some(level),
                rule,
                title: title.trim().into(),
                file,
                line: None,
            });
        }
    }
    found
}

fn clean(text: &str) -> bool {
    text.contains("found 0 vulnerabilities")
}
