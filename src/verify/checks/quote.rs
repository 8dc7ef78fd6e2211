//! Quotes: that the words stand in the session, in the message named, and were said by the one they are given to.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, code, inner, quotes};
use crate::session::{MsgIx, Role};
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

/// Quotes of fewer words may be terms or words held at a distance; not finding them accuses nobody.
const WORDS_OF_A_QUOTE: usize = 3;

static SPEAKER_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)(?-u:\b)(user|assistant|agent|model)(?:['’]s)?\s+(?:[\w-]+\s+){0,6}?
          (?:says?|said|saying|asks?|asked|writes?|wrote|answers?|answered|repl(?:ies|ied|y)|responds?|responded|response|states?|stated|
             instructions?|directive|prompt|phrasing|words|sentence|request|order(?:s|ed)?|told|tells?|spelled|noted|remarked|added|warned|explained|insisted|proposed|suggested|concluded|announced|reported|plans?\ to|put\ it|followed\ up|quotes?)
          (?-u:\b)(?:\s+[\w-]+){0,4}[\s:,(\[\]]*$",
    )
        .expect("a constant pattern")
});
static SPEAKER_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^,?\s*(?:is|was|as|says|said|in)\s+(?:in\s+)?(?:the\s+)?(user|assistant|agent|model)(?-u:\b)(?:'s|’s)?",
    )
    .expect("a constant pattern")
});

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block == Block::Code {
        return Vec::new();
    }
    let quoted = quotes(scene.text()).into_iter().filter_map(|range| quote(scene, range));
    let named = code(scene.text()).into_iter().filter_map(|range| name(scene, &range));
    quoted.chain(named).collect()
}

fn quote(scene: &Scene<'_>, range: Range<usize>) -> Option<Finding> {
    let words = inner(&scene.text()[range.clone()]);
    let pieces = pieces(words);
    if pieces.is_empty() {
        return None;
    }
    // `“not found” means that …`: a word explained, not quoted.
    if [" means ", " mean "].iter().any(|w| scene.text()[range.end..].starts_with(w)) {
        return None;
    }
    let found = holding(scene, &pieces);
    if let Some(finding) = absent(scene, &range, words, &found) {
        return Some(finding);
    }
    if let Some(finding) = superseded(scene, &range, words, &found) {
        return Some(finding);
    }
    // Words behind the name of an item are checked with it; the words of an item need not stand where it changes.
    if scene.sentence().block != Block::Row && follows_label(&scene.text()[..range.start]) {
        return None;
    }
    if let Some(finding) = changed_item(scene, words) {
        return Some(finding);
    }
    let long = words.split_whitespace().count() >= WORDS_OF_A_QUOTE;
    if found.is_empty() {
        // A word that the article's own table uses is a term, not a quote.
        let own = scene.sentence().bytes.clone();
        let is_term = |s: &&crate::verify::article::Sentence| {
            s.bytes != own && s.block == Block::Row && s.text.to_lowercase().contains(&words.to_lowercase())
        };
        if words.split_whitespace().count() <= WORDS_OF_A_QUOTE && scene.sentences.iter().any(|s| is_term(&s)) {
            return None;
        }
        let reason = format!("“{words}” stands in no message");
        return Some(match long || is_one_of_many(scene, &range) {
            true => Finding::contradicted(Kind::Quote, reason),
            false => Finding::unverifiable(Kind::Quote, reason),
        });
    }
    let labels = |found: &[MsgIx]| {
        found.iter().take(3).map(|&ix| format!("[msg {}]", scene.world.label(ix))).collect::<Vec<_>>().join(", ")
    };
    let behind = behind(scene, &range);
    let named = behind.map_or_else(|| scene.world.expand(&scene.sentence().own), |at| vec![at]);
    let here: Vec<MsgIx> = found.iter().copied().filter(|ix| named.contains(ix)).collect();
    if !named.is_empty()
        && here.is_empty()
        && (long || none_of_many_stands(scene, &named))
        && (behind.is_some()
            || none_of_many_stands(scene, &named)
            || told_of(scene)
            || !scene.subject.is_some_and(|s| found.contains(&s)))
    {
        let reason = format!("“{words}” stands in {}, not in the messages named", labels(&found));
        return Some(Finding::contradicted(Kind::Quote, reason).shown_by(found.into_iter().take(3)));
    }
    let shown = if here.is_empty() { found } else { here };
    if let Some(role) = speaker(scene, &range).filter(|_| long) {
        let by: Vec<MsgIx> = shown.iter().copied().filter(|&ix| scene.world.said_by(ix, role, &pieces)).collect();
        if by.is_empty() {
            let reason = format!("“{words}” stands in {}, which the {} did not write", labels(&shown), role.word());
            return Some(Finding::contradicted(Kind::Quote, reason).shown_by(shown.into_iter().take(3)));
        }
        return Some(
            Finding::supported(Kind::Quote, format!("said by the {}", role.word())).shown_by(by.into_iter().take(3)),
        );
    }
    let reason = format!("“{words}” stands in {}", labels(&shown));
    Some(Finding::supported(Kind::Quote, reason).of_words(&format!("“{words}”")).shown_by(shown.into_iter().take(3)))
}

