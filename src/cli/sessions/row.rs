//! What the list says of a session.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::diag::Severity;
use crate::extract::plan;
use crate::report::section::value;
use crate::report::text::cut;
use crate::session::Session;
use crate::source::stored::Stored;

/// One line of the list.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) agent: String,
    pub(super) project: Option<String>,
    pub(super) title: Option<String>,
    pub(super) prompt: Option<String>,
    pub(super) first_at: Option<Timestamp>,
    pub(super) last_at: Option<Timestamp>,
    /// Not known where the store is damaged there.
    pub(super) messages: Option<u64>,
    /// Items done, and all.
    pub(super) plan: Option<(u64, u64)>,
    pub(super) format: &'static str,
    pub(super) file: PathBuf,
    pub(super) lost: bool,
    /// Told by a store's own records, its messages unread.
    pub(super) stored: bool,
}

pub(super) const COLUMNS: &[&str] = &[
    "session_id",
    "agent",
    "project",
    "title",
    "prompt",
    "first_at",
    "last_at",
    "duration_s",
    "messages",
    "plan_done",
    "plan_items",
    "format",
    "file",
];

/// Characters of a title or prompt that a line shows.
const TITLE: usize = 60;

/// Characters of a path that a line shows.
const PROJECT: usize = 40;

pub(super) fn row_of(session: &Session, file: &Path) -> Row {
    let plan = plan::extract(session).figures();
    let prompt = session.asks().next().map(|(_, text)| words(&text));
    Row {
        id: session.id.clone(),
        agent: session.agent.clone(),
        project: session.cwd.clone(),
        title: session.title.clone(),
        prompt: prompt.map(|p| cut(&p, 200)),
        first_at: session.first_at(),
        last_at: session.last_at(),
        messages: Some(session.messages.len() as u64),
        plan: (plan.items > 0).then_some((plan.done as u64, plan.items as u64)),
        format: session.format,
        file: file.to_owned(),
        lost: session.warnings.iter().any(|w| w.severity == Severity::Lost),
        stored: false,
    }
}

pub(super) fn of_store(s: Stored, agent: &str, format: &'static str) -> Row {
    Row {
        id: s.id,
        agent: agent.to_owned(),
        project: s.directory,
        title: s.title,
        first_at: s.created,
        last_at: s.updated,
        messages: s.messages,
        plan: s.plan,
        format,
        file: s.file,
        lost: s.damaged,
        stored: true,
        ..Row::default()
    }
}

/// Text on one line. What is hidden in it is shown where it is printed, once.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last characters of a path, where most tell one from another.
fn end_of(path: &str) -> String {
    match path.char_indices().nth_back(PROJECT - 1) {
        Some((at, _)) if at > 0 => {
            let at = path[at..].find(['/', '\\']).map_or(at, |slash| at + slash);
            format!("…{}", &path[at..])
        }
        _ => path.to_owned(),
    }
}

pub(super) fn cells(row: &Row) -> Vec<crate::tables::Value<'_>> {
    let seconds = row.first_at.zip(row.last_at).map(|(a, b)| b.as_second() - a.as_second());
    vec![
        row.id.as_str().into(),
        row.agent.as_str().into(),
        (&row.project).into(),
        (&row.title).into(),
        (&row.prompt).into(),
        row.first_at.into(),
        row.last_at.into(),
        seconds.into(),
        row.messages.into(),
        row.plan.map(|p| p.0).into(),
        row.plan.map(|p| p.1).into(),
        row.format.into(),
        row.file.to_string_lossy().into_owned().into(),
    ]
}

pub(super) fn line(row: &Row, home: Option<&Path>) -> Vec<String> {
    let project = row.project.as_deref().unwrap_or_default();
    let short = home.and_then(|h| Path::new(project).strip_prefix(h).ok());
    let title = row.title.as_ref().or(row.prompt.as_ref()).map(|t| cut(&words(t), TITLE));
    vec![
        row.agent.clone(),
        end_of(&short.map_or_else(|| project.to_owned(), |s| Path::new("~").join(s).display().to_string())),
        title.unwrap_or_default(),
        row.first_at.map(|t| t.strftime("%Y-%m-%d %H:%M").to_string()).unwrap_or_default(),
        row.first_at.zip(row.last_at).map(|(a, b)| value::duration(a, b)).unwrap_or_default(),
        row.messages.map_or_else(|| "not known".to_owned(), |n| n.to_string()),
        row.plan.map(|(done, all)| format!("{done}/{all}")).unwrap_or_default(),
        row.id.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_show_their_end() {
        assert_eq!(end_of("/w/engine"), "/w/engine");
        let long = "/Users/somebody/Documents/projects/engine/.worktrees/streaming";
        assert_eq!(end_of(long), "…/projects/engine/.worktrees/streaming");
        assert_eq!(end_of(&"ü".repeat(50)).chars().count(), 41);
    }
}
