//! What a message is: typed by the user, or put there by the program.

use serde_json::Value;

use super::{Entry, str_at};
use crate::session::{Message, MessageKind, Part, PartBody, Role};

/// Marks among a message's part records that say nothing but tell what the message is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    /// A compaction was started here; the flag says whether by the program.
    compaction: Option<bool>,
    /// A command of the user that starts a subagent.
    subtask: bool,
    /// The program says that this text goes on after a compaction.
    continues: bool,
}

impl Marks {
    pub(super) fn of<P>(parts: &[(Value, P)]) -> Self {
        let mut marks = Self::default();
        for (part, _) in parts {
            match str_at(part, "type") {
                Some("compaction") => marks.compaction = Some(part["auto"] == true),
                Some("subtask") => marks.subtask = true,
                Some("text") => marks.continues |= part["metadata"]["compaction_continue"] == true,
                _ => {}
            }
        }
        marks
    }
}

/// The kind of a message on its own. Where the program alone speaks in a user message, its text becomes the message's.
pub(super) fn kind(role: Role, info: &Value, marks: Marks, parts: &mut [Part]) -> MessageKind {
    match role {
        Role::Assistant if info["summary"] == true => MessageKind::CompactionSummary,
        Role::Assistant => MessageKind::Reply,
        Role::System => MessageKind::InjectedContext,
        Role::User => match marks.compaction {
            Some(true) => MessageKind::Notice,
            Some(false) => MessageKind::Command,
            None if marks.subtask => MessageKind::Command,
            None => user_kind(parts, marks.continues),
        },
    }
}

fn user_kind(parts: &mut [Part], continues: bool) -> MessageKind {
    let typed = |p: &Part| match &p.body {
        PartBody::Injected(_) => false,
        // A terminal tells so that its command has ended.
        PartBody::Text(text) => !text.trim_start().starts_with("<pty_exited>"),
        _ => true,
    };
    if parts.iter().any(typed) || parts.is_empty() {
        return MessageKind::Prompt;
    }
    let mut kind = MessageKind::InjectedContext;
    for part in parts {
        let PartBody::Injected(text) = &mut part.body else { continue };
        kind = match kind {
            MessageKind::InjectedContext if continues || is_continuation(text) => MessageKind::SyntheticContinuation,
            MessageKind::InjectedContext if is_user_shell(text) => MessageKind::Command,
            kind => kind,
        };
        part.body = PartBody::Text(std::mem::take(text));
    }
    kind
}

/// Sentences with which the program keeps the agent going: after a compaction, after a subtask.
fn is_continuation(text: &str) -> bool {
    const SENTENCES: [&str; 2] =
        ["Continue if you have next steps", "Summarize the task tool output above and continue with your task"];
    let last = text.trim().rsplit("\n\n").next().unwrap_or_default();
    SENTENCES.iter().any(|s| last.starts_with(s))
}

/// The sentence that stands for a command the user ran by `!`.
fn is_user_shell(text: &str) -> bool {
    text.trim_start().starts_with("The following tool was executed by the user")
}

/// Kinds that only the neighbours tell: the answer to a command that the user ran is no reply of the model; a text of
/// the program directly before a continuation is the summary to be continued from; and when a compaction was forced by a
/// request that was too large, the program sends the last prompt once more behind the summary.
pub(super) fn kinds_by_neighbours(entries: &mut [Entry]) {
    let mut prompt = None;
    for i in 0..entries.len() {
        if entries[i].message.kind != MessageKind::Prompt {
            continue;
        }
        let text = entries[i].message.text();
        let again = i >= 2
            && entries[i - 1].message.kind == MessageKind::CompactionSummary
            && entries[i - 2].message.kind == MessageKind::Notice
            && prompt.as_ref() == Some(&text);
        if again {
            entries[i].message.kind = MessageKind::SyntheticContinuation;
        }
        prompt = Some(text);
    }
    for i in 1..entries.len() {
        let (before, rest) = entries.split_at_mut(i);
        let (Some(before), Some(this)) = (before.last_mut(), rest.first_mut()) else { continue };
        let answers = this.parent.is_some() && this.parent == before.message.native_id;
        if answers && is_shell_command(&before.message) && this.message.kind == MessageKind::Reply {
            this.message.kind = MessageKind::Command;
        }
        if this.message.kind == MessageKind::SyntheticContinuation
            && before.message.role == Role::User
            && before.message.kind == MessageKind::InjectedContext
        {
            before.message.kind = MessageKind::CompactionSummary;
        }
    }
}