/// The message in brackets directly behind a quote: `“…” ([msg 4])`.
fn behind(scene: &Scene<'_>, range: &Range<usize>) -> Option<MsgIx> {
    let r = scene.sentence().own.iter().find(|r| r.at.start >= range.end).filter(|r| r.last.is_none())?;
    let directly = &scene.text()[range.end..r.at.start] == " (" && scene.text()[r.at.end..].starts_with(')');
    directly.then(|| scene.world.find(&r.first)).flatten()
}

/// Whether a quote stands among others that the session holds: then the words are quoted, not held at a distance.
fn is_one_of_many(scene: &Scene<'_>, range: &Range<usize>) -> bool {
    let stands = |r: &Range<usize>| !holding(scene, &pieces(inner(&scene.text()[r.clone()]))).is_empty();
    quotes(scene.text()).iter().filter(|r| *r != range && stands(r)).count() > 1
}

/// Whether three or more are quoted, and none of them stands in the messages named.
fn none_of_many_stands(scene: &Scene<'_>, named: &[MsgIx]) -> bool {
    let all = quotes(scene.text());
    let stands =
        |r: &Range<usize>| holding(scene, &pieces(inner(&scene.text()[r.clone()]))).iter().any(|ix| named.contains(ix));
    all.len() > 2 && !all.iter().any(stands)
}

static TELLS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ (?:lists|says|names|gives|states|reports|writes) ").expect("a constant pattern"));

/// `[msg 4] lists …`: of the message named, and no other.
fn told_of(scene: &Scene<'_>) -> bool {
    let first = scene.sentence().own.first().filter(|r| r.at.start == 0 && r.last.is_none());
    first.is_some_and(|r| TELLS.is_match(&scene.text()[r.at.end..]))
}

/// Whether the text ends with the name of an item: `T4 `.
fn follows_label(before: &str) -> bool {
    super::plan::LABEL.find_iter(before).last().is_some_and(|m| before[m.end()..].trim().is_empty())
}

/// The wording of an item that a message named changes.
fn changed_item(scene: &Scene<'_>, words: &str) -> Option<Finding> {
    let plan = &scene.world.analysis.facts.plan;
    let named = scene.world.expand(&scene.sentence().own);
    let bare = |text: &str| plain(text).to_lowercase().trim_matches('"').to_owned();
    let words = bare(words);
    let same = |text: &str| bare(text) == words;
    let mut changes = plan.transitions.iter().filter(|t| named.contains(&t.msg));
    let found = changes.find(|t| same(&t.text))?;
    Some(Finding::supported(Kind::Quote, "an item that changes there reads so").shown_by([found.msg]))
}

/// `T4 … (before: “…”)`: an earlier wording, which stands before the message named.
fn superseded(scene: &Scene<'_>, range: &Range<usize>, words: &str, found: &[MsgIx]) -> Option<Finding> {
    scene.text()[..range.start].ends_with("(before: ").then_some(())?;
    let named = scene.world.find(&scene.sentence().own.first()?.first)?;
    Some(match found.iter().find(|ix| **ix <= named) {
        Some(&at) => {
            Finding::supported(Kind::Quote, format!("it read so in [msg {}]", scene.world.label(at))).shown_by([at])
        }
        None => Finding::contradicted(Kind::Quote, format!("“{words}” stands in no message before")).shown_by([named]),
    })
}

