//! Tests: what runners print, and what that makes of a claim that tests pass.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::record::Record;
use super::{Verdict, dated};
use crate::extract::claims::Claim;
use crate::extract::episodes::command::Class;
use crate::link::deeds::outcome::plainly_worked;
use crate::link::deeds::words::multi;

/// What the counts of a runner count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Tests.
    #[default]
    Tests,
    /// Packages, each with as many tests as are not told.
    Packages,
    /// Lines that say PASS or FAIL of something.
    Lines,
}

impl Unit {
    /// The words for one and for many.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Tests => ("test", "tests"),
            Self::Packages => ("package", "packages"),
            Self::Lines => ("result", "results"),
        }
    }
}

/// Tests that ran, as a runner prints them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Passed.
    pub passed: u64,
    /// Failed, or ended with an error.
    pub failed: u64,
    /// What was counted.
    pub unit: Unit,
}

/// Bytes that every runner's sum holds.
static MARKS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let marks = ["pass", "PASS", "FAIL", "fail", "Ran ", "examples,", "Tests run", "ok  \t", "not ok"];
    AhoCorasick::new(marks).expect("a few words")
});

/// Sums that a runner prints once a test binary or module: they add up.
static EACH: LazyLock<[Regex; 1]> =
    LazyLock::new(|| [multi(r"^test result: \w+\. (?P<p>\d+) passed; (?P<f>\d+) failed")]);
/// Sums that a runner prints at its end: the last one counts.
static LAST: LazyLock<[Regex; 7]> = LazyLock::new(|| {
    [
        // pytest, with or without its frame; Playwright
        multi(
            r"^[= ]*(?:\x1b\[[\d;]*m)*(?:(?P<f>\d+) failed\b)?(?:, )?(?:(?P<p>\d+) passed\b)?(?:, (?P<f2>\d+) failed\b)?(?:, \d+ (?:skipped|xfailed|xpassed|warnings?|deselected|rerun|subtests passed))*(?:, (?P<e>\d+) errors?)?(?:, \d+ warnings?)? in [\d.]+ ?m?s",
        ),
        // Jest, Vitest
        multi(
            r"^ *Tests:? +(?:(?P<f>\d+) failed(?:,| \|) *)?(?:\d+ skipped(?:,| \|) *)?(?:\d+ todo(?:,| \|) *)?(?:(?P<p>\d+) passed)?",
        ),
        multi(r"^ *Tests run: (?P<t>\d+), Failures: (?P<f>\d+), Errors: (?P<e>\d+)"),
        multi(r"^ *(?P<t>\d+) examples?, (?P<f>\d+) failures?"),
        multi(r"tests passed, (?P<f>\d+) tests? failed out of (?P<t>\d+)"),
        multi(r"^# pass (?P<p>\d+)\n# fail (?P<f>\d+)"),
        multi(r"^ +(?P<p>\d+) passing\b.*(?:\n +\d+ pending.*)?(?:\n +(?P<f>\d+) failing)?"),
    ]
});
/// The sum of many a test script, and of other programs.
static PASSED_FAILED: LazyLock<Regex> =
    LazyLock::new(|| multi(r"^\W*(?P<p>\d+) (?:tests? )?passed,? (?:and )?(?P<f>\d+) (?:tests? )?failed\b"));
static UNITTEST: LazyLock<Regex> = LazyLock::new(|| {
    multi(
        r"^Ran (?P<t>\d+) tests? in [^\n]*\n\s*(?:OK\b|FAILED \((?:failures=(?P<f>\d+))?(?:, )?(?:errors=(?P<e>\d+))?)",
    )
});
/// A test of Go at the top level, and a package.
static GO_TEST: LazyLock<Regex> = LazyLock::new(|| multi(r"^--- (?:(?P<p>PASS)|(?P<f>FAIL)): \S"));
static GO_PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
    multi(r"^(?:(?P<p>ok)[ \t]+\S+[ \t]+(?:\(cached\)|[\d.]+s)|(?P<f>FAIL)[ \t]+\S+[ \t]+(?:\[[a-z ]+\]|[\d.]+s))")
});
static LINES: LazyLock<Regex> = LazyLock::new(|| {
    multi(r"^[ \t]*(?:(?P<f>FAIL(?:ED)?:?|not ok)[ \t]+\S|(?:(?P<p>PASS(?:ED)?:?)[ \t]+\S|ok[ \t]+\d+[ \t]))")
});
/// Tests that the output of a command that names a test runner says have run.
pub(super) fn counts(text: &str) -> Option<Counts> {
    let by_script = || PASSED_FAILED.captures_iter(text).filter_map(|c| counted(&c)).last();
    summed(text).or_else(|| MARKS.is_match(text).then(|| by_script().or_else(|| by_lines(text))).flatten())
}

