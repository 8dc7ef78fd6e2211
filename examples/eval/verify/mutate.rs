//! One change at a time in an article: a number, an id, a quote, an actor, a status, an order.
//!
//! Left out are changes after which the sentence states nothing false, by rules that know nothing of `verify`: headings and
//! heads of tables; what a line asks (`Whether …`, `What shows that …`); a message that is named where another would do as
//! well (`the next prompt after`, what is missing, what a word means); a word that makes the line name one thing twice; a plan `before` a
//! message that does not change it. A message is changed into one that holds nothing of what the line quotes, and no call
//! of a tool that the first one calls.

use std::ops::Range;

use regex::Regex;
use turnpoint::analysis::Analysis;
use turnpoint::session::Message;

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
        r"(?m)^(?:- )?(?:No|Neither) .*$|^.*(?:not in the transcript|no such part|none is known|: not stated in|holds no |No item |[Tt]he next prompt after |” means that ).*$",
    );
    let asks = ranges(text, r"(?m)^- (?:Whether|What shows that) .*$");
    let in_any = |all: &[Range<usize>], r: &Range<usize>| all.iter().any(|t| t.start <= r.start && r.end <= t.end);
    let numbers = ranges(text, r"\d+(?:\.\d+)?").into_iter().filter(|r| {
        let before = text[..r.start].chars().next_back().unwrap_or(' ');
        let in_link = text[..r.start].ends_with("[msg ") || text[..r.start].ends_with("msg-");
        open(r, false) && !in_link && !in_any(&titles, r) && !before.is_alphanumeric() && !"-_/.".contains(before)
    });
    add("number", numbers.map(|r| (r.clone(), other_number(&text[r]))).collect());
    add("id", ids(text, analysis).into_iter().filter(|(r, _)| !in_any(&absent, r) && !in_any(&titles, r)).collect());
    let quotes =
        quoted.iter().filter(|r| open(r, true)).filter_map(|r| Some((r.clone(), other_quote(&text[r.clone()])?)));
    add("quote", quotes.collect());
    for (kind, pairs) in [("actor", ACTORS), ("status", STATES), ("order", ORDERS)] {
        let found = pairs.iter().flat_map(|(a, b)| {
            let places = ranges(text, &format!(r"(?-u:\b){a}(?-u:\b)"));
            let orders = |r: &Range<usize>| {
                kind != "order" || ["[msg", "T"].iter().any(|s| text[r.end..].trim_start().starts_with(s))
            };
            let states = |r: &Range<usize>| match kind {
                "status" => !in_any(&asks, r) && !says_twice(text, r, b),
                "order" => !text[..r.start].ends_with("Open in the plan ") || changes_plan(&text[r.end..], analysis),
                _ => true,
            };
            let stays = |r: &Range<usize>| in_any(&titles, r) || in_any(&absent, r);
            places
                .into_iter()
                .filter(|r| open(r, false) && !stays(r) && orders(r) && states(r))
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

/// `started and completed` with one word changed into the other.
fn says_twice(text: &str, at: &Range<usize>, new: &str) -> bool {
    let before = text[..at.start].trim_end_matches([' ', ',']).trim_end_matches(" and");
    let after = text[at.end..].trim_start_matches([' ', ',']).trim_start_matches("and ");
    before.ends_with(new) || after.starts_with(new)
}

/// Whether the message that a text begins with changes the plan.
fn changes_plan(rest: &str, analysis: &Analysis) -> bool {
    let label = rest.trim_start().strip_prefix("[msg ").and_then(|r| r.split(']').next());
    let at = label.and_then(|l| analysis.session.find(l));
    at.is_some_and(|ix| analysis.facts.plan.changed_messages().contains(&ix))
}

/// Each link to a message, led to another: half a session away, or the first after that of which the line is not true.
fn ids(text: &str, analysis: &Analysis) -> Vec<(Range<usize>, String)> {
    let Ok(link) = Regex::new(r"\[msg ([\d.s]+)\]\(#msg-[\ds-]+\)") else { return Vec::new() };
    let all = &analysis.session.messages;
    let called = |a: usize, b: usize| all[a.min(b)..=a.max(b)].iter().any(|m| m.calls().next().is_some());
    let next = |label: &str, line: &str, of_range: bool| {
        let at = all.iter().position(|m| m.label.to_string() == label)?;
        let far = (0..all.len()).map(|n| (at + all.len() / 2 + n) % all.len());
        let told = told(line);
        // The end of a range is moved over a call at least.
        let far = far.filter(|n| !of_range || called(at, *n)).map(|n| &all[n]);
        far.filter(|m| m.label != all[at].label && differs(m, &all[at])).find(|m| !holds(m, &told))
    };
    link.captures_iter(text)
        .filter_map(|c| {
            let at = c.get(0)?;
            let start = text[..at.start()].rfind('\n').map_or(0, |n| n + 1);
            let end = text[at.end()..].find('\n').map_or(text.len(), |n| at.end() + n);
            let of_range = text[..at.start()].ends_with('–') || text[at.end()..].starts_with('–');
            let other = next(&c[1], &text[start..end], of_range)?.label.to_string();
            Some((at.range(), format!("[msg {other}](#msg-{})", other.replace('.', "-"))))
        })
        .collect()
}

/// Quotes, code and figures with a unit of a line.
fn told(line: &str) -> Vec<String> {
    let Ok(piece) = Regex::new(r"“([^”]*)”|`([^`]*)`|(?-u:\b)(\d+(?:\.\d+)? (?:%|[A-Za-z]+/s|ms))") else {
        return Vec::new();
    };
    piece.captures_iter(line).filter_map(|c| Some(c.iter().skip(1).flatten().next()?.as_str().to_owned())).collect()
}

/// No tool is called by both, and they are no two replies without a call.
fn differs(a: &Message, b: &Message) -> bool {
    let tools = |m: &Message| m.calls().map(|c| c.tool.clone()).collect::<Vec<_>>();
    let (mine, theirs) = (tools(a), tools(b));
    !mine.iter().any(|t| theirs.contains(t)) && (a.role != b.role || mine != theirs)
}

fn holds(message: &Message, told: &[String]) -> bool {
    let call = |c: &turnpoint::session::ToolCall| {
        format!("{}\n{}\n{}", c.tool, c.input, c.result.as_ref().map_or("", |r| r.text.as_str()))
    };
    let text = format!("{}\n{}", message.text(), message.calls().map(call).collect::<String>());
    told.iter().any(|t| text.contains(t.as_str()))
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
