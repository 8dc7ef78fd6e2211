//! `turnpoint verify`: narratives checked against the fixtures.

use assert_cmd::Command;
use insta::assert_snapshot;
use serde_json::Value;

const GLM: &str = "fixtures/glm-session.json";

fn turnpoint() -> Command {
    let mut command = Command::cargo_bin("turnpoint").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn verify(text: &str, more: &[&str]) -> Command {
    let mut command = turnpoint();
    command.args(["verify", "-", "--session", GLM]).args(more).write_stdin(text);
    command
}

/// The verdicts on each sentence.
fn verdicts(text: &str) -> Vec<(String, String)> {
    let out = verify(text, &["--format", "json"]).output().unwrap();
    let json: Value = serde_json::from_slice(&out.stdout).unwrap();
    let text = |s: &Value, key: &str| s[key].as_str().unwrap().to_owned();
    json["statements"].as_array().unwrap().iter().map(|s| (text(s, "kind"), text(s, "verdict"))).collect()
}

#[track_caller]
fn holds(sentence: &str, kind: &str) {
    assert!(verdicts(sentence).contains(&(kind.into(), "supported".into())), "{sentence}: {:?}", verdicts(sentence));
    assert!(verdicts(sentence).iter().all(|v| v.1 != "contradicted"), "{sentence}: {:?}", verdicts(sentence));
}

#[track_caller]
fn fails(sentence: &str, kind: &str) {
    assert!(verdicts(sentence).contains(&(kind.into(), "contradicted".into())), "{sentence}: {:?}", verdicts(sentence));
}

#[test]
fn counts_are_counted() {
    holds("[msg 1275] writes four plan items and makes one tool call.", "count");
    fails("[msg 1275] writes five plan items.", "count");
    holds("[msg 1273] lists 21 findings: 9 at P0, 7 at P1, 5 at P2.", "count");
    fails("[msg 1273] lists 21 findings: 9 at P0, 8 at P1, 5 at P2.", "count");
    fails("[msg 1275] contains no tool calls.", "count");
    holds("[msg 1276] contains no shell calls.", "count");
}

#[test]
fn a_share_is_one_of_all() {
    holds("1 of 35 tool calls failed.", "count");
    fails("2 of 35 tool calls failed.", "count");
    fails("1 of 36 tool calls failed.", "count");
}

#[test]
fn files_lists_and_tests_are_looked_up_in_the_message_named() {
    holds("- `/root/bench/after.log`: written in [msg 1279].", "presence");
    fails("- `/root/bench/after.log`: written in [msg 1265].", "presence");
    holds("[msg 1275] creates all 4 items.", "plan");
    fails("[msg 1279] creates all 4 items.", "plan");
    fails("Priorities in [msg 1274]: T4 high.", "plan");
    fails("The `setpci` call of [msg 1277] was interrupted.", "outcome");
    let said = verdicts("All tests passed in [msg 1281].");
    assert!(said.contains(&("outcome".into(), "unverifiable".into())), "{said:?}");
}

#[test]
fn rows_of_figures_keep_their_conditions_and_what_a_change_came_to() {
    let table = |conditions: &str, speedup: &str| {
        format!(
            "| metric | conditions | before | after | change | message |\n|---|---|---|---|---|---|\n| `output_throughput` | \
             {conditions} | 141.2 tok/s | 160.3 tok/s | +13.53 %, {speedup} × as fast | [msg 1273], [msg 1282] |\n"
        )
    };
    holds(&table("concurrency 16", "1.14"), "number");
    fails(&table("concurrency 17", "1.14"), "number");
    fails(&table("concurrency 16", "1.24"), "number");
}

#[test]
fn who_calls_tools_is_the_assistant() {
    fails("In [msg 1279] the user started the benchmark.", "actor");
    fails("The user then deleted `/tmp/a.log` and the rest in [msg 1279].", "actor");
    let told = "The user had asked for it before the agent started it in [msg 1279].";
    assert!(verdicts(told).iter().all(|v| v.1 != "contradicted"), "{:?}", verdicts(told));
}

#[test]
fn what_is_said_of_numbers_without_a_noun_is_no_count() {
    for text in ["Going from 512 to 1024 added 89 lines of log.", "Three messages touched the log ([msg 1275])."] {
        assert!(verdicts(text).iter().all(|v| v.1 != "contradicted"), "{text}: {:?}", verdicts(text));
    }
}

#[test]
fn ends_of_the_session_and_of_its_spans_are_told() {
    holds("The work from [msg 1256] to [msg 1283] in runs of one phase.", "reference");
    fails("The work from [msg 1256] to [msg 1270] in runs of one phase.", "reference");
    fails("Open at the end, [msg 1270]: 2 plan items open.", "reference");
    let row = |failed: u32| {
        format!(
            "| from | up to | phase | its steps | tool calls | failed | plan changes |\n|---|---|---|---|---|---|---|\n\
             | [msg 1257] | [msg 1259] | **plan** | plan 1 | 1 | {failed} | 1 |\n"
        )
    };
    holds(&row(0), "count");
    fails(&row(1), "count");
}

#[test]
fn what_left_the_list_left_it_there_and_in_that_state() {
    let gone = |at: &str, state: &str| {
        format!(
            "Not in the list of [msg 1275] any more: T1 “Launch 10 explore agents over host, container and software” \
             ([msg {at}]), {state}."
        )
    };
    holds(&gone("1272", "done"), "plan");
    fails(&gone("1258", "done"), "plan");
    fails(&gone("1272", "pending"), "plan");
}

#[test]
fn a_word_that_stands_somewhere_does_not_show_what_is_said_around_it() {
    let article = "It ran `todowrite` twice as fast as the older tool.\n";
    let out = verify(article, &["--format", "json"]).output().unwrap();
    let json: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json["statements"][0]["only"], "`todowrite`");
    verify(article, &[]).assert().code(0).stdout(predicates::str::contains("1 supported (1 in part)"));
    verify(article, &["--strict"]).assert().code(1);
    let annotated = verify(article, &["--format", "md"]).output().unwrap();
    assert!(String::from_utf8_lossy(&annotated.stdout).contains("[~ supported in part: only "));
}