/// Tests that have run as the sum of a test runner says, whatever command printed it.
pub(super) fn summed(text: &str) -> Option<Counts> {
    if !MARKS.is_match(text) {
        return None;
    }
    let add = |a: Counts, b: Counts| Counts { passed: a.passed + b.passed, failed: a.failed + b.failed, ..a };
    let each = |r: &Regex| r.captures_iter(text).filter_map(|c| counted(&c)).reduce(add);
    let last = |r: &Regex| r.captures_iter(text).filter_map(|c| counted(&c)).last();
    EACH.iter().find_map(each).or_else(|| LAST.iter().find_map(last)).or_else(|| last(&UNITTEST))
}

/// What a sum counts; none where that is nothing.
fn counted(c: &regex::Captures<'_>) -> Option<Counts> {
    let number = |name: &str| c.name(name).and_then(|m| m.as_str().parse::<u64>().ok()).unwrap_or(0);
    let failed = number("f") + number("f2") + number("e");
    let total = number("t");
    let passed = if total > 0 { total.saturating_sub(failed) } else { number("p") };
    (passed + failed > 0).then_some(Counts { passed, failed, unit: Unit::Tests })
}

/// One line a test, a package, or something else that passed or failed. A package that fails without a test that does
/// was not built, or ended early: its tests are not the whole.
fn by_lines(text: &str) -> Option<Counts> {
    let sum = |lines: &Regex, unit: Unit| {
        let mut sum = Counts { unit, ..Counts::default() };
        for c in lines.captures_iter(text) {
            *(if c.name("f").is_some() { &mut sum.failed } else { &mut sum.passed }) += 1;
        }
        sum
    };
    let (tests, packages) = (sum(&GO_TEST, Unit::Tests), sum(&GO_PACKAGE, Unit::Packages));
    let whole = tests.failed > 0 || packages.failed == 0;
    let read = [tests].into_iter().filter(|_| whole).chain([packages, sum(&LINES, Unit::Lines)]);
    read.into_iter().find(|c| c.passed + c.failed > 0)
}

/// What chooses a few of the tests: one test by its name, a pattern.
static CHOSEN: LazyLock<Regex> = LazyLock::new(|| {
    multi(r"::\w|\s-run[ =]|\s-k[ =]|\s-t ['\x22]|\s--(?:grep|filter|testNamePattern|only|tests)\b|\s-D?test=")
});

/// Whether a command runs a choice of the tests.
fn is_choice(command: &str) -> bool {
    CHOSEN.is_match(command)
}

