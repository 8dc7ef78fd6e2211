//! What an item and a call are compared by.

use std::sync::LazyLock;

use memchr::memmem;
use regex::Regex;
use serde_json::Value;

use super::actions::Asked;
use super::words::{COMMON, VERBS};
use crate::extract::artefacts;
use crate::extract::plan::Evidence;
use crate::extract::plan::wording::{Wording, is_parameter};
use crate::session::patch::{self, Mark};
use crate::session::{CallRef, ToolCall, ToolKind};

/// Content words in what a call writes that say as much as one in its target.
const MANY: usize = 3;
/// Bytes of an output that are read, from its start, and from its end.
const OUTPUT: usize = 2_000;
/// Bytes of a command or target that are read.
const COMMAND: usize = 4_000;

/// Fields of an edit or write that hold what is written.
const WRITTEN: &[&str] =
    &["old_string", "oldString", "old_str", "new_string", "newString", "new_str", "content", "file_text"];

/// What of a call is compared, in lower case.
pub(super) struct Texts {
    /// What the call does; a patch given to a shell is an edit.
    kind: ToolKind,
    command: String,
    /// What an edit puts in place of what; what a write puts into a file.
    written: String,
    output: String,
}

impl Texts {
    pub(super) fn of(call: &ToolCall) -> Self {
        let mut command = String::new();
        let mut written = String::new();
        let patch = call.patch();
        let line = call.command().filter(|_| patch.is_none());
        for text in [line, call.target(), call.path()].into_iter().flatten() {
            push(&mut command, text, COMMAND);
        }
        // An item may name the tool: "Run a grep for …".
        if matches!(call.kind, ToolKind::Search | ToolKind::Fetch) {
            push(&mut command, &call.tool, COMMAND);
        }
        if let Some(text) = patch {
            patch::marks(text).filter_map(Mark::written).for_each(|path| push(&mut command, path, COMMAND));
            push(&mut written, text, COMMAND);
        } else if command.is_empty() || call.kind == ToolKind::Task {
            let input = call.input.as_object().into_iter().flat_map(|o| o.values()).filter_map(Value::as_str);
            input.take(4).for_each(|text| push(&mut command, text, COMMAND / 4));
        }
        if matches!(call.kind, ToolKind::Write | ToolKind::Edit) {
            let edits = call.input.get("edits").and_then(Value::as_array).into_iter().flatten();
            for input in edits.chain([&call.input]) {
                let texts = WRITTEN.iter().filter_map(|k| input.get(*k)?.as_str());
                texts.for_each(|text| push(&mut written, text, COMMAND));
            }
        }
        let output = call.result.as_ref().map_or("", |r| head(&r.text, OUTPUT));
        Self {
            kind: Self::kind(call),
            command: command.to_lowercase(),
            written: with_humps(&written).to_lowercase(),
            output: output.to_lowercase(),
        }
    }

    /// What a call does: a patch given to a shell is an edit.
    pub(super) fn kind(call: &ToolCall) -> ToolKind {
        if call.patch().is_some() { ToolKind::Edit } else { call.kind }
    }

    /// Whether a call is of one of these kinds; a shell that changes files also writes.
    pub(super) fn is_of(call: &ToolCall, kinds: &[ToolKind]) -> bool {
        kinds.contains(&Self::kind(call))
            || kinds.contains(&ToolKind::Write) && call.command().is_some_and(|c| CHANGES.is_match(c))
    }

    /// The end of an output, where counts and verdicts stand.
    pub(super) fn verdict(call: &ToolCall) -> String {
        let text = call.result.as_ref().map_or("", |r| r.text.as_str());
        text[text.ceil_char_boundary(text.len().saturating_sub(OUTPUT))..].to_lowercase()
    }
}

/// A command that changes files.
static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)(?:^|[;&|(])\s*(?:sudo\s+)?(?:sed\s+(?:-\S+\s+)*-i|perl -p?i|tee|mv|cp|rm|ln|chmod|chown|touch|patch|git (?:apply|mv|rm|restore))\s|(?:^|[;&|(]\s*)(?:cat|echo|printf)[^|\n]*[^2&>]>>?\s*[^&\s/]|(?:^|[;&|(]\s*)(?:cat|echo|printf)[^|\n]*[^2&>]>>?\s*/[^d]")
        .expect("a constant pattern compiles")
});

fn push(to: &mut String, text: &str, most: usize) {
    to.push_str(head(text, most));
    to.push('\n');
}

/// The text, and behind it the words that its identifiers are made of: `hashLength` also holds "length".
fn with_humps(text: &str) -> String {
    let mut humps = String::new();
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        let mut end = at;
        if bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase() {
            end += 1;
            while bytes.get(end).is_some_and(u8::is_ascii_lowercase) {
                end += 1;
            }
            humps.push(' ');
            humps.push_str(&text[at..end]);
        }
        at = end.max(at + 1);
    }
    format!("{text}{humps}")
}

fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// What an item shares or does not share with calls.
pub(super) struct Subject {
    /// Paths, flags, identifiers, numbers.
    names: Vec<String>,
    stems: Vec<String>,
    /// Kinds of calls that its verbs name.
    pub(super) kinds: Vec<ToolKind>,
    /// Actions that it names.
    asked: Asked,
    /// It asks to see something fail.
    pub(super) wants_failure: bool,
}

