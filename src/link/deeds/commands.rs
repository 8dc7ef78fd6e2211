//! Commands by which deeds other than edits are done.

use std::sync::LazyLock;

use regex::Regex;

use super::words::multi;

/// One way to do a deed.
#[derive(Debug)]
pub(in crate::link) struct Way {
    verb: &'static str,
    /// A word of the text that speaks of the deed; `None` = any text.
    word: Option<Regex>,
    command: Regex,
    /// What the output must print; `None` = the command's own success is enough.
    output: Option<Regex>,
}

impl Way {
    /// Whether a command line, without the texts that it feeds to programs, holds such a command.
    pub(in crate::link) fn fits(&self, line: &str) -> bool {
        self.command.is_match(&line[..line.find("<<").unwrap_or(line.len())])
    }

    /// Whether an output shows that it was done; `None` = outputs show nothing of it.
    pub(in crate::link) fn is_printed(&self, output: &str) -> Option<bool> {
        self.output.as_ref().map(|o| o.is_match(output))
    }

    /// Whether the text's own words say which thing it is: "pull request", "branch".
    pub(in crate::link) fn is_of_a_kind(&self) -> bool {
        self.word.is_some()
    }
}

/// The ways to do a deed that a text speaks of.
pub(in crate::link) fn ways<'t>(verb: &'t str, text: &'t str) -> impl Iterator<Item = &'static Way> + 't {
    let fits = move |w: &&Way| w.verb == verb && w.word.as_ref().is_none_or(|word| word.is_match(text));
    WAYS.iter().filter(fits)
}

/// All ways, by verb.
static WAYS: LazyLock<Vec<Way>> = LazyLock::new(|| {
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
        ("commit", "", r"\bgit commit\b", ""),
        ("push", "", r"\bgit push\b", ""),
        ("stash", "", r"\bgit stash\b", ""),
        ("tag", "", r"\bgit tag\b", ""),
        ("checkout", r"(?i)\bbranch\b", r"\bgit (?:checkout|switch|worktree add)\b", ""),
        ("merge", r"(?i)\b(?:pr|pull request)\b", r"\bgh pr merge\b", r"Merged pull request"),
        ("close", r"(?i)\b(?:pr|pull request)\b", r"\bgh pr close\b", ""),
    ];
    let way = |&(verb, word, command, output): &(&'static str, &str, &str, &str)| Way {
        verb,
        word: (!word.is_empty()).then(|| multi(word)),
        command: multi(command),
        output: (!output.is_empty()).then(|| multi(output)),
    };
    ALL.iter().map(way).collect()
});
const INSTALL: &str = r"\b(?:pip3?|npm|apt(?:-get)?|apk|dnf|yum|yarn|pnpm|cargo|conda|brew|uv|go|bun|gem|poetry)\b.*\b(?:install|add|i|ci|get|upgrade|update|sync)\b";
const INSTALLED: &str = r"Successfully installed|^added \d+ packages?|added \d+ packages?, |^Setting up |is already the newest version|Requirement already satisfied|^\s*Installed (?:package|\d+ packages?)|Pouring |^OK: |^Done in [\d.]+ ?m?s|packages? installed \[";
