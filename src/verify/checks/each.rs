//! `10 agents, each with its own topic … These agents checked a, b and c`: as many are listed as are counted.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::verify::words::{NUMBER, number};
use crate::verify::{Finding, Kind};

static LISTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:they|(?:these|those|the)\s+(?:\w+\s+){0,2}?([a-z]+))\s+(?:checked|examined|investigated|covered|looked at|tested|read|explored|were|are|was|is)\s+(?:on\s+)?(.+)$")
        .expect("a constant pattern")
});
static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i)(?-u:\b)({NUMBER})\s+(?:[\w-]+\s+){{0,3}}?([a-z]+s)(?-u:\b)"))
        .expect("a constant pattern")
});

static IN_BRACKETS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\((\d+)\):\s*$").expect("a constant pattern"));

/// `Findings left out (12):` and the bullets that follow.
fn bullets(scene: &Scene<'_>) -> Option<Finding> {
    let stated: usize = IN_BRACKETS.captures(scene.text())?[1].parse().ok()?;
    let own = scene.sentence().depth;
    let listed = scene.sentences[scene.at + 1..].iter().take_while(|s| s.depth > own);
    let listed =
        listed.filter(|s| s.depth == own + 1).map(|s| s.group).collect::<std::collections::BTreeSet<_>>().len();
    let shown = scene.scope().into_iter().take(1);
    (listed > 0).then(|| match listed == stated {
        true => Finding::supported(Kind::Count, format!("{listed} are listed")).shown_by(shown),
        false => Finding::contradicted(Kind::Count, format!("{stated} stated, {listed} listed")).shown_by(shown),
    })
}

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    bullets(scene).into_iter().chain(one_each(scene)).collect()
}

fn one_each(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(before) = scene.before() else { return Vec::new() };
    if !before.text.to_lowercase().contains(" each ") {
        return Vec::new();
    }
    let Some(list) = LISTS.captures(scene.text()) else { return Vec::new() };
    let noun = list.get(1).map_or("", |m| m.as_str());
    let Some(stated) = COUNTED
        .captures_iter(&before.text)
        .filter(|c| noun.is_empty() || c[2].eq_ignore_ascii_case(noun))
        .find_map(|c| number(&c[1]))
    else {
        return Vec::new();
    };
    let listed = members(&list[2]);
    if listed < 3 || listed as u64 == stated {
        return Vec::new();
    }
    let reason = format!("{stated} are counted, each with one; {listed} are listed");
    vec![Finding::contradicted(Kind::Count, reason)]
}

/// Members of `a, b, and c`.
fn members(list: &str) -> usize {
    let end = list.find(['.', ';', ':']).unwrap_or(list.len());
    let list = &list[..end];
    let commas: Vec<&str> = list.split(',').map(str::trim).filter(|m| !m.is_empty()).collect();
    match commas.last() {
        // Without a comma before "and" the last member holds two.
        Some(last) if commas.len() > 1 && !last.starts_with("and ") && last.contains(" and ") => commas.len() + 1,
        _ => commas.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_members_with_and_without_the_last_comma() {
        assert_eq!(members("a, b, and c."), 3);
        assert_eq!(members("a, b and c"), 3);
        assert_eq!(members("a/b x, c"), 2);
    }
}
