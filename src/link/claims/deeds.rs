//! Deeds: the calls whose kind can do one, that worked, and that name its object.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::Verdict;
use super::builds;
use super::files;
use super::object::{Object, Share};
use super::record::{Record, Seen, quotes};
use super::repository;
use super::runs::plainly_worked;
use crate::extract::artefacts::name;
use crate::extract::claims::Claim;
use crate::session::ToolKind;

/// Calls before a claim that are looked through for a thing that keeps its name.
const WINDOW: usize = 400;

fn multi(pattern: &str) -> Regex {
    Regex::new(&format!("(?m){}", pattern.replace(r"\b", r"(?-u:\b)"))).expect("a constant pattern")
}

/// Commands by which deeds other than edits are done, and what their outputs must print, by verb and by a word of the
/// claim; an empty output pattern = the command's own success is enough.
static COMMANDS: LazyLock<Vec<(&str, &str, Regex, Regex)>> = LazyLock::new(|| {
    const ALL: &[(&str, &str, &str, &str)] = &[
        (
            "create",
            r"(?i)\b(?:pr|pull request|merge request)\b",
            r"\b(?:gh pr create|glab mr create|hub pull-request)\b",
            r"/(?:pull|merge_requests)/\d+",
        ),
        (
            "open",
            r"(?i)\b(?:pr|pull request|merge request)\b",
            r"\b(?:gh pr create|glab mr create|hub pull-request)\b",
            r"/(?:pull|merge_requests)/\d+",
        ),
        ("create", r"(?i)\bissue\b", r"\bgh issue create\b", r"/issues/\d+"),
        ("create", r"(?i)\bbranch\b", r"\bgit (?:checkout -[bB]|switch -[cC]|branch|worktree add)\b", ""),
        ("create", r"(?i)\bcommits?\b", r"\bgit commit\b", r"^\[[\w./ ()-]+ [0-9a-f]{7,40}\] "),
        ("create", r"(?i)\b(?:folder|directory|directories)\b", r"\bmkdir\b", ""),
        ("close", "", r"\b(?:gh (?:pr|issue) close|git branch -[dD])\b", ""),
        ("change", r"(?i)\b(?:pr|pull request)\b", r"\bgh (?:pr edit|api)\b", ""),
        ("rebase", "", r"\bgit (?:rebase|pull)\b", r"Successfully rebased|Current branch .* is up to date"),
        (
            "resolve",
            r"(?i)conflict",
            r"\bgit (?:rebase|merge|commit|cherry-pick|pull)\b",
            r"Successfully rebased|^\[[\w./ ()-]+ [0-9a-f]{7,40}\] [Mm]erge",
        ),
        (
            "merge",
            "",
            r"\b(?:git (?:merge|pull)|gh pr merge)\b",
            r"Merge made|Fast-forward|Merged pull request|Already up to date",
        ),
        ("cherry-pick", "", r"\bgit cherry-pick\b", r"^\[[\w./ ()-]+ [0-9a-f]{7,40}\] "),
        ("revert", "", r"\bgit (?:revert|checkout|restore|reset)\b", ""),
        ("restore", "", r"\b(?:git (?:checkout|restore|stash pop|reset)|cp|mv)\b", ""),
        ("pull", "", r"\b(?:git (?:pull|fetch)|docker pull|ollama pull)\b", ""),
        ("clone", "", r"\bgit clone\b", ""),
        ("install", "", INSTALL, INSTALLED),
        ("upgrade", "", INSTALL, INSTALLED),
        ("uninstall", "", r"\b(?:pip3?|npm|apt(?:-get)?|brew|cargo|yarn|pnpm) (?:uninstall|remove)\b", ""),
        (
            "download",
            "",
            r"\b(?:curl|wget|aria2c|yt-dlp|youtube-dl|scp|rsync|git clone|huggingface-cli|urlretrieve|snapshot_download)\b",
            "",
        ),
        ("download", "", r"\S", r"(?i)\b(?:download(?:ed|ing)|fetched|saved)\b"),
        (
            "remove",
            "",
            r"(?:^|[;&|]\s*|\s)(?:rm|git rm|rmdir|unlink|git branch -[dD]|git worktree remove|docker rm\w*)\s",
            "",
        ),
        ("move", "", r"(?:^|[;&|]\s*|\s)(?:mv|git mv)\s", ""),
        ("copy", "", r"(?:^|[;&|]\s*|\s)(?:cp|rsync|scp)\s", ""),
        ("extract", "", r"(?:^|[;&|]\s*|\s)(?:tar|unzip|7z|gunzip|bsdtar|cpio)\s", ""),
        (
            "deploy",
            "",
            r"\b(?:vercel|netlify|fly(?:ctl)?|wrangler|firebase|kubectl|helm|gcloud|serverless)\b.*\b(?:deploy|apply|upgrade|install|--prod)\b|\bvercel --prod\b",
            "",
        ),
        (
            "train",
            "",
            r"\b(?:train\w*|fit|fasttext|finetune)\b",
            r"(?i)\b(?:epoch|loss|accuracy|step|progress: 100|saved|trained)\b",
        ),
        ("run", "", r"\S", r"\S"),
        ("check", "", r"\S", r"\S"),
    ];
    ALL.iter().map(|(verb, word, command, output)| (*verb, *word, multi(command), multi(output))).collect()
});
const INSTALL: &str = r"\b(?:pip3?|npm|apt(?:-get)?|apk|dnf|yum|yarn|pnpm|cargo|conda|brew|uv|go|bun|gem|poetry)\b.*\b(?:install|add|i|ci|get|upgrade|update|sync)\b";
const INSTALLED: &str = r"Successfully installed|^added \d+ packages?|added \d+ packages?, |^Setting up |is already the newest version|Requirement already satisfied|^\s*Installed (?:package|\d+ packages?)|Pouring |^OK: |^Done in [\d.]+ ?m?s|packages? installed \[";
/// Commands that write files.
static WRITES: LazyLock<Regex> = LazyLock::new(|| {
    multi(
        r#"(?:^|[;&|(]\s*|\s)(?:sed -i|perl -\w*i|tee|patch|apply_patch|cp|mv)\s|(?:^|[^0-9&>=-])>{1,2} ?["'\w./~$]|write_text|\.write\(|open\([^)\n]*['"][wa]"#,
    )
});
static MEETS: LazyLock<Regex> = LazyLock::new(|| {
    multi(r"(?i)\b(?:meets?|satisf(?:y|ies)|fulfils?|fulfills?|as (?:required|requested|specified|expected))\b")
});
/// Endings of files that hold prose: what they say was done is not done by writing them.
const PROSE: &[&str] = &["md", "txt", "rst", "adoc", "html", "mdx"];
/// Words of a claim about something written.
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    multi(
        r"(?i)\b(?:docs?|document\w*|readme|notes?|sections?|guides?|spec\w*|reports?|changelog|status|quickstart|skills?|templates?|tables?|wording|text|chapter|scenarios?|plan|checklist|research|agents|description|summary|list|content|file)\b|\.md\b",
    )
});
/// Verbs that an edit of a file can do.
const EDITS: &[&str] =
    &["add", "change", "configure", "convert", "create", "extract", "move", "remove", "resolve", "restore", "revert"];
