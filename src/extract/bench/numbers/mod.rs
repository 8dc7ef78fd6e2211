//! Numbers as people and tools write them, with the unit behind them.
//!
//! A number that is part of a longer word, version, path, date or id is none.

mod digits;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::units::Unit;
use digits::{number, number_with_groups, suffix};

/// A number, pair or range with its unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Bytes from the sign to the end of the unit.
    pub span: Range<usize>,
    /// The number; the first one of a pair.
    pub value: f64,
    /// The second number, with what stands between.
    pub second: Option<(Between, f64)>,
    /// Half width after `±`.
    pub pm: Option<f64>,
    /// Written with `~`, `≈` or "about".
    pub approx: bool,
    /// `<`, `>`, `≤` or `≥` before it.
    pub bound: Option<char>,
    /// Written with a sign.
    pub signed: bool,
    /// Digits after the decimal mark.
    pub decimals: u8,
    /// The unit, when one stands behind it.
    pub unit: Option<Unit>,
    /// A word between number and unit: `output` in `640 output tokens/s`.
    pub adjective: Option<String>,
}

/// What stands between the two numbers of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// `774-778`: a range.
    Dash,
    /// `3 to 5`: a range, or a change after "from".
    To,
    /// `10 → 12`: a change.
    Arrow,
}

/// Every figure of a text that has a unit, in order.
pub fn with_units(text: &str) -> Vec<Figure> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(digit) = next_digit(text, at) {
        match figure_at(text, digit) {
            Some(figure) if figure.unit.is_some() => {
                at = figure.span.end;
                out.push(figure);
            }
            _ => at = skip_token(text, digit),
        }
    }
    out
}

/// The first figure of a cell, whether it has a unit or not; `None` when the cell holds words before the number.
pub fn of_cell(text: &str) -> Option<Figure> {
    let digit = next_digit(text, 0)?;
    let before = text[..digit].trim_start_matches(|c: char| !c.is_alphanumeric());
    if !before.is_empty() && !matches!(before.trim(), "about" | "approx" | "ca") {
        return None;
    }
    figure_at(text, digit)
}

fn next_digit(text: &str, from: usize) -> Option<usize> {
    text.as_bytes()[from..].iter().position(u8::is_ascii_digit).map(|n| from + n)
}

/// The end of the word or number that holds `at`.
fn skip_token(text: &str, at: usize) -> usize {
    let inside = |b: &u8| b.is_ascii_alphanumeric() || b"._".contains(b);
    at + text.as_bytes()[at..].iter().position(|b| !inside(b)).unwrap_or(text.len() - at).max(1)
}

/// The figure whose first digit stands at `digit`.
fn figure_at(text: &str, digit: usize) -> Option<Figure> {
    let before = &text[..digit];
    let sign = before.chars().next_back().filter(|c| "+-−".contains(*c));
    let head = before.strip_suffix(|c| "+-−".contains(c)).filter(|h| sign.is_some() && opens(h));
    let (head, signed) = head.map_or((before, false), |h| (h, true));
    if !signed && !opens(before) {
        return None;
    }
    let spaced = number_with_groups(text, digit).filter(|n| unit_after(text, n.end).is_some());
    let number = match spaced {
        Some(n) if !after_param(head) => n,
        _ => number(text, digit, false)?,
    };
    let mark = head.trim_end().chars().next_back();
    let bound = mark.filter(|c| "<>≤≥".contains(*c));
    let approx = mark.is_some_and(|c| "~≈".contains(c)) || says_about(head);
    let marked = mark.filter(|c| "~≈<>≤≥".contains(*c)).map(char::len_utf8);
    let start = marked.map_or(head.len(), |len| head.trim_end().len() - len);
    let minus = if signed && sign != Some('+') { -1.0 } else { 1.0 };
    let mut figure = Figure {
        span: start..number.end,
        value: minus * number.value,
        second: None,
        pm: None,
        approx,
        bound,
        signed,
        decimals: number.decimals,
        unit: None,
        adjective: None,
    };
    figure.take_unit(text);
    figure.take_smaller(text);
    figure.take_deviation(text);
    figure.take_second(text);
    let next = text[figure.span.end..].chars().next();
    let inside_word = figure.unit.is_none() && next.is_some_and(|c| c.is_alphanumeric() || "_:/".contains(c));
    (!inside_word).then_some(figure)
}

