//! The opening: what was asked, done and measured, and what is open, in so few words that they stand alone.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::change::{self, Change};
use super::summary::is_reply;
use super::value::label;
use super::{Material, some};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::MeasurementRole;
use crate::link::claims::{Word, last_test_run, verdicts};
use crate::link::fate;
use crate::session::{MsgIx, Session};

/// Words of the whole opening; the quotes take what the rest leaves.
pub const WORDS: usize = 120;
/// Words of one quote.
const QUOTE: usize = 40;
/// Words that introduce the last reply, and the fewest that are worth quoting.
const ENDS_INTRO: usize = 5;
const ENDS_LEAST: usize = 8;
/// Files named; more are counted.
const NAMED: usize = 2;

#[derive(Debug, Serialize)]
pub(crate) struct Opening {
    first: Option<String>,
    last: Option<String>,
    agent: String,
    id: String,
    asked: Option<Asked>,
    done: Done,
    measured: Option<Measured>,
    /// What the agent says last; told when words are left for it.
    ends: Option<Said>,
    pub(crate) open: Open,
}

#[derive(Debug, Serialize)]
struct Asked {
    msg: String,
    text: String,
    words: usize,
    /// The last of several requests.
    last: Option<Said>,
}

#[derive(Debug, Serialize)]
struct Said {
    msg: String,
    text: String,
    words: usize,
}

#[derive(Debug, Serialize)]
struct Done {
    calls: usize,
    failed: usize,
    refused: usize,
    files: usize,
    /// The files, when they are few.
    names: Vec<String>,
    plan: Option<Progress>,
    /// The last run of tests, when none failed.
    tests: Option<Tests>,
}

#[derive(Debug, Serialize)]
struct Progress {
    items: usize,
    done: usize,
    done_elsewhere: usize,
}

#[derive(Debug, Serialize)]
struct Measured {
    figures: usize,
    first: String,
    change: Option<Change>,
    /// Quantities measured again later: how many got better, worse, neither.
    better: usize,
    worse: usize,
    level: usize,
}

/// What is left open at the end of the session, and what is not known.
#[derive(Debug, Serialize)]
pub(crate) struct Open {
    pub(crate) items: usize,
    items_msg: Option<String>,
    /// Findings that ask for something and are not known to be settled.
    pub(crate) findings: usize,
    asking: usize,
    /// Of these, calls acted on so many that are not known to be settled.
    acted: usize,
    findings_msg: Option<String>,
    findings_last: Option<String>,
    failing: Option<Tests>,
    /// The last request, when no reply follows it.
    unanswered: Option<String>,
    tests_seen: bool,
    pub(crate) claims: usize,
    pub(crate) contradicted: usize,
    pub(crate) stale: usize,
    pub(crate) unproven: usize,
    untied: usize,
    /// Of the first claim that is contradicted, else stale, else without evidence, else not known.
    claim_msg: Option<String>,
    missing: usize,
    lost: u64,
    planned: bool,
}

/// The last run of tests.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Tests {
    pub(crate) failed: u64,
    pub(crate) of: u64,
    /// What was counted: one of it, and many.
    one: &'static str,
    many: &'static str,
    msg: String,
    /// Tests ran once more there, and no count could be read.
    again: Option<String>,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let mut opening = opening(material.analysis);
    let fill = |o: &Opening| material.engine.render("sections/opening.md", &serde_json::json!({ "s": o }));
    let rest = WORDS.saturating_sub(words(&fill(&opening)?));
    let rest = share(&mut opening, rest);
    if let Some(ends) = opening.ends.as_mut().filter(|_| rest >= ENDS_INTRO + ENDS_LEAST) {
        ends.words = (rest - ENDS_INTRO).min(QUOTE);
    }
    some(opening)
}

/// Gives the words that are left to the requests, half to each when both are long; says how many are left then.
fn share(opening: &mut Opening, rest: usize) -> usize {
    let Some(asked) = &mut opening.asked else { return rest };
    let wanted = |text: &str| text.split_whitespace().take(QUOTE).count();
    let (first, last) = (wanted(&asked.text), asked.last.as_ref().map_or(0, |l| wanted(&l.text)));
    asked.words = first.min(rest.saturating_sub(last).max(rest / 2));
    let rest = rest - asked.words;
    let given = last.min(rest);
    if let Some(last) = &mut asked.last {
        last.words = given;
    }
    rest - given
}

