//! Every figure of a session, in reading order: outputs of tools, tables, prose.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::grid::Grid;
use super::lexicon::words;
use super::restate::Told;
use super::{FigureEvidence, Found, MeasurementRole, numbered, prose, table, tools};
use crate::extract::tables::Table;
use crate::session::{CallStatus, Field, Message, MsgIx, PartBody, Provenance, Session, TextRef, ToolCall, ToolKind};

/// Reads the whole session; branches that the user left are passed over.
pub(super) fn all(session: &Session, tables: &[Table]) -> Vec<Found> {
    let mut reader = Reader { tables, next: 0, told: Told::default(), stated: BTreeMap::new() };
    for (msg, message) in session.iter() {
        for (i, part) in message.parts.iter().enumerate() {
            let here = |field, text, provenance| TextRef { msg, part: i as u32, field, text, provenance };
            match &part.body {
                PartBody::Text(text) => reader.text(&here(Field::Text, text, Provenance::of_text(message)), message),
                PartBody::Call(call) if !message.abandoned => {
                    if let Some(result) = &call.result {
                        reader.output(&here(Field::Output, &result.text, Provenance::ToolOutput), call);
                    }
                }
                _ => {}
            }
        }
    }
    reader.told.found
}

struct Reader<'a> {
    tables: &'a [Table],
    /// Position of the first table not yet reached.
    next: usize,
    told: Told,
    /// Options of a command that the text before a call shows.
    stated: BTreeMap<String, String>,
}

impl Reader<'_> {
    fn text(&mut self, at: &TextRef<'_>, message: &Message) {
        let counts = !message.abandoned && at.provenance != Provenance::Injected;
        let mut skip = fences(at.text);
        let mut grids = Vec::new();
        let tables = self.tables;
        while let Some(table) = tables.get(self.next).filter(|t| (t.span.msg, t.span.part) == (at.msg, at.part)) {
            let range = table.span.start as usize..table.span.end as usize;
            if table.restates.is_none() {
                grids.push((range.clone(), Grid::of_table(table, Some(self.next as u32), at.text)));
            }
            skip.push(range);
            self.next += 1;
        }
        if !counts {
            return;
        }
        self.retract(at);
        self.stated = tools::command_params(at.text);
        let (blocks, claimed) = tools::read(at, &self.stated, true);
        self.add(blocks);
        let free = |r: &Range<usize>| !claimed.iter().any(|c| c.start < r.end && r.start < c.end);
        for fence in fences(at.text).into_iter().filter(free) {
            let above = heading_above(&at.text[..fence.start]);
            let mut figures = tools::read_own(at, fence, &[], above, &BTreeMap::new());
            figures.iter_mut().for_each(|f| f.measurement.evidence = FigureEvidence::Claimed);
            self.add(figures);
        }
        for (_, grid) in grids.iter().filter(|(range, _)| free(range)) {
            self.add(table::read(grid, at));
        }
        skip.extend(claimed);
        skip.sort_by_key(|r| r.start);
        for figure in prose::read(at, &skip) {
            self.add(vec![figure]);
        }
    }

    /// What a command printed. Files that were read or fetched, and lists of other tools, are no results.
    fn output(&mut self, at: &TextRef<'_>, call: &ToolCall) {
        let named = |ends: &[&str]| call.path().is_some_and(|p| ends.iter().any(|e| p.ends_with(e)));
        let (log, exported) = (named(&[".log", ".out", ".txt"]), named(&[".json", ".jsonl", ".csv"]));
        if !(call.kind == ToolKind::Shell || call.kind == ToolKind::Read && (log || exported)) {
            return;
        }
        let command = call.command().unwrap_or_default();
        let own = tools::command_params(command);
        let params = if own.is_empty() { self.stated.clone() } else { own };
        let worked = call.status() != CallStatus::Error && call.exit_code().is_none_or(|c| c == 0);
        let runs = call.kind == ToolKind::Shell && runs_something(command);
        let plain = numbered::strip(at.text);
        let source = TextRef { text: plain.as_ref().map_or(at.text, |p| &p.text), ..at.clone() };
        let (mut figures, claimed) = tools::read(&source, &params, worked);
        if !exported && (runs || log || shows_log(command)) {
            figures.extend(tools::read_own(&source, 0..source.text.len(), &claimed, command, &params));
        }
        for figure in figures.iter_mut().filter_map(|f| plain.as_ref().map(|p| (f, p))) {
            let (found, plain) = figure;
            plain.restore(&mut found.measurement.span);
        }
        if !worked {
            figures.iter_mut().for_each(|f| f.measurement.valid = false);
        }
        // What is only shown may have been printed before.
        if runs { self.told.add(figures) } else { self.told.add_shown(figures) }
    }

    fn add(&mut self, new: Vec<Found>) {
        self.told.add(new);
    }

    /// "Ignore that one, it was a cold run": withdraws the figures of the message before.
    fn retract(&mut self, at: &TextRef<'_>) {
        let Some(last) = self.told.found.last().map(|f| f.measurement.msg) else { return };
        let near = at.msg.0 > last.0 && at.msg.0 - last.0 <= 2;
        if near && at.provenance.is_said() && at.text.len() < 600 && RETRACTS.is_match(at.text) {
            self.withdraw(last);
        }
    }

    fn withdraw(&mut self, msg: MsgIx) {
        for figure in self.told.found.iter_mut().rev().take_while(|f| f.measurement.msg == msg) {
            if figure.measurement.role == MeasurementRole::Measured {
                figure.measurement.role = MeasurementRole::Invalid;
                figure.measurement.valid = false;
            }
        }
    }
}

