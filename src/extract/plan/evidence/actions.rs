//! Actions that an item names by their kind ("Run the tests", "Commit the changes"), and the calls that do such a thing
//! whatever words they share with the item (`go test ./...`).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::words::{COMMON, IDLE};
use crate::extract::plan::wording::{Wording, is_content, is_parameter};
use crate::session::{ToolCall, ToolKind};

/// A kind of action: how an item names it, and how a call shows it.
struct Action {
    /// The item, as lower-case words with a space between two.
    item: Regex,
    /// A command that does it.
    command: Regex,
    /// The call also proves an item that says more than the action, weakly.
    also_with_more: bool,
}

impl Action {
    fn new(item: &str, command: &str) -> Self {
        // Where a command begins: at the start of a line or behind an operator, after settings and runners.
        const START: &str = r"(?m)(?:^|[;&|(])\s*(?:\w+=\S*\s+)*(?:(?:sudo|time|env|npx|bunx|uv run|poetry run|pipenv run|bundle exec|(?:mise|just|task|pnpm|yarn|bun|npm) run|timeout \S+|xvfb-run)\s+(?:-\S+\s+)*)*";
        let pattern = |text: &str| Regex::new(text).expect("a constant pattern compiles");
        Self {
            item: pattern(item),
            command: pattern(&format!(r"(?i){START}((?:\S*/)?(?:{command}))(?:[\s;:&|)]|$)")),
            also_with_more: false,
        }
    }
}

/// Commands that run tests.
const TEST: &str = r"cargo (?:\+\S+ )?(?:nextest|test)|go test|py\.?test|python3? -m (?:pytest|unittest|nose)|(?:npm|yarn|pnpm|bun|deno|mix|rake|rails|swift|dotnet|zig|bazel|stack|cabal|sbt|lein|hatch|dart|flutter|mage|make|ninja|meson|just|mise|task|composer)(?: run| exec| build| -\S+)* (?:unit-?|integration-?|e2e-?)?(?:tests?|check)(?:[-:_]\S+)?|jest|vitest|mocha|ava|playwright test|cypress run|mvnw?(?: \S+)* (?:test|verify)|gradlew?(?: \S+)* \S*(?:test|check)|ctest|rspec|phpunit|tox|nox|behave|bats|(?:python3?|node|bash|sh|ruby|perl|php|deno run|bun|ts-node|tsx)(?: -\S+)* \S*tests?[^\s/]*\.\w+|\S*tests?[^\s/]*\.(?:sh|py|bash)";

