//! Secrets that show by their shape, or by the name that stands before them.

use std::sync::LazyLock;

use memchr::memmem;
use regex::Regex;

use super::{Hit, Kind};

pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a fixed pattern")
}

/// A key block; one that is cut goes on to the end of the text.
static BLOCK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\z)")
});

/// Tokens that issuers mark by how they begin. No boundary is asked for before: in escaped text a letter may stand there.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let shapes = [
        r"gh[pousr]_[A-Za-z0-9]{20,}",
        r"github_pat_[A-Za-z0-9_]{20,}",
        r"gl(?:pat|ptt|rt|dt|cbt)-[A-Za-z0-9_-]{18,}",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
        r"AIza[A-Za-z0-9_-]{30,}",
        r"GOCSPX-[A-Za-z0-9_-]{20,}",
        r"ya29\.[A-Za-z0-9_-]{20,}",
        r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
        r"xapp-[A-Za-z0-9-]{20,}",
        r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}",
        r"hf_[A-Za-z0-9]{20,}",
        r"npm_[A-Za-z0-9]{30,}",
        r"pypi-[A-Za-z0-9_-]{40,}",
        r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}",
        r"whsec_[A-Za-z0-9+/=]{20,}",
        r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
        r"dop_v1_[a-f0-9]{40,}",
        r"AGE-SECRET-KEY-1[0-9A-Z]{40,}",
        r"lin_api_[A-Za-z0-9]{20,}",
        r"tvly-[A-Za-z0-9-]{20,}",
        r"nvapi-[A-Za-z0-9_-]{20,}",
        r"gsk_[A-Za-z0-9]{20,}",
        r"xai-[A-Za-z0-9]{20,}",
        r"r8_[A-Za-z0-9]{30,}",
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{30,}",
        r"glsa_[A-Za-z0-9_]{30,}",
        r"dckr_pat_[A-Za-z0-9_-]{20,}",
        r"hvs\.[A-Za-z0-9_-]{20,}",
        r"ATATT3[A-Za-z0-9_=-]{30,}",
        r"figd_[A-Za-z0-9_-]{20,}",
        r"sntry[su]_[A-Za-z0-9_=+/-]{30,}",
        r"pat[A-Za-z0-9]{14}\.[a-f0-9]{60,}",
    ];
    pattern(&shapes.join("|"))
});

/// Keys that begin with `sk-`, as words do that end in `sk`.
static SK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|[^A-Za-z0-9]|\\[nrt])(sk-[A-Za-z0-9_-]{16,})"));

/// A bot's number and token.
static BOT: LazyLock<Regex> = LazyLock::new(|| pattern(r"[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}"));

/// `scheme://user:password@`.
static URL: LazyLock<Regex> = LazyLock::new(|| pattern(r#"[A-Za-z][A-Za-z0-9+.-]*://([^\s/:@"'<>]*:[^\s/@"'<>]+)@"#));

/// What follows a word that announces a credential in a header.
static HEADER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:bearer|basic|authorization:\s*token)\s+([A-Za-z0-9._~+/=-]{12,})"));

/// `-u user:password`, as curl takes it.
static LOGIN: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?:\s-u|--user)[ =]+["']?([^\s:"']+:[^\s"']+)"#));

pub(super) const NAMES: &str = r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key|account[_-]?key|auth[_-]?key|client[_-]?secret|credentials?|signature|sig)";

