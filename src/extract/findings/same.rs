//! Which findings of a session are one: a later mention repeats the first.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, FindingStatus};
use crate::extract::prose::content_words;

/// A word of more findings than this tells nothing.
const COMMON: usize = 24;
/// A word of so few findings names one of them.
const RARE: usize = 2;
/// Share of the words of the shorter title that two mentions in different messages have in common, in percent.
const ENOUGH: usize = 65;
/// The same where the later one says that it is fixed: the words of a fix take up part of the title.
const ENOUGH_FIXED: usize = 50;

/// Findings met so far, by the words of their titles.
#[derive(Default)]
pub(super) struct Known {
    by_title: BTreeMap<String, u32>,
    by_word: BTreeMap<String, Vec<u32>>,
    words: Vec<Vec<String>>,
}

impl Known {
    /// Ties the findings from `here` on to those they repeat. A summary only repeats: what has no original there is
    /// dropped.
    pub(super) fn tie(&mut self, findings: &mut Vec<Finding>, here: usize, summary: bool) {
        let new = findings.split_off(here);
        // Two findings of one message are two: each earlier one is repeated once.
        let mut taken: BTreeSet<u32> = BTreeSet::new();
        for mut finding in new {
            let words = content_words(bare(&finding.title));
            let title = finding.title.to_lowercase();
            let same = self.by_title.get(&title).copied().or_else(|| self.alike(&words));
            finding.restates = same.or_else(|| self.again(&finding, &words, findings, &taken));
            if summary && finding.restates.is_none() {
                continue;
            }
            let at = findings.len() as u32;
            match finding.restates {
                Some(first) => _ = taken.insert(first),
                None => {
                    self.by_title.insert(title, at);
                    for word in &words {
                        self.by_word.entry(word.clone()).or_default().push(at);
                    }
                }
            }
            self.words.push(words);
            findings.push(finding);
        }
    }

    /// An earlier finding most of whose words are these.
    fn alike(&self, words: &[String]) -> Option<u32> {
        if words.len() < 3 {
            return None;
        }
        self.near(words).into_keys().find(|&at| {
            let old = &self.words[at as usize];
            let shared = shared(old, words).count();
            shared >= 3 && shared * 10 >= 7 * (old.len() + words.len() - shared)
        })
    }

    /// A finding of an earlier message told again, shorter or longer: the words of the shorter title stand in the other.
    fn again(&self, new: &Finding, words: &[String], all: &[Finding], taken: &BTreeSet<u32>) -> Option<u32> {
        let enough = if new.status == FindingStatus::Fixed { ENOUGH_FIXED } else { ENOUGH };
        let score = |at: u32| {
            let (old, finding) = (&self.words[at as usize], &all[at as usize]);
            let common = shared(old, words).count();
            let share = common * 100 / old.len().min(words.len()).max(1);
            let rare = shared(old, words).any(|w| self.by_word.get(w).is_some_and(|l| l.len() <= RARE));
            let levels = new.level.is_none() || finding.level.is_none() || new.level == finding.level;
            let good = common >= 2 && share >= enough && rare && levels && !apart(old, words);
            (good && finding.msg < new.msg && !taken.contains(&at)).then_some((share, common))
        };
        let near = self.near(words);
        near.into_keys().filter_map(|at| Some((score(at)?, at))).max_by_key(|(s, at)| (*s, *at)).map(|(_, at)| at)
    }

    /// Earlier findings that share a word, with how many. Common words are not looked up.
    fn near(&self, words: &[String]) -> BTreeMap<u32, usize> {
        let mut near = BTreeMap::new();
        for at in words.iter().filter_map(|w| self.by_word.get(w)).filter(|l| l.len() <= COMMON).flatten() {
            *near.entry(*at).or_default() += 1;
        }
        near
    }
}

fn shared<'a>(old: &'a [String], new: &'a [String]) -> impl Iterator<Item = &'a String> {
    old.iter().filter(|w| new.binary_search(w).is_ok())
}

/// Both name things (paths, identifiers, numbers), and none of them is the same.
fn apart(old: &[String], new: &[String]) -> bool {
    let names = |words: &[String]| -> BTreeSet<String> { words.iter().filter(|w| is_name(w)).cloned().collect() };
    let (a, b) = (names(old), names(new));
    !a.is_empty() && !b.is_empty() && a.is_disjoint(&b)
}

fn is_name(word: &str) -> bool {
    word.contains(['_', '.', '/', ':']) || word.bytes().any(|b| b.is_ascii_digit())
}

/// A title without what stands in brackets at its end.
fn bare(title: &str) -> &str {
    let cut = title.trim_end().strip_suffix(')').and_then(|t| t.rfind(" (")).filter(|at| title[..*at].contains(' '));
    cut.map_or(title, |at| &title[..at])
}
