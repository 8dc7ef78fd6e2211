//! What a command does: its class.

use super::programs;
use super::shell::{Command, commands};

/// What a command does, the weightier later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Says nothing of the work: `cd`, `echo`, `sleep`.
    Idle,
    /// Shows what is there.
    Look,
    /// Runs a few lines of code typed into the command line, or asks a running service.
    Probe,
    /// Creates, moves or removes files; installs packages; starts or stops services.
    Arrange,
    /// Records or takes back work in version control.
    Commit,
    /// Runs a program or script.
    Run,
    /// Changes files.
    Edit,
    /// Builds, checks types, lints.
    Build,
    /// Runs tests.
    Test,
    /// Measures.
    Bench,
}

impl Class {
    /// The classes that run something, rather than showing, arranging, recording or editing.
    const RUN: [Self; 5] = [Self::Probe, Self::Run, Self::Build, Self::Test, Self::Bench];

    /// Whether it runs something.
    pub(crate) fn runs(self) -> bool {
        Self::RUN.contains(&self)
    }
}

/// The classes of the commands of a command line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Classes(u16);

impl Classes {
    /// Those of a command line.
    pub(crate) fn of(line: &str) -> Self {
        Self(commands(line).iter().fold(0, |bits, c| bits | 1 << class(c) as u16))
    }

    /// Whether a command of the class is among them.
    pub(crate) fn has(self, class: Class) -> bool {
        self.0 & 1 << class as u16 != 0
    }

    /// Whether the commands only show what stands elsewhere: files, history, their own words.
    pub(crate) fn only_show(self) -> bool {
        self.0 & !(1 << Class::Idle as u16 | 1 << Class::Look as u16) == 0
    }

    /// Whether one of them runs something, rather than showing, arranging, recording or editing.
    pub(crate) fn run(self) -> bool {
        Class::RUN.iter().any(|c| self.has(*c))
    }
}

/// The class of one command.
pub(crate) fn class(command: &Command) -> Class {
    let program = command.program();
    if command.into.is_some() && matches!(program, "cat" | "echo" | "printf") {
        return Class::Edit;
    }
    let operand = command.operand().unwrap_or("");
    match program {
        "git" | "jj" | "hg" | "svn" => return versioned(operand, command),
        "sed" | "perl" if command.words.iter().any(|w| w.starts_with("-i") || w == "-pi") => return Class::Edit,
        "patch" | "apply_patch" => return Class::Edit,
        "tee" if command.fed => return Class::Edit,
        "nvidia-smi" if SETS.iter().any(|f| command.has(f)) => return Class::Arrange,
        "sysctl" if command.has("-w") || command.has("-p") => return Class::Arrange,
        "curl" | "wget" | "http" | "psql" | "sqlite3" | "mysql" | "mongosh" | "redis-cli" | "nc" => {
            return Class::Probe;
        }
        "pip" | "pip3" | "npm" | "apt" | "docker" | "podman" | "kubectl" | "systemctl" | "conda" | "helm" | "brew"
            if SHOWS.contains(&operand) =>
        {
            return Class::Look;
        }
        "black" | "prettier" | "isort" | "rustfmt" | "gofmt" if !checks(command) => return Class::Edit,
        "cargo" | "go" | "npm" | "yarn" | "pnpm" | "bun" | "mvn" | "gradle" | "./gradlew" | "./mvnw" | "make"
        | "dotnet" | "mix" | "swift" | "deno" | "just" | "task" | "rake" | "composer" | "bundle" | "lake" | "zig"
        | "mise" | "turbo" | "nx" | "moon" | "poe" | "hatch" => {
            return task(command);
        }
        _ => {}
    }
    programs::class(program).unwrap_or_else(|| run(command))
}

/// Flags of `nvidia-smi` that set something.
const SETS: &[&str] = &["-pm", "-pl", "-lgc", "-lmc", "-rgc", "-rmc", "-ac", "-c", "-mig", "-r", "--gpu-reset", "-e"];
/// Subcommands that show.
const SHOWS: &[&str] = &[
    "show",
    "list",
    "freeze",
    "ls",
    "view",
    "info",
    "ps",
    "logs",
    "inspect",
    "images",
    "get",
    "describe",
    "status",
    "is-active",
    "list-units",
    "top",
    "version",
    "search",
    "policy",
    "stats",
    "cat",
    "outdated",
    "config",
    "check",
];

