//! A build, a type check or a linter is clean.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, re};

pub(super) const KIND: Kind = Kind { read, ..EXACT };

static CLEAN: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\b(?:(?:the |our )?(?:[\w-]+ )?(?:build|compilation|type ?check(?:ing)?|typescript|tsc|lint(?:er|ing)?|eslint|clippy|ruff|mypy|cargo check)",
        r"(?: is| are| now| also| all| still| has| was| runs?| comes? (?:back|out)| again)* (?:green|clean(?:ly)?|pass(?:es|ed|ing)|succeed(?:s|ed)|successful(?:ly)?|works)",
        r"|(?:it|everything|the (?:code|project|crate|program|app|library|file)|all)(?: now| all| still)? (?:compiles|builds|compiled|built)(?: now| all)?(?: cleanly| successfully| fine| without (?:errors|warnings|any errors))?",
        r"|(?:successful|clean) build)\b"
    ))
});

/// `Test that the build passes`: an order.
static ORDER: LazyLock<Regex> = LazyLock::new(|| re(r"^\W*(?:test|run|fix|see)\b"));

fn read(sentence: &str) -> Vec<Reading> {
    CLEAN.find_iter(sentence).filter(|_| !ORDER.is_match(sentence)).map(|m| (m.range(), Matter::Build)).collect()
}