/// Words in the names of tools that do what a verb says.
const TOOLS: &[(&str, &[&str])] = &[
    ("add", &["add", "create", "insert"]),
    ("change", &["update", "change", "modify", "edit", "set"]),
    ("create", &["create", "add", "new"]),
    ("remove", &["delete", "remove"]),
    ("upgrade", &["upgrade", "update"]),
    ("open", &["open", "create"]),
];

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
            object.is_empty() || object.is_touched(object.share(seen.command).or(object.share(printed(seen))))
        };
        return if verdict.call.is_some_and(touched) { verdict } else { Verdict::NONE };
    }
    let commands: Vec<_> = COMMANDS.iter().filter(|(v, word, ..)| *v == verb && applies(word, text)).collect();
    let written_of = WRITTEN.is_match(text);
    let files = files_of(record, claim, text);
    let done = |seen: &Seen<'_>, here: bool| {
        if !worked(seen) {
            return false;
        }
        let by_edit = EDITS.contains(&verb) && edited(verb, &object, &files, seen) && (written_of || !is_prose(seen));
        let by_command = || {
            here && commands.iter().any(|(_, word, command, output)| {
                let own = &seen.command[..seen.command.find("<<").unwrap_or(seen.command.len())];
                command.is_match(own) && ran(verb, &object, seen, output)
                    || !word.is_empty()
                        && command.is_match(own)
                        && output.as_str().len() > 4
                        && output.is_match(printed(seen))
            })
        };
        by_edit || by_command() || here && by_tool(verb, &object, seen)
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

