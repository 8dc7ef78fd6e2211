//! What a project says about the audit in its `turnpoint.toml`: severities of its own, and discrepancies that it knows.
//!
//! A suppression ends by the session's own last time, never by a clock: the same input gives the same output every day.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use serde::Deserialize;
use toml::Spanned;

use super::{Severity, rule};
use crate::error::Error;

/// The settings of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Lowest severity that fails the run.
    pub fail_on: Option<Severity>,
    /// Experimental rules run too.
    pub experimental: bool,
    /// JSON of an earlier run, as written.
    pub baseline: Option<String>,
    /// Severity of a rule; `None` = the rule is off.
    pub severities: BTreeMap<String, Option<Severity>>,
    /// Discrepancies that are known.
    pub suppressions: Vec<Suppression>,
}

/// One `[[audit.suppress]]`: all that it names must fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// Line of the file, from 1.
    pub line: usize,
    /// Id of the rule.
    pub rule: Option<String>,
    /// Fingerprint.
    pub fingerprint: Option<String>,
    /// Number of the message.
    pub message: Option<String>,
    /// Start of the session's id.
    pub session: Option<String>,
    /// Why it is suppressed.
    pub reason: String,
    /// Last day on which it holds, by the session's last time.
    pub until: Option<Date>,
}

/// What a suppression is compared with.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The session's id.
    pub session: &'a str,
    /// Day of the session's last message.
    pub on: Option<Date>,
    /// Id of the rule.
    pub rule: &'a str,
    /// Number of the message.
    pub message: &'a str,
    /// Fingerprint.
    pub fingerprint: &'a str,
}

impl Suppression {
    /// Whether it names this case, in time or not.
    pub fn names(&self, case: &Case<'_>) -> bool {
        let is = |want: &Option<String>, got: &str| want.as_ref().is_none_or(|w| w == got);
        is(&self.rule, case.rule)
            && is(&self.fingerprint, case.fingerprint)
            && is(&self.message, case.message)
            && self.session.as_ref().is_none_or(|s| case.session.starts_with(s.as_str()))
    }

    /// Whether it still holds for a session that ended that day; a session without times is never too late.
    pub fn holds(&self, on: Option<Date>) -> bool {
        self.until.zip(on).is_none_or(|(until, on)| on <= until)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    audit: Section,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    fail_on: Option<Spanned<String>>,
    #[serde(default)]
    experimental: bool,
    baseline: Option<String>,
    #[serde(default)]
    severity: BTreeMap<Spanned<String>, Spanned<String>>,
    #[serde(default)]
    suppress: Vec<Spanned<Entry>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: Option<Spanned<String>>,
    fingerprint: Option<String>,
    message: Option<Number>,
    session: Option<String>,
    reason: Option<String>,
    until: Option<Spanned<Day>>,
}

/// The number of a message: `12`, or `"12.s1.3"`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Number {
    Plain(u64),
    Text(String),
}

/// A day as text or as a TOML date.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Day {
    Text(String),
    Date(toml::value::Datetime),
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Date(date) => write!(f, "{date}"),
        }
    }
}

/// A file's name and text, to say where something is wrong.
struct Reader<'a> {
    name: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn line(&self, at: usize) -> usize {
        self.text.as_bytes()[..at.min(self.text.len())].iter().filter(|b| **b == b'\n').count() + 1
    }

    fn error(&self, at: usize, reason: String) -> Error {
        Error::Config { path: self.name.to_owned(), line: self.line(at), reason }
    }

    fn severity(&self, text: &Spanned<String>) -> Result<Severity, Error> {
        [Severity::Low, Severity::Medium, Severity::High].into_iter().find(|s| s.word() == text.get_ref()).ok_or_else(
            || {
                self.error(
                    text.span().start,
                    format!("\"{}\" is no severity; write low, medium or high", text.get_ref()),
                )
            },
        )
    }

    fn known(&self, id: &Spanned<String>) -> Result<String, Error> {
        let unknown =
            || self.error(id.span().start, format!("no rule \"{}\"; `turnpoint rules` lists them", id.get_ref()));
        rule(id.get_ref()).map(|r| r.id.to_owned()).ok_or_else(unknown)
    }

    fn suppression(&self, entry: &Spanned<Entry>) -> Result<Suppression, Error> {
        let (start, entry) = (entry.span().start, entry.get_ref());
        let reason = entry.reason.as_deref().map(str::trim).filter(|r| !r.is_empty());
        let reason = reason.ok_or_else(|| self.error(start, "a suppression needs a reason".to_owned()))?;
        if entry.rule.is_none() && entry.fingerprint.is_none() {
            return Err(self.error(start, "a suppression names a rule or a fingerprint".to_owned()));
        }
        let until = entry.until.as_ref().map(|day| {
            let text = day.get_ref().to_string();
            text.parse::<Date>()
                .map_err(|_| self.error(day.span().start, format!("\"{text}\" is no day; write it as 2026-01-31")))
        });
        Ok(Suppression {
            line: self.line(start),
            rule: entry.rule.as_ref().map(|r| self.known(r)).transpose()?,
            fingerprint: entry.fingerprint.clone(),
            message: entry.message.as_ref().map(|m| match m {
                Number::Plain(n) => n.to_string(),
                Number::Text(text) => text.clone(),
            }),
            session: entry.session.clone(),
            reason: reason.to_owned(),
            until: until.transpose()?,
        })
    }
}

