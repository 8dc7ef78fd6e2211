//! The gate that every page must pass: a page is read as a strict subset of HTML, so that no browser can see in it what the
//! gate does not; only known elements and attributes, only addresses of known kinds, no script and no style but by hash.

use base64::Engine as _;
use sha2::{Digest, Sha256};

const ELEMENTS: &str = " a blockquote body br circle code defs del desc details div em figcaption figure g h1 h2 h3 h4 h5 h6 head \
    hr html li line main meta nav ol p path pattern polygon polyline pre rect span strong style sub summary sup svg table tbody td text \
    th thead title tr tspan ul ";

const ATTRIBUTES: &str = " aria-label aria-labelledby charset class content cx cy d fill fill-opacity font-family font-size \
    font-weight height href http-equiv id lang name opacity paint-order patternTransform patternUnits points r role rx start stroke stroke-dasharray \
    stroke-linejoin stroke-opacity stroke-width text-anchor transform viewBox width x x1 x2 xmlns y y1 y2 ";

/// Elements without an end.
const VOID: &str = " br hr meta ";

/// Elements of SVG that our charts end at once.
const DRAWN: &str = " circle line path polygon polyline rect ";

/// What is wrong with a page, in order; empty when it passes.
pub(crate) fn check(page: &str) -> Vec<String> {
    let mut gate =
        Gate { rest: page, whole: page, wrong: Vec::new(), open: Vec::new(), policy: None, hashes: Vec::new() };
    gate.run();
    gate.wrong
}

struct Gate<'a> {
    rest: &'a str,
    whole: &'a str,
    wrong: Vec<String>,
    open: Vec<&'a str>,
    policy: Option<String>,
    /// Hashes of scripts and styles, in order.
    hashes: Vec<(&'a str, String)>,
}

fn listed(list: &str, word: &str) -> bool {
    !word.is_empty() && list.contains(&format!(" {word} "))
}

impl<'a> Gate<'a> {
    fn run(&mut self) {
        match self.rest.strip_prefix("<!DOCTYPE html>") {
            Some(rest) => self.rest = rest,
            None => self.fault("does not begin with <!DOCTYPE html>"),
        }
        while let Some(at) = self.rest.find('<') {
            self.text(&self.rest[..at]);
            self.rest = &self.rest[at..];
            let Some(tag) = self.tag() else { break };
            if self.wrong.len() > 20 {
                return;
            }
            if tag == "style" || tag == "script" {
                self.raw(tag);
            }
        }
        if !self.rest.contains('<') {
            self.text(self.rest);
        }
        if !self.open.is_empty() {
            self.fault(&format!("elements left open: {:?}", self.open));
        }
        self.rules();
    }

    fn fault(&mut self, what: &str) {
        let at = self.whole.len() - self.rest.len();
        let line = 1 + self.whole[..at].matches('\n').count();
        let near: String = self.rest.chars().take(60).collect();
        self.wrong.push(format!("line {line}: {what} at {near:?}"));
    }

    /// Characters that no text of a page may hold.
    fn text(&mut self, text: &str) {
        let bad = |c: char| match c {
            '\n' | '\t' | '\r' => false,
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}' => true,
            '\u{E0000}'..='\u{E007F}' => true,
            c => c.is_control(),
        };
        if let Some(c) = text.chars().find(|&c| bad(c)) {
            self.fault(&format!("the raw sign {c:?}"));
        }
        if decode(text).chars().any(|c| c == '\0' || bad(c)) {
            self.fault("a control sign written as an entity");
        }
    }

    /// Reads a tag; gives its name when it opens an element. `None` when reading cannot go on.
    fn tag(&mut self) -> Option<&'a str> {
        let whole = self.rest;
        if let Some(name) = whole.strip_prefix("</") {
            let end = name.find('>')?;
            let (name, rest) = (&name[..end], &name[end + 1..]);
            if self.open.last() == Some(&name) {
                self.open.pop();
            } else {
                self.fault(&format!("</{name}> where {:?} is open", self.open.last()));
            }
            self.rest = rest;
            return Some("");
        }
        let name = word(&whole[1..]);
        if !listed(ELEMENTS, name) {
            self.fault("an element that is not on the list");
            self.rest = &whole[1..];
            return Some("");
        }
        let mut rest = &whole[1 + name.len()..];
        let mut seen = Vec::new();
        loop {
            if let Some(behind) = rest.strip_prefix('>') {
                if !listed(VOID, name) {
                    self.open.push(name);
                }
                rest = behind;
                break;
            }
            if let Some(behind) = rest.strip_prefix("/>").or_else(|| rest.strip_prefix(" />")) {
                if !listed(VOID, name) && !listed(DRAWN, name) {
                    self.fault("an element that ends itself");
                }
                rest = behind;
                break;
            }
            let Some((key, value, behind)) = attribute(rest) else {
                self.fault("a tag that is not written as ours are");
                self.rest = &whole[1..];
                return Some("");
            };
            if !listed(ATTRIBUTES, key) || seen.contains(&key) {
                self.fault(&format!("the attribute {key}, not on the list or twice"));
            }
            seen.push(key);
            self.attribute(name, key, &decode(value));
            rest = behind;
        }
        self.rest = rest;
        Some(name)
    }

    fn attribute(&mut self, tag: &str, key: &str, value: &str) {
        self.text(value);
        let fine = match (tag, key) {
            ("a", "href") => is_open_link(value),
            (_, "href") => false,
            ("svg", "xmlns") => value == "http://www.w3.org/2000/svg",
            (_, "xmlns") => false,
            (_, "id") => !value.is_empty() && !value.contains(char::is_whitespace),
            ("meta", "http-equiv") => value == "Content-Security-Policy" && self.policy.is_none(),
            ("meta", "content") if value.starts_with("default-src") => {
                self.policy = Some(value.to_owned());
                true
            }
            // What is drawn may not point elsewhere.
            (_, "fill") if value.starts_with("url(#") => is_own(value),
            (_, "fill" | "stroke" | "transform" | "class") => !value.to_ascii_lowercase().contains("url("),
            _ => true,
        };
        if !fine {
            self.fault(&format!("{key}={value:?} on <{tag}>"));
        }
    }

    /// Text up to the end of a style sheet or script.
    fn raw(&mut self, tag: &'a str) {
        let end = format!("</{tag}");
        let Some(at) = self.rest.to_ascii_lowercase().find(&end) else { return };
        let body = &self.rest[..at];
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(body));
        self.hashes.push((tag, format!("'sha256-{hash}'")));
        if body.contains("<!--") || body.to_ascii_lowercase().contains("@import") || body.contains("url(") {
            self.fault("a style sheet that loads something");
        }
        self.rest = &self.rest[at..];
    }

    fn rules(&mut self) {
        let policy = self.policy.clone().unwrap_or_default();
        if !policy.starts_with("default-src 'none';") || policy.contains("unsafe") {
            self.fault("the policy is missing or weak");
        }
        let scripts = self.hashes.iter().filter(|(tag, _)| *tag == "script").count();
        if scripts > 1 || self.hashes.iter().any(|(_, hash)| !policy.contains(hash.as_str())) {
            self.fault("a script or style whose hash is not in the policy");
        }
    }
}

