//! Deeds: the calls whose kind can do one, that worked, and that name its object.

use std::sync::LazyLock;

use regex::Regex;

use super::record::{Record, Seen};
use super::{Verdict, builds, files, repository};
use crate::extract::artefacts::name;
use crate::extract::claims::Claim;
use crate::link::deeds::did::{by_tool, commanded, edited, is_prose};
use crate::link::deeds::object::Object;
use crate::link::deeds::outcome::{plainly_worked, printed, worked};
use crate::link::deeds::words::{EDITS, WRITTEN, multi};

/// Calls before a claim that are looked through for a thing that keeps its name.
const WINDOW: usize = 400;

pub(super) static MEETS: LazyLock<Regex> = LazyLock::new(|| {
    multi(r"(?i)\b(?:meets?|satisf(?:y|ies)|fulfils?|fulfills?|as (?:required|requested|specified|expected))\b")
});
/// The verdict on a deed that is told.
pub(super) fn judge(record: &Record<'_>, claim: &Claim, at: usize, verb: &str) -> Verdict {
    let text = record.session.quote(&claim.span).unwrap_or("");
    if verb == "push" {
        return repository::committed(record, claim, at, true);
    }
    // A call shows the deed, not that it meets what was asked.
    if MEETS.is_match(text) {
        return Verdict::NONE;
    }
    let object = Object::of(text);
    if verb == "build" {
        // What was built is named by its command or by what that prints.
        let verdict = builds::judge(record, claim, at);
        if verdict.word == super::Word::Contradicted && !object.is_empty() {
            // A part may be built though the whole failed.
            return Verdict::NONE;
        }
        let touched = |call: u32| {
            let seen = &record.calls[call as usize];
            object.is_empty() || object.is_touched(object.share(seen.command).or(object.share(printed(seen.call))))
        };
        return if verdict.call.is_some_and(touched) { verdict } else { Verdict::NONE };
    }
    let written_of = WRITTEN.is_match(text);
    let files = files_of(record, claim, text);
    let done = |seen: &Seen<'_>, here: bool| {
        let call = seen.call;
        if !worked(call) {
            return false;
        }
        let by_edit = EDITS.contains(&verb) && edited(verb, &object, &files, call) && (written_of || !is_prose(call));
        let by_command = || commanded(verb, text, &object, call) || ran(verb, &object, seen);
        by_edit || here && (by_command() || by_tool(verb, &object, call))
    };
    let here = record.turn(claim, at).find(|(_, s)| done(s, true));
    // An edit that names the thing stays one in later turns.
    let found = here.or_else(|| {
        let lasting = object.has_lasting_name() && EDITS.contains(&verb);
        record.newest(claim, at).take(WINDOW).find(|(_, s)| lasting && done(s, false))
    });
    match found {
        Some((i, _)) => Verdict::supported(i, false),
        None if verb == "create" => written(record, claim, at, text),
        None => Verdict::NONE,
    }
}

/// A file that a claim says was made: written by a call, or printed to be there.
fn written(record: &Record<'_>, claim: &Claim, at: usize, text: &str) -> Verdict {
    static PATH: LazyLock<Regex> = LazyLock::new(|| multi(r"(?:[~\w.-]*/)*[\w-][\w.-]*\.[a-z]\w{0,5}\b"));
    let mut paths = PATH.find_iter(text).map(|m| m.as_str());
    let (Some(path), None) = (paths.next(), paths.next()) else { return Verdict::NONE };
    files::judge(record, claim, at, path)
}

/// Names of the files that a claim speaks of, and of the label before it: only an edit of one of them did it.
fn files_of<'t>(record: &'t Record<'_>, claim: &Claim, text: &'t str) -> Vec<&'t str> {
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        multi(
            r"[\w./@-]*\w\.(?:rs|py|[cm]?[jt]sx?|go|cc?|cpp|cxx|h|hpp|java|kt|rb|php|cs|swift|scala|vue|svelte|ex|hs|ml|lua|zig|cu|pl|r|jl|dart|md|mdx|txt|rst|html|css|scss|json|ya?ml|toml|sh|conf|cfg|ini|env|sql|csv|xml|lock|tex|bib|bin|pth)\b",
        )
    });
    let all = record.session.text_of(&claim.span).unwrap_or("");
    let before = &all[..claim.span.start as usize];
    let label = before[before.rfind('\n').map_or(0, |i| i + 1)..].trim_end();
    let label = label.rfind(". ").map_or(label, |i| &label[i..]);
    let called = |t: &'t str| FILE.find_iter(t).filter(|m| !t[m.end()..].starts_with('(')).map(|m| name(m.as_str()));
    called(text).chain(called(label)).collect()
}

/// Whether a command that runs something, and that names the object, ran or checked it.
fn ran(verb: &str, object: &Object, seen: &Seen<'_>) -> bool {
    if !matches!(verb, "run" | "check" | "download" | "train") || seen.quotes || seen.command.is_empty() {
        return false;
    }
    static FETCHED: LazyLock<Regex> = LazyLock::new(|| multi(r"(?i)\b(?:download(?:ed|ing)|fetched|saved)\b"));
    let output = printed(seen.call);
    let share = object.share(seen.command).or(object.share(output));
    let named = object.is_named(object.share(seen.command)) || object.is_printed(share);
    let says = match verb {
        "download" => FETCHED.is_match(output),
        "train" => false,
        _ => !output.trim().is_empty() || plainly_worked(seen.call),
    };
    named && says
}