static NOT_THERE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[^.;“\x22]{0,40}?(?-u:\b)(?:is|are|was|were)\s+(?:not|no longer|never)\s+(?:mentioned|named|listed|found|said|repeated|in)(?-u:\b)")
        .expect("a constant pattern")
});

/// `“…” is not in [msg 4]`, `“…” is not mentioned after [msg 4]`.
fn absent(scene: &Scene<'_>, range: &Range<usize>, words: &str, found: &[MsgIx]) -> Option<Finding> {
    let denied = NOT_THERE.find(&scene.text()[range.end..])?;
    let own = &scene.sentence().own;
    let named = scene.world.expand(own);
    let last = own.iter().find(|r| r.at.start >= range.end + denied.end().min(range.end));
    let time = last.map(|r| scene.text()[..r.at.start].trim_end().to_lowercase());
    let within = |ix: &MsgIx| match (&time, named.first()) {
        (Some(t), Some(first)) if t.ends_with(" after") => ix > first,
        (Some(t), Some(first)) if t.ends_with(" before") => ix < first,
        (_, Some(_)) => named.contains(ix),
        _ => true,
    };
    let there: Vec<MsgIx> = found.iter().copied().filter(within).take(3).collect();
    Some(match there.is_empty() {
        true => Finding::supported(Kind::Presence, format!("“{words}” does not stand there"))
            .shown_by(named.into_iter().take(2)),
        false => {
            Finding::contradicted(Kind::Presence, format!("“{words}” stands in [msg {}]", scene.world.label(there[0])))
                .shown_by(there)
        }
    })
}

/// Code names a command, a path, a tool: it must stand somewhere in the session, or be a word of our own tables.
fn name(scene: &Scene<'_>, range: &Range<usize>) -> Option<Finding> {
    let words = inner(&scene.text()[range.clone()]);
    let pieces = pieces(words);
    if pieces.is_empty() {
        return None;
    }
    if let Some(known) = known_word(scene, words) {
        return Some(known);
    }
    let found = holding(scene, &pieces);
    if found.is_empty() {
        let before = scene.text()[..range.start].trim_end().to_lowercase();
        if ["no", "never", "without", "not"].iter().any(|w| before == *w || before.ends_with(&format!(" {w}"))) {
            return Some(Finding::supported(Kind::Presence, format!("`{words}` stands in no message")));
        }
        return Some(Finding::contradicted(Kind::Quote, format!("`{words}` stands in no message")));
    }
    let scope = scene.scope();
    let here: Vec<MsgIx> = found.iter().copied().filter(|ix| scope.contains(ix)).take(3).collect();
    if here.is_empty() && !scene.sentence().own.is_empty() {
        let reason = format!("`{words}` stands in [msg {}], not in the messages named", scene.world.label(found[0]));
        return Some(Finding::unverifiable(Kind::Quote, reason).shown_by(found.into_iter().take(1)));
    }
    let shown = if here.is_empty() { found.into_iter().take(1).collect() } else { here };
    let reason = format!("`{words}` stands there");
    Some(Finding::supported(Kind::Quote, reason).of_words(&format!("`{words}`")).shown_by(shown))
}

