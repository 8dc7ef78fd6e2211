//! Claims of any other kind: the figures, paths and words of the claim in the calls before it.
//!
//! A call that worked supports a claim when its result prints the claim's own literals, or when it did something that
//! shares most of the claim's words. Weaker ties prove nothing.

use aho_corasick::AhoCorasick;

use super::Verdict;
use super::record::{Record, tail};
use crate::extract::claims::{Claim, Matter};
use crate::extract::prose;
use crate::link::Scene;
use crate::session::ToolKind;

/// Calls looked through for a claim in the middle of the work, and for one that ends a turn.
const WINDOW: usize = 24;
const LONG_WINDOW: usize = 150;
/// Bytes of an input that are looked through.
const INPUT: usize = 8 * 1024;

/// What is looked for: a literal of a claim, or a stem of one of its words.
struct Needle {
    claim: usize,
    literal: bool,
    /// Its own bit among those of its claim and sort.
    bit: u32,
    text: String,
}

/// How much of a claim one call holds.
#[derive(Debug, Clone, Copy, Default)]
struct Hits {
    /// Literals that it printed, and those in its input; one bit each.
    printed: u32,
    given: u32,
    /// Stems in either, one bit each.
    stems: u32,
}

/// The search for the words of the claims of one message.
pub(super) struct Search {
    /// Literals and stems of each claim.
    sizes: Vec<(u32, u32)>,
    /// Literals of each claim that hardly stand anywhere by chance.
    solid: Vec<u32>,
    /// Calls that hold something, newest first: call, claim, what it holds, whether it worked.
    found: Vec<(usize, usize, Hits, bool)>,
}

impl Search {
    /// Looks for the words of a message's claims in the calls before it.
    pub(super) fn of(scene: &Scene<'_>, record: &Record<'_>, group: &[Claim]) -> Self {
        let mut needles = Vec::new();
        let mut sizes = Vec::new();
        for (i, claim) in group.iter().enumerate() {
            let text = scene.session.quote(&claim.span).unwrap_or("");
            sizes.push(needles_of(i, text, &mut needles));
        }
        let mut solid = vec![0; group.len()];
        for n in needles.iter().filter(|n| n.literal && n.text.len() >= 4) {
            solid[n.claim] |= n.bit;
        }
        let mut search = Self { sizes, solid, found: Vec::new() };
        let (Some(claim), Ok(words)) = (group.first(), automaton(&needles)) else { return search };
        let at = record.before(claim);
        let window = if scene.session.ends_turn(claim.msg) { LONG_WINDOW } else { WINDOW };
        for (call, seen) in record.newest(claim, at).take(window) {
            if matches!(seen.call.kind, ToolKind::Plan | ToolKind::Ask) {
                continue;
            }
            let mut hits = vec![Hits::default(); group.len()];
            let output = seen.call.result.as_ref().map_or("", |r| r.text.as_str());
            look(&words, &needles, tail(output), &mut hits, true);
            look(&words, &needles, &given(seen), &mut hits, false);
            let worked = seen.call.worked() && !tells_failure(output);
            let some = hits.into_iter().enumerate().filter(|(_, h)| h.printed | h.given | h.stems != 0);
            search.found.extend(some.map(|(claim, h)| (call, claim, h, worked)));
        }
        search
    }

    /// The verdict on one claim of the message.
    pub(super) fn judge(&mut self, at: usize, claim: &Claim) -> Verdict {
        let (literals, stems) = self.sizes[at];
        for &(call, _, hits, worked) in self.found.iter().filter(|f| f.1 == at) {
            let (printed, given, shared) =
                (hits.printed.count_ones(), hits.given.count_ones(), hits.stems.count_ones());
            let most = shared >= 2 && shared * 2 >= stems;
            let solid = hits.printed & self.solid[at] != 0;
            let verdict = match claim.matter {
                Matter::Done
                    if worked && printed > 0 && printed * 2 >= literals && (shared > 0 || solid || printed > 1) =>
                {
                    Some(true)
                }
                Matter::Done if worked && given > 0 && given * 2 >= literals && shared >= 2 => Some(false),
                Matter::Done if worked && most => Some(false),
                Matter::Count { .. } if worked && printed > 0 && shared > 0 => Some(true),
                Matter::Change { .. } if worked && printed > 0 && shared > 0 => Some(true),
                Matter::Commit { .. } if worked && printed > 0 => Some(true),
                Matter::NotDone if !worked && (printed + given > 0 || shared >= 2 || shared * 3 >= stems.max(1)) => {
                    Some(true)
                }
                _ => None,
            };
            if let Some(printed) = verdict {
                return Verdict::supported(call, printed);
            }
        }
        Verdict::NONE
    }
}

