//! OpenCode's `/export`: Markdown for people. It carries no message ids, call ids, times or exit codes, and fences tool
//! output with three backticks even where the output holds them; see `docs/formats.md` for what is made of that.

mod dates;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::opencode::{Loaded, UNTOLD, drafts, entry};
use super::text::{Lines, Text};
use super::{Format, Head, Input, bounded};
use crate::diag::{Diag, Loc, Trouble};
use crate::error::Error;
use crate::session::{Draft, MessageKind, Place, SourceFile};

/// The format.
pub(super) const FORMAT: Format = Format {
    id: "opencode-markdown",
    agent: "opencode",
    about: "OpenCode Markdown: what `/export` writes, with `**Session ID:**` below the title",
    lines: false,
    sniff,
    keys: |head| {
        session_id(&String::from_utf8_lossy(head.bytes)).map(|id| format!("opencode-md:{id}")).into_iter().collect()
    },
    companions: |_: &Path| Vec::<PathBuf>::new(),
    load,
};

static ID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^\*\*Session ID:\*\* (\S+)\s*$").expect("static"));
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^## (?:User|Assistant(?: \(([^·()]+) · (.+?)(?: · [0-9.]+m?s)?\))?)$").expect("static")
});

/// The tool that a line names.
fn tool(line: &str) -> Option<&str> {
    line.strip_prefix("**Tool: ")?.strip_suffix("**")
}

fn session_id(text: &str) -> Option<&str> {
    let title = text.trim_start_matches('\u{FEFF}').trim_start();
    let end = text.match_indices('\n').nth(30).map_or(text.len(), |(at, _)| at);
    title.starts_with("# ").then(|| ID.captures(&text[..end]))?.and_then(|c| c.get(1)).map(|m| m.as_str())
}

fn sniff(head: &Head<'_>) -> u8 {
    match session_id(&String::from_utf8_lossy(head.bytes)) {
        Some(id) if id.starts_with("ses_") => 95,
        Some(_) => 70,
        None => 0,
    }
}

fn load(inputs: &[Input]) -> Result<Vec<Draft>, Error> {
    let mut read: Vec<Loaded> = Vec::new();
    for input in inputs {
        read.push(parse(&input.name, input.read()?));
    }
    // Without ids, two exports of one session cannot be joined message by message: the longest is used.
    read.sort_by(|a, b| (&a.id, b.entries.len()).cmp(&(&b.id, a.entries.len())));
    let mut out: Vec<Loaded> = Vec::new();
    for mut one in read {
        match out.last_mut().filter(|last| last.id == one.id) {
            Some(last) => {
                for mut source in std::mem::take(&mut one.sources) {
                    (source.copies, source.kept) = (source.copies + source.kept, 0);
                    let loc = Loc { file: source.file.clone(), ..Loc::default() };
                    last.warnings.push(Diag::note(
                        Trouble::ShorterExport,
                        loc,
                        "a longer export of this session is used",
                    ));
                    last.sources.push(source);
                }
            }
            None => out.push(one),
        }
    }
    Ok(drafts(out, FORMAT.id))
}

fn parse(name: &str, bytes: Vec<u8>) -> Loaded {
    let digest = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
    let size = bytes.len() as u64;
    let text = Text::decode(bytes);
    let mut page = Page::new(&text);
    let (info, first) = page.header();
    let id = session_id(&text.text).unwrap_or("unknown").to_owned();
    let mut loaded = Loaded { id, info, ..Loaded::default() };
    let mut at = first;
    while at < page.lines.len() {
        let (message, end) = page.message(at);
        loaded.entries.extend(message);
        at = end;
    }
    let records = loaded.entries.iter().map(|e| e.records.len() as u64).sum();
    let source = SourceFile {
        file: name.into(),
        format: FORMAT.id,
        bytes_read: size,
        bytes_used: size,
        records,
        kept: records,
        digest,
        ..SourceFile::default()
    };
    loaded.sources.push(source);
    loaded.warnings = page.warnings(name);
    loaded
}

