use super::*;
use crate::extract::table_kinds;
use crate::session::build::SessionBuilder;
use crate::session::{MessageKind, Role};

fn of(session: &Session) -> Findings {
    extract(session, &table_kinds::extract(session))
}

fn rows(text: &str) -> Vec<(Option<String>, String, &'static str)> {
    let session = SessionBuilder::new().assistant(text).build();
    let found = of(&session).findings;
    for f in &found {
        assert_eq!(session.quote(&f.span), Some(f.title.as_str()));
    }
    found.into_iter().map(|f| (f.level, f.title, f.status.word())).collect()
}

fn row(level: &str, title: &str, status: &'static str) -> (Option<String>, String, &'static str) {
    (Some(level).filter(|l| !l.is_empty()).map(str::to_owned), title.to_owned(), status)
}

#[test]
fn reads_a_table_by_its_headers() {
    let text = "Audit:\n\n| # | Check | State | Value | Recommended | Prio |\n|--|--|--|--|--|--|\n| 1 | `swap` on | ❌ | 60 | 10 | P1 |\n| 2 | Link | ✅ | up | up | low |\n";
    assert_eq!(rows(text), [row("P1", "`swap` on", "actionable"), row("P3", "Link", "ok")]);
}

#[test]
fn reads_numbered_headings_under_a_level() {
    let text = "## Review\n\n### Critical Findings (P1) - Should Fix\n\n**1. Lock is never freed**  \n`a.rs:10`\n\n- detail\n\n**2. Hash cut short**\n\n### Nice-to-have Findings (P3)\n\n**3. Dead code**\n\n### Positive Observations\n- tests pass\n";
    assert_eq!(
        rows(text),
        [
            row("P1", "Lock is never freed", "actionable"),
            row("P1", "Hash cut short", "actionable"),
            row("P3", "Dead code", "actionable")
        ]
    );
}

#[test]
fn reads_lists_under_level_headings_and_points_in_order() {
    let text = "Audit of the host.\n\n### P0\n- Fan stopped: 0 rpm (should be 900 rpm) FAIL\n\n### Working correctly\n- Clock source\n- Link width x16\n";
    assert_eq!(
        rows(text),
        [row("P0", "Fan stopped", "actionable"), row("", "Clock source", "ok"), row("", "Link width x16", "ok")]
    );
}

#[test]
fn points_in_order_beside_a_table_are_findings() {
    let text = "Audit:\n\n| Severity | Finding | Current | Wanted |\n|--|--|--|--|\n| P0 | Swap too eager | 60 | 1 |\n\n## OK, no change needed\n\n- Clock source\n- link: up, no errors\n";
    assert_eq!(
        rows(text),
        [row("P0", "Swap too eager", "actionable"), row("", "Clock source", "ok"), row("", "link", "ok")]
    );
}

#[test]
fn reads_issues_without_levels() {
    let text = "The main issues identified:\n1. **No compiler**: the image lacks one\n2. **Old libc**: 2.17\n\nLet me check the versions:\n- libc\n";
    assert_eq!(rows(text), [row("", "No compiler", "actionable"), row("", "Old libc", "actionable")]);
}

#[test]
fn solved_problems_keep_their_own_level() {
    let text = "## P2 Findings\n1. **Loop is slow** - n squared\n\nThe two **P1 (Critical)** items we already fixed were:\n1. ✅ Sessions lost → grace period\n2. ✅ Hash cut short\n";
    assert_eq!(
        rows(text),
        [
            row("P2", "Loop is slow", "actionable"),
            row("P1", "Sessions lost", "fixed"),
            row("P1", "Hash cut short", "fixed")
        ]
    );
}

#[test]
fn what_works_under_a_critical_heading_is_in_order() {
    let text = "## 🎯 **CRITICAL FINDINGS**\n\n✅ **What Works:**\n- Core library\n\n❌ **What's Broken:**\n- **No convolution** - a stub\n";
    assert_eq!(rows(text), [row("P0", "Core library", "ok"), row("P0", "No convolution", "actionable")]);
}

#[test]
fn a_place_is_no_title() {
    let text = "Issues found:\n- **Lines 10-20**: Lock is never freed\n- **Line 5**: Hash is cut short\n";
    assert_eq!(rows(text), [row("", "Lock is never freed", "actionable"), row("", "Hash is cut short", "actionable")]);
}

