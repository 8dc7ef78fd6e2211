//! A model may rephrase the sentences of a report; what it may not do is say anything else.
//!
//! It is given a fact pack: the report's own sentences, each with what is quoted, named or linked taken out and a mark
//! such as `{2}` in its place. So no text of the transcript that stands in quotes leaves the machine, and none can be changed. A sentence that
//! comes back stands in the report only when it holds the same marks and figures in their order, no word that carries meaning which the
//! report's sentence does not hold, and when the verifier supports it as it supports the report's own. Else the report's
//! sentence stays.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::text;
use crate::analysis::Analysis;
use crate::extract::prose::{content_words, re, tokens};
use crate::verify::{Verdict, Verification, Verifier};

/// Sentences that one request holds.
const MOST: usize = 60;
/// How much longer than the report's own a sentence may be: twice, and so many bytes.
const LONGER: usize = 80;

/// What is asked of the model; the facts follow as JSON.
pub const INSTRUCTIONS: &str = include_str!("../../templates/narrator.txt");

/// Code, quotes and links to messages: what may not be changed.
static FIXED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?P<code>``? ?[^\n]*?[^`] ?``?)|(?P<link>\[msg [^\]]*\]\(#[^)]*\)(?:–\[msg [^\]]*\]\(#[^)]*\))?)|(?P<quote>“[^”]*”)|(?P<bold>\*\*[^*]+\*\*)",
    )
});
static MARK: LazyLock<Regex> = LazyLock::new(|| re(r"\{(\d{1,3})\}"));
static FIGURE: LazyLock<Regex> = LazyLock::new(|| re(r"\d+(?:[.,]\d+)*"));

/// Words that tell how facts hang together, and nothing more.
const JOINING: &str = "a after all also altogether and another as at before begin began both by count each end ended first \
    follow followed following found from give given go had has have held hold in into is it its last later list made make \
    message more named next no none not of on one only open order other out over record same second session so stand stands \
    state stated still that the then there these this those through together total transcript two until up was were when \
    where which while with within assistant user agent";

/// A report's sentences, ready to be rephrased.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    sentences: Vec<Fact>,
    own: Vec<Own>,
}

/// A sentence as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Fact {
    id: usize,
    text: String,
    /// What each mark stands for: `message`, `quote`, `name` or `label`.
    marks: BTreeMap<usize, &'static str>,
}

/// A sentence as it stands in the report.
#[derive(Debug, Clone, PartialEq)]
struct Own {
    line: usize,
    /// What stands before the sentence: the mark of a bullet.
    lead: String,
    fixed: Vec<String>,
    /// The headings above, for the verifier.
    headings: Vec<String>,
}

/// What the model answers.
#[derive(Debug, Deserialize)]
struct Answer {
    sentences: Vec<Rephrased>,
}

#[derive(Debug, Deserialize)]
struct Rephrased {
    id: usize,
    text: String,
}

/// A report that was rephrased, and what became of the sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The report.
    pub markdown: String,
    /// Sentences taken over.
    pub taken: usize,
    /// Why others were not, and how many.
    pub kept: BTreeMap<&'static str, usize>,
}

impl Pack {
    /// Takes the sentences out of a report that stand in paragraphs and bullets and cite a message.
    pub fn of(markdown: &str) -> Self {
        let mut pack = Self { sentences: Vec::new(), own: Vec::new() };
        let mut headings: Vec<String> = Vec::new();
        let mut fence: Option<&str> = None;
        for (line, text) in markdown.lines().enumerate() {
            let ticks = &text[..text.len() - text.trim_start_matches('`').len()];
            match fence {
                Some(open) if text == open => fence = None,
                None if ticks.len() >= 3 => fence = Some(ticks),
                _ => {}
            }
            if fence.is_some() || ticks.len() >= 3 {
                continue;
            }
            let level = text.len() - text.trim_start_matches('#').len();
            if level > 0 {
                headings.retain(|h| h.len() - h.trim_start_matches('#').len() < level);
                headings.push(text.to_owned());
                continue;
            }
            if pack.own.len() < MOST {
                pack.add(line, text, &headings);
            }
        }
        pack
    }

    fn add(&mut self, line: usize, text: &str, headings: &[String]) {
        let lead = if text.starts_with("- ") { "- " } else { "" };
        let told = &text[lead.len()..];
        let is_prose = told.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '[' | '*' | '“' | '`'));
        if !is_prose || !told.contains("](#") || told.ends_with(':') {
            return;
        }
        let mut fact = Fact { id: self.own.len() + 1, text: String::new(), marks: BTreeMap::new() };
        let mut fixed = Vec::new();
        let mut from = 0;
        for found in FIXED.captures_iter(told) {
            let Some(all) = found.get(0) else { continue };
            fact.text.push_str(&unescaped(&told[from..all.start()]));
            fixed.push(all.as_str().to_owned());
            fact.text.push_str(&format!("{{{}}}", fixed.len()));
            let kinds = [("code", "name"), ("link", "message"), ("quote", "quote"), ("bold", "label")];
            let kind = kinds.into_iter().find(|(group, _)| found.name(group).is_some()).map_or("name", |k| k.1);
            fact.marks.insert(fixed.len(), kind);
            from = all.end();
        }
        fact.text.push_str(&unescaped(&told[from..]));
        // Braces of the text itself would be read as marks.
        if MARK.find_iter(&fact.text).count() != fixed.len() {
            return;
        }
        self.sentences.push(fact);
        self.own.push(Own { line, lead: lead.to_owned(), fixed, headings: headings.to_vec() });
    }

    /// Sentences in it.
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether the report has no sentence that could be rephrased.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// The facts as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(&serde_json::json!({"sentences": self.sentences})).unwrap_or_default()
    }

    /// The report with those sentences of an answer that hold; `None` when the answer is none.
    pub fn told(&self, markdown: &str, answer: &str, analysis: &Analysis) -> Option<Told> {
        let answer: Answer = serde_json::from_str(unfenced(answer)).ok()?;
        let verifier = Verifier::new(analysis);
        let mut lines: Vec<String> = markdown.lines().map(str::to_owned).collect();
        let (mut taken, mut kept) = (BTreeSet::new(), BTreeMap::new());
        for one in &answer.sentences {
            let Some(at) = one.id.checked_sub(1).filter(|at| *at < self.own.len()) else {
                *kept.entry("not asked for").or_default() += 1;
                continue;
            };
            match self.judged(at, &one.text, &lines[self.own[at].line], &verifier) {
                Ok(line) if taken.insert(at) => lines[self.own[at].line] = line,
                Ok(_) => *kept.entry("given twice").or_default() += 1,
                Err(why) => *kept.entry(why).or_default() += 1,
            }
        }
        let missing = self.own.len().saturating_sub(taken.len() + kept.values().sum::<usize>());
        if missing > 0 {
            kept.insert("not answered", missing);
        }
        let mut markdown = lines.join("\n");
        markdown.push('\n');
        Some(Told { markdown, taken: taken.len(), kept })
    }

    /// The line of the report that a sentence makes, or why it may not stand there.
    fn judged(&self, at: usize, text: &str, line: &str, verifier: &Verifier<'_>) -> Result<String, &'static str> {
        let (fact, own) = (&self.sentences[at], &self.own[at]);
        let text = text.trim();
        if text.len() > fact.text.len() * 2 + LONGER || text.lines().count() != 1 {
            return Err("too long");
        }
        let marks = |t: &str| MARK.captures_iter(t).map(|c| c[1].to_owned()).collect::<Vec<_>>();
        if marks(text) != marks(&fact.text) {
            return Err("marks changed");
        }
        let (bare, said) = (MARK.replace_all(text, " "), MARK.replace_all(&fact.text, " "));
        let figures = |t: &str| FIGURE.find_iter(t).map(|m| m.as_str().to_owned()).collect::<Vec<_>>();
        if figures(&bare) != figures(&said) {
            return Err("figures changed");
        }
        if let Some(word) = strange(&bare, &said) {
            let denies = ["not", "no", "never", "none"].contains(&&*word);
            return Err(if denies { "denial changed" } else { "words that the report does not use" });
        }
        let told = restored(text, &own.fixed);
        let context = |line: &str| format!("{}\n\n{line}\n", own.headings.join("\n\n"));
        let made = format!("{}{told}", own.lead);
        let before = verifier.verify(&context(line));
        holds(&verifier.verify(&context(&made)), &before).then_some(made).ok_or("not supported")
    }
}

