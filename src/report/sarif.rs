//! Discrepancies as SARIF 2.1.0, for editors and CI.

use serde_json::{Value, json};

use super::audit::{Row, Suppressed, View};
use crate::audit::{RULES, Severity};

/// One log with one run that holds the discrepancies of all sessions.
pub fn log(views: &[View]) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|r| {
            let manual = r.manual();
            json!({
                "id": r.id,
                "shortDescription": {"text": one_line(r.summary())},
                "help": {"text": manual, "markdown": manual},
                "defaultConfiguration": {"level": level(r.severity.word()), "enabled": !r.experimental},
            })
        })
        .collect();
    let of = |v: &View| -> Vec<Value> {
        let open = v.discrepancies.iter().map(|d| result(&v.session_id, d));
        open.chain(v.suppressed.iter().map(|s| suppressed(&v.session_id, s))).collect()
    };
    let results: Vec<Value> = views.iter().flat_map(of).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "turnpoint", "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(session: &str, row: &Row) -> Value {
    let index = RULES.iter().position(|r| r.id == row.rule);
    let mut location = json!({
        "logicalLocations": [{"name": format!("msg {}", row.msg), "fullyQualifiedName": format!("{session}/{}", row.msg), "kind": "member"}],
    });
    if let Some(file) = &row.file {
        let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
        if let Some(line) = row.line {
            physical["region"] = json!({"startLine": line});
        }
        location["physicalLocation"] = physical;
    }
    json!({
        "ruleId": row.rule,
        "ruleIndex": index,
        "level": level(row.severity),
        "message": {"text": row.message},
        "locations": [location],
        "partialFingerprints": {"turnpoint/v1": row.fingerprint},
    })
}

/// A result that is known: it stays in the log, marked.
fn suppressed(session: &str, known: &Suppressed) -> Value {
    let mut value = result(session, &known.discrepancy);
    let reason = known.reason.as_deref().unwrap_or(known.by);
    value["suppressions"] = json!([{"kind": "external", "status": "accepted", "justification": reason}]);
    value
}

fn level(severity: &str) -> &'static str {
    if severity == Severity::High.word() {
        "error"
    } else if severity == Severity::Medium.word() {
        "warning"
    } else {
        "note"
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A path as a relative reference: what a URI may not hold is encoded.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for b in path.replace('\\', "/").bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(b)),
            _ => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_paths() {
        assert_eq!(uri("a b/ü:1.jsonl"), "a%20b/%C3%BC%3A1.jsonl");
    }
}