/// Outputs of a file whose end is searched for through the whole file, since they show another export.
const SEARCHES: usize = 8;

/// The lines of an export, with what can be told of each before reading.
struct Page<'a> {
    text: &'a Text,
    places: Lines,
    /// Byte in the text and content of each line.
    lines: Vec<(usize, &'a str)>,
    /// Per line, where the message it stands in ends, unless output makes it seem so.
    next_end: Vec<usize>,
    /// Per line, where the next tool is named.
    next_tool: Vec<usize>,
    /// Per line, how many bare fences stand before it.
    fences: Vec<u32>,
    undivided: Option<usize>,
    unclear: Vec<usize>,
}

impl<'a> Page<'a> {
    fn new(text: &'a Text) -> Self {
        let mut at = 0;
        let mut lines = Vec::new();
        for line in text.text.split_inclusive('\n') {
            lines.push((at, line.trim_end_matches(['\n', '\r'])));
            at += line.len();
        }
        let mut fences = vec![0; lines.len() + 1];
        for (i, (_, line)) in lines.iter().enumerate() {
            fences[i + 1] = fences[i] + u32::from(*line == "```");
        }
        let mut next_end = vec![lines.len(); lines.len() + 1];
        let mut next_tool = vec![lines.len(); lines.len() + 1];
        let mut following = "";
        for i in (0..lines.len()).rev() {
            let line = lines[i].1;
            let ends = line == "---" && (following.is_empty() || HEADING.is_match(following));
            next_end[i] = if ends { i } else { next_end[i + 1] };
            next_tool[i] = if tool(line).is_some() { i } else { next_tool[i + 1] };
            following = if line.is_empty() { following } else { line };
        }
        Self {
            text,
            places: Lines::default(),
            lines,
            next_end,
            next_tool,
            fences,
            undivided: None,
            unclear: Vec::new(),
        }
    }