/// `name = value`, `"name": "value"`, `--name value`, `?name=value`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    let value = r#"\\*"((?:[^"\\\n]|\\[^"n])+)\\*"|\\*'((?:[^'\\\n])+)\\*'|([^\s"'`,;(){}\[\]<>\\&]+)"#;
    pattern(&format!(
        r#"(?i)((?:^|[^A-Za-z])(?:[A-Za-z0-9]+[_.-])*{NAMES}|[a-z]+(?:Password|Token|Secret|ApiKey|AccessKey))(?:\\*["'])?[*`]{{0,3}}(\s*(?:=>|:=|==?|:|%3d)[*]{{0,2}}\s*|\s+)([*`]{{0,3}})(?:{value})"#
    ))
});

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let mut token = |at: std::ops::Range<usize>| hits.push(Hit { at, kind: Kind::Token });
    TOKEN.find_iter(text).for_each(|m| token(m.range()));
    for (regex, is_one) in
        [(&SK, is_key as fn(&str) -> bool), (&URL, |_| true), (&HEADER, has_digit), (&LOGIN, is_login)]
    {
        let groups = regex.captures_iter(text).filter_map(|c| c.get(1));
        groups.filter(|m| is_one(m.as_str())).for_each(|m| token(m.range()));
    }
    BOT.find_iter(text).for_each(|m| token(m.range()));
    for found in NAMED.captures_iter(text) {
        let name = found.get(1).map_or("", |m| m.as_str());
        let sign = found.get(2).map_or("", |m| m.as_str());
        let marked = found.get(3).is_some_and(|m| !m.is_empty());
        let quoted = found.get(4).or_else(|| found.get(5));
        let Some(value) = quoted.or_else(|| found.get(6)) else { continue };
        // Without a sign between, only a flag of a command names a value.
        let flag = name.trim_start().starts_with("--") || (name.starts_with('-') && name.len() > 4);
        if sign.trim().is_empty() && !flag {
            continue;
        }
        let whole = if quoted.is_some() { value.range() } else { value.start()..end(text, value.end()) };
        let plain = |at: &std::ops::Range<usize>| is_value(name, &text[at.clone()], quoted.is_some() || flag || marked);
        if plain(&value.range()) || (!text[whole.clone()].contains('(') && plain(&whole)) {
            token(whole);
        }
    }
    if memmem::find(text.as_bytes(), b"PRIVATE KEY").is_some() {
        hits.extend(BLOCK.find_iter(text).map(|m| Hit { at: m.range(), kind: Kind::Key }));
    }
}

/// Where a value without quotes ends that some sign seems to end: at a space or quote, or where another name begins.
fn end(text: &str, from: usize) -> usize {
    static NEXT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[&;,?][A-Za-z_][\w.-]*[ ]?[=:]"));
    let rest = &text[from..];
    let stop = |c: char| c.is_whitespace() || "\"'`\\".contains(c);
    let most = rest.find(stop).unwrap_or(rest.len()).min(rest.floor_char_boundary(200));
    let next = rest[..most].char_indices().map(|(at, _)| at).find(|at| NEXT.is_match(&rest[*at..]));
    let whole = &rest[..next.unwrap_or(most)];
    // What closes a sentence or a bracket is not part of it, nor what an open bracket begins.
    from + whole.trim_end_matches([')', ']', '}', ',', ';', '.', '>']).len()
}

/// Whether a member of an object is a secret by its name.
pub(super) fn is_named_secret(key: &str, value: &str) -> bool {
    static KEY: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(r"(?i)^(?:[A-Za-z0-9]+[_.-])*{NAMES}$|^[a-z0-9]+(?:Password|Token|Secret|ApiKey|AccessKey)$"))
    });
    !value.contains(char::is_whitespace) && KEY.is_match(key) && is_value(key, value, true)
}

fn is_value(name: &str, value: &str, quoted: bool) -> bool {
    const NONE: &[&str] = &[
        "true",
        "false",
        "null",
        "none",
        "nil",
        "undefined",
        "string",
        "str",
        "bool",
        "number",
        "required",
        "optional",
        "password",
        "secret",
        "token",
        "changeme",
        "example",
        "redacted",
        "hidden",
        "missing",
        "invalid",
    ];
    let lower = value.to_lowercase();
    let by_reference = value.starts_with(['$', '<', '{', '%', '*', '&', '/', '~', '.', '|'])
        || ["env.", "environ", "getenv", "config.", "self.", "this.", "args."].iter().any(|w| lower.contains(w));
    if value.starts_with("REDACTED-") || NONE.contains(&lower.as_str()) || by_reference || is_masked(value) {
        return false;
    }
    let password = { name.to_lowercase().contains("pass") || name.to_lowercase().contains("pwd") };
    let spaced = value.contains(char::is_whitespace);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    match (password, quoted) {
        // A quoted sentence behind a name is a text about it, but for passwords a few words may be the thing itself.
        (true, true) => value.len() >= 4 && value.split_whitespace().count() <= 4,
        (true, false) => {
            value.len() >= 6 && (digits > 0 || is_shouted(name) || value.contains(['!', '@', '#', '$', '%', '^']))
        }
        (false, true) => value.len() >= 8 && !spaced && digits > 0 && digits < value.len(),
        (false, false) => value.len() >= 8 && digits > 0 && digits < value.len() && !is_code(value),
    }
}