/// Whether the end of an output tells of a failure, whatever the status says.
fn tells_failure(output: &str) -> bool {
    const SAYS: [&str; 8] =
        ["Error:", "error:", "Traceback", "not found", "No such file", "cannot ", "denied", "Error "];
    let end = &output[output.ceil_char_boundary(output.len().saturating_sub(300))..];
    SAYS.iter().any(|s| end.contains(s))
}

/// What a call was given: its command, or its input as far as it is short.
fn given<'a>(seen: &super::record::Seen<'a>) -> std::borrow::Cow<'a, str> {
    if seen.command.is_empty() {
        let mut text = seen.call.input.to_string();
        text.truncate(text.floor_char_boundary(INPUT));
        return text.into();
    }
    seen.command[..seen.command.floor_char_boundary(INPUT)].into()
}

fn automaton(needles: &[Needle]) -> Result<AhoCorasick, aho_corasick::BuildError> {
    AhoCorasick::builder().ascii_case_insensitive(true).build(needles.iter().map(|n| n.text.as_str()))
}

/// Adds the literals and stems of a claim; says how many there are of each.
fn needles_of(claim: usize, text: &str, needles: &mut Vec<Needle>) -> (u32, u32) {
    let (mut literals, mut stems) = (0, 0);
    let mut push = |literal: bool, forms: Vec<String>, count: &mut u32| {
        if *count < 31 {
            let bit = 1u32 << *count;
            needles.extend(forms.into_iter().map(|text| Needle { claim, literal, bit, text }));
            *count += 1;
        }
    };
    for token in prose::tokens(text) {
        if let Some(forms) = literal(token) {
            push(true, forms, &mut literals);
        }
    }
    for stem in
        prose::content_words(text).into_iter().filter(|w| w.len() > 2 && w.bytes().all(|b| b.is_ascii_alphabetic()))
    {
        if !EMPTY.contains(&stem.as_str()) {
            push(false, vec![stem], &mut stems);
        }
    }
    (literals, stems)
}

/// Stems that say only that something was done.
const EMPTY: &[&str] = &[
    "success",
    "complet",
    "correct",
    "now",
    "work",
    "full",
    "been",
    "task",
    "done",
    "properli",
    "implement",
    "follow",
];

/// The forms in which a literal may stand in an output; `None` = a plain word.
fn literal(token: &str) -> Option<Vec<String>> {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let inner = token.bytes().any(|b| matches!(b, b'/' | b'_' | b'.'));
    if digits == 0 && !inner {
        return None;
    }
    let mut forms = vec![token.to_owned()];
    let number: String = token.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    if !number.is_empty()
        && number.len() < token.len()
        && !token[number.len()..].contains(|c: char| c.is_ascii_digit() || c == '/')
    {
        forms.push(number.clone());
    }
    // 59.7 % is printed as 0.597.
    if let Ok(value) = number.parse::<f64>()
        && number.contains('.')
        && (1.0..100.0).contains(&value)
    {
        forms.push(format!("{}", (value * 1e4).round() / 1e6));
    }
    Some(forms)
}

/// Marks what a text holds.
fn look(words: &AhoCorasick, needles: &[Needle], text: &str, hits: &mut [Hits], printed: bool) {
    let bytes = text.as_bytes();
    for hit in words.find_overlapping_iter(text) {
        let needle = &needles[hit.pattern().as_usize()];
        let before = hit.start().checked_sub(1).map(|i| bytes[i]);
        let after = bytes.get(hit.end()).copied();
        let inside = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
        let digit = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_digit());
        let slot = &mut hits[needle.claim];
        if needle.literal && !inside(before) && !digit(after) {
            *(if printed { &mut slot.printed } else { &mut slot.given }) |= needle.bit;
        } else if !needle.literal && !before.is_some_and(|b| b.is_ascii_alphabetic()) {
            slot.stems |= needle.bit;
        }
    }
}
