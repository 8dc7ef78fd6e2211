//! Words of a request that name one thing: files, folders, identifiers.

use crate::extract::prose::offset;

/// Names of products that look like files.
const PRODUCTS: &[&str] = &[
    "node.js",
    "next.js",
    "vue.js",
    "nuxt.js",
    "three.js",
    "react.js",
    "express.js",
    "d3.js",
    "chart.js",
    "asp.net",
    "socket.io",
    "e.g",
    "i.e",
    "a.k.a",
    "vs.",
    "bun.sh",
];
const DOMAINS: &[&str] = &["com", "org", "io", "net", "dev", "ai", "app", "co", "gov", "edu"];

/// A file: a name with an ending, or a path.
pub(super) fn is_file(token: &str) -> bool {
    let token = token.trim_start_matches('@');
    let lower = token.to_lowercase();
    if PRODUCTS.contains(&lower.as_str()) || lower.contains("://") {
        return false;
    }
    let last = lower.rsplit('/').next().unwrap_or(&lower);
    let ending = last.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=6).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
            && end.bytes().any(|b| b.is_ascii_alphabetic())
            && (!DOMAINS.contains(&end) || lower.contains('/'))
            && stem.bytes().any(|b| b.is_ascii_alphabetic())
    });
    let known = matches!(last, "makefile" | "dockerfile" | "readme" | "justfile" | "gemfile" | "license");
    let rooted =
        (token.starts_with('/') || token.starts_with("./")) && token.len() > 2 && lower.matches('/').count() > 1;
    ending || known && token.starts_with(|c: char| c.is_uppercase()) || rooted
}

/// A folder: a path that ends with a slash, in the text if not in its token.
pub(super) fn is_folder(text: &str, token: &str) -> bool {
    let ends = token.ends_with('/') || text[offset(text, token) + token.len()..].starts_with('/');
    ends && token.trim_matches('/').len() > 2 && !token.contains("://")
}

/// An identifier: underscores or `::` inside, or a capital after a small letter where it starts with a small one.
pub(super) fn is_identifier(token: &str) -> bool {
    let inner = token.trim_matches('_');
    let small = token.starts_with(|c: char| c.is_ascii_lowercase());
    let pairs = token.as_bytes().windows(2);
    let hump = small && pairs.into_iter().any(|p| p[0].is_ascii_lowercase() && p[1].is_ascii_uppercase());
    token.len() >= 4 && (inner.contains('_') || token.contains("::") || hump)
}