static ACTIONS: LazyLock<Vec<Action>> = LazyLock::new(|| {
    let mut suite = Action::new(
        r"run(?:ning)? (?:\S+ ){0,4}(?:tests?|test-suite|suite|specs|pytest)(?: |$)|tests? (?:\S+ ){0,2}(?:pass|passes|passing|green|succeed)(?: |$)|(?:verify|check) (?:with |by )?(?:the )?tests(?: |$)",
        TEST,
    );
    suite.also_with_more = true;
    let mut tidy = Action::new(
        r"^(?:clean up|cleanup|tidy|tidy up|organi[sz]e|reorgani[sz]e|restructure|archive|(?:remove|delete) (?:\S+ ){0,2}(?:files?|folders?|director(?:y|ies)))(?: |$)",
        r"(?:git )?(?:mv|rm)|rmdir|find \S+ .*-delete",
    );
    tidy.also_with_more = true;
    vec![
        suite,
        tidy,
        Action::new(r"^(?:re-?)?test(?: |$)|(?:and|then|&) test(?: |$)", TEST),
        Action::new(
            r"^(?:re-?)?(?:build|compile)(?: |$)|(?:and|then) (?:re-?)?(?:build|compile)(?: |$)|(?:run|verify|check|ensure|confirm|test) (?:\S+ ){0,4}(?:build|builds|compilation|compiles)(?: |$)",
            r"make|cmake --build \S+|ninja|meson compile|cargo (?:\+\S+ )?(?:build|check|clippy)|go (?:build|install|vet)|(?:npm|yarn|pnpm|bun)(?: run)? build\S*|(?:mise|just|task)(?: run)? build\S*|tsc|vite build|webpack|next build|gcc|g\+\+|clang(?:\+\+)?|cc|nvcc|rustc|javac|mvnw?(?: \S+)* (?:compile|package|install|verify)|gradlew?(?: \S+)* (?:build|assemble\S*)|dotnet build|swift build|zig build|docker(?:-compose| compose)? build|(?:pdf|xe|lua)?latex|latexmk|tectonic|python3? -m build|python3? setup\.py \S*build\S*|bazel build|sbt compile|mix compile",
        ),
        Action::new(
            r"(?:^| )(?:lint|linter|linters|linting|clippy|eslint|ruff|flake8|pylint|golangci-lint|type-?check|type-?checker|typechecking|type-?checks|mypy|pyright)(?: |$)",
            r"(?:cargo )?clippy|eslint|ruff(?: check)?|flake8|pylint|golangci-lint run|mypy|pyright|tsc|go vet|(?:npm|yarn|pnpm|bun)(?: run)? (?:lint|typecheck|type-check|check)\S*|(?:make|mise|just|task)(?: run)? \S*(?:lint|check)\S*|rubocop|shellcheck|biome (?:check|lint)|standard|phpstan|pre-commit run",
        ),
        Action::new(
            r"^(?:run )?(?:re-?)?format (?:the |all )*(?:code|files|everything|codebase|source)|(?:^| )(?:fmt|gofmt|rustfmt|prettier|formatter)(?: |$)",
            r"cargo (?:\+\S+ )?fmt|gofmt|goimports|go fmt|rustfmt|prettier|black|ruff format|clang-format|(?:npm|yarn|pnpm|bun)(?: run)? (?:format|fmt)\S*|fmt|format|(?:make|mise|just)(?: run)? (?:fmt|format)|biome format|dotnet format|mix format",
        ),
        Action::new(
            r"^(?:git )?commit(?: |$)|(?:and|then|stage) commit(?: |$)|(?:create|make) (?:\S+ ){0,3}commits?$",
            r"git (?:-\S+ \S+ )*commit|gt (?:create|modify)|jj commit",
        ),
        Action::new(
            r"^(?:git )?push(?: |$)|(?:and|then) push(?: |$)",
            r"git (?:-\S+ \S+ )*push|docker push|gt submit|jj git push",
        ),
        Action::new(r"^(?:git )?(?:merge|rebase)(?: |$)", r"git (?:-\S+ \S+ )*(?:merge|rebase|pull)|gh pr merge"),
        Action::new(
            r"(?:create|checkout|switch|make|start) (?:\S+ ){0,4}branch(?: |$)",
            r"git (?:-\S+ \S+ )*(?:checkout -[bB]|switch -[cC]|branch|worktree add)",
        ),
        Action::new(
            r"(?:create|open|submit|raise) (?:\S+ ){0,3}(?:pr|pull request|mr|merge request)(?: |$)",
            r"gh pr create|glab mr create|gt submit",
        ),
        Action::new(
            r"(?:^|and )install (?:\S+ ){0,4}(?:dependencies|deps|packages|requirements|prerequisites)",
            r"(?:apt|apt-get|pip3?|uv pip|uv|npm|yarn|pnpm|bun|brew|cargo|go|gem|conda|mamba|poetry|dnf|yum|apk|pacman|composer|bundle)(?: -\S+)* (?:install|add|get|i|ci|sync)|python3? -m pip install|yarn",
        ),
        Action::new(
            r"(?:^|and )(?:re-?)?deploy(?: |$)",
            r"kubectl apply|helm (?:install|upgrade)|terraform apply|(?:fly|flyctl|firebase|netlify|wrangler|serverless|sls|cdk|cap|vercel|railway|sam)(?: deploy| up)|vercel|docker(?:-compose| compose)(?: -\S+ \S+)* up|gcloud \S+ deploy|ansible-playbook|(?:make|npm|yarn|pnpm|just)(?: run)? deploy\S*|\S*deploy\S*\.(?:sh|py)",
        ),
        Action::new(
            r"^(?:re-?)?(?:run|execute) (?:\S+ ){0,4}(?:benchmarks?|bench)(?: |$)|^benchmark(?: |$)",
            r"cargo (?:\+\S+ )?(?:bench|criterion)|hyperfine|go test (?:\S+ )*-bench\S*|wrk|(?:\S+ ){0,3}\S*bench\S*",
        ),
        Action::new(
            r"(?:create|prepare|set up|setup|make|initialize) (?:\S+ ){0,4}(?:directory|directories|folder|folders|dirs)(?: |$)",
            r"mkdir",
        ),
        Action::new(
            r"(?:review|check|inspect|read|examine|verify|look at) (?:\S+ ){0,4}(?:diff|diffs|changes|changed files)(?: |$)",
            r"git (?:-\S+ \S+ )*(?:diff|show)|gh pr (?:diff|view)|gh api \S*pulls\S*",
        ),
    ]
});
static AGENTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:launch|run|spawn|dispatch|start|delegate|use|execute) (?:\S+ ){0,4}(?:sub-?)?agents?(?: |$)")
        .expect("a constant pattern compiles")
});
/// What a command prints when it has done its work: counts of passes, a commit, a pushed ref.
static PRINTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\d+ (?:tests? )?(?:passed|passing|successful)|(?m:^ok\s+\S)|--- pass|test result: ok|(?m:^ok$)|(?m:^ok \(\d)|build success|passed: +\d|tests: +\d|tests run: *\d|0 fail|all tests pass|tests pass|✓|✔|\[\S+(?: \S+)* [0-9a-f]{7,}\]|files? changed|\S+ -> \S+|finished `?\w+`? |0 issues")
        .expect("a constant pattern compiles")
});
static IDLE_STEMS: LazyLock<BTreeSet<String>> = LazyLock::new(|| Wording::of(IDLE).stems.into_iter().collect());

