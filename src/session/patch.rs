//! The patch language of `apply_patch`, the one place that reads it.

use std::borrow::Cow;

use serde_json::Value;

/// How a patch begins.
const START: &str = "*** Begin Patch";
/// How it ends.
const END: &str = "*** End Patch";

/// A line that names a file of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark<'a> {
    /// A file that is made.
    Add(&'a str),
    /// A file of which stretches are replaced.
    Update(&'a str),
    /// A file that is taken away.
    Delete(&'a str),
    /// Where the file named before goes.
    MoveTo(&'a str),
}

/// What a patch does to one file.
#[derive(Debug, PartialEq)]
pub(crate) struct Patched<'a> {
    pub(crate) path: &'a str,
    pub(crate) change: PatchChange,
}

/// A file written anew (empty when it is deleted), or stretches of it replaced, with the lines around them.
#[derive(Debug, PartialEq)]
pub(crate) enum PatchChange {
    Whole(String),
    Replace(Vec<(String, String)>),
}

impl<'a> Mark<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let (verb, path) = line.strip_prefix("*** ")?.split_once(": ")?;
        let path = path.trim();
        match verb {
            "Add File" => Some(Self::Add(path)),
            "Update File" => Some(Self::Update(path)),
            "Delete File" => Some(Self::Delete(path)),
            "Move to" => Some(Self::MoveTo(path)),
            _ => None,
        }
    }

    /// The path that stands in the line.
    pub(crate) fn path(self) -> &'a str {
        match self {
            Self::Add(path) | Self::Update(path) | Self::Delete(path) | Self::MoveTo(path) => path,
        }
    }

    /// The path, if the file is there when the patch is applied and was changed by it.
    pub(crate) fn written(self) -> Option<&'a str> {
        (!matches!(self, Self::Delete(_))).then(|| self.path())
    }
}

/// The text from where a patch begins.
pub(super) fn start(text: &str) -> Option<&str> {
    text.find(START).map(|at| &text[at..])
}

/// The patch in the input of a tool that takes one.
pub(super) fn of_input(input: &Value) -> Option<&str> {
    let fields = ["patchText", "patch", "input"].iter().filter_map(|k| input.get(*k)?.as_str());
    input.as_str().into_iter().chain(fields).find_map(start)
}

/// Lines of the patches that a text holds; nothing between two of them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let was = inside;
        inside = if was { !line.starts_with(END) } else { line.contains(START) };
        was && inside
    })
}

/// The lines that name files, in order.
pub(crate) fn marks(text: &str) -> impl Iterator<Item = Mark<'_>> {
    lines(text).filter_map(Mark::of)
}

/// The files that are changed, in order.
pub(crate) fn files(text: &str) -> Vec<Patched<'_>> {
    let mut out: Vec<Patched<'_>> = Vec::new();
    let mut fresh = true;
    for line in lines(text) {
        if line.starts_with("*** ") {
            fresh = true;
            let change = match Mark::of(line) {
                Some(Mark::Add(_) | Mark::Delete(_)) => PatchChange::Whole(String::new()),
                Some(Mark::Update(_)) => PatchChange::Replace(Vec::new()),
                Some(Mark::MoveTo(_)) | None => continue,
            };
            out.extend(Mark::of(line).map(|mark| Patched { path: mark.path(), change }));
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

/// A command without the patches in it, which are no commands.
pub(crate) fn without(command: &str) -> Cow<'_, str> {
    let (mut out, mut rest) = (String::new(), command);
    while let Some(at) = rest.find(START) {
        out.push_str(&rest[..at]);
        rest = rest[at..].find(END).map_or("", |end| &rest[at + end + END.len()..]);
    }
    if out.is_empty() && rest.len() == command.len() { Cow::Borrowed(command) } else { Cow::Owned(out + rest) }
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

    #[test]
    fn what_stands_between_two_patches_is_in_none() {
        let patch = |file: &str| {
            format!("*** Begin Patch\n*** Update File: {file}\n*** Move to: {file}.old\n@@\n+x\n*** End Patch\n")
        };
        let text = format!("{}*** Delete File: c\n{}*** Add File: d\n", patch("a"), patch("b"));
        let want = [Mark::Update("a"), Mark::MoveTo("a.old"), Mark::Update("b"), Mark::MoveTo("b.old")];
        assert_eq!(marks(&text).collect::<Vec<_>>(), want);
        assert_eq!(without(&text), "\n*** Delete File: c\n\n*** Add File: d\n");
        assert_eq!(files(&text).len(), 2);
    }

    #[test]
    fn a_command_without_a_patch_stays() {
        assert!(matches!(without("cat a > b"), Cow::Borrowed("cat a > b")));
        assert_eq!(without("a *** Begin Patch\nb"), "a ");
    }
}
