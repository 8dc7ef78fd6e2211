//! Who wrote a message: `the user in [msg 3]`, `[msg 4] is the assistant's response`, `[msg 5] (user)`.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::prose::re;
use crate::session::Role;
use crate::verify::{Finding, Kind};

static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)(?-u:\b)(user|assistant|agent|subagent)(?:['’]s)?
          (?:\s+(?:then|also|next|first|finally))?
          \s+(?:(?:own|next|first|last|second|final|simple|short|long|brief|prompt|message|messages|reply|response|answer|request|instruction|directive|text|prose|words|list|table|summary|report|call|
               asks?|asked|says?|said|writes?|wrote|answers?|answered|replies|replied|responds?|responded|orders?|ordered|for|it|this|that|them|just|followed|up|with|a|an|the|in|of|from|to|is|stated?|states|began|begins|by|verifying|runs?|ran|calls|called)\s+){0,9}\(?$",
    )
    .expect("a constant pattern")
});
static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:\s*\((user|assistant|system)\)|,\s+(user|assistant|system)(?:,|$)|,?\s+(?:is|was)\s+(?:an?\s+\w+\s+(?:by|from|of)\s+)?the\s+(user|assistant|agent)(?-u:\b)|,\s+an?\s+(?:\w+\s+)?\w+\s+by\s+the\s+(user|assistant|agent)(?-u:\b))")
        .expect("a constant pattern")
});

static HEAD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(user|assistant|system) · ([a-z-]+)").expect("a constant pattern"));
static IS_A: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s+is\s+an?\s+(prompt|reply|compaction[- ]summary|synthetic[- ]continuation|command|notice)(?:\s+(?:by|from|of)\s+the\s+(user|assistant|system))?")
        .expect("a constant pattern")
});

/// `assistant · reply · …` under the heading of one message, and `[msg 4] is a reply by the assistant`.
fn kinds(scene: &Scene<'_>) -> Vec<Finding> {
    let sentence = scene.sentence();
    let told = |at: crate::session::MsgIx, kind: &str, role: Option<&str>| {
        let message = scene.world.message(at);
        let right = message.kind.word() == kind.replace(' ', "-").to_lowercase()
            && role.is_none_or(|r| r == message.role.word());
        let what = format!("[msg {}] is a {} by the {}", message.label, message.kind.word(), message.role.word());
        match right {
            true => Finding::supported(Kind::Actor, what),
            false => Finding::contradicted(Kind::Actor, what),
        }
        .shown_by([at])
    };
    if let (Some(head), [one]) = (HEAD.captures(scene.text()), &scene.world.expand(&sentence.inherited)[..]) {
        return vec![told(*one, &head[2], Some(&head[1]))];
    }
    let said = sentence.own.iter().filter_map(|r| {
        let found = IS_A.captures(&scene.text()[r.at.end..])?;
        Some(told(scene.world.find(&r.first)?, &found[1], found.get(2).map(|m| m.as_str())))
    });
    said.collect()
}

static CALLS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:\(\w+\))?\s*calls\s+((?:`[^`]+`(?:,\s+|\s+and\s+)?)+)").expect("a constant pattern")
});

/// `[msg 4] (assistant) calls `write`, `todowrite``: just these, in this order.
fn calls(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let mut out = Vec::new();
    for r in scene.sentence().own.iter().filter(|r| r.last.is_none()) {
        let Some(found) = CALLS.captures(&text[r.at.end..]) else { continue };
        let Some(at) = scene.world.find(&r.first) else { continue };
        let stated: Vec<&str> = found[1].split('`').skip(1).step_by(2).collect();
        let made: Vec<&str> = scene.world.message(at).calls().map(|c| c.tool.as_str()).collect();
        // `calls `Bash`, `Read` and `Glob``: each tool once.
        let mut tools = made.clone();
        let mut seen = std::collections::BTreeSet::new();
        tools.retain(|t| seen.insert(*t));
        out.push(match stated.len() <= made.len() && made.starts_with(&stated) || tools == stated {
            true => Finding::supported(Kind::Actor, format!("[msg {r}] calls so")).shown_by([at]),
            false => Finding::contradicted(
                Kind::Actor,
                format!("[msg {r}] calls {}", if made.is_empty() { "nothing".to_owned() } else { made.join(", ") }),
            )
            .shown_by([at]),
        });
    }
    out
}

static TOLD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?-u:\b)(user|assistant|agent|subagent)(?:\s+(?:then|also|first|finally|again|had|has))?\s+(?:tells?|told|asks?|asked|answers?|answered|orders?|ordered|instructs?|instructed|thanks?|thanked|interrupts?|interrupted|corrects?|corrected|reminds?|reminded|warns?|warned|gives?|gave|shows?|showed|lets?|stops?|stopped|replie[sd] to|writes? to|wrote to)\s+(?:the\s+|its\s+)?(user|assistant|agent|subagent)(?-u:\b)",
    )
    .expect("a constant pattern")
});