impl Subject {
    pub(super) fn of(text: &str) -> Self {
        let wording = Wording::of(text);
        let mut names: Vec<String> = wording.parameters.iter().filter(|p| is_telling(p)).cloned().collect();
        let raw = text.split(|c: char| c.is_whitespace() || "()[]{}\"`,;:'".contains(c));
        names.extend(raw.filter(|w| is_identifier(w)).map(|w| w.trim_matches('.').to_lowercase()));
        names.sort();
        names.dedup();
        let plain = |s: &&String| s.len() > 2 && !COMMON.contains(&s.as_str()) && !is_parameter(s);
        let mut stems: Vec<String> = wording.stems.iter().filter(plain).cloned().collect();
        stems.sort();
        stems.dedup();
        let verbs: Vec<&str> = wording.words.iter().take(8).map(String::as_str).collect();
        let kinds = VERBS.iter().filter(|(words, _)| verbs.iter().any(|v| words.contains(v)));
        let kinds = kinds.flat_map(|(_, kinds)| kinds.iter().copied()).collect();
        let wants_failure = wording.words.iter().any(|w| w.starts_with("reproduc"));
        Self { names, stems, kinds, asked: Asked::of(&wording), wants_failure }
    }

    /// Whether the item names this file.
    pub(super) fn names_file(&self, path: &str) -> bool {
        let name = artefacts::name(path).to_lowercase();
        self.names.iter().any(|n| n.rsplit('/').next() == Some(name.as_str()))
    }

    /// Whether the item asks for subagents.
    pub(super) fn asks_for_agents(&self) -> bool {
        self.asked.agents
    }

    pub(super) fn evidence(&self, at: CallRef, call: &ToolCall, texts: &Texts) -> Option<Evidence> {
        let shared = self.shared(at, texts);
        if shared.as_ref().is_some_and(|e| e.strong) {
            return shared;
        }
        let acted = self.asked.done_by(call, || Texts::verdict(call));
        match (shared, acted) {
            (Some(words), Some(act)) => Some(Evidence { strong: act.strong, ..words }),
            (None, Some(act)) => Some(Evidence { call: at, strong: act.strong, shared: vec![act.shown] }),
            (words, None) => words,
        }
    }

    /// What the name that a call gives its subagent shares with the item, where it shares two words.
    pub(super) fn named_by(&self, call: CallRef, given: &ToolCall) -> Option<Evidence> {
        let name = given.input.get("description")?.as_str()?.to_lowercase();
        let words = self.names.iter().chain(&self.stems);
        let shared: Vec<String> = words.filter(|w| has_word(&name, w)).cloned().collect();
        (shared.len() >= 2).then_some(Evidence { call, strong: false, shared })
    }

    /// What a call shares with the item.
    fn shared(&self, call: CallRef, texts: &Texts) -> Option<Evidence> {
        let pick = |words: &[String], text: &str| -> Vec<String> {
            words.iter().filter(|w| has_word(text, w)).cloned().collect()
        };
        let names = pick(&self.names, &texts.command);
        let words = pick(&self.stems, &texts.command);
        let named = pick(&self.names, &texts.written);
        let fits = self.kinds.contains(&texts.kind);
        let written = pick(&self.stems, &texts.written);
        let strong = !names.is_empty() || fits && (!words.is_empty() || !named.is_empty() || written.len() >= MANY);
        let mut shared = names;
        let new: Vec<String> = named.into_iter().filter(|n| !shared.contains(n)).collect();
        shared.extend(new);
        shared.extend(words);
        let output = if strong { Vec::new() } else { pick(&self.stems, &texts.output) };
        for word in written.into_iter().chain(output) {
            if !shared.contains(&word) {
                shared.push(word);
            }
        }
        (strong || shared.len() >= 2).then_some(Evidence { call, strong, shared })
    }
}

/// Whether a script does nothing but ask programs for their help or version.
pub(super) fn asks_for_help(script: &str) -> bool {
    let commands = script.split(['\n', ';']).flat_map(|l| l.split("&&")).map(str::trim);
    let idle = |c: &&str| c.is_empty() || ["cd ", "export ", "source "].iter().any(|w| c.starts_with(w));
    let mut rest = commands.filter(|c| !idle(c)).peekable();
    rest.peek().is_some() && rest.all(|c| c.split_whitespace().any(|w| matches!(w, "--help" | "--version")))
}

/// Numbers of one or two digits and folders of the first level (`/app`) stand everywhere.
fn is_telling(parameter: &str) -> bool {
    let is_top = parameter.strip_prefix('/').is_some_and(|rest| !rest.trim_end_matches('/').contains(['/', '.']));
    parameter.len() > 2 && !is_top
}

/// `camelCase`, `snake_case`, `Type::method`, `name()`.
fn is_identifier(word: &str) -> bool {
    let inner = word.get(1..).unwrap_or_default();
    let cased = word.bytes().all(|b| b.is_ascii_alphanumeric()) && inner.bytes().any(|b| b.is_ascii_lowercase());
    word.len() > 3
        && (word.contains('_') && word.bytes().any(|b| b.is_ascii_alphabetic())
            || word.contains("::")
            || cased && inner.bytes().any(|b| b.is_ascii_uppercase()))
}

/// Whether the text holds the word at the start of a word; a word of three letters must be one, or its plural. A stem may
/// end in an `i` that its words write as `y`.
fn has_word(text: &str, word: &str) -> bool {
    let word = word.strip_suffix('i').filter(|w| w.len() > 3).unwrap_or(word);
    memmem::find_iter(text.as_bytes(), word.as_bytes()).any(|at| {
        let before = text[..at].chars().next_back();
        let after = &text[at + word.len()..];
        let after = after.strip_prefix('s').unwrap_or(after).chars().next();
        let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphabetic());
        before.is_none_or(|c| !c.is_alphanumeric()) && (word.len() > 3 || is_end(after))
    })
}
