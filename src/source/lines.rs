//! JSON records from a byte stream: several on a line, one over many lines, damaged ones named and skipped.
//!
//! The stream is read in chunks that end at a line's end. Lines of a chunk are parsed in parallel, each into a small
//! owned record, and the chunk is dropped: memory is that of the records. A line that is not exactly one record goes
//! to [`super::care`], which splits, joins, mends or skips it.
//!
//! Invariant: every byte is either part of a record, white space between records, or named in a warning.

use std::io::Read;

use memchr::{memchr, memchr_iter, memrchr};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::input::Input;
use super::line::{self, Line};
use super::{bounded, care};
use crate::diag::{Diag, Folded, Loc, Trouble};
use crate::error::Error;
use crate::session::SourceFile;

/// Bytes read before parsing starts.
const CHUNK: usize = 8 << 20;

/// Longest line, and longest record over several lines, that is kept.
pub(super) const LIMIT: usize = 256 << 20;

/// A record with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<T> {
    /// Line it starts on, from 1.
    pub line: u32,
    /// Byte it starts at, from 0.
    pub byte: u64,
    /// Its length in bytes.
    pub len: u64,
    /// What it says.
    pub value: T,
}

/// What was read from an input.
#[derive(Debug)]
pub struct Lines<T> {
    /// The records, in the order of the file.
    pub records: Vec<Record<T>>,
    /// The account of bytes and records; `kept` counts every record that was read.
    pub source: SourceFile,
    /// Trouble, in the order of the file.
    pub warnings: Vec<Diag>,
}

/// Reads every record of an input. `parse` is given one JSON object at a time and fails with a syntax error when the
/// text is no JSON, with any other error when it is no record of the format.
pub fn read<T, P>(input: &Input, format: &'static str, parse: P) -> Result<Lines<T>, Error>
where
    T: Send,
    P: Fn(&str) -> serde_json::Result<T> + Sync,
{
    read_in_chunks(input, format, &bounded(parse), line::plain, CHUNK, LIMIT)
}

/// As [`read`], for streams of server-sent events too: `data:` before a record and the other fields are no damage.
pub fn read_events<T, P>(input: &Input, format: &'static str, parse: P) -> Result<Lines<T>, Error>
where
    T: Send,
    P: Fn(&str) -> serde_json::Result<T> + Sync,
{
    read_in_chunks(input, format, &bounded(parse), line::event, CHUNK, LIMIT)
}

/// Keeps records out that hold too many values.
fn bounded<T>(parse: impl Fn(&str) -> serde_json::Result<T> + Sync) -> impl Fn(&str) -> serde_json::Result<T> + Sync {
    move |text| {
        bounded::check(text)?;
        parse(text)
    }
}

/// How a line is looked at: what it is, and where its record starts.
type Look<T, P> = fn(&P, &[u8]) -> Line<T>;

fn read_in_chunks<T, P>(
    input: &Input,
    format: &'static str,
    parse: &P,
    look: Look<T, P>,
    chunk: usize,
    limit: usize,
) -> Result<Lines<T>, Error>
where
    T: Send,
    P: Fn(&str) -> serde_json::Result<T> + Sync,
{
    let mut reader = input.open()?;
    let mut out = Sink::new(&input.name, parse, look);
    let mut digest = Sha256::new();
    let mut buf: Vec<u8> = Vec::new();
    let mut want = chunk;
    loop {
        let old = buf.len();
        let missing = want.saturating_sub(old) as u64;
        reader.by_ref().take(missing).read_to_end(&mut buf).map_err(|e| input.error(e))?;
        let last = buf.len() < want;
        let cut = if last { buf.len() } else { memrchr(b'\n', &buf).map_or(0, |at| at + 1) };
        let force = last || buf.len() >= limit;
        let fresh = &buf[old..];
        let (used, ()) = rayon::join(|| out.chunk(&buf[..cut], last, force), || digest.update(fresh));
        if last {
            break;
        }
        buf.drain(..used);
        if buf.len() >= limit {
            let lost = buf.len() as u64;
            buf.clear();
            let more = skip_line(&mut reader, &mut buf, &mut digest).map_err(|e| input.error(e))?;
            out.too_long(lost + more, limit);
        }
        want = buf.len() + chunk;
    }
    Ok(out.finish(format, hex(&digest.finalize())))
}

/// Reads to the end of the line without storing it; what stands behind goes into `buf`.
fn skip_line(reader: &mut impl Read, buf: &mut Vec<u8>, digest: &mut Sha256) -> std::io::Result<u64> {
    let mut skipped = 0;
    let mut block = vec![0; 1 << 16];
    loop {
        let n = reader.read(&mut block)?;
        digest.update(&block[..n]);
        if let Some(at) = memchr(b'\n', &block[..n]) {
            buf.extend_from_slice(&block[at..n]);
            return Ok(skipped + at as u64);
        }
        if n == 0 {
            return Ok(skipped);
        }
        skipped += n as u64;
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(64), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    })
}

/// Collects records and trouble, and knows the place in the file.
pub(super) struct Sink<'a, T, P> {
    pub(super) parse: &'a P,
    look: Look<T, P>,
    name: &'a str,
    records: Vec<Record<T>>,
    pub(super) warnings: Folded,
    /// Bytes before the chunk.
    byte: u64,
    /// Line breaks before the chunk.
    line: u64,
}