fn applies(word: &str, text: &str) -> bool {
    word.is_empty() || Regex::new(&word.replace(r"\b", r"(?-u:\b)")).is_ok_and(|r| r.is_match(text))
}

/// The call worked as far as its status, its exit code and the end of its output say; a start in the background says
/// nothing.
fn worked(seen: &Seen<'_>) -> bool {
    seen.call.worked() && !super::execution::is_background(seen) && !tells_failure(printed(seen))
}

fn printed<'a>(seen: &Seen<'a>) -> &'a str {
    seen.call.result.as_ref().map_or("", |r| super::record::tail(&r.text))
}

/// Whether the end of an output tells of a failure, whatever the status says.
pub(super) fn tells_failure(output: &str) -> bool {
    const SAYS: [&str; 11] = [
        "Error:",
        "error:",
        "Traceback",
        "not found",
        "No such file",
        "cannot ",
        "denied",
        "Error ",
        "fatal:",
        "FAILED",
        "\"error\"",
    ];
    let end = &output[output.ceil_char_boundary(output.len().saturating_sub(300))..];
    SAYS.iter().any(|s| end.contains(s))
}

/// Whether a command of the right kind did it: it names the object, or its output does, and prints what it must.
fn ran(verb: &str, object: &Object, seen: &Seen<'_>, output: &Regex) -> bool {
    let general = matches!(verb, "run" | "check" | "train") || output.as_str().contains("fetched");
    if general && (quotes(seen.command) || seen.command.is_empty()) {
        return false;
    }
    let prints = output.as_str().len() <= 4 || output.is_match(printed(seen));
    let says = !output.as_str().is_empty() || plainly_worked(seen.call, seen.command);
    let share = object.share(seen.command).or(object.share(printed(seen)));
    let named = if general {
        object.is_named(object.share(seen.command)) || object.is_printed(share)
    } else {
        object.is_empty() || object.is_touched(share)
    };
    prints && says && named
}

/// Whether an edit did it: the file's path and the text that changed name the object, on the side that the verb needs.
fn edited(verb: &str, object: &Object, files: &[&str], seen: &Seen<'_>) -> bool {
    let call = seen.call;
    let is_of = |file: &str| call.written_paths().iter().any(|p| name(p) == file) || seen.command.contains(file);
    if !files.is_empty() && !files.iter().any(|f| is_of(f)) {
        return false;
    }
    if !matches!(call.kind, ToolKind::Write | ToolKind::Edit) {
        let writes = call.kind == ToolKind::Shell && WRITES.is_match(seen.command);
        return writes && object.is_named(object.share(seen.command));
    }
    let path = call.written_paths().iter().fold(Share::default(), |s, p| s.or(object.share(p)));
    let (before, after) = sides(&call.input);
    let (before, after) = (object.share(&before), object.share(&after));
    let side = match verb {
        "remove" => before,
        "add" | "create" => after,
        _ => before.or(after),
    };
    // Something of the object has to change there, not only to stand in the file's name.
    (object.is_named(path.or(side)) && (side != Share::default() || object.is_named(path)) || object.is_marked(path))
        && (before != after || verb != "remove")
}

/// Whether all that a call writes is prose.
fn is_prose(seen: &Seen<'_>) -> bool {
    let prose = |path: &str| PROSE.contains(&path.rsplit('.').next().unwrap_or(""));
    let paths = seen.call.written_paths();
    if paths.is_empty() {
        PROSE.iter().any(|e| seen.command.contains(&format!(".{e}")))
    } else {
        paths.into_iter().all(prose)
    }
}

