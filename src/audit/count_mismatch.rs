//! A count of findings that differs from the list in the same message.

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::findings::Finding;

pub(super) const RULE: Rule = Rule {
    id: "count-mismatch",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** A message states how many findings (issues, problems, bugs …) there are, and lists another number of them.

**Why it matters.** Either one was lost on the way, or the count was never made; both are copied into later summaries.

**Example.** "I found 9 critical issues:" above a list of seven.

**Exceptions.** Counts of a part ("3 of which", "2 more", "at least 5", "the remaining 4"), counts of fixed findings, and counts that fit
the list in some reading: with the points in order, without repetitions, by table or by heading.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let all = &e.facts.findings.findings;
    e.facts
        .findings
        .stated
        .iter()
        .filter(|s| {
            let from = all.partition_point(|f| f.msg < s.span.msg);
            let here: Vec<&Finding> = all[from..].iter().take_while(|f| f.msg == s.span.msg).collect();
            s.listed >= 2 && s.count > 0 && !fits(s.count, s.level.as_deref(), &here)
        })
        .map(|s| {
            Discrepancy::of(&RULE, s.span.msg)
                .at(&s.span)
                .value("said", format!("{} {}", s.count, s.what))
                .value("count", s.count)
                .value("listed", s.listed)
        })
        .collect()
}

/// Whether the count fits the list in any reading.
fn fits(count: u64, level: Option<&str>, here: &[&Finding]) -> bool {
    use crate::extract::findings::FindingStatus::{Actionable, Fixed, Ok};
    let n = |test: &dyn Fn(&Finding) -> bool| {
        here.iter().filter(|f| (level.is_none() || f.level.as_deref() == level) && test(f)).count() as u64
    };
    let readings = [
        n(&|_| true),
        n(&|f| f.status != Ok),
        n(&|f| f.status == Actionable),
        n(&|f| f.status == Fixed),
        n(&|f| f.restates.is_none()),
        n(&|f| f.restates.is_none() && f.status != Ok),
        n(&|f| f.row.is_some()),
        n(&|f| f.row.is_none()),
    ];
    readings.contains(&count)
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn finds_a_count_that_the_list_belies() {
        let text = "I found 4 issues:\n- **Disk is full**: 99 %\n- **No swap space**: 0\n";
        let found = fire(&RULE, &SessionBuilder::new().assistant(text).build());
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].values["count"], &found[0].values["listed"]), (&4.into(), &2.into()));
    }

    #[test]
    fn counts_of_a_part_are_fine() {
        for text in [
            "I found 2 issues:\n- **Disk is full**: 99 %\n- **No swap space**: 0\n",
            "Issues found:\n- **Disk is full**: 99 %\n- **No swap space**: 0\n\nFixed 5 issues before, 3 more remain.",
        ] {
            assert_eq!(fire(&RULE, &SessionBuilder::new().assistant(text).build()), [], "{text}");
        }
    }
}
