//! A file that is said to be written, and that no call names.

use super::claims::{judged, said};
use super::{Discrepancy, Evidence, Rule, Severity};
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
    let bare = judged(e).filter(|(_, v)| v.word == Word::NoEvidence);
    let tell = |(claim, _): (&Claim, _)| match &claim.matter {
        Matter::File { path } => Some(
            Discrepancy::of(&RULE, claim.msg)
                .at(&claim.span)
                .value("said", said(e, claim))
                .value("path", path.as_str()),
        ),
        _ => None,
    };
    bare.filter_map(tell).collect()
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
