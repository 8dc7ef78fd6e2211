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
    method: CompressionMethod,
    crc: u32,
}

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
        out.push((format!("{shown}!{name}"), Entry { archive: archive.clone(), start, len, method, crc }));
    }
    Ok((out, diags))
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
    let checked = Checked { inner: plain, crc: Crc::new(), want: entry.crc };
    notes.set_packed();
    utf16::decode(Box::new(io::BufReader::with_capacity(1 << 16, Guard::new(Box::new(checked), count, notes))), notes)
}

/// Fails at the end when the bytes do not have their checksum.
struct Checked<'a> {
    inner: Plain<'a>,
    crc: Crc,
    want: u32,
}

impl Read for Checked<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.crc.update(&buf[..n]);
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
    fn a_cut_list_of_entries_says_so() {
        let mut bytes = packed(&["a"]);
        bytes.truncate(bytes.len() - 30);
        let error = entries("a.zip", &Archive::Bytes(Arc::new(bytes)), 9).unwrap_err();
        assert!(error.to_string().contains("cut or damaged"), "{error}");
    }
}
