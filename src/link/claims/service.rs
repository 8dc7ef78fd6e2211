//! Services: what probes print.

use std::sync::LazyLock;

use regex::Regex;

use super::Verdict;
use super::record::Record;
use crate::extract::claims::Claim;

/// Calls before a claim that are looked through for a probe.
const WINDOW: usize = 40;

static DOWN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)failed to connect to|connection refused|could not connect to|couldn't connect to server|econnrefused|inactive \(dead\)|active: failed|502 bad gateway").expect("what probes of dead services print")
});
static UP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)HTTP/[\d.]+ [23]\d\d|\b200 OK\b|"status": ?"(?:ok|healthy|up|running|UP)"|active \(running\)|[Rr]unning on |[Ll]istening (?:on|at) |\bLISTEN\b|is (?:now )?(?:running|listening|ready)\b|\bUp \d+ (?:second|minute|hour)|\bUp (?:About|Less)|^200$|[Ss]tart(?:ed|ing) (?:nginx|server|development server)|\(healthy\)"#).expect("what probes of live services print")
});
static PORT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:port[ =:]+|:|-p ?|--port[ =])(\d{2,5})(?-u:\b)").expect("a port"));

/// The verdict on a service that is up.
pub(super) fn judge(record: &Record<'_>, claim: &Claim, at: usize, port: Option<u32>) -> Verdict {
    for (i, seen) in record.newest(claim, at).take(WINDOW) {
        if seen.printed.is_empty() || seen.quotes {
            continue;
        }
        let last = |r: &Regex| r.find_iter(seen.printed).last().map(|m| m.start());
        let (up, down) = (last(&UP), last(&DOWN));
        if (up.is_none() && down.is_none()) || !same_port(port, seen.command, seen.printed) {
            continue;
        }
        if up > down {
            return Verdict::supported(i, true);
        }
        let untouched = record.since(claim, i, at, |c| c.changes || !c.command.is_empty()).is_none();
        return if untouched && !claim.hedged { Verdict::contradicted(i) } else { Verdict::NONE };
    }
    Verdict::NONE
}

/// Whether a probe may be of the port named: it names that one, or none.
fn same_port(port: Option<u32>, command: &str, printed: &str) -> bool {
    let Some(port) = port else { return true };
    let named = |text: &str| -> Vec<u32> {
        PORT.captures_iter(text).take(40).filter_map(|c| c.get(1)?.as_str().parse().ok()).collect()
    };
    let all: Vec<u32> = named(command).into_iter().chain(named(printed)).collect();
    all.is_empty() || all.contains(&port)
}