fn checks(command: &Command) -> bool {
    ["--check", "--diff", "-l", "-d", "-c"].iter().any(|flag| command.has(flag))
}

fn versioned(subcommand: &str, command: &Command) -> Class {
    match subcommand {
        "status" | "log" | "diff" | "show" | "blame" | "remote" | "ls-files" | "grep" | "rev-parse" | "describe"
        | "rev-list" | "shortlog" | "ls-tree" | "reflog" | "cat-file" | "fetch" | "ls-remote" | "bisect" | "info"
        | "merge-base" | "name-rev" | "" => Class::Look,
        "branch" | "tag" | "stash" | "worktree"
            if command.words.len() < 3 || ["list", "-a", "-v", "-vv", "-l"].iter().any(|w| command.has(w)) =>
        {
            Class::Look
        }
        "config" if command.words.iter().filter(|w| !w.starts_with('-')).count() < 4 => Class::Look,
        "config" | "clone" | "init" | "submodule" => Class::Arrange,
        "apply" | "am" => Class::Edit,
        _ => Class::Commit,
    }
}

/// Tools whose subcommand or task names what they do: `cargo test`, `npm run lint`, `make bench`.
fn task(command: &Command) -> Class {
    let mut names = command.words[1..].iter().map(String::as_str).filter(|w| !w.starts_with(['-', '+']));
    let Some(name) = names.by_ref().find(|w| *w != "run" || command.program() == "cargo" || command.program() == "go")
    else {
        return programs::class(command.program()).unwrap_or(Class::Build);
    };
    let has = |words: &[&str]| words.iter().any(|w| name.contains(w));
    match name {
        _ if has(&["bench", "perf"]) || command.words.iter().any(|w| w.starts_with("-bench")) => Class::Bench,
        _ if has(&["test", "spec", "e2e"]) => Class::Test,
        "run" | "start" | "dev" | "exec" | "serve" | "preview" | "watch" => match names.next() {
            Some(script) => by_name(script).unwrap_or(Class::Run),
            None => Class::Run,
        },
        "install" | "i" | "ci" | "add" | "remove" | "uninstall" | "update" | "upgrade" | "get" | "mod" | "init"
        | "new" | "clean" | "publish" | "generate" | "create" | "restore" | "deps" => Class::Arrange,
        "tree" | "metadata" | "search" | "list" | "ls" | "view" | "env" | "version" | "doc" | "outdated" | "info" => {
            Class::Look
        }
        "fmt" | "format" if !checks(command) => Class::Edit,
        _ => Class::Build,
    }
}

/// Anything else: an interpreter with a script, or a program of the project.
fn run(command: &Command) -> Class {
    let program = command.program();
    if !programs::is_interpreter(program) {
        return by_name(program).unwrap_or(Class::Run);
    }
    if ["--version", "-V", "-v", "--help"].iter().any(|w| command.has(w)) {
        return Class::Look;
    }
    let mut words = command.words[1..].iter().map(String::as_str);
    match words.by_ref().find(|w| !w.starts_with('-') || matches!(*w, "-c" | "-e" | "-m" | "-")) {
        Some("-c" | "-e" | "-") => Class::Probe,
        Some("-m") => match words.next() {
            Some("pip" | "venv" | "http.server") => Class::Arrange,
            Some("py_compile" | "compileall" | "build") => Class::Build,
            Some(module) => programs::class(module).or_else(|| by_name(module)).unwrap_or(Class::Run),
            None => Class::Run,
        },
        // `manage.py test`, `setup.py build`
        Some(script) => by_name(script)
            .or_else(|| words.next().filter(|w| matches!(*w, "test" | "bench")).and_then(by_name))
            .unwrap_or(Class::Run),
        None if command.fed => Class::Probe,
        None => Class::Run,
    }
}

