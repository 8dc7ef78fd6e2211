//! What a sentence states, one file per kind of statement. A new kind is a file and a line in [`CHECKS`].

mod absence;
mod actor;
mod asked;
mod change;
mod choice;
mod columns;
mod count;
mod diff;
mod direction;
mod each;
mod ended;
mod excerpt;
mod extent;
mod figures_table;
mod files;
mod finding;
mod item_list;
mod links;
mod measured_row;
mod missing;
mod neighbour;
mod number;
mod open_things;
mod opinion;
mod order;
mod outcome;
mod plan;
mod plan_row;
mod printed;
mod quote;
mod record;
mod reference;
mod rows;
mod selection;
mod spans;
mod time;
mod verbatim;
mod warnings;
mod wording;

use std::ops::Range;

use super::article::{Block, Sentence};
use super::refs::Reference;
use super::world::World;
use super::{Finding, words};
use crate::extract::prose::content_words;
use crate::session::MsgIx;

/// One sentence, with the article around it and the session it is checked against.
pub(super) struct Scene<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) sentences: &'a [Sentence],
    /// The sentence.
    pub(super) at: usize,
    /// The message that the article is about, if it is about one.
    pub(super) subject: Option<MsgIx>,
}

/// Rows and bullets that one sentence can lead in.
const LEAD: usize = 60;

/// Sentences before and behind one that are read with it.
const NEAR: usize = 30;

/// Words of meaning that a sentence needs beside its quotes to claim something of them.
const MORE: usize = 3;

/// Reads one kind of statement in a sentence, and decides it.
type Check = fn(&Scene<'_>) -> Vec<Finding>;

/// Checks of every sentence.
const CHECKS: &[Check] = &[reference::check, quote::check, excerpt::check, verbatim::check, opinion::check];

/// Checks of sentences that state a fact; guesses and questions are spared.
const CHECKS_OF_FACT: &[Check] = &[
    count::check,
    each::check,
    number::check,
    direction::check,
    time::check,
    absence::check,
    actor::check,
    asked::check,
    order::check,
    neighbour::check,
    measured_row::check,
    missing::check,
    plan::check,
    item_list::check,
    ended::check,
    change::check,
    choice::check,
    outcome::check,
    selection::check,
    spans::check,
    extent::check,
    open_things::check,
    finding::check,
    figures_table::check,
    files::check,
    printed::check,
    links::check,
    rows::check,
    columns::check,
    record::check,
    warnings::check,
    wording::check,
];

/// Everything that the checks say of a sentence.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let mut out: Vec<Finding> = CHECKS.iter().flat_map(|c| c(scene)).collect();
    if scene.sentence().block != Block::Code && !words::is_question(scene.text()) {
        out.extend(CHECKS_OF_FACT.iter().flat_map(|c| c(scene)));
    }
    out
}

/// The message that an article is about: named in its title; where it speaks of "this message", the one named there, else
/// the one it names first.
pub(super) fn subject(sentences: &[Sentence], world: &World<'_>) -> Option<MsgIx> {
    let title = sentences.iter().find(|s| s.block == Block::Heading && s.headings.is_empty());
    if let Some(one) = title.and_then(|t| world.expand(&t.own).first().copied()) {
        return Some(one);
    }
    let speaks = |s: &&Sentence| {
        let lower = s.text.to_lowercase();
        lower.contains("this message") || lower.contains("the message itself")
    };
    let one_named = |s: &Sentence| match &s.own[..] {
        [only] if only.last.is_none() => world.find(&only.first),
        _ => None,
    };
    let mut speaking = sentences.iter().filter(speaks).peekable();
    speaking.peek()?;
    let beside = |s: &Sentence| {
        let r = s.own.first().filter(|r| r.last.is_none())?;
        let before = s.text[..r.at.start].trim_end_matches([' ', '—', '-', ',', '(']).to_lowercase();
        before.ends_with("this message").then(|| world.find(&r.first)).flatten()
    };
    speaking.find_map(beside).or_else(|| sentences.iter().find_map(one_named))
}

