//! Temporary files and folders that are known to the whole process, so that one which is told to end can remove them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::{NamedTempFile, TempDir};

/// How names of our temporary files begin.
pub(crate) const PREFIX: &str = ".turnpoint-";

static KNOWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn known() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a path off the list when it is dropped.
#[derive(Debug)]
struct Known(PathBuf);

impl Drop for Known {
    fn drop(&mut self) {
        known().remove(&self.0);
    }
}

/// A temporary folder, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    // Removed before it is taken off the list.
    dir: TempDir,
    _known: Known,
}

impl Folder {
    /// Makes one in the system's folder for temporary files that nobody else can look into.
    pub(crate) fn private() -> io::Result<Self> {
        let folder = Self::new_in(&std::env::temp_dir())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700))?;
        }
        Ok(folder)
    }

    /// Makes one in a folder.
    pub(crate) fn new_in(parent: &Path) -> io::Result<Self> {
        let mut list = known();
        let dir = TempDir::with_prefix_in(PREFIX, parent)?;
        list.insert(dir.path().to_owned());
        let _known = Known(dir.path().to_owned());
        Ok(Self { dir, _known })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Leaves what now stands at its path alone.
    pub(crate) fn keep(self) {
        let _ = self.dir.keep();
    }
}

/// A temporary file, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct File {
    file: NamedTempFile,
    _known: Known,
}

impl File {
    /// Makes one in a folder.
    pub(crate) fn new_in(parent: &Path) -> io::Result<Self> {
        let mut list = known();
        let file = NamedTempFile::with_prefix_in(PREFIX, parent)?;
        list.insert(file.path().to_owned());
        let _known = Known(file.path().to_owned());
        Ok(Self { file, _known })
    }

    /// The open file.
    pub(crate) fn file(&mut self) -> &mut fs::File {
        self.file.as_file_mut()
    }

    /// Gives it its final name in one step.
    pub(crate) fn persist(self, path: &Path) -> io::Result<()> {
        self.file.persist(path).map(drop).map_err(|e| e.error)
    }
}

/// Does what must not be interrupted half-way: a [`sweep`] waits for it, and after a sweep it waits for the end.
pub(crate) fn whole<T>(act: impl FnOnce() -> T) -> T {
    let _list = known();
    act()
}

/// Removes everything on the list, for a process that ends now: no more is made until it does.
pub(crate) fn sweep() {
    let list = known();
    for path in list.iter() {
        // Another thread may be writing into it: what it made is removed in another round.
        for _ in 0..20 {
            let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            match removed {
                Err(e) if e.kind() != io::ErrorKind::NotFound => std::thread::sleep(Duration::from_millis(5)),
                _ => break,
            }
        }
    }
    std::mem::forget(list);
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_private_folder_is_its_owner_s_alone() {
        let folder = super::Folder::private().unwrap();
        let mode = folder.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
