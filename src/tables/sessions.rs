//! `sessions` and `messages`.

use sha2::{Digest, Sha256};

use super::{Column, NAMED, Rows, SESSION, Scope, Table, Value, flag, int, text};
use crate::link::FactId;
use crate::session::{Message, PartBody, Session};

pub(super) const SESSIONS: Table = Table {
    name: "sessions",
    about: "A session with its totals.",
    head: SESSION,
    own: &[
        text("agent", "name of the agent program"),
        text("title", "title, as the transcript carries it"),
        text("first_at", "time of the earliest dated message, UTC"),
        text("last_at", "time of the latest dated message, UTC"),
        int("messages", "", "messages, subagents' included"),
        int("plan_changes", "", "messages that changed the plan (a transition other than unchanged)"),
        int("open_items", "", "plan items still open at the end"),
        text("digest", "SHA-256 over the digests of its files, in hex"),
        text("format", "id of the format"),
        text("version", "version of the agent program"),
        text("cwd", "working directory of the agent"),
        text("models", "models that wrote messages, in order of first use, separated by commas"),
        text("forked_from", "session that this one is a fork or copy of"),
        int("threads", "", "threads: the main thread and one for each subagent"),
        int("tool_calls", "", "tool calls, subagents' included"),
        int("plan_items", "", "plan items, over all threads"),
        int("findings", "", "findings that do not repeat an earlier one"),
        int("discrepancies", "", "discrepancies that the audit reports"),
        int("warnings", "", "warnings met while reading"),
    ],
    rows: sessions,
};

fn sessions<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let a = scope.analysis;
    let s = &a.session;
    let models = s.models();
    out.plain([
        (&s.agent).into(),
        (&s.title).into(),
        s.first_at().into(),
        s.last_at().into(),
        s.messages.len().into(),
        a.facts.plan.changed_messages().len().into(),
        a.facts.plan.open_items().count().into(),
        digest(s).into(),
        s.format.into(),
        (&s.version).into(),
        (&s.cwd).into(),
        Some(models.join(", ")).filter(|m| !m.is_empty()).into(),
        (&s.forked_from).into(),
        s.threads.len().into(),
        a.facts.calls.len().into(),
        a.facts.plan.items.len().into(),
        a.facts.findings.findings.iter().filter(|f| f.restates.is_none()).count().into(),
        a.discrepancies.len().into(),
        s.warnings.len().into(),
    ]);
}

/// Digest of a session: over the digests of its files, in their order.
pub(super) fn digest(session: &Session) -> String {
    let mut sha = Sha256::new();
    for source in &session.sources {
        sha.update(&source.digest);
        sha.update("\n");
    }
    sha.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

const MESSAGE_COLUMNS: &[Column] = &[
    text("role", "user, assistant or system"),
    text("kind", "prompt, reply, compaction-summary, synthetic-continuation, injected-context, command or notice"),
    text("at", "time, UTC"),
    text("model", "model that wrote it"),
    text("text", "text parts, joined by blank lines"),
    int("tool_calls", "", "tool calls in it"),
    int("input_tokens", "tokens", "read, without those from the cache"),
    int("output_tokens", "tokens", "written"),
    text("native_id", "the transcript's own id"),
    text("file", "file it stands in"),
    int("line", "", "line of its first record, from 1"),
    int("byte", "bytes", "offset of its first record in the file, from 0"),
    int("cache_read_tokens", "tokens", "read from the cache"),
    int("cache_write_tokens", "tokens", "written to the cache"),
    int("at_ms", "ms", "time, since 1970-01-01 UTC, for arithmetic"),
    text("injected", "text that the program put into it, joined by blank lines"),
    text("reasoning", "reasoning parts, joined by blank lines"),
    flag("abandoned", "it lies on a branch that the user left"),
    text("copied_from", "session that it was copied from"),
];

pub(super) const MESSAGES: Table =
    Table { name: "messages", about: "A message.", head: NAMED, own: MESSAGE_COLUMNS, rows: messages };

fn messages<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let session = &scope.analysis.session;
    for (ix, m) in session.iter() {
        let file = session.sources.get(m.place.file as usize).map(|s| s.file.as_str());
        out.named(
            scope.id(FactId::Message(ix)),
            Some(ix),
            [
                m.role.word().into(),
                m.kind.word().into(),
                m.at.into(),
                (&m.model).into(),
                joined(m, |body| if let PartBody::Text(t) = body { Some(t) } else { None }),
                m.calls().count().into(),
                m.usage.input.into(),
                m.usage.output.into(),
                (&m.native_id).into(),
                file.into(),
                m.place.line.into(),
                m.place.byte.into(),
                m.usage.cache_read.into(),
                m.usage.cache_write.into(),
                m.at.map(|at| at.as_millisecond()).into(),
                joined(m, |body| if let PartBody::Injected(t) = body { Some(t) } else { None }),
                joined(m, |body| if let PartBody::Reasoning(t) = body { Some(t) } else { None }),
                m.abandoned.into(),
                (&m.copied_from).into(),
            ],
        );
    }
}

/// The texts that `pick` takes, joined by blank lines; NULL when there is none. One text alone is not copied.
fn joined(message: &Message, pick: fn(&PartBody) -> Option<&String>) -> Value<'_> {
    let mut texts = message.parts.iter().filter_map(|p| pick(&p.body));
    match (texts.next(), texts.next()) {
        (None, _) => Value::Null,
        (Some(only), None) => only.into(),
        (Some(first), Some(second)) => {
            let all: Vec<&str> = [first, second].into_iter().chain(texts).map(String::as_str).collect();
            all.join("\n\n").into()
        }
    }
}
