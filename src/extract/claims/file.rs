//! A file was written.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, re};

pub(super) const KIND: Kind = Kind { read, ..EXACT };

static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\b(?:i(?:'ve|’ve| have)? |(?:is|are|was|were|been) |^\W*|and )(?:now |also |all |successfully )?(?:saved|wrote|written|created|documented|stored|exported|recorded|generated)\b[^.;:]{0,60}?",
        r#"[`"(* ]((?:[~\w.-]*/)*[\w-][\w.-]*\.(?:md|txt|jsonl?|csv|tsv|html|pdf|png|svg|py|rs|ts|tsx|js|go|sh|toml|ya?ml|sql|log|c|cpp|h|java|bin|parquet|xml|ipynb|zip|gz|conf|cfg|ini))\b"#
    ))
});

fn read(sentence: &str) -> Vec<Reading> {
    let written = |c: regex::Captures<'_>| {
        let path = c.get(1)?;
        let start = c.get(0)?.start();
        Some((start..path.end(), Matter::File { path: path.as_str().to_owned() }))
    };
    WRITTEN.captures_iter(sentence).filter_map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_path() {
        let path = |s: &str| match read(s).pop() {
            Some((_, Matter::File { path })) => Some(path),
            _ => None,
        };
        assert_eq!(path("I documented everything in `docs/report.md`."), Some("docs/report.md".into()));
        assert_eq!(path("Created /app/run.sh with the loop"), Some("/app/run.sh".into()));
        assert_eq!(path("The results were saved to out.csv"), Some("out.csv".into()));
        assert_eq!(path("Look at out.csv"), None);
    }
}
