//! Fields of a record that do not hold what they should: read as unknown, and told.

use serde_json::Value;

use super::{UNTOLD, number_at, str_at};
use crate::diag::{Diag, Loc, Trouble};
use crate::session::Place;
use crate::source::todos;

/// A field that is not as it should be: the record's place, kind of the warning, pointer in the record, what is said.
pub(in crate::source) type Odd = (Place, Trouble, &'static str, &'static str);

/// What is odd about a message's record.
pub(super) fn of_info(info: &Value, place: Place, out: &mut Vec<Odd>) {
    let mut tell = |kind, pointer, text| out.push((place, kind, pointer, text));
    if !matches!(str_at(info, "role"), Some("user" | "assistant" | "system")) {
        tell(Trouble::Role, "/role", "a role that is not known, read as the program's");
    }
    if info.get("id").is_some_and(|id| !id.is_string()) {
        tell(Trouble::OddType, "/id", "the id is no text, left out");
    }
    if super::message::time(info, "created").is_none() && info.get("time").is_some() {
        tell(Trouble::Time, "/time/created", "a time that cannot be read, left unknown");
    }
    let Some(tokens) = info.get("tokens").filter(|t| !t.is_null()) else { return };
    let odd = |key: &str| tokens.get(key).is_some_and(|v| !v.is_null()) && number_at(tokens, key).is_none_or(|n| n < 0);
    if !tokens.is_object() || odd("input") || odd("output") {
        tell(Trouble::OddType, "/tokens", "token counts that cannot be read, left unknown");
    }
}

/// What is odd about a part's record.
pub(super) fn of_part(part: &Value, place: Place, out: &mut Vec<Odd>) {
    if str_at(part, "type") != Some("tool") {
        return;
    }
    let mut tell = |kind, pointer, text| out.push((place, kind, pointer, text));
    let Some(state) = part.get("state").filter(|s| s.is_object()) else {
        return tell(Trouble::OddType, "/state", "the state of a call is no object, left unknown");
    };
    let known = ["pending", "running", "completed", "success", "error", UNTOLD];
    if !str_at(state, "status").is_some_and(|s| known.contains(&s)) {
        tell(Trouble::Status, "/state/status", "the status of a call is not known, so neither is how it ended");
    }
    let input = state.get("input").unwrap_or(&Value::Null);
    if let Some((kind, text)) = todos::odd(str_at(part, "tool").unwrap_or_default(), input) {
        tell(kind, "/state/input", text);
    } else if !input.is_object() && !input.is_null() {
        tell(Trouble::OddType, "/state/input", "the input of a call is no object, kept as it is");
    }
    for (key, pointer) in [("output", "/state/output"), ("error", "/state/error")] {
        if state.get(key).is_some_and(|v| !v.is_string() && !v.is_null()) {
            tell(Trouble::OddType, pointer, "what a call gave is no text, left out");
        }
    }
}

/// The warnings about a message; `prefix` leads from the place of a message to its record.
pub(in crate::source) fn diags(odd: Vec<Odd>, message: Place, prefix: &str, file: impl Fn(u32) -> String) -> Vec<Diag> {
    let diag = |(place, kind, pointer, text): Odd| {
        let loc = Loc { file: file(place.file), line: place.line.into(), byte: place.byte };
        let prefix = if place == message { prefix } else { "" };
        Diag::warning(kind, loc, text).at(format!("{prefix}{pointer}"))
    };
    odd.into_iter().map(diag).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named() {
        let mut out = Vec::new();
        of_info(
            &json!({"role": "user", "id": "m", "time": {"created": 5}, "tokens": {"input": 1}}),
            Place::default(),
            &mut out,
        );
        of_part(
            &json!({"type": "tool", "state": {"status": "completed", "input": {}, "output": "x"}}),
            Place::default(),
            &mut out,
        );
        of_part(&json!({"type": "text", "state": 5}), Place::default(), &mut out);
        assert_eq!(out, []);
        of_info(&json!({"role": 5, "id": [], "time": "x", "tokens": {"input": "ten"}}), Place::default(), &mut out);
        of_part(&json!({"type": "tool", "state": []}), Place::default(), &mut out);
        of_part(
            &json!({"type": "tool", "tool": "todowrite", "state": {"status": "weird", "input": 7, "output": 1}}),
            Place::default(),
            &mut out,
        );
        let found: Vec<_> = out.iter().map(|o| o.2).collect();
        let want =
            ["/role", "/id", "/time/created", "/tokens", "/state", "/state/status", "/state/input", "/state/output"];
        assert_eq!(found, want);
        let diag = diags(out, Place::default(), "/info", |_| "x".into()).remove(0);
        assert_eq!((diag.kind.word(), diag.pointer.as_deref()), ("role", Some("/info/role")));
    }
}
