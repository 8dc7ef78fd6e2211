//! Splits a sentence into directives.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Polarity;
use super::labels;
use super::verbs::{LEADS, REQUESTS, SUBORDINATE, is_base, is_verb};
use super::words::{Word, words};
use crate::extract::prose::re;

/// One directive of a sentence; ranges are bytes of the sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) whole: Range<usize>,
    pub(super) verb: String,
    pub(super) object: Range<usize>,
    pub(super) polarity: Polarity,
}

static PROHIBITION: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:please )?(?:(?:do not|don'?t|don’t|never|you (?:must|should|may|can) ?not|you (?:shouldn'?t|mustn'?t)|dont|must not|no need to|avoid|refrain from)(?: ever| just)? ([\w-]+))",
    )
});
static NO_NEW: LazyLock<Regex> = LazyLock::new(|| re(r"^no (?:new|additional|extra|external|further|other|more) \w+"));
static MODAL: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(.{1,160}?) (should|must|shall|needs? to|has to|have to|ought to|(?:can|may) only)( not| never|n't)?(?: also| only| always| just| still| then| now)?( not)?(?: be able to)?( be)?(?: only)? ([\w-]+)",
    )
});
/// A second condition on the same subject: "… and called with x".
static FURTHER: LazyLock<Regex> =
    LazyLock::new(|| re(r",? and (?:be |must be |should be )?(\w+(?:ed|en)) (?:with|in|as|at|to|by|from|on)\b"));
static SAVES: LazyLock<Regex> =
    LazyLock::new(|| re(r"^(saved|stored|written|pushed|placed|put|exported|created|added|removed|deleted)$"));
static CONSTRAINT: LazyLock<Regex> = LazyLock::new(|| {
    re(r"\bfor (exactly|only|at most|at least) \d|\bat a time\b|, not \w+|^(name|call) (this|the|your|it)\b|^only\b")
});

/// A question whose mark was left out.
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\W*(?:(?:so|but|and|ok|okay|wait|hm+|also|now|then|btw)\W+)*(?:(?:do|have) (?:we|i|they|you)|(?:does|did|is|are|was|were|has|had|should|could|would|doesn['’]t|isn['’]t|aren['’]t) (?:we|i|they|it|he|she|this|that|these|those|there|the))\b",
    )
});

/// The directives of one sentence.
pub(super) fn read(sentence: &str) -> Vec<Clause> {
    if let Some(at) = labels::end(sentence) {
        let shifted = |r: Range<usize>| r.start + at..r.end + at;
        let shift = |c: Clause| Clause { whole: shifted(c.whole), object: shifted(c.object), ..c };
        return unlabelled(&sentence[at..]).into_iter().map(shift).collect();
    }
    unlabelled(sentence)
}

/// The directives of a sentence without its label.
fn unlabelled(sentence: &str) -> Vec<Clause> {
    let asks = sentence.trim_end().ends_with('?') && sentence.trim_start().to_lowercase().starts_with("do ");
    if asks || QUESTION.is_match(sentence) || labels::is_idle(sentence) {
        return Vec::new();
    }
    let words = words(sentence);
    let mut found = imperatives(sentence, &words);
    // "Let me try it" tells what the user does.
    let own = |c: &Clause| {
        let told = sentence[c.object.clone()].trim_start().to_lowercase();
        c.verb == "let"
            && told.starts_with("me ")
            && !["me know", "me see", "me have"].iter().any(|w| told.starts_with(w))
    };
    found.retain(|c| !own(c));
    if found.is_empty() {
        found = prohibitions_behind_a_colon(sentence, &words);
    }
    if found.is_empty() {
        found = requirement(sentence).unwrap_or_default();
    }
    if found.is_empty() {
        found.extend(aside_prohibition(sentence));
    }
    found
}