/// Words of a piece of Markdown, as any program counts them: what stands between blanks.
pub fn words(markdown: &str) -> usize {
    let body = markdown.lines().filter(|l| !l.starts_with('#')).collect::<Vec<_>>().join(" ");
    body.split_whitespace().count()
}

/// Counts and picks what the opening tells; the quotes have no words yet.
pub(crate) fn opening(analysis: &Analysis) -> Opening {
    let session = &analysis.session;
    let on_main: Vec<MsgIx> = session.live().filter(|(ix, _)| session.on_main(*ix)).map(|(ix, _)| ix).collect();
    let name = |ix: &MsgIx| label(session, *ix);
    Opening {
        first: on_main.first().map(name),
        last: on_main.last().map(name),
        agent: session.agent.clone(),
        id: session.id.clone(),
        asked: asked(session),
        done: done(analysis),
        measured: measured(analysis),
        ends: ends(session, &on_main),
        open: open(analysis),
    }
}

fn asked(session: &Session) -> Option<Asked> {
    let asks: Vec<_> = session.asks().map(|(ix, text)| (label(session, ix), text.into_owned())).collect();
    let (first, rest) = asks.split_first()?;
    let said = |(msg, text): &(String, String)| Said { msg: msg.clone(), text: text.clone(), words: 0 };
    let last = rest.last().map(said);
    Some(Asked { msg: first.0.clone(), text: first.1.clone(), words: 0, last })
}

fn ends(session: &Session, on_main: &[MsgIx]) -> Option<Said> {
    let ix = *on_main.iter().rev().find(|ix| is_reply(session, **ix))?;
    Some(Said { msg: label(session, ix), text: session.message(ix).text(), words: 0 })
}

fn done(analysis: &Analysis) -> Done {
    let session = &analysis.session;
    let calls = || session.calls().filter(|(at, _)| !session.message(at.msg).abandoned);
    let files: BTreeSet<&str> =
        analysis.facts.artefacts.iter().filter(|a| !a.written.is_empty()).map(|a| a.path.as_str()).collect();
    let plan = analysis.facts.plan.figures();
    Done {
        calls: calls().count(),
        failed: calls().filter(|(_, c)| c.failed()).count(),
        refused: calls().filter(|(_, c)| c.refused()).count(),
        names: files.iter().take(if files.len() > NAMED { 0 } else { NAMED }).map(|f| f.to_string()).collect(),
        files: files.len(),
        tests: tests(session).filter(|t| t.failed == 0),
        plan: (plan.changes > 0).then_some(Progress {
            items: plan.items,
            done: plan.done,
            done_elsewhere: plan.done_elsewhere,
        }),
    }
}

fn measured(analysis: &Analysis) -> Option<Measured> {
    let all = analysis.facts.bench.measurements.iter().filter(|m| m.role == MeasurementRole::Measured);
    let msgs: Vec<MsgIx> = all.map(|m| m.msg).collect();
    let first = msgs.first()?;
    let changes = change::changes(analysis);
    let count = |word: &str| changes.iter().filter(|c| c.verdict == word).count();
    Some(Measured {
        figures: msgs.len(),
        first: label(&analysis.session, *first),
        better: count("better"),
        worse: count("worse"),
        level: count("level"),
        change: change::headline(changes),
    })
}

pub(crate) fn tests(session: &Session) -> Option<Tests> {
    let run = last_test_run(session)?;
    let (one, many) = run.counts.unit.words();
    Some(Tests {
        failed: run.counts.failed,
        of: run.counts.passed + run.counts.failed,
        one,
        many,
        msg: label(session, run.msg),
        again: run.again.map(|ix| label(session, ix)),
    })
}

/// The last request, when the agent says nothing after it.
fn unanswered(session: &Session) -> Option<MsgIx> {
    let (asked, _) = session.asks().last()?;
    let replied = session.live().any(|(ix, _)| ix > asked && session.on_main(ix) && is_reply(session, ix));
    (!replied).then_some(asked)
}

