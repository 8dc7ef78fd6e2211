//! Between source and extract: takes what is private out of a session, so that every fact is read from the redacted text
//! and its spans hold there.
//!
//! The same secret becomes the same placeholder over all sessions of a run, numbered in order of first appearance.
//! `docs/redaction.md` says what is found and what is not promised.

mod around;
mod entropy;
mod known;
mod people;
mod shapes;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use known::Known;
use people::Users;

use crate::diag::Diag;
use crate::session::{PartBody, Session};

/// What a secret is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A private key.
    Key,
    /// A token of a known shape, or a value that is named password, token, key or the like.
    Token,
    /// Characters that look drawn by lot.
    Random,
    /// An e-mail address.
    Email,
    /// The name of a user's account, from the path of a home directory.
    User,
    /// An address or name of a machine.
    Host,
    /// A word that the user gave.
    Word,
}

impl Kind {
    /// The word in the placeholder.
    fn mark(self) -> &'static str {
        match self {
            Self::Key => "KEY",
            Self::Token => "TOKEN",
            Self::Random => "RANDOM",
            Self::Email => "EMAIL",
            Self::User => "USER",
            Self::Host => "HOST",
            Self::Word => "WORD",
        }
    }

    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Key => "private key",
            Self::Token => "token or password",
            Self::Random => "random-looking string",
            Self::Email => "e-mail address",
            Self::User => "user name",
            Self::Host => "host",
            Self::Word => "word of yours",
        }
    }
}

/// What to take out beside secrets, addresses and user names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// IP addresses, and the hosts of URLs.
    pub hosts: bool,
    /// Words of the user's own, whatever their case.
    pub words: Vec<String>,
}

/// Signs without width, which may stand inside a word unseen.
const UNSEEN: [char; 6] = ['\u{AD}', '\u{200B}', '\u{200C}', '\u{200D}', '\u{2060}', '\u{FEFF}'];

/// Bytes of a text that are a secret.
struct Hit {
    at: Range<usize>,
    kind: Kind,
}

/// Takes private text out, and remembers what became of it.
#[derive(Debug, Default)]
pub struct Redactor {
    options: Options,
    numbers: BTreeMap<(Kind, String), usize>,
    /// Numbers given out, and places changed, by kind.
    given: BTreeMap<Kind, (usize, usize)>,
    users: Users,
    /// Secrets that were found, to be looked for by themselves.
    known: Option<Known>,
    /// Only what is known is looked for.
    again: bool,
}

impl Redactor {
    /// A redactor that has seen nothing yet.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Different secrets and places changed so far, by kind.
    pub fn counts(&self) -> impl Iterator<Item = (Kind, usize, usize)> {
        self.given.iter().map(|(kind, (different, places))| (*kind, *different, *places))
    }

    /// Redacts everything of a session that is shown somewhere. Ids stay: links hang on them.
    pub fn session(&mut self, session: &mut Session) {
        // A name is known from the path of a home directory, wherever in the session that stands.
        each_text(session, &mut |text| self.users.learn(text));
        each_text_mut(session, self);
        self.known = Known::of(&self.numbers);
        if self.known.is_some() {
            self.again = true;
            each_text_mut(session, self);
            self.again = false;
        }
    }

    /// The text without secrets.
    pub fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let hits = self.hits(text);
        if hits.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for hit in hits {
            out.push_str(&text[done..hit.at.start]);
            let placeholder = self.placeholder(hit.kind, &text[hit.at.clone()]);
            out.push_str(&placeholder);
            done = hit.at.end;
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }

    /// Redacts a warning.
    pub fn warning(&mut self, diag: &mut Diag) {
        warning_texts(diag).for_each(|t| self.put(t));
    }

