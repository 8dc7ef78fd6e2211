//! How a call ended, as far as its status, its exit code and its output say.

use crate::session::{ToolCall, ToolKind};

/// Bytes of an output's end that are read: sums and errors are printed there.
const TAIL: usize = 16 * 1024;

/// The end of what a call printed.
pub(in crate::link) fn printed(call: &ToolCall) -> &str {
    call.result.as_ref().map_or("", |r| tail(&r.text))
}

/// The end of a text.
pub(in crate::link) fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(TAIL))..]
}

/// Whether the call worked and its output tells of no failure; a start in the background says nothing.
pub(in crate::link) fn worked(call: &ToolCall) -> bool {
    // What a file tool prints is the file, not how the call ended.
    let speaks = !matches!(call.kind, ToolKind::Write | ToolKind::Edit | ToolKind::Read);
    call.worked() && !is_background(call) && !(speaks && tells_failure(printed(call)))
}

/// A start in the background says nothing of how it ends.
pub(in crate::link) fn is_background(call: &ToolCall) -> bool {
    is_sent_away(call) || call.result.as_ref().is_some_and(|r| r.text.starts_with("Command running in background"))
}

/// The command's own exit status says that it worked: it is not hidden behind a pipe or `||`.
pub(in crate::link) fn plainly_worked(call: &ToolCall) -> bool {
    let command = call.command().unwrap_or("");
    let hidden = ["|", ";", "nohup"].iter().any(|h| command.contains(h)) || command.trim_end().ends_with('&');
    call.worked() && !hidden && !is_sent_away(call)
}

/// Whether the call asks to go on beside the others.
fn is_sent_away(call: &ToolCall) -> bool {
    call.input.get("run_in_background").is_some_and(|b| b == true)
}

/// Whether the end of an output tells of a failure, whatever the status says.
pub(in crate::link) fn tells_failure(output: &str) -> bool {
    const SAYS: [&str; 11] = [
        "Error:",
        "error:",
        "Traceback",
        "not found",
        "No such file",
        "cannot ",
        "denied",
        "Error ",
        "fatal:",
        "FAILED",
        "\"error\"",
    ];
    let end = &output[output.ceil_char_boundary(output.len().saturating_sub(300))..];
    SAYS.iter().any(|s| end.contains(s))
}
