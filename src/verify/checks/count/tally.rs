//! How many there are of something in a set of messages.

use super::super::Scene;
use super::noun::Noun;
use super::{calls, items};
use crate::extract::findings::FindingStatus;
use crate::session::{MessageKind, MsgIx, PartBody, Role};

/// A number of things, and the messages that show it.
pub(super) type Tally = (u64, Vec<MsgIx>);

/// The readings of a count over a set (empty = the whole session), each with the messages that show it; none when the
/// words are not understood.
pub(super) fn tally(scene: &Scene<'_>, noun: Noun, qualifiers: &[&str], set: &[MsgIx]) -> Vec<Tally> {
    let session = scene.world.session();
    let facts = &scene.world.analysis.facts;
    let within = |ix: MsgIx| is_in(set, ix);
    let plain = qualifiers.iter().all(|q| is_filler(q));
    let messages = |keep: &dyn Fn(MsgIx) -> bool| {
        let all: Vec<MsgIx> = session.live().map(|(ix, _)| ix).filter(|&ix| within(ix) && keep(ix)).collect();
        (all.len() as u64, all)
    };
    let message = |ix: MsgIx| session.message(ix);
    match noun {
        Noun::Message if plain => {
            let mut out = vec![messages(&|ix| session.on_main(ix)), messages(&|_| true)];
            let every: Vec<MsgIx> = session.iter().map(|(ix, _)| ix).filter(|&ix| within(ix)).collect();
            out.push((every.len() as u64, every));
            // `The user wrote ten messages.`
            let lower = scene.text().to_lowercase();
            let of =
                |(word, role): (&str, Role)| lower.contains(word).then(|| messages(&|ix| message(ix).role == role));
            out.extend([("user", Role::User), ("assistant", Role::Assistant)].into_iter().filter_map(of));
            out
        }
        Noun::PlanChange => {
            let mut msgs: Vec<MsgIx> =
                facts.plan.transitions.iter().filter(|t| t.is_change() && within(t.msg)).map(|t| t.msg).collect();
            msgs.sort();
            msgs.dedup();
            vec![counted(msgs)]
        }
        Noun::Prompt if qualifiers.contains(&"assistant") => vec![(0, Vec::new())],
        Noun::Prompt if plain => {
            // A slash command that the agent answers asks as a prompt does.
            let prompt = |ix: MsgIx| message(ix).role == Role::User && message(ix).kind == MessageKind::Prompt;
            vec![messages(&|ix| session.on_main(ix) && prompt(ix)), messages(&|ix| session.asked(ix).is_some())]
        }
        Noun::Reply if plain => {
            let reply = |ix: MsgIx| message(ix).role == Role::Assistant && message(ix).kind == MessageKind::Reply;
            vec![messages(&|ix| session.on_main(ix) && reply(ix)), messages(&reply)]
        }
        Noun::Call
        | Noun::Command
        | Noun::FileChange
        | Noun::Search
        | Noun::Agent
        | Noun::FailedCall
        | Noun::InterruptedCall
        | Noun::UnansweredCall => calls::calls(scene, noun, qualifiers, &within),
        Noun::Write | Noun::File => calls::files(scene, noun, qualifiers, &within),
        Noun::Item => {
            let mut out = items::items(scene, qualifiers, set);
            // Next steps are called items too.
            if plain && set.len() == 1 {
                out.extend(tally(scene, Noun::Option, qualifiers, set));
            }
            out
        }
        Noun::Finding if scene.text().contains(" printed ") => {
            let tools: Vec<&str> =
                super::super::code(scene.text()).into_iter().map(|r| super::super::inner(&scene.text()[r])).collect();
            let printed = facts.printed.iter().filter(|f| within(f.msg) && tools.contains(&f.tool));
            let all: Vec<_> = printed.collect();
            let first = all.iter().filter(|f| f.restates.is_none()).map(|f| f.msg).collect();
            vec![counted(all.iter().map(|f| f.msg).collect()), counted(first)]
        }
        Noun::Finding | Noun::OkPoint => {
            let level = qualifiers.iter().find(|q| q.len() == 2 && q.starts_with(['P', 'p'])).map(|q| q.to_uppercase());
            let ok = noun == Noun::OkPoint;
            if level.is_none() && !plain {
                return Vec::new();
            }
            let keep = |f: &&crate::extract::findings::Finding| {
                within(f.msg)
                    && (f.status == FindingStatus::Ok) == ok
                    && level.as_ref().is_none_or(|l| f.level.as_ref() == Some(l))
            };
            let found: Vec<_> = facts.findings.findings.iter().filter(keep).collect();
            let first = found.iter().filter(|f| f.restates.is_none()).map(|f| f.msg).collect();
            vec![counted(first), counted(found.iter().map(|f| f.msg).collect())]
        }
        Noun::Option if plain && set.len() == 1 && !facts.options.iter().any(|l| within(l.msg)) => {
            vec![(0, set.to_vec())]
        }
        Noun::Option if plain => {
            facts.options.iter().filter(|l| within(l.msg)).map(|l| (l.options.len() as u64, vec![l.msg])).collect()
        }
        Noun::Directive if plain => {
            vec![counted(facts.directives.iter().filter(|d| within(d.msg)).map(|d| d.msg).collect())]
        }
        Noun::Figure if plain => {
            let all = &facts.bench.measurements;
            let measured = |m: &&crate::extract::bench::Measurement| {
                m.role == crate::extract::bench::MeasurementRole::Measured && m.valid && within(m.msg)
            };
            let named = scene.metrics_named();
            let of_metric = |m: &&crate::extract::bench::Measurement| within(m.msg) && named.contains(&&*m.metric);
            let stated = |m: &&crate::extract::bench::Measurement| {
                m.role != crate::extract::bench::MeasurementRole::Derived && within(m.msg)
            };
            if !named.is_empty() {
                return vec![
                    counted(all.iter().filter(of_metric).filter(measured).map(|m| m.msg).collect()),
                    counted(all.iter().filter(of_metric).map(|m| m.msg).collect()),
                ];
            }
            vec![
                counted(all.iter().filter(stated).map(|m| m.msg).collect()),
                counted(all.iter().filter(measured).map(|m| m.msg).collect()),
                counted(all.iter().filter(|m| within(m.msg)).map(|m| m.msg).collect()),
                // Figures that are stated again there are given there, too.
                counted(
                    all.iter()
                        .filter(|m| within(m.msg) || m.citations.iter().any(|c| within(c.msg)))
                        .map(|m| m.msg)
                        .collect(),
                ),
            ]
        }
        Noun::Prose if plain => {
            let speaks = |p: &crate::session::Part| matches!(&p.body, PartBody::Text(t) if !t.trim().is_empty());
            vec![messages(&|ix| message(ix).parts.iter().any(speaks))]
        }
        Noun::Discrepancy => {
            let severity = qualifiers.first().map(|q| q.to_ascii_lowercase());
            let all = scene.world.analysis.discrepancies.iter();
            let kept = all.filter(|d| within(d.msg) && severity.as_deref().is_none_or(|s| d.severity.word() == s));
            let mut msgs: Vec<MsgIx> = kept.map(|d| d.msg).collect();
            msgs.sort();
            vec![counted(msgs)]
        }
        // Told of the session, not of its messages; a branch that the user left counts nowhere else.
        Noun::Thread if qualifiers == ["subagent"] => {
            vec![(session.threads.len().saturating_sub(1) as u64, Vec::new())]
        }
        Noun::Left => {
            vec![counted(session.iter().filter(|(_, m)| m.abandoned).map(|(ix, _)| ix).collect())]
        }
        Noun::Heading | Noun::Table if plain => shape_of(scene, noun, set),
        Noun::ListLine if qualifiers == ["lists"] => shape_of(scene, noun, set),
        Noun::CodeBlock if qualifiers == ["code"] => shape_of(scene, noun, set),
        Noun::Word | Noun::Sentence if plain => prose_of(scene, noun, set),
        _ => Vec::new(),
    }
}