static RETRACTS: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(ignore|discard|disregard|scratch) (that|this|those|these|the last|the previous) (one|run|result|results|number|numbers|figure|figures|measurement)\b|\b(that|this|it) (was|is) (a |just a |only a )?(cold run|warm-?up( run)?|bogus|invalid)\b",
    )
});

/// Commands that only show files do not make results.
pub(super) fn runs_something(command: &str) -> bool {
    const SHOWS: &[&str] = &[
        "cat", "head", "tail", "sed", "grep", "rg", "ls", "find", "git", "gh", "curl", "wc", "diff", "ps", "df", "du",
        "awk", "tree", "stat",
    ];
    let word = command
        .split_whitespace()
        .find(|w| !w.contains('=') && !matches!(*w, "cd" | "&&" | "sudo" | "time"))
        .unwrap_or("");
    !SHOWS.contains(&word.rsplit('/').next().unwrap_or(word))
}

/// `cat run.log`, `tail -20 out/bench.txt`: the log of a run.
fn shows_log(command: &str) -> bool {
    let file = |w: &str| [".log", ".out", ".txt"].iter().any(|end| w.trim_matches(['"', '\'', ';']).ends_with(end));
    matches!(command.split_whitespace().next(), Some("cat" | "tail" | "head")) && command.split_whitespace().any(file)
}

/// The last line above that is a heading or ends in a colon.
fn heading_above(text: &str) -> &str {
    let lines = text.trim_end().lines().rev().take(3);
    lines.map(|l| l.trim_matches([' ', '#', '*', ':'])).find(|l| !l.is_empty()).unwrap_or("")
}

/// The fenced blocks of a Markdown text, with their fences.
fn fences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mark = line.trim_start_matches([' ', '>']);
        let ticks = &mark[..mark.len() - mark.trim_start_matches('`').len()];
        match open {
            Some((start, fence)) if ticks.len() >= fence.len() && mark.trim_end() == ticks => {
                out.push(start..at + line.len());
                open = None;
            }
            None if ticks.len() >= 3 => open = Some((at, ticks)),
            _ => {}
        }
        at += line.len();
    }
    out.extend(open.map(|(start, _)| start..text.len()));
    out
}
