//! Hardware that the session names with a count, such as `4x Radeon Pro W7900`.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use crate::session::{MsgIx, Session, Span};

/// Machines or devices named with their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equipment {
    /// Message.
    pub msg: MsgIx,
    /// Bytes of the text.
    pub span: Span,
    /// How many.
    pub count: u32,
    /// Count and name, an exact substring of the source.
    pub text: String,
}

static MAKES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::new([
        "RTX", "GTX", "GeForce", "Radeon", "Instinct", "Tesla", "H100", "H200", "A100", "B200", "L40", "MI300", "Xeon",
        "EPYC", "TPU",
    ])
    .expect("static words")
});
static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[^\w.])((\d{1,3}) ?[x×] ?((?:[A-Z][\w-]*|\d{3,4})(?: (?:[A-Z][\w-]*|\d{3,4}))*))")
        .expect("a count and a name")
});

/// The last counted device that was named before a message, on any thread.
pub fn named_before(session: &Session, before: MsgIx) -> Option<Equipment> {
    let mut texts: Vec<_> = session.texts().take_while(|t| t.msg < before).collect();
    texts.reverse();
    texts.into_iter().filter(|t| MAKES.is_match(t.text)).find_map(|text| {
        let found =
            COUNTED.captures_iter(text.text).find(|c| c.get(3).is_some_and(|name| MAKES.is_match(name.as_str())))?;
        let whole = found.get(1)?;
        Some(Equipment {
            msg: text.msg,
            span: text.span(whole.start(), whole.end()),
            count: found[2].parse().ok()?,
            text: whole.as_str().to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn reads_devices_with_their_number() {
        let named = |text: &str| {
            let session = SessionBuilder::new().user(text).assistant("ok").build();
            named_before(&session, MsgIx(1))
                .inspect(|e| assert_eq!(session.quote(&e.span), Some(&*e.text)))
                .map(|e| (e.count, e.text))
        };
        assert_eq!(named("runs on 4x Radeon Pro W7900 here"), Some((4, "4x Radeon Pro W7900".to_owned())));
        assert_eq!(named("2× Xeon and more"), Some((2, "2× Xeon".to_owned())));
        assert_eq!(named("a grid of 16x GPU blocks, beside one RTX"), None);
        assert_eq!(named("it is 4x Faster on this GPU"), None);
        assert_eq!(named("version 1.4x RTX"), None);
    }
}