impl Settings {
    /// Reads the text of a `turnpoint.toml`; `name` is its path as shown in errors.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let reader = Reader { name, text };
        let file: File = toml::from_str(text).map_err(|e| {
            let reason = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
            reader.error(e.span().map_or(0, |s| s.start), reason)
        })?;
        let audit = file.audit;
        let mut severities = BTreeMap::new();
        for (id, word) in &audit.severity {
            let severity = if word.get_ref() == "off" { None } else { Some(reader.severity(word)?) };
            severities.insert(reader.known(id)?, severity);
        }
        Ok(Self {
            fail_on: audit.fail_on.as_ref().map(|w| reader.severity(w)).transpose()?,
            experimental: audit.experimental,
            baseline: audit.baseline,
            severities,
            suppressions: audit.suppress.iter().map(|e| reader.suppression(e)).collect::<Result<_, _>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: Case<'_> =
        Case { session: "abc-1", on: None, rule: "count-mismatch", message: "12", fingerprint: "0123456789abcdef" };

    fn wrong(text: &str) -> String {
        Settings::parse("t.toml", text).expect_err("a fault").to_string()
    }

    #[test]
    fn reads_everything_a_project_may_say() {
        let text = "[audit]\nfail-on = \"high\"\nexperimental = true\nbaseline = \"base.json\"\n\n[audit.severity]\ncount-mismatch = \"low\"\nclaim-stale = \"off\"\n\n[[audit.suppress]]\nrule = \"count-mismatch\"\nmessage = 12\nsession = \"abc\"\nreason = \"two lists\"\nuntil = 2026-01-31\n";
        let settings = Settings::parse("t.toml", text).expect("settings");
        assert_eq!(settings.fail_on, Some(Severity::High));
        assert!(settings.experimental && settings.baseline.as_deref() == Some("base.json"));
        assert_eq!(settings.severities["count-mismatch"], Some(Severity::Low));
        assert_eq!(settings.severities["claim-stale"], None);
        let s = &settings.suppressions[0];
        assert!(s.names(&CASE) && s.line == 10);
        assert!(!s.names(&Case { message: "13", ..CASE }));
        assert!(!s.names(&Case { session: "xyz", ..CASE }));
        let day = |text: &str| text.parse().ok();
        assert!(s.holds(None) && s.holds(day("2026-01-31")) && !s.holds(day("2026-02-01")));
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        assert!(wrong("[audit]\nfail-on = \"bad\"").contains("t.toml:2: \"bad\" is no severity"));
        assert!(wrong("[audit.severity]\nnot-a-rule = \"low\"").contains("no rule"));
        assert!(wrong("[[audit.suppress]]\nrule = \"count-mismatch\"").contains("needs a reason"));
        assert!(wrong("[[audit.suppress]]\nreason = \"x\"").contains("names a rule or a fingerprint"));
        assert!(
            wrong("[[audit.suppress]]\nfingerprint = \"1\"\nreason = \"x\"\nuntil = \"soon\"").contains("t.toml:4:")
        );
        assert!(wrong("[audit]\nfailon = \"high\"").contains("t.toml:2:"));
    }
}
