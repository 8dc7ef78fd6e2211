//! What an item and a call are compared by.

use memchr::memmem;
use serde_json::Value;

use super::actions::Asked;
use super::effects::{Effect, asks_to_look, effects, wanted};
use super::words::COMMON;
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
    /// What the call does.
    pub(super) effects: Vec<Effect>,
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
        let effects = effects(call);
        // What a here-document holds is written into a file, where nothing is run.
        let (line, body) = match line.filter(|_| effects.iter().all(|e| *e == Effect::Change)) {
            Some(script) => script.find("<<").map_or((line, ""), |at| (Some(&script[..at]), &script[at..])),
            None => (line, ""),
        };
        push(&mut written, body, COMMAND);
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
            effects,
            command: command.to_lowercase(),
            written: with_humps(&written).to_lowercase(),
            output: output.to_lowercase(),
        }
    }

    /// The end of an output, where counts and verdicts stand.
    pub(super) fn verdict(call: &ToolCall) -> String {
        let text = call.result.as_ref().map_or("", |r| r.text.as_str());
        text[text.ceil_char_boundary(text.len().saturating_sub(OUTPUT))..].to_lowercase()
    }
}

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
    /// What its verbs ask for.
    wanted: Vec<Effect>,
    /// Actions that it names.
    asked: Asked,
    /// It asks to see something fail.
    pub(super) wants_failure: bool,
    /// It says "if".
    conditional: bool,
    /// It asks what is installed.
    of_versions: bool,
}

