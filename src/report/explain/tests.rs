//! Articles on small sessions made by hand: each test stands for something that was once told wrong, or not at all.

use serde_json::json;

use super::{article, markdown};
use crate::analysis::analyse;
use crate::extract::Config;
use crate::report::engine::{Engine, Target};
use crate::session::build::SessionBuilder;
use crate::session::{CallStatus, MessageKind, MsgIx, Role, Session, ToolResult};

/// The article on the message at a position, without the messages cited.
fn told(session: Session, at: u32) -> String {
    let analysis = analyse(session, &Config::default(), true);
    let engine = Engine::new(Target::Markdown, None).unwrap();
    let made = article(&engine, &analysis, MsgIx(at)).unwrap();
    let text = markdown(&engine, &analysis, &made).unwrap();
    text.split("\n## Messages cited").next().unwrap().to_owned()
}

fn holds(text: &str, phrases: &[&str]) {
    for phrase in phrases {
        assert!(text.contains(phrase), "missing: {phrase}\n{text}");
    }
}

fn lacks(text: &str, phrases: &[&str]) {
    for phrase in phrases {
        assert!(!text.contains(phrase), "there: {phrase}\n{text}");
    }
}

/// No heading without a line below it, no row with an empty cell at its end.
fn is_whole(text: &str) {
    let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty()).collect();
    for pair in lines.windows(2) {
        assert!(!(pair[0].starts_with("## ") && pair[1].starts_with("## ")), "empty section {}\n{text}", pair[0]);
    }
    assert!(!lines.last().is_some_and(|l| l.starts_with("## ")), "{text}");
    lacks(text, &["|  |", "“”", "``  ``"]);
}

#[test]
fn a_lone_prompt_has_a_short_article() {
    let text = told(SessionBuilder::new().user("hello").build(), 0);
    is_whole(&text);
    holds(&text, &["It is the first message of the session.", "the transcript ends with it"]);
    lacks(&text, &["## What led to it", "## What followed", "## On record"]);
}

#[test]
fn a_failed_command_shows_what_it_printed() {
    let session = SessionBuilder::new()
        .user("build it")
        .assistant("I build it now.")
        .shell("make all | tail -5", 2, "cc main.c\nmain.c:4: missing brace\nmake: *** [all] Error 1")
        .merge()
        .assistant("A brace is missing.")
        .build();
    let text = told(session, 1);
    is_whole(&text);
    holds(
        &text,
        &["The call failed", "exit code 2", "main.c:4: missing brace", "What it printed:", "“A brace is missing.”"],
    );
}

#[test]
fn a_backslash_of_a_command_stays() {
    let text = told(SessionBuilder::new().user("go").shell("grep 'a\\|b' x", 0, "a").build(), 1);
    holds(&text, &["grep 'a\\\\|b' x"]);
}

#[test]
fn an_interruption_is_told_as_one() {
    let stopped = ToolResult { status: CallStatus::Interrupted, ..ToolResult::default() };
    let session = SessionBuilder::new()
        .user("measure the whole night")
        .call_with("c1", "Bash", json!({"command": "sleep 9000"}), Some(stopped))
        .text(Role::User, MessageKind::Notice, "[Request interrupted by user]")
        .user("no, stop that. use ten minutes")
        .build();
    let text = told(session.clone(), 2);
    is_whole(&text);
    holds(&text, &["an interruption by the user", "(interrupted)", "“no, stop that. use ten minutes”"]);
    lacks(&text, &["It holds 1 sentence"]);
    is_whole(&told(session, 3));
}

#[test]
fn a_command_is_named() {
    let typed = "<command-name>/compact</command-name>\n<command-args></command-args>";
    let session =
        SessionBuilder::new().user("hi").text(Role::User, MessageKind::Command, typed).assistant("Done.").build();
    let text = told(session, 1);
    is_whole(&text);
    holds(&text, &["the command `/compact`"]);
}

#[test]
fn a_question_has_its_answer() {
    let session = SessionBuilder::new()
        .user("clean up")
        .assistant("Two folders are old. Shall I delete both?")
        .user("only the first")
        .assistant("Deleted.")
        .build();
    holds(&told(session.clone(), 1), &["“Shall I delete both?”", "“only the first”", "## Asked and answered"]);
    holds(&told(session, 2), &["“Shall I delete both?”", "One reply answers it"]);
}

