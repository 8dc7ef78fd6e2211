//! Tool calls, with the result folded into the call.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::Place;
use super::patch::{self, Mark};

/// One call of a tool by the agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall {
    /// The transcript's own call id; unique only inside a session.
    pub id: String,
    /// Name of the tool, as written.
    pub tool: String,
    /// What the tool does.
    pub kind: ToolKind,
    /// Arguments, as written.
    pub input: Value,
    /// What came back. `None` = nothing stands in the transcript; see [`ToolCall::status`].
    pub result: Option<ToolResult>,
    /// Time between call and result, where the transcript tells it.
    pub duration_ms: Option<u64>,
    /// Native id of the session or thread that the call started, where the transcript tells it.
    pub started_thread: Option<String>,
}

/// What came back from a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolResult {
    /// How it ended.
    pub status: CallStatus,
    /// Exit code of the command, where the transcript tells it.
    pub exit_code: Option<i64>,
    /// The user refused the call: it did nothing.
    pub refused: bool,
    /// Text that the model saw.
    pub text: String,
    /// The record it was read from.
    pub place: Place,
    /// Structured data that the program kept beside the text, small fields only.
    pub data: Value,
    /// When it was recorded, where its record has a time of its own.
    pub at: Option<Timestamp>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum CallStatus {
    /// The tool answered without error. A command's exit code may still be nonzero.
    Ok,
    /// The tool or the command failed, or the user refused it.
    Error,
    /// It was stopped before it ended.
    Interrupted,
    /// It was answered, but the transcript does not say how it ended: a format without a status, a command left running.
    Unknown,
    /// No result stands in the transcript.
    #[default]
    Missing,
}

impl CallStatus {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
            Self::Unknown => "unknown",
            Self::Missing => "missing",
        }
    }
}

impl ToolCall {
    /// How the call ended.
    pub fn status(&self) -> CallStatus {
        self.result.as_ref().map_or(CallStatus::Missing, |r| r.status)
    }

    /// Exit code of the command, where known.
    pub fn exit_code(&self) -> Option<i64> {
        self.result.as_ref().and_then(|r| r.exit_code)
    }

    /// Whether the user refused the call.
    pub fn refused(&self) -> bool {
        self.result.as_ref().is_some_and(|r| r.refused)
    }

    /// Whether the call is known to have failed: an error, or a nonzero exit code. One that was refused was not tried.
    pub fn failed(&self) -> bool {
        self.undone() && !self.refused()
    }

    /// Whether the call is known not to have done what it was made for: it failed, or was refused.
    pub fn undone(&self) -> bool {
        self.status() == CallStatus::Error || self.exit_code().is_some_and(|c| c != 0)
    }

    /// How the call ended, in a word for readers: a command that answered with a nonzero exit code has failed.
    pub fn ended(&self) -> &'static str {
        match self.status() {
            _ if self.refused() => "refused",
            CallStatus::Ok if self.failed() => "failed",
            CallStatus::Unknown => "end not known",
            status => status.word(),
        }
    }

    /// Whether the call is known to have worked: answered without error and no nonzero exit code.
    pub fn worked(&self) -> bool {
        self.status() == CallStatus::Ok && self.exit_code().is_none_or(|c| c == 0)
    }

    /// Command line of a shell call.
    pub fn command(&self) -> Option<&str> {
        if self.kind != ToolKind::Shell {
            return None;
        }
        let written = ["command", "cmd", "script"].iter().find_map(|k| self.input.get(k))?;
        written.as_str().or_else(|| match &written.as_array()?[..] {
            [only] => only.as_str(),
            // `["bash", "-lc", "make test"]`
            [_, flag, script] if flag.as_str().is_some_and(|f| f.starts_with('-') && f.ends_with('c')) => {
                script.as_str()
            }
            _ => None,
        })
    }

    /// What the call does or is done to: the command, else the target.
    pub fn what(&self) -> Option<&str> {
        self.command().or_else(|| self.target())
    }

    /// What the call is aimed at: a path, an address, a pattern, a description.
    pub fn target(&self) -> Option<&str> {
        const KEYS: &[&str] = &[
            "file_path",
            "filePath",
            "path",
            "notebook_path",
            "url",
            "pattern",
            "query",
            "description",
            "subject",
            "taskId",
            "skill",
        ];
        KEYS.iter().find_map(|k| self.input.get(k)?.as_str())
    }

    /// Paths of the files that the call changes: one for most tools, any number for a patch.
    pub fn written_paths(&self) -> Vec<&str> {
        match (self.kind, self.path()) {
            (ToolKind::Write | ToolKind::Edit, Some(path)) => vec![path],
            _ => self.patched(Mark::written),
        }
    }

    /// Paths of the files that a patch of the call deletes, or moves away.
    pub fn deleted_paths(&self) -> Vec<&str> {
        let marks: Vec<Mark<'_>> = self.patch().map(|p| patch::marks(p).collect()).unwrap_or_default();
        let gone = |(i, mark): (usize, &Mark<'_>)| match mark {
            Mark::Delete(_) => true,
            Mark::Update(_) => matches!(marks.get(i + 1), Some(Mark::MoveTo(_))),
            Mark::Add(_) | Mark::MoveTo(_) => false,
        };
        marks.iter().enumerate().filter(|&m| gone(m)).map(|(_, mark)| mark.path()).collect()
    }

    /// Paths of all files that a patch of the call names.
    pub fn patched_paths(&self) -> Vec<&str> {
        self.patched(|mark| Some(mark.path()))
    }

    fn patched<'a>(&'a self, path: impl Fn(Mark<'a>) -> Option<&'a str>) -> Vec<&'a str> {
        self.patch().map(|text| patch::marks(text).filter_map(path).collect()).unwrap_or_default()
    }

    /// The text of `apply_patch`, as a tool's input or in a command: `apply_patch <<'EOF'`, `["apply_patch", "…"]`.
    pub(crate) fn patch(&self) -> Option<&str> {
        const NAMES: [&str; 2] = ["apply_patch", "applypatch"];
        match self.kind {
            ToolKind::Write | ToolKind::Edit => patch::of_input(&self.input),
            ToolKind::Shell => {
                let words = ["command", "cmd"].iter().find_map(|k| self.input.get(k)?.as_array());
                let called = words.filter(|w| w.first().and_then(Value::as_str).is_some_and(|w| NAMES.contains(&w)));
                let command = || self.command().filter(|c| NAMES.iter().any(|name| c.contains(name)));
                called.and_then(|w| w.get(1)?.as_str()).or_else(command).and_then(patch::start)
            }
            _ => None,
        }
    }

    /// Path of the file that the call reads or changes.
    pub fn path(&self) -> Option<&str> {
        if !matches!(self.kind, ToolKind::Read | ToolKind::Write | ToolKind::Edit) {
            return None;
        }
        ["file_path", "filePath", "path", "notebook_path"].iter().find_map(|k| self.input.get(k)?.as_str())
    }
}