impl Figure {
    /// The figure as one value, or as two values around an arrow, or as a range.
    pub fn is_range(&self) -> bool {
        matches!(self.second, Some((Between::Dash | Between::To, hi)) if hi > self.value)
    }

    fn take_unit(&mut self, text: &str) {
        if let Some((unit, adjective, end)) = unit_after(text, self.span.end) {
            self.unit = Some(unit);
            self.adjective = adjective;
            self.span.end = end;
        } else if let Some(factor) = suffix(&text[self.span.end..]) {
            self.value *= factor;
            self.decimals = 0;
            self.span.end += 1;
            if let Some((unit, adjective, end)) = unit_after(text, self.span.end) {
                self.unit = Some(unit);
                self.adjective = adjective;
                self.span.end = end;
            }
        }
    }

    /// `5 min 30 s`, `1 h 20 min`, `2m05s`: one time, in the smallest unit that is written.
    fn take_smaller(&mut self, text: &str) {
        let minutes = || text[self.span.end..].strip_prefix('m').filter(|r| r.trim_start().starts_with(is_digit));
        let (mut unit, mut end) = match &self.unit {
            Some(unit) => (unit.clone(), self.span.end),
            None if minutes().is_some() => match Unit::parse("min") {
                Some(unit) => (unit, self.span.end + 1),
                None => return,
            },
            None => return,
        };
        while unit.dimension.is_time() && self.decimals == 0 {
            let rest = text[end..].trim_start_matches([' ', ',']);
            let at = text.len() - rest.len();
            let Some(n) = number(text, at, false).filter(|n| n.value < 60.0) else { break };
            let Some((smaller, _, to)) = unit_after(text, n.end) else { break };
            let Some(rest) = unit.convert(self.value, &smaller).filter(|v| *v > self.value) else { break };
            (self.value, self.decimals) = (rest + n.value, n.decimals);
            (self.unit, self.span.end) = (Some(smaller.clone()), to);
            (unit, end) = (smaller, to);
        }
    }

    fn take_deviation(&mut self, text: &str) {
        let rest = &text[self.span.end..];
        let Some(body) = ["±", "+/-"].iter().find_map(|s| rest.trim_start_matches(' ').strip_prefix(s)) else {
            return;
        };
        let at = text.len() - body.trim_start_matches(' ').len();
        let Some(n) = number(text, at, false) else { return };
        self.pm = Some(n.value);
        self.span.end = n.end;
        if let Some((unit, adjective, end)) = unit_after(text, n.end) {
            let percent = unit.name == "%";
            if percent {
                self.pm = Some(self.value * n.value / 100.0);
            } else if self.unit.is_none() {
                (self.unit, self.adjective) = (Some(unit), adjective);
            }
            self.span.end = end;
        }
    }

