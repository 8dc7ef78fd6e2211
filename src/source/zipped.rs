//! zip archives: each entry is an input of its own, named `archive!entry`. Entries are unpacked while they are read and
//! never written anywhere, so a name that climbs out of a folder leads nowhere.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::packed::{Counted, Guard, Notes, Plain};
use super::utf16;
use crate::diag::{Diag, Loc, Trouble};

/// Most entries that are looked at.
pub(super) const ENTRIES: usize = 100_000;

/// Where an archive is.
#[derive(Debug, Clone)]
pub(super) enum Archive {
    File(PathBuf),
    Bytes(Arc<Vec<u8>>),
}

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

impl Archive {
    fn open(&self) -> io::Result<Box<dyn ReadSeek + '_>> {
        Ok(match self {
            Self::File(path) => Box::new(io::BufReader::new(File::open(path)?)),
            Self::Bytes(bytes) => Box::new(Cursor::new(&bytes[..])),
        })
    }
}

/// Where an entry stands in its archive.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    archive: Archive,
    /// Its first packed byte.
    pub(super) start: u64,
    len: u64,
    /// Bytes that it unpacks to, as the list of entries says.
    unpacked: u64,
    method: CompressionMethod,
    crc: u32,
}

/// What all entries of an archive together may unpack to: so many bytes, and beyond some, so many times the packed size.
const MOST: u64 = 4 << 30;
const FREE: u64 = 16 << 20;
const RATIO: u64 = 200;

/// Bytes that one byte of deflated data unpacks to at most.
const DEFLATED: u64 = 1032;

/// What an entry may be longer than the list says, in times of its packed size: as text packs.
const SLACK: u64 = 32;

/// An entry with its name as shown.
pub(super) type Named = (String, Entry);

/// Whether the first bytes are those of a zip archive.
pub(super) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// The entries of an archive in its order, at most so many, with their names as shown, and what had to be passed over.
pub(super) fn entries(shown: &str, archive: &Archive, most: usize) -> io::Result<(Vec<Named>, Vec<Diag>)> {
    let mut zip = ZipArchive::new(archive.open()?).map_err(|e| {
        io::Error::other(format!("the list of entries at the end of the zip archive is cut or damaged ({e})"))
    })?;
    let (mut out, mut diags) = (Vec::new(), Vec::new());
    let again =
        if zip.has_duplicate_names() { repeated(archive, zip.central_directory_start())? } else { BTreeMap::new() };
    for (name, times) in again {
        let loc = Loc { file: format!("{shown}!{name}"), ..Loc::default() };
        let message = format!("{times} entries have this name; the last one is read, the others are passed over");
        diags.push(Diag::lost(Trouble::EntryRepeated, loc, 0, times - 1, message));
    }
    if zip.len() > most {
        let loc = Loc { file: shown.to_owned(), ..Loc::default() };
        let message = format!("the archive holds {} entries; those behind the first {most} are not read", zip.len());
        diags.push(Diag::lost(Trouble::EntryLimit, loc, 0, 0, message));
    }
    let mut taken = Taken::default();
    for i in 0..zip.len().min(most) {
        let loc = |name: &str| Loc { file: format!("{shown}!{name}"), ..Loc::default() };
        let file = match zip.by_index_raw(i) {
            Ok(file) => file,
            Err(e) => {
                diags.push(Diag::lost(Trouble::ZipEntry, loc(&i.to_string()), 0, 0, format!("cannot be read: {e}")));
                continue;
            }
        };
        let name = String::from_utf8_lossy(file.name_raw()).into_owned();
        if file.is_dir() || name.ends_with('/') {
            continue;
        }
        if file.encrypted() {
            diags.push(Diag::lost(
                Trouble::Encrypted,
                loc(&name),
                0,
                0,
                "an encrypted entry, passed over; unpack it with its password first",
            ));
            continue;
        }
        let method = file.compression();
        let known = [CompressionMethod::Stored, CompressionMethod::Deflated, CompressionMethod::Zstd].contains(&method);
        let Some(start) = file.data_start().filter(|_| known) else {
            diags.push(Diag::lost(
                Trouble::ZipMethod,
                loc(&name),
                0,
                0,
                format!("packed by {method}, which is not read; passed over"),
            ));
            continue;
        };
        let (len, crc) = (file.compressed_size(), file.crc32());
        // What cannot be is damage of the list, and says nothing of the entry.
        let unpacked = match method {
            CompressionMethod::Stored => len,
            CompressionMethod::Deflated => file.size().min(DEFLATED.saturating_mul(len)),
            _ => file.size(),
        };
        let entry = Entry { archive: archive.clone(), start, len, unpacked, method, crc };
        match taken.take(&entry) {
            Ok(()) => out.push((format!("{shown}!{name}"), entry)),
            Err((kind, why)) => diags.push(Diag::lost(kind, loc(&name), 0, 0, why)),
        }
    }
    Ok((out, diags))
}

