//! Strings that look drawn by lot: long runs of letters of both cases and digits that change all the time. Names, paths,
//! hashes in hex and the ids of transcripts are none.

use super::{Hit, Kind};

/// Shortest run that is looked at, and shortest piece of it without `-` and `_`.
const RUN: usize = 24;
const PIECE: usize = 20;

/// What ids of transcripts and requests begin with; links hang on them.
const IDS: &[&str] = &[
    "toolu_",
    "call_",
    "msg_",
    "prt_",
    "ses_",
    "req_",
    "resp_",
    "chatcmpl-",
    "fc_",
    "rs_",
    "srvtoolu_",
    "sha1-",
    "sha256-",
    "sha384-",
    "sha512-",
];

/// Length of a secret in base 64 of the commonest kind: thirty bytes.
const BASE64: usize = 40;

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    runs(text, hits);
    base64(text, hits);
}

/// Forty signs of base 64 with a `+` among them: neither a path nor a hash has one.
fn base64(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let is_in = |b: &u8| b.is_ascii_alphanumeric() || b"+/".contains(b);
    let mut from = 0;
    for plus in memchr::memchr_iter(b'+', bytes) {
        if plus < from {
            continue;
        }
        let start = plus - bytes[..plus].iter().rev().take(BASE64 + 1).take_while(|b| is_in(b)).count();
        let end = plus + bytes[plus..].iter().take(BASE64 + 1).take_while(|b| is_in(b)).count();
        from = end;
        let piece = &bytes[start..end];
        let many = |of: fn(&u8) -> bool| piece.iter().filter(|b| of(b)).count() >= 4;
        if piece.len() == BASE64 && many(u8::is_ascii_digit) && many(u8::is_ascii_alphabetic) && bits(piece) >= 3.7 {
            hits.push(Hit { at: start..end, kind: Kind::Random });
        }
    }
}

fn runs(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_in(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_in(bytes[at]) {
            at += 1;
        }
        if at - start >= RUN && is_random(&text[start..at]) {
            hits.push(Hit { at: start..at, kind: Kind::Random });
        }
    }
}

fn is_in(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn is_random(run: &str) -> bool {
    !IDS.iter().any(|id| run.starts_with(id))
        && run.split(['-', '_']).any(|p| p.len() >= PIECE && is_drawn(p.as_bytes()))
}

fn is_drawn(piece: &[u8]) -> bool {
    let class = |b: &u8| match b {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    };
    let count = |of: u8| piece.iter().filter(|b| class(b) == of).count();
    let changes = piece.windows(2).filter(|w| class(&w[0]) != class(&w[1])).count();
    // Of 62 signs drawn by lot, six in ten neighbours are of different classes; in names it is two or three.
    let mixed = count(0) >= 2 && count(1) >= 3 && count(2) >= 3 && changes * 100 >= piece.len() * 38;
    mixed && words(piece) < 3 + piece.len() / 40 && bits(piece) >= 3.7
}

/// Runs of four small letters and more, as words of a name have them.
fn words(piece: &[u8]) -> usize {
    piece.split(|b| !b.is_ascii_lowercase()).filter(|run| run.len() >= 4).count()
}

/// Shannon's entropy, in bits a sign.
fn bits(piece: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    piece.iter().for_each(|b| counts[usize::from(*b)] += 1);
    let all = piece.len() as f64;
    counts.iter().filter(|n| **n > 0).map(|n| f64::from(*n) / all).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_lots_from_names() {
        for lot in ["q7Hf2LxV9bT4mZ0sKd83RwYc", "key-Zk3vQ9sLm2Xp8RtY6wBn4Jd7"] {
            assert!(is_random(lot), "{lot}");
        }
        for name in [
            "ConvertToBase64StringWithPadding2",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "0199a213-81c0-7800-8aa1-bbab2a035a53",
            "toolu_01T1x8ZbUqv9LmQmQ3VbK7nX",
            "enable_fused_moe_sum_all_reduce_v2",
            "Heron3-5-264B-A19B-MXFP4-Instruct-2508",
            "REDACTED-RANDOM-1234567890123456",
        ] {
            assert!(!is_random(name), "{name}");
        }
    }

    #[test]
    fn forty_signs_of_base_64_are_a_secret() {
        let secret = "0f4e9c21ab77d3e8k2mt5wq9zx8v1n6rj3hb4py+";
        let hits = |text: &str| {
            let mut hits = Vec::new();
            find(text, &mut hits);
            hits.into_iter().map(|h| text[h.at].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(hits(&format!("KEY={secret}\n")), [secret]);
        assert_eq!(hits(&format!("{secret}x")), Vec::<String>::new());
        assert_eq!(hits("c++/a+b/some/path/of/forty/signs+in/all1"), Vec::<String>::new());
    }
}