/// A name at the start.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(text.len());
    &text[..end]
}

/// ` name="value"` at the start, and what stands behind.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let text = text.trim_start_matches(['\n', ' ']);
    let key = word(text);
    let value = text[key.len()..].strip_prefix("=\"")?;
    let end = value.find('"')?;
    let (value, behind) = (&value[..end], &value[end + 1..]);
    let closed = behind.starts_with([' ', '>', '/', '\n']);
    (!key.is_empty() && closed && !value.contains('<')).then_some((key, value, behind))
}

/// A pattern of the page itself.
fn is_own(value: &str) -> bool {
    let id = value.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')'));
    id.is_some_and(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

/// Addresses that a reader may be sent to: the page itself, a path below it, the open web, mail.
fn is_open_link(value: &str) -> bool {
    let plain: String =
        value.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect::<String>().to_lowercase();
    let known = ["#", "https://", "http://", "mailto:"].iter().any(|p| plain.starts_with(p));
    known || !plain.is_empty() && !plain.contains(':') && !plain.starts_with(['/', '\\', '.'])
}

/// Text with its entities read, as a browser does for the ones that we write and for numbers.
fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(rest.len());
        let number = rest[..end].strip_prefix('#').map(|n| match n.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => n.parse(),
        });
        match (number, &rest[..end]) {
            (Some(Ok(n)), _) => out.push(char::from_u32(n).unwrap_or('\u{FFFD}')),
            (_, "lt") => out.push('<'),
            (_, "gt") => out.push('>'),
            (_, "amp") => out.push('&'),
            (_, "quot") => out.push('"'),
            (_, "colon") => out.push(':'),
            (_, "Tab") => out.push('\t'),
            (_, "NewLine") => out.push('\n'),
            _ => {
                out.push('&');
                continue;
            }
        }
        rest = rest[end..].strip_prefix(';').unwrap_or(&rest[end..]);
    }
    out + rest
}

/// A page that passes, with `body` in it.
#[cfg(test)]
fn page(body: &str) -> String {
    let policy = "default-src 'none'; style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{policy}\">\n<title>t</title>\n<style></style>\n</head>\n<body>{body}</body>\n</html>\n"
    )
}

#[test]
fn the_gate_lets_pass_what_we_write_and_nothing_else() {
    let good = [
        "",
        "<p>a &lt;b&gt; &amp; c</p>",
        "<a href=\"#msg-1\">x</a>",
        "<a href=\"https://a.example/?b=1&amp;c\">x</a>",
    ];
    for body in good {
        assert_eq!(check(&page(body)), [""; 0], "{body}");
    }
    let bad = [
        "<script>alert(1)</script>",
        "<img src=\"x\">",
        "<p onclick=\"x\">a</p>",
        "<p style=\"color:red\">a</p>",
        "<p class=a>a</p>",
        "<p class=\"a\"class=\"b\">a</p>",
        "<a href=\"javascript:alert(1)\">x</a>",
        "<a href=\"java&#10;script:alert(1)\">x</a>",
        "<a href=\"javascript&colon;alert(1)\">x</a>",
        "<a href=\"//evil.example\">x</a>",
        "<a href=\"file:///etc/passwd\">x</a>",
        "<p>a",
        "<p>a</div></p>",
        "<!-- x -->",
        "<svg><rect fill=\"url(http://a.example)\"/></svg>",
        "<p>a\u{202E}b</p>",
        "<p>a\u{1b}[2Jb</p>",
        "<p>&#27;</p>",
        "<style>p{}</style>",
        "<meta http-equiv=\"refresh\" content=\"0\">",
        "a < b",
    ];
    for body in bad {
        assert!(!check(&page(body)).is_empty(), "passes: {body}");
    }
    assert!(!check(&page("").replace("default-src 'none'", "default-src *")).is_empty());
}