    fn line(&self, at: usize) -> &'a str {
        self.lines.get(at).map_or("", |l| l.1)
    }

    fn place(&mut self, at: usize) -> Place {
        let byte = self.lines.get(at).map_or(self.text.text.len(), |l| l.0);
        self.places.place(self.text, byte)
    }

    /// The lines `from..to`, without blank ones at either end.
    fn slice(&self, from: usize, to: usize) -> &'a str {
        let byte = |at: usize| self.lines.get(at).map_or(self.text.text.len(), |l| l.0);
        if from >= to { "" } else { self.text.text[byte(from)..byte(to)].trim_matches(['\n', '\r']) }
    }

    fn skip_blank(&self, mut at: usize) -> usize {
        while at < self.lines.len() && self.line(at).is_empty() {
            at += 1;
        }
        at
    }

    /// The session's record, and the line of the first heading.
    fn header(&self) -> (Value, usize) {
        let title = self.lines.iter().find_map(|(_, l)| l.trim_start_matches('\u{FEFF}').strip_prefix("# "));
        let first = self.lines.iter().position(|(_, l)| HEADING.is_match(l)).unwrap_or(self.lines.len());
        let mut info = json!({"title": title});
        self.dated(first, &mut info);
        (info, first)
    }

    /// Reads the message whose heading stands at a line, and says where the next one begins.
    fn message(&mut self, heading: usize) -> (Option<super::opencode::Entry>, usize) {
        let place = self.place(heading);
        let line = self.line(heading);
        let user = line == "## User";
        let names = HEADING.captures(line);
        let name = |i| names.as_ref().and_then(|c| c.get(i)).map(|m| m.as_str());
        let info = json!({
            "role": if user { "user" } else { "assistant" },
            "modelID": name(2),
            "summary": !user && name(1) == Some("Compaction"),
        });
        let mut parts = Vec::new();
        let mut at = self.skip_blank(heading + 1);
        while at < self.lines.len() && self.next_end[at] != at {
            at = self.part(at, user, &mut parts);
            at = self.skip_blank(at);
        }
        let mut entry = entry(&info, parts, place);
        if user && entry.message.parts.is_empty() {
            // Text of the program is not exported.
            entry.message.kind = MessageKind::InjectedContext;
        }
        (Some(entry), self.skip_blank(at + 1))
    }

    fn part(&mut self, at: usize, user: bool, parts: &mut Vec<(Value, Place)>) -> usize {
        let place = self.place(at);
        if let Some(tool) = self.tool(at).filter(|_| !user) {
            let (part, end) = self.call(at, tool);
            parts.push((part, place));
            return end;
        }
        let thinking = !user && self.line(at) == "_Thinking:_";
        let from = if thinking { self.skip_blank(at + 1) } else { at };
        let last = self.next_end[at];
        let stops = |i: &usize| !user && (self.tool(*i).is_some() || self.line(*i) == "_Thinking:_");
        let end = (from.max(at + 1)..last).find(stops).unwrap_or(last);
        if !thinking {
            parts.push((json!({"type": "text", "text": self.slice(from, end)}), place));
            return end;
        }
        let said = self.said_after_thinking(from, end, end == last);
        parts.push((json!({"type": "reasoning", "text": self.slice(from, said)}), place));
        if said < end {
            let place = self.place(said);
            parts.push((json!({"type": "text", "text": self.slice(said, end)}), place));
        }
        end
    }

    /// Where text begins behind thinking: the export puts no mark between them. A heading, or in a message that ends
    /// with it the last paragraph, is taken as text.
    fn said_after_thinking(&mut self, from: usize, end: usize, last: bool) -> usize {
        let starts = |i: &usize| self.line(*i - 1).is_empty();
        let heading = (from + 1..end).filter(starts).find(|i| self.line(*i).starts_with('#'));
        let paragraph = || (from + 1..end).filter(starts).rfind(|i| !self.line(*i).is_empty());
        let said = heading.or_else(|| if last { paragraph() } else { None });
        if said.is_some() && self.undivided.is_none() {
            self.undivided = Some(from);
        }
        said.unwrap_or(end)
    }

    fn tool(&self, at: usize) -> Option<&'a str> {
        tool(self.line(at))
    }

    /// A tool call from its line: input and output are there only when the export was asked for details.
    fn call(&mut self, at: usize, tool: &str) -> (Value, usize) {
        let (mut end, mut input, mut state) = (at + 1, Value::Null, "pending");
        let (mut output, mut error) = (None, None);
        let next = self.skip_blank(end);
        if self.line(next) == "**Input:**" && self.line(next + 1) == "```json" {
            let close = (next + 2..self.lines.len()).find(|i| self.line(*i) == "```").unwrap_or(self.lines.len());
            let raw = self.slice(next + 2, close);
            input = bounded::value(raw).unwrap_or_else(|_| raw.into());
            end = close + 1;
        }
        let next = self.skip_blank(end);
        let label = self.line(next);
        if matches!(label, "**Output:**" | "**Error:**") && self.line(next + 1) == "```" {
            let close = self.output_end(next + 2);
            let text = Some(self.slice(next + 2, close));
            (state, output, error) =
                if label == "**Output:**" { ("completed", text, None) } else { ("error", None, text) };
            end = close + usize::from(self.line(close) == "```");
        }
        // An export with details leaves empty outputs out; of a call without one it does not tell how it ended.
        if !input.is_null() && state == "pending" {
            state = UNTOLD;
        }
        let call = format!("line-{}", at + 1);
        let state = json!({"status": state, "input": input, "output": output, "error": error});
        (json!({"type": "tool", "tool": tool, "callID": call, "state": state}), end)
    }

    /// The line of the fence that closes an output. The output's own fences are not escaped, so what follows decides: the
    /// fence directly before the next part or the end of the message closes it. Where text of the agent follows, it is the
    /// last fence that closes no block of that text: what a tool printed must not be told as said by the agent.
    fn output_end(&mut self, from: usize) -> usize {
        // A part begins behind the fence only.
        let first = (from..self.lines.len()).find(|&at| self.line(at) == "```").unwrap_or(from);
        let stop = (first..self.lines.len()).find(|&at| self.ends_part(at)).unwrap_or(self.lines.len());
        if (from..stop).any(|at| self.line(at).starts_with("**Session ID:**")) {
            return self.end_of_shown_export(from);
        }
        let fence = |at: &usize| self.line(*at).starts_with("```");
        let mut fences = (from..stop).rev().filter(fence).peekable();
        if let Some(&last) = fences.peek()
            && self.line(last) == "```"
            && self.skip_blank(last + 1) == stop
        {
            return last;
        }
        while let Some(close) = fences.next() {
            // A fence with a language opens a block of the text.
            let block = fences.next_if(|at| self.line(*at) != "```").is_some();
            if self.line(close) == "```" && !block {
                if (from..stop).any(|at| at != close && fence(&at)) {
                    self.unclear.push(from);
                }
                return close;
            }
        }
        self.unclear.push(from);
        (from..stop).rev().find(|i| self.line(*i) == "```").unwrap_or(stop)
    }

    /// Whether the message ends at a line, or another part of it begins there.
    fn ends_part(&self, at: usize) -> bool {
        let begins = |at: usize| {
            let line = self.line(at);
            at >= self.lines.len()
                || self.next_end[at] == at
                || line == "_Thinking:_"
                || matches!(line, "**Input:**" | "**Output:**" | "**Error:**")
        };
        let behind_blank = at > 0 && self.line(at - 1).is_empty();
        self.next_end[at] == at
            || behind_blank && self.line(at) == "_Thinking:_"
            || behind_blank
                && self.tool(at).is_some()
                && (begins(self.skip_blank(at + 1)) || self.tool(self.skip_blank(at + 1)).is_some())
    }

    /// The same for an output that shows another export, in which messages end too. Fences with a language inside it are
    /// closed by themselves; a fence behind which an odd number stands up to the end of the message was none. If no fence
    /// fits, the last one counts.
    fn end_of_shown_export(&mut self, from: usize) -> usize {
        let (mut depth, mut export) = (0_u32, false);
        // A search that fails goes to the end of the file: of many such outputs only the first are searched.
        let end = if self.unclear.len() < SEARCHES { self.lines.len() } else { from };
        for at in from..end {
            let line = self.line(at);
            export |= line.starts_with("**Session ID:**");
            if line.starts_with("```") && line != "```" && !line.ends_with("```") {
                depth += 1;
            } else if line == "```" && depth > 0 {
                depth -= 1;
            } else if line == "```" && self.line(at + 1).is_empty() && export {
                let plain = self.next_end[at].min(self.next_tool[at + 1]);
                if (self.fences[plain] - self.fences[at + 1]).is_multiple_of(2) {
                    return at;
                }
            }
        }
        self.unclear.push(from);
        let last = self.next_end[from.min(self.lines.len())];
        (from..last).rev().find(|i| self.line(*i) == "```").unwrap_or(last)
    }

    fn warnings(&mut self, name: &str) -> Vec<Diag> {
        let mut out: Vec<Diag> = self.undated(name).into_iter().collect();
        if let Some(at) = self.undivided {
            let byte = self.lines[at].0;
            let text =
                "the export puts no mark between thinking and text; a heading, or the last paragraph, is taken as text";
            out.push(Diag::note(Trouble::ThinkingUndivided, self.places.loc(self.text, byte, name), text));
        }
        for at in std::mem::take(&mut self.unclear) {
            let byte = self.lines.get(at).map_or(self.text.text.len(), |l| l.0);
            let text = "the output holds fences that do not pair; it was read up to the last fence of the message";
            out.push(Diag::warning(Trouble::FenceUnclear, self.places.loc(self.text, byte, name), text));
        }
        let replaced = self.text.damaged(0, self.text.text.len()).len();
        if replaced > 0 {
            let text = format!("{replaced} places are no valid Unicode; each was read as U+FFFD");
            out.push(Diag::warning(Trouble::InvalidUtf8, Loc { file: name.into(), ..Loc::default() }, text));
        }
        out
    }
}

#[cfg(test)]
mod tests;