/// The verdict on tests that pass: `claimed` = how many, of how many, and whether all are meant.
pub(super) fn judge(
    record: &Record<'_>,
    claim: &Claim,
    at: usize,
    (passed, of, whole): (Option<u64>, Option<u64>, bool),
) -> Verdict {
    let mut newest: Option<(usize, Counts)> = None;
    let mut unread = false;
    for (i, seen) in record.newest(claim, at) {
        // A few tests that were chosen do not show that all pass; how many pass they do.
        if whole && passed.is_none() && is_choice(seen.command) && seen.tests.is_none_or(|t| t.failed == 0) {
            continue;
        }
        let Some(run) = seen.tests else {
            // A run whose result does not stand here: nothing older is the last word.
            let ran = newest.is_none() && seen.classes.has(Class::Test);
            if ran && plainly_worked(seen.call) && passed.is_none() {
                return dated(record, claim, (i, at), seen.tests.is_some());
            }
            unread |= ran;
            continue;
        };
        // How many packages passed says nothing of how many tests did.
        if passed.is_some() && run.unit == Unit::Packages && run.failed == 0 {
            unread = true;
            continue;
        }
        let first = newest.is_none();
        let fits = match (passed, of) {
            (Some(p), Some(m)) => run.passed == p && run.passed + run.failed == m,
            (Some(p), None) => run.passed == p,
            _ => run.failed == 0,
        };
        if fits {
            return dated(record, claim, (i, at), seen.tests.is_some());
        }
        if first {
            newest = Some((i, run));
        }
        // Older runs count only while nothing was edited after them.
        if record.since(claim, i, at, |c| c.changes).is_some() {
            break;
        }
    }
    let Some((i, run)) = newest else { return Verdict::NONE };
    let untouched = record.since(claim, i, at, |c| c.changes).is_none();
    let all = passed == of;
    let refuted = match (passed, of) {
        (Some(p), Some(m)) => (run.failed > 0 && all) || (run.passed + run.failed == m && run.passed != p),
        _ => run.failed > 0,
    };
    if refuted && whole && all_or_counted(passed, of) && !claim.hedged && untouched && !unread {
        return Verdict::contradicted(i);
    }
    Verdict::NONE
}

/// "All pass" or "n of m pass": what a single number says is not enough to be refuted.
fn all_or_counted(passed: Option<u64>, of: Option<u64>) -> bool {
    passed.is_none() || of.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_sums_of_test_runners() {
        for (text, passed, failed) in [
            ("== 5 passed, 2 failed in 3.1s ==", 5, 2),
            ("==== 1 failed, 4 passed, 2 warnings in 0.12s ====", 4, 1),
            ("12 passed in 0.5s", 12, 0),
            ("===== 1 error in 0.5s =====", 0, 0),
            ("test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: FAILED. 2 passed; 1 failed;", 5, 1),
            ("Tests:       1 failed, 5 passed, 6 total", 5, 1),
            ("      Tests  7 passed (7)", 7, 0),
            ("Ran 5 tests in 0.1s\n\nOK", 5, 0),
            ("Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=2)", 2, 3),
            ("  9 passing (20ms)\n  1 failing", 9, 1),
            ("Tests run: 8, Failures: 1, Errors: 0, Skipped: 0", 7, 1),
            ("12 examples, 0 failures", 12, 0),
            ("83% tests passed, 1 tests failed out of 6", 5, 1),
            ("# pass 4\n# fail 1", 4, 1),
            ("ok  \texample.com/a\t0.01s\nFAIL\texample.com/b\t0.02s", 1, 1),
            ("PASS a\nPASS b\nFAIL c\nPASS d\nFAIL e", 3, 2),
        ] {
            let got = counts(text).map_or((0, 0), |c| (c.passed, c.failed));
            assert_eq!(got, (passed, failed), "{text}");
        }
        for (text, passed, failed, unit) in [
            ("ok  \texample.com/a\t0.01s\nok  \texample.com/b\t(cached)", 2, 0, Unit::Packages),
            (
                "=== RUN TestA\n--- PASS: TestA (0.0s)\n    --- PASS: TestA/one (0.0s)\nPASS\nok  \tx\t0.1s",
                1,
                0,
                Unit::Tests,
            ),
            ("--- PASS: TestA (0.0s)\nFAIL\texample.com/b [build failed]", 0, 1, Unit::Packages),
            ("--- FAIL: TestA (0.0s)\nFAIL\nFAIL\texample.com/b\t0.2s", 0, 1, Unit::Tests),
            ("PASS src/one.test.ts\nFAIL src/two.test.ts", 1, 1, Unit::Lines),
            ("ok 1 - opens\nnot ok 2 - closes", 1, 1, Unit::Lines),
        ] {
            assert_eq!(counts(text), Some(Counts { passed, failed, unit }), "{text}");
        }
        assert_eq!(counts("PASS\n"), None, "a word alone counts nothing");
        assert_eq!(counts("the password failed to match"), None);
    }
}
