//! `eval plan-evidence [--sample N] [--errors]`: is the evidence of completions evidence, and is there any by chance?
//!
//! The sheet `docs/plan-evidence.tsv` holds what a reader said of the strongest call named for each completion of a
//! sample. The negative control compares the items of each session with as many calls of another.

use std::collections::VecDeque;

use turnpoint::extract::plan::evidence::{Window, bearing, is_talk, windows};
use turnpoint::extract::plan::{Evidence, Plan, extract};
use turnpoint::session::{CallRef, Session, ToolCall};

use crate::gold::Error;
use crate::sheet::{self, Tally, each_session, spread};

type Result<T> = std::result::Result<T, Error>;

/// Folders whose sessions are read.
const FOLDERS: &[&str] = &["corpus", "labelled/todo_runs"];
/// Completions of one session in the sample, so that no session fills it.
const OF_ONE: usize = 3;
/// Sessions between that of an item and that of the calls it is held against.
const LAG: usize = 5;

/// A completion with the words a reader finds it by.
struct Completion {
    session: String,
    msg: String,
    item: String,
    text: String,
    /// Messages of the window.
    window: (u32, u32),
    evidence: Vec<Evidence>,
    unsure: bool,
}

pub(crate) fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(2).collect();
    match args.iter().position(|a| a == "--sample") {
        Some(at) => sample(args.get(at + 1).map_or(Ok(100), |n| n.parse())?)?,
        None => {
            precision(args.iter().any(|a| a == "--errors"))?;
            control(args.iter().any(|a| a == "--errors"));
        }
    }
    Ok(())
}

/// Every completion of a session that needs evidence.
fn completions(session: &Session, plan: &Plan) -> Vec<Completion> {
    let of = |(at, from): (usize, Window)| {
        let t = &plan.transitions[at];
        Completion {
            session: session.id.clone(),
            msg: session.message(t.msg).label.to_string(),
            item: t.item.map(|i| plan.items[i.at()].label.clone()).unwrap_or_default(),
            text: t.text.clone(),
            window: (from.from.0, t.msg.0),
            evidence: t.evidence.clone(),
            unsure: t.unsure,
        }
    };
    let here = |(at, _): &(usize, Window)| !plan.transitions[*at].revealed;
    windows(session, plan).into_iter().filter(here).map(of).filter(|c| !is_talk(&c.text)).collect()
}

impl Completion {
    /// What is said of its evidence.
    fn said(&self) -> &'static str {
        if self.unsure { "not known" } else { strength(&self.evidence) }
    }
}

fn strength(evidence: &[Evidence]) -> &'static str {
    match evidence.first() {
        None => "none",
        Some(e) if e.strong => "strong",
        Some(_) => "weak",
    }
}

/// Prints a sample for a reader, of what the sheet does not hold: each completion with the calls named, or, where none is
/// named, the calls passed over.
fn sample(size: usize) -> Result<()> {
    let rows = sheet::rows("plan-evidence.tsv")?;
    let is_judged = |session: &Session, c: &Completion| {
        let call = c.evidence.first().map_or("–".into(), |e| session.message(e.call.msg).label.to_string());
        rows.iter().any(|r| r[..5] == [&c.session, &c.msg, &c.item, c.said(), call.as_str()])
    };
    let mut shown: Vec<(u64, String)> = Vec::new();
    each_session(FOLDERS, |session| {
        let plan = extract(&session);
        let mut found = completions(&session, &plan);
        let key = |c: &Completion| spread(&format!("{} {} {}", c.session, c.msg, c.item));
        found.sort_by_key(key);
        let new = found.iter().take(OF_ONE).filter(|c| !is_judged(&session, c));
        shown.extend(new.map(|c| (key(c), show(&session, c))));
    });
    shown.sort();
    shown.dedup();
    shown.iter().take(size).for_each(|(_, text)| println!("{text}"));
    Ok(())
}

fn show(session: &Session, c: &Completion) -> String {
    let mut out = format!(
        "=== {}\t{}\t{}\t{}\n    {}   (messages {}..{})\n",
        c.session,
        c.msg,
        c.item,
        c.said(),
        c.text,
        c.window.0,
        c.window.1
    );
    for e in c.evidence.iter().take(3) {
        let word = if e.strong { "strong" } else { "weak" };
        let call = session.call(e.call).map(|call| line(call, 260)).unwrap_or_default();
        out.push_str(&format!("  {word} {} {:?} {call}\n", session.message(e.call.msg).label, e.shared));
    }
    if c.evidence.is_empty() {
        let within = |at: &CallRef| (c.window.0..=c.window.1).contains(&at.msg.0);
        for (at, call) in session.calls().filter(|(at, _)| within(at)).take(12) {
            out.push_str(&format!("    - {} {}\n", session.message(at.msg).label, line(call, 130)));
        }
    }
    out
}

