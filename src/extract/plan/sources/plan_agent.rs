//! OpenCode's plan agent: what it plans in a file of its own or in a reply counts once the user lets the work begin,
//! by answering `plan_exit` or by going on with another agent.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::files::{self, Known};
use super::steps::{self, Step};
use super::{Scope, base_name, checklist};
use crate::session::{CallRef, CallStatus, Field, Message, MessageKind, PartBody, Role, ThreadIx, ToolCall};

/// Files that only the plan agent writes.
static PLAN_FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[/\\])\.?opencode[/\\](?:data[/\\])?plans[/\\][^/\\]+\.md$").expect("a constant pattern compiles")
});
/// A heading, or a line in bold, above the plan.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?im)^(?:#{1,4}\s+|\*\*)(?:\W*\w+ ){0,3}?(?:plan|next steps|steps)(?: of action)?(?:[ :(–—-].{0,60})?$",
    )
    .expect("as above")
});
/// A line that says what will be done: "Once you agree, I'll do this:", "Changes the plan makes:".
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:(?:i|we)(?:'ll|’ll| will| would|'d|’d|'m going to| am going to| are going to) |(?:my|the|our|this) (?:\w+ )?plan(?-u:\b)).*:\W*$")
        .expect("as above")
});
/// A line that asks for something, weighs something, or says what will not be done.
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:not|n't|need|needs|want me|ask|options?|choose|pick|either|questions?|confirm|assum\w+|recommend\w*)(?-u:\b)|n't|n’t|\?")
        .expect("as above")
});

/// A plan that the user let be carried out, or refused.
pub(super) struct Proposal {
    pub(super) steps: Vec<Step>,
    /// Where the text of the steps stands; `None` where several edits made it.
    pub(super) text: Option<(CallRef, Field)>,
    pub(super) accepted: bool,
}

/// What the plan agent of one thread has proposed since it was called.
#[derive(Default)]
struct Planning {
    active: bool,
    /// In a reply.
    said: Option<(CallRef, Vec<Step>)>,
    /// In a file, by its last write.
    written: Option<(CallRef, String)>,
}

/// The plans of plan agents, by the part at which each counts.
pub(super) fn proposals(scope: &Scope<'_>) -> BTreeMap<CallRef, Proposal> {
    let mut found = Finder { scope, files: BTreeMap::new(), threads: BTreeMap::new(), out: BTreeMap::new() };
    if scope.session.agent == "opencode" {
        for (msg, message) in scope.session.live() {
            found.message(message, |part| CallRef { msg, part });
        }
    }
    found.out
}

struct Finder<'a> {
    scope: &'a Scope<'a>,
    /// Plan files as the calls leave them, with the one write that made all of it.
    files: BTreeMap<String, (Known, Option<(CallRef, Field)>)>,
    threads: BTreeMap<ThreadIx, Planning>,
    out: BTreeMap<CallRef, Proposal>,
}