    /// As [`Self::text`], for text that may be the first to name a home directory.
    pub fn line<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.users.learn(text);
        self.text(text)
    }

    fn put(&mut self, text: &mut String) {
        if let Cow::Owned(new) = self.text(text) {
            *text = new;
        }
    }

    fn placeholder(&mut self, kind: Kind, secret: &str) -> String {
        let (different, places) = self.given.entry(kind).or_default();
        *places += 1;
        let number = *self.numbers.entry((kind, secret.to_owned())).or_insert_with(|| {
            *different += 1;
            *different
        });
        format!("REDACTED-{}-{number}", kind.mark())
    }

    /// Secrets in order; those that overlap are one, of the first kind in the order of [`Kind`].
    fn hits(&self, text: &str) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.known.iter().flat_map(|known| known.find(text)).collect();
        if !self.again {
            self.tell(text, &mut hits);
            if text.contains(UNSEEN) {
                self.tell_unseen(text, &mut hits);
            }
        }
        hits.retain(|h| !h.at.is_empty());
        hits.sort_by_key(|h| (h.at.start, h.kind));
        let mut out: Vec<Hit> = Vec::new();
        for hit in hits {
            match out.last_mut() {
                Some(last) if hit.at.start < last.at.end => {
                    last.at.end = last.at.end.max(hit.at.end);
                    last.kind = last.kind.min(hit.kind);
                }
                _ => out.push(hit),
            }
        }
        out
    }

    /// Secrets that signs without width cut apart.
    fn tell_unseen(&self, text: &str, hits: &mut Vec<Hit>) {
        let (seen, places): (String, Vec<usize>) = {
            let kept = text.char_indices().filter(|(_, c)| !UNSEEN.contains(c));
            let places = kept.clone().flat_map(|(at, c)| at..at + c.len_utf8()).chain([text.len()]);
            (kept.clone().map(|(_, c)| c).collect(), places.collect())
        };
        let mut found = Vec::new();
        self.tell(&seen, &mut found);
        // To the end of its last sign: the place of the next one may lie behind some without width.
        let whole = |hit: Hit| Hit {
            at: places[hit.at.start]..hit.at.end.checked_sub(1).map_or(0, |at| places[at] + 1),
            ..hit
        };
        hits.extend(found.into_iter().filter(|h| !h.at.is_empty()).map(whole));
    }

    /// Secrets that their shape tells, or what stands around them.
    fn tell(&self, text: &str, hits: &mut Vec<Hit>) {
        shapes::find(text, hits);
        around::find(text, hits);
        entropy::find(text, hits);
        people::find(text, &self.users, hits);
        if self.options.hosts {
            people::hosts(text, hits);
        }
        for word in self.options.words.iter().filter(|w| !w.is_empty()) {
            people::word(text, word, false, &mut |at| hits.push(Hit { at, kind: Kind::Word }));
        }
    }

    /// Redacts the strings of a value, keys included. A list of open ends instead of recursion: the depth is the input's.
    pub fn value(&mut self, value: &mut Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => self.put(text),
                Value::Array(items) => open.extend(items),
                Value::Object(map) => {
                    let renamed = map.keys().any(|k| matches!(self.text(k), Cow::Owned(_)));
                    if renamed {
                        let old = std::mem::take(map);
                        map.extend(old.into_iter().map(|(k, v)| (self.text(&k).into_owned(), v)));
                    }
                    for (key, value) in map.iter_mut() {
                        match value {
                            Value::String(text) if !self.again && shapes::is_named_secret(key, text) => {
                                *text = self.placeholder(Kind::Token, text);
                            }
                            other => open.push(other),
                        }
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }
}

fn each_text(session: &Session, take: &mut dyn FnMut(&str)) {
    let heads = [&session.title, &session.cwd, &session.version];
    heads.into_iter().flatten().for_each(|t| take(t));
    for part in session.messages.iter().flat_map(|m| &m.parts) {
        match &part.body {
            PartBody::Text(t) | PartBody::Injected(t) | PartBody::Reasoning(t) => take(t),
            PartBody::Call(call) => {
                strings(&call.input, take);
                if let Some(result) = &call.result {
                    take(&result.text);
                    strings(&result.data, take);
                }
            }
            PartBody::Attachment { name, .. } => take(name),
            PartBody::Patch { files } => files.iter().for_each(|f| take(f)),
            PartBody::Unknown { kind, raw } => {
                take(kind);
                strings(raw, take);
            }
        }
    }
}

fn strings(value: &Value, take: &mut dyn FnMut(&str)) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => take(text),
            Value::Array(items) => open.extend(items),
            Value::Object(map) => {
                map.keys().for_each(|k| take(k));
                open.extend(map.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The pointer to a damaged value is made of keys of the input.
fn warning_texts(diag: &mut Diag) -> impl Iterator<Item = &mut String> {
    [&mut diag.loc.file, &mut diag.message].into_iter().chain(&mut diag.pointer)
}

fn each_text_mut(session: &mut Session, redactor: &mut Redactor) {
    let threads = session.threads.iter_mut().flat_map(|t| &mut t.title);
    let heads = [&mut session.title, &mut session.cwd, &mut session.version].into_iter().flatten();
    let files = session.sources.iter_mut().map(|s| &mut s.file);
    let warnings = session.warnings.iter_mut().flat_map(warning_texts);
    heads.chain(threads).chain(files).chain(warnings).for_each(|t| redactor.put(t));
    for part in session.messages.iter_mut().flat_map(|m| &mut m.parts) {
        match &mut part.body {
            PartBody::Text(t) | PartBody::Injected(t) | PartBody::Reasoning(t) => redactor.put(t),
            PartBody::Call(call) => {
                redactor.value(&mut call.input);
                if let Some(result) = &mut call.result {
                    redactor.put(&mut result.text);
                    redactor.value(&mut result.data);
                }
            }
            PartBody::Attachment { name, .. } => redactor.put(name),
            PartBody::Patch { files } => files.iter_mut().for_each(|f| redactor.put(f)),
            PartBody::Unknown { kind, raw } => {
                redactor.put(kind);
                redactor.value(raw);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn one_secret_has_one_placeholder_over_all_sessions() {
        let mut redactor = Redactor::default();
        let mut say = |text: &str| {
            let mut session = SessionBuilder::new().user(text).build();
            redactor.session(&mut session);
            session.messages[0].text()
        };
        assert_eq!(say("ask a@x.org or b@x.org"), "ask REDACTED-EMAIL-1 or REDACTED-EMAIL-2");
        assert_eq!(say("b@x.org again"), "REDACTED-EMAIL-2 again");
        assert_eq!(redactor.counts().collect::<Vec<_>>(), [(Kind::Email, 2, 3)]);
    }

    #[test]
    fn tool_calls_titles_and_keys_are_redacted() {
        let input = serde_json::json!({"command": "cat /home/jdoe/x", "env": {"DB_PASSWORD": "hunter2x", "/home/jdoe/y": [["jdoe"]]}});
        let mut session = SessionBuilder::new().user("go").call_id("c", "Bash", input, "owner jdoe").build();
        session.title = Some("for jdoe".into());
        session.version = Some("1.0-jdoe".into());
        Redactor::default().session(&mut session);
        let all = format!("{session:?}");
        assert!(!all.contains("jdoe") && !all.contains("hunter2x"), "{all}");
        assert!(all.contains("cat /home/REDACTED-USER-1/x"), "{all}");
    }

    #[test]
    fn a_secret_that_was_found_is_taken_out_wherever_it_stands() {
        let secret = "0f3c56e3d375c8b05e6844wdtviq6i3hvk3nvx/+";
        let path =
            serde_json::json!({"file_path": format!("/srv/{secret}/x.txt"), "API_TOKEN": "abcdefgh12345678abcdefgh"});
        let mut session = SessionBuilder::new()
            .call_id("c", "Read", path, "no such file")
            .user(&format!("AWS_SECRET_ACCESS_KEY={secret}\nand abcdefgh12345678abcdefgh"))
            .build();
        let mut redactor = Redactor::default();
        redactor.session(&mut session);
        let all = format!("{session:?}");
        assert!(!all.contains(secret) && !all.contains("abcdefgh12345678abcdefgh"), "{all}");
        assert!(all.contains("/srv/REDACTED-TOKEN-2/x.txt") && all.contains("and REDACTED-TOKEN-1"), "{all}");
        assert_eq!(redactor.text(secret), "REDACTED-TOKEN-2");
    }

    #[test]
    fn what_overlaps_is_taken_out_whole() {
        let mut redactor = Redactor::new(Options { hosts: true, words: vec!["acme".into()] });
        let text = redactor.text("https://bob:s3cretpass@db.acme.example:5432/x for ACME").into_owned();
        assert!(!text.to_lowercase().contains("acme") && !text.contains("s3cret") && !text.contains("bob"), "{text}");
    }
}
