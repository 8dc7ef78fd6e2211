//! What a request asks to be done, and to what: the kind of its deed and the things it names. A call meets it only when it
//! did that deed to one of those things; words that a call and a request merely share tie nothing.

use std::cell::OnceCell;
use std::sync::LazyLock;

use regex::Regex;

use super::Deeds;
use super::commands::ways;
use super::did;
use super::names::{is_file, is_folder, is_identifier};
use super::object::Object;
use super::outcome::{printed, worked};
use super::words::{EDITS, canonical};
use crate::extract::episodes::command::Class;
use crate::extract::episodes::shell::Command;
use crate::extract::prose::{offset, re, tokens};
use crate::link::overlap::Bag;
use crate::session::ToolKind;

/// What a verb asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::link) enum Deed {
    Change,
    Run,
    Look,
    Talk,
    /// Something that the verb alone does not tell.
    Any,
}

const CHANGE: &str = "
    fix implement add write create update refactor remove delete rename make change improve replace move document clean
    rewrite adjust convert set apply extend simplify handle address resolve revert undo format comment port include put
    drop split wire enable disable generate do edit modify append insert copy extract
";
const RUN: &str = "
    run rerun test execute benchmark commit push install start stop restart deploy measure try launch rebase pull clone
    download build compile lint merge checkout switch stash tag open submit close fetch bump upgrade
";
const LOOK: &str = "
    look read review check analyze analyse investigate find explore debug inspect search study see research trace examine
    audit diagnose verify
";
const TALK: &str = "
    show tell explain list summarize summarise describe say answer report give clarify compare recommend suggest propose
    elaborate outline remind
";

/// The deed that a verb asks for, by its first word.
pub(in crate::link) fn deed(verb: &str) -> Deed {
    let word = verb.split_whitespace().next().unwrap_or("");
    let lists = [(Deed::Change, CHANGE), (Deed::Run, RUN), (Deed::Look, LOOK), (Deed::Talk, TALK)];
    let of = |(_, list): &&(Deed, &str)| list.split_whitespace().any(|w| w == word);
    lists.iter().find(of).map_or(Deed::Any, |(deed, _)| *deed)
}

/// More files than this are a list that was pasted.
const MOST_FILES: usize = 3;
/// Words before the name of a thing that is only used, or only spoken of.
const SOURCES: &[&str] = &[
    "from",
    "using",
    "with",
    "like",
    "per",
    "following",
    "see",
    "via",
    "than",
    "by",
    "against",
    "as",
    "unlike",
    "not",
];
static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`([^`\n]{2,200})`").expect("a span of code"));
static URL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"https?://[^\s<>"'`)\]]+"#).expect("an address"));
static TESTS: LazyLock<Regex> = LazyLock::new(|| re(r"\b(tests?|test suite|specs?)\b"));
static TEST_FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[/_.-])(?:tests?|specs?|e2e)(?:[/_.-]|$)|Tests?\.").expect("a file of tests")
});
static BENCH: LazyLock<Regex> = LazyLock::new(|| re(r"\bbench(mark)?(s|ing)?\b"));
static PARTS: LazyLock<Regex> = LazyLock::new(|| re(r"\b(dependenc(y|ies)|deps|packages|requirements|modules)\b"));

/// What a request asks for.
#[derive(Debug)]
pub(in crate::link) struct Goal {
    verbs: Vec<String>,
    object: String,
    files: Vec<String>,
    /// Identifiers, flags, settings.
    names: Vec<String>,
    /// Folders, without the slash at their ends.
    folders: Vec<String>,
    /// It names a file that is only used.
    uses: bool,
    /// Commands quoted in it.
    lines: Vec<String>,
    urls: Vec<String>,
    bag: Bag,
    /// What it is done to, worked out when first asked for.
    thing: OnceCell<Object>,
}

