//! Two wordings side by side: the words that both hold, and those that one adds.

use serde::Serialize;

use crate::extract::prose::{is_stop, stem, tokens};

/// Words of two texts, as written, without words of no content.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Wording {
    /// Words of the second that the first holds in some form.
    pub(super) both: Vec<String>,
    /// Words of the first only.
    pub(super) left: Vec<String>,
    /// Words of the second only.
    pub(super) added: Vec<String>,
    /// Both are the same, letter case apart.
    pub(super) same: bool,
}

/// Compares what was asked with what was planned.
pub(super) fn compare(asked: &str, planned: &str) -> Wording {
    let (a, b) = (words(asked), words(planned));
    let holds = |list: &[&str], word: &str| list.iter().any(|w| form(w) == form(word));
    let own = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let (both, added): (Vec<&str>, Vec<&str>) = b.iter().copied().partition(|w| holds(&a, w));
    let left: Vec<&str> = a.iter().copied().filter(|w| !holds(&b, w)).collect();
    Wording {
        same: asked.trim().to_lowercase() == planned.trim().to_lowercase(),
        both: own(&both),
        left: own(&left),
        added: own(&added),
    }
}

fn words(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for word in tokens(text).filter(|w| !is_stop(&w.to_lowercase())) {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

fn form(word: &str) -> String {
    stem(&word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_a_wording_adds_and_leaves_out() {
        let made = compare("measure the disk again", "Measure full disk throughput");
        assert_eq!((made.both, made.left), (vec!["Measure".to_owned(), "disk".into()], vec!["again".to_owned()]));
        assert_eq!((made.added, made.same), (vec!["full".to_owned(), "throughput".into()], false));
        assert!(compare("run it", "Run it ").same);
    }
}
