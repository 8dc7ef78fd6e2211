//! Decisions, assumptions and what tools printed, tied to the calls, options and messages that they name: `selects` (a
//! decision and the option it takes), `result_of` (an approval or a printed finding, and its call), `verifies` and
//! `contradicts` (a call that checks an assumption), `restates`, and `supersedes` (a message that takes a decision back, or in
//! which a command that printed a finding ran clean).

use super::{FactId, Link, LinkKind, Scene, sure};
use crate::session::{CallRef, Field, Span};

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let mut found = decisions(scene);
    found.extend(assumptions(scene));
    found.extend(printed(scene));
    found
}

/// The call whose input or output holds a span.
fn call_of(scene: &Scene<'_>, span: &Span) -> Option<FactId> {
    (span.field != Field::Text).then(|| scene.call(CallRef { msg: span.msg, part: span.part }))?
}

fn decisions(scene: &Scene<'_>) -> Vec<Link> {
    let mut found = Vec::new();
    for (i, d) in scene.facts.decisions.iter().enumerate() {
        let id = (FactId::Decision(i as u32), d.msg);
        let taken = scene.options().find(|(_, list, o)| list.msg == d.msg && o.span == d.span);
        if let Some((option, list, _)) = taken {
            found.push(sure(LinkKind::Selects, id, (FactId::Option(option), list.msg)));
        }
        if let Some(call) = call_of(scene, &d.span) {
            found.push(sure(LinkKind::ResultOf, id, (call, d.span.msg)));
        }
        if let Some(back) = d.reversed_msg {
            found.push(Link { confidence: 0.6, ..sure(LinkKind::Supersedes, (FactId::Message(back), back), id) });
        }
    }
    found
}

fn assumptions(scene: &Scene<'_>) -> Vec<Link> {
    let checked = scene.facts.assumptions.iter().enumerate().filter_map(|(i, a)| {
        let check = a.check?;
        let kind = if scene.session.call(check)?.undone() { LinkKind::Contradicts } else { LinkKind::Verifies };
        let link = sure(kind, (scene.call(check)?, check.msg), (FactId::Assumption(i as u32), a.msg));
        Some(Link { confidence: 0.6, ..link })
    });
    checked.collect()
}

fn printed(scene: &Scene<'_>) -> Vec<Link> {
    let mut found = Vec::new();
    for (i, p) in scene.facts.printed.iter().enumerate() {
        let id = (FactId::Printed(i as u32), p.msg);
        if let Some(call) = call_of(scene, &p.span) {
            found.push(sure(LinkKind::ResultOf, id, (call, p.msg)));
        }
        if let Some(first) = p.restates {
            let old = &scene.facts.printed[first as usize];
            found.push(sure(LinkKind::Restates, id, (FactId::Printed(first), old.msg)));
        }
        if let Some(gone) = p.gone_msg {
            found.push(sure(LinkKind::Supersedes, (FactId::Message(gone), gone), id));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn links(session: &crate::session::Session) -> Vec<(String, &'static str, String)> {
        let facts = extract(session, &Config::default());
        let made = link(&Scene::new(session, &facts), &[]);
        made.iter().map(|l| (l.from.show(session), l.kind.word(), l.to.show(session))).collect()
    }

    fn row(from: &str, word: &'static str, to: &str) -> (String, &'static str, String) {
        (from.to_owned(), word, to.to_owned())
    }

    #[test]
    fn a_decision_names_its_option_and_what_takes_it_back() {
        let input = json!({"questions": [{"question": "Which?", "options": [{"label": "Red"}, {"label": "Blue"}]}]});
        let session = SessionBuilder::new()
            .call("AskUserQuestion", input, "User has answered: \"Which?\"=\"Blue\"")
            .assistant("Since it is slow, I'll cache the parsed lamp table.")
            .assistant("That broke reloads. Reverting the cached parsed lamp table.")
            .build();
        assert_eq!(
            links(&session),
            [
                row("decision-1", "selects", "option-2"),
                row("decision-1", "result_of", "call-1"),
                row("msg-3", "supersedes", "decision-2")
            ]
        );
    }

    #[test]
    fn an_assumption_is_tied_to_its_check() {
        let session = SessionBuilder::new()
            .assistant("I'm assuming the cache folder is writable.")
            .shell("ls -ld /var/cache/folder # cache folder", 2, "no such folder")
            .build();
        assert_eq!(links(&session), [row("call-1", "contradicts", "assumption-1")]);
    }

    #[test]
    fn what_a_tool_printed_has_its_call_and_its_end() {
        let error = "src/a.ts(4,2): error TS2304: Cannot find name 'lamp'.\n";
        let session = SessionBuilder::new()
            .shell("npx tsc --noEmit", 2, error)
            .shell("npx tsc --noEmit", 2, error)
            .shell("npx tsc --noEmit", 0, "")
            .build();
        let found = links(&session);
        assert!(found.contains(&row("tool-finding-1", "result_of", "call-1")), "{found:?}");
        assert!(found.contains(&row("tool-finding-2", "restates", "tool-finding-1")), "{found:?}");
        assert!(found.contains(&row("msg-3", "supersedes", "tool-finding-1")), "{found:?}");
    }
}
