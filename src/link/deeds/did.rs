//! Whether a call did a deed to an object: one reading for what is asked for and for what is told.

use serde_json::Value;

use super::commands::ways;
use super::object::{Object, Share};
use super::outcome::{plainly_worked, printed, worked};
use super::words::{WRITES, canonical, is_document, names_document, tool_words};
use crate::extract::artefacts::name;
use crate::extract::prose::{content_words, stem};
use crate::session::{ToolCall, ToolKind};

/// Whether a command of the right kind did it: it names the object, or its output does, and prints what it must. A text
/// that names the kind of thing ("pull request") needs no more names when the output shows one.
pub(in crate::link) fn commanded(verb: &str, text: &str, object: &Object, call: &ToolCall) -> bool {
    let Some(line) = call.command() else { return false };
    ways(verb, text).filter(|way| way.fits(line)).any(|way| {
        let shown = way.is_printed(printed(call));
        let named = || object.is_empty() || object.is_touched(object.share(line).or(object.share(printed(call))));
        match shown {
            Some(shown) => shown && (way.is_of_a_kind() || named()),
            None => plainly_worked(call) && named(),
        }
    })
}

/// Whether an edit did it: the file's path and the text that changed name the object, on the side that the verb needs.
pub(in crate::link) fn edited(verb: &str, object: &Object, files: &[&str], call: &ToolCall) -> bool {
    let command = call.command().unwrap_or("");
    let is_of = |file: &str| call.written_paths().iter().any(|p| name(p) == file) || command.contains(file);
    if !files.is_empty() && !files.iter().any(|f| is_of(f)) {
        return false;
    }
    if !matches!(call.kind, ToolKind::Write | ToolKind::Edit) {
        let writes = call.kind == ToolKind::Shell && WRITES.is_match(command);
        return writes && object.is_named(object.share(command));
    }
    let path = path(object, call);
    let (before, after) = sides(call);
    let (before, after) = (object.share(&before), object.share(&after));
    let side = match verb {
        "remove" => before,
        "add" | "create" => after,
        _ => before.or(after),
    };
    // Something of the object has to change there, not only to stand in the file's name.
    (object.is_named(path.or(side)) && (side != Share::default() || object.is_named(path)) || object.is_marked(path))
        && (before != after || verb != "remove")
}

/// What the paths that a call writes hold of an object.
pub(super) fn path(object: &Object, call: &ToolCall) -> Share {
    call.written_paths().iter().fold(Share::default(), |s, p| s.or(object.share(p)))
}

/// Whether all that a call writes is prose.
pub(in crate::link) fn is_prose(call: &ToolCall) -> bool {
    let paths = call.written_paths();
    if paths.is_empty() { names_document(call.command().unwrap_or("")) } else { paths.into_iter().all(is_document) }
}

/// What an edit takes out and what it puts in: lines of a patch, pairs of an edit, the content of a write.
pub(super) fn sides(call: &ToolCall) -> (String, String) {
    let input = &call.input;
    const OLD: [&str; 3] = ["old_string", "oldString", "old_str"];
    const NEW: [&str; 7] = ["new_string", "newString", "new_str", "content", "file_text", "new_source", "insert_text"];
    let (mut old, mut new) = (String::new(), String::new());
    let mut add = |fields: &Value| {
        let take = |keys: &[&str], side: &mut String| {
            for text in keys.iter().filter_map(|k| fields.get(k)?.as_str()) {
                side.push_str(text);
                side.push('\n');
            }
        };
        take(&OLD, &mut old);
        take(&NEW, &mut new);
    };
    add(input);
    input.get("edits").and_then(Value::as_array).into_iter().flatten().for_each(&mut add);
    for line in call.patch().unwrap_or_default().lines() {
        let side = if line.starts_with('-') { &mut old } else { &mut new };
        if line.starts_with(['-', '+']) {
            side.push_str(line);
            side.push('\n');
        }
    }
    (old, new)
}

/// Whether a tool did it whose own name says so, and whose result does not say another thing.
pub(in crate::link) fn by_tool(verb: &str, object: &Object, call: &ToolCall) -> bool {
    if call.kind != ToolKind::Other {
        return false;
    }
    let words = tool_words(verb).unwrap_or(std::slice::from_ref(&verb));
    let tool = call.tool.to_ascii_lowercase();
    let fits = tool.split(['_', '-', '.']).any(|part| words.contains(&part));
    let input = call.input.to_string();
    let share = object.share(&input).or(object.share(printed(call))).or(object.share(&tool.replace('_', " ")));
    fits && object.is_marked(share) && !object.is_denied(printed(call))
}

/// Whether a tool's own name says the verb and the thing of a request: `book_flight` for "book the flight".
pub(in crate::link) fn by_name(verb: &str, text: &str, call: &ToolCall) -> bool {
    if call.kind != ToolKind::Other || !worked(call) {
        return false;
    }
    let tool = call.tool.rsplit("__").next().unwrap_or(&call.tool);
    let mut parts: Vec<String> = Vec::new();
    for piece in tool.split(['_', '-', '.']) {
        let mut from = 0;
        let humps = piece.char_indices().filter(|(i, c)| *i > 0 && c.is_ascii_uppercase()).map(|(i, _)| i);
        for at in humps.chain([piece.len()]) {
            parts.push(piece[from..at].to_ascii_lowercase());
            from = at;
        }
    }
    let verbs = tool_words(canonical(verb)).unwrap_or_default();
    let is_verb = |part: &String| part == verb || verbs.contains(&part.as_str());
    let things: Vec<String> = parts.iter().filter(|p| !is_verb(p) && p.len() > 2).map(|p| stem(p)).collect();
    let said = content_words(text);
    parts.iter().any(is_verb) && !things.is_empty() && things.iter().all(|t| said.contains(t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn a_tool_is_asked_for_by_its_verb_and_thing() {
        let named = |tool: &str, verb: &str, text: &str| {
            let session = SessionBuilder::new().call(tool, json!({}), "ok").build();
            session.calls().any(|(_, call)| by_name(verb, text, call))
        };
        assert!(named("rent_bicycle", "rent", "rent the red bicycle for me"));
        assert!(named("mcp__shop__cancelOrder", "cancel", "cancel my order 77"));
        assert!(!named("rent_bicycle", "rent", "rent a boat"));
        assert!(!named("list_bicycles", "rent", "rent the bicycle"));
        assert!(named("update_order", "change", "change the order to blue"));
    }
}