/// "The tool runs unattended: don't ask, just proceed": what stands behind the colon starts anew.
fn prohibitions_behind_a_colon(sentence: &str, words: &[Word<'_>]) -> Vec<Clause> {
    let Some(colon) = sentence.find(": ") else { return Vec::new() };
    let at = words.iter().position(|w| w.start > colon && !w.inside);
    match at {
        Some(at) if is_prohibition(sentence, words, at) => imperatives(sentence, &words[at..]),
        _ => Vec::new(),
    }
}

fn imperatives(sentence: &str, words: &[Word<'_>]) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    let lower = sentence.to_lowercase();
    let first = words.first().map(|w| w.text.to_lowercase()).unwrap_or_default();
    let open = SUBORDINATE.contains(&first.as_str()) || REQUESTS.iter().any(|r| lower.contains(r));
    let mut at = 0;
    while at < words.len() {
        if !boundary(words, at) || !(at == 0 || open || !found.is_empty()) {
            at += 1;
            continue;
        }
        let Some((verb, clause)) = clause(sentence, words, at) else {
            at += 1;
            continue;
        };
        if let Some(last) = found.last_mut() {
            close(sentence, last, words[at].start);
        }
        found.push(clause);
        at = verb + 1;
    }
    for c in &mut found {
        if c.polarity == Polarity::Do && CONSTRAINT.is_match(&sentence[c.whole.clone()]) {
            c.polarity = Polarity::Constraint;
        }
    }
    found
}

/// Whether a clause may start at this word.
fn boundary(words: &[Word<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|i| words[i]) else { return true };
    if words[at].inside {
        return false;
    }
    let joint = matches!(before.text.to_lowercase().as_str(), "and" | "then" | "but" | "+" | "&");
    if joint && infinitive_before(words, at - 1) {
        return false;
    }
    joint || words[at].after_comma || matches!(words[at].text.to_lowercase().as_str(), "please" | "then")
}

/// "a way to compile and run": the verb before "and" hangs on "to".
fn infinitive_before(words: &[Word<'_>], joint: usize) -> bool {
    joint >= 2
        && !words[joint].after_comma
        && is_base(words[joint - 1].text)
        && words[joint - 2].text.eq_ignore_ascii_case("to")
        && joint >= 3
}

/// The clause that starts at word `at`, after requests and words of order; with the position of its verb.
fn clause(sentence: &str, words: &[Word<'_>], at: usize) -> Option<(usize, Clause)> {
    let mut i = at;
    while let Some(next) = skip_lead(sentence, words, i) {
        if is_prohibition(sentence, words, i) {
            break;
        }
        i = next;
    }
    while words.get(i).is_some_and(|w| {
        w.text.ends_with("ly")
            && w.text.len() > 4
            && !matches!(w.text.to_lowercase().as_str(), "apply" | "reply" | "only" | "supply")
    }) {
        i += 1;
    }
    let word = words.get(i)?;
    let rest = &sentence[word.start..];
    let whole = word.start..trim_end(sentence, sentence.len());
    if let Some(c) = PROHIBITION.captures(rest) {
        let verb = c.get(1).map_or("", |m| m.as_str()).to_lowercase();
        let skipped =
            words.iter().skip(i).take_while(|w| w.start < word.start + c.get(0).map_or(0, |m| m.end())).count();
        let object = word.start + c.get(0).map_or(0, |m| m.end())..whole.end;
        return Some((i + skipped.max(1) - 1, Clause { whole, verb, object, polarity: Polarity::Dont }));
    }
    if at == 0 && NO_NEW.is_match(rest) {
        return Some((i, Clause { object: word.end..whole.end, whole, verb: "no".into(), polarity: Polarity::Dont }));
    }
    if word.text.eq_ignore_ascii_case("only") && words.get(i + 1).is_some_and(|w| is_base(w.text)) {
        let verb = words[i + 1];
        return Some((
            i + 1,
            Clause {
                whole,
                verb: verb.text.to_lowercase(),
                object: verb.end..trim_end(sentence, sentence.len()),
                polarity: Polarity::Constraint,
            },
        ));
    }
    let next = words.get(i + 1).map(|w| w.text);
    let label = sentence[word.end..].starts_with(':') && i == 0;
    if word.inside || label || !is_verb(word.text, next, i == at && at == 0 || i > at) {
        return None;
    }
    let mut last = i;
    // "Find and download the archives" is one directive.
    if next.is_some_and(|n| n == "and" || n == "&") && words.get(i + 2).is_some_and(|w| is_base(w.text)) {
        last = i + 2;
    } else if let Some(particle) = words.get(i + 1).filter(|w| is_particle(word.text, w.text)) {
        last = i + usize::from(particle.start > 0);
    }
    let verb = sentence[word.start..words[last].end].to_lowercase();
    let polarity = if keeps(&verb) { Polarity::Constraint } else { Polarity::Do };
    Some((last, Clause { object: words[last].end..whole.end, whole, verb, polarity }))
}

/// "keep" asks that something stays as it is.
fn keeps(verb: &str) -> bool {
    matches!(verb, "keep" | "preserve" | "maintain" | "minimize")
}

fn is_particle(verb: &str, next: &str) -> bool {
    matches!(
        (verb.to_lowercase().as_str(), next.to_lowercase().as_str()),
        ("make", "sure")
            | ("figure", "out")
            | ("set", "up")
            | ("turn", "on" | "off")
            | ("clean", "up")
            | ("write", "down")
            | ("roll", "back")
            | ("go", "on" | "ahead")
            | ("find", "out")
            | ("look", "up" | "into" | "at" | "for")
            | ("wire", "up")
            | ("start", "up")
    )
}

fn is_prohibition(sentence: &str, words: &[Word<'_>], i: usize) -> bool {
    words.get(i).is_some_and(|w| PROHIBITION.is_match(&sentence[w.start..]))
}

/// The word after a request or word of order at `i`.
fn skip_lead(sentence: &str, words: &[Word<'_>], i: usize) -> Option<usize> {
    let word = words.get(i)?;
    let rest = &sentence[word.start..];
    let lead = LEADS.iter().find(|lead| {
        rest.get(..lead.len()).is_some_and(|r| r.eq_ignore_ascii_case(lead))
            && !rest[lead.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '-' || c == '_')
    })?;
    let end = word.start + lead.len();
    let next = words.iter().skip(i).position(|w| w.start >= end).map(|n| i + n)?;
    // "first read the spec" has an order, "first" alone none; "help" is a verb when nothing else follows.
    (next > i).then_some(next)
}

/// Ends a clause before the next one starts: without the joint and the comma.
fn close(sentence: &str, clause: &mut Clause, next: usize) {
    let mut end = trim_end(sentence, next);
    for joint in [" and", " then", " but", " +", " &"] {
        if sentence[..end].to_lowercase().ends_with(joint) {
            end = trim_end(sentence, end - joint.len());
        }
    }
    clause.whole.end = end.max(clause.whole.start);
    clause.object.end = end.max(clause.object.start);
}

fn trim_end(sentence: &str, end: usize) -> usize {
    sentence[..end].trim_end_matches(|c: char| c.is_whitespace() || ",;.!?:".contains(c)).len()
}

/// "The tool should be called …": a condition on the result.
fn requirement(sentence: &str) -> Option<Vec<Clause>> {
    if sentence.trim_end().ends_with('?') {
        return None;
    }
    let c = MODAL.captures(sentence)?;
    let subject = c.get(1)?.as_str().to_lowercase();
    let first = subject.split_whitespace().next()?;
    let asks = ["what", "why", "how", "which", "when", "if", "it", "that", "there", "this", "you"];
    let vague = asks.contains(&first) && !matches!(subject.as_str(), "it" | "this" | "you");
    let told = matches!(first, "i" | "we") && !sentence.to_lowercase().contains("be able to");
    if vague || told || subject.split_whitespace().count() > 14 {
        return None;
    }
    let verb = c.get(6)?;
    let negated = c.get(3).or(c.get(4)).is_some();
    let polarity = |verb: &str| match (negated, SAVES.is_match(verb)) {
        (true, _) => Polarity::Dont,
        (false, true) => Polarity::Do,
        _ => Polarity::Constraint,
    };
    let end = trim_end(sentence, sentence.len());
    let joint = FURTHER.captures(&sentence[verb.end()..]);
    let first_end = joint.as_ref().and_then(|j| j.get(0)).map_or(end, |m| verb.end() + m.start());
    let named =
        !matches!(verb.as_str(), "a" | "an" | "the" | "less" | "more" | "at" | "in" | "no" | "exactly" | "as" | "one");
    let object = if named { verb.end() } else { verb.start() };
    let word = if named { verb.as_str().to_lowercase() } else { "be".to_owned() };
    let mut found = vec![Clause {
        whole: 0..first_end,
        verb: word,
        object: object.min(first_end)..first_end,
        polarity: polarity(verb.as_str()),
    }];
    if let Some(more) = joint.as_ref().and_then(|j| j.get(1)) {
        let (from, to) = (verb.end() + more.start(), verb.end() + more.end());
        found.push(Clause {
            whole: from..end,
            verb: more.as_str().to_lowercase(),
            object: to..end,
            polarity: polarity(more.as_str()),
        });
    }
    Some(found)
}

/// "- `a.ini` (DO NOT MODIFY)": the object stands before the brackets.
fn aside_prohibition(sentence: &str) -> Option<Clause> {
    static ASIDE: LazyLock<Regex> = LazyLock::new(|| re(r"\((?:do not|don'?t|never) ([\w-]+)\b[^()]*\)"));
    let c = ASIDE.captures(sentence)?;
    let (all, verb) = (c.get(0)?, c.get(1)?);
    let object = 0..trim_end(sentence, all.start());
    Some(Clause { whole: 0..all.end(), verb: verb.as_str().to_lowercase(), object, polarity: Polarity::Dont })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(sentence: &str) -> Vec<(String, &str, Polarity)> {
        read(sentence).into_iter().map(|c| (c.verb, sentence[c.object].trim(), c.polarity)).collect()
    }

    fn act(verb: &str, object: &'static str) -> (String, &'static str, Polarity) {
        (verb.into(), object, Polarity::Do)
    }

    #[test]
    fn splits_at_verbs() {
        assert_eq!(
            split("write down in notes.md, apply the fixes, check that it works, then rerun the suite"),
            [
                act("write down", "in notes.md"),
                act("apply", "the fixes"),
                act("check", "that it works"),
                act("rerun", "the suite")
            ]
        );
        assert_eq!(split("Find and download the archives"), [act("find and download", "the archives")]);
        assert_eq!(
            split("Can you profile the loader and tell me why?"),
            [act("profile", "the loader"), act("tell", "me why")]
        );
        assert_eq!(split("Write a way to compile and run it"), [act("write", "a way to compile and run it")]);
        assert_eq!(split("When you are done, write the end to a.txt"), [act("write", "the end to a.txt")]);
        assert_eq!(split("Add docs, tests and build scripts"), [act("add", "docs, tests"), act("build", "scripts")]);
    }

    #[test]
    fn knows_prohibitions_and_conditions() {
        assert_eq!(split("don't touch the config"), [("touch".into(), "the config", Polarity::Dont)]);
        assert_eq!(
            split("install the driver but do not reboot"),
            [act("install", "the driver"), ("reboot".into(), "", Polarity::Dont)]
        );
        assert_eq!(split("The model must be saved as m.bin"), [act("saved", "as m.bin")]);
        assert_eq!(split("The tool should be called with x"), [("called".into(), "with x", Polarity::Constraint)]);
        assert_eq!(split("only touch src/net"), [("touch".into(), "src/net", Polarity::Constraint)]);
    }

    #[test]
    fn splits_conditions_and_reads_brackets() {
        use Polarity::{Constraint, Dont};
        assert_eq!(
            split("The tool should be written in C and called with x"),
            [("written".into(), "in C", Polarity::Do), ("called".into(), "with x", Constraint)]
        );
        assert_eq!(split("Your output should be a file"), [("be".into(), "a file", Constraint)]);
        assert_eq!(
            split("`a.py` - the old script (DO NOT MODIFY)"),
            [("modify".into(), "`a.py` - the old script", Dont)]
        );
    }

    #[test]
    fn statements_and_questions_hold_none() {
        for text in [
            "I ran the tests and they fail",
            "Let me try another way",
            "What should we do?",
            "We will test your build by hand",
            "Test results are below",
            "Output: 3 files",
            "The build is slow",
        ] {
            assert_eq!(split(text), [], "{text}");
        }
    }
}