impl Goal {
    /// The goal of a request that begins with `verb`.
    pub(in crate::link) fn of(verb: &str, text: &str) -> Self {
        let verbs: Vec<String> =
            verb.split_whitespace().filter(|w| !matches!(*w, "and" | "&")).map(str::to_lowercase).collect();
        let looks = verbs.iter().any(|v| deed(v) == Deed::Look);
        let mut goal = Self {
            verbs,
            object: text.to_lowercase(),
            files: Vec::new(),
            names: Vec::new(),
            folders: Vec::new(),
            uses: false,
            lines: Vec::new(),
            urls: URL.find_iter(text).map(|m| m.as_str().to_owned()).collect(),
            bag: Bag::of(text),
            thing: OnceCell::new(),
        };
        for code in CODE.captures_iter(text).filter_map(|c| c.get(1)).map(|m| m.as_str().trim()) {
            if code.contains(' ') {
                goal.lines.push(code.to_owned());
            } else if !is_file(code) && code.trim_end_matches("()").len() >= 4 {
                goal.names.push(code.trim_end_matches("()").to_owned());
            }
        }
        let mut before = String::new();
        for token in tokens(text) {
            let used = !looks && SOURCES.contains(&before.as_str());
            before = token.to_lowercase();
            let flag = text[..offset(text, token)].ends_with("--");
            let address = goal.urls.iter().any(|u| u.contains(token));
            if used || address {
                goal.uses |= is_file(token);
                continue;
            }
            if flag {
                goal.names.push(format!("--{token}"));
            } else if is_folder(text, token) {
                goal.folders.push(token.trim_start_matches(['@', '.']).trim_matches('/').to_lowercase());
            } else if is_file(token) {
                goal.files.push(token.trim_start_matches('@').to_owned());
            } else if is_identifier(token) {
                goal.names.push(token.to_owned());
            }
        }
        goal
    }

    /// The kind of deed.
    pub(in crate::link) fn deed(&self) -> Deed {
        self.verbs.first().map_or(Deed::Any, |v| deed(v))
    }

    /// Names of single things: identifiers, flags, settings.
    pub(in crate::link) fn names(&self) -> &[String] {
        &self.names
    }

    /// Names of files.
    pub(in crate::link) fn files(&self) -> &[String] {
        &self.files
    }

    /// Its words.
    pub(in crate::link) fn bag(&self) -> &Bag {
        &self.bag
    }

    /// Whether a call did what is asked for to a thing that is named, or is called so by the agent.
    pub(in crate::link) fn met_by(&self, deeds: &Deeds<'_>) -> bool {
        self.labelled(deeds) || self.verbs.iter().any(|verb| self.done(verb, deeds))
    }

    fn done(&self, verb: &str, deeds: &Deeds<'_>) -> bool {
        let line = || self.lines.iter().any(|l| deeds.runs_line(l));
        let tool = || did::by_name(verb, &self.object, deeds.call);
        match deed(verb) {
            Deed::Change => self.changed(deeds) || self.commanded(verb, deeds) || self.edited(verb, deeds) || tool(),
            Deed::Run => self.commanded(verb, deeds) || line() || self.files.iter().any(|f| deeds.ran(f)) || tool(),
            Deed::Look => {
                self.files.iter().any(|f| deeds.looked_at(f))
                    || self.urls.iter().any(|u| deeds.fetched(u))
                    || line()
                    || tool()
            }
            Deed::Any => line() || tool(),
            Deed::Talk => false,
        }
    }

    /// An edit whose file and changed text speak of most of what is asked, where no file is named. A document has to be
    /// called so by its path, a whole file to have a word of it there: any word stands somewhere in them.
    fn edited(&self, verb: &str, deeds: &Deeds<'_>) -> bool {
        let verb = canonical(verb);
        let call = deeds.call;
        if !self.files.is_empty() || self.uses || verb == "move" || !EDITS.contains(&verb) || !self.may_change(deeds) {
            return false;
        }
        let thing = self.thing();
        let path = did::path(thing, call);
        if did::is_prose(call) && !thing.is_marked(path) || call.kind == ToolKind::Write && !thing.has_word(path) {
            return false;
        }
        let (before, after) = did::sides(call);
        worked(call) && thing.share(&before) != thing.share(&after) && did::edited(verb, thing, &[], call)
    }