/// What a tool does, whatever the agent calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum ToolKind {
    /// Runs a command.
    Shell,
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Looks for files or text.
    Search,
    /// Reads from the network.
    Fetch,
    /// Reads or changes the plan.
    Plan,
    /// Starts or follows a subagent.
    Task,
    /// Asks the user.
    Ask,
    /// Anything else.
    #[default]
    Other,
}

impl ToolKind {
    /// The kind of a tool by its name, over all agents.
    pub fn of(tool: &str) -> Self {
        match tool.to_ascii_lowercase().as_str() {
            "bash" | "shell" | "local_shell" | "shell_command" | "exec_command" | "write_stdin"
            | "run_shell_command" | "run_command" | "execute_command" | "execute_bash" | "run_in_terminal"
            | "bashoutput" | "killshell" | "killbash" | "powershell" => Self::Shell,
            "read" | "read_file" | "readfile" | "view" | "view_image" | "notebookread" | "cat" => Self::Read,
            "write" | "write_file" | "create_file" | "create" => Self::Write,
            "edit"
            | "multiedit"
            | "notebookedit"
            | "apply_patch"
            | "patch"
            | "replace"
            | "str_replace"
            | "str_replace_editor"
            | "str_replace_based_edit_tool"
            | "insert_edit_into_file"
            | "replace_in_file" => Self::Edit,
            "grep"
            | "glob"
            | "ls"
            | "list"
            | "search"
            | "toolsearch"
            | "find"
            | "codesearch"
            | "search_file_content"
            | "grep_search"
            | "file_search"
            | "list_directory" => Self::Search,
            "webfetch" | "web_fetch" | "websearch" | "web_search" | "web_search_call" | "fetch"
            | "google_web_search" => Self::Fetch,
            "todowrite" | "todoread" | "taskcreate" | "taskupdate" | "tasklist" | "taskget" | "update_plan"
            | "write_todos" | "enterplanmode" | "exitplanmode" | "exit_plan_mode" | "plan_exit" | "plan_enter"
            | "todo_write" | "todo_read" | "update_todo" | "manage_todo_list" | "task_tracker" | "todolist"
            | "updatetodolist" | "update_todo_list" => Self::Plan,
            "task" | "agent" | "taskoutput" | "taskstop" | "agentoutputtool" | "spawn_agent" | "wait_agent"
            | "close_agent" | "send_input" | "sendmessage" | "new_task" => Self::Task,
            "askuserquestion" | "question" | "request_user_input" | "ask_followup_question" => Self::Ask,
            _ => Self::Other,
        }
    }

    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Search => "search",
            Self::Fetch => "fetch",
            Self::Plan => "plan",
            Self::Task => "task",
            Self::Ask => "ask",
            Self::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_the_files_it_changes() {
        let patch =
            "*** Begin Patch\n*** Add File: a.md\n+x\n*** Update File: src/b.rs\n@@\n-*** Add File: c\n*** End Patch";
        let input = serde_json::json!({ "patchText": patch });
        let call = ToolCall { kind: ToolKind::of("apply_patch"), input, ..ToolCall::default() };
        assert_eq!(call.written_paths(), ["a.md", "src/b.rs"]);
    }

    #[test]
    fn a_patch_in_a_command_names_them_too() {
        let patch = "*** Begin Patch\n*** Add File: a.md\n+x\n*** Update File: b.rs\n*** Move to: c.rs\n@@\n-x\n*** Delete File: d.rs\n*** End Patch\n";
        let here = format!("cd /w && apply_patch <<'EOF'\n{patch}EOF");
        for (command, writes) in [
            (serde_json::json!(["bash", "-lc", here]), true),
            (serde_json::json!(here), true),
            (serde_json::json!(["apply_patch", patch]), true),
            (serde_json::json!(format!("cat <<'EOF'\n{patch}EOF")), false),
            (serde_json::json!("apply_patch --help"), false),
        ] {
            let input = serde_json::json!({ "command": command });
            let call = ToolCall { kind: ToolKind::Shell, input, ..ToolCall::default() };
            let want = if writes { (vec!["a.md", "b.rs", "c.rs"], vec!["b.rs", "d.rs"]) } else { (vec![], vec![]) };
            assert_eq!((call.written_paths(), call.deleted_paths()), want);
        }
    }
}