#[test]
fn decisions_have_their_reason_or_none() {
    let said = "Since the disk is full, I'll write to memory.\n\nI'll patch the loader instead of the kernel.";
    let text = told(SessionBuilder::new().user("go").assistant(said).build(), 1);
    holds(
        &text,
        &["## Decisions", "“write to memory” | assistant | “the disk is full”", "| not stated | “the kernel”"],
    );
}

#[test]
fn what_a_failed_check_printed_is_quoted_alone() {
    let todos = json!({"todos": [{"content": "Load it", "status": "pending", "activeForm": "x"}]});
    let session = SessionBuilder::new()
        .user("load it")
        .call("TodoWrite", todos, "ok")
        .assistant("First I check that the server is up.")
        .shell("systemctl is-active web", 3, "inactive")
        .merge()
        .build();
    holds(&told(session, 1), &["the call failed: “inactive”"]);
}

#[test]
fn a_long_list_says_how_many_are_open() {
    let items: Vec<_> =
        (0..30).map(|i| json!({"content": format!("Move part {i}"), "status": "pending", "activeForm": "x"})).collect();
    let session = SessionBuilder::new()
        .user("move")
        .call("TodoWrite", json!({"todos": items}), "ok")
        .assistant("I start.")
        .build();
    let text = told(session, 2);
    holds(&text, &["The plan had 30 open items before"]);
    lacks(&text, &["Move part 29"]);
}

#[test]
fn a_list_that_only_comes_back_creates_nothing() {
    let list = |a: &str| json!({"todos": [{"content": a, "status": "completed", "activeForm": "x"}]});
    let session = SessionBuilder::new()
        .user("move")
        .call("TodoWrite", list("Move the tables"), "ok")
        .call("TodoWrite", json!({"todos": []}), "ok")
        .call("TodoWrite", list("Move the tables"), "ok")
        .build();
    lacks(&told(session, 3), &["created here"]);
}

#[test]
fn a_lead_with_a_colon_brings_the_next_line() {
    let session = SessionBuilder::new().user("go").assistant("ok").user("more").build();
    let long = format!("Do the following:\n\n# Part one\n{}", "word ".repeat(200));
    let asked = SessionBuilder::new().user(&long).assistant("ok").build();
    holds(&told(asked, 1), &["“Do the following: # Part one”"]);
    is_whole(&told(session, 2));
}

#[test]
fn an_old_list_of_options_is_not_answered_by_a_later_plan() {
    let list = "Next steps:\n1. Raise the load of the disk\n2. Remove the debug flag\n";
    let todos = json!({"todos": [{"content": "Raise the load of the disk", "status": "pending", "activeForm": "x"}]});
    let session = |between: &[&str]| {
        let mut made = SessionBuilder::new().user("what now?").assistant(list);
        for prompt in between {
            made = made.user(prompt).assistant("ok");
        }
        made.user("go on").call("TodoWrite", todos.clone(), "ok").build()
    };
    holds(&told(session(&[]), 3), &["## Options", "selected 1 of them"]);
    lacks(&told(session(&["paint it", "ship it"]), 7), &["## Options"]);
}

#[test]
fn done_is_no_claim_worth_a_row() {
    let session = SessionBuilder::new().user("go").shell("make", 0, "ok").assistant("Added the brace.").build();
    lacks(&told(session, 2), &["## Claims"]);
}

#[test]
fn a_summary_carries_items_over_or_loses_them() {
    let item = |text: &str| json!({"content": text, "status": "pending", "activeForm": "x"});
    let session = SessionBuilder::new()
        .user("go")
        .call("TodoWrite", json!({"todos": [item("Paint the fence green"), item("Call the plumber")]}), "ok")
        .text(Role::User, MessageKind::CompactionSummary, "The fence is to be painted green.")
        .assistant("I go on.")
        .build();
    let text = told(session, 2);
    is_whole(&text);
    holds(&text, &["Most words of T1 “Paint the fence green”", "Words of T2 “Call the plumber”"]);
}
