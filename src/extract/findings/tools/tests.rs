use super::*;
use crate::session::build::SessionBuilder;

type Row = (&'static str, Option<&'static str>, Option<String>, String, Option<String>, Option<u32>);

fn rows(output: &str) -> Vec<Row> {
    let session = SessionBuilder::new().shell("run the tool", 1, output).build();
    let found = extract(&session);
    for f in &found {
        assert!(session.quote(&f.span).is_some_and(|q| !q.is_empty()), "{f:?}");
    }
    found.into_iter().map(|f| (f.tool, f.level, f.rule, f.title, f.file, f.line)).collect()
}

fn row(tool: &'static str, level: &'static str, rule: &str, title: &str, file: &str, line: u32) -> Row {
    let some = |s: &str| Some(s.to_owned()).filter(|s| !s.is_empty());
    (tool, Some(level).filter(|l| !l.is_empty()), some(rule), title.into(), some(file), Some(line).filter(|l| *l > 0))
}

#[test]
fn rustc_and_clippy() {
    let output = "    Checking pond v0.1.0\nwarning: unneeded `return` statement\n --> src/duck.rs:7:5\n  |\n7 |     return 3;\n  |     ^^^^^^^^\n  = note: `#[warn(clippy::needless_return)]` on by default\n\nerror[E0308]: mismatched types\n  --> src/pond.rs:21:9\n   |\n\nwarning: `pond` (lib) generated 1 warning\nerror: could not compile `pond` (lib) due to 1 previous error\n";
    assert_eq!(
        rows(output),
        [
            row("rustc", "P2", "clippy::needless_return", "unneeded `return` statement", "src/duck.rs", 7),
            row("rustc", "P1", "E0308", "mismatched types", "src/pond.rs", 21),
        ]
    );
}

#[test]
fn cargo_test_knows_the_panic() {
    let output = "running 2 tests\ntest pond::swims ... ok\ntest pond::sinks ... FAILED\n\n---- pond::sinks stdout ----\nthread 'pond::sinks' panicked at src/pond.rs:40:9:\nassertion failed\n\ntest result: FAILED. 1 passed; 1 failed\n";
    assert_eq!(rows(output), [row("cargo test", "", "", "pond::sinks", "src/pond.rs", 40)]);
}

#[test]
fn pytest_reads_its_summary() {
    let output = "=== short test summary info ===\nFAILED tests/test_pond.py::TestDuck::test_swims[a b] - assert 1 == 2\nERROR tests/test_lake.py - ImportError: no boat\n=== 1 failed, 3 passed, 1 error in 0.12s ===\n";
    assert_eq!(
        rows(output),
        [
            row("pytest", "", "", "TestDuck::test_swims[a b]", "tests/test_pond.py", 0),
            row("pytest", "", "", "tests/test_lake.py", "tests/test_lake.py", 0),
        ]
    );
}

#[test]
fn jest_counts_a_test_once() {
    let output = "FAIL src/pond.test.ts\n  ● duck › swims\n\n    expect(1).toBe(2)\n\n  ● Console\n\nSummary of all failing tests\nFAIL src/pond.test.ts\n  ● duck › swims\n\nTests:       1 failed, 4 passed, 5 total\n";
    assert_eq!(rows(output), [row("jest", "", "", "duck › swims", "src/pond.test.ts", 0)]);
}

#[test]
fn tsc_plain_and_pretty() {
    let output = "src/pond.ts(4,5): error TS2322: Type 'duck' is not assignable to type 'boat'.\nsrc/lake.ts:9:1 - error TS2304: Cannot find name 'oar'.\n";
    assert_eq!(
        rows(output),
        [
            row("tsc", "P1", "TS2322", "Type 'duck' is not assignable to type 'boat'.", "src/pond.ts", 4),
            row("tsc", "P1", "TS2304", "Cannot find name 'oar'.", "src/lake.ts", 9),
        ]
    );
}

#[test]
fn eslint_rows_belong_to_the_file_above() {
    let output = "\n/p/src/pond.js\n   3:10  error    'duck' is defined but never used  no-unused-vars\n  12:1   warning  Unexpected console statement  @scope/no-console\n\n✖ 2 problems (1 error, 1 warning)\n";
    assert_eq!(
        rows(output),
        [
            row("eslint", "P1", "no-unused-vars", "'duck' is defined but never used", "/p/src/pond.js", 3),
            row("eslint", "P2", "@scope/no-console", "Unexpected console statement", "/p/src/pond.js", 12),
        ]
    );
}

