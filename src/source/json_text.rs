//! JSON text looked at without being parsed and without recursion: where a byte stands in it, which numbers no program
//! can hold, which keys stand twice.

use std::collections::HashSet;

use crate::diag::{Diag, Loc, Trouble};

/// Longest key that a pointer repeats.
const KEY: usize = 100;

/// What the scan is inside of.
enum Level<'a> {
    /// An object: the key whose value is next, and those before it.
    Object(&'a str, HashSet<&'a str>),
    /// An array: the index of the value that is next.
    Array(u64),
}

/// What the scan comes by.
enum Event<'a> {
    /// A value begins.
    Value,
    /// A number, or a word that is no value of JSON.
    Word(&'a str),
    /// A key that stands in its object already.
    KeyAgain,
}

/// Steps of a pointer that are shown; no value is read that lies deeper than 128.
const STEPS: usize = 32;

struct Scan<'a> {
    text: &'a str,
    at: usize,
    levels: Vec<Level<'a>>,
    /// Keys are kept only for this.
    keys: bool,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, keys: bool) -> Self {
        Self { text, at: 0, levels: Vec::new(), keys }
    }

    /// The pointer of the value that is next; of a long one the first steps.
    fn pointer(&self) -> String {
        let mut out = String::new();
        for (depth, level) in self.levels.iter().enumerate() {
            out.push('/');
            if depth >= STEPS {
                return out + "…";
            }
            match level {
                Level::Object(key, _) => {
                    out.push_str(&key[..key.floor_char_boundary(KEY)].replace('~', "~0").replace('/', "~1"))
                }
                Level::Array(index) => out.push_str(&index.to_string()),
            }
        }
        out
    }

    /// Goes over the text, as far as it goes; `take` is told what is met and where, and ends it with false.
    fn run(mut self, mut take: impl FnMut(&Self, usize, &Event<'a>) -> bool) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let start = self.at;
            self.at += 1;
            let event = match byte {
                b'{' | b'[' => Event::Value,
                b'"' => {
                    self.at = string_end(self.text, start);
                    let after = self.text[self.at..].trim_start_matches([' ', '\t', '\r', '\n']);
                    match self.levels.last_mut() {
                        Some(Level::Object(key, seen)) if after.starts_with(':') => {
                            *key = self.text[start + 1..self.at].trim_end_matches('"');
                            let again = self.keys && !seen.insert(key);
                            if again { Event::KeyAgain } else { continue }
                        }
                        _ => Event::Value,
                    }
                }
                b',' => {
                    if let Some(Level::Array(index)) = self.levels.last_mut() {
                        *index += 1;
                    }
                    continue;
                }
                b'}' | b']' => {
                    self.levels.pop();
                    continue;
                }
                b'-' | b'+' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                    let rest = &self.text[start..];
                    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
                    self.at = start + end.unwrap_or(rest.len());
                    Event::Word(&self.text[start..self.at])
                }
                _ => continue,
            };
            if !take(&self, start, &event) {
                return;
            }
            match byte {
                b'{' => self.levels.push(Level::Object("", HashSet::new())),
                b'[' => self.levels.push(Level::Array(0)),
                _ => {}
            }
        }
    }
}

/// Where the string that begins at a position ends.
fn string_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

/// Completes the pointers of warnings about values of a document; `position` leads from their bytes to the text.
pub(super) fn complete<'w>(text: &str, warnings: impl Iterator<Item = &'w mut Diag>, position: impl Fn(u64) -> usize) {
    let mut waiting: Vec<(usize, &mut Diag)> =
        warnings.filter(|w| w.loc.line > 0).map(|w| (position(w.loc.byte), w)).collect();
    waiting.sort_by_key(|(at, _)| *at);
    let mut next = waiting.into_iter().peekable();
    Scan::new(text, false).run(|scan, start, _| {
        while let Some((_, diag)) = next.next_if(|(at, _)| *at <= start) {
            let inner = diag.pointer.take().unwrap_or_default();
            diag.pointer = Some(scan.pointer() + &inner);
        }
        next.peek().is_some()
    });
}

/// A number that cannot be held.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OddNumber {
    /// Where it stands in the text.
    pub(super) at: usize,
    /// The pointer to it.
    pub(super) pointer: String,
}

