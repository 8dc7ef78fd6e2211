//! What became of findings and options, read from the links: of each the strongest thing that is known.

use std::collections::{BTreeMap, BTreeSet};

use super::acts::asks_for_work;
use super::{FactId, Link, LinkKind};
use crate::extract::Facts;
use crate::extract::findings::remarks::RemarkKind;
use crate::extract::findings::{Finding, FindingStatus};
use crate::session::MsgIx;

/// Calls that share only words with a finding do not decide its fate.
const SURE: f64 = 0.7;

/// What became of a finding or option, and the message that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fate {
    /// `asked for`, `planned`, `acted on`, `fixed`, `fixed and verified`, `verified`, `deferred`, `dropped`, `contradicted`,
    /// `reopened` of a finding; `selected`, `taken up later`, `omitted` of an option.
    pub word: &'static str,
    /// Message that shows it.
    pub msg: MsgIx,
}

/// What is known of a finding after its first mention, in reading order.
type History = Vec<Fate>;

const ASKED: &str = "asked for";
const PLANNED: &str = "planned";
/// A call acted on it.
pub const ACTED: &str = "acted on";
const FIXED: &str = "fixed";
const VERIFIED: &str = "verified";
/// Put off in so many words.
pub const DEFERRED: &str = "deferred";
const DROPPED: &str = "dropped";
const CONTRADICTED: &str = "contradicted";
const REOPENED: &str = "reopened";
const BOTH: &str = "fixed and verified";
const SELECTED: &str = "selected";
/// An option that something after the answer to its list takes up.
pub const LATER: &str = "taken up later";
/// An option passed over where another was chosen in so many words.
pub const OMITTED: &str = "omitted";

/// What is tied to each finding, by position: of every kind the first message.
pub fn histories(facts: &Facts, links: &[Link]) -> Vec<History> {
    let mut all = told(facts, links);
    for history in &mut all {
        let mut seen = BTreeSet::new();
        history.retain(|f| seen.insert(f.word));
    }
    all
}

/// Everything that is tied to each finding, by position.
fn told(facts: &Facts, links: &[Link]) -> Vec<History> {
    let all = &facts.findings.findings;
    let mut found: Vec<Vec<Fate>> = vec![Vec::new(); all.len()];
    let mut add = |at: u32, word: &'static str, msg: MsgIx| {
        if let Some(history) = found.get_mut(at as usize) {
            history.push(Fate { word, msg });
        }
    };
    for (i, f) in all.iter().enumerate() {
        let first = f.restates.map(|r| (r, &all[r as usize]));
        match (f.status, first) {
            (FindingStatus::Fixed, Some((first, _))) => {
                add(first, FIXED, f.msg);
                add(i as u32, FIXED, f.msg);
            }
            (FindingStatus::Fixed, None) => add(i as u32, FIXED, f.msg),
            // The same title listed as open, after it was said to be fixed.
            (FindingStatus::Actionable, Some((first, old))) if old.title.eq_ignore_ascii_case(&f.title) => {
                add(first, REOPENED, f.msg);
            }
            _ => {}
        }
    }
    for l in links {
        let FactId::Finding(at) = l.to else { continue };
        let word = match (l.kind, l.from) {
            (LinkKind::Verifies, _) => VERIFIED,
            (LinkKind::ActsOn, _) if l.confidence >= SURE => ACTED,
            (LinkKind::Mirrors, _) => PLANNED,
            // "Show me the P2 items" asks for no work on them.
            (LinkKind::Selects, FactId::Directive(d)) if asks_for_work(&facts.directives[d as usize]) => ASKED,
            (LinkKind::Supersedes, FactId::Remark(_)) => FIXED,
            (LinkKind::Contradicts, FactId::Remark(_)) => CONTRADICTED,
            (LinkKind::Omits, FactId::Remark(r)) => match facts.findings.remarks[r as usize].kind {
                RemarkKind::Deferred => DEFERRED,
                _ => DROPPED,
            },
            _ => continue,
        };
        add(at, word, l.from_msg);
    }
    for history in &mut found {
        history.sort_by_key(|f| f.msg);
        // Listed again before any word of a fix, it was never closed.
        let fixed = history.iter().find(|f| f.word == FIXED).map(|f| f.msg);
        history.retain(|f| f.word != REOPENED || fixed.is_some_and(|m| m < f.msg));
    }
    found
}

/// The fate of every finding, by position; `None` = nothing that was said or done later is tied to it.
pub fn findings(facts: &Facts, links: &[Link]) -> Vec<Option<Fate>> {
    let fate = |(f, history): (&Finding, &History)| match f.status {
        FindingStatus::Actionable | FindingStatus::Fixed => decisive(history),
        FindingStatus::Ok | FindingStatus::Info => None,
    };
    facts.findings.findings.iter().zip(&told(facts, links)).map(fate).collect()
}

/// What was said last decides; without a word on it, what was done.
fn decisive(history: &History) -> Option<Fate> {
    let last = |words: &[&str]| history.iter().rev().find(|f| words.contains(&f.word)).copied();
    let done = last(&[VERIFIED]).or(last(&[ACTED]));
    let said = last(&[FIXED, DEFERRED, DROPPED, CONTRADICTED, REOPENED]);
    let said = said.filter(|s| !matches!(s.word, DEFERRED | DROPPED | REOPENED) || done.is_none_or(|d| d.msg <= s.msg));
    match (said, done) {
        (Some(s), Some(d)) if s.word == FIXED && d.word == VERIFIED => Some(Fate { word: BOTH, msg: d.msg.max(s.msg) }),
        (Some(s), _) => Some(s),
        _ => done.or(last(&[PLANNED])).or(last(&[ASKED])),
    }
}

