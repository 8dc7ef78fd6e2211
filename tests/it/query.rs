//! SQL: what runs, what is refused, and in which order rows come.

use serde_json::json;
use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::session::build::SessionBuilder;
use turnpoint::tables::queries::QUERIES;
use turnpoint::tables::sql::{Answer, Query};

fn made(id: &str) -> Analysis {
    let todo = |content: &str, status: &str| json!({ "content": content, "status": status, "activeForm": content });
    let mut session = SessionBuilder::new()
        .user("Fix the parser. Then run the tests.")
        .call(
            "TodoWrite",
            json!({ "todos": [todo("Fix the parser", "in_progress"), todo("Run the tests", "pending")] }),
            "ok",
        )
        .shell("cargo test", 1, "1 failed")
        .call("Read", json!({ "file_path": "src/parser.rs" }), "fn parse()")
        .shell("cargo test", 0, "2 passed")
        .call(
            "TodoWrite",
            json!({ "todos": [todo("Fix the parser", "completed"), todo("Run the tests", "completed")] }),
            "ok",
        )
        .assistant("Done.\n\n| case | throughput (tok/s) |\n|---|---|\n| A | 12.5 |\n| B | 25 |\n")
        .build();
    session.id = id.into();
    analyse(session, &Config::default(), false)
}

fn ask(sql: &str) -> Result<Answer, String> {
    let mut query = Query::new(sql).map_err(|e| e.to_string())?;
    // Not in order of id, so that the order of the result is made by the query.
    query.add(&made("two"));
    query.add(&made("one"));
    query.run().map_err(|e| e.to_string())
}