#[test]
fn go_test_names_the_place_below() {
    let output = "=== RUN   TestSwims\n--- FAIL: TestSwims (0.00s)\n    pond_test.go:12: got 1, want 2\nFAIL\nFAIL\texample.org/pond\t0.003s\n";
    assert_eq!(rows(output), [row("go test", "", "", "TestSwims", "pond_test.go", 12)]);
}

#[test]
fn scanners_name_package_and_advisory() {
    let npm = "# npm audit report\n\noars  <4.2.0\nSeverity: high\nSplinters in oars - https://github.com/advisories/GHSA-aaaa-bbbb-cccc\nfix available via `npm audit fix`\n";
    assert_eq!(rows(npm), [row("npm audit", "P1", "GHSA-aaaa-bbbb-cccc", "Splinters in oars", "oars", 0)]);
    let trivy = "│ Library │ Vulnerability │ Severity │ Title │\n│ liboar  │ CVE-2000-0001 │ CRITICAL │ liboar: leak │\n│         │ CVE-2000-0002 │          │ liboar: rot  │\n";
    assert_eq!(
        rows(trivy),
        [
            row("trivy", "P0", "CVE-2000-0001", "liboar: leak", "liboar", 0),
            row("trivy", "P0", "CVE-2000-0002", "liboar: rot", "liboar", 0),
        ]
    );
}

#[test]
fn sarif_results() {
    let output = r#"{"version": "2.1.0", "runs": [{"results": [{"ruleId": "leak", "message": {"text": "a \"leak\""}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "pond.c"}, "region": {"startLine": 5}}}]}]}]}"#;
    assert_eq!(rows(output), [row("sarif", "P2", "leak", "a \"leak\"", "pond.c", 5)]);
}

const ONE: &str = "pond.ts(4,5): error TS1: Leak.\n";

#[test]
fn printed_again_is_the_same_and_a_clean_run_closes_it() {
    let session = SessionBuilder::new()
        .shell("npx tsc", 1, ONE)
        .shell("npx tsc 2>&1 | tail -5", 1, "pond.ts(9,5): error TS1: Leak.\n")
        .shell("npx tsc -p lake", 0, "")
        .shell("npx tsc", 0, "")
        .shell("npx tsc", 1, ONE)
        .build();
    let found = extract(&session);
    let fates: Vec<_> = found.iter().map(|f| (f.restates, f.gone_msg.map(|m| m.0))).collect();
    // The second message repeats the first; another project's clean run closes nothing; what comes back is new.
    assert_eq!(fates, [(None, Some(found[0].msg.0 + 3)), (Some(0), None), (None, None)]);
}

#[test]
fn a_script_that_failed_with_findings_and_works_without_is_clean() {
    let script = "> check\n> db:generate && tsc -b\n\nclient generated\n";
    let with = format!("{script}{ONE}");
    let gone = |second: &str, exit: i64| {
        let session = SessionBuilder::new().shell("npm run check", 1, &with).shell(second, exit, script).build();
        extract(&session)[0].gone_msg.is_some()
    };
    assert!(gone("npm run check", 0));
    assert!(!gone("npm run check", 2), "it failed before the compiler ran");
    assert!(!gone("npm run build", 0), "another command");
}

#[test]
fn two_of_a_kind_in_one_file_are_two() {
    let twice = "pond.ts(4,5): error TS1: Leak.\npond.ts(8,5): error TS1: Leak.\n";
    let session = SessionBuilder::new().shell("npx tsc", 1, twice).shell("npx tsc", 1, twice).build();
    let fates: Vec<_> = extract(&session).iter().map(|f| f.restates).collect();
    assert_eq!(fates, [None, None, Some(0), Some(1)]);
}

#[test]
fn what_stands_in_a_file_is_not_found_now() {
    for command in ["cat tsc.log", "cd /p && grep error tsc.log", "git show HEAD:tsc.log"] {
        assert_eq!(extract(&SessionBuilder::new().shell(command, 0, ONE).build()), [], "{command}");
    }
    let failed = SessionBuilder::new().shell("npx tsc", 1, ONE).shell("npx tsc", 127, "").build();
    assert_eq!(extract(&failed)[0].gone_msg, None, "a tool that could not run proves nothing");
}