/// Says whether a finding asks for something, at its first mention.
pub fn asks(finding: &Finding) -> bool {
    finding.restates.is_none() && finding.status == FindingStatus::Actionable
}

/// Says whether a finding asks for something, and nothing says that it is fixed, verified, dropped or no problem.
pub fn is_open(finding: &Finding, fate: Option<Fate>) -> bool {
    let settled = |fate: Fate| matches!(fate.word, FIXED | BOTH | VERIFIED | DROPPED | CONTRADICTED);
    asks(finding) && !fate.is_some_and(settled)
}

/// The fate of every option, over all lists; `None` = not known.
pub fn options(facts: &Facts, links: &[Link]) -> Vec<Option<Fate>> {
    let mut chosen: BTreeMap<u32, Fate> = BTreeMap::new();
    let mut omitted: BTreeMap<u32, MsgIx> = BTreeMap::new();
    // By a later request or item, or by a call that sets what it names.
    let mut later: BTreeMap<u32, MsgIx> = BTreeMap::new();
    for l in links {
        let FactId::Option(o) = l.to else { continue };
        match (l.kind, l.from) {
            (LinkKind::Selects, FactId::Directive(_)) | (LinkKind::Mirrors | LinkKind::ActsOn, _)
                if l.from_msg > l.to_msg =>
            {
                let slot = later.entry(o).or_insert(l.from_msg);
                *slot = (*slot).min(l.from_msg);
            }
            (LinkKind::Selects, _) => _ = chosen.entry(o).or_insert(Fate { word: SELECTED, msg: l.from_msg }),
            (LinkKind::Omits, _) => _ = omitted.entry(o).or_insert(l.from_msg),
            _ => {}
        }
    }
    // One thing cannot take up two options that exclude each other: then it is not known which.
    let mut first = 0;
    for list in &facts.options {
        let ids = first..first + list.options.len() as u32;
        first = ids.end;
        let by: Vec<MsgIx> = later.range(ids.clone()).map(|(_, msg)| *msg).collect();
        let twice = |msg: &MsgIx| by.iter().filter(|m| *m == msg).count() > 1;
        later.retain(|o, msg| !(list.exclusive && ids.contains(o) && twice(msg)));
    }
    let count: usize = facts.options.iter().map(|l| l.options.len()).sum();
    let fate = |o: u32| {
        let selected = chosen.get(&o).copied();
        let taken_up = later.get(&o).map(|msg| Fate { word: LATER, msg: *msg });
        selected.or(taken_up).or_else(|| omitted.get(&o).map(|msg| Fate { word: OMITTED, msg: *msg }))
    };
    (0..count as u32).map(fate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;

    const REVIEW: &str = "## Review findings\n\n### Critical Findings (P1)\n\n**1. Running Job Could Be Deleted as Stale**\n\n**2. Possible Key Width Mismatch in Stale Check**\n\n### Minor Findings (P3)\n\n**3. Dead code in the parser**\n";

    type Told = Vec<(String, Option<&'static str>)>;

    /// What became of each finding of the review, and those that are open, by level.
    fn told(later: &[&str]) -> (Told, Told) {
        let builder = later.iter().fold(SessionBuilder::new().assistant(REVIEW), |b, text| b.assistant(text));
        let session = builder.build();
        let facts = extract(&session, &Config::default());
        let links = super::super::link(&session, &facts);
        let fates = findings(&facts, &links);
        let all = facts.findings.findings.iter().zip(fates);
        let rows =
            all.clone().filter(|(f, _)| f.restates.is_none()).map(|(f, fate)| (f.title.clone(), fate.map(|f| f.word)));
        let open = all.clone().filter(|(f, fate)| is_open(f, *fate));
        let open = open.map(|(f, fate)| (f.level.clone().unwrap(), fate.map(|f| f.word))).collect();
        (rows.collect(), open)
    }

    fn words(later: &[&str]) -> Vec<Option<&'static str>> {
        told(later).0.into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn a_finding_told_again_is_one_row_and_its_fix_is_its_fate() {
        let fixes = "All done.\n\n## Fixes Applied\n\n### P1 #1: Running Job Protection\n\nAdded a grace time.\n\n### P1 #2: Key Width Mismatch\n\nCompares prefixes now.\n";
        let (rows, open) = told(&[fixes]);
        assert_eq!(rows.iter().map(|(_, word)| *word).collect::<Vec<_>>(), [Some("fixed"), Some("fixed"), None]);
        assert_eq!(open, [("P3".to_owned(), None)]);
    }

    #[test]
    fn sentences_put_off_drop_and_deny_findings() {
        assert_eq!(words(&["The dead code in the parser is left for later."])[2], Some("deferred"));
        assert_eq!(words(&["Skipping the dead code in the parser."])[2], Some("dropped"));
        assert_eq!(words(&["The dead code in the parser is a false positive."])[2], Some("contradicted"));
        assert_eq!(
            words(&["Dead code in the parser is left for later.", "The dead code in the parser is now fixed."])[2],
            Some("fixed")
        );
    }

    #[test]
    fn what_is_listed_again_after_it_was_said_to_be_fixed_is_open_until_it_is_said_again() {
        let fixed = "The dead code in the parser is now fixed.";
        let again = "## Review findings\n\n### Minor Findings (P3)\n\n**1. Dead code in the parser**\n";
        let (rows, open) = told(&[fixed, again]);
        assert_eq!(rows[2].1, Some("reopened"));
        assert!(open.contains(&("P3".to_owned(), Some("reopened"))), "{open:?}");
        assert_eq!(words(&[fixed, again, fixed])[2], Some("fixed"));
        assert_eq!(words(&[again])[2], None);
    }
}