#[test]
fn a_cut_quote_ends_its_sentence() {
    let article = "# [msg 1275]\n\nIt says: “he said (and `wrote…” It makes one tool call.\n";
    let out = verify(article, &["--format", "json"]).output().unwrap();
    let json: Value = serde_json::from_slice(&out.stdout).unwrap();
    let texts: Vec<&str> = json["statements"].as_array().unwrap().iter().filter_map(|s| s["text"].as_str()).collect();
    assert!(texts.contains(&"It makes one tool call."), "{texts:?}");
}

#[test]
fn a_gap_is_no_efficiency() {
    holds("One stream reached 3.35 % efficiency ([msg 1256]), a gap of 96.65 %.", "number");
    fails("One stream reached 10.36 tok/s ([msg 1256]), a 3.35 % efficiency gap.", "number");
}

#[test]
fn figures_stand_where_they_are_said_to_stand() {
    holds("[msg 1282] gives 160.3 tok/s at concurrency 16.", "number");
    fails("[msg 1282] gives 160.3 tok/s at concurrency 64.", "number");
    fails("[msg 1282] gives 161.3 tok/s at concurrency 16.", "number");
    fails("[msg 1279] gives 160.3 tok/s.", "number");
    holds("The rate went from 10.36 tok/s to 11.9 tok/s ([msg 1283]), a gain of 14.9 %.", "number");
}

#[test]
fn quotes_stand_word_for_word_and_by_whom() {
    holds("The user wrote “check that p2p works with some manual micro bench” in [msg 1274].", "quote");
    fails("The user wrote “check whether p2p works with some micro bench” in [msg 1274].", "quote");
    fails("The assistant wrote “apply the changes runtime only for now”.", "quote");
    fails("[msg 1279] says “P2P works after the changes”.", "quote");
}

#[test]
fn plan_items_change_where_they_are_said_to_change() {
    holds("T7 was started in [msg 1279], before T6.", "plan");
    fails("T7 was started in [msg 1281].", "plan");
    fails("T7 was started in [msg 1279], after T6.", "order");
    holds("In [msg 1275] the first item is in_progress and the remaining three are pending.", "plan");
    fails("In [msg 1275] the second item is done.", "plan");
    fails("[msg 1275] updates four items.", "plan");
}