impl<'a, T, P> Sink<'a, T, P>
where
    T: Send,
    P: Fn(&str) -> serde_json::Result<T> + Sync,
{
    fn new(name: &'a str, parse: &'a P, look: Look<T, P>) -> Self {
        Self { parse, look, name, records: Vec::new(), warnings: Folded::default(), byte: 0, line: 0 }
    }

    /// Takes the records of a chunk of whole lines; gives back how many bytes are done with. What stays waits for the
    /// rest of a record that goes on behind the chunk, unless `force` says that no more will come.
    fn chunk(&mut self, chunk: &[u8], last: bool, force: bool) -> usize {
        let mut spans: Vec<(usize, usize)> = Vec::new();
        let mut start = 0;
        for at in memchr_iter(b'\n', chunk).chain((!chunk.ends_with(b"\n")).then_some(chunk.len())) {
            spans.push((start, at));
            start = at + 1;
        }
        let (parse, look) = (self.parse, self.look);
        let mut lines: Vec<Line<T>> = spans.par_iter().map(|&(a, b)| look(parse, &chunk[a..b])).collect();
        let mut used = chunk.len();
        let mut i = 0;
        while i < spans.len() {
            match std::mem::replace(&mut lines[i], Line::Blank) {
                Line::Blank => i += 1,
                Line::Record(value, at) => {
                    let (a, b) = (spans[i].0 + at, spans[i].1);
                    self.push(self.line + i as u64, a, b - a, value);
                    i += 1;
                }
                Line::Odd => {
                    let next = (i + 1..spans.len()).find(|&j| matches!(lines[j], Line::Record(..)));
                    let end = next.map_or(chunk.len(), |j| spans[j].0);
                    let open = next.is_none() && !force;
                    let from = spans[i].0;
                    let ends_file = next.is_none() && last && !chunk.ends_with(b"\n");
                    let region = care::Region { bytes: &chunk[from..end], at: from, line: i as u64, open, ends_file };
                    if let Some(rest) = care::read(self, &region) {
                        used = from + rest;
                        break;
                    }
                    i = next.unwrap_or(spans.len());
                }
            }
        }
        self.byte += used as u64;
        self.line += memchr_iter(b'\n', &chunk[..used]).count() as u64;
        used
    }

    /// Keeps a record. `line` counts line breaks before it in the file, `at` bytes before it in the chunk.
    pub(super) fn push(&mut self, line: u64, at: usize, len: usize, value: T) {
        let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
        self.records.push(Record { line, byte: self.byte + at as u64, len: len as u64, value });
    }

    /// The place `at` bytes and `line` line breaks behind the start of the chunk.
    pub(super) fn loc(&self, line: u64, at: usize) -> Loc {
        Loc { file: self.name.to_owned(), line: self.line + line + 1, byte: self.byte + at as u64 }
    }

    /// Line breaks before the chunk.
    pub(super) fn lines_before(&self) -> u64 {
        self.line
    }

    fn too_long(&mut self, bytes: u64, limit: usize) {
        let message = format!("a line of more than {} MiB, skipped", limit >> 20);
        let loc = self.loc(0, 0);
        self.warnings.push(Diag::lost(Trouble::LineTooLong, loc, bytes, 1, message));
        self.byte += bytes;
    }

    fn finish(self, format: &'static str, digest: String) -> Lines<T> {
        let warnings = self.warnings.finish();
        let bytes_skipped = warnings.iter().map(|w| w.skipped).sum();
        let skipped: u64 = warnings.iter().map(|w| w.records).sum();
        let kept = self.records.len() as u64;
        let source = SourceFile {
            file: self.name.to_owned(),
            format,
            bytes_read: self.byte,
            bytes_used: self.byte.saturating_sub(bytes_skipped),
            bytes_skipped,
            records: kept + skipped,
            kept,
            copies: 0,
            skipped,
            digest,
        };
        Lines { records: self.records, source, warnings }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Line {
        k: String,
    }

    fn read_small(bytes: &[u8], chunk: usize, limit: usize) -> Lines<String> {
        let input = Input::bytes("x", bytes);
        let parse = |text: &str| serde_json::from_str::<Line>(text).map(|line| line.k);
        let lines = read_in_chunks(&input, "made", &parse, line::plain, chunk, limit).unwrap();
        assert_eq!(lines.source.bytes_read, bytes.len() as u64);
        assert_eq!(lines.source.bytes_used + lines.source.bytes_skipped, lines.source.bytes_read);
        assert_eq!(lines.source.records, lines.source.kept + lines.source.skipped);
        for record in &lines.records {
            assert_eq!(bytes[record.byte as usize], b'{', "a record's place is its brace");
        }
        lines
    }

    /// The records, and the warnings as kind, line, byte and bytes skipped.
    type Outcome = (Vec<String>, Vec<(&'static str, u64, u64, u64)>);

    /// What is read, which is the same for every size of chunk.
    fn read_all(bytes: &[u8]) -> Outcome {
        let whole = outcome(read_small(bytes, 1 << 20, 1 << 20));
        for chunk in [1, 7, 64] {
            assert_eq!(outcome(read_small(bytes, chunk, 1 << 20)), whole, "chunks of {chunk}");
        }
        whole
    }

    fn outcome(lines: Lines<String>) -> Outcome {
        let warnings = lines.warnings.iter().map(|w| (w.kind.word(), w.loc.line, w.loc.byte, w.skipped)).collect();
        (lines.records.into_iter().map(|r| r.value).collect(), warnings)
    }

    #[test]
    fn plain_lines_with_blank_ones_crlf_and_byte_order_marks() {
        let (records, warnings) =
            read_all(b"\xEF\xBB\xBF{\"k\":\"a\"}\r\n\r\n  \n{\"k\":\"b\"}\n\xEF\xBB\xBF{\"k\":\"c\"}");
        assert_eq!(records, ["a", "b", "c"]);
        assert_eq!(warnings, []);
    }

    #[test]
    fn several_records_on_one_line() {
        let (records, warnings) = read_all(b"{\"k\":\"a\"}{\"k\":\"b\"} {\"k\":\"c\"}\n{\"k\":\"d\"}\r{\"k\":\"e\"}\n");
        assert_eq!(records, ["a", "b", "c", "d", "e"]);
        assert_eq!(warnings, [("joined", 1, 0, 0)]);
    }

    #[test]
    fn one_record_over_several_lines() {
        let (records, warnings) = read_all(b"{\"k\":\"a\"}\n{\n  \"k\": \"b\"\n}\n{\"k\":\"c\"}\n");
        assert_eq!(records, ["a", "b", "c"]);
        assert_eq!(warnings, [("multiline", 2, 10, 0)]);
    }

    #[test]
    fn half_a_record_never_takes_the_whole_one_behind_it_along() {
        let (records, warnings) =
            read_all(b"{\"k\":\"a{\"k\":\"b\"}\n{\"k\":\n{\"k\":\"c\"}\n{\"k\":\"d\n\n{\"k\":\"e\"}\n");
        assert_eq!(records, ["b", "c", "e"]);
        assert_eq!(warnings, [("torn", 1, 0, 7), ("torn", 2, 17, 5), ("torn", 4, 33, 7)]);
    }

    #[test]
    fn a_last_line_that_is_cut() {
        let (records, warnings) = read_all("{\"k\":\"a\"}\n{\"k\":\"b…".as_bytes());
        assert_eq!(records, ["a"]);
        assert_eq!(warnings, [("truncated", 2, 10, 10)]);
    }

    #[test]
    fn text_and_values_that_are_no_records() {
        let (records, warnings) = read_all(b"$ run\n{\"k\":\"a\"}\n42\n[1]\nlog: {\"k\":\"b\"}\n{\"z\":1}\n");
        assert_eq!(records, ["a", "b"]);
        let kind = "not-a-record";
        assert_eq!(warnings, [(kind, 1, 0, 5), (kind, 3, 16, 2), (kind, 4, 19, 3), (kind, 5, 23, 4), (kind, 6, 38, 7)]);
    }

    #[test]
    fn nul_bytes_control_characters_and_bytes_that_are_no_utf8() {
        let (records, warnings) = read_all(b"\0\0\0\n{\"k\":\"a\0b\"}\n{\"k\":\"a\x07\"}\n{\"k\":\"a\xFF\xC3\"}\n");
        assert_eq!(records, ["ab", "a\u{7}", "a\u{FFFD}\u{FFFD}"]);
        let want = [("nul", 1, 0, 3), ("nul", 2, 4, 1), ("control", 3, 16, 0), ("invalid-utf8", 4, 27, 2)];
        assert_eq!(warnings, want);
    }

    #[test]
    fn halves_of_surrogate_pairs() {
        let (records, warnings) = read_all(br#"{"k":"a\ud83d"}{"k":"\\ud83d\ude00\ud83d\ude00"}"#);
        assert_eq!(records, ["a\u{FFFD}", "\\ud83d\u{FFFD}😀"]);
        let kinds: Vec<_> = warnings.iter().map(|w| w.0).collect();
        assert_eq!(kinds, ["surrogate", "surrogate", "joined"]);
    }

    #[test]
    fn numbers_that_cannot_be_held_cost_no_record() {
        let text = r#"{"k":"a","n":1e400}
{"k":"b","n":[NaN,-Infinity]}
{"k":"c","n":}
"#;
        let (records, warnings) = read_all(text.as_bytes());
        assert_eq!(records, ["a", "b"]);
        assert_eq!(warnings, [("number", 2, 20, 0), ("number", 2, 20, 0), ("torn", 3, 50, 14)]);
    }

    #[test]
    fn a_key_named_twice() {
        let (records, warnings) = read_all(b"{\"k\":\"a\",\"k\":\"b\"}\n");
        assert_eq!(records, ["b"]);
        assert_eq!(warnings, [("duplicate-key", 1, 0, 0)]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_without_storing_it() {
        let long = format!("{{\"k\":\"a\"}}\n{{\"k\":\"{}\"}}\n{{\"k\":\"b\"}}\n", "x".repeat(200_000));
        let lines = read_small(long.as_bytes(), 64, 1000);
        let (records, warnings) = outcome(lines);
        assert_eq!(records, ["a", "b"]);
        assert_eq!(warnings, [("line-too-long", 2, 10, 200_008)]);
    }

    #[test]
    fn unclosed_braces_on_many_lines_take_linear_time() {
        let many = "{\"k\":\n".repeat(200_000);
        let lines = read_small(many.as_bytes(), 1 << 20, 1 << 22);
        assert_eq!(lines.source.kept, 0);
        assert_eq!(lines.warnings.len(), 20);
        assert!(lines.warnings[19].message.contains("more like this"));
    }
}