    fn take_second(&mut self, text: &str) {
        let Some((between, at)) = between(text, self.span.end) else { return };
        let Some(n) = number(text, at, false) else { return };
        let mut other = Self { span: at..n.end, value: n.value, decimals: n.decimals, unit: None, ..self.clone() };
        other.take_unit(text);
        let next = text[other.span.end..].chars().next();
        let ends = other.unit.is_some()
            || !next.is_some_and(|c| c.is_alphanumeric() || "-_/:.".contains(c) && between == Between::Dash);
        let agree = match (&self.unit, &other.unit) {
            (Some(a), Some(b)) => a.dimension == b.dimension,
            (Some(_), None) => between == Between::Arrow,
            _ => true,
        };
        if !ends || !agree {
            return;
        }
        let second = match (&self.unit, &other.unit) {
            (Some(a), Some(b)) => b.convert(other.value, a).unwrap_or(other.value),
            _ => other.value,
        };
        self.second = Some((between, second));
        self.decimals = self.decimals.max(other.decimals);
        self.unit = self.unit.take().or(other.unit);
        self.adjective = self.adjective.take().or(other.adjective);
        self.span.end = other.span.end;
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Whether a number may start behind `before`.
fn opens(before: &str) -> bool {
    match before.chars().next_back() {
        None => true,
        Some(c) => c.is_whitespace() || "([{<>~≈≤≥=:*_`|\"'“‘→—–+".contains(c) && !ends_in_word_mark(before),
    }
}

/// `12:30`, `a_1`: the mark belongs to a word or a time.
fn ends_in_word_mark(before: &str) -> bool {
    let mut back = before.chars().rev();
    let mark = back.next();
    matches!(mark, Some(':' | '_'))
        && back.next().is_some_and(|c| c.is_alphanumeric() && mark == Some('_') || c.is_ascii_digit())
}

fn says_about(head: &str) -> bool {
    let head = head.trim_end();
    ["about", "around", "roughly", "approximately", "approx.", "circa", "nearly", "almost"].iter().any(|w| {
        head.len() >= w.len()
            && head.is_char_boundary(head.len() - w.len())
            && head[head.len() - w.len()..].eq_ignore_ascii_case(w)
    })
}

/// `batch 2 417 tok/s`: the first number belongs to the word before it.
fn after_param(head: &str) -> bool {
    let word = head.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    ["batch", "concurrency", "conc", "c", "bs", "tp", "step", "run", "layer", "size", "threads", "at"]
        .contains(&word.to_ascii_lowercase().as_str())
}

const ADJECTIVES: &[&str] =
    &["output", "total", "input", "prompt", "generated", "generation", "decode", "prefill", "aggregate"];

/// The unit behind a number: marks of emphasis, one space and one adjective may stand between.
fn unit_after(text: &str, at: usize) -> Option<(Unit, Option<String>, usize)> {
    let rest = &text[at..];
    let tight = rest.trim_start_matches(['*', '`', '_']);
    let body = tight.strip_prefix([' ', '\u{a0}', '\u{202f}', '\u{2009}']).unwrap_or(tight);
    let body = body.trim_start_matches(['*', '`', '_', '[', '(']);
    let start = text.len() - body.len();
    if let Some((unit, len)) = Unit::at(body) {
        return Some((unit, None, start + len));
    }
    let word = &body[..body.find(' ')?];
    let known = ADJECTIVES.contains(&word.to_ascii_lowercase().as_str());
    let (unit, len) = Unit::at(&body[word.len() + 1..]).filter(|_| known)?;
    Some((unit, Some(word.to_ascii_lowercase()), start + word.len() + 1 + len))
}

/// What stands between two numbers, and where the second begins.
fn between(text: &str, at: usize) -> Option<(Between, usize)> {
    let rest = &text[at..];
    let body = rest.trim_start_matches(['*', '`', ' ']);
    let gap = rest.len() - body.len();
    let (kind, len) = if let Some(s) = ["→", "->", "=>", "⟶"].iter().find(|s| body.starts_with(*s)) {
        (Between::Arrow, s.len())
    } else if let Some(s) = ["–", "…"].iter().find(|s| body.starts_with(*s)) {
        (Between::Dash, s.len())
    } else if body.starts_with('-') && gap == 0 {
        (Between::Dash, 1)
    } else if body.starts_with("to ") && gap > 0 {
        (Between::To, 3)
    } else {
        return None;
    };
    let after = &body[len..];
    let second = after.trim_start_matches([' ', '*', '`', '~', '≈']);
    second.starts_with(|c: char| c.is_ascii_digit()).then(|| (kind, text.len() - second.len()))
}
