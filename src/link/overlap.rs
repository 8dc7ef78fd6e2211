//! How much two short texts speak of the same thing: shared words, weighed.

use std::collections::BTreeMap;

use crate::extract::prose::{is_stop, offset, stem, tokens};

/// Words that say the same when work is spoken of: stems → one of them.
const SAME: &[(&str, &[&str])] = &[
    ("check", &["verifi", "valid", "confirm", "ensur", "prove", "make sure"]),
    ("benchmark", &["bench", "perf", "micro-benchmark", "microbenchmark"]),
    ("remov", &["delet", "drop", "elimin"]),
    ("creat", &["implement", "add", "generat", "produc", "make", "write", "document"]),
    ("run", &["execut", "rerun", "re-run", "start", "launch"]),
    ("fix", &["repair", "resolv", "correct", "solv"]),
    ("instal", &["setup"]),
    ("look", &["investig", "examin", "inspect", "analyz", "analys", "explor"]),
    ("chang", &["modifi", "updat", "edit"]),
    ("find", &["search", "locat", "identifi"]),
    ("save", &["store"]),
    ("config", &["configur"]),
];

/// Weight of a piece of an identifier: "numa" of `kernel.numa_balancing`.
const PIECE: f64 = 0.9;

/// Words of a text with weights: deeds count less than things, paths and identifiers more.
#[derive(Debug, Clone, Default)]
pub(super) struct Bag {
    words: BTreeMap<String, f64>,
}

impl Bag {
    /// The words of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut words = BTreeMap::new();
        for token in tokens(text) {
            // A token comes without its dashes; a flag is one name with them.
            let flag = text[..offset(text, token)].ends_with("--");
            let lower = if flag { format!("--{}", token.to_lowercase()) } else { token.to_lowercase() };
            if is_stop(&lower) {
                continue;
            }
            if is_specific(&lower) {
                words.insert(lower.clone(), 2.0);
                // Pieces of settings (`kernel.numa_balancing`) say what they are of, without the name space in front;
                // those of paths seldom do.
                let pieces =
                    if is_path(&lower) { "" } else { lower.split_once('.').map_or(lower.as_str(), |(_, name)| name) };
                for piece in pieces
                    .split(['.', '_', '-', '='])
                    .filter(|p| p.len() > 2 && p.bytes().all(|b| b.is_ascii_alphabetic()))
                {
                    // A word of a flag names nothing by itself: `--concurrency 1` is no work on concurrency.
                    let (word, weight) = plain(piece);
                    words.entry(word).or_insert(if flag { weight } else { PIECE });
                }
                if let Some(name) = lower.rsplit('/').next().filter(|n| n.len() > 2 && *n != lower) {
                    words.insert(name.to_owned(), if is_specific(name) { 2.0 } else { 1.0 });
                }
                continue;
            }
            for piece in lower.split(['-', '/', ':']).filter(|p| !p.is_empty() && !is_stop(p)) {
                let (word, weight) = plain(piece);
                words.entry(word).or_insert(weight);
            }
        }
        Self { words }
    }

    /// Share of the words of the poorer text that the other has too, and the weight shared by words for things.
    pub(super) fn against(&self, other: &Self) -> (f64, f64) {
        let (small, large) = if self.words.len() <= other.words.len() { (self, other) } else { (other, self) };
        let shared: Vec<f64> =
            small.words.iter().filter(|(w, _)| large.words.contains_key(*w)).map(|(_, v)| *v).collect();
        let total = |b: &Self| b.words.values().sum::<f64>();
        let least = total(self).min(total(other));
        if least == 0.0 {
            return (0.0, 0.0);
        }
        let things = shared.iter().filter(|v| **v >= PIECE).sum();
        ((shared.iter().sum::<f64>() / least).min(1.0), things)
    }

    /// How many words it holds.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Weight of its words for things.
    pub(super) fn things(&self) -> f64 {
        self.words.values().filter(|v| **v >= PIECE).sum()
    }

    /// Weight of the words for things that both hold.
    pub(super) fn shared_things(&self, other: &Self) -> f64 {
        other.words.iter().filter(|(w, v)| **v >= PIECE && self.words.contains_key(*w)).map(|(_, v)| *v).sum()
    }

    /// Its words.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.keys().map(String::as_str)
    }
}

/// Whether a word names one thing: it holds a path, a point, an underscore, or letters and digits.
pub(super) fn is_specific(word: &str) -> bool {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let digit = inner.bytes().any(|b| b.is_ascii_digit());
    let letter = inner.chars().any(char::is_alphabetic);
    letter
        && (inner.contains(['.', '_'])
            || inner.starts_with('/')
            || inner.matches('/').count() > 1
            || word.starts_with("--")
            || digit && inner.len() > 3)
}

/// A path, or a file name with its ending.
fn is_path(word: &str) -> bool {
    word.contains('/')
        || word
            .rsplit_once('.')
            .is_some_and(|(_, end)| (1..=4).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn plain(word: &str) -> (String, f64) {
    let stem = stem(word);
    match SAME.iter().find(|(one, others)| *one == stem || others.contains(&stem.as_str())) {
        Some(("benchmark", _)) => ("benchmark".into(), 1.0),
        Some((one, _)) => ((*one).to_owned(), 0.4),
        None => (stem, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(a: &str, b: &str) -> f64 {
        Bag::of(a).against(&Bag::of(b)).0
    }

    fn weighing(bag: &Bag, weight: f64) -> Vec<&str> {
        bag.words.iter().filter(|(_, v)| **v == weight).map(|(w, _)| w.as_str()).collect()
    }

    #[test]
    fn weighs_what_two_texts_share() {
        assert!(share("write down in notes.md", "Write notes.md with all changes") > 0.9);
        assert!(share("check that p2p works with a micro bench", "Verify P2P works with micro-benchmark") > 0.9);
        assert!(share("rerun the suite", "Document the limits") < 0.1);
        assert!(share("", "x") == 0.0);
    }

    #[test]
    fn pieces_leave_out_name_spaces_and_paths() {
        let bag = Bag::of("sysctl -w kernel.numa_balancing=0 src/auto_commit.go");
        assert_eq!(weighing(&bag, PIECE), ["balanc", "numa"]);
    }

    #[test]
    fn a_flag_is_one_name() {
        let bag = Bag::of("sed -i 's/ --old-way/ --enable-fast/' serve.sh");
        assert_eq!(weighing(&bag, 2.0), ["--enable-fast", "--old-way", "serve.sh"]);
        assert!(share("Try --enable-fast", "Try --enable-slow") < share("Try --enable-fast", "set --enable-fast"));
    }

    #[test]
    fn knows_names_of_things() {
        for word in ["a.rs", "/app", "src/net/x", "max_len", "--json", "abc5x"] {
            assert!(is_specific(word), "{word}");
        }
        for word in ["server", "cpu/gpu", "10.5", "p2p"] {
            assert!(!is_specific(word), "{word}");
        }
    }
}