#[test]
fn actors_and_outcomes() {
    holds("The user asks in [msg 1274].", "actor");
    fails("The assistant asks in [msg 1274].", "actor");
    holds("`setpci` failed with exit code 1 in [msg 1277].", "outcome");
    fails("`setpci` failed with exit code 2 in [msg 1277].", "outcome");
}

/// Sentences of readers, true of the session: one that is called contradicted is the worst defect of all.
const TRUE: &[&str] = &[
    "The plan of the first half had three items, and all 3 were done by [msg 1272].",
    "By [msg 1281] the first two tasks were done.",
    "By the end of [msg 1279] two of the four tasks were finished.",
    "By [msg 1279] two items had been completed and one was in progress.",
    "Both P1 findings about the kernel were left alone.",
    "Both tasks that the user cares about most come last.",
    "In [msg 1274] the user named all P0 findings and both benchmarks.",
    "The two findings from the agents were dealt with after [msg 1276].",
    "All four tasks were created in a single message, [msg 1275].",
    "None of the 4 items were left open in the end.",
    "Of the four items, none was ever cancelled.",
    "When the user asked for the document ([msg 1274]), the assistant wrote one file first.",
    "At [msg 1279] two tasks had been done and the next one was just starting.",
    "In [msg 1274] no tool calls were made.",
    "Ten agents were sent out in parallel before [msg 1272].",
    "After [msg 1283] the plan was never touched again.",
    "[msg 1283] completed the last of the four items.",
    "Thirty-five tool calls were made.",
    "35 tool calls were made over the whole session, 1 of which failed.",
    "The user asked for runtime changes only in [msg 1274].",
    "The user asked for a manual micro bench in [msg 1274].",
    "The user wanted the inference benchmark rerun ([msg 1274]).",
    "The user never asked about fans.",
    "The assistant never mentioned Windows.",
    "It never used the WebFetch tool.",
    "Three more findings need a reboot than anybody fixed.",
    "The first four tasks came out of the user's one sentence.",
    "Two items later the benchmark ran.",
    "The same nine findings come up in the document.",
    "The other 12 findings are not in the plan.",
];

#[test]
fn true_sentences_in_other_words_are_not_called_contradicted() {
    let text = TRUE.join("\n\n");
    let out = verify(&text, &["--format", "json"]).output().unwrap();
    let json: Value = serde_json::from_slice(&out.stdout).unwrap();
    let all = json["statements"].as_array().unwrap();
    let wrong: Vec<&Value> = all.iter().filter(|s| s["verdict"] == "contradicted").collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let supported = all.iter().filter(|s| s["verdict"] == "supported").count();
    assert!(supported >= 18, "{supported} supported");
}

#[test]
fn the_same_with_another_fact_is_contradicted() {
    fails("By [msg 1279] three items had been completed.", "count");
    fails("By the end of [msg 1279] two of the five tasks were finished.", "count");
    fails("35 tool calls were made, 58 tool calls in all.", "count");
    fails("All five tasks were created in [msg 1275].", "count");
    fails("After [msg 1276] the plan was never touched again.", "presence");
    fails("It never used the `bash` tool.", "presence");
    fails("The user never mentioned p2p.", "presence");
}

#[test]
fn praise_motives_and_guesses_are_not_decided() {
    let text = "This was a brilliant and careful choice.\n\nThe assistant perhaps wanted to make 99 tool calls.\n";
    assert!(verdicts(text).iter().all(|v| v.1 == "unverifiable"), "{:?}", verdicts(text));
}

#[test]
fn what_is_wrong_comes_first_and_decides_the_exit_code() {
    let out = verify(
        "# On [msg 1275]\n\nIt creates five items.\n\nThe user asked for it in [msg 1274].\n\nA fine plan indeed.\n",
        &[],
    )
    .assert()
    .code(1);
    assert_snapshot!(String::from_utf8_lossy(&out.get_output().stdout));
    verify("The user asked for it in [msg 1274].", &[]).assert().code(0);
    verify("A fine plan indeed.", &[]).assert().code(0);
    verify("A fine plan indeed.", &["--strict"]).assert().code(1);
}