/// The text without numbers that no float can hold, and without `NaN` and `Infinity`: what stands in their place is as
/// long and no number. `None` when there are none.
pub(super) fn without_odd_numbers(text: &str) -> Option<(String, Vec<OddNumber>)> {
    let (mut out, mut done, mut odd) = (String::new(), 0, Vec::new());
    Scan::new(text, false).run(|scan, at, event| {
        if let Event::Word(word) = event
            && is_odd_number(word)
        {
            out.push_str(&text[done..at]);
            let instead = if word.len() < 4 { "\"\"" } else { "null" };
            out.push_str(&format!("{instead:<0$}", word.len()));
            done = at + word.len();
            odd.push(OddNumber { at, pointer: scan.pointer() });
        }
        true
    });
    out.push_str(&text[done..]);
    (!odd.is_empty()).then_some((out, odd))
}

/// The same for a whole document, where these words are rare.
pub(super) fn mend_words(text: &mut String) -> Vec<OddNumber> {
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let Some((mended, odd)) = (has("NaN") || has("Infinity")).then(|| without_odd_numbers(text)).flatten() else {
        return Vec::new();
    };
    *text = mended;
    odd
}

impl OddNumber {
    /// The warning about it; its pointer is complete.
    pub(super) fn diag(pointer: String, loc: Loc) -> Diag {
        Diag::warning(Trouble::Number, loc, "a number that cannot be held, read as unknown").at(pointer)
    }
}

fn is_odd_number(word: &str) -> bool {
    let number = word.strip_prefix(['-', '+']).unwrap_or(word);
    matches!(number, "NaN" | "Infinity" | "nan" | "inf")
        || (number.starts_with(|c: char| c.is_ascii_digit()) && word.parse::<f64>().is_ok_and(f64::is_infinite))
}

/// The pointer of the first key that stands twice in one object.
pub(super) fn key_again(text: &str) -> Option<String> {
    let mut found = None;
    Scan::new(text, true).run(|scan, _, event| {
        if matches!(event, Event::KeyAgain) {
            found = Some(scan.pointer());
        }
        found.is_none()
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_cannot_be_held_are_null() {
        let text = r#"{"a": 1e400, "b": "1e400 \"NaN", "c": [-1e999, 2.5, -0, NaN, {"d/e": -Infinity}], "t": true}"#;
        let (mended, odd) = without_odd_numbers(text).unwrap();
        let want = r#"{"a": null , "b": "1e400 \"NaN", "c": [null  , 2.5, -0, "" , {"d/e": null     }], "t": true}"#;
        let found: Vec<_> = odd.iter().map(|o| (o.at, o.pointer.as_str())).collect();
        assert_eq!(mended, want);
        assert_eq!(found, [(6, "/a"), (39, "/c/0"), (56, "/c/3"), (69, "/c/4/d~1e")]);
        let mut text = text.to_owned();
        assert_eq!((mend_words(&mut text), text.as_str()), (odd, want));
        assert_eq!(without_odd_numbers(r#"{"a": [1, "NaN"]}"#), None);
        let long = format!("[{}]", "9".repeat(4000));
        assert_eq!(without_odd_numbers(&long).unwrap().0.replace(' ', ""), "[null]");
    }

    #[test]
    fn warnings_get_the_pointer_of_their_byte() {
        let text = "\n{\"info\": {\"x\": 1}, \"messages\": [{}, {\"parts\": 7}]} {\"a\": [1, 2]}";
        let at = |what: &str| text.find(what).unwrap() as u64;
        let diag = |byte| Diag::note(Trouble::Number, Loc { line: 1, byte, ..Loc::default() }, "m");
        let mut diags = [diag(at("2]")), diag(at("7}")).at("/x"), diag(at("{\"info")), diag(at("{\"parts"))];
        complete(text, diags.iter_mut(), |byte| byte as usize);
        let found = diags.map(|d| d.pointer.unwrap());
        assert_eq!(found, ["/a/1", "/messages/1/parts/x", "", "/messages/1"]);
    }

    #[test]
    fn keys_that_stand_twice() {
        assert_eq!(key_again(r#"{"a": {"b": 1, "c": "a", "b": 2}, "c": 1}"#).as_deref(), Some("/a/b"));
        assert_eq!(key_again(r#"{"a": {"b": 1}, "b": {"a": 1}, "c": [{"a": 1}, {"a": 1}]}"#), None);
    }

    #[test]
    fn depth_and_damage_are_no_trouble() {
        let deep = format!("{}1e400", "[{\"a\":".repeat(100_000));
        assert_eq!(without_odd_numbers(&deep).unwrap().1.len(), 1);
        for text in ["", "}}]]", "\"a\\", "{\"a", "[1e400", ",,,:"] {
            key_again(text);
            without_odd_numbers(text);
        }
    }
}
