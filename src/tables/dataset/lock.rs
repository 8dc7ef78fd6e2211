//! The lock of a dataset: who looks at its folder or changes it does so alone.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the lock's file, which stands in the folder as long as somebody holds it.
const NAME: &str = ".turnpoint-lock";

/// A held lock. The system frees it when the process dies, so the file of a killed run is in nobody's way.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Waits until nobody else holds it.
    pub(super) fn take(folder: &Path) -> io::Result<Self> {
        let path = folder.join(NAME);
        loop {
            let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
            file.lock()?;
            // Who held it before has removed the file: a newer one may stand there, which others lock.
            if stands(&file, &path) {
                return Ok(Self { path, file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

/// Whether a path names the open file.
#[cfg(unix)]
fn stands(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |m: io::Result<fs::Metadata>| m.ok().map(|m| (m.dev(), m.ino()));
    id(file.metadata()).is_some_and(|open| id(fs::symlink_metadata(path)) == Some(open))
}

/// Elsewhere the file is never removed.
#[cfg(not(unix))]
fn stands(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_nothing_is_left() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join(NAME), "of a killed run").unwrap();
        let most = std::sync::Mutex::new((0, 0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let lock = Lock::take(root.path()).unwrap();
                        let mut now = most.try_lock().expect("nobody else is here");
                        now.0 += 1;
                        drop((now, lock));
                    }
                });
            }
        });
        assert_eq!(most.into_inner().unwrap().0, 160);
        assert!(cfg!(not(unix)) || fs::read_dir(root.path()).unwrap().next().is_none());
    }
}