impl<'a> Scene<'a> {
    /// The sentence.
    pub(super) fn sentence(&self) -> &'a Sentence {
        &self.sentences[self.at]
    }

    /// Its text.
    pub(super) fn text(&self) -> &'a str {
        &self.sentence().text
    }

    /// The sentence before it in the same paragraph.
    pub(super) fn before(&self) -> Option<&'a Sentence> {
        let before = self.at.checked_sub(1).map(|n| &self.sentences[n])?;
        (before.group == self.sentence().group).then_some(before)
    }

    /// Its text with quotes, code, references and guesses blanked out, byte for byte.
    pub(super) fn outside_quotes(&self) -> String {
        let text = self.without_quotes();
        let mut bytes = text.into_bytes();
        code(self.text()).into_iter().for_each(|range| bytes[range].fill(b' '));
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Its text with quotes, references and guesses blanked out, byte for byte; code and quoted terms of one or two words
    /// stay, without their marks.
    pub(super) fn without_quotes(&self) -> String {
        let mut bytes = self.text().as_bytes().to_vec();
        for range in quotes(self.text()) {
            let words = inner(&self.text()[range.clone()]);
            match words.split_whitespace().count() {
                0..=2 => {
                    let start = range.start + self.text()[range.clone()].find(words).unwrap_or(0);
                    bytes[range.start..start].fill(b' ');
                    bytes[start + words.len()..range.end].fill(b' ');
                }
                _ => bytes[range].fill(b' '),
            }
        }
        self.sentence().own.iter().for_each(|r| bytes[r.at.clone()].fill(b' '));
        for range in plan::wordings(self) {
            bytes[range].fill(b' ');
        }
        let text = String::from_utf8(bytes).unwrap_or_default();
        words::without_guesses(&text)
    }

    /// Whether a sentence says something beside the words, code and messages that it names.
    pub(super) fn says_more(&self) -> bool {
        let mut rest = self.outside_quotes().into_bytes();
        quotes(self.text()).into_iter().for_each(|range| rest[range].fill(b' '));
        let rest = String::from_utf8(rest).unwrap_or_default();
        self.sentence().block == Block::Prose && content_words(&rest).len() >= MORE
    }

    /// The other sentences of its paragraph, bullet or table, the nearest of them where there are many.
    pub(super) fn around(&self) -> Vec<&'a Sentence> {
        let group = self.sentence().group;
        let near = &self.sentences[self.at.saturating_sub(NEAR)..(self.at + NEAR + 1).min(self.sentences.len())];
        near.iter().filter(|s| s.group == group && s.bytes != self.sentence().bytes).collect()
    }

    /// The messages the sentence speaks of: those it names, the article's subject when it speaks of that, those named
    /// around it. Empty = the whole session.
    pub(super) fn scope(&self) -> Vec<MsgIx> {
        let own = self.world.expand(&self.sentence().own);
        if !own.is_empty() {
            return own;
        }
        if let Some(subject) = self.subject.filter(|_| self.speaks_of_subject()) {
            return vec![subject];
        }
        let around = self.world.expand(&self.sentence().inherited);
        if !around.is_empty() {
            return around;
        }
        let lead = self.lead_in().map(|s| self.world.expand(&s.own)).unwrap_or_default();
        let one_subject = self.subject.filter(|_| lead.is_empty() && self.sentence().block == Block::Row);
        if let Some(subject) = one_subject { vec![subject] } else { lead }
    }

    /// The sentence that leads in the list or table it stands in: `Open before [msg 3]:`.
    pub(super) fn lead_in(&self) -> Option<&'a Sentence> {
        let listed = self.sentence().block;
        let back = self.sentences[..self.at].iter().rev().take(LEAD);
        let mut back =
            back.take_while(|s| s.block != Block::Heading && (listed != Block::Row || s.block != Block::Code));
        back.find(|s| s.block == Block::Prose && s.text.trim_end().ends_with(':') && !s.own.is_empty())
    }

    /// For a row: the messages that its own column for them names.
    pub(super) fn message_column(&self) -> Vec<MsgIx> {
        self.world.expand(&super::refs::find(self.cell(&["message", "msg"]).unwrap_or("")))
    }

    /// The message named directly before a byte; `text` is the sentence's, or the same with parts blanked out.
    pub(super) fn named_before(&self, text: &str, at: usize) -> Option<MsgIx> {
        let beside = |r: &&Reference| text.get(r.at.end..at).is_some_and(|gap| gap.trim().is_empty());
        self.sentence().own.iter().rfind(beside).and_then(|r| self.world.find(&r.first))
    }

    /// For a row: the cell under the first heading that has one of these names.
    pub(super) fn cell(&self, names: &[&str]) -> Option<&'a str> {
        let sentence = self.sentence();
        let n = sentence.head.iter().position(|h| names.contains(&&*h.to_lowercase()))?;
        sentence.cells().nth(n)
    }

    /// Whether it says "this message", "the todo list" or, at its beginning, "it".
    pub(super) fn speaks_of_subject(&self) -> bool {
        let lower = self.text().to_lowercase();
        let speaks = ["this message", "the message", "message itself", "todo list", "todo item", "todowrite"];
        let pronoun = ["it ", "its ", "yet this"].iter().any(|w| lower.starts_with(w));
        pronoun || speaks.iter().any(|w| lower.contains(w))
    }
}

impl Scene<'_> {
    /// Metrics that the sentence or the heading over it names, by their names or in plain words.
    pub(super) fn metrics_named(&self) -> Vec<&str> {
        let heading = self.sentence().headings.last().map_or("", String::as_str);
        let text = format!("{} {heading}", self.text()).to_lowercase();
        let bench = &self.world.analysis.facts.bench;
        let mut names: Vec<&str> = bench.measurements.iter().map(|m| &*m.metric).collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|n| text.contains(n) || text.contains(&n.replace('_', " ")));
        names
    }
}

/// Ranges of quotes in a plain text, with their marks.
pub(super) fn quotes(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut ticks = false;
    for (i, c) in text.char_indices() {
        match (c, open) {
            ('`', None) => ticks = !ticks,
            _ if ticks => {}
            ('“', None) => open = Some((i, '”')),
            ('"', None) => open = Some((i, '"')),
            (c, Some((start, close))) if c == close => {
                out.push(start..i + c.len_utf8());
                open = None;
            }
            _ => {}
        }
    }
    out
}

/// Ranges of code in a plain text, with the backticks.
pub(super) fn code(text: &str) -> Vec<Range<usize>> {
    let mut ticks: Vec<usize> = memchr::memchr_iter(b'`', text.as_bytes()).collect();
    // A quote that was cut may hold half of a pair.
    for quote in quotes(text).into_iter().filter(|q| text[q.clone()].matches('`').count() % 2 == 1) {
        ticks.retain(|t| !quote.contains(t));
    }
    ticks.chunks_exact(2).map(|pair| pair[0]..pair[1] + 1).collect()
}

/// The text inside quote marks or backticks.
pub(super) fn inner(text: &str) -> &str {
    text.trim_matches(|c| matches!(c, '“' | '”' | '"' | '`'))
}