/// What the entries of an archive take, so far.
#[derive(Default)]
struct Taken {
    /// Where packed bytes end, by where they begin.
    packed: BTreeMap<u64, u64>,
    len: u64,
    unpacked: u64,
}

impl Taken {
    /// Adds an entry, unless it lies over another or unpacks to too much.
    fn take(&mut self, entry: &Entry) -> Result<(), (Trouble, String)> {
        let (start, end) = (entry.start, entry.start.saturating_add(entry.len));
        let before = self.packed.range(..end).next_back();
        if start < end && before.is_some_and(|(_, other)| *other > start) {
            let why = "its bytes are those of another entry as well, as honest archives never have them; passed over";
            return Err((Trouble::ZipEntry, why.to_owned()));
        }
        let (len, unpacked) = (self.len.saturating_add(entry.len), self.unpacked.saturating_add(entry.unpacked));
        if unpacked > MOST || (unpacked > FREE && unpacked > RATIO.saturating_mul(len)) {
            let (gib, mib) = (MOST >> 30, FREE >> 20);
            let why = format!(
                "with it the archive would unpack to {} MiB, {} times its packed size (limits: {gib} GiB, or {RATIO} times past {mib} MiB); passed over",
                unpacked >> 20,
                unpacked / len.max(1)
            );
            return Err((Trouble::UnpackLimit, why));
        }
        (self.len, self.unpacked) = (len, unpacked);
        if start < end {
            self.packed.insert(start, end);
        }
        Ok(())
    }
}

/// Names that several entries have, with how many: of them only one is found by its name.
fn repeated(archive: &Archive, start: u64) -> io::Result<BTreeMap<String, u64>> {
    let mut list = io::BufReader::new(archive.open()?);
    list.seek(SeekFrom::Start(start))?;
    let mut names: BTreeMap<String, u64> = BTreeMap::new();
    let mut header = [0; 46];
    while list.read_exact(&mut header).is_ok() && header.starts_with(b"PK\x01\x02") {
        let length = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let mut name = vec![0; length(28).into()];
        list.read_exact(&mut name)?;
        *names.entry(String::from_utf8_lossy(&name).into_owned()).or_default() += 1;
        list.seek_relative(i64::from(length(30)) + i64::from(length(32)))?;
    }
    names.retain(|_, times| *times > 1);
    Ok(names)
}

/// Opens an entry for reading from its start.
pub(super) fn open<'a>(entry: &'a Entry, notes: &Notes) -> io::Result<Plain<'a>> {
    let mut archive = entry.archive.open()?;
    archive.seek(SeekFrom::Start(entry.start))?;
    let (packed, count) = Counted::new(Box::new(archive.take(entry.len)));
    let plain: Plain<'a> = match entry.method {
        CompressionMethod::Deflated => Box::new(DeflateDecoder::new(packed)),
        CompressionMethod::Zstd => Box::new(zstd::stream::read::Decoder::new(packed)?),
        _ => Box::new(packed),
    };
    let left = entry.unpacked.max(SLACK.saturating_mul(entry.len));
    let checked = Checked { inner: plain, crc: Crc::new(), want: entry.crc, left };
    notes.set_packed();
    utf16::decode(Box::new(io::BufReader::with_capacity(1 << 16, Guard::new(Box::new(checked), count, notes))), notes)
}

/// Fails at the end when the bytes do not have their checksum, and before it when they are far too many.
struct Checked<'a> {
    inner: Plain<'a>,
    crc: Crc,
    want: u32,
    left: u64,
}