impl Finder<'_> {
    fn message(&mut self, message: &Message, at: impl Fn(u32) -> CallRef) {
        use MessageKind::{InjectedContext, Prompt, Reply, SyntheticContinuation};
        if !matches!(message.kind, Prompt | Reply | InjectedContext | SyntheticContinuation) {
            return;
        }
        let thread = message.thread;
        match message.mode.as_deref() {
            Some("plan") => self.threads.entry(thread).or_default().active = true,
            Some(_) => self.leave(thread),
            None => {}
        }
        for (n, part) in (0..).zip(&message.parts) {
            match &part.body {
                PartBody::Injected(text) => self.reminded(thread, text),
                PartBody::Text(text) if message.kind == InjectedContext => self.reminded(thread, text),
                PartBody::Text(text) if message.role == Role::Assistant => self.said(thread, text, at(n)),
                PartBody::Call(call) => self.called(thread, call, at(n)),
                _ => {}
            }
        }
    }

    /// The program says that the mode has changed.
    fn reminded(&mut self, thread: ThreadIx, text: &str) {
        let has = |words: [&str; 2]| words.iter().any(|w| text.contains(w));
        if has(["operational mode has changed from plan to build", "has been approved, you can now edit files"]) {
            self.leave(thread);
        } else if has(["Plan mode is active", "Plan mode ACTIVE"]) {
            self.threads.entry(thread).or_default().active = true;
        }
    }

    fn said(&mut self, thread: ThreadIx, text: &str, at: CallRef) {
        if let Some(planning) = self.threads.get_mut(&thread).filter(|p| p.active)
            && let Some(steps) = of_reply(text)
        {
            planning.said = Some((at, steps));
        }
    }

    fn called(&mut self, thread: ThreadIx, call: &ToolCall, at: CallRef) {
        match base_name(&call.tool).as_str() {
            "planenter" if call.status() == CallStatus::Ok => self.threads.entry(thread).or_default().active = true,
            "planexit" => self.exit(thread, call, at),
            _ if self.scope.accepted(call) && !call.undone() => self.edited(thread, call, at),
            _ => {}
        }
    }

    fn edited(&mut self, thread: ThreadIx, call: &ToolCall, at: CallRef) {
        for (path, change) in files::written(call).into_iter().filter(|(path, _)| PLAN_FILE.is_match(path)) {
            let (known, place) =
                self.files.entry(path.to_owned()).or_insert_with(|| (Known::before(&change, thread), None));
            known.apply(&change);
            let whole = call.input.get("content").and_then(Value::as_str) == Some(&known.content);
            *place = whole.then(|| (at, Field::Input("/content".into())));
            self.threads.entry(thread).or_default().written = Some((at, path.to_owned()));
        }
    }

    /// The agent asks whether the work may begin.
    fn exit(&mut self, thread: ThreadIx, call: &ToolCall, at: CallRef) {
        let accepted = self.scope.accepted(call);
        if let Some((_, proposal)) = self.proposal(thread) {
            self.out.insert(at, Proposal { accepted, ..proposal });
        }
        if accepted {
            self.threads.remove(&thread);
        }
    }

    /// Another agent goes on: what was proposed last is what it was called for.
    fn leave(&mut self, thread: ThreadIx) {
        if let Some((at, proposal)) = self.proposal(thread) {
            self.out.insert(at, proposal);
        }
        self.threads.remove(&thread);
    }

    /// What was proposed last, with the part that did: a file goes before a reply, which tells of it. Where the file holds
    /// boxes, its edits are the plan.
    fn proposal(&self, thread: ThreadIx) -> Option<(CallRef, Proposal)> {
        let planning = self.threads.get(&thread).filter(|p| p.active)?;
        if let Some((at, path)) = &planning.written {
            let (known, place) = self.files.get(path)?;
            let has_boxes = !checklist::boxes(&known.content).is_empty();
            let steps = if has_boxes { Vec::new() } else { steps::of_plan(&known.content) };
            return Some((*at, Proposal { steps, text: place.clone(), accepted: true }));
        }
        let (at, steps) = planning.said.clone()?;
        Some((at, Proposal { steps, text: Some((at, Field::Text)), accepted: true }))
    }
}

