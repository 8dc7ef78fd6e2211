//! The patch language of `apply_patch`, given to a tool of that name or to a shell.

use serde_json::Value;

use crate::session::ToolCall;

/// What a patch does to one file.
#[derive(Debug, PartialEq)]
pub(super) struct Patched<'a> {
    pub(super) path: &'a str,
    pub(super) change: PatchChange,
}

/// A file written anew (empty when it is deleted), or stretches of it replaced, with the lines around them.
#[derive(Debug, PartialEq)]
pub(super) enum PatchChange {
    Whole(String),
    Replace(Vec<(String, String)>),
}

/// The patch that a call applies, if it applies one.
pub(super) fn of_call(call: &ToolCall) -> Option<&str> {
    let fields = ["patchText", "patch", "input"].iter().filter_map(|k| call.input.get(*k)).filter_map(Value::as_str);
    let all = call.command().into_iter().chain(call.input.as_str()).chain(fields);
    all.into_iter().find(|text| text.contains("*** Begin Patch"))
}

/// The files that a patch changes, in order.
pub(super) fn files(patch: &str) -> Vec<Patched<'_>> {
    let mut out: Vec<Patched<'_>> = Vec::new();
    let mut fresh = true;
    for line in patch.lines().skip_while(|l| !l.contains("*** Begin Patch")).skip(1) {
        if let Some(rest) = line.strip_prefix("*** ") {
            fresh = true;
            let (verb, path) = rest.split_once(": ").unwrap_or((rest, ""));
            let change = match verb {
                "Add File" | "Delete File" => PatchChange::Whole(String::new()),
                "Update File" => PatchChange::Replace(Vec::new()),
                "End Patch" => break,
                _ => continue,
            };
            out.push(Patched { path: path.trim(), change });
            continue;
        }
        let Some(file) = out.last_mut() else { continue };
        match &mut file.change {
            PatchChange::Whole(text) => line.strip_prefix('+').into_iter().for_each(|l| push(text, l)),
            PatchChange::Replace(_) if line.starts_with("@@") => fresh = true,
            PatchChange::Replace(hunks) => {
                if std::mem::take(&mut fresh) {
                    hunks.push(Default::default());
                }
                let Some((old, new)) = hunks.last_mut() else { continue };
                let body = line.get(1..).unwrap_or_default();
                if !line.starts_with('+') {
                    push(old, body);
                }
                if !line.starts_with('-') {
                    push(new, body);
                }
            }
        }
    }
    out
}

fn push(to: &mut String, line: &str) {
    to.push_str(line);
    to.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_adds_and_changes_files() {
        let patch = "apply_patch <<'E'\n*** Begin Patch\n*** Add File: TODO.md\n+- [ ] paint\n+- [ ] dry\n\
            *** Update File: PLAN.md\n@@\n # Plan\n-- [ ] dig\n+- [x] dig\n@@\n-- [ ] fill\n*** End Patch\nE";
        let found = files(patch);
        let hunks = vec![
            ("# Plan\n- [ ] dig\n".to_owned(), "# Plan\n- [x] dig\n".to_owned()),
            ("- [ ] fill\n".to_owned(), String::new()),
        ];
        assert_eq!(
            found,
            [
                Patched { path: "TODO.md", change: PatchChange::Whole("- [ ] paint\n- [ ] dry\n".into()) },
                Patched { path: "PLAN.md", change: PatchChange::Replace(hunks) },
            ]
        );
    }
}