/// A name of an environment variable.
fn is_shouted(name: &str) -> bool {
    name.bytes().any(|b| b == b'_') && !name.bytes().any(|b| b.is_ascii_lowercase())
}

fn is_masked(value: &str) -> bool {
    let first = value.chars().next();
    value.chars().all(|c| Some(c) == first) || value.contains("***") || value.contains("xxxx") || value.contains("...")
}

/// A call, a path of a module, or a dotted name.
fn is_code(value: &str) -> bool {
    value.contains("::")
        || value.contains('(')
        || (value.contains('.') && !value.bytes().any(|b| b.is_ascii_uppercase()))
}

fn is_key(key: &str) -> bool {
    has_digit(key) && (key.len() >= 32 || key.bytes().any(|b| b.is_ascii_uppercase()))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

/// A name with a password, and not the numbers of a user and a group.
fn is_login(text: &str) -> bool {
    !text.bytes().all(|b| b.is_ascii_digit() || b == b':') && !text.contains('$')
}

#[cfg(test)]
mod tests {
    use super::super::Redactor;

    fn redacted(text: &str) -> String {
        Redactor::default().text(text).into_owned()
    }

    #[test]
    fn known_shapes_and_named_values_go() {
        // Put together here, so that no scanner takes this file for a leak.
        let joined = |parts: &[&str]| parts.concat();
        let secrets = [
            joined(&["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"]),
            joined(&["sk", "-ant-api03-9xQ2mLk4vT7Zp1Rs8Wd3Yb6N"]),
            joined(&["AKIA", "IOSFODNN7EXAMPLE"]),
            joined(&["xox", "b-123456789012-abcdefghij"]),
            joined(&["hf", "_QwErTyUiOpAsDfGhJkLzXcVb12"]),
        ];
        for secret in &secrets {
            for text in [format!("use {secret} here"), format!("key={secret}"), format!(r#"{{\"a\":\"x\n{secret}\"}}"#)]
            {
                assert!(!redacted(&text).contains(secret.as_str()), "{text}");
            }
        }
        for (text, secret) in [
            ("DB_PASSWORD=correcthorse", "correcthorse"),
            (r#"password: "correct horse""#, "correct horse"),
            (r#"{\"api_key\": \"a1b2c3d4e5\"}"#, "a1b2c3d4e5"),
            ("mysql --password hunter22 -h x", "hunter22"),
            ("curl -u admin:letmein http://x", "letmein"),
            ("postgres://app:pw@db/x", "app:pw"),
            ("Authorization: Bearer abc123def456ghi789", "abc123def456ghi789"),
            ("https://x/y?token=9f8e7d6c5b4a&z=1", "9f8e7d6c5b4a"),
            ("client_secret = 'zx81zx81zx81'", "zx81zx81zx81"),
        ] {
            let out = redacted(text);
            assert!(!out.contains(secret) && out.contains("REDACTED-TOKEN-1"), "{text} -> {out}");
        }
    }

    #[test]
    fn a_key_that_is_cut_goes_to_the_end() {
        let begin = ["-----BEGIN RSA PRIVATE", " KEY-----"].concat();
        assert_eq!(redacted(&format!("a\n{begin}\nMIIEow")), "a\nREDACTED-KEY-1");
    }

    #[test]
    fn talk_of_secrets_stays() {
        for same in [
            "max_tokens=4096, total_token: 12345678",
            "token: the user's, password: required",
            "let token: String = lexer.next_token();",
            "password = os.environ['DB_PASSWORD']",
            "API_KEY=$OPENAI_API_KEY docker run -u 1000:1000 x",
            "output_throughput 412 tok/s at concurrency 64, risk-averse-scheduling-policy-2",
            "basic functionality of the tokenizer; the secret of success",
            "password=********",
        ] {
            assert_eq!(redacted(same), same);
        }
    }
}
