//! A file that is said to be written, and that no call names.

use aho_corasick::AhoCorasick;

use super::claims::{judged, said, sees_all};
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::artefacts::name;
use crate::extract::claims::{Claim, Matter};
use crate::link::claims::Word;

pub(super) const RULE: Rule = Rule {
    id: "claimed-file-missing",
    severity: Severity::High,
    experimental: true,
    doc: r#"
**What it finds.** The agent says that it wrote a named file, and no call before that names the file, in its input or in its result.

**Why it matters.** The reader looks for a file that may not exist.

**Example.** "I saved the figures to `figures.csv`", and `figures.csv` stands in no call.

**Exceptions.** Sessions with subagents, after a compaction, and copies of other sessions, where the writing may stand elsewhere; sessions without any call;
files that a user's message or a program's text names.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let bare: Vec<(&Claim, &str)> = judged(e)
        .filter(|(c, v)| v.word == Word::NoEvidence && sees_all(e, c))
        .filter_map(|(c, _)| match &c.matter {
            Matter::File { path } => Some((c, path.as_str())),
            _ => None,
        })
        .collect();
    let Ok(names) = AhoCorasick::new(bare.iter().map(|(_, path)| name(path))) else { return Vec::new() };
    if bare.is_empty() || e.facts.calls.is_empty() {
        return Vec::new();
    }
    let mut seen = vec![false; bare.len()];
    let mut look = |text: &str| {
        for hit in names.find_overlapping_iter(text) {
            seen[hit.pattern().as_usize()] = true;
        }
    };
    for (_, call) in e.session.calls() {
        look(&call.input.to_string());
        look(call.result.as_ref().map_or("", |r| r.text.as_str()));
    }
    for text in e.session.texts().filter(|t| t.provenance != crate::session::Provenance::Assistant) {
        look(text.text);
    }
    let missing = bare.into_iter().zip(seen).filter(|(_, seen)| !seen);
    let tell = |(claim, path): (&Claim, &str)| {
        Discrepancy::of(&RULE, claim.msg).at(&claim.span).value("said", said(e, claim)).value("path", path)
    };
    missing.map(|(c, _)| tell(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn finds_a_file_that_no_call_names() {
        let session = |command: &str| {
            SessionBuilder::new().shell(command, 0, "").assistant("I saved the figures to `figures.csv`.").build()
        };
        assert_eq!(fire(&RULE, &session("ls")).len(), 1);
        assert_eq!(fire(&RULE, &session("python plot.py --out figures.csv")), []);
    }
}
