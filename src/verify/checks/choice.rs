//! "The assistant chose to …": whether the user had ordered just that.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::prose::content_words;
use crate::session::{MsgIx, Role};
use crate::verify::{Finding, Kind};

static CHOSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:assistant|agent|model|it|and)\s+(?:then\s+|also\s+)?(?:chose|chooses|decided|decides|opted|elected) to\s+([^,;]+?)(?:\s+(?:before|instead|rather|first|after)(?-u:\b).*)?$")
        .expect("a constant pattern")
});

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.without_quotes();
    let Some(found) = CHOSE.captures(text.trim_end_matches(['.', ' '])) else { return Vec::new() };
    let done = content_words(&found[1]);
    let session = scene.world.session();
    let before = scene.scope().first().copied().or(scene.subject);
    let Some(answered) = before.and_then(|b| scene.world.of_role(Role::User).filter(|&ix| ix < b).last()) else {
        return Vec::new();
    };
    let ordered = |ix: MsgIx| {
        let mut told = scene.world.analysis.facts.directives.iter().filter(move |d| d.msg == ix);
        told.find(|d| {
            let asked = content_words(&d.text);
            let shared = asked.iter().filter(|w| done.contains(w)).count();
            shared >= 2 && shared * 2 >= done.len()
        })
    };
    let Some(directive) = ordered(answered) else { return Vec::new() };
    let reason = format!(
        "the {} ordered it in [msg {}]: “{}”",
        session.message(answered).role.word(),
        scene.world.label(answered),
        directive.text
    );
    vec![Finding::contradicted(Kind::Actor, reason).shown_by([answered])]
}
