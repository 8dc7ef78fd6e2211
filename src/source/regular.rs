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
        assert!(read(Path::new("/dev/zero")).is_err());
        let file = folder.path().join("y.json");
        fs::write(&file, "{}").unwrap();
        assert_eq!((read(&file).unwrap(), is_regular(&file)), (b"{}".to_vec(), true));
    }
}