/// The steps of a reply of the plan agent, where it says that they are its plan: those below a heading, else the list
/// below a line that says what will be done.
fn of_reply(text: &str) -> Option<Vec<Step>> {
    let below = HEADING.find_iter(text).map(|found| steps::of_part(text, found.end()..text.len()));
    let told = || {
        let announced = |list: &Vec<Step>| {
            let lead = super::told::lead_in(text, list[0].at.0);
            lead.is_some_and(|l| LEAD.is_match(l) && !OTHER.is_match(l)) && super::told::to_do(list)
        };
        steps::lists(text).into_iter().find(|l| (2..=20).contains(&l.len()) && announced(l))
    };
    below.into_iter().find(|s| s.len() >= 2).or_else(told)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::extract::plan::{Plan, PlanSource, extract};
    use crate::session::build::SessionBuilder;
    use crate::session::{Session, ToolResult};

    /// A session of OpenCode, with the agent that each message names.
    fn plan(builder: SessionBuilder, modes: &[&str]) -> (Session, Plan) {
        let mut session = builder.build();
        session.agent = "opencode".into();
        for (message, mode) in session.messages.iter_mut().zip(modes).filter(|(_, m)| !m.is_empty()) {
            message.mode = Some((*mode).to_owned());
        }
        let plan = extract(&session);
        (session, plan)
    }

    fn rows((session, plan): &(Session, Plan)) -> Vec<String> {
        let label =
            |t: &crate::extract::plan::Transition| t.item.map_or("list", |i| &plan.items[i.at()].label).to_owned();
        let row = |t| (session.message(t).label.clone(), t);
        let changes = plan.transitions.iter().filter(|t| t.is_change());
        changes.map(|t| format!("{} {} {}", row(t.msg).0, label(t), t.kind)).collect()
    }

    const REPLY: &str = "The pond leaks at the seam.\n\nOnce you agree, I'll do this in the garden:\n\
        - Clean the pond.\n- Fix the seam with tar.\n- Test the pond.\n\nWhich tar do you have?";

    #[test]
    fn what_the_plan_agent_says_counts_once_another_agent_goes_on() {
        let talk = || SessionBuilder::new().user("mend the pond").assistant(REPLY);
        assert!(rows(&plan(talk(), &["plan", "plan"])).is_empty(), "nobody has let it begin");
        assert!(rows(&plan(talk().user("go"), &["plan", "plan", "plan"])).is_empty());
        assert!(rows(&plan(talk().user("go"), &["build", "build", "build"])).is_empty(), "no plan agent spoke");
        let found = plan(
            talk().user("go").assistant("✅ Clean the pond\n").shell("test pond", 0, ""),
            &["plan", "plan", "build", "build", "build"],
        );
        assert_eq!(
            rows(&found),
            ["2 T1 created-pending", "2 T2 created-pending", "2 T3 created-pending", "4 T1 completed-without-start"]
        );
        assert_eq!(found.1.lists[0].source, PlanSource::PlanMode);
        assert_eq!(found.1.snapshots[0].certainty, 0.7);
    }

    #[test]
    fn only_steps_that_the_reply_calls_its_plan_count() {
        let of = |text: &str| of_reply(text).map_or(0, |s| s.len());
        assert_eq!(of("## Plan\n\n1. **Clean** the pond\n2. Fix the seam\n3. Test it\n"), 3);
        assert_eq!(of("**Implementation plan:**\n\n### Phase 1: Clean\n\ntext\n\n### Phase 2: Fix\n"), 2);
        assert_eq!(of("Here is what I found:\n1. Clean the pond\n2. Fix the seam\n"), 0);
        assert_eq!(of("I'll need from you:\n- Buy the tar\n- Send the bill\n"), 0);
        assert_eq!(of("I'll do one of these, pick one:\n1. Clean the pond\n2. Test the pond\n"), 0);
        assert_eq!(of("I'll touch:\n- `pond.md`\n- `seam.md`\n"), 0);
    }

    #[test]
    fn the_plan_file_counts_where_the_user_approves_it() {
        let text = "# Pond\n\n1. Clean the pond\n2. Fix the seam\n";
        let input = json!({"filePath": "/home/a/.local/share/opencode/plans/17-pond.md", "content": text});
        let refused = ToolResult { status: CallStatus::Error, text: "dismissed".into(), ..ToolResult::default() };
        let session = SessionBuilder::new()
            .user("mend the pond")
            .call("write", input, "Wrote file successfully.")
            .call_with("x", "plan_exit", json!({}), Some(refused))
            .call(
                "edit",
                json!({"filePath": "/home/a/.local/share/opencode/plans/17-pond.md",
                "oldString": "Fix the seam\n", "newString": "Fix the seam\n3. Test the pond\n"}),
                "ok",
            )
            .call("plan_exit", json!({}), "User approved switching to build agent. Wait for further instructions.")
            .assistant("Now step 1: clean.");
        let found = plan(session, &["plan", "plan", "plan", "plan", "plan", "build"]);
        assert_eq!(
            rows(&found),
            ["5 T1 created-pending", "5 T2 created-pending", "5 T3 created-pending", "6 T1 started"]
        );
        let accepted: Vec<bool> = found.1.snapshots.iter().map(|s| s.accepted).collect();
        assert_eq!(accepted, [false, true, true]);
        let span = found.1.snapshots[0].items[0].span.clone().unwrap();
        assert_eq!(found.0.quote(&span), Some("Clean the pond"));
        assert_eq!(found.1.snapshots[1].items[0].span, None, "two calls made that text");
    }

    #[test]
    fn reminders_tell_the_mode_where_no_message_names_it() {
        let file = json!({"filePath": ".opencode/plans/17-pond.md", "content": "1. Clean the pond\n2. Fix the seam\n"});
        let inject = |b: SessionBuilder, text: &str| b.text(Role::User, MessageKind::InjectedContext, text);
        let session =
            inject(SessionBuilder::new(), "<system-reminder>\nPlan mode is active.").call("write", file.clone(), "ok");
        let session = inject(
            session,
            "The plan at .opencode/plans/17-pond.md has been approved, you can now edit files. Execute the plan",
        );
        assert_eq!(rows(&plan(session, &[])), ["2 T1 created-pending", "2 T2 created-pending"]);
        // Boxes are followed from edit to edit; the approval adds no second list.
        let boxes =
            json!({"filePath": ".opencode/plans/17-pond.md", "content": "- [ ] Clean the pond\n- [ ] Fix the seam\n"});
        let session = SessionBuilder::new().call("write", boxes, "ok").call("plan_exit", json!({}), "User approved");
        let found = plan(session, &["plan", "plan"]);
        assert_eq!(rows(&found), ["1 T1 created-pending", "1 T2 created-pending"]);
        assert_eq!(found.1.lists.len(), 1);
    }
}
