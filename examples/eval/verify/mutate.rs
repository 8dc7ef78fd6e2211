//! One change at a time in an article: a number, an id, a quote, an actor, a status, an order.

use std::ops::Range;

use regex::Regex;
use turnpoint::analysis::Analysis;

/// An article with one thing changed.
pub(crate) struct Mutation {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    /// What was changed into what.
    pub(crate) change: String,
    /// The line it stands in.
    pub(crate) line: String,
}

/// Every kind of change, at most `most` places of each, spread over the text.
pub(crate) fn all(text: &str, analysis: &Analysis, most: usize) -> Vec<Mutation> {
    if most == 0 {
        return Vec::new();
    }
    let quoted = ranges(text, r"“[^”]*”");
    let closed: Vec<Range<usize>> = ranges(text, r"(?s)(?m)^(```+|~~~+).*?^(```+|~~~+)$")
        .into_iter()
        .chain(ranges(text, r"`[^`\n]+`"))
        .chain(ranges(text, r"\]\([^)\n]*\)"))
        .chain(ranges(text, r"!\[[^\]\n]*\]"))
        .collect();
    let open = |r: &Range<usize>, with_quotes: bool| {
        let within = |all: &[Range<usize>]| all.iter().any(|c| c.start < r.end && r.start < c.end);
        !within(&closed) && (with_quotes || !within(&quoted))
    };
    let mut out = Vec::new();
    let mut add = |kind, found: Vec<(Range<usize>, String)>| {
        let step = found.len().div_ceil(most).max(1);
        out.extend(found.into_iter().step_by(step).map(|(at, new)| change(kind, text, at, &new)));
    };
    // Headings and heads of tables state nothing; a sentence about what is missing may stay true of another message.
    let titles = ranges(text, r"(?m)^#.*$|^\|.*\|\n\|[-:| ]+\|$");
    let absent = ranges(
        text,
        r"(?m)^(?:- )?(?:No|Neither) .*$|^.*(?:not in the transcript|no such part|none is known|: not stated in|holds no |No item ).*$",
    );
    let numbers = ranges(text, r"\d+(?:\.\d+)?").into_iter().filter(|r| {
        let before = text[..r.start].chars().next_back().unwrap_or(' ');
        let in_link = text[..r.start].ends_with("[msg ") || text[..r.start].ends_with("msg-");
        open(r, false) && !in_link && !before.is_alphanumeric() && !"-_/.".contains(before)
    });
    add("number", numbers.map(|r| (r.clone(), other_number(&text[r]))).collect());
    let is_absent = |r: &Range<usize>| absent.iter().any(|t| t.start <= r.start && r.end <= t.end);
    add("id", ids(text, analysis).into_iter().filter(|(r, _)| !is_absent(r)).collect());
    let quotes =
        quoted.iter().filter(|r| open(r, true)).filter_map(|r| Some((r.clone(), other_quote(&text[r.clone()])?)));
    add("quote", quotes.collect());
    for (kind, pairs) in [("actor", ACTORS), ("status", STATES), ("order", ORDERS)] {
        let found = pairs.iter().flat_map(|(a, b)| {
            let places = ranges(text, &format!(r"(?-u:\b){a}(?-u:\b)"));
            let is_title = |r: &Range<usize>| titles.iter().any(|t| t.start <= r.start && r.end <= t.end);
            let orders = |r: &Range<usize>| {
                kind != "order" || ["[msg", "T"].iter().any(|s| text[r.end..].trim_start().starts_with(s))
            };
            places
                .into_iter()
                .filter(|r| {
                    open(r, false)
                        && !is_title(r)
                        && orders(r)
                        && !absent.iter().any(|t| t.start <= r.start && r.end <= t.end)
                })
                .map(|r| (r, (*b).to_owned()))
                .collect::<Vec<_>>()
        });
        add(kind, found.collect());
    }
    out
}

const ACTORS: &[(&str, &str)] = &[("user", "assistant"), ("assistant", "user")];
const STATES: &[(&str, &str)] = &[
    ("done", "pending"),
    ("pending", "active"),
    ("active", "cancelled"),
    ("completed", "started"),
    ("started", "completed"),
    ("ok", "error"),
    ("error", "ok"),
];
const ORDERS: &[(&str, &str)] = &[("before", "after"), ("after", "before")];

fn ranges(text: &str, pattern: &str) -> Vec<Range<usize>> {
    Regex::new(pattern).map(|r| r.find_iter(text).map(|m| m.range()).collect()).unwrap_or_default()
}

fn change(kind: &'static str, text: &str, at: Range<usize>, new: &str) -> Mutation {
    let mut changed = text.to_owned();
    changed.replace_range(at.clone(), new);
    let start = text[..at.start].rfind('\n').map_or(0, |n| n + 1);
    let end = text[at.end..].find('\n').map_or(text.len(), |n| at.end + n);
    Mutation {
        kind,
        change: format!("{} → {new}", &text[at]),
        text: changed,
        line: text[start..end].chars().take(240).collect(),
    }
}

/// Another number of as many digits.
fn other_number(number: &str) -> String {
    let mut digits: Vec<u8> = number.bytes().collect();
    let first = digits[0];
    digits[0] = if first == b'9' { b'8' } else { first + 1 };
    String::from_utf8(digits).unwrap_or_default()
}

/// Each link to a message, led to a message half a session away.
fn ids(text: &str, analysis: &Analysis) -> Vec<(Range<usize>, String)> {
    let Ok(link) = Regex::new(r"\[msg ([\d.s]+)\]\(#msg-[\ds-]+\)") else { return Vec::new() };
    let labels: Vec<String> = analysis.session.messages.iter().map(|m| m.label.to_string()).collect();
    let next = |label: &str| {
        let at = labels.iter().position(|l| l == label)?;
        labels.get((at + labels.len() / 2) % labels.len())
    };
    link.captures_iter(text)
        .filter_map(|c| {
            let other = next(&c[1])?;
            Some((c.get(0)?.range(), format!("[msg {other}](#msg-{})", other.replace('.', "-"))))
        })
        .collect()
}

/// A quote with one word in its middle changed.
fn other_quote(quote: &str) -> Option<String> {
    let words: Vec<&str> = quote.split(' ').collect();
    let at = (words.len() / 2..words.len()).find(|&n| words[n].chars().filter(|c| c.is_alphabetic()).count() > 2)?;
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let closing = words[at].ends_with('”');
    let opening = words[at].starts_with('“');
    words[at] = format!("{}otherwise{}", if opening { "“" } else { "" }, if closing { "”" } else { "" });
    Some(words.join(" "))
}
