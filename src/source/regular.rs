//! Files that are read beside the one that was named: only what is a file, and no longer than such files are.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Longest file of this kind.
const LONGEST: u64 = 64 << 20;

/// Whether a path leads to a file. Pipes and devices would hold up whoever opens them, or never end.
pub(super) fn is_regular(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file())
}

/// What stands at a path, if it is neither a file nor a folder.
pub(super) fn special(path: &Path) -> Option<&'static str> {
    match fs::metadata(path) {
        Ok(found) => word(found.file_type()),
        Err(e) if e.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_ok() => {
            Some("a link that leads nowhere")
        }
        Err(_) => None,
    }
}

/// The word for what is neither a file nor a folder.
#[cfg(unix)]
fn word(kind: fs::FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    let words = [
        (kind.is_fifo(), "a named pipe"),
        (kind.is_socket(), "a socket"),
        (kind.is_char_device() || kind.is_block_device(), "a device"),
    ];
    words.into_iter().find_map(|(is_it, word)| is_it.then_some(word))
}

/// Pipes and devices are no paths of files elsewhere.
#[cfg(not(unix))]
fn word(_: fs::FileType) -> Option<&'static str> {
    None
}

/// What a file holds; pipes, devices and files that are far too long are not opened.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let what = fs::metadata(path)?;
    if !what.is_file() || what.len() > LONGEST {
        return Err(io::Error::other("no regular file, or one of over 64 MiB; not opened"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn pipes_and_devices_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success() && read(&path).is_err() && !is_regular(&path));
        assert_eq!((special(&path), special(Path::new("/dev/zero"))), (Some("a named pipe"), Some("a device")));
        assert_eq!((special(folder.path()), special(&folder.path().join("gone"))), (None, None));
        assert!(read(Path::new("/dev/zero")).is_err());
        let file = folder.path().join("y.json");
        fs::write(&file, "{}").unwrap();
        assert_eq!((read(&file).unwrap(), is_regular(&file)), (b"{}".to_vec(), true));
    }
}
