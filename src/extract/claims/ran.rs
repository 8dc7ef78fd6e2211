//! Something ran, or works.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, re};

pub(super) const KIND: Kind = Kind { read, ..EXACT };

static RAN: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\b(?:(?:[\w-]+ ){0,4}?(?:runs?|ran|executes?|executed|execution|boots?|booted|trains|trained|training|completes|tests?|build and test) (?:\w+ ){0,3}?(?:successful(?:ly)?|without (?:any )?errors?)",
        r"|successful (?:execution|run|training|boot|test run|test)",
        r"|successfully (?:ran|run|executed|trained|booted|tested|executes|runs|completed the (?:run|training)))\b"
    ))
});
static WORKS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:[\w-]+ ){0,4}?(?:works?|working|functions|runs) (?:now )?(?:correctly|properly|perfectly|fine|well|flawlessly|as (?:expected|required|intended|specified)|end[- ]to[- ]end)\b|\b(?:[\w-]+ ){0,4}?fully (?:functional|operational|working)\b|\b(?:[\w-]+ ){0,4}?(?:is|are) now (?:configured and )?working\b",
    )
});
/// Words by which it need not run.
static MODAL: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b(?:should|would|could|might|may|will|ensures?|if|once|until|to)\b"));

fn read(sentence: &str) -> Vec<Reading> {
    let ran = RAN.find(sentence).map(|m| (m.range(), Matter::Ran { run: true }));
    let works = || WORKS.find(sentence).map(|m| (m.range(), Matter::Ran { run: false }));
    // The words before the verb are part of the match: `should now work correctly`.
    ran.or_else(works).into_iter().filter(|(range, _)| !MODAL.is_match(&sentence[range.clone()])).collect()
}

/// Whether a claim says what ran or works: `Fully functional` does not.
pub(super) fn has_subject(claim: &str) -> bool {
    const VERBS: &[&str] = &[
        "work",
        "run",
        "ran",
        "function",
        "fulli",
        "correct",
        "proper",
        "properli",
        "success",
        "oper",
        "perfect",
        "perfectli",
        "fine",
        "well",
        "execut",
        "complet",
        "flawless",
        "correctli",
        "successfulli",
    ];
    super::prose::content_words(claim).iter().any(|w| !VERBS.contains(&w.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_runs_from_what_works() {
        let one = |s: &str| read(s).pop().map(|(_, m)| m);
        assert_eq!(one("Ran the script successfully"), Some(Matter::Ran { run: true }));
        assert_eq!(one("Based on the successful execution"), Some(Matter::Ran { run: true }));
        assert_eq!(one("The parser works as expected."), Some(Matter::Ran { run: false }));
        assert_eq!(one("The parser is long."), None);
        assert_eq!(one("The parser should now work correctly."), None);
        assert!(!has_subject("Fully functional") && !has_subject("it works correctly"));
    }
}
