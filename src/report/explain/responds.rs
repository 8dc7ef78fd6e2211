//! What a reply responds to, and what a message of the user follows.

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::Subject;
use crate::extract::shape::lead;
use crate::link::{FactId, LinkKind};
use crate::session::{MessageKind, MsgIx, Role};

#[derive(Debug, Serialize)]
struct View {
    /// Prompt of a reply.
    prompt: Option<Said>,
    /// Ends of what stands between the prompt and the reply in their thread.
    between_first: Option<String>,
    between_last: Option<String>,
    /// Reply that a message of the user follows.
    reply: Option<Said>,
    /// Calls that the user stopped.
    stopped: Vec<Stopped>,
    /// Call that started the subagent whose task this is, or whose result it returns.
    caller: Option<String>,
    returns: bool,
}

#[derive(Debug, Serialize)]
struct Said {
    msg: String,
    role: &'static str,
    kind: &'static str,
    text: String,
    /// The text is the first line that says something.
    lead: bool,
}

#[derive(Debug, Serialize)]
struct Stopped {
    tool: String,
    what: String,
    msg: String,
}

/// Longer texts are represented by their leading line.
const WHOLE: usize = 600;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let m = subject.message();
    let on_main = subject.session().on_main(subject.ix);
    let is_user = m.role == Role::User && matches!(m.kind, MessageKind::Prompt | MessageKind::Notice);
    let reply = is_user.then(|| subject.before(subject.ix).find(|(_, m)| m.kind == MessageKind::Reply)).flatten();
    let thread = &subject.session().threads[m.thread.0 as usize];
    let returns = !on_main && subject.after().next().is_none();
    let opens = !on_main && subject.before(subject.ix).next().is_none();
    let between = || subject.before(subject.ix).map(|(i, _)| i).take_while(|i| subject.prompt.is_some_and(|p| *i > p));
    let view = View {
        prompt: subject.prompt.map(|p| said(subject, p)),
        between_first: between().last().map(|i| subject.name(i)),
        between_last: between().next().map(|i| subject.name(i)),
        reply: reply.map(|(i, _)| said(subject, i)),
        stopped: stopped(subject),
        caller: thread.started_by.filter(|_| returns || opens).map(|by| subject.name(by.msg)),
        returns,
    };
    let nothing = view.prompt.is_none() && view.reply.is_none() && view.stopped.is_empty() && view.caller.is_none();
    some(&view).filter(|_| !nothing)
}

fn said(subject: &Subject<'_>, ix: MsgIx) -> Said {
    let m = subject.session().message(ix);
    let text = m.text();
    let long = text.len() > WHOLE || m.role == Role::Assistant;
    let shown = if long { lead(&text).to_owned() } else { text.clone() };
    Said {
        msg: subject.name(ix),
        role: m.role.word(),
        kind: m.kind.word(),
        lead: shown.trim().len() < text.trim().len(),
        text: shown,
    }
}

fn stopped(subject: &Subject<'_>) -> Vec<Stopped> {
    let here = FactId::Message(subject.ix);
    let links = subject.analysis.links.iter().filter(|l| l.kind == LinkKind::Interrupts && l.from == here);
    let calls = links.filter_map(|l| match l.to {
        FactId::Call(c) => subject.facts().calls.get(c as usize),
        _ => None,
    });
    calls
        .filter_map(|r| {
            let call = subject.session().call(*r)?;
            let what = call.what().unwrap_or_default().to_owned();
            Some(Stopped { tool: call.tool.clone(), what, msg: subject.name(r.msg) })
        })
        .collect()
}