/// A word of meaning that only one of two sentences holds: none may be added, and no denial may be added or dropped.
fn strange(text: &str, said: &str) -> Option<String> {
    static JOIN: LazyLock<BTreeSet<String>> = LazyLock::new(|| content_words(JOINING).into_iter().collect());
    let denials = |t: &str| {
        let lower = t.to_lowercase();
        tokens(&lower).filter(|w| ["not", "no", "never", "none", "nothing", "without", "neither"].contains(w)).count()
    };
    if denials(text) != denials(said) {
        return Some("not".to_owned());
    }
    let own = content_words(said);
    content_words(text).into_iter().find(|w| !own.contains(w) && !JOIN.contains(w))
}

/// Whether a sentence is supported as the report's own is.
fn holds(after: &Verification, before: &Verification) -> bool {
    after.count(Verdict::Contradicted) == 0
        && after.count(Verdict::Unverifiable) <= before.count(Verdict::Unverifiable)
        && after.count(Verdict::Supported) >= before.count(Verdict::Supported).max(1)
        && after.notes.iter().all(|n| !n.wrong)
}

/// A sentence as Markdown, with what the marks stand for.
fn restored(text: &str, fixed: &[String]) -> String {
    let mut out = String::new();
    let mut from = 0;
    for found in MARK.captures_iter(text) {
        let Some(all) = found.get(0) else { continue };
        out.push_str(&text::escape(&text[from..all.start()]));
        let n: usize = found[1].parse().unwrap_or(0);
        out.push_str(n.checked_sub(1).and_then(|n| fixed.get(n)).map_or("", String::as_str));
        from = all.end();
    }
    out.push_str(&text::escape(&text[from..]));
    out
}

/// Markdown without the backslashes that keep marks from acting.
fn unescaped(markdown: &str) -> Cow<'_, str> {
    static ESCAPED: LazyLock<Regex> = LazyLock::new(|| re(r"\\([[:punct:]])"));
    ESCAPED.replace_all(markdown, "$1")
}

/// An answer without the fence that models like to set around JSON.
fn unfenced(answer: &str) -> &str {
    let inner = answer.trim();
    let inner = inner.strip_prefix("```json").or_else(|| inner.strip_prefix("```")).unwrap_or(inner);
    inner.strip_suffix("```").unwrap_or(inner).trim()
}
