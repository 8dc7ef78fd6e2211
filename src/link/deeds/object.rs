//! What a claim is about: the names and words of its object, and how many of them a text holds.

use aho_corasick::AhoCorasick;

use crate::extract::artefacts::name;
use crate::extract::claims::done::is_deed;
use crate::extract::prose;

/// Bytes of a text that are looked through.
const TEXT: usize = 64 * 1024;

/// The object of a claim.
#[derive(Debug)]
pub(in crate::link) struct Object {
    /// Paths, identifiers, figures: in lower case.
    names: usize,
    /// Stems of plain words.
    words: usize,
    /// Forms of the names, then the words; each with its position among names or words.
    needles: Vec<(String, usize, bool)>,
    search: Option<AhoCorasick>,
}

/// How much of an object a text holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::link) struct Share {
    names: u64,
    words: u64,
}

impl Share {
    /// Whether a text holds any of the names.
    pub(in crate::link) fn has_name(self) -> bool {
        self.names != 0
    }

    /// What either of two texts holds.
    pub(in crate::link) fn or(self, other: Self) -> Self {
        Self { names: self.names | other.names, words: self.words | other.words }
    }
}

/// Stems that name no thing: what is said of any deed.
const EMPTY: &[&str] = &[
    "success",
    "successfulli",
    "complet",
    "correct",
    "now",
    "work",
    "full",
    "fulli",
    "been",
    "task",
    "done",
    "properli",
    "implement",
    "follow",
    "new",
    "code",
    "file",
    "also",
    "both",
    "proper",
    "all",
    "everyth",
    "requir",
    "need",
    "issu",
    "problem",
    "support",
    "instead",
    "back",
    "first",
    "final",
    "main",
    "key",
    "as",
    "well",
    "with",
    "while",
    "same",
    "more",
    "make",
    "made",
    "thing",
    "script",
    "program",
    "command",
    "ad",
    "updat",
    "fix",
    "creat",
    "remov",
    "chang",
    "chan",
    "verifi",
    "test",
    "confirm",
    "check",
    "i'v",
    "avail",
    "exist",
    "present",
    "readi",
    "exact",
    "exactli",
    "total",
    "current",
    "byte",
    "second",
    "minut",
    "charact",
    "unabl",
    "abl",
    "long",
    "take",
    "took",
    "contain",
    "return",
    "size",
    "under",
    "below",
    "run",
    "execut",
    "locat",
    "use",
];