fn open(analysis: &Analysis) -> Open {
    let Analysis { session, facts, links, .. } = analysis;
    let name = |ix: MsgIx| label(session, ix);
    let plan = &facts.plan;
    let found = &facts.findings.findings;
    let asking: Vec<_> = found.iter().zip(fate::findings(facts, links)).filter(|(f, _)| fate::asks(f)).collect();
    let judged = verdicts(facts, links);
    let claims: Vec<_> = facts.claims.iter().zip(&judged).filter(|(c, _)| !session.message(c.msg).abandoned).collect();
    let count = |word: Word| claims.iter().filter(|(_, v)| v.word == word).count();
    let first = |word: Word| claims.iter().find(|(_, v)| v.word == word).map(|(c, _)| name(c.msg));
    let tests = tests(session);
    Open {
        items: plan.open_items().count(),
        items_msg: plan.open_items().map(|(ix, _)| plan.last_change(ix)).max().map(name),
        findings: asking.iter().filter(|(f, fate)| fate::is_open(f, *fate)).count(),
        asking: asking.len(),
        acted: asking.iter().filter(|(_, fate)| fate.is_some_and(|f| f.word == fate::ACTED)).count(),
        findings_msg: asking.first().map(|(f, _)| name(f.msg)),
        findings_last: asking.last().map(|(f, _)| name(f.msg)),
        tests_seen: tests.is_some(),
        failing: tests.filter(|t| t.failed > 0),
        unanswered: unanswered(session).map(name),
        claims: claims.len(),
        contradicted: count(Word::Contradicted),
        stale: count(Word::Stale),
        unproven: count(Word::NoEvidence),
        untied: count(Word::NotKnown),
        claim_msg: [Word::Contradicted, Word::Stale, Word::NoEvidence, Word::NotKnown].into_iter().find_map(first),
        missing: session.calls().filter(|(at, c)| c.result.is_none() && !session.message(at.msg).abandoned).count(),
        lost: session.sources.iter().map(|s| s.bytes_skipped).sum(),
        planned: !plan.snapshots.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::analyse;
    use crate::extract::Config;
    use crate::report::document::{Choices, document};
    use crate::report::engine::{Engine, Target};
    use crate::session::build::SessionBuilder;

    /// The opening of a session's report.
    fn told(session: Session) -> String {
        let engine = Engine::new(Target::Markdown, None).unwrap();
        let doc = document(&engine, &analyse(session, &Config::default(), false), &Choices::default()).unwrap();
        let text = doc.markdown.split("## Summary").nth(1).unwrap().split("\n## ").next().unwrap().to_owned();
        text.split("\n### ").next().unwrap().trim().to_owned()
    }

    #[test]
    fn findings_failing_tests_and_claims_count_as_open() {
        let text = told(
            SessionBuilder::new()
                .user("look at the parser")
                .assistant("## Findings\n\n| # | level | finding | current | wanted |\n|---|---|---|---|---|\n| 1 | P1 | stack too small | 4 | 8 |\n| 2 | P1 | cache too cold | 1 | 2 |")
                .shell("pytest", 1, "=== 2 failed, 5 passed in 0.1s ===")
                .assistant("All 7 tests pass.")
                .build(),
        );
        for says in ["2 of the 2 findings of", "2 of 7 tests failed", "1 claim contradicted", "no plan recognised"] {
            assert!(text.contains(says), "{says}: {text}");
        }
    }

    #[test]
    fn a_request_without_a_reply_and_tests_that_passed_are_told() {
        let text = told(
            SessionBuilder::new()
                .user("fix the parser")
                .shell("pytest", 0, "=== 7 passed in 0.1s ===")
                .assistant("Done.")
                .user("now the printer")
                .build(),
        );
        assert!(text.contains("7 of 7 tests passed in the last run"), "{text}");
        assert!(text.contains("no reply to the last request, [msg "), "{text}");
    }

    #[test]
    fn a_long_request_is_cut_to_the_words_that_are_left() {
        let long = "word ".repeat(400);
        let text = told(SessionBuilder::new().user(&long).assistant("a").user(&long).assistant("b").build());
        assert!((60..=WORDS).contains(&words(&text)), "{} words: {text}", words(&text));
    }

    #[test]
    fn nothing_is_open_only_when_nothing_is() {
        let text = told(SessionBuilder::new().user("hello").assistant("Hello.").build());
        assert!(
            text.contains("no plan and no test results recognised") && !text.contains("claim contradicted"),
            "{text}"
        );
    }
}