#[test]
fn false_friends_give_none() {
    for text in [
        "Key findings:\n- **173× speedup**: on large input\n- **Good bandwidth**: 80 %\n",
        "Review of the bugs:\n\n1. **P1 #2** is definitely a bug\n2. **P1 #1** is also a bug\n",
        "| Review | Verdict | Key Findings |\n|--|--|--|\n| Security | ✅ APPROVE | No concerns |\n| Tests | ⚠️ CHANGE | Gaps |\n",
        "| Test | Priority |\n|--|--|\n| login works | P0 |\n| logout works | P1 |\n",
        "### User Story 1 - Sign in (Priority: P1)\n\n- As a user I sign in\n\n### User Story 2 (Priority: P2)\n- As a user I leave\n",
        "## Review template\n### CRITICAL (P1)\n- [count] issues\n- [title] in [file]\n",
        "P1 skills come first.\n\n- P1 skill patterns\n- P2 skill patterns\n- Meta skills\n",
        "Options:\n\n| Option | Description |\n|--|--|\n| A | fast |\n| B | safe |\n",
        "## Next steps\n### High priority\n1. Write the parser\n2. Add tests\n",
        "No issues found:\n- the tests pass\n- the build is clean\n",
        "Issues fixed by this change:\n\ntext only",
        "| Area | Critical | Important |\n|--|--|--|\n| Security | 0 | 1 |\n",
    ] {
        assert_eq!(rows(text), [], "{text}");
    }
}

#[test]
fn tasks_of_subagents_and_injected_text_are_not_findings() {
    let list = "Findings:\n- **[P1] Disk full** — currently 99 %, want < 80 %. FIX\n- **[P1] No swap** — currently 0, want 8 GB. FIX\n";
    let session = SessionBuilder::new()
        .call("Task", serde_json::json!({"description": "look"}), "done")
        .thread("call1", |t| t.user(list))
        .text(Role::User, MessageKind::InjectedContext, list)
        .build();
    assert_eq!(of(&session).findings, []);
}

#[test]
fn what_is_said_again_points_at_the_first() {
    let session = SessionBuilder::new()
        .assistant("Issues found:\n- **Disk is nearly full**: 99 %\n- **Swap is missing**: 0\n")
        .text(
            Role::User,
            MessageKind::CompactionSummary,
            "Issues found:\n- **Disk is nearly full**: 99 %\n- **Other thing here**: 1\n",
        )
        .build();
    let found = of(&session).findings;
    let got: Vec<_> = found.iter().map(|f| (f.title.as_str(), f.restates)).collect();
    assert_eq!(got, [("Disk is nearly full", None), ("Swap is missing", None), ("Disk is nearly full", Some(0))]);
}

#[test]
fn sets_stated_counts_against_the_list() {
    let text = "I found 3 issues:\n- **Disk full**: yes\n- **No swap**: yes\n\nThere are 2 other issues elsewhere.";
    let session = SessionBuilder::new().assistant(text).build();
    let stated = of(&session).stated;
    assert_eq!(stated.len(), 1);
    assert_eq!((stated[0].count, stated[0].listed, stated[0].what.as_str()), (3, 2, "issues"));
}

#[test]
fn a_cry_is_a_finding_with_its_level() {
    let text = "🚨 **CRITICAL FINDING!**\n\nYou are right.\n\n## **The Problem: the lamp was NEVER LIT!**\n\n1. It says so\n2. It is dark\n";
    assert_eq!(rows(text), [row("P0", "the lamp was NEVER LIT", "actionable")]);
    let line = "I looked.\n\n**MAJOR ISSUE:** the lamp burns on both ends\n\nMore.";
    assert_eq!(rows(line), [row("P1", "the lamp burns on both ends", "actionable")]);
    for none in [
        "## The problem\n\nIt is dark.\n",
        "The problem: dark\nand more\n",
        "The main problem with lamps: a study\n\nx",
    ] {
        assert_eq!(rows(none), [], "{none}");
    }
}

#[test]
fn a_ticked_list_of_deeds_holds_no_findings() {
    let text = "✅ **All feedback of the reviewer resolved:**\n- **Robust wick** - burns evenly\n- **Clean glass** - no soot\n";
    assert_eq!(rows(text), []);
}

#[test]
fn a_file_is_no_title() {
    let text = "## Issues found\n\n1. **lamp.md**: the wick is named twice\n2. **Soot on the glass**: wipe it\n";
    let titles: Vec<_> = rows(text).into_iter().map(|(_, title, _)| title).collect();
    assert_eq!(titles, ["the wick is named twice", "Soot on the glass"]);
}