impl Object {
    /// The object of a claim as written, without its verb.
    pub(in crate::link) fn of(claim: &str) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut words: Vec<String> = Vec::new();
        for token in prose::tokens(claim) {
            let at = prose::offset(claim, token);
            let marked = ['`', '"'].iter().any(|m| claim[..at].matches(*m).count() % 2 == 1);
            let lower = token.to_lowercase();
            if is_deed(&lower) {
                continue;
            }
            if is_name(token) || marked && token.len() > 1 {
                // `a.rs:12` is a line of `a.rs`.
                let file = name(&lower);
                names.push(file.split_once(':').map_or(file, |(file, _)| file).to_owned());
            } else if !prose::is_stop(&lower) {
                words.extend(
                    lower.split(['-', '/', ':']).filter(|w| w.len() > 2 && !prose::is_stop(w)).map(prose::stem),
                );
            }
        }
        words.retain(|w| !EMPTY.contains(&w.as_str()));
        // The stem of "library" is "librari", which stands in no text.
        words.iter_mut().for_each(|w| w.truncate(w.trim_end_matches('i').len().max(2)));
        for list in [&mut names, &mut words] {
            list.sort_unstable();
            list.dedup();
            list.truncate(48);
        }
        let forms = names.iter().enumerate().flat_map(|(i, n)| forms(n).into_iter().map(move |f| (f, i, true)));
        let stems = words.iter().enumerate().map(|(i, w)| (w.clone(), i, false));
        let needles: Vec<_> = forms.chain(stems).collect();
        let texts = needles.iter().map(|(text, ..)| text.as_str());
        let search =
            AhoCorasick::builder().ascii_case_insensitive(true).build(texts).ok().filter(|_| !needles.is_empty());
        Self { names: names.len(), words: words.len(), needles, search }
    }

    /// Whether it names anything.
    pub(in crate::link) fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// Whether it names a file, an identifier or the like: a thing that keeps its name.
    pub(in crate::link) fn has_lasting_name(&self) -> bool {
        self.needles.iter().any(|(n, _, name)| *name && n.len() > 4 && !n.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// What of it a text holds.
    pub(in crate::link) fn share(&self, text: &str) -> Share {
        let mut share = Share::default();
        let Some(search) = &self.search else { return share };
        let text = &text[..text.floor_char_boundary(TEXT)];
        let bytes = text.as_bytes();
        for hit in search.find_overlapping_iter(text) {
            let (needle, i, is_name) = &self.needles[hit.pattern().as_usize()];
            let before = hit.start().checked_sub(1).map(|b| bytes[b]);
            let after = bytes.get(hit.end()).copied();
            let letter = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
            if *is_name {
                let digit_after = after.is_some_and(|b| b.is_ascii_digit());
                if !(letter(before) || digit_after || letter(after) && needle.len() < 5) {
                    share.names |= 1 << i;
                }
            } else if !before.is_some_and(|b| b.is_ascii_alphabetic()) {
                share.words |= 1 << i;
            }
        }
        share
    }

    /// Whether a share is enough to say that the text speaks of this object and no other.
    pub(in crate::link) fn is_named(&self, share: Share) -> bool {
        let (n, w) = (share.names.count_ones() as usize, share.words.count_ones() as usize);
        if self.names > 0 {
            // Every name, and few words besides: `a minimal open_async`.
            let all = n == self.names && self.has_lasting_name() && self.words <= 3;
            return n > 0 && n * 2 >= self.names && (w * 3 >= self.words || all);
        }
        match self.words {
            0 | 1 => false,
            _ => w >= 2 && w * 10 >= self.words * 6,
        }
    }

    /// Whether a path or a command of its own kind speaks of it: one word of it is enough when it has but one.
    pub(in crate::link) fn is_marked(&self, share: Share) -> bool {
        self.is_named(share) || self.names == 0 && self.words == 1 && share.words == 1
    }

    /// Whether a text holds every name, and half of the words.
    pub(in crate::link) fn is_printed(&self, share: Share) -> bool {
        self.names > 0
            && share.names.count_ones() as usize == self.names
            && share.words.count_ones() as usize * 2 >= self.words
    }

    /// What stands in a command for a state that its result prints: all but figures, which have to be printed.
    pub(in crate::link) fn given(&self, share: Share) -> Share {
        let figure = |n: &&(String, usize, bool)| n.2 && n.0.starts_with(|c: char| c.is_ascii_digit());
        let figures = self.needles.iter().filter(figure).fold(0, |bits, (_, i, _)| bits | 1 << i);
        Share { names: share.names & !figures, ..share }
    }

    /// Whether some of its names, or most of its words, stand in a text.
    pub(in crate::link) fn is_touched(&self, share: Share) -> bool {
        share.names != 0 || self.is_marked(share)
    }

    /// Whether a result names another thing where the claim names this one: `basic_economy` for "economy".
    pub(in crate::link) fn is_denied(&self, result: &str) -> bool {
        let Some(search) = &self.search else { return false };
        let text = &result[..result.floor_char_boundary(TEXT)];
        let bytes = text.as_bytes();
        let (mut plain, mut longer) = (0u64, 0u64);
        for hit in search.find_overlapping_iter(text) {
            let (_, i, is_name) = self.needles[hit.pattern().as_usize()];
            let bit = if is_name { continue } else { 1 << i };
            match hit.start().checked_sub(1).map(|b| bytes[b]) {
                Some(b'_' | b'-') if self.is_other(&text[..hit.start() - 1], &bytes[hit.end()..]) => longer |= bit,
                Some(b) if b.is_ascii_alphanumeric() => {}
                _ => plain |= bit,
            }
        }
        longer & !plain != 0
    }

    /// Whether a text holds every name; without names, most of the words.
    pub(in crate::link) fn is_whole(&self, share: Share) -> bool {
        if self.names > 0 { self.is_printed(share) } else { self.is_named(share) }
    }

    /// Whether a text holds any word of it.
    pub(in crate::link) fn has_word(&self, share: Share) -> bool {
        share.names | share.words != 0
    }

    /// Whether a value's first part is a word that the claim does not have: `basic` before `_economy"`.
    fn is_other(&self, before: &str, after: &[u8]) -> bool {
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |i| i + 1);
        let part = &before[start..];
        let quoted = before[..start].ends_with('"');
        // A key is no value: `"user_id": …`.
        let end = after.iter().position(|b| *b == b'"').unwrap_or(after.len());
        let is_key = after.get(end + 1) == Some(&b':');
        quoted
            && !is_key
            && !part.is_empty()
            && !self.needles.iter().any(|(n, ..)| part.to_ascii_lowercase().starts_with(n))
    }
}