/// Whether a message belongs to a set; the empty set is the whole session.
pub(super) fn is_in(set: &[MsgIx], ix: MsgIx) -> bool {
    set.is_empty() || set.binary_search(&ix).is_ok()
}

/// How many there are, and the messages they stand in.
pub(super) fn counted(mut msgs: Vec<MsgIx>) -> Tally {
    let n = msgs.len() as u64;
    msgs.dedup();
    (n, msgs)
}

/// Words before a noun that do not narrow it.
pub(super) fn is_filler(word: &str) -> bool {
    const FILLER: &[&str] = &[
        "a",
        "the",
        "todo",
        "plan",
        "tool",
        "new",
        "distinct",
        "different",
        "separate",
        "parallel",
        "explore",
        "exploration",
        "single",
        "more",
        "other",
        "user",
        "further",
        "item",
        "list",
        "structured",
        "of",
        "these",
        "whole",
        "audit",
        "real",
        "simple",
        "prose",
        "clear",
        "short",
    ];
    FILLER.contains(&word.to_ascii_lowercase().as_str())
}

/// What the text of the one message spoken of consists of.
fn shape_of(scene: &Scene<'_>, noun: Noun, set: &[MsgIx]) -> Vec<Tally> {
    let ((&[one], _) | (_, Some(one))) = (set, scene.subject) else { return Vec::new() };
    let shape = crate::extract::shape::shape(&scene.world.message(one).text());
    let n = match noun {
        Noun::Heading => shape.headings.len(),
        Noun::Table => shape.tables,
        Noun::CodeBlock => shape.blocks,
        _ => shape.items,
    };
    vec![(n as u64, vec![one])]
}

fn prose_of(scene: &Scene<'_>, noun: Noun, set: &[MsgIx]) -> Vec<Tally> {
    let one = match (set, scene.subject) {
        (&[one], _) => one,
        (_, Some(subject)) => subject,
        _ => return Vec::new(),
    };
    let message = scene.world.message(one);
    let count = |t: &str| match noun {
        Noun::Word => t.split_whitespace().count(),
        _ => crate::verify::article::sentences(t).len(),
    };
    let shape = crate::extract::shape::shape(&message.text());
    let told = (noun == Noun::Sentence).then_some(shape.sentences).flatten();
    let all = message.texts().map(count).sum::<usize>();
    std::iter::once(all).chain(told).map(|n| (n as u64, vec![one])).collect()
}