fn rows(sql: &str) -> Vec<String> {
    let answer = ask(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let mut rows = Vec::new();
    let row = |cells: &[turnpoint::tables::Value<'_>]| {
        rows.push(cells.iter().map(|c| c.to_plain().into_owned()).collect::<Vec<_>>().join(" "));
        Ok::<_, ()>(())
    };
    answer.each_row(row).expect("no writer that could fail");
    rows
}

fn error(sql: &str) -> String {
    match ask(sql) {
        Ok(answer) => panic!("{sql} gives {} rows", answer.len()),
        Err(error) => error,
    }
}

#[test]
fn what_users_ask_for_runs() {
    assert_eq!(rows("SELECT 1"), ["1"]);
    assert_eq!(rows("SELECT COUNT(*) FROM messages"), ["14"]);
    assert_eq!(rows("select 'it''s', \"role\" from messages limit 1"), ["it's assistant"]);
    assert_eq!(rows("SELECT COUNT(*) FROM tool_calls WHERE exit_code <> 0 AND output LIKE '%failed%'"), ["2"]);
    assert_eq!(rows("SELECT COUNT(DISTINCT tool) FROM tool_calls"), ["3"]);
    let sql = "WITH t AS (SELECT tool, COUNT(*) AS n FROM tool_calls GROUP BY tool) SELECT tool, n FROM t WHERE n > 3";
    assert_eq!(rows(sql), ["Bash 4", "TodoWrite 4"]);
    let sql = "SELECT t.item, c.tool FROM transitions t JOIN tool_calls c ON t.call_id = c.id \
               WHERE t.kind <> 'unchanged' AND t.session_id = 'one' ORDER BY t.msg, t.item";
    assert_eq!(rows(sql)[0], "Fix the parser TodoWrite");
    let sql = "SELECT msg, LAG(msg) OVER (PARTITION BY session_id ORDER BY msg) AS before FROM messages WHERE session_id = 'one'";
    assert_eq!(rows(sql)[..2], ["1 ", "2 1"]);
    let sql = "SELECT role FROM messages WHERE msg = 1 UNION SELECT status FROM tool_calls";
    assert_eq!(rows(sql), ["error", "ok", "user"]);
    assert_eq!(
        rows(
            "SELECT CASE WHEN value > 20 THEN 'fast' ELSE 'slow' END AS c FROM cells WHERE value IS NOT NULL AND session_id = 'one'"
        ),
        ["fast", "slow"]
    );
    assert_eq!(rows("SELECT msg FROM messages WHERE REGEXP_LIKE(text, '^Done') AND session_id = 'one'"), ["7"]);
    assert!(!ask("EXPLAIN SELECT * FROM messages").unwrap().is_empty());
    assert!(rows("SHOW TABLES").contains(&"messages".to_owned()));
}

#[test]
fn the_queries_of_the_manual_run() {
    for sql in [
        "SELECT msg, item, from_state, to_state FROM transitions WHERE kind <> 'unchanged' ORDER BY msg;",
        "SELECT metric, value, unit, limit_value, efficiency FROM efficiencies ORDER BY efficiency;",
        "SELECT f.title, f.level, c.msg FROM findings f LEFT JOIN links l ON l.to_id = f.id AND l.kind = 'acts_on' \
         LEFT JOIN tool_calls c ON c.id = l.from_id;",
    ] {
        rows(sql);
    }
    for query in QUERIES {
        rows(query.text);
        assert!(query.about().ends_with('.'), "{}", query.name);
    }
}

#[test]
fn rows_come_in_one_order() {
    let expected = ["one 1", "one 2", "one 3", "one 4", "one 5", "one 6", "one 7"];
    assert_eq!(rows("SELECT session_id, msg FROM messages")[..7], expected);
    assert_eq!(rows("SELECT session_id, msg FROM messages LIMIT 7"), expected);
    assert_eq!(rows("SELECT msg, session_id FROM messages LIMIT 2"), ["1 one", "2 one"]);
    assert_eq!(rows("SELECT tool FROM tool_calls GROUP BY tool LIMIT 1"), ["Bash"]);
    assert_eq!(rows("SELECT msg, session_id FROM messages ORDER BY msg DESC LIMIT 3"), ["7 one", "7 two", "6 one"]);
    assert_eq!(rows("SELECT session_id FROM messages ORDER BY LENGTH(text) DESC NULLS LAST LIMIT 2"), ["one", "two"]);
}

#[test]
fn columns_are_named_by_their_text() {
    let names = |sql: &str| ask(sql).unwrap().names().join("|");
    assert_eq!(names("SELECT COUNT(*) FROM messages"), "COUNT(*)");
    assert_eq!(names("SELECT 'a', 'b'"), "'a'|'b'");
    assert_eq!(
        names("SELECT tool, COUNT(*), SUM(duration_ms) FROM tool_calls GROUP BY tool"),
        "tool|COUNT(*)|SUM(duration_ms)"
    );
    assert_eq!(names("SELECT m.msg, c.msg FROM messages m JOIN tool_calls c ON c.msg = m.msg"), "msg|c.msg");
    assert_eq!(
        names("SELECT LOWER(tool), COUNT(*) FROM tool_calls GROUP BY LOWER(tool) HAVING COUNT(*) > 1"),
        "LOWER(tool)|COUNT(*)"
    );
    assert_eq!(rows("SELECT tool, COUNT(*) FROM tool_calls GROUP BY tool ORDER BY COUNT(*) DESC, tool")[0], "Bash 4");
}

#[test]
fn errors_say_what_to_write() {
    assert_eq!(error("SELECT txt FROM messages"), "no column `txt` (`text`?); `turnpoint schema` lists the columns");
    assert!(error("SELECT zzzzzz FROM messages").contains("the tables named have abandoned, at, at_ms"));
    assert!(error("SELECT * FROM mesages").starts_with("no table `mesages` (`messages`?)"));
    assert!(error("SELEC 1").starts_with("syntax error: "));
    for sql in
        ["SELECT readfile('x')", "SELECT getenv('HOME')", "SELECT load_extension('x')", "SELECT hex(zeroblob(9))"]
    {
        error(sql);
    }
}

#[test]
fn an_input_is_never_written_over_and_a_device_stays_one() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("session.json");
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/qwen-session.json");
    std::fs::copy(&fixture, &input).unwrap();
    let run = |output: &std::path::Path| {
        let mut command = assert_cmd::Command::cargo_bin("turnpoint").unwrap();
        command.arg("query").arg(&input).arg("SELECT 1 AS a").arg("-o").arg(output).assert()
    };
    run(&input).code(2).stderr(predicates::str::contains("is an input"));
    assert_eq!(std::fs::read(&input).unwrap(), std::fs::read(&fixture).unwrap());
    #[cfg(unix)]
    {
        let (link, target) = (dir.path().join("link.csv"), dir.path().join("target.csv"));
        std::fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        run(&link).success();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "a\n1\n");
        run(std::path::Path::new("/dev/null")).success();
        assert!(!std::path::Path::new("/dev/null").metadata().unwrap().is_file());
    }
}
