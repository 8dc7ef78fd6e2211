//! The article with its verdicts written in.

use std::collections::BTreeMap;

use super::{Statement, Verdict, Verification};

/// The article as it is, with a mark behind each sentence that is wrong or can not be verified, and a list at the end of
/// what stands in headings, tables and code, where a mark would break the Markdown.
pub fn annotated(article: &str, found: &Verification) -> String {
    let mut marks: BTreeMap<usize, Vec<&Statement>> = BTreeMap::new();
    let mut listed: Vec<&Statement> = Vec::new();
    for statement in found.statements.iter().filter(|s| s.verdict != Verdict::Supported || s.only.is_some()) {
        match statement.in_prose && article.is_char_boundary(statement.end) {
            true => marks.entry(statement.end).or_default().push(statement),
            false => listed.push(statement),
        }
    }
    let mut out = String::with_capacity(article.len() + 1024);
    let mut done = 0;
    for (end, statements) in marks {
        out.push_str(&article[done..end]);
        statements.iter().for_each(|s| out.push_str(&mark(s)));
        done = end;
    }
    out.push_str(&article[done..]);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out.push_str("\n## Checked\n\n");
    for note in &found.notes {
        out.push_str(&format!("- **{}**\n", line(&note.text)));
    }
    out.push_str(&format!(
        "- {} statements: {} contradicted, {} unverifiable, {} supported\n",
        found.statements.len(),
        found.count(Verdict::Contradicted),
        found.count(Verdict::Unverifiable),
        found.count(Verdict::Supported)
    ));
    for statement in listed {
        out.push_str(&format!("- line {}:{}\n", statement.line, mark(statement)));
    }
    out
}

fn mark(statement: &Statement) -> String {
    if let Some(only) = &statement.only {
        return format!(" **[~ supported in part: only {} was found]**", line(only));
    }
    let sign = if statement.verdict == Verdict::Contradicted { "✗" } else { "?" };
    let at: Vec<String> = statement.evidence_msgs.iter().take(3).map(|m| format!("[msg {m}]")).collect();
    let at = if at.is_empty() { String::new() } else { format!(" ({})", at.join(", ")) };
    format!(" **[{sign} {}: {}{at}]**", statement.verdict.word(), line(&statement.reason))
}

/// Text from the article or the session inside a mark: nothing in it is Markdown or HTML.
fn line(text: &str) -> String {
    crate::report::text::cell(text)
}
