//! A file that the agent said it would write, and nothing wrote.

use aho_corasick::AhoCorasick;

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::artefacts::{Artefact, name};
use crate::session::{MsgIx, Span};

pub(super) const RULE: Rule = Rule {
    id: "promised-file-missing",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** The agent says that it will write a named file, and no later call names that file.

**Why it matters.** The file is referred to as if it existed.

**Example.** "I'll document the steps in `notes/setup.md`", and nothing after mentions `setup.md` in a call.

**Exceptions.** Any later call or output that holds the file's name counts as written; a promise in the last reply is no breach; what the user refused or
interrupted is none either.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let promised: Vec<(&Artefact, &Span)> = e
        .facts
        .artefacts
        .iter()
        .filter(|a| a.written.is_empty())
        .filter_map(|a| Some((a, a.promised.as_ref()?)))
        .collect();
    let Ok(names) = AhoCorasick::new(promised.iter().map(|(a, _)| name(&a.path))) else { return Vec::new() };
    if promised.is_empty() {
        return Vec::new();
    }
    let mut seen = vec![false; promised.len()];
    for (r, call) in e.session.calls() {
        let input = call.input.to_string();
        let output = call.result.as_ref().map_or("", |x| x.text.as_str());
        for text in [input.as_str(), output] {
            for hit in names.find_overlapping_iter(text) {
                let at = hit.pattern().as_usize();
                seen[at] |= r.msg >= promised[at].1.msg;
            }
        }
    }
    let kept = promised.iter().zip(seen).filter(|((_, span), seen)| !seen && went_on(e, span.msg));
    kept.map(|((a, span), _)| Discrepancy::of(&RULE, span.msg).at(span).value("path", a.path.clone())).collect()
}

/// Whether the agent called a tool after the promise, and the user did not speak before that.
fn went_on(e: &Evidence<'_>, msg: MsgIx) -> bool {
    let thread = e.session.message(msg).thread;
    let later = e.session.messages[msg.at() + 1..].iter().filter(|m| m.thread == thread);
    later
        .take_while(|m| m.role == crate::session::Role::Assistant)
        .filter(|m| m.calls().next().is_some())
        .take(3)
        .count()
        == 3
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    fn session(last: &str) -> crate::session::Session {
        SessionBuilder::new()
            .assistant("I'll write the steps to notes/setup.md and then test.")
            .shell("ls", 0, "a")
            .shell("make", 0, "ok")
            .shell(last, 0, "ok")
            .build()
    }

    #[test]
    fn finds_a_file_that_nothing_wrote() {
        let found = fire(&RULE, &session("make test"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].values["path"], "notes/setup.md");
    }

    #[test]
    fn a_mention_in_a_command_is_enough() {
        assert_eq!(fire(&RULE, &session("python gen.py -o setup.md")), []);
    }
}