/// What an edit takes out and what it puts in: lines of a patch, pairs of an edit, the content of a write.
fn sides(input: &Value) -> (String, String) {
    const OLD: [&str; 3] = ["old_string", "oldString", "old_str"];
    const NEW: [&str; 6] = ["new_string", "newString", "new_str", "content", "file_text", "new_source"];
    let (mut old, mut new) = (String::new(), String::new());
    let mut add = |fields: &Value| {
        let take = |keys: &[&str], side: &mut String| {
            for text in keys.iter().filter_map(|k| fields.get(k)?.as_str()) {
                side.push_str(text);
                side.push('\n');
            }
        };
        take(&OLD, &mut old);
        take(&NEW, &mut new);
    };
    add(input);
    input.get("edits").and_then(Value::as_array).into_iter().flatten().for_each(&mut add);
    let patch = ["patchText", "patch", "input"].iter().find_map(|k| input.get(k)?.as_str()).or_else(|| input.as_str());
    for line in patch.unwrap_or_default().lines() {
        let side = if line.starts_with('-') { &mut old } else { &mut new };
        if line.starts_with(['-', '+']) {
            side.push_str(line);
            side.push('\n');
        }
    }
    (old, new)
}

/// Whether a tool did it whose own name says so, and whose result does not say another thing.
fn by_tool(verb: &str, object: &Object, seen: &Seen<'_>) -> bool {
    if seen.call.kind != ToolKind::Other {
        return false;
    }
    let words = TOOLS.iter().find(|(v, _)| *v == verb).map_or(std::slice::from_ref(&verb), |(_, w)| *w);
    let tool = seen.call.tool.to_ascii_lowercase();
    let fits = tool.split(['_', '-', '.']).any(|part| words.contains(&part));
    let input = seen.call.input.to_string();
    let share = object.share(&input).or(object.share(printed(seen))).or(object.share(&tool.replace('_', " ")));
    fits && object.is_marked(share) && !object.is_denied(printed(seen))
}

/// The verdict on a state with a value: a command since the request prints all of it.
pub(super) fn shown(record: &Record<'_>, claim: &Claim, at: usize) -> Verdict {
    let object = Object::of(record.session.quote(&claim.span).unwrap_or(""));
    let prints = |s: &Seen<'_>| {
        let said = seen_says(s);
        s.call.kind == ToolKind::Shell
            && s.call.worked()
            && !said
            // Something of it has to be printed, not only given.
            && object.share(printed(s)).has_name()
            && object.is_printed(object.share(printed(s)).or(object.given(object.share(&s.call.input.to_string()))))
    };
    record.turn(claim, at).find(|(_, s)| prints(s)).map_or(Verdict::NONE, |(i, _)| Verdict::supported(i, true))
}

/// Whether a command prints only what it was told to print.
fn seen_says(seen: &Seen<'_>) -> bool {
    super::record::programs(seen.command).all(|p| matches!(p, "echo" | "printf" | "cd"))
}

/// The verdict on a count: a line that a command prints holds the number and what is counted.
pub(super) fn counted(record: &Record<'_>, claim: &Claim, at: usize, number: u64, noun: &str) -> Verdict {
    let stem = crate::extract::prose::stem(noun);
    let number = number.to_string();
    let holds = |line: &str| {
        let line = line.to_lowercase();
        line.contains(&stem) && crate::extract::prose::tokens(&line).any(|t| t == number)
    };
    let prints = |s: &Seen<'_>| s.call.worked() && !quotes(s.command) && s.printed.lines().any(holds);
    record.turn(claim, at).find(|(_, s)| prints(s)).map_or(Verdict::NONE, |(i, _)| Verdict::supported(i, true))
}

/// The verdict on what could not be done: a call that names it and failed.
pub(super) fn failed(record: &Record<'_>, claim: &Claim, at: usize) -> Verdict {
    let object = Object::of(record.session.quote(&claim.span).unwrap_or(""));
    let fails = |s: &Seen<'_>| {
        let output = printed(s);
        let ran = matches!(s.call.kind, ToolKind::Shell | ToolKind::Fetch | ToolKind::Other);
        let share = object.share(&s.call.input.to_string()).or(object.share(output));
        ran && (s.call.failed() || tells_failure(output)) && object.is_whole(share)
    };
    record.turn(claim, at).find(|(_, s)| fails(s)).map_or(Verdict::NONE, |(i, _)| Verdict::supported(i, true))
}
