//! A service is up.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, re};

pub(super) const KIND: Kind = Kind { read, ..EXACT };

static UP: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\b(?:server|servers|service|endpoint|api|app|application|site|container|containers|daemon|database|webserver|nginx|backend|frontend|cluster)s?",
        r" (?:is|are) (?:now |already |also |still |up and |successfully |fully )*(?:up|running|live|listening|reachable|healthy|available|accessible|online|responding|operational)",
        r"(?: and \w+)?(?: (?:successfully|locally|again|properly|correctly))?(?: in the background)?(?: (?:at|on|under|via) (?:the )?(?:port |`?https?://[^\s:/]+:|`?(?:localhost|[\d.]+)?:)(?P<port>\d{2,5}))?\b"
    ))
});

fn read(sentence: &str) -> Vec<Reading> {
    let up = |c: regex::Captures<'_>| {
        let port = c.name("port").and_then(|p| p.as_str().parse().ok());
        c.get(0).map(|m| (m.range(), Matter::Service { port }))
    };
    UP.captures_iter(sentence).filter_map(up).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_port() {
        let port = |s: &str| match read(s).pop() {
            Some((_, Matter::Service { port })) => Some(port),
            _ => None,
        };
        assert_eq!(port("Server is up on port 8000"), Some(Some(8000)));
        assert_eq!(port("The API is now running at http://localhost:5000"), Some(Some(5000)));
        assert_eq!(port("the service is running successfully on port 5000"), Some(Some(5000)));
        assert_eq!(port("The server is up."), Some(None));
        assert_eq!(port("The server is down."), None);
    }
}
