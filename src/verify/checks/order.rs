//! What came first: `[msg 3] … before [msg 7]`, `the next message ([msg 8])`.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::plan::State;
use crate::link::LinkKind;
use crate::verify::{Finding, Kind};

static BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[\s,]*(?:[\w`'’-]+\s+){0,6}?(before|after|precedes|preceded|follows|followed|earlier than|later than)\s+(?:the\s+\w+\s+(?:in|of)\s+)?\(?$")
        .expect("a constant pattern")
});
static NEXT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:very next|next|following|immediately following) message\s*\(?$")
        .expect("a constant pattern")
});
static ANSWERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:follows|answers|responds to) the (?:prompt|directive|request|question)s?(?: of the user)? in (?:the )?").expect("a constant pattern")
});
static STARTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)(T\d+) was started in (?:\[msg [^\]]*\]|\s*), (before|after) (T\d+)")
        .expect("a constant pattern")
});

/// `T7 was started in [msg 9], before T6`.
fn starts(scene: &Scene<'_>) -> Option<Finding> {
    let found = STARTS.captures(scene.text())?;
    let plan = &scene.world.analysis.facts.plan;
    let started = |label: &str| {
        let item = plan.items.iter().position(|i| i.label == label)? as u32;
        let mut rows = plan.transitions.iter().filter(|t| t.item.is_some_and(|i| i.0 == item));
        rows.find(|t| t.to == State::Active || t.to == State::Done).map(|t| (t.msg, t.seq))
    };
    let (one, other) = (started(&found[1])?, started(&found[3]));
    let earlier = other.is_none_or(|o| one < o);
    Some(said(
        earlier == (&found[2] == "before"),
        format!("{} starts {} {}", &found[1], if earlier { "before" } else { "after" }, &found[3]),
    ))
}
static FOLLOWS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:it|this message) (follows|precedes)(?-u:\b)").expect("a constant pattern"));

static MEASURED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^Measured (before|after) \[msg [^\]]*\] and again (before|after) it:$").expect("a constant pattern")
});

/// `Measured before [msg 4] and again after it:`: of each row that follows one figure stands before it, the other behind.
fn measured(scene: &Scene<'_>) -> Option<Finding> {
    let found = MEASURED.captures(scene.text())?;
    let at = scene.world.find(&scene.sentence().own.first()?.first)?;
    let rows = scene.sentences[scene.at + 1..].iter().take_while(|s| s.block == crate::verify::article::Block::Row);
    let mut sides = rows.map(|s| {
        let told: Vec<_> = s.own.iter().filter_map(|r| scene.world.find(&r.first)).collect();
        told.iter().any(|ix| *ix < at) && told.iter().any(|ix| *ix >= at)
    });
    let holds = &found[1] == "before" && &found[2] == "after" && sides.all(|s| s);
    Some(said(holds, format!("the figures {} around it", if holds { "stand" } else { "do not stand" })).shown_by([at]))
}

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let mut out: Vec<Finding> = measured(scene).into_iter().collect();
    let own = &scene.sentence().own;
    let text = scene.text();
    for pair in own.windows(2) {
        let Some(word) = BETWEEN.captures(&text[pair[0].at.end..pair[1].at.start]) else { continue };
        let first_is_earlier =
            matches!(&*word[1].to_ascii_lowercase(), "before" | "precedes" | "preceded" | "earlier than");
        let holds = (pair[0].first < pair[1].first) == first_is_earlier && pair[0].first != pair[1].first;
        out.push(said(
            holds,
            format!(
                "[msg {}] comes {} [msg {}]",
                pair[0],
                if pair[0].first < pair[1].first { "before" } else { "after" },
                pair[1]
            ),
        ));
    }
    out.extend(starts(scene));
    let Some(subject) = scene.subject else { return out };
    if let Some(r) = own.iter().find(|r| ANSWERS.find(text).is_some_and(|f| r.at.start >= f.end().saturating_sub(1))) {
        let asked = scene.world.find(&r.first);
        let real = scene
            .world
            .analysis
            .links
            .iter()
            .find(|l| l.kind == LinkKind::RespondsTo && l.from_msg == subject)
            .map(|l| l.to_msg);
        if let (Some(asked), Some(real)) = (asked, real) {
            out.push(said(asked == real, format!("it follows the prompt in [msg {}]", scene.world.label(real))));
        }
    }
    for r in own {
        if NEXT.is_match(&text[..r.at.start]) {
            let mut later = scene
                .world
                .session()
                .live()
                .map(|(ix, _)| ix)
                .filter(|&ix| ix > subject && scene.world.session().on_main(ix));
            let next = later.next().map(|ix| scene.world.label(ix));
            let holds = next.as_deref() == Some(&*r.first.to_string());
            out.push(said(
                holds,
                format!("the message after [msg {}] is {}", scene.world.label(subject), next.unwrap_or_default()),
            ));
        }
    }
    if let (Some(word), Some(r)) = (FOLLOWS.captures(text), own.first()) {
        let earlier = r.first < scene.world.message(subject).label;
        out.push(said(
            earlier == word[1].eq_ignore_ascii_case("follows"),
            format!("[msg {r}] comes {}", if earlier { "before" } else { "after" }),
        ));
    }
    out
}

fn said(holds: bool, reason: String) -> Finding {
    if holds { Finding::supported(Kind::Order, reason) } else { Finding::contradicted(Kind::Order, reason) }
}