/// A call in one line: tool, input, start of the output.
fn line(call: &ToolCall, most: usize) -> String {
    let flat =
        |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(most).collect::<String>();
    let input = call
        .command()
        .or_else(|| call.path())
        .or_else(|| call.target())
        .map_or_else(|| call.input.to_string(), str::to_owned);
    let output = call.result.as_ref().map(|r| r.text.as_str()).unwrap_or_default();
    format!(
        "{} {} ⇒ {} {}",
        call.tool,
        flat(&input),
        call.status().word(),
        flat(output).chars().take(most / 2).collect::<String>()
    )
}

/// Compares what is found now with the verdicts of the sheet. A verdict is one on the call named, so it counts while the
/// strongest evidence is still that call.
fn precision(errors: bool) -> Result<()> {
    let rows = sheet::rows("plan-evidence.tsv")?;
    let mut tally = Tally::new();
    let mut seen = vec![false; rows.len()];
    each_session(FOLDERS, |session| {
        if !rows.iter().any(|r| r[0] == session.id) {
            return;
        }
        let plan = extract(&session);
        for c in completions(&session, &plan) {
            let is_it = |r: &Vec<String>| r[0] == c.session && r[1] == c.msg && r[2] == c.item;
            let Some(at) = rows.iter().position(is_it).filter(|at| !std::mem::replace(&mut seen[*at], true)) else {
                continue;
            };
            let [.., read, call, verdict] = &rows[at][..] else { continue };
            let found = c.said();
            let named = c.evidence.first().map(|e| session.message(e.call.msg).label.to_string());
            let name = match named {
                // What is found or missed now but was not judged is not counted as right.
                _ if found != read || named.as_deref().unwrap_or("–") != call => "changed since it was read",
                _ => found,
            };
            let right = verdict == "right";
            if errors && (!right || name.starts_with("changed")) {
                println!("{verdict:6} {name} ({read} {call}) {} [msg {}] {} {}", c.session, c.msg, c.item, c.text);
            }
            let entry = tally.entry(name.to_owned()).or_default();
            *entry = (entry.0 + u32::from(right), entry.1 + 1);
        }
    });
    let of = |name: &str| tally.get(name).copied().unwrap_or_default();
    println!("{} completions in the sheet, {} found", rows.len(), seen.iter().filter(|s| **s).count());
    let (strong, weak) = (of("strong"), of("weak"));
    sheet::print("strong: bears on the item", strong);
    sheet::print("weak: bears on the item", weak);
    sheet::print("strong and weak: precision", (strong.0 + weak.0, strong.1 + weak.1));
    sheet::print("none: nothing in the window bears on the item", of("none"));
    println!("{:44} {}", "not known: nothing is said", of("not known").1);
    println!("{:44} {}", "changed since it was read", of("changed since it was read").1);
    Ok(())
}

/// Items of each session against calls of the fifth session after it (the next may be of the same task): as many calls as
/// its own window has.
fn control(errors: bool) {
    let [mut own, mut other] = [Tally::new(), Tally::new()];
    let mut waiting: VecDeque<Vec<(Completion, usize)>> = VecDeque::new();
    each_session(FOLDERS, |session| {
        let calls: Vec<(CallRef, &ToolCall)> = session.calls().collect();
        if calls.len() < 20 {
            return;
        }
        let due = if waiting.len() < LAG { Vec::new() } else { waiting.pop_front().unwrap_or_default() };
        for (c, most) in due {
            let start = spread(&format!("{} {}", c.session, c.text)) as usize % calls.len();
            let end = (start + most).min(calls.len());
            let found = bearing(&c.text, &calls[end.saturating_sub(most)..end]);
            if let Some(e) = found.first().filter(|_| errors) {
                let call = session.call(e.call).map(|call| line(call, 120)).unwrap_or_default();
                println!("by chance ({}): {} {:?} {call}", strength(&found), c.text, e.shared);
            }
            count(&mut other, &found);
        }
        let found = completions(&session, &extract(&session));
        found.iter().for_each(|c| count(&mut own, &c.evidence));
        let inside =
            |c: &Completion| calls.iter().filter(|(at, _)| (c.window.0..=c.window.1).contains(&at.msg.0)).count();
        waiting.push_back(
            found
                .into_iter()
                .map(|c| {
                    let most = inside(&c);
                    (c, most)
                })
                .collect(),
        );
    });
    println!("\nnegative control: items of one session against as many calls of another");
    for (name, tally) in [("their own session", &own), ("another session", &other)] {
        for kind in ["strong", "any"] {
            sheet::print(&format!("{kind} evidence in {name}"), tally.get(kind).copied().unwrap_or_default());
        }
    }
}

fn count(tally: &mut Tally, evidence: &[Evidence]) {
    for name in ["strong", "any"] {
        let hit = evidence.first().is_some_and(|e| e.strong || name == "any");
        let entry = tally.entry(name.to_owned()).or_default();
        *entry = (entry.0 + u32::from(hit), entry.1 + 1);
    }
}
