//! Puts a folder of files in place: all of them at once, and nothing of anybody else's is lost.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::output;
use crate::error::Error;
use crate::temp;

/// The file that lists what we wrote into a folder.
const MARKER: &str = ".turnpoint";

const HEAD: &str = "Written by turnpoint, which replaces the files named here and leaves others alone:";

/// The files in a folder that we wrote; `None` when the folder is not one of ours.
pub(super) fn ours(folder: &Path) -> Option<BTreeSet<PathBuf>> {
    let text = fs::read_to_string(folder.join(MARKER)).ok()?;
    Some(text.lines().skip(1).map(PathBuf::from).chain([MARKER.into()]).collect())
}

fn marker<'a>(files: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = files.collect();
    names.sort_unstable();
    format!("{HEAD}\n{}\n", names.join("\n"))
}

/// Writes the files beside the folder's place and swaps them in whole. What stands there must be ours; files in it that
/// we did not write move into the new folder.
pub(super) fn folder<T: AsRef<[u8]>>(folder: &Path, files: &[(String, T)]) -> Result<(), Error> {
    let error = |source: io::Error| Error::Write { path: folder.into(), source };
    let old = ours(folder);
    if folder.exists() && old.is_none() {
        let reason = "it exists and was not written by turnpoint; choose another folder with -o";
        return Err(error(io::Error::new(io::ErrorKind::AlreadyExists, reason)));
    }
    let parent = folder.parent().unwrap_or(Path::new("."));
    output::make_folder(parent).map_err(error)?;
    let staged = temp::Folder::new_in(parent).map_err(error)?;
    for (name, content) in files {
        output::write_file(&staged.path().join(name), content.as_ref())?;
    }
    let names = marker(files.iter().map(|(name, _)| name.as_str()));
    output::write_file(&staged.path().join(MARKER), names.as_bytes())?;
    if let Some(old) = old {
        keep_others(folder, &old, staged.path()).map_err(error)?;
    }
    open_folder(staged.path()).map_err(error)?;
    swap(staged, folder).map_err(error)
}

/// Writes files into a folder that is not ours as a whole. One that exists must be ours or not be there.
pub(super) fn files(folder: &Path, files: &[(String, String)]) -> Result<(), Error> {
    let old = ours(folder).unwrap_or_default();
    for (name, _) in files {
        let path = folder.join(name);
        if path.is_symlink() || (path.exists() && !old.contains(Path::new(name))) {
            let reason = "it exists and was not written by turnpoint; choose another folder with -o";
            return Err(Error::Write { path, source: io::Error::new(io::ErrorKind::AlreadyExists, reason) });
        }
    }
    let names = old.iter().filter_map(|p| p.to_str()).filter(|n| *n != MARKER && folder.join(n).exists());
    let all: BTreeSet<&str> = names.chain(files.iter().map(|(name, _)| name.as_str())).collect();
    output::write_file(&folder.join(MARKER), marker(all.into_iter()).as_bytes())?;
    files.iter().try_for_each(|(name, text)| output::write_file(&folder.join(name), text.as_bytes()))
}

/// Brings files that are not ours from the old folder into the new one, in which they keep their names.
fn keep_others(old: &Path, ours: &BTreeSet<PathBuf>, new: &Path) -> io::Result<()> {
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(old.join(&below))? {
            let entry = entry?;
            let name = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(name);
                continue;
            }
            // A link in the place of a file of ours is not what we wrote.
            if ours.contains(&name) && !entry.file_type()?.is_symlink() {
                continue;
            }
            let target = new.join(&name);
            fs::create_dir_all(target.parent().unwrap_or(new))?;
            if target.exists() {
                let reason = format!("{} was not written by turnpoint and would be replaced", name.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, reason));
            }
            fs::hard_link(entry.path(), &target).or_else(|_| fs::copy(entry.path(), &target).map(drop))?;
        }
    }
    Ok(())
}

/// Temporary folders are private; what is put in place gets the usual mode.
#[cfg(unix)]
fn open_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn swap(staged: temp::Folder, folder: &Path) -> io::Result<()> {
    if !folder.exists() {
        fs::rename(staged.path(), folder)?;
        staged.keep();
        return Ok(());
    }
    // The old report moves into a folder of its own, so that it goes away with it.
    let old = temp::Folder::new_in(folder.parent().unwrap_or(Path::new(".")))?;
    let parked = old.path().join("old");
    temp::whole(|| {
        fs::rename(folder, &parked)?;
        fs::rename(staged.path(), folder).or_else(|e| fs::rename(&parked, folder).and(Err(e)))
    })?;
    staged.keep();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    fn text(path: PathBuf) -> String {
        fs::read_to_string(path).unwrap_or_default()
    }

    #[test]
    fn our_files_are_replaced_and_others_stay() {
        let root = tempfile::tempdir().unwrap();
        let at = root.path().join("report");
        folder(&at, &[file("a.md", "1"), file("figures/x.svg", "1")]).unwrap();
        fs::write(at.join("notes.txt"), "mine").unwrap();
        fs::write(at.join("figures/y.svg"), "mine").unwrap();
        folder(&at, &[file("a.md", "2")]).unwrap();
        assert_eq!((text(at.join("a.md")), text(at.join("notes.txt"))), ("2".into(), "mine".into()));
        assert_eq!(text(at.join("figures/y.svg")), "mine");
        assert!(!at.join("figures/x.svg").exists(), "a stale page of the older report");
        let error = folder(&at, &[file("notes.txt", "ours")]).unwrap_err();
        assert!(error.to_string().contains("notes.txt"), "{error}");
        assert_eq!(text(at.join("notes.txt")), "mine");
        #[cfg(unix)]
        {
            fs::remove_file(at.join("a.md")).unwrap();
            std::os::unix::fs::symlink(at.join("notes.txt"), at.join("a.md")).unwrap();
            assert!(folder(&at, &[file("a.md", "3")]).is_err(), "a link is nothing that we wrote");
            assert!(files(&at, &[file("a.md", "3")]).is_err());
            assert_eq!(text(at.join("notes.txt")), "mine");
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1, "no temporary folder is left");
    }

    #[test]
    fn what_is_not_ours_is_not_touched() {
        let root = tempfile::tempdir().unwrap();
        let at = root.path().join("report");
        fs::create_dir(&at).unwrap();
        assert!(folder(&at, &[file("a.md", "1")]).is_err());
        fs::write(root.path().join("index.html"), "mine").unwrap();
        assert!(files(root.path(), &[file("index.html", "ours")]).is_err());
        files(&at, &[file("index.html", "1")]).unwrap();
        files(&at, &[file("index.html", "2"), file("index.md", "2")]).unwrap();
        assert_eq!(text(at.join("index.html")), "2");
        assert_eq!(text(root.path().join("index.html")), "mine");
    }
}
