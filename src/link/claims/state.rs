//! Settings: the value that was printed last.

use super::Verdict;
use super::record::Record;
use crate::extract::claims::Claim;

/// Calls before a claim that are looked through for the setting.
const WINDOW: usize = 60;
/// Lines longer than this hold no setting.
const LINE: usize = 160;

/// The verdict on a setting and its value.
pub(super) fn judge(record: &Record<'_>, claim: &Claim, at: usize, subject: &[String], value: &str) -> Verdict {
    for (i, seen) in record.newest(claim, at).take(WINDOW) {
        let Some(shown) = seen.printed.lines().rev().filter(|l| l.len() <= LINE).find_map(|l| value_of(l, subject))
        else {
            continue;
        };
        return match agree(value, &shown) {
            Some(true) => Verdict::supported(i, true),
            Some(false) if !claim.hedged && record.since(claim, i, at, |c| c.changes).is_none() => {
                Verdict::contradicted(i)
            }
            _ => Verdict::NONE,
        };
    }
    Verdict::NONE
}

/// The value in a line `name = value` or `name: value` whose name holds every word of the subject.
fn value_of(line: &str, subject: &[String]) -> Option<String> {
    let (name, rest) = line.split_once('=').or_else(|| line.split_once(": "))?;
    let name = name.to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    if words.len() > 6 || !subject.iter().all(|s| words.contains(&s.as_str())) {
        return None;
    }
    // `always [madvise] never` marks the one that is set.
    let chosen = rest.split_once('[').and_then(|(_, r)| r.split_once(']')).map(|(v, _)| v);
    let mut rest = rest.split_whitespace();
    let value = chosen.or_else(|| rest.next().filter(|_| rest.next().is_none()))?;
    let value = value.trim_matches(|c: char| matches!(c, '"' | '\'' | ',' | ';' | '.')).to_lowercase();
    (!value.is_empty()).then_some(value)
}

/// Whether a printed value is the one claimed; `None` = they cannot be compared.
fn agree(claimed: &str, shown: &str) -> Option<bool> {
    let switch = |v: &str| match v {
        "1" | "on" | "yes" | "true" | "enabled" | "always" | "enable" => Some(true),
        "0" | "off" | "no" | "false" | "disabled" | "never" | "disable" => Some(false),
        _ => None,
    };
    match (switch(claimed), switch(shown)) {
        (Some(a), Some(b)) => Some(a == b),
        (None, None) => {
            let number = |v: &str| v.replace(',', "").parse::<f64>().ok();
            match (number(claimed), number(shown)) {
                (Some(a), Some(b)) => Some((a - b).abs() <= 1e-9 * a.abs()),
                _ => (claimed == shown).then_some(true),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_settings() {
        let words = |s: &str| s.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(value_of("kernel.numa_balancing = 1", &words("numa balancing")), Some("1".into()));
        assert_eq!(value_of("thp: always [madvise] never", &words("thp")), Some("madvise".into()));
        assert_eq!(value_of("swap: 3 of 4 used", &words("swap")), None);
        assert_eq!(agree("off", "1"), Some(false));
        assert_eq!(agree("10", "10.0"), Some(true));
        assert_eq!(agree("on", "madvise"), None);
    }
}
