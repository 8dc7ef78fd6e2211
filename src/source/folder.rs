//! The files of a folder, in order of path, and why others are not looked at.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::diag::Trouble;

/// How far a folder is walked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Levels, that of the folder itself included.
    levels: usize,
    /// Files that are looked at.
    files: usize,
}

impl Limits {
    /// Those that the documentation names.
    pub(super) const USUAL: Self = Self { levels: 64, files: 100_000 };
}

/// Why a path is not looked at.
#[derive(Debug)]
pub(super) enum Reason {
    /// The system refuses it.
    Unreadable(io::Error),
    /// A pipe, socket or device.
    Special,
    /// A link that leads nowhere.
    Dangling,
    /// A link that leads to itself.
    Loop,
    /// A link to a folder that is walked by itself.
    Folder,
    /// A link that leads out of the folder.
    Outside,
}

impl Reason {
    /// Kind of the warning, and what is said.
    pub(super) fn words(&self) -> (Trouble, String) {
        let (kind, message) = match self {
            Self::Unreadable(why) => return (Trouble::Unreadable, format!("cannot be read: {why}; passed over")),
            Self::Special => (Trouble::SpecialFile, "a pipe, socket or device; only regular files are opened"),
            Self::Dangling => (Trouble::DanglingLink, "a link that leads nowhere"),
            Self::Loop => (Trouble::LinkLoop, "a link that leads back to itself; not followed"),
            Self::Folder => (Trouble::LinkToFolder, "a link to a folder that is walked by itself; not followed"),
            Self::Outside => (Trouble::LinkOutside, "a link that leads out of the folder; not followed"),
        };
        (kind, message.to_owned())
    }
}

/// What a walk finds.
#[derive(Default)]
pub(super) struct Walk {
    /// Regular files, and links to regular files inside the folder.
    pub(super) files: Vec<PathBuf>,
    /// What is not looked at, and why.
    pub(super) passed: Vec<(PathBuf, Reason)>,
    /// A limit was met.
    pub(super) cut: bool,
}

impl Walk {
    /// What was met when a limit ended the walk.
    pub(super) fn limits(Limits { levels, files }: Limits) -> String {
        format!("more than {files} files or {levels} levels; the rest was not looked at")
    }

    /// Collects the files of a folder.
    pub(super) fn run(root: &Path, limits: Limits) -> Self {
        let mut walk = Self::default();
        let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let mut folders = vec![(root.to_owned(), 0)];
        while let Some((folder, level)) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(e) => {
                    walk.passed.push((folder, Reason::Unreadable(e)));
                    continue;
                }
            };
            for entry in entries {
                let Ok(path) = entry.map(|e| e.path()) else { continue };
                let Ok(kind) = fs::symlink_metadata(&path).map(|m| m.file_type()) else { continue };
                if kind.is_dir() {
                    walk.cut |= level + 1 >= limits.levels;
                    if level + 1 < limits.levels && !is_passed_over(&path) {
                        folders.push((path, level + 1));
                    }
                } else if kind.is_file() {
                    walk.files.push(path);
                } else if kind.is_symlink() {
                    match link(&real, &path) {
                        None => walk.files.push(path),
                        Some(reason) => walk.passed.push((path, reason)),
                    }
                } else {
                    walk.passed.push((path, Reason::Special));
                }
            }
        }
        walk.files.sort();
        walk.passed.sort_by(|a, b| a.0.cmp(&b.0));
        walk.cut |= walk.files.len() > limits.files;
        walk.files.truncate(limits.files);
        walk
    }
}

/// Folders that hold no transcripts but very many files.
fn is_passed_over(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == ".git" || name == "node_modules")
}

/// Why a link is not followed, if it is not.
fn link(root: &Path, link: &Path) -> Option<Reason> {
    let target = match fs::canonicalize(link) {
        Ok(target) => target,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Some(Reason::Dangling),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return Some(Reason::Unreadable(e)),
        // The kind that a circle of links has is not stable yet; nothing else is left on the usual systems.
        Err(_) => return Some(Reason::Loop),
    };
    let stands = |at: &Path| link.parent().and_then(|p| fs::canonicalize(p).ok()).is_some_and(|p| p.starts_with(at));
    match fs::metadata(&target) {
        Err(e) => Some(Reason::Unreadable(e)),
        Ok(_) if !target.starts_with(root) => Some(Reason::Outside),
        Ok(m) if m.is_dir() && stands(&target) => Some(Reason::Loop),
        Ok(m) if m.is_dir() => Some(Reason::Folder),
        Ok(m) if m.is_file() => None,
        Ok(_) => Some(Reason::Special),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn what_is_not_looked_at_has_a_reason() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("sub/.git")).unwrap();
        fs::write(at("sub/a"), "").unwrap();
        fs::write(at("sub/.git/b"), "").unwrap();
        fs::write(outside.path().join("c"), "").unwrap();
        for (from, to) in [
            (at("sub/a"), "file"),
            (at("nowhere"), "gone"),
            (root.path().to_owned(), "sub/up"),
            (at("p"), "q"),
            (at("q"), "p"),
            (at("sub"), "side"),
            (outside.path().join("c"), "out"),
            (outside.path().to_owned(), "out-folder"),
        ] {
            symlink(from, at(to)).unwrap();
        }
        let _socket = UnixListener::bind(at("socket")).unwrap();
        let walk = Walk::run(root.path(), Limits::USUAL);
        assert_eq!(walk.files, [at("file"), at("sub/a")]);
        let passed: Vec<_> =
            walk.passed.iter().map(|(p, r)| (p.strip_prefix(root.path()).unwrap(), r.words().0.word())).collect();
        let want = [
            ("gone", "dangling-link"),
            ("out", "link-outside"),
            ("out-folder", "link-outside"),
            ("p", "link-loop"),
            ("q", "link-loop"),
            ("side", "link-to-folder"),
            ("socket", "special-file"),
            ("sub/up", "link-loop"),
        ];
        assert_eq!(passed, want.map(|(name, kind)| (Path::new(name), kind)));
        assert!(!walk.cut);
    }

    #[test]
    fn a_folder_over_the_limits_is_cut_and_says_so() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        for name in ["1", "2", "a/3", "a/b/4"] {
            fs::write(root.path().join(name), "").unwrap();
        }
        let walk = |levels, files| {
            let walk = Walk::run(root.path(), Limits { levels, files });
            (walk.files.len(), walk.cut)
        };
        assert_eq!(walk(3, 4), (4, false));
        assert_eq!(walk(3, 3), (3, true));
        assert_eq!(walk(2, 4), (3, true));
        assert_eq!(walk(1, 4), (2, true));
        assert!(Walk::limits(Limits::USUAL).starts_with("more than 100000 files or 64 levels"));
    }
}
