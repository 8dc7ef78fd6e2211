//! What lies in the agents' default places. The only file here that looks at the disk for them.

use std::cmp::Ordering;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use memchr::memmem;
use rayon::prelude::*;

use super::places::{Holds, Os, Place, claude_folder, places};
use crate::source::stored::{self, Stored};
use crate::source::{self, Input, recognise};

/// The places of this system and environment.
pub(crate) fn here() -> Vec<Place> {
    let env = |name: &str| -> Option<OsString> {
        let home = || etcetera::home_dir().ok().map(PathBuf::into_os_string);
        let is_home = matches!(name, "HOME" | "USERPROFILE");
        std::env::var_os(name).filter(|v| !v.is_empty()).or_else(|| is_home.then(home).flatten())
    };
    places(Os::HERE, &env)
}

/// What stands at a place: nothing, where the agent was never used.
pub(crate) fn inputs(place: &Place) -> Vec<PathBuf> {
    match place.holds {
        Holds::Tree => {
            fs::read_dir(&place.path).ok().and_then(|mut d| d.next()).map(|_| place.path.clone()).into_iter().collect()
        }
        Holds::File => place.path.is_file().then(|| place.path.clone()).into_iter().collect(),
        Holds::Databases => {
            let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let is_one = |path: &PathBuf| {
                let name = name(path);
                (name == "opencode.db" || (name.starts_with("opencode-") && name.ends_with(".db"))) && path.is_file()
            };
            let mut files: Vec<PathBuf> = below(&place.path).into_iter().filter(is_one).collect();
            files.sort();
            files
        }
    }
}

/// Whether a place is a store that tells its sessions by itself.
pub(crate) fn is_store(place: &Place) -> bool {
    place.agent == "opencode"
}

/// The sessions that a store tells, and what could not be read.
pub(crate) fn stored(place: &Place) -> (Vec<Stored>, Vec<crate::error::Error>) {
    if place.holds == Holds::Tree {
        return stored::tree(&place.path);
    }
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    if place.holds == Holds::File && place.path.exists() && !place.path.is_file() {
        let source = std::io::Error::other("no regular file");
        errors.push(crate::error::Error::Read { path: place.path.display().to_string(), source });
    }
    for file in inputs(place) {
        match stored::database(&file) {
            Ok(sessions) => all.extend(sessions),
            Err(e) => errors.push(e),
        }
    }
    (all, errors)
}

fn below(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect()
}

/// Every file below a folder, links not followed.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut out, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => out.push(entry.path()),
                _ => {}
            }
        }
    }
    out.sort();
    out
}

/// When a file was last changed; for a database, also its write-ahead log.
pub(crate) fn changed(path: &Path) -> Option<Timestamp> {
    let of = |path: &Path| Timestamp::try_from(fs::metadata(path).ok()?.modified().ok()?).ok();
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    of(path).max(of(Path::new(&log)))
}

/// A session found without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The file to read.
    pub(crate) file: PathBuf,
    /// Its id, where the file holds several.
    pub(crate) id: Option<String>,
    /// When it was last changed.
    pub(crate) at: Timestamp,
}

/// The session of a directory that was changed last, over the places of every agent; of equal ones the first by name.
pub(crate) fn newest_of(places: &[Place], directory: &Path) -> Option<Candidate> {
    let placed = places.iter().filter_map(|place| newest_at(place, directory));
    newest(placed.chain(newest_in(directory)))
}

/// The newest first; of equal ones the first by name.
fn by_age(a: &Candidate, b: &Candidate) -> Ordering {
    b.at.cmp(&a.at).then_with(|| a.file.cmp(&b.file))
}

fn newest(all: impl Iterator<Item = Candidate>) -> Option<Candidate> {
    all.min_by(by_age)
}

fn newest_at(place: &Place, directory: &Path) -> Option<Candidate> {
    if place.agent == "claude-code" {
        return newest_in(&place.path.join(claude_folder(directory)));
    }
    if is_store(place) {
        let of = |s: Stored| {
            let at = s.updated?;
            let here = s.directory.as_deref().is_some_and(|d| Path::new(d) == directory);
            here.then_some(Candidate { file: s.file, id: (place.holds != Holds::Tree).then_some(s.id), at })
        };
        return newest(stored(place).0.into_iter().filter_map(of));
    }
    // Other files say in their head where the agent worked.
    let mark = serde_json::to_string(&directory.to_string_lossy()).ok()?;
    let mut all: Vec<Candidate> = files(&place.path).into_iter().filter_map(candidate).collect();
    all.sort_by(by_age);
    all.into_iter().find(|c| {
        let head = recognise(&Input::file("", &c.file));
        head.is_ok_and(|head| head.format.is_some() && memmem::find(&head.bytes, mark.as_bytes()).is_some())
    })
}

