//! What kind of file the first bytes are, and whether the file's name says the same.

use std::path::Path;

use memchr::memchr;

use super::sqlite::MAGIC;

/// Kinds of files that names tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Gzip,
    Zstd,
    Zip,
    Sqlite,
    /// JSON, one value a line.
    Lines,
    /// JSON, one value.
    Document,
    Text,
}

impl Shape {
    fn words(self) -> &'static str {
        match self {
            Self::Gzip => "gzip data",
            Self::Zstd => "zstd data",
            Self::Zip => "a zip archive",
            Self::Sqlite => "an SQLite database",
            Self::Lines => "JSON lines",
            Self::Document => "one JSON value",
            Self::Text => "text",
        }
    }

    fn of(raw: &[u8]) -> Self {
        let start = super::care::blank(raw);
        match raw {
            _ if raw.starts_with(b"\x1F\x8B") => Self::Gzip,
            _ if raw.starts_with(b"\x28\xB5\x2F\xFD") => Self::Zstd,
            _ if super::zipped::is_zip(raw) => Self::Zip,
            _ if raw.starts_with(MAGIC) => Self::Sqlite,
            _ if !matches!(raw.get(start), Some(b'{' | b'[')) => Self::Text,
            _ => {
                let rest = &raw[start..];
                let (line, more) = rest.split_at(memchr(b'\n', rest).unwrap_or(rest.len()));
                let close = if line[0] == b'{' { b'}' } else { b']' };
                let lines = line.trim_ascii_end().last() == Some(&close) && !more.trim_ascii().is_empty();
                if lines { Self::Lines } else { Self::Document }
            }
        }
    }
}

/// Says what a file holds when its name says something else. One JSON value may be a line file of one line.
pub(super) fn lie(path: &Path, raw: &[u8]) -> Option<String> {
    let named: &[Shape] = match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "jsonl" | "ndjson" if !raw.contains(&b'\n') || raw.trim_ascii_end().contains(&b'\n') => &[Shape::Lines],
        "jsonl" | "ndjson" => &[Shape::Lines, Shape::Document],
        "json" => &[Shape::Document],
        "md" | "markdown" | "txt" => &[Shape::Text],
        "db" | "sqlite" | "sqlite3" => &[Shape::Sqlite],
        "gz" => &[Shape::Gzip],
        "zst" => &[Shape::Zstd],
        "zip" => &[Shape::Zip],
        _ => return None,
    };
    let shape = Shape::of(raw);
    // The first line of a line file may be longer than what was read.
    let cut = shape == Shape::Document && !raw.contains(&b'\n');
    let fits = named.contains(&shape) || (cut && named.contains(&Shape::Lines));
    (!fits).then(|| format!("holds {}, whatever its name says; read as that", shape.words()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_something_else() {
        let lines = b"{\"a\":1}\n{\"a\":2}\n";
        for (name, raw, want) in [
            ("a.jsonl", &lines[..], None),
            ("a.jsonl", b"{\"a\":1}\n", None),
            ("a.jsonl", b"{\"a\":1}", None),
            ("a.jsonl", b"{\"a\":NaN}\n{}", None),
            ("a.jsonl", b"{\n \"a\": 1\n}\n", Some("one JSON value")),
            ("a.jsonl", b"\x1F\x8B\x08", Some("gzip data")),
            ("a.json", &lines[..], Some("JSON lines")),
            ("a.json", b"{\n \"a\": 1\n}\n", None),
            ("a.json", b"[{\"a\": 1}]", None),
            ("a.JSON", MAGIC, Some("an SQLite database")),
            ("a.md", b"{\"a\":1}", Some("one JSON value")),
            ("a.md", b"# hello", None),
            ("a.db", b"plain", Some("text")),
            ("a", b"plain", None),
            ("a.log", b"{}", None),
        ] {
            let said = lie(Path::new(name), raw);
            assert_eq!(said.is_some(), want.is_some(), "{name}: {said:?}");
            assert!(want.is_none_or(|w| said.unwrap().contains(w)), "{name}");
        }
    }
}
