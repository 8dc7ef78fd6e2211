//! Reports on small sessions made by hand, checked as anybody's text is: each stands for something that was once read
//! wrong. What is changed in them must be found.

use serde_json::json;

use super::{Verdict, verify};
use crate::analysis::{Analysis, analyse};
use crate::diag::{Diag, Loc, Trouble};
use crate::extract::Config;
use crate::report::document::{Choices, document};
use crate::report::engine::{Engine, Target};
use crate::session::build::SessionBuilder;
use crate::session::{CallStatus, MessageKind, Role, Session, SourceFile, ToolResult};

fn reported(mut session: Session) -> (Analysis, String) {
    session.sources.push(SourceFile {
        file: "talk.jsonl".into(),
        digest: "0123456789abcdef".into(),
        ..Default::default()
    });
    let analysis = analyse(session, &Config::default(), true);
    let engine = Engine::new(Target::Markdown, None).unwrap();
    let text = document(&engine, &analysis, &Choices::default()).unwrap().markdown;
    (analysis, text)
}

fn contradicted(text: &str, analysis: &Analysis) -> Vec<String> {
    let found = verify(text, analysis);
    let wrong = found.statements.into_iter().filter(|s| s.verdict == Verdict::Contradicted);
    wrong.map(|s| format!("{}: {} | {}", s.line, s.reason, s.text)).collect()
}

/// The report holds these words, verifies as it is, and does not with each change made.
#[track_caller]
fn is_checked(session: Session, changes: &[(&str, &str)]) {
    let (analysis, text) = reported(session);
    assert_eq!(contradicted(&text, &analysis), [""; 0], "{text}");
    for (from, to) in changes {
        assert!(text.contains(from), "missing: {from}\n{text}");
        assert!(!contradicted(&text.replacen(from, to, 1), &analysis).is_empty(), "not found: {from} → {to}");
    }
}

fn list(items: &[(&str, &str)]) -> serde_json::Value {
    let items: Vec<_> = items.iter().map(|(text, status)| json!({"content": text, "status": status})).collect();
    json!({"todos": items})
}

#[test]
fn an_earlier_wording_stands_before_the_message_that_changed_it() {
    let session = SessionBuilder::new()
        .user("sort the shelves")
        .assistant("First a list.")
        .call("todowrite", list(&[("Sort the upper shelf by size", "pending")]), "ok")
        .merge()
        .assistant("Another name.")
        .call("todowrite", list(&[("Sort the upper shelf by colour", "in_progress")]), "ok")
        .merge()
        .build();
    is_checked(session, &[("(before: “Sort the upper shelf by size”)", "(before: “Sort the lower shelf by size”)")]);
}

#[test]
fn boxes_are_states() {
    let plan = "# Plan\n\n- [x] Draw the map\n- [ ] Walk the path\n- [ ] Mark the well\n";
    let session = SessionBuilder::new()
        .user("plan it in PLAN.md")
        .assistant("Written.")
        .call("write", json!({"filePath": "PLAN.md", "content": plan}), "ok")
        .merge()
        .assistant("Walked.")
        .call("write", json!({"filePath": "PLAN.md", "content": plan.replace("[ ] Walk", "[x] Walk")}), "ok")
        .merge()
        .build();
    is_checked(session, &[("! [[ ] → [x]] T2", "! [[ ] → [x]] T3"), ("+ [[x]] T1", "+ [[ ]] T1")]);
}

#[test]
fn what_a_tool_printed_is_no_finding_of_the_participants() {
    let printed = "src/a.ts(4,2): error TS2304: Cannot find name 'lamp'.\nsrc/b.ts(9,1): error TS2304: Cannot find name 'door'.\n";
    let session = SessionBuilder::new()
        .user("check it")
        .assistant("I check.")
        .shell("npx tsc --noEmit", 2, printed)
        .merge()
        .assistant("Two are left.")
        .build();
    is_checked(session, &[("| tsc | 2 |", "| tsc | 3 |"), ("`src/a.ts:4`", "`src/a.ts:5`")]);
}