/// Names of metrics, models, ids and places are facts of the session that no text of it needs to hold.
fn known_word(scene: &Scene<'_>, word: &str) -> Option<Finding> {
    let analysis = scene.world.analysis;
    let session = &analysis.session;
    let named = scene.world.expand(scene.sentence().references());
    let supported = |what: &str| {
        let finding = Finding::supported(Kind::Reference, format!("`{word}` is {what}"));
        finding.of_words(&format!("`{word}`")).shown_by(named.iter().copied().take(1))
    };
    let cut = word.trim_end_matches('…');
    let bare = word.split_once(" (").map_or(word, |w| w.0);
    let bench = &analysis.facts.bench;
    if bench.measurements.iter().any(|m| m.metric == bare)
        || bench.limits.iter().any(|l| l.metric == bare || l.id == word)
    {
        return Some(supported("a metric"));
    }
    // Copies of a record bear one id.
    let mut bearers = session.iter().filter(|(_, m)| m.native_id.as_deref() == Some(word)).map(|(ix, _)| ix).peekable();
    if let Some(&first) = bearers.peek() {
        let placed = named.len() == 1 && !bearers.any(|ix| named.contains(&ix));
        return Some(match placed {
            false => supported("the id of a message"),
            true => Finding::contradicted(
                Kind::Reference,
                format!("`{word}` is the id of [msg {}]", scene.world.label(first)),
            )
            .shown_by([first]),
        });
    }
    if let Some(found) = place(scene, word, &named) {
        return Some(found);
    }
    if analysis.facts.plan.snapshots.iter().flat_map(|s| &s.items).any(|i| i.status_text == word) {
        return Some(supported("a state as the lists write it"));
    }
    let is = session.messages.iter().any(|m| m.model.as_deref() == Some(word))
        || session.sources.iter().any(|s| s.file == word || cut.len() >= 8 && s.digest.starts_with(cut))
        || crate::audit::RULES.iter().any(|r| r.id == word)
        || session.id == word
        || session.forked_from.as_deref() == Some(word)
        || analysis.facts.printed.iter().any(|f| super::printed::is_at(f, word))
        || session.cwd.as_deref() == Some(word)
        || session.agent == word;
    is.then(|| supported("a name of the session"))
}

/// `file:line`: where a message starts.
fn place(scene: &Scene<'_>, word: &str, named: &[MsgIx]) -> Option<Finding> {
    let (file, line) = word.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    let session = scene.world.session();
    if session.warnings.iter().any(|w| w.loc.file == file && w.loc.line == u64::from(line)) && named.is_empty() {
        return Some(Finding::supported(Kind::Reference, format!("reading met trouble at `{word}`")));
    }
    let source = session.sources.iter().position(|s| s.file == file)? as u32;
    let at = |ix: &MsgIx| {
        let message = session.message(*ix);
        std::iter::once(&message.place)
            .chain(message.parts.iter().map(|p| &p.place))
            .any(|p| (p.file, p.line) == (source, line))
    };
    let scope: Vec<MsgIx> = if named.len() == 1 { named.to_vec() } else { session.iter().map(|(ix, _)| ix).collect() };
    Some(match scope.iter().find(|ix| at(ix)) {
        Some(&ix) => Finding::supported(Kind::Reference, format!("`{word}` is where it stands")).shown_by([ix]),
        None => Finding::contradicted(Kind::Reference, format!("no message named starts at `{word}`"))
            .shown_by(named.iter().copied().take(1)),
    })
}

/// The parts of a quote between dots of omission, as texts are compared.
fn pieces(words: &str) -> Vec<String> {
    let one = plain(words).to_lowercase().replace("...", "…").replace("[…]", "…");
    let trim = |p: &str| p.trim().trim_end_matches(['.', ',', ';', ':', '!', '?']).to_owned();
    one.split('…').map(trim).filter(|p| p.chars().any(char::is_alphanumeric)).collect()
}

/// Messages that hold every piece, in their order.
fn holding(scene: &Scene<'_>, pieces: &[String]) -> Vec<MsgIx> {
    let Some(first) = pieces.first() else { return Vec::new() };
    let all = |&ix: &MsgIx| {
        let mut rest = scene.world.text(ix);
        pieces.iter().all(|p| rest.find(p.as_str()).map(|n| rest = &rest[n + p.len()..]).is_some())
    };
    scene.world.holding(first).filter(all).collect()
}

/// Who is said to have said the quote.
fn speaker(scene: &Scene<'_>, range: &Range<usize>) -> Option<Role> {
    let text = scene.text();
    // References stand between the speaker and the quote.
    let mut before_text = text[..range.start].to_owned();
    for r in scene.sentence().own.iter().rev().filter(|r| r.at.end <= range.start) {
        before_text.replace_range(r.at.clone(), "");
    }
    let before = SPEAKER_BEFORE.captures(&before_text);
    let after = SPEAKER_AFTER.captures(&text[range.end..]);
    let word = after.or(before)?.get(1)?.as_str().to_ascii_lowercase();
    Some(if word == "user" { Role::User } else { Role::Assistant })
}
