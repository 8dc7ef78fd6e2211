//! Packed inputs: one file per wrapper. Bytes are unpacked while they are read, within limits, and damage ends the
//! stream with a note instead of an error: what was unpacked before it is used.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{gzip, utf16, zst};
use crate::diag::{Diag, Loc, Severity, Trouble};

/// What one packed input may unpack to.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Most bytes.
    most: u64,
    /// Beyond this size, text that unpacks to more than `ratio` times its packed size is taken for a trap.
    free: u64,
    ratio: u64,
}

const LIMITS: Limits = Limits { most: 1 << 30, free: 16 << 20, ratio: 200 };

/// Packed bytes with a buffer.
pub(super) type Packed<'a> = BufReader<Counted<'a>>;
/// Plain bytes.
pub(super) type Plain<'a> = Box<dyn Read + Send + 'a>;

/// A way to pack one stream of bytes.
pub(super) struct Wrapper {
    /// Whether the first bytes are of this kind.
    pub(super) magic: fn(&[u8]) -> bool,
    /// Unpacks.
    pub(super) open: for<'a> fn(Packed<'a>, &Notes) -> io::Result<Plain<'a>>,
}

/// Wrappers of a whole input. Archives, which hold several, are taken apart by [`super::zipped`].
const WRAPPERS: &[Wrapper] = &[gzip::WRAPPER, zst::WRAPPER];

/// Kind, weight and message of a warning without its place.
type Note = (Trouble, Severity, String);

/// What was noticed while an input was unpacked; shared by all who read the input.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    packed: Arc<AtomicBool>,
    found: Arc<Mutex<Vec<Note>>>,
}

impl Notes {
    pub(super) fn add(&self, kind: Trouble, severity: Severity, message: String) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push((kind, severity, message));
    }

    /// Whether the bytes differ from those of the file.
    pub(super) fn packed(&self) -> bool {
        self.packed.load(Ordering::Relaxed)
    }

    /// Says that the bytes differ from those of the file.
    pub(super) fn set_packed(&self) {
        self.packed.store(true, Ordering::Relaxed);
    }

    /// Forgets what an earlier reading found.
    pub(super) fn clear(&self) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What the last reading found. Bytes of packed data are in the message: `skipped` counts unpacked ones.
    pub(super) fn diags(&self, file: &str) -> Vec<Diag> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let loc = |kind| Loc { file: file.to_owned(), line: u64::from(kind == Trouble::Utf16), byte: 0 };
        let diag = |(kind, severity, message): &Note| Diag {
            severity: *severity,
            ..Diag::warning(*kind, loc(*kind), message.clone())
        };
        found.iter().map(diag).collect()
    }
}

/// Counts the bytes that were read.
pub(super) struct Counted<'a> {
    inner: Plain<'a>,
    count: Arc<AtomicU64>,
}

impl<'a> Counted<'a> {
    pub(super) fn new(inner: Plain<'a>) -> (Self, Arc<AtomicU64>) {
        let count = Arc::new(AtomicU64::new(0));
        (Self { inner, count: Arc::clone(&count) }, count)
    }
}

impl Read for Counted<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Text of an input: unpacked when it is packed, decoded when it is UTF-16.
pub(super) fn open<'a>(raw: Plain<'a>, notes: &Notes) -> io::Result<Plain<'a>> {
    let (counted, count) = Counted::new(raw);
    let mut packed = BufReader::with_capacity(1 << 16, counted);
    let head = packed.fill_buf()?;
    let Some(wrapper) = WRAPPERS.iter().find(|w| (w.magic)(head)) else {
        return utf16::decode(Box::new(packed), notes);
    };
    notes.set_packed();
    let plain = (wrapper.open)(packed, notes)?;
    utf16::decode(Box::new(BufReader::with_capacity(1 << 16, Guard::new(plain, count, notes))), notes)
}

/// Stops at the limits and at damage.
pub(super) struct Guard<'a> {
    inner: Plain<'a>,
    packed: Arc<AtomicU64>,
    unpacked: u64,
    done: bool,
    notes: Notes,
    limits: Limits,
}

impl<'a> Guard<'a> {
    pub(super) fn new(inner: Plain<'a>, packed: Arc<AtomicU64>, notes: &Notes) -> Self {
        Self { inner, packed, unpacked: 0, done: false, notes: notes.clone(), limits: LIMITS }
    }

    fn check(&mut self) {
        let packed = self.packed.load(Ordering::Relaxed);
        let Limits { most, free, ratio: most_ratio } = self.limits;
        if self.unpacked > most || (self.unpacked > free && self.unpacked > most_ratio * packed) {
            self.done = true;
            let (mib, ratio) = (self.unpacked >> 20, self.unpacked / packed.max(1));
            let message = format!(
                "unpacking stopped at {mib} MiB, {ratio} times the packed size (limits: 1 GiB, or {most_ratio} times past 16 MiB); the rest is not read"
            );
            self.notes.add(Trouble::UnpackLimit, Severity::Lost, message);
        }
    }
}

impl Read for Guard<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.done {
            return Ok(0);
        }
        match self.inner.read(buf) {
            Ok(n) => {
                self.unpacked += n as u64;
                self.check();
                Ok(n)
            }
            // What the system says is no damage of the data.
            Err(e) if e.raw_os_error().is_some() || e.kind() == ErrorKind::Interrupted => Err(e),
            Err(e) => {
                self.done = true;
                let (kind, what) = match e.kind() {
                    ErrorKind::UnexpectedEof => (Trouble::Truncated, "the packed data ends too early".to_owned()),
                    _ if e.to_string().contains("checksum") => {
                        (Trouble::Checksum, "the unpacked data does not have its checksum".to_owned())
                    }
                    _ => (Trouble::PackedData, format!("the packed data is damaged ({e})")),
                };
                self.notes.add(kind, Severity::Lost, format!("{what}; what was unpacked before is used"));
                Ok(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that come out for bytes that go in, and the kinds of the notes.
    fn guarded(unpacked: usize, packed: u64, limits: Limits) -> (usize, Vec<&'static str>) {
        let (notes, text) = (Notes::default(), vec![b' '; unpacked]);
        let inner: Plain<'_> =
            Box::new(text.chunks(10).fold(Box::new(io::empty()) as Plain<'_>, |all, chunk| Box::new(all.chain(chunk))));
        let guard = Guard::new(inner, Arc::new(AtomicU64::new(packed)), &notes);
        let mut out = Vec::new();
        Guard { limits, ..guard }.read_to_end(&mut out).unwrap();
        (out.len(), notes.diags("a").iter().map(|d| d.kind.word()).collect())
    }

    #[test]
    fn unpacking_stops_at_the_limits() {
        let limits = Limits { most: 100, free: 50, ratio: 3 };
        assert_eq!(guarded(100, 40, limits), (100, vec![]));
        assert_eq!(guarded(200, 90, limits), (110, vec!["unpack-limit"]));
        assert_eq!(guarded(50, 1, limits), (50, vec![]));
        assert_eq!(guarded(90, 10, limits), (60, vec!["unpack-limit"]));
    }
}