    /// Tests are changed by those who ask for tests, and by none else.
    fn may_change(&self, deeds: &Deeds<'_>) -> bool {
        let of_tests = |p: &String| TEST_FILE.is_match(p);
        match TESTS.is_match(&self.object) {
            true => deeds.changed.iter().any(of_tests),
            false => deeds.changed.iter().any(|p| !of_tests(p)),
        }
    }

    fn thing(&self) -> &Object {
        self.thing.get_or_init(|| Object::of(&self.object))
    }

    /// A file that is named was changed; where none is, a name was written into one or set by a command.
    fn changed(&self, deeds: &Deeds<'_>) -> bool {
        if !self.files.is_empty() {
            // A list of files is what a request speaks of, not what it asks to be changed.
            return self.files.len() <= MOST_FILES && self.files.iter().any(|f| deeds.changed(f));
        }
        if self.folders.iter().any(|f| deeds.changed_under(f)) {
            return true;
        }
        // "Add a test for x": that x was changed is another deed, and so is a test of x where x is to be changed.
        !TESTS.is_match(&self.object) && self.may_change(deeds) && self.names.iter().any(|n| deeds.sets(n))
    }

    /// A command that the verb and its object name ran.
    fn commanded(&self, verb: &str, deeds: &Deeds<'_>) -> bool {
        // What these are done to is the repository.
        const WHOLE: &[&str] = &["commit", "push", "pull", "rebase", "stash", "merge", "clone", "tag"];
        let line = deeds.line;
        // "Make a pull request" is "create a pull request".
        let deed_of = if verb == "make" { canonical(verb) } else { verb };
        let by_way = !line.is_empty()
            && verb != "install"
            && ways(deed_of, &self.object).any(|way| {
                let named = || self.thing().is_empty() || self.thing().is_touched(self.thing().share(line));
                let denied = || {
                    let output = printed(deeds.call);
                    !output.trim().is_empty() && way.is_printed(output) == Some(false)
                };
                way.fits(line) && !denied() && (way.is_of_a_kind() || WHOLE.contains(&verb) || named())
            });
        by_way || deeds.runs().any(|(class, command)| self.command(verb, class, command))
    }

    fn command(&self, verb: &str, class: Class, command: &Command) -> bool {
        let named =
            self.files.is_empty() || self.files.iter().any(|f| command.words.iter().any(|w| w.ends_with(f.as_str())));
        match verb {
            "install" => self.installs(class, command),
            "build" | "compile" => class == Class::Build && (command.has("build") || command.has("compile")),
            "lint" => class == Class::Build && command.words.iter().any(|w| w.contains("lint") || w == "ruff"),
            "test" | "run" | "rerun" | "re-run" | "execute" if TESTS.is_match(&self.object) => {
                class == Class::Test && named
            }
            "run" | "rerun" | "benchmark" | "execute" if BENCH.is_match(&self.object) => class == Class::Bench && named,
            _ => false,
        }
    }

    /// A package that is named was installed, or all that the project needs.
    fn installs(&self, class: Class, command: &Command) -> bool {
        const VERBS: &[&str] = &["install", "i", "ci", "add", "sync"];
        if class != Class::Arrange || !VERBS.iter().any(|v| command.has(v)) {
            return false;
        }
        let wanted: Vec<&str> = tokens(&self.object).filter(|t| t.len() >= 3 && *t != "install").collect();
        let package = |w: &String| wanted.iter().any(|t| w.to_lowercase().starts_with(*t));
        PARTS.is_match(&self.object) || command.words[1..].iter().filter(|w| !VERBS.contains(&w.as_str())).any(package)
    }

