//! `selects`: a directive and the findings that it names by number ("fix 3 too"), by level ("each P1 item") or by a word
//! for all of them ("fix both").

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::{FactId, Link, LinkKind, Scene};
use crate::extract::directives::{Directive, Polarity};
use crate::extract::findings::{Finding, FindingStatus};
use crate::extract::prose::re;
use crate::session::{MsgIx, Session};

/// Verbs that ask for work on findings, before a number.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:fix|do|address|handle|tackle|implement|resolve|solve|start with|work on|apply)(?: (?:also|just|only|now|the|number|nr|no\.?|item|items|issue|issues|finding|findings|point|points|bugs?))*((?:,? ?(?:and|&|\+)? ?#?\d{1,2}\b)+)(?: (?:too|also|as well|now|first|then|please|and .*|next))?\W*$",
    )
});
static DIGITS: LazyLock<Regex> = LazyLock::new(|| re(r"\d{1,2}"));
static LEVELS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:P([0-4])s?|(critical|high|medium|low)(?:[- ](?:severity|priority))?)(?: (?:#\d+|items?|issues?|findings?|bugs?|problems?|ones?|points?|list)|s?\W*$| (?:too|first|now))",
    )
});
static BOTH: LazyLock<Regex> = LazyLock::new(|| re(r"\b(both|these two|those two|the two)\b"));
static EVERY: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:fix|address|handle|resolve|solve|tackle|implement)(?: (?:all|both|each|every|any))?(?: of)?(?: (?:them|these|those|the))?(?: (?:rest|all|issues|findings|problems|bugs|everything|items|points|review comments))?\W*$",
    )
});

/// Findings that one message lists, or that one directive took.
type Group = Vec<u32>;

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let all = &scene.facts.findings.findings;
    let mut links = Vec::new();
    let mut lists: Vec<Group> = Vec::new();
    let mut taken: Option<(MsgIx, Group)> = None;
    let mut next = 0;
    for (i, directive) in scene.facts.directives.iter().enumerate() {
        while let Some(f) = all.get(next).filter(|f| f.msg < directive.msg) {
            match lists.last_mut().filter(|l| l.last().is_some_and(|&o| all[o as usize].msg == f.msg)) {
                Some(list) => list.push(next as u32),
                None => lists.push(vec![next as u32]),
            }
            next += 1;
        }
        if directive.polarity != Polarity::Do || lists.is_empty() {
            continue;
        }
        let picked = named(scene.session, all, &lists, directive).or_else(|| together(all, &lists, &taken, directive));
        let Some((group, confidence)) = picked.filter(|(g, _)| !g.is_empty()) else { continue };
        let firsts: BTreeSet<u32> = group.iter().map(|&f| all[f as usize].restates.unwrap_or(f)).collect();
        links.extend(firsts.iter().map(|&f| Link {
            from: FactId::Directive(i as u32),
            from_msg: directive.msg,
            kind: LinkKind::Selects,
            to: FactId::Finding(f),
            to_msg: all[f as usize].msg,
            confidence,
            span: Some(directive.span.clone()),
        }));
        taken = Some((directive.msg, firsts.into_iter().collect()));
    }
    links
}

/// By number in the latest list, or by level in the latest list that has it.
fn named(session: &Session, all: &[Finding], lists: &[Group], directive: &Directive) -> Option<(Group, f64)> {
    if let Some(c) = NUMBERED.captures(&directive.text) {
        let wanted: BTreeSet<u32> = DIGITS.find_iter(&c[1]).filter_map(|m| m.as_str().parse().ok()).collect();
        let has = |f: &&u32| ordinal(session, &all[**f as usize]).is_some_and(|n| wanted.contains(&n));
        return Some((lists.last()?.iter().filter(has).copied().collect(), 0.8));
    }
    let wanted: BTreeSet<String> = LEVELS.captures_iter(&directive.text).filter_map(|c| level(&c)).collect();
    if wanted.is_empty() {
        return None;
    }
    let fits = |f: &&u32| all[**f as usize].level.as_ref().is_some_and(|l| wanted.contains(l));
    let of = |list: &Group| list.iter().filter(fits).copied().collect::<Group>();
    Some((lists.iter().rev().take(4).map(of).find(|g| !g.is_empty())?, 0.8))
}

fn level(c: &regex::Captures<'_>) -> Option<String> {
    if let Some(digit) = c.get(1) {
        return Some(format!("P{}", digit.as_str()));
    }
    let norm = match c.get(2)?.as_str().to_lowercase().as_str() {
        "critical" => "P0",
        "high" => "P1",
        "medium" => "P2",
        _ => "P3",
    };
    Some(norm.to_owned())
}

/// "both", "them all": what was taken last, else what was listed last.
fn together(
    all: &[Finding],
    lists: &[Group],
    taken: &Option<(MsgIx, Group)>,
    directive: &Directive,
) -> Option<(Group, f64)> {
    let last = lists.last()?;
    let two = BOTH.is_match(&directive.text);
    let old = taken.as_ref().filter(|(msg, _)| last.first().is_some_and(|&f| all[f as usize].msg <= *msg));
    let group = old.map_or(last, |(_, g)| g);
    if two {
        return (group.len() == 2).then(|| (group.clone(), 0.7));
    }
    let open = |f: &&u32| all[**f as usize].status == FindingStatus::Actionable;
    EVERY.is_match(&directive.text).then(|| (last.iter().filter(open).copied().collect(), 0.6))
}

/// The number that stands before a title on its line.
fn ordinal(session: &Session, finding: &Finding) -> Option<u32> {
    let part = session.text_of(&finding.span)?;
    let start = finding.span.start as usize;
    let line = &part[part[..start].rfind('\n').map_or(0, |i| i + 1)..start];
    let mut numbers = line.split(|c: char| !c.is_alphanumeric()).filter(|w| w.bytes().all(|b| b.is_ascii_digit()));
    numbers.find_map(|w| w.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;

    const REVIEW: &str = "## Review findings\n\n### Critical Findings (P1)\n\n**1. Lock is never freed**\n\n**2. Hash cut too short**\n\n### Minor Findings (P3)\n\n**3. Dead code in the parser**\n";

    fn picked(said: &[&str]) -> Vec<(u32, u32)> {
        let mut builder = SessionBuilder::new().assistant(REVIEW);
        for text in said {
            builder = builder.user(text).assistant("Done.");
        }
        let session = builder.build();
        let facts = extract(&session, &Config::default());
        let links = link(&Scene::new(&session, &facts), &[]);
        let ids = |l: &Link| match (l.from, l.to) {
            (FactId::Directive(d), FactId::Finding(f)) => Some((d, f)),
            _ => None,
        };
        links.iter().filter_map(ids).collect()
    }

    #[test]
    fn findings_are_picked_by_number_level_and_together() {
        assert_eq!(picked(&["let's fix 3 too"]), [(0, 2)]);
        assert_eq!(picked(&["write a test for each P1 item"]), [(0, 0), (0, 1)]);
        assert_eq!(
            picked(&["write a test for each P1 item", "implement a fix for both"]),
            [(0, 0), (0, 1), (1, 0), (1, 1)]
        );
        assert_eq!(picked(&["fix all of them"]), [(0, 0), (0, 1), (0, 2)]);
    }

    #[test]
    fn other_numbers_pick_nothing() {
        assert_eq!(picked(&["fix 3 typos in the docs"]), []);
        assert_eq!(picked(&["implement a fix for both"]), []);
    }
}
