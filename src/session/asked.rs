//! What the user asked, and what a session is called.

use std::borrow::Cow;

use super::{Message, MessageKind, MsgIx, Role, Session};

/// Characters of a prompt that serve as a title.
const TITLE: usize = 80;
/// What editors put before the request itself.
const REQUEST: &str = "## My request for Codex:";
/// Titles that a program gives before it knows better.
const NO_TITLES: [&str; 3] = ["New session - ", "Child session - ", "New Session - "];

impl Session {
    /// What the user asks in a message of the main thread: the text of a prompt, or a slash command with its arguments
    /// when a reply answers it. `None` for every other message.
    pub fn asked(&self, ix: MsgIx) -> Option<Cow<'_, str>> {
        let m = self.message(ix);
        if m.role != Role::User || m.abandoned || !self.on_main(ix) {
            return None;
        }
        match m.kind {
            MessageKind::Prompt => {
                let text = m.text();
                let text = text.split_once(REQUEST).map_or(text.as_str(), |(_, request)| request).trim().to_owned();
                (!text.is_empty()).then_some(text.into())
            }
            MessageKind::Command if self.is_answered(ix) => command(&m.text()).map(Cow::from),
            _ => None,
        }
    }

    /// Messages by which the user asks for something, in order.
    pub fn asks(&self) -> impl Iterator<Item = (MsgIx, Cow<'_, str>)> {
        self.live().filter_map(|(ix, _)| Some((ix, self.asked(ix)?)))
    }

    /// The name by which every output calls the session: its title; else the start of what the user asked first; else its
    /// id.
    pub fn name(&self) -> String {
        let title = self.title.as_deref().filter(|t| !NO_TITLES.iter().any(|no| t.starts_with(no)));
        let title = title.filter(|t| !t.trim().is_empty()).map(str::to_owned);
        let asked = || self.asks().next().map(|(_, text)| start(&text));
        title.or_else(asked).unwrap_or_else(|| format!("Session {}", self.id))
    }

    /// Whether the agent replies to a command before the user says anything else.
    fn is_answered(&self, ix: MsgIx) -> bool {
        let later = self.messages[ix.at() + 1..].iter().filter(|m| !m.abandoned && m.thread == self.message(ix).thread);
        let speaks = |m: &&Message| !matches!(m.kind, MessageKind::InjectedContext | MessageKind::Notice);
        later.into_iter().find(speaks).is_some_and(|m| m.kind == MessageKind::Reply)
    }
}

/// A slash command with its arguments, as the user typed it.
fn command(text: &str) -> Option<String> {
    let name = between(text, "<command-name>", "</command-name>")?;
    let arguments = between(text, "<command-args>", "</command-args>").unwrap_or_default();
    Some(format!("{name} {arguments}").trim_end().to_owned())
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let rest = &text[text.find(open)? + open.len()..];
    Some(rest[..rest.find(close)?].trim()).filter(|t| !t.is_empty())
}

/// The first words of a text on one line.
fn start(text: &str) -> String {
    let line = text.split_whitespace().take(TITLE).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    const REVIEW: &str = "<command-message>check</command-message>\n<command-name>/team:check</command-name>\n\
                          <command-args>pull 12</command-args>";

    fn session(texts: &[(MessageKind, &str)]) -> Session {
        let role = |kind| if kind == MessageKind::Reply { Role::Assistant } else { Role::User };
        texts.iter().fold(SessionBuilder::new(), |b, (kind, text)| b.text(role(*kind), *kind, text)).build()
    }

    #[test]
    fn a_command_that_is_answered_is_what_was_asked() {
        use MessageKind::{Command, InjectedContext, Prompt, Reply};
        let s = session(&[
            (Command, "<command-name>/model</command-name>"),
            (Command, "<local-command-stdout>set</local-command-stdout>"),
            (Command, REVIEW),
            (InjectedContext, "# How to check"),
            (Reply, "Two faults."),
            (Prompt, "thank you"),
            (Command, "<command-name>/exit</command-name>"),
        ]);
        let asked: Vec<_> = s.asks().map(|(ix, text)| (ix.0, text.into_owned())).collect();
        assert_eq!(asked, [(2, "/team:check pull 12".to_owned()), (5, "thank you".to_owned())]);
        assert_eq!(s.name(), "/team:check pull 12");
    }

    #[test]
    fn a_name_is_the_title_else_the_request_else_the_id() {
        let mut s = session(&[(MessageKind::Prompt, "# Context\n- a.rs\n\n## My request for Codex:\nfix  the\nbuild")]);
        assert_eq!(s.name(), "fix the build");
        s.title = Some("New session - 2026-01-01T00:00:00.000Z".into());
        assert_eq!(s.name(), "fix the build");
        s.title = Some("The build".into());
        assert_eq!(s.name(), "The build");
        s = session(&[(MessageKind::Reply, "hello")]);
        assert!(s.name().starts_with("Session "));
    }
}