/// The forms in which a name may stand: `39mb` also as `39`, `59.7` also as `0.597`.
fn forms(name: &str) -> Vec<String> {
    let mut forms = vec![name.to_owned()];
    let number: String = name.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let unit = &name[number.len()..];
    if number.len() > 1 && !unit.is_empty() && unit.bytes().all(|b| b.is_ascii_alphabetic()) {
        forms.push(number.clone());
        // `ls -h` and `du -h` print "39M".
        let short = unit.strip_suffix('b').filter(|u| matches!(*u, "k" | "m" | "g" | "t"));
        forms.extend(short.map(|u| format!("{number}{u}")));
    }
    if name.contains(',') && name.bytes().all(|b| b.is_ascii_digit() || b == b',') {
        forms.push(name.replace(',', ""));
    }
    if let Ok(value) = number.parse::<f64>()
        && unit.is_empty()
        && number.contains('.')
        && (1.0..100.0).contains(&value)
    {
        forms.push(format!("{}", (value * 1e4).round() / 1e6));
    }
    forms
}

/// Whether a token names one thing: a path, an identifier, a figure.
fn is_name(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let inner = token.bytes().any(|b| matches!(b, b'/' | b'_' | b'.')) && token.len() > 3;
    let camel = token.as_bytes().windows(2).any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase());
    let capitals = token.len() > 4 && token.bytes().all(|b| b.is_ascii_uppercase());
    inner && !is_alternative(token) || camel || capitals || digits > 1
}

/// `and/or`, `read/write`: two words, no path.
fn is_alternative(token: &str) -> bool {
    token.matches('/').count() == 1 && token.bytes().all(|b| b.is_ascii_alphabetic() || b == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_named_by_its_names_or_most_of_its_words() {
        let named = |claim: &str, text: &str| {
            let object = Object::of(claim);
            object.is_named(object.share(text))
        };
        assert!(named("Added `retryAfter` to the uploader", "src/uploader.ts const retryAfter = 3"));
        assert!(!named("Added `retryAfter` to the uploader", "src/uploader.ts const retry = 3"));
        assert!(named("The upload queue has been rewritten", "src/upload/queue.rs"));
        assert!(!named("The upload queue has been rewritten", "git push origin queue"));
        assert!(!named("It is fixed", "fixed"));
    }

    #[test]
    fn a_longer_value_is_another_one() {
        let denied = |claim: &str, text: &str| Object::of(claim).is_denied(text);
        assert!(denied("The seat was changed to window", r#"{"seat": "near_window"}"#));
        assert!(!denied("The seat was changed to window", r#"{"seat": "window", "x": "near_window"}"#));
        assert!(!denied("The near window seat was taken", r#"{"seat": "near_window"}"#));
    }
}
