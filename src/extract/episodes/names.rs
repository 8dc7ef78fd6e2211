//! What a tool does by the words of its name or of its task, for tools that no list knows.

use super::Phase;

/// Beginnings of words, and the phase of work that they name. The first word of a name that is listed decides.
const WORDS: &[(&str, Phase)] = &[
    ("bench", Phase::Measure),
    ("measur", Phase::Measure),
    ("profil", Phase::Measure),
    ("plan", Phase::Plan),
    ("todo", Phase::Plan),
    ("test", Phase::Verify),
    ("verif", Phase::Verify),
    ("valid", Phase::Verify),
    ("run", Phase::Verify),
    ("exec", Phase::Verify),
    ("eval", Phase::Verify),
    ("lint", Phase::Verify),
    ("build", Phase::Verify),
    ("compil", Phase::Verify),
    ("review", Phase::Verify),
    ("express", Phase::Report),
    ("expla", Phase::Report),
    ("analy", Phase::Report),
    ("discard", Phase::Report),
    ("summar", Phase::Report),
    ("report", Phase::Report),
    ("answer", Phase::Report),
    ("finish", Phase::Report),
    ("submit", Phase::Report),
    ("respon", Phase::Report),
    ("hypothes", Phase::Report),
    ("complet", Phase::Report),
    ("search", Phase::Diagnose),
    ("find", Phase::Diagnose),
    ("grep", Phase::Diagnose),
    ("locat", Phase::Diagnose),
    ("locali", Phase::Diagnose),
    ("get", Phase::Diagnose),
    ("list", Phase::Diagnose),
    ("read", Phase::Diagnose),
    ("view", Phase::Diagnose),
    ("show", Phase::Diagnose),
    ("extract", Phase::Diagnose),
    ("fetch", Phase::Diagnose),
    ("query", Phase::Diagnose),
    ("descri", Phase::Diagnose),
    ("inspect", Phase::Diagnose),
    ("investig", Phase::Diagnose),
    ("explor", Phase::Diagnose),
    ("research", Phase::Diagnose),
    ("understand", Phase::Diagnose),
    ("audit", Phase::Diagnose),
    ("check", Phase::Diagnose),
    ("look", Phase::Diagnose),
    ("open", Phase::Diagnose),
    ("collect", Phase::Diagnose),
    ("brows", Phase::Diagnose),
    ("navigat", Phase::Diagnose),
    ("snapshot", Phase::Diagnose),
    ("screenshot", Phase::Diagnose),
    ("status", Phase::Diagnose),
    ("log", Phase::Diagnose),
    ("reproduc", Phase::Diagnose),
    ("debug", Phase::Diagnose),
    ("scan", Phase::Diagnose),
    ("map", Phase::Diagnose),
    ("write", Phase::Act),
    ("creat", Phase::Act),
    ("edit", Phase::Act),
    ("updat", Phase::Act),
    ("patch", Phase::Act),
    ("fix", Phase::Act),
    ("appl", Phase::Act),
    ("insert", Phase::Act),
    ("delet", Phase::Act),
    ("remov", Phase::Act),
    ("set", Phase::Act),
    ("add", Phase::Act),
    ("move", Phase::Act),
    ("renam", Phase::Act),
    ("generat", Phase::Act),
    ("suggest", Phase::Act),
    ("modif", Phase::Act),
    ("replac", Phase::Act),
    ("refactor", Phase::Act),
    ("implement", Phase::Act),
    ("commit", Phase::Act),
    ("push", Phase::Act),
    ("merg", Phase::Act),
    ("deploy", Phase::Act),
    ("instal", Phase::Act),
    ("click", Phase::Act),
    ("fill", Phase::Act),
];

/// The phase that a name such as `mcp__tracker__search_issues` speaks of.
pub(super) fn phase(name: &str) -> Option<Phase> {
    let own = name.rsplit("__").next().unwrap_or(name);
    words(own).take(12).find_map(known)
}

/// The phase of a task such as "Find the parser": its verb comes first, later words may be things.
pub(super) fn task(description: &str) -> Option<Phase> {
    words(description).next().and_then(known)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(humps).filter(|w| !w.is_empty())
}

/// The phase that a word names. Short beginnings are whole words: "set" is none of "settings".
fn known(word: &str) -> Option<Phase> {
    let word = word.to_ascii_lowercase();
    let fits = |start: &str| if start.len() < 4 { word == start } else { word.starts_with(start) };
    WORDS.iter().find(|(start, _)| fits(start)).map(|(_, phase)| *phase)
}

/// Splits `camelCase` into its words.
fn humps(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    let mut before = '_';
    for (at, c) in word.char_indices() {
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            parts.push(&word[from..at]);
            from = at;
        }
        before = c;
    }
    parts.push(&word[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_that_is_known_decides() {
        for (name, phase_of) in [
            ("mcp__tracker__search_issues", Some(Phase::Diagnose)),
            ("createPullRequest", Some(Phase::Act)),
            ("run_suite", Some(Phase::Verify)),
            ("benchmarkAll", Some(Phase::Measure)),
            ("attempt_completion", Some(Phase::Report)),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(phase(name), phase_of, "{name}");
        }
        assert_eq!(task("Explore the code that writes reports"), Some(Phase::Diagnose));
        assert_eq!(task("Settings of the runtime"), None);
        assert_eq!(task("Firmware test"), None);
    }
}
