//! `eval plan-prose [--sample | --without-tool]`: are plans that no todo tool wrote plans?
//!
//! The sheet `docs/plan-prose.tsv` holds what a reader said of each list found in sessions without a todo tool.

use std::collections::BTreeMap;

use turnpoint::extract::plan::{Plan, PlanSource, extract};
use turnpoint::session::{PartBody, Role, Session, ToolKind};

use crate::gold::Error;
use crate::sheet::{self, each_session};

const FOLDERS: &[&str] = &["corpus"];
/// Where sessions with a todo tool are, read as if they had none.
const WITH_TOOL: &[&str] = &["corpus", "labelled/todo_runs"];
/// Source of a plan in prose that is found in such a session.
const TAKEN_OUT: &str = "prose, tool taken out";

pub(crate) fn run() -> Result<(), Error> {
    if std::env::args().any(|a| a == "--without-tool") {
        each_without_tool(|session| show(session, &extract(session)));
        return Ok(());
    }
    if std::env::args().any(|a| a == "--sample") {
        each_session(FOLDERS, |session| show(&session, &extract(&session)));
        return Ok(());
    }
    let rows = sheet::rows("plan-prose.tsv")?;
    let mut tally: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut unread = 0;
    let mut seen = vec![false; rows.len()];
    let mut score = |session: &Session, found: Vec<(&'static str, String)>| {
        for (source, msg) in found {
            let is_it = |r: &Vec<String>| r[0] == session.id && r[1] == msg && r[2] == source;
            match rows.iter().position(is_it) {
                Some(at) => {
                    seen[at] = true;
                    let entry = tally.entry(source).or_default();
                    *entry = (entry.0 + u32::from(rows[at][3] == "right"), entry.1 + 1);
                }
                None => unread += 1,
            }
        }
    };
    each_session(FOLDERS, |session| score(&session, lists(&session, &extract(&session))));
    each_without_tool(|session| {
        let prose = lists(session, &extract(session)).into_iter().filter(|(source, _)| *source == "prose");
        score(session, prose.map(|(_, msg)| (TAKEN_OUT, msg)).collect());
    });
    for (source, score) in &tally {
        sheet::print(&format!("{source}: a plan of the agent"), *score);
    }
    let all = tally.values().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    sheet::print("all: precision", all);
    let missed = rows.iter().zip(&seen).filter(|(r, s)| r[3] == "missed" && !**s).count();
    let gone = rows.iter().zip(&seen).filter(|(r, s)| r[3] == "right" && !**s).count();
    println!("read and still missed: {missed}; right and not found any more: {gone}; found and not read: {unread}");
    Ok(())
}

/// Every session with a todo tool, without the calls of that tool.
fn each_without_tool(mut take: impl FnMut(&Session)) {
    each_session(WITH_TOOL, |mut session| {
        if session.calls().any(|(_, c)| c.kind == ToolKind::Plan) {
            without_tool(&mut session);
            take(&session);
        }
    });
}

/// Takes the calls of todo tools out of a session, so that its prose is read for plans.
fn without_tool(session: &mut Session) {
    for message in &mut session.messages {
        message.parts.retain(|p| !matches!(&p.body, PartBody::Call(c) if c.kind == ToolKind::Plan));
    }
}

/// Lists of other sources than a tool: source and the message that wrote each first.
fn lists(session: &Session, plan: &Plan) -> Vec<(&'static str, String)> {
    let first = |list: u32| plan.snapshots.iter().find(|s| s.list == list && s.accepted);
    let others = (0..).zip(&plan.lists).filter(|(_, l)| l.source != PlanSource::Tool);
    others.filter_map(|(n, l)| Some((l.source.word(), session.message(first(n)?.msg).label.to_string()))).collect()
}

fn show(session: &Session, plan: &Plan) {
    let todo = session.calls().filter(|(_, c)| c.kind == ToolKind::Plan).count();
    let name = session.sources.first().map(|s| s.file.as_str()).unwrap_or_default();
    println!(
        "=== {} {} {name}: {} messages, {todo} plan calls, {} lists",
        session.format,
        session.id,
        session.messages.len(),
        plan.lists.len()
    );
    if todo == 0 {
        candidates(session);
    }
    for (n, list) in (0..).zip(&plan.lists).filter(|(_, l)| l.source != PlanSource::Tool) {
        println!("  -- {} {}", list.source.word(), list.name);
        for s in plan.snapshots.iter().filter(|s| s.list == n) {
            let items: Vec<String> = s
                .items
                .iter()
                .map(|i| format!("[{}] {}", i.state, i.text.chars().take(70).collect::<String>()))
                .collect();
            println!(
                "     [msg {}] {}: {}",
                session.message(s.msg).label,
                if s.accepted { "taken" } else { "refused" },
                items.join(" | ")
            );
        }
    }
}

/// Prints the places where a reader may find a plan that was missed: numbered lists under a line that speaks of steps.
fn candidates(session: &Session) {
    for (msg, message) in session.live().filter(|(_, m)| m.role == Role::Assistant) {
        let text = message.text();
        let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
        for pair in lines.windows(3).filter(|w| {
            w[1].trim_start().starts_with("1. ") && !w[0].trim_start().starts_with(|c: char| c.is_ascii_digit())
        }) {
            let lead = pair[0].to_lowercase();
            if ["plan", "step", "next", "i'll", "i will", "todo", "going to", "let me"].iter().any(|w| lead.contains(w))
            {
                let cut = |l: &str| l.trim().chars().take(90).collect::<String>();
                println!(
                    "     ? [msg {}] {} / {} / {}",
                    session.message(msg).label,
                    cut(pair[0]),
                    cut(pair[1]),
                    cut(pair[2])
                );
            }
        }
    }
}