fn candidate(file: PathBuf) -> Option<Candidate> {
    Some(Candidate { at: changed(&file)?, file, id: None })
}

/// The transcript in a folder that was changed last.
fn newest_in(folder: &Path) -> Option<Candidate> {
    let is_one = |path: &PathBuf| {
        path.is_file() && recognise(&Input::file(path.to_string_lossy(), path)).is_ok_and(|head| head.format.is_some())
    };
    newest(below(folder).into_iter().filter(is_one).filter_map(candidate))
}

/// Shortest start of an id that is looked for; a shorter name must be a whole id.
const SHORTEST_START: usize = 4;

/// Sessions whose id is `name` or starts with it: those that stores tell, those whose files are named by it, and, unless
/// one of these is met whole, those whose files hold it. An id that is met whole drives the others out.
pub(crate) fn by_id(places: &[Place], name: &str) -> Vec<(String, Candidate)> {
    let mut out: Vec<(String, Candidate)> = Vec::new();
    let (stores, folders): (Vec<&Place>, Vec<&Place>) = places.iter().partition(|p| is_store(p));
    for place in stores {
        for s in stored(place).0 {
            add(&mut out, name, s.id, s.file, place.holds != Holds::Tree);
        }
    }
    let files: Vec<PathBuf> = folders.iter().flat_map(|p| files(&p.path)).collect();
    let named = || files.iter().filter_map(|file| Some((id_of(file)?, file)));
    // A name of a file that the file itself does not hold is none.
    for (id, file) in named().filter(|(id, _)| id.starts_with(name)) {
        if holds(file, &id) {
            add(&mut out, name, id, file.clone(), false);
        }
    }
    if !out.iter().any(|(id, _)| id == name) {
        for (id, candidate) in held(&files, name) {
            add(&mut out, name, id, candidate, true);
        }
    }
    if out.is_empty() {
        named().for_each(|(id, file)| add(&mut out, name, id, file.clone(), false));
    }
    if out.iter().any(|(id, _)| id == name) {
        out.retain(|(id, _)| id == name);
    }
    out
}

/// Adds a session if its id is meant. The same session may stand in two stores of one agent: the first counts.
fn add(out: &mut Vec<(String, Candidate)>, name: &str, id: String, file: PathBuf, several: bool) {
    let meant = if name.chars().count() < SHORTEST_START { id == name } else { id.starts_with(name) };
    if meant && !out.iter().any(|(known, _)| *known == id) {
        let at = changed(&file).unwrap_or(Timestamp::UNIX_EPOCH);
        out.push((id.clone(), Candidate { file, id: several.then_some(id), at }));
    }
}

/// Whether a transcript has an id, or a start of one, somewhere in its first bytes.
fn holds(file: &Path, id: &str) -> bool {
    // What is not ASCII may be written in other ways.
    let ascii: String = id.chars().take_while(char::is_ascii).collect();
    let written = serde_json::Value::from(ascii).to_string();
    let mark = written.trim_end_matches('"');
    let head = recognise(&Input::file("", file));
    head.is_ok_and(|head| head.format.is_some() && memmem::find(&head.bytes, mark.as_bytes()).is_some())
}

/// Sessions in the files that begin with such an id somewhere; these are read.
fn held(files: &[PathBuf], name: &str) -> Vec<(String, PathBuf)> {
    let files: Vec<&PathBuf> = files.par_iter().filter(|file| holds(file, name)).collect();
    let mut out = Vec::new();
    for file in files {
        let groups = source::discover(std::slice::from_ref(file)).groups;
        let sessions = groups.iter().flat_map(|group| source::load(group, None).unwrap_or_default());
        out.extend(sessions.map(|session| (session.id, file.clone())));
    }
    out
}

/// The id in the name of a file: all of it, or what stands behind the time (`rollout-2026-01-05T10-00-00-<uuid>.jsonl`).
fn id_of(file: &Path) -> Option<String> {
    const UUID: usize = 36;
    let name = file.file_name()?.to_str()?;
    let stem = name.split('.').next().filter(|s| !s.is_empty())?;
    if stem.starts_with("agent-") {
        return None;
    }
    if stem.starts_with("rollout-") {
        return stem.get(stem.len().checked_sub(UUID)?..).map(str::to_owned);
    }
    Some(stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_in_file_names() {
        let uuid = "0199a213-81c0-7800-8aa1-bbab2a035a53";
        assert_eq!(id_of(Path::new(&format!("/x/rollout-2026-01-05T10-00-00-{uuid}.jsonl.zst"))).unwrap(), uuid);
        assert_eq!(id_of(Path::new(&format!("{uuid}.jsonl"))).unwrap(), uuid);
        assert_eq!(id_of(Path::new("agent-1.jsonl")), None);
        assert_eq!(id_of(Path::new("rollout-1.jsonl")), None);
    }
}
