//! Inputs: files, entries of archives, or bytes from standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::packed::{self, Notes, Plain};
use super::zipped::{self, Archive, Entry};
use crate::diag::Diag;
use crate::error::Error;

/// Something to read a transcript from.
#[derive(Debug, Clone)]
pub struct Input {
    /// Path as shown to the user, relative to the INPUT.
    pub name: String,
    data: Data,
    notes: Notes,
}

#[derive(Debug, Clone)]
enum Data {
    File(PathBuf),
    Bytes(Arc<Vec<u8>>),
    Entry(Entry),
}

/// The first bytes of an input, enough to tell its format.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// Path as shown to the user.
    pub name: &'a str,
    /// Path of the file; `None` for standard input.
    pub path: Option<&'a Path>,
    /// The first bytes: [`Head::SIZE`], or what holds a whole first record.
    pub bytes: &'a [u8],
    /// Whether `bytes` is the whole input.
    pub whole: bool,
}

impl Head<'_> {
    /// Bytes read to tell the format, unless the first record is longer.
    pub const SIZE: usize = 64 * 1024;
}

impl Input {
    /// A file, shown as `name`.
    pub fn file(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), data: Data::File(path.into()), notes: Notes::default() }
    }

    /// Bytes at hand, shown as `name`.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), data: Data::Bytes(Arc::new(bytes.into())), notes: Notes::default() }
    }

    /// Standard input, read whole and shown as `-`.
    pub fn stdin() -> Result<Self, Error> {
        Self::once("-".to_owned(), Ok(io::stdin().lock()))
    }

    /// A pipe, which gives its bytes only once: read whole, like standard input.
    pub(super) fn pipe(name: impl Into<String>, path: &Path) -> Result<Self, Error> {
        Self::once(name.into(), File::open(path))
    }

    fn once(name: String, from: io::Result<impl Read>) -> Result<Self, Error> {
        match from.and_then(|mut from| read_whole(&mut from, WHOLE)) {
            Ok(bytes) => Ok(Self::bytes(name, bytes)),
            Err(source) => Err(Error::Read { path: name, source }),
        }
    }

    /// The entries of a zip archive, and what had to be passed over in it.
    pub(super) fn entries(&self) -> Result<(Vec<Self>, Vec<Diag>), Error> {
        let archive = match &self.data {
            Data::File(path) => Archive::File(path.clone()),
            Data::Bytes(bytes) => Archive::Bytes(Arc::clone(bytes)),
            Data::Entry(_) => return Ok((Vec::new(), Vec::new())),
        };
        let (entries, diags) = zipped::entries(&self.name, &archive, zipped::ENTRIES).map_err(|e| self.error(e))?;
        let input = |(name, entry)| Self { name, data: Data::Entry(entry), notes: Notes::default() };
        Ok((entries.into_iter().map(input).collect(), diags))
    }

    /// Path of a file whose bytes are read as they are; `None` for bytes at hand and, once their head was read, for
    /// packed files.
    pub fn path(&self) -> Option<&Path> {
        self.place().filter(|_| !self.notes.packed())
    }

    /// Path of a file, packed or not.
    pub(crate) fn place(&self) -> Option<&Path> {
        match &self.data {
            Data::File(path) => Some(path),
            Data::Bytes(_) | Data::Entry(_) => None,
        }
    }

    /// Trouble in unpacking, as far as the input was read.
    pub(super) fn trouble(&self) -> Vec<Diag> {
        self.notes.diags(&self.name)
    }

    /// Opens it for reading from the start; gives its text, unpacked and in UTF-8.
    pub fn open(&self) -> Result<Box<dyn Read + Send + '_>, Error> {
        self.notes.clear();
        let raw: Plain<'_> = match &self.data {
            Data::File(path) => Box::new(File::open(path).map_err(|e| self.error(e))?),
            Data::Bytes(bytes) => Box::new(&bytes[..]),
            Data::Entry(entry) => return zipped::open(entry, &self.notes).map_err(|e| self.error(e)),
        };
        packed::open(raw, &self.notes).map_err(|e| self.error(e))
    }

    /// Reads it whole.
    pub fn read(&self) -> Result<Vec<u8>, Error> {
        // What is known to be too long is not begun.
        let long = self.path().and_then(|path| path.metadata().ok()).is_some_and(|m| m.len() > WHOLE);
        let bytes = if long { Err(too_long(WHOLE)) } else { read_whole(&mut self.open()?, WHOLE) };
        bytes.map_err(|e| self.error(e))
    }

    /// Reads the first bytes; the flag says whether that is all.
    pub fn head(&self) -> Result<(Vec<u8>, bool), Error> {
        self.first(Head::SIZE)
    }

    /// Reads at most so many of the first bytes; the flag says whether that is all.
    pub(super) fn first(&self, most: usize) -> Result<(Vec<u8>, bool), Error> {
        let mut bytes = Vec::new();
        self.open()?.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|e| self.error(e))?;
        let whole = bytes.len() <= most;
        bytes.truncate(most);
        Ok((bytes, whole))
    }

    /// An error in reading this input.
    pub fn error(&self, source: io::Error) -> Error {
        Error::Read { path: self.name.clone(), source }
    }
}

/// Bytes of an input that is read whole: a document, or standard input. Line files are streamed.
const WHOLE: u64 = 1 << 30;

fn read_whole(input: &mut dyn Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long(most)) } else { Ok(bytes) }
}

fn too_long(most: u64) -> io::Error {
    let reason = format!("it holds more than {} MiB, and is no line file that could be read bit by bit", most >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_of_any_length_is_not_held() {
        assert_eq!(read_whole(&mut &b"four"[..], 4).unwrap(), b"four");
        assert_eq!(read_whole(&mut io::repeat(0), 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