fn is_shell_command(message: &Message) -> bool {
    message.kind == MessageKind::Command
        && message.parts.iter().any(|p| matches!(&p.body, PartBody::Text(t) if is_user_shell(t)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::message::entry;
    use super::*;
    use crate::session::Place;

    fn read(info: Value, parts: &[Value]) -> Message {
        entry(&info, parts.iter().map(|p| (p.clone(), Place::default())).collect(), Place::default()).message
    }

    fn entry_of(message: Message, parent: Option<&str>) -> Entry {
        Entry {
            message,
            parent: parent.map(Into::into),
            session: None,
            records: Vec::new(),
            odd: Vec::new(),
            order: None,
        }
    }

    fn user(parts: &[Value]) -> Message {
        read(json!({"role": "user", "summary": {"diffs": []}}), parts)
    }

    fn synthetic(text: &str) -> Value {
        json!({"type": "text", "text": text, "synthetic": true})
    }

    #[test]
    fn a_file_body_is_not_typed_by_the_user() {
        let message = user(&[
            json!({"type": "text", "text": "look at @a.md"}),
            synthetic("Called the Read tool with the following input: {}"),
            synthetic("<path>a.md</path>"),
            json!({"type": "file", "mime": "text/plain", "filename": "a.md", "url": "file:///a.md"}),
        ]);
        assert_eq!((message.kind, message.text().as_str()), (MessageKind::Prompt, "look at @a.md"));
        assert!(matches!(&message.parts[2].body, PartBody::Injected(t) if t == "<path>a.md</path>"));
        assert_eq!(message.parts[3].body, PartBody::Attachment { name: "a.md".into(), bytes: 0 });
    }

    #[test]
    fn what_a_terminal_tells_is_not_typed_by_the_user() {
        let told = user(&[json!({"type": "text", "text": "<pty_exited>\nID: pty_1\nExit Code: 0\n</pty_exited>"})]);
        assert_eq!(told.kind, MessageKind::InjectedContext);
        let typed = user(&[json!({"type": "text", "text": "Why does it say <pty_exited>?"})]);
        assert_eq!(typed.kind, MessageKind::Prompt);
    }

    #[test]
    fn nothing_of_a_compaction_is_typed_by_the_user() {
        let trigger = |auto: bool| user(&[json!({"type": "compaction", "auto": auto})]).kind;
        assert_eq!((trigger(true), trigger(false)), (MessageKind::Notice, MessageKind::Command));
        let summary = read(json!({"role": "assistant", "summary": true}), &[json!({"type": "text", "text": "Goal"})]);
        assert_eq!(summary.kind, MessageKind::CompactionSummary);
        let go_on = user(&[synthetic("Continue if you have next steps")]);
        assert_eq!((go_on.kind, go_on.text().is_empty()), (MessageKind::SyntheticContinuation, false));
        assert_eq!(user(&[synthetic("<system-reminder>")]).kind, MessageKind::InjectedContext);
        let ignored = user(&[json!({"type": "text", "text": "shown only", "ignored": true})]);
        assert_eq!(ignored.kind, MessageKind::InjectedContext);
    }

    #[test]
    fn a_prompt_sent_again_by_the_program_is_no_new_prompt() {
        let go_on = user(&[synthetic("The request was too large.\n\nContinue if you have next steps")]);
        assert_eq!(go_on.kind, MessageKind::SyntheticContinuation);
        let typed = json!({"type": "text", "text": "fix it"});
        let trigger = user(&[json!({"type": "compaction", "auto": true})]);
        let summary = read(json!({"role": "assistant", "summary": true}), &[json!({"type": "text", "text": "Goal"})]);
        let messages =
            [user(std::slice::from_ref(&typed)), trigger, summary, user(std::slice::from_ref(&typed)), user(&[typed])];
        let mut entries = messages.map(|m| entry_of(m, None));
        kinds_by_neighbours(&mut entries);
        let kinds = entries.map(|e| e.message.kind);
        assert_eq!(kinds[3..], [MessageKind::SyntheticContinuation, MessageKind::Prompt]);
    }

    #[test]
    fn the_same_words_typed_are_a_prompt() {
        let typed = user(&[json!({"type": "text", "text": "Continue if you have next steps"})]);
        assert_eq!(typed.kind, MessageKind::Prompt);
        let picture = user(&[json!({"type": "file", "mime": "image/png", "url": "data:image/png;base64,AA"})]);
        assert_eq!(picture.kind, MessageKind::Prompt);
    }

    #[test]
    fn a_command_of_the_user_is_no_reply() {
        let ask = read(json!({"role": "user", "id": "a"}), &[synthetic("The following tool was executed by the user")]);
        let answer = |id: &str| read(json!({"role": "assistant", "id": id}), &[]);
        let mut entries = [entry_of(ask, None), entry_of(answer("b"), Some("a")), entry_of(answer("c"), Some("b"))];
        kinds_by_neighbours(&mut entries);
        let kinds = entries.map(|e| e.message.kind);
        assert_eq!(kinds, [MessageKind::Command, MessageKind::Command, MessageKind::Reply]);
    }

    #[test]
    fn an_error_is_told_and_a_reply_of_nothing_else_is_a_notice() {
        let error = json!({"name": "APIError", "data": {"message": "overloaded"}});
        let info = json!({"role": "assistant", "error": error, "tokens": {"input": 5, "cache": {"read": 7}}});
        let alone = read(info.clone(), &[]);
        assert_eq!((alone.kind, alone.text().as_str()), (MessageKind::Notice, "APIError: overloaded"));
        assert_eq!((alone.usage.input, alone.usage.cache_read, alone.usage.output), (Some(5), Some(7), None));
        // The zeros that a message begins with are no figures.
        let zeros = json!({"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}});
        assert_eq!(read(json!({"role": "assistant", "error": error, "tokens": zeros}), &[]).usage, Default::default());
        let after = read(info, &[json!({"type": "text", "text": "so far"})]);
        assert_eq!((after.kind, after.text().as_str()), (MessageKind::Reply, "so far"));
        assert_eq!(after.parts[1].body, PartBody::Injected("APIError: overloaded".into()));
    }
}