impl Read for Checked<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.crc.update(&buf[..n]);
        self.left = self
            .left
            .checked_sub(n as u64)
            .ok_or_else(|| io::Error::other("it unpacks to more than the list of entries says"))?;
        if n == 0 && !buf.is_empty() && self.crc.sum() != self.want {
            return Err(io::Error::other("checksum"));
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn packed(names: &[&str]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for name in names {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(name.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn kinds(bytes: Vec<u8>, most: usize) -> (usize, Vec<(&'static str, String)>) {
        let (entries, diags) = entries("a.zip", &Archive::Bytes(Arc::new(bytes)), most).unwrap();
        (entries.len(), diags.into_iter().map(|d| (d.kind.word(), d.loc.file)).collect())
    }

    #[test]
    fn entries_over_the_limit_are_told() {
        assert_eq!(kinds(packed(&["a", "b", "c"]), 3), (3, vec![]));
        assert_eq!(kinds(packed(&["a", "b", "c"]), 2), (2, vec![("entry-limit", "a.zip".into())]));
    }

    #[test]
    fn a_name_that_stands_twice_is_named() {
        // The writer refuses two equal names: one of them is renamed in the bytes.
        let text = packed(&["one", "two", "six"]);
        let mut twice = text.clone();
        memchr::memmem::find_iter(&text, b"two").for_each(|at| twice[at..at + 3].copy_from_slice(b"one"));
        assert_eq!(kinds(twice, 9), (2, vec![("entry-repeated", "a.zip!one".into())]));
    }

    #[test]
    fn entries_over_each_other_and_too_much_for_one_archive_are_passed_over() {
        let entry = |start, len, unpacked| Entry {
            archive: Archive::Bytes(Arc::default()),
            start,
            len,
            unpacked,
            method: CompressionMethod::Deflated,
            crc: 0,
        };
        let mut taken = Taken::default();
        let mut kind = |entry: Entry| taken.take(&entry).err().map(|(kind, _)| kind.word());
        assert_eq!(kind(entry(100, 50, 1 << 20)), None);
        assert_eq!(kind(entry(150, 0, 0)), None);
        assert_eq!(kind(entry(150, 50, 1 << 20)), None);
        for (start, len) in [(100, 50), (149, 1), (90, 11), (120, 200), (0, 1000)] {
            assert_eq!(kind(entry(start, len, 1)), Some("zip-entry"), "{start}");
        }
        // Each of them would be within the limits of one input.
        assert_eq!(kind(entry(500, 10, 15 << 20)), Some("unpack-limit"));
        assert_eq!(kind(entry(1000, 1 << 20, 15 << 20)), None);
        assert_eq!(kind(entry(1 << 30, 1 << 30, MOST)), Some("unpack-limit"));
    }

    #[test]
    fn an_entry_that_is_longer_than_its_archive_says_ends_there() {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("a", SimpleFileOptions::default()).unwrap();
        zip.write_all(&[b' '; 1 << 20]).unwrap();
        let mut bytes = zip.finish().unwrap().into_inner();
        let size = (1u32 << 20).to_le_bytes();
        let places: Vec<usize> = memchr::memmem::find_iter(&bytes, &size).collect();
        places.iter().for_each(|at| bytes[*at..at + 4].copy_from_slice(&5u32.to_le_bytes()));
        let archive = Archive::Bytes(Arc::new(bytes));
        let (_, entry) = entries("a.zip", &archive, 9).unwrap().0.remove(0);
        let (notes, mut out) = (Notes::default(), Vec::new());
        open(&entry, &notes).unwrap().read_to_end(&mut out).unwrap();
        assert!(out.len() < 1 << 17, "{}", out.len());
        assert_eq!(notes.diags("a").iter().map(|d| d.kind.word()).collect::<Vec<_>>(), ["packed-data"]);
    }

    #[test]
    fn a_cut_list_of_entries_says_so() {
        let mut bytes = packed(&["a"]);
        bytes.truncate(bytes.len() - 30);
        let error = entries("a.zip", &Archive::Bytes(Arc::new(bytes)), 9).unwrap_err();
        assert!(error.to_string().contains("cut or damaged"), "{error}");
    }
}
