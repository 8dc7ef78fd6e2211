//! A setting has a value.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, re};

pub(super) const KIND: Kind = Kind { read, ..EXACT };

static STATE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?:^|[,;:] |and |\*\*|✅ )(?:the )?(?P<subject>[\w./-]+(?: [\w./-]+){0,4}?)`? (?:is|are) (?:now )?(?P<value>off|on|enabled|disabled|set to `?(?P<set>[\w.-]*\w))(?:`|[.,;!)]|$)",
    )
});
/// Words that name no setting.
const EMPTY: &[&str] =
    &["it", "this", "that", "everything", "all", "they", "which", "what", "there", "here", "he", "she"];

fn read(sentence: &str) -> Vec<Reading> {
    STATE
        .captures_iter(sentence)
        .filter_map(|c| {
            let subject = c.name("subject")?;
            let words: Vec<String> = subject
                .as_str()
                .split(|c: char| !c.is_alphanumeric())
                .filter(|w| w.len() > 1)
                .map(str::to_lowercase)
                .filter(|w| !super::prose::is_stop(w))
                .collect();
            let value = c.name("set").or(c.name("value"))?;
            let end = value.end();
            (!words.is_empty() && !words.iter().any(|w| EMPTY.contains(&w.as_str()))).then(|| {
                let value = value.as_str().to_lowercase();
                (subject.start()..end, Matter::State { subject: words, value })
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_subject_and_value() {
        let one = |s: &str| match read(s).pop() {
            Some((_, Matter::State { subject, value })) => Some((subject.join(" "), value)),
            _ => None,
        };
        assert_eq!(one("NUMA balancing is now off."), Some(("numa balancing".into(), "off".into())));
        assert_eq!(one("vm.swappiness is now set to 10."), Some(("vm swappiness".into(), "10".into())));
        assert_eq!(one("It is on."), None);
        assert_eq!(one("the work is on the way"), None);
    }
}