    /// The agent calls the call by the words of the request.
    fn labelled(&self, deeds: &Deeds<'_>) -> bool {
        let label = deeds.label();
        let verb = label.split_whitespace().next().unwrap_or("").to_lowercase();
        let mine = self.verbs.iter().any(|v| *v == verb || deed(v) != Deed::Any && deed(v) == deed(&verb));
        if !mine || !deeds.acts() {
            return false;
        }
        let shared = Bag::of(label).shared_things(&self.bag);
        shared >= 2.0 && shared >= 0.75 * self.bag.things()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn met(text: &str, builder: SessionBuilder) -> bool {
        let verb = text.split_whitespace().next().unwrap_or("").to_lowercase();
        let session = builder.build();
        let goal = Goal::of(&verb, text);
        session.calls().any(|(_, call)| Deeds::of(call).is_some_and(|d| goal.met_by(&d)))
    }

    fn shell(text: &str, line: &str) -> bool {
        met(text, SessionBuilder::new().shell(line, 0, ""))
    }

    fn edit(text: &str, file: &str, new: &str) -> bool {
        let input = json!({"file_path": file, "old_string": "x", "new_string": new});
        met(text, SessionBuilder::new().call("Edit", input, "ok"))
    }

    #[test]
    fn a_deed_to_the_thing_named_meets_a_request() {
        assert!(edit("Update README.md with a section on ports", "/w/README.md", "ports"));
        assert!(!met(
            "Update README.md",
            SessionBuilder::new().call("Read", json!({"file_path": "/w/README.md"}), "x")
        ));
        assert!(met("read @src/a.rs", SessionBuilder::new().call("Read", json!({"file_path": "/w/src/a.rs"}), "x")));
        assert!(edit("rename old_name to new_name", "/w/a.py", "new_name = 1"));
        assert!(!edit("add a test for new_name", "/w/a.py", "new_name = 1"));
        assert!(shell("commit and push", "git add -A && git commit -m x"));
        assert!(shell("run the tests", "cargo test | tail"));
        assert!(!shell("run the tests", "cat tests/out.txt"));
        assert!(shell("install foopy", "pip install foopy-core"));
        assert!(!shell("install foopy", "pip install other"));
        assert!(shell("open a PR", "gh pr create --fill") && shell("make a pr", "gh pr create --fill"));
        assert!(!shell("Connect the repo to the host", "cat > plan.md <<'E'\nConnect the repo to the host\nE"));
    }

    #[test]
    fn an_edit_that_speaks_of_most_of_it_meets_a_request_without_names() {
        let text = "Show the harvest totals in the orchard sidebar";
        let add = |file: &str| edit("Add the harvest totals to the orchard sidebar", file, "<Totals of={harvest} />");
        assert!(add("/w/src/orchard/Sidebar.tsx"));
        assert!(!add("/w/src/orchard/sidebar.test.tsx") && !add("/w/docs/notes.md"));
        assert!(!edit(text, "/w/src/orchard/Sidebar.tsx", "<Totals of={harvest} />"));
        assert!(!edit("Add the harvest totals to the orchard sidebar", "/w/src/orchard/Sidebar.tsx", "x"));
        assert!(edit("Add a rule for pears to @rules/", "/w/rules/pears.md", "pears"));
        assert!(!shell("Add a rule for pears to @rules/", "chmod +x rules/pears.sh"));
    }

    #[test]
    fn what_is_only_used_is_not_the_thing() {
        assert!(!edit("Generate the table from data.csv", "/w/data.csv", "1"));
        assert!(!edit("Use Node.js for it", "/w/node.js", "1"));
    }

    #[test]
    fn a_task_named_like_the_request_meets_it() {
        let task =
            |label: &str| SessionBuilder::new().call("Task", json!({"description": label, "prompt": "x"}), "done");
        assert!(met("remove the stale lock table", task("Delete stale lock table")));
        assert!(!met("remove the stale lock table", task("Review stale lock table")));
    }
}