impl Subject {
    pub(super) fn of(text: &str) -> Self {
        let wording = Wording::of(text);
        let mut names: Vec<String> = wording.parameters.iter().filter(|p| is_telling(p)).cloned().collect();
        let raw = text.split(|c: char| c.is_whitespace() || "()[]{}\"`,;:'".contains(c));
        names.extend(raw.filter(|w| is_identifier(w)).map(|w| w.trim_matches('.').to_lowercase()));
        names.sort();
        names.dedup();
        let looks: Vec<String> =
            wording.words.iter().filter(|w| asks_to_look(w)).flat_map(|w| Wording::of(w).stems).collect();
        let plain =
            |s: &&String| s.len() > 2 && !COMMON.contains(&s.as_str()) && !is_parameter(s) && !looks.contains(s);
        let mut stems: Vec<String> = wording.stems.iter().filter(plain).cloned().collect();
        stems.sort();
        stems.dedup();
        const INSTALLED: &[&str] =
            &["version", "versions", "installed", "installation", "available", "availability", "setup"];
        let of_versions = wording.words.iter().any(|w| INSTALLED.contains(&w.as_str()));
        let wants_failure = wording.words.iter().any(|w| w.starts_with("reproduc"));
        let conditional = wording.words.iter().any(|w| w == "if");
        let asked = Asked::of(&wording);
        Self { names, stems, wanted: wanted(text), asked, wants_failure, conditional, of_versions }
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

    /// Whether a call does what the verbs of the item ask for; an item without a verb may ask for anything.
    pub(super) fn is_met_by(&self, texts: &Texts) -> bool {
        self.wanted.is_empty() || texts.effects.iter().any(|e| self.wanted.contains(e))
    }

    /// Whether a call may have done what the item asks for: a program may do anything, a look is what some runs are, and a
    /// condition may not have been met.
    pub(super) fn may_be_met_by(&self, texts: &Texts) -> bool {
        self.is_met_by(texts)
            || texts.effects.contains(&Effect::Run)
            || self.wanted.contains(&Effect::Run)
            || self.conditional
    }

    /// What a call shows of the item's work, and how well it fits: the better, the greater.
    pub(super) fn evidence(&self, at: CallRef, call: &ToolCall, texts: &Texts) -> Option<(Evidence, Rank)> {
        let shared = self.shared(at, texts);
        if shared.as_ref().is_some_and(|(e, _)| e.strong) {
            return shared;
        }
        let acted = self.asked.done_by(call, || Texts::verdict(call));
        match (shared, acted) {
            (Some((words, rank)), Some(act)) => {
                Some((Evidence { strong: act.strong, ..words }, Rank { fits: true, ..rank }))
            }
            (None, Some(act)) => {
                let evidence = Evidence { call: at, strong: act.strong, shared: vec![act.shown] };
                Some((evidence, Rank { fits: true, names: 0 }))
            }
            (words, None) => words,
        }
    }

    /// What the name that a call gives its subagent shares with the item, and what the subagent said: two words, one of
    /// them in the name.
    pub(super) fn named_by(&self, call: CallRef, given: &ToolCall) -> Option<Evidence> {
        let name = given.input.get("description")?.as_str()?.to_lowercase();
        let said = given.result.as_ref().map_or("", |r| head(&r.text, OUTPUT)).to_lowercase();
        let words = || self.names.iter().chain(&self.stems);
        let named = words().any(|w| has_word(&name, w));
        let shared: Vec<String> = words().filter(|w| has_word(&name, w) || has_word(&said, w)).cloned().collect();
        (named && shared.len() >= 2).then_some(Evidence { call, strong: false, shared })
    }

    /// What a call shares with the item. A program that was run may have done what the item asks for, but does not show it.
    fn shared(&self, call: CallRef, texts: &Texts) -> Option<(Evidence, Rank)> {
        let pick = |words: &[String], text: &str| -> Vec<String> {
            words.iter().filter(|w| has_word(text, w)).cloned().collect()
        };
        let fits = self.is_met_by(texts);
        if !fits && !texts.effects.contains(&Effect::Run) {
            return None;
        }
        let names = pick(&self.names, &texts.command);
        let words = pick(&self.stems, &texts.command);
        let named = pick(&self.names, &texts.written);
        let written = pick(&self.stems, &texts.written);
        let rank = Rank { fits, names: names.len() };
        let named_or_said = !names.is_empty() || !words.is_empty();
        let by_words = words.len() >= 2 || !words.is_empty() && 2 * words.len() >= self.stems.len();
        let strong = match fits {
            true if self.wanted.is_empty() => !names.is_empty(),
            true => !names.is_empty() || by_words || !named.is_empty() || written.len() >= MANY,
            // Its name and a word beside it, or many words.
            false => {
                let beside = words.iter().any(|w| !names.iter().any(|n| n.contains(w.as_str())));
                !names.is_empty() && beside || words.len() >= MANY
            }
        };
        let output = if strong || !fits { Vec::new() } else { pick(&self.stems, &texts.output) };
        let mut shared = names;
        for word in named.into_iter().chain(words).chain(written).chain(output) {
            if !shared.contains(&word) {
                shared.push(word);
            }
        }
        let weak = if self.wanted.is_empty() {
            // Without a verb, two words that a call prints or writes are too little.
            named_or_said && shared.len() >= 2
        } else if fits {
            // An item of no telling word asks for nothing but what its verb says.
            let bare = self.names.is_empty() && self.stems.is_empty();
            named_or_said || bare || shared.len() >= 2
        } else {
            shared.len() >= 2
        };
        (strong || weak && self.asked.is_free()).then_some((Evidence { call, strong, shared }, rank))
    }
}

/// How well a call fits an item, beside the words shared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// It does what the verbs of the item ask for.
    fits: bool,
    /// Names of the item in its target or command.
    names: usize,
}

/// Whether a script does nothing but ask programs for their help, or for a version that the item does not ask about.
pub(super) fn asks_for_help(script: &str, about: &Subject) -> bool {
    let commands = script.split(['\n', ';']).flat_map(|l| l.split("&&")).map(str::trim);
    let idle = |c: &&str| c.is_empty() || ["cd ", "export ", "source "].iter().any(|w| c.starts_with(w));
    let asks = |w: &str| w == "--help" || w == "--version" && !about.of_versions;
    let mut rest = commands.filter(|c| !idle(c)).peekable();
    rest.peek().is_some() && rest.all(|c| c.split_whitespace().any(asks))
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
