//! Sentences, and the words of a sentence that belong to each of its figures.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::extract::bench::MeasurementRole;
use crate::extract::bench::lexicon::{Kind, words};
use crate::extract::bench::numbers::Figure;

/// A figure with the words that belong to it.
pub(super) struct Clause<'a> {
    /// The figure.
    pub(super) figure: Figure,
    /// Words before it.
    pub(super) left: &'a str,
    /// Words behind it.
    pub(super) right: &'a str,
    /// Class of its unit.
    pub(super) kind: Option<Kind>,
    /// What it is a figure of.
    pub(super) metric: Option<&'static str>,
    /// What it is.
    pub(super) role: Option<MeasurementRole>,
}

/// Bytes of the longest sentence that is read as one.
const LONGEST: usize = 2048;

/// The first words behind a figure, up to the next number.
pub(super) fn head_of(right: &str) -> &str {
    let right = right.find(|c: char| c.is_ascii_digit()).map_or(right, |digit| &right[..digit]);
    let end = right.char_indices().filter(|(_, c)| *c == ' ').nth(3).map_or(right.len(), |(i, _)| i);
    &right[..end]
}

/// Sentences of a line. A dot between digits, or in an abbreviation before a lower-case word, ends none.
pub(super) fn sentences(line: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    // What follows is looked at only where a sentence may end: looked at everywhere, a run of marks costs its square.
    for (i, c) in line.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | ';')) {
        let next = line[i + c.len_utf8()..].trim_start_matches(['*', '_', '`', ')', '"']);
        let gap = next.starts_with(char::is_whitespace);
        let opens = next.trim_start().starts_with(|c: char| !c.is_lowercase());
        if gap && (opens || c == ';') {
            out.push(start..i + 1);
            start = i + 1;
        }
    }
    if start < line.len() {
        out.push(start..line.len());
    }
    out.into_iter().flat_map(|sentence| pieces(line, sentence)).collect()
}

/// A sentence without an end, cut behind commas, else at spaces that part no number from its unit: it is no sentence, and
/// its figures would each be read with all of it.
fn pieces(line: &str, mut rest: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    while rest.len() > LONGEST {
        let end = line.floor_char_boundary(rest.start + LONGEST);
        let window = &line[rest.start..end];
        let apart = |&(i, _): &(usize, &str)| !window[..i].ends_with(|c: char| c.is_ascii_digit());
        let comma = window.rfind([',', ';']).filter(|i| window[i + 1..].starts_with(' '));
        let cut = comma.or_else(|| window.rmatch_indices(' ').find(apart).map(|(i, _)| i));
        let cut = cut.map_or(end, |i| rest.start + i + 1);
        out.push(rest.start..cut);
        rest.start = cut;
    }
    out.push(rest);
    out
}

/// A sentence cut at its figures.
pub(super) fn clauses(text: &str, figures: Vec<Figure>) -> Vec<Clause<'_>> {
    let mut cuts = vec![(0, 0)];
    for pair in figures.windows(2) {
        let (from, to) = (pair[0].span.end, pair[1].span.start);
        let cut = from + join(&text[from..to]);
        cuts.push((cut, cut));
    }
    let last = figures.last().map_or(0, |f| f.span.end);
    cuts.push((last + tail(&text[last..]), 0));
    let spans: Vec<_> = cuts.windows(2).map(|w| (w[0].0, w[1].0)).collect();
    figures
        .into_iter()
        .zip(spans)
        .map(|(figure, (from, to))| Clause {
            left: &text[from.min(figure.span.start)..figure.span.start],
            right: &text[figure.span.end..to.max(figure.span.end)],
            figure,
            kind: None,
            metric: None,
            role: None,
        })
        .collect()
}

static SEPARATOR: LazyLock<Regex> =
    LazyLock::new(|| words(r"[,;:(—|]|\b(and|but|while|vs\.?|versus|against|than|compared|whereas|of)\b| [-–=≈/] "));
static BELONGS_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| words(r"^[*`_)]*\s*(at|for|with|on|in|per|when|using|during|single)\b"));

/// Where the text between two figures is divided: how much of it belongs to the first.
fn join(between: &str) -> usize {
    match SEPARATOR.find(between) {
        Some(first) => first.start(),
        None if BELONGS_BEFORE.is_match(between) => between.len(),
        None => 0,
    }
}

/// How much of the text behind the last figure belongs to it.
fn tail(rest: &str) -> usize {
    static END: LazyLock<Regex> =
        LazyLock::new(|| words(r"[,;—|]|\b(but|while|vs\.?|versus|against|than|compared|whereas|which|because|so)\b"));
    END.find(rest).map_or(rest.len(), |m| m.start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_without_an_end_is_cut_between_its_figures() {
        let line = "12 GB/s of copy ".repeat(400);
        let found = sentences(&line);
        assert!(found.len() > 2 && found.iter().all(|r| r.len() <= LONGEST));
        assert_eq!(found.iter().map(|r| &line[r.clone()]).collect::<String>(), line, "nothing is lost");
        assert!(found.iter().all(|r| !line[r.clone()].ends_with("12 ")), "no number is parted from its unit");
        let letters = "é".repeat(4000);
        assert_eq!(sentences(&letters).iter().map(|r| &letters[r.clone()]).collect::<String>(), letters);
    }
}
