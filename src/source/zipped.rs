//! zip archives: each entry is an input of its own, named `archive!entry`. Entries are unpacked while they are read and
//! never written anywhere, so a name that climbs out of a folder leads nowhere.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::packed::{Counted, Guard, Notes, Plain};
use super::utf16;
use crate::diag::{Diag, Loc};

/// Most entries that are looked at.
const ENTRIES: usize = 100_000;

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

/// The entries of an archive in its order, with their names as shown, and what had to be passed over.
pub(super) fn entries(shown: &str, archive: &Archive) -> io::Result<(Vec<Named>, Vec<Diag>)> {
    let mut zip = ZipArchive::new(archive.open()?).map_err(io::Error::other)?;
    let (mut out, mut diags) = (Vec::new(), Vec::new());
    if zip.len() > ENTRIES {
        let loc = Loc { file: shown.to_owned(), ..Loc::default() };
        let message = format!("the archive holds {} entries; those behind the first {ENTRIES} are not read", zip.len());
        diags.push(Diag::lost("entry-limit", loc, 0, 0, message));
    }
    for i in 0..zip.len().min(ENTRIES) {
        let loc = |name: &str| Loc { file: format!("{shown}!{name}"), ..Loc::default() };
        let file = match zip.by_index_raw(i) {
            Ok(file) => file,
            Err(e) => {
                diags.push(Diag::lost("zip-entry", loc(&i.to_string()), 0, 0, format!("cannot be read: {e}")));
                continue;
            }
        };
        let name = String::from_utf8_lossy(file.name_raw()).into_owned();
        if file.is_dir() || name.ends_with('/') {
            continue;
        }
        if file.encrypted() {
            diags.push(Diag::lost(
                "encrypted",
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
                "zip-method",
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