#[test]
fn warnings_are_rows_of_their_own_and_notes_are_none() {
    let noted = |diag: fn(Trouble, Loc, &'static str) -> Diag| {
        let mut session = SessionBuilder::new().user("hello").assistant("Hello.").build();
        let loc = Loc { file: "talk.jsonl".into(), line: 7, byte: 4711 };
        session.warnings.push(diag(Trouble::ClockBack, loc, "older than the message before it"));
        session
    };
    is_checked(noted(Diag::note), &[]);
    let changes = [("| 4711 |", "| 4712 |"), ("`talk.jsonl:7`", "`talk.jsonl:8`")];
    is_checked(noted(Diag::warning), &changes);
}

#[test]
fn hidden_characters_and_pipes_are_read_as_they_were() {
    let session = SessionBuilder::new()
        .user("count the lamps\r\nin the hall, and say how many there are of each of the colours that we bought")
        .assistant("I count.")
        .shell("ls lamps | wc -l", 1, "\u{1b}[31mls: no such place as lamps\u{1b}[0m")
        .merge()
        .build();
    is_checked(session, &[("no such place as lamps", "no such place as doors")]);
}

#[test]
fn an_id_belongs_to_each_message_that_bears_it() {
    let session = SessionBuilder::new()
        .user("one")
        .edit(|m| m.native_id = Some("msg-2".into()))
        .assistant("Two words.")
        .edit(|m| m.native_id = Some("msg-1".into()))
        .text(Role::User, MessageKind::Prompt, "three")
        .edit(|m| m.native_id = Some("msg-2".into()))
        .build();
    is_checked(session, &[]);
}

#[test]
fn subagents_that_nobody_started_are_part_of_the_whole() {
    let session = SessionBuilder::new()
        .user("look about")
        .assistant("I look.")
        .shell("ls", 0, "a")
        .merge()
        .thread_unknown(|t| t.user("look there").assistant("Looking.").shell("ls there", 0, "b").merge())
        .build();
    is_checked(session, &[("2 tool calls", "3 tool calls"), ("1 subagent thread", "2 subagent threads")]);
}

#[test]
fn a_plan_that_was_refused_is_not_called_none() {
    let refused =
        ToolResult { status: CallStatus::Error, text: "The user rejected it".into(), ..ToolResult::default() };
    let session = SessionBuilder::new()
        .user("paint the fence")
        .assistant("A list first.")
        .call_with("c1", "todowrite", list(&[("Buy the paint", "pending")]), Some(refused))
        .merge()
        .assistant("Then not.")
        .build();
    is_checked(
        session,
        &[(
            "refused or never answered the one that was written: [msg 2]",
            "refused or never answered the one that was written: [msg 3]",
        )],
    );
}

#[test]
fn rows_of_tools_files_and_phases_name_their_messages() {
    let session = SessionBuilder::new()
        .user("write the notes and list the folder")
        .assistant("I write.")
        .call("write", json!({"filePath": "notes.md", "content": "one\ntwo"}), "ok")
        .merge()
        .assistant("I look.")
        .shell("ls shelf", 2, "ls: cannot access shelf")
        .merge()
        .assistant("I look again.")
        .shell("ls", 0, "notes.md")
        .merge()
        .assistant("The notes are written.")
        .build();
    let changes = [
        ("| `notes.md` | 1 |", "| `notes.md` | 2 |"),
        (
            "| 2 | 1 | 0 | 0 | [msg 3](#msg-3) | [msg 4](#msg-4) |",
            "| 2 | 1 | 0 | 0 | [msg 2](#msg-2) | [msg 4](#msg-4) |",
        ),
        ("| [msg 3](#msg-3) | `Bash` | `ls shelf`", "| [msg 4](#msg-4) | `Bash` | `ls shelf`"),
    ];
    is_checked(session, &changes);
}

#[test]
fn what_a_completion_took_is_counted_again() {
    let session = SessionBuilder::new()
        .user("sort the shelves")
        .call("todowrite", list(&[("Sort the upper shelf", "in_progress"), ("Dust the lower shelf", "pending")]), "ok")
        .shell("./sort upper", 1, "no shelf")
        .shell("./sort upper", 0, "sorted")
        .call("todowrite", list(&[("Sort the upper shelf", "completed"), ("Dust the lower shelf", "pending")]), "ok")
        .build();
    is_checked(
        session,
        &[
            ("4 msgs, 1 failed", "3 msgs, 1 failed"),
            ("pending [msg 2](#msg-2) | pending | –", "pending [msg 2](#msg-2) | pending | 4 msgs"),
        ],
    );
}