#[test]
fn the_annotated_article_keeps_its_text() {
    let text = "# On [msg 1275]\n\nIt creates five items. The user asked for it in [msg 1274].\n\n| item | done |\n|---|---|\n| T7 | [msg 1281] |\n";
    let out = verify(text, &["--format", "md"]).assert().code(1);
    assert_snapshot!(String::from_utf8_lossy(&out.get_output().stdout));
}

#[test]
fn messages_that_do_not_exist_are_said_first() {
    let out = verify("[msg 7] and [msg 8] are where it began.", &[]).assert().code(1);
    let text = String::from_utf8_lossy(&out.get_output().stdout).into_owned();
    assert!(text.starts_with("The article does not seem to be about this session"), "{text}");
    let out = verify("[msg 1275] follows [msg 1274] and [msg 99].", &[]).assert().code(1);
    let text = String::from_utf8_lossy(&out.get_output().stdout).into_owned();
    assert!(text.starts_with("The article names messages that do not exist in this session: 99."), "{text}");
}

#[test]
fn our_own_articles_are_not_contradicted() {
    for (session, message) in [(GLM, "1275"), (GLM, "1273"), (GLM, "1281"), ("fixtures/qwen-session.json", "6028")] {
        let article = turnpoint().args(["explain", session, message]).output().unwrap();
        let mut command = turnpoint();
        command.args(["verify", "-", "--session", session]).write_stdin(article.stdout).assert().code(0);
    }
    for session in [GLM, "fixtures/qwen-session.json"] {
        let report = turnpoint().args(["report", session, "-o", "-"]).output().unwrap();
        let mut command = turnpoint();
        command.args(["verify", "-", "--session", session]).write_stdin(report.stdout).assert().code(0);
    }
}

#[test]
fn no_text_stops_it() {
    use proptest::prelude::*;
    let pieces = [
        "[msg 1275]",
        "[msg 9",
        "“",
        "”",
        "`",
        "\n",
        "\n\n- ",
        "# ",
        "| a | b |\n|---|---|\n| T3 | ",
        " | ",
        "T3",
        "four items",
        "3.35 %",
        "gap",
        "exit code 1",
        "é",
        "→",
        "before",
        "after",
        "no tool calls",
        "user said",
        "(",
        ")",
        ".",
        ";",
        "12 of 3",
        "10 agents ([msg 1260]–[msg 1271])",
        "```\n+ [pending] T3 x\n```\n",
        "the first",
        "the last",
        "2026-02-23 10:00:61",
        "\u{202e}",
        "each",
        "all of them ended done",
    ];
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 12,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let text = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..60);
    runner
        .run(&text, |pieces| {
            let code = verify(&pieces.join(" "), &[]).output().unwrap().status.code();
            prop_assert!(matches!(code, Some(0 | 1)), "{code:?}");
            Ok(())
        })
        .unwrap();
}

/// A stream whose last line alone tells tokens.
#[test]
fn tokens_of_a_whole_session_are_looked_up_there() {
    let home = tempfile::tempdir().unwrap();
    let (stream, article) = (home.path().join("s.jsonl"), home.path().join("a.md"));
    let lines = [
        r#"{"type":"system","subtype":"init","session_id":"s"}"#,
        r#"{"type":"assistant","session_id":"s","message":{"id":"m1","model":"m-1","role":"assistant","content":[{"type":"text","text":"Done."}]}}"#,
        r#"{"type":"result","subtype":"success","session_id":"s","modelUsage":{"m-1":{"inputTokens":31,"outputTokens":4}}}"#,
    ];
    std::fs::write(&stream, lines.join("\n")).unwrap();
    for (input, code) in [(31, 0), (32, 1)] {
        std::fs::write(&article, format!("| model | input | output |\n|---|--:|--:|\n| `m-1` | {input} | 4 |\n"))
            .unwrap();
        let ran = turnpoint().arg("verify").arg(&article).arg("--session").arg(&stream).output().unwrap();
        assert_eq!(ran.status.code(), Some(code), "{}", String::from_utf8_lossy(&ran.stdout));
    }
}
