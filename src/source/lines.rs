//! JSON records from a byte stream: several on a line, one over many lines, damaged ones named and skipped.
//!
//! The stream is read in chunks that end at a line's end. Lines of a chunk are parsed in parallel, each into a small
//! owned record, and the chunk is dropped: memory is that of the records. A line that is not exactly one record goes
//! to [`care`](super::care), which splits, joins, mends or skips it.
//!
//! Invariant: every byte is either part of a record, white space between records, or named in a warning.

use std::collections::BTreeMap;
use std::io::Read;

use memchr::{memchr, memchr_iter, memrchr};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::care;
use super::input::Input;
use crate::diag::{Diag, Loc};
use crate::error::Error;
use crate::session::SourceFile;

/// Bytes read before parsing starts.
const CHUNK: usize = 8 << 20;

/// Longest line, and longest record over several lines, that is kept.
const LIMIT: usize = 256 << 20;

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
    read_in_chunks(input, format, &parse, CHUNK, LIMIT)
}

fn read_in_chunks<T, P>(
    input: &Input,
    format: &'static str,
    parse: &P,
    chunk: usize,
    limit: usize,
) -> Result<Lines<T>, Error>
where
    T: Send,
    P: Fn(&str) -> serde_json::Result<T> + Sync,
{
    let mut reader = input.open()?;
    let mut out = Sink::new(&input.name, parse);
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

/// What a line is by itself.
enum Line<T> {
    Blank,
    Record(T),
    /// Not exactly one record.
    Odd,
}

fn line<T>(parse: &impl Fn(&str) -> serde_json::Result<T>, bytes: &[u8]) -> Line<T> {
    let start = care::blank(bytes);
    if start == bytes.len() {
        return Line::Blank;
    }
    if bytes[start] != b'{' {
        return Line::Odd;
    }
    let Ok(text) = std::str::from_utf8(&bytes[start..]) else { return Line::Odd };
    parse(text).map_or(Line::Odd, Line::Record)
}

/// Collects records and trouble, and knows the place in the file.
pub(super) struct Sink<'a, T, P> {
    pub(super) parse: &'a P,
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
    fn new(name: &'a str, parse: &'a P) -> Self {
        Self { parse, name, records: Vec::new(), warnings: Folded::default(), byte: 0, line: 0 }
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
        let parse = self.parse;
        let mut lines: Vec<Line<T>> = spans.par_iter().map(|&(a, b)| line(parse, &chunk[a..b])).collect();
        let mut used = chunk.len();
        let mut i = 0;
        while i < spans.len() {
            match std::mem::replace(&mut lines[i], Line::Blank) {
                Line::Blank => i += 1,
                Line::Record(value) => {
                    let (a, b) = spans[i];
                    let a = a + care::blank(&chunk[a..b]);
                    self.push(self.line + i as u64, a, b - a, value);
                    i += 1;
                }
                Line::Odd => {
                    let next = (i + 1..spans.len()).find(|&j| matches!(lines[j], Line::Record(_)));
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
        self.warnings.push(Diag::lost("line-too-long", loc, bytes, 1, message));
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

/// Warnings, of which those of one kind beyond the twentieth are added up in one.
#[derive(Debug, Default)]
pub struct Folded {
    shown: Vec<Diag>,
    /// Per kind: how many there were, and where the last one shown stands.
    kinds: BTreeMap<&'static str, (u64, usize)>,
}

impl Folded {
    const SHOWN: u64 = 20;

    /// Adds a warning.
    pub fn push(&mut self, diag: Diag) {
        let (count, last) = self.kinds.entry(diag.kind).or_default();
        *count += 1;
        if *count <= Self::SHOWN {
            *last = self.shown.len();
            self.shown.push(diag);
        } else {
            self.shown[*last].skipped += diag.skipped;
            self.shown[*last].records += diag.records;
        }
    }

    /// The warnings, in the order in which they came.
    pub fn finish(mut self) -> Vec<Diag> {
        for (count, last) in self.kinds.into_values().filter(|(count, _)| *count > Self::SHOWN) {
            let more = count - Self::SHOWN;
            self.shown[last].message.push_str(&format!("; and {more} more like this"));
        }
        self.shown
    }
}