/// What a program or script does by its name.
fn by_name(name: &str) -> Option<Class> {
    let name = name.trim_end_matches(['/', '\\']);
    let file = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    if ["bench", "loadtest", "load_test", "perf_", "_perf", "profile", "throughput", "latency"]
        .iter()
        .any(|w| file.contains(w))
    {
        return Some(Class::Bench);
    }
    let folder = |names: &[&str]| name.split('/').rev().skip(1).any(|f| names.contains(&f));
    if folder(&["bench", "benches", "benchmark", "benchmarks"]) {
        return Some(Class::Bench);
    }
    let tests = folder(&["test", "tests"])
        || file.starts_with("test")
        || file.contains("_test")
        || file.contains("-test")
        || file.contains("runtests");
    tests.then_some(Class::Test)
}

/// Names of scripts that a command starts directly: `python3 a.py`, `./b.sh`.
pub(super) fn script(command: &Command) -> Option<&str> {
    let program = command.program();
    if let Some(name) = program.strip_prefix("./") {
        return Some(name);
    }
    let named = programs::is_interpreter(program).then(|| command.operand())??;
    (named.contains('.') && !named.contains(' ')).then_some(named)
}

/// Whether the command takes work back: a revert, a reset, files taken from the last commit.
pub(super) fn takes_back(command: &Command) -> bool {
    if command.program() != "git" {
        return false;
    }
    match command.operand() {
        Some("revert" | "restore") => true,
        Some("reset") => command.has("--hard"),
        Some("checkout") => command.has("--") || command.has(".") || command.has("HEAD"),
        Some("stash") => command.words.len() == 2 || command.has("push") || command.has("drop"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::episodes::shell::commands;

    fn of(line: &str) -> Class {
        commands(line).iter().map(class).max().unwrap_or(Class::Idle)
    }

    #[test]
    fn each_kind_of_command_has_its_class() {
        for (line, expected) in [
            ("cd /x && sleep 3", Class::Idle),
            ("cd /x && grep -rn foo src | head", Class::Look),
            ("git log -3 && git status", Class::Look),
            ("git stash list", Class::Look),
            ("git config --get user.name", Class::Look),
            ("git config user.name me", Class::Arrange),
            ("docker ps", Class::Look),
            ("sed -n 1,20p a.rs", Class::Look),
            ("python3 -c 'import a'", Class::Probe),
            ("python3 - <<'E'\nprint(1)\nE", Class::Probe),
            ("curl -s localhost:8000/health", Class::Probe),
            ("pip install x", Class::Arrange),
            ("npm ci", Class::Arrange),
            ("rm -rf build", Class::Arrange),
            ("git add -A && git commit -m 'x; make test'", Class::Commit),
            ("python3 tool.py", Class::Run),
            ("cargo run -- a", Class::Run),
            ("sed -i s/a/b/ x", Class::Edit),
            ("cat > a.py <<'E'\nx\nE", Class::Edit),
            ("cargo build --release", Class::Build),
            ("npm run lint", Class::Build),
            ("npx tsc --noEmit", Class::Build),
            ("cargo fmt --check", Class::Build),
            ("cargo fmt", Class::Edit),
            ("cd a && python -m pytest -q", Class::Test),
            ("npm test", Class::Test),
            ("python manage.py test app", Class::Test),
            ("./run_tests.sh", Class::Test),
            ("go test -bench=. ./...", Class::Bench),
            ("python3 bench_serving.py --n 8", Class::Bench),
            ("hyperfine ./a", Class::Bench),
            ("nohup bash /root/bench/sweep.sh > /root/bench/a.log &", Class::Bench),
            ("setpci -s 1 X=2", Class::Arrange),
            ("nvidia-smi -pm 1", Class::Arrange),
            ("nvidia-smi -q", Class::Look),
            ("cargo bench", Class::Bench),
            ("cat bench.py", Class::Look),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }

    #[test]
    fn work_taken_back_is_seen() {
        for (line, back) in [
            ("git checkout -- a.rs", true),
            ("git reset --hard HEAD~1", true),
            ("git revert abc", true),
            ("git checkout -b topic", false),
            ("git stash pop", false),
            ("git reset a.rs", false),
        ] {
            assert_eq!(commands(line).iter().any(takes_back), back, "{line}");
        }
    }
}
