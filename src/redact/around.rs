//! Secrets that what stands around them tells: headers, arguments of programs, lists of names and values.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::shapes::{NAMES, is_named_secret, pattern};
use super::{Hit, Kind};

/// A surrounding, and which of its groups is the secret.
struct Around {
    /// Text in small letters without which it is not there.
    word: &'static str,
    pattern: Regex,
    secret: fn(&Captures<'_>) -> Option<Range<usize>>,
}

static ALL: LazyLock<Vec<Around>> = LazyLock::new(|| {
    let around = |word, text: &str, secret| Around { word, pattern: pattern(text), secret };
    vec![
        around("securestring", r#"(?i)securestring\s+(?:-string\s+)?\\*["']([^"'\n\\]{4,})"#, value),
        around(
            "authorization",
            r#"(?i)authorization\\*["']?\s*[:=]\s*\\*["']?(?:basic|bearer|token|api-?key|digest|negotiate|key)\s+([^\s"'\\,;<>${}]{4,})"#,
            value,
        ),
        around("cookie", r#"(?i)cookie\\*["']?\s*[:=]\s*\\*["']?([^\n"'\\]{8,})"#, cookie),
        around("sshpass", r#"\bsshpass\s+-p\s*\\*["']?([^\s"'\\]+)"#, value),
        around("-p", r#"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&]*?\s-p\\*["']?([^\s"'\\]+)"#, value),
        around("password", r"(?i)\blogin\s+\S+\s+password\s+([^\s\\]+)", value),
        around("auth", r#"\\*"auth\\*"\s*:\s*\\*"([A-Za-z0-9+/_-]{8,}={0,2})\\*""#, value),
        around("</", &format!(r"(?i)<(?:[a-z0-9]+[_.:-])*{NAMES}(?:\s[^<>]*)?>\s*([^<\s][^<\n]{{3,}}?)\s*</"), value),
        around(
            "value",
            r#"(?i)\b(?:name|key)\\*["']?\s*[:=]\s*\\*["']?([\w.-]+)\\*["']?\s*,?\s*(?:\\[nrt])*\s*\\*["']?value\\*["']?\s*[:=]\s*\\*["']?([^\s"'\\,}<>]+)"#,
            named,
        ),
        around(":", &format!(r"(?im){NAMES}\s*:[ \t]*[|>][+-]?[ \t]*\n[ \t]+(\S+)"), value),
        around(
            r#"""""#,
            &format!(r#"(?is){NAMES}\s*[:=]\s*\\*"\\*"\\*"\s*(?:\\n)*(.{{4,200}}?)\s*(?:\\n)*\\*"\\*"\\*""#),
            value,
        ),
    ]
});

/// Finds them.
pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let small = text.to_ascii_lowercase();
    for around in ALL.iter().filter(|a| small.contains(a.word)) {
        let found = around.pattern.captures_iter(text).filter_map(|c| (around.secret)(&c));
        hits.extend(found.filter(|at| !is_reference(&text[at.clone()])).map(|at| Hit { at, kind: Kind::Token }));
    }
}

fn value(found: &Captures<'_>) -> Option<Range<usize>> {
    found.get(1).map(|m| m.range())
}

/// The values of cookies from the first that has a digit on; their names and attributes say nothing alone.
fn cookie(found: &Captures<'_>) -> Option<Range<usize>> {
    let list = found.get(1)?;
    let pair = list.as_str().split(';').find(|pair| {
        pair.split_once('=').is_some_and(|(_, v)| v.len() >= 8 && v.bytes().any(|b| b.is_ascii_digit()))
    })?;
    let start = list.start() + (pair.as_ptr() as usize - list.as_str().as_ptr() as usize) + pair.find('=')? + 1;
    Some(start..list.end())
}

fn named(found: &Captures<'_>) -> Option<Range<usize>> {
    let (name, value) = (found.get(1)?, found.get(2)?);
    is_named_secret(name.as_str(), value.as_str()).then(|| value.range())
}

/// A variable or a gap that somebody fills in, or a secret that is out already.
fn is_reference(value: &str) -> bool {
    value.starts_with(['$', '<', '{', '%', '*']) || value.starts_with("REDACTED-") || value.contains("...")
}

#[cfg(test)]
mod tests {
    use super::super::Redactor;

    #[test]
    fn what_stands_around_a_secret_tells_it() {
        for (text, secret) in [
            ("Authorization: Basic YTpi", "YTpi"),
            ("-H 'Authorization: token a1b2c3'", "a1b2c3"),
            ("Cookie: lang=en; session=s3cretval99; path=/", "s3cretval99"),
            (r#"ConvertTo-SecureString "hunterpw" -AsPlainText"#, "hunterpw"),
            ("sshpass -p hunterpw ssh me@x", "hunterpw"),
            ("mysql -u root -phunterpw db", "hunterpw"),
            ("machine x.com login me password hunterpw", "hunterpw"),
            (r#"{"auths":{"r.io":{"auth":"bWU6aHVudGVy"}}}"#, "bWU6aHVudGVy"),
            ("<db><password>hunterpw</password></db>", "hunterpw"),
            (r#"[{"name":"DB_PASSWORD","value":"hunterpw"}]"#, "hunterpw"),
            ("- name: DB_PASSWORD\n  value: hunterpw\n", "hunterpw"),
            (r#"<add key="Password" value="hunterpw"/>"#, "hunterpw"),
            ("password: |\n  hunterpw\n", "hunterpw"),
            ("password = \"\"\"\nhunterpw\n\"\"\"", "hunterpw"),
            ("?client_secret%3Dab12cd34ef", "ab12cd34ef"),
            ("API_TOKEN: `ab12cd34`", "ab12cd34"),
            ("**Secret:** **ab12cd34**", "ab12cd34"),
            ("password: hunter22&TailPart9", "TailPart9"),
            ("password: REDACTED&TailPart9", "TailPart9"),
            ("password=hunter22;TailPart", "TailPart"),
            ("password = Qw12,Er34", "Er34"),
            ("password=Qw<Er>7", "Er"),
            ("gh\u{200B}p_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F29"),
            ("ghp_16C7e42F29\u{200B}2c6912E7710c838347Ae178B4a", "16C7e42F29"),
        ] {
            let out = Redactor::default().text(text).into_owned();
            assert!(!out.contains(secret), "{text} -> {out}");
        }
    }

    #[test]
    fn what_only_looks_like_it_stays() {
        for same in [
            "Authorization: Bearer $TOKEN, see the docs; authorization is required",
            "the cookie: a small file; cookies=2",
            "mysql -u root -p < dump.sql",
            r#"{"name":"retries","value":"12345678"}"#,
            "<password></password> <token>...</token>",
            "password: |\n\nnext",
            "https://x/y?page=3&token_count=12345678",
            "f(token=Tokenizer(a1), size=2)",
        ] {
            assert_eq!(Redactor::default().text(same), same);
        }
    }
}