/// The actions that an item names.
pub(super) struct Asked {
    actions: Vec<&'static Action>,
    pub(super) agents: bool,
    /// The item says nothing but the actions.
    only: bool,
}

/// What a call shows of the actions asked for.
pub(super) struct Acted {
    /// The words of the command that show it.
    pub(super) shown: String,
    pub(super) strong: bool,
}

impl Asked {
    pub(super) fn of(wording: &Wording) -> Self {
        let text = wording.words.join(" ");
        let says_more = |word: &&String| {
            let stems = Wording::of(word).stems;
            word.len() > 2
                && is_content(word)
                && (is_parameter(word) || !stems.iter().all(|s| COMMON.contains(&s.as_str()) || IDLE_STEMS.contains(s)))
        };
        Self {
            actions: ACTIONS.iter().filter(|a| a.item.is_match(&text)).collect(),
            agents: AGENTS.is_match(&text),
            only: !wording.words.iter().any(|w| says_more(&w)),
        }
    }

    /// Whether no action is named, so that a call may bear on the item without doing one.
    pub(super) fn is_free(&self) -> bool {
        self.actions.is_empty()
    }

    /// Whether a call does what is asked for. Strong: the item says no more, and an exit code or a count was printed.
    pub(super) fn done_by(&self, call: &ToolCall, output: impl FnOnce() -> String) -> Option<Acted> {
        if self.agents && self.only && call.kind == ToolKind::Task && call.input.get("prompt").is_some() {
            return Some(Acted { shown: call.tool.to_lowercase(), strong: true });
        }
        let command = call.command()?;
        let able = self.actions.iter().filter(|a| self.only || a.also_with_more);
        let shown = able.filter_map(|a| a.command.captures(command)?.get(1)).next()?;
        let printed = call.exit_code().is_some() || PRINTED.is_match(&output());
        Some(Acted { shown: shown.as_str().to_owned(), strong: self.only && printed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    fn done(item: &str, command: &str, code: i64, output: &str) -> Option<bool> {
        let session = SessionBuilder::new().shell(command, code, output).build();
        let (_, call) = session.calls().next().unwrap();
        let asked = Asked::of(&Wording::of(item));
        asked.done_by(call, || output.to_lowercase()).map(|a| a.strong)
    }

    #[test]
    fn a_command_of_the_kind_named_does_what_the_item_asks_for() {
        for (item, command) in [
            ("Run tests to verify fixes", "cd srv && go test ./..."),
            ("Run the full test suite", "python -m pytest -q"),
            ("Make sure all tests pass", "npm run test:unit"),
            ("Test", "CI=1 npx vitest run"),
            ("Build the project", "cmake --build out"),
            ("Run linter", "cargo clippy --all"),
            ("Format the code", "gofmt -w ."),
            ("Commit the changes", "git add -A && git commit -m 'x'"),
            ("Commit and push", "git push origin HEAD"),
            ("Create a feature branch", "git checkout -b topic"),
            ("Install dependencies", "pip install -r req.txt"),
            ("Deploy", "kubectl apply -f k.yaml"),
            ("Run benchmarks", "hyperfine ./a"),
            ("Create project directory structure", "mkdir -p a/b"),
            ("Review the diff", "git diff --stat"),
            ("Clean up the folder structure", "mkdir -p src && mv *.c src/"),
        ] {
            assert_eq!(done(item, command, 0, ""), Some(true), "{item}: {command}");
        }
    }

    #[test]
    fn other_commands_and_items_that_say_more_are_not_proved_by_the_kind() {
        assert_eq!(done("Run tests", "echo go test", 0, ""), None);
        assert_eq!(done("Run tests", "cat tests.txt", 0, ""), None);
        assert_eq!(done("Write tests", "go test ./...", 0, ""), None);
        assert_eq!(done("Commit the parser", "git commit -m x", 0, ""), None);
        assert_eq!(done("Run the tests of the parser", "go test ./...", 0, ""), Some(false));
    }
}