/// `The user told the assistant in [msg 3]`: the one who tells, not the one who is told.
fn teller<'t>(before: &'t str, nearest: regex::Match<'t>) -> regex::Match<'t> {
    let told = TOLD.captures_iter(before).find(|c| c.get(2).is_some_and(|m| m.start() == nearest.start()));
    told.and_then(|c| c.get(1)).unwrap_or(nearest)
}

static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\bin the (user|assistant)['’]s name").expect("a constant pattern"));

/// `[msg 4], a continuation that the program sends in the user's name`
fn in_the_name(scene: &Scene<'_>) -> Option<Finding> {
    let found = NAME.captures(scene.text())?;
    let at = scene.sentence().own.iter().rfind(|r| r.at.end <= found.get(0).map_or(0, |m| m.start()))?;
    let at = scene.world.find(&at.first)?;
    let role = scene.world.message(at).role;
    let reason = format!("[msg {}] stands in the {}'s name", scene.world.label(at), role.word());
    Some(match role.word() == found[1].to_lowercase() {
        true => Finding::supported(Kind::Actor, reason).shown_by([at]),
        false => Finding::contradicted(Kind::Actor, reason).shown_by([at]),
    })
}

/// What only the one who calls tools can do.
const DEEDS: &str = "ran|reran|executed|repeated|deleted|removed|edited|wrote|rewrote|created|installed|launched|started|restarted|built|rebuilt|compiled|patched|measured|benchmarked|committed|pushed|moved|renamed|copied|downloaded|generated";

/// `The user reran the build in [msg 9]`, `in [msg 9] the user deleted the log`: the one who acts there.
fn deeds(scene: &Scene<'_>) -> Vec<Finding> {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        re(&format!(
            r"^(?:\w+ly |then |later |next |finally |here )*the (user|operator)(?: then| also| later| next| finally| himself| herself| \w+ly)* (?:{DEEDS})\b[^.;:,]*\bin $"
        ))
    });
    static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
        re(&format!(
            r"^,? the (user|operator)(?: then| also| later| next| finally| himself| herself| \w+ly)* (?:{DEEDS})\b"
        ))
    });
    static OTHERS: LazyLock<Regex> =
        LazyLock::new(|| re(r"\b(?:assistant|agent|model|it|that|which|had|asked|wanted|before|after)\b"));
    let [r] = &scene.sentence().own[..] else { return Vec::new() };
    let Some(at) = scene.world.find(&r.first).filter(|_| r.last.is_none()) else { return Vec::new() };
    // Points in code end no clause.
    let text = scene.outside_quotes();
    let (ahead, behind) = (&text[..r.at.start], &text[r.at.end..]);
    let said = BEFORE.is_match(ahead) && !OTHERS.is_match(ahead)
        || ahead.eq_ignore_ascii_case("in ") && BEHIND.is_match(behind);
    let message = scene.world.message(at);
    let by_agent = message.role == Role::Assistant && message.calls().next().is_some();
    (said && by_agent)
        .then(|| {
            Finding::contradicted(Kind::Actor, format!("the calls of [msg {}] are the assistant's", message.label))
                .shown_by([at])
        })
        .into_iter()
        .collect()
}

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let mut out = kinds(scene);
    out.extend(deeds(scene));
    out.extend(calls(scene));
    out.extend(in_the_name(scene));
    for r in scene.sentence().own.iter().filter(|r| r.last.is_none()) {
        let Some(message) = scene.world.find(&r.first) else { continue };
        let before = BEFORE.captures(&text[..r.at.start]).and_then(|c| c.get(1));
        let before = before.map(|m| teller(&text[..r.at.start], m));
        let after = AFTER.captures(&text[r.at.end..]).and_then(|c| c.iter().skip(1).flatten().next());
        let Some(word) = after.or(before).map(|m| m.as_str().to_ascii_lowercase()) else { continue };
        let stated = match word.as_str() {
            "user" => Role::User,
            "system" => Role::System,
            _ => Role::Assistant,
        };
        let role = scene.world.message(message).role;
        out.push(
            match role == stated {
                true => Finding::supported(Kind::Actor, format!("[msg {}] is by the {}", r.first, role.word())),
                false => Finding::contradicted(
                    Kind::Actor,
                    format!("[msg {}] is by the {}, not the {}", r.first, role.word(), stated.word()),
                ),
            }
            .shown_by([message]),
        );
    }
    out
}
