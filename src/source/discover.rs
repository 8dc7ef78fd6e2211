//! From paths to groups of inputs: walks folders, tells formats by content, ties files of one session together.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{FORMATS, Format, Head, Input, seen, zipped};
use crate::diag::{Diag, Loc};
use crate::error::Error;

/// Deepest level of a folder that is walked.
const LEVELS: usize = 64;

/// Most files of a folder that are looked at.
const FILES: usize = 100_000;

/// Inputs that are parsed together: the files of one session, or of a family of forks.
#[derive(Debug)]
pub struct Group {
    /// Their format.
    pub format: &'static Format,
    /// In order of path.
    pub inputs: Vec<Input>,
}

/// What was found at the paths given.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Groups, in order of their first input.
    pub groups: Vec<Group>,
    /// Files of folders that were passed over.
    pub warnings: Vec<Diag>,
    /// Inputs named outright that cannot be read or are no transcript.
    pub errors: Vec<Error>,
}

/// A file whose format is known.
struct Found {
    input: Input,
    format: usize,
    keys: Vec<String>,
}

/// Finds transcripts at the paths given: files are taken as they are, folders are walked, `-` is standard input.
pub fn discover(paths: &[PathBuf]) -> Discovered {
    let mut out = Discovered::default();
    let mut found: Vec<Found> = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            match Input::stdin() {
                Ok(input) => named(input, &mut found, &mut out),
                Err(e) => out.errors.push(e),
            }
        } else if path.is_dir() {
            folder(path, &mut found, &mut out);
        } else {
            named(Input::file(shown_name(path), path), &mut found, &mut out);
        }
    }
    let mut once = HashSet::new();
    found.retain(|f| f.input.place().is_none_or(|p| once.insert(fs::canonicalize(p).unwrap_or_else(|_| p.to_owned()))));
    out.groups = group(found);
    out
}

fn shown_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// What a head is: the position of the format in the registry, and the file's keys.
fn detect(head: &Head<'_>) -> Option<(usize, Vec<String>)> {
    let sure = FORMATS.iter().enumerate().map(|(i, f)| ((f.sniff)(head), i));
    let (score, format) = sure.rev().max_by_key(|(score, _)| *score)?;
    (score >= 50).then(|| (format, (FORMATS[format].keys)(head)))
}

/// An input that the user named: it must be a transcript.
fn named(input: Input, found: &mut Vec<Found>, out: &mut Discovered) {
    let (bytes, whole) = match input.head() {
        Ok(head) => head,
        Err(e) => return out.errors.push(e),
    };
    let head = Head { name: &input.name, path: input.path(), bytes: &bytes, whole };
    let Some((format, keys)) = detect(&head) else {
        if zipped::is_zip(&bytes) {
            return archive(&input, found, out);
        }
        let trouble = input.trouble();
        let seen =
            trouble.first().map_or_else(|| seen::describe(&head), |t| format!("{}; no transcript in it", t.message));
        return out.errors.push(Error::Unrecognised { path: input.name, seen });
    };
    let near = input.path().map(|p| (p.parent().unwrap_or(Path::new("")).to_owned(), (FORMATS[format].companions)(p)));
    found.push(Found { input, format, keys });
    let (base, near) = near.unwrap_or_default();
    for path in near {
        found.extend(try_file(&base, &path).ok().flatten().filter(|f| f.format == format));
    }
}

fn try_file(base: &Path, path: &Path) -> Result<Option<Found>, Error> {
    match try_input(file_below(base, path))? {
        Tried::Taken(found) => Ok(Some(found)),
        Tried::Archive(_) | Tried::Other => Ok(None),
    }
}

fn file_below(base: &Path, path: &Path) -> Input {
    Input::file(path.strip_prefix(base).unwrap_or(path).to_string_lossy(), path)
}

/// What an input turned out to be.
enum Tried {
    Taken(Found),
    Archive(Input),
    Other,
}

fn try_input(input: Input) -> Result<Tried, Error> {
    let (bytes, whole) = input.head()?;
    let head = Head { name: &input.name, path: input.path(), bytes: &bytes, whole };
    Ok(match detect(&head) {
        Some((format, keys)) => Tried::Taken(Found { input, format, keys }),
        None if zipped::is_zip(&bytes) => Tried::Archive(input),
        None => Tried::Other,
    })
}

/// An archive that the user named: it must hold a transcript.
fn archive(input: &Input, found: &mut Vec<Found>, out: &mut Discovered) {
    match transcripts(input) {
        Ok((taken, warnings)) => {
            out.warnings.extend(warnings);
            if taken.is_empty() {
                let seen = "a zip archive without transcripts".to_owned();
                out.errors.push(Error::Unrecognised { path: input.name.clone(), seen });
            }
            found.extend(taken);
        }
        Err(e) => out.errors.push(e),
    }
}

/// The transcripts of an archive. Entries that are none are counted in a note.
fn transcripts(input: &Input) -> Result<(Vec<Found>, Vec<Diag>), Error> {
    let (entries, mut warnings) = input.entries()?;
    let (mut taken, mut other) = (Vec::new(), 0);
    for tried in entries.into_par_iter().map(try_input).collect::<Vec<_>>() {
        match tried {
            Ok(Tried::Taken(found)) => taken.push(found),
            Ok(_) => other += 1,
            Err(e) => {
                let loc = Loc { file: input.name.clone(), ..Loc::default() };
                warnings.push(Diag::warning("unreadable", loc, format!("{e}; passed over")));
            }
        }
    }
    if other > 0 {
        let loc = Loc { file: input.name.clone(), ..Loc::default() };
        warnings.push(Diag::note("passed-over", loc, format!("{other} entries that are no transcripts passed over")));
    }
    Ok((taken, warnings))
}

/// Every transcript below a folder; what is none is passed over and counted.
fn folder(root: &Path, found: &mut Vec<Found>, out: &mut Discovered) {
    let shown = root.to_string_lossy().into_owned();
    let loc = |file: String| Loc { file, line: 0, byte: 0 };
    let mut walk = Walk::default();
    walk.run(root);
    out.warnings.extend(walk.unreadable.iter().map(|(path, why)| {
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        Diag::warning("unreadable", loc(name), format!("cannot be read: {why}; passed over"))
    }));
    if walk.cut {
        let message = format!("more than {FILES} files or {LEVELS} levels; the rest was not looked at");
        out.warnings.push(Diag::warning("folder-limit", loc(shown.clone()), message));
    }
    let tried: Vec<_> = walk.files.par_iter().map(|path| try_input(file_below(root, path))).collect();
    let (mut taken, mut other) = (0u64, 0u64);
    for (path, tried) in walk.files.iter().zip(tried) {
        match tried {
            Ok(Tried::Taken(f)) => {
                taken += 1;
                found.push(f);
            }
            Ok(Tried::Archive(input)) => match transcripts(&input) {
                Ok((inside, warnings)) => {
                    out.warnings.extend(warnings);
                    taken += inside.len() as u64;
                    other += u64::from(inside.is_empty());
                    found.extend(inside);
                }
                Err(e) => {
                    out.warnings.push(Diag::warning("zip-directory", loc(input.name), format!("{e}; passed over")))
                }
            },
            // What stands beside a subagent's file is read with it.
            Ok(Tried::Other) if path.to_string_lossy().ends_with(".meta.json") => {}
            Ok(Tried::Other) => other += 1,
            Err(Error::Read { path: name, source }) => {
                let message = format!("cannot be read: {source}; passed over");
                out.warnings.push(Diag::warning("unreadable", loc(name), message));
            }
            Err(e) => out.errors.push(e),
        }
    }
    if taken == 0 {
        let seen = format!("a folder without transcripts ({other} other files)");
        out.errors.push(Error::Unrecognised { path: shown, seen });
    } else if other > 0 {
        let files = if other == 1 { "file that is no transcript was" } else { "files that are no transcripts were" };
        let message = format!("{other} {files} passed over");
        out.warnings.push(Diag::note("passed-over", loc(shown), message));
    }
}

#[derive(Default)]
struct Walk {
    files: Vec<PathBuf>,
    unreadable: Vec<(PathBuf, std::io::Error)>,
    cut: bool,
}

impl Walk {
    /// Collects regular files in order of path. Links are followed to files inside the root only.
    fn run(&mut self, root: &Path) {
        let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let mut folders = vec![(root.to_owned(), 0)];
        while let Some((folder, level)) = folders.pop() {
            let mut entries: Vec<PathBuf> = match fs::read_dir(&folder) {
                Ok(entries) => entries.filter_map(|e| Some(e.ok()?.path())).collect(),
                Err(e) => {
                    self.unreadable.push((folder, e));
                    continue;
                }
            };
            entries.sort();
            for path in entries {
                let Ok(kind) = fs::symlink_metadata(&path).map(|m| m.file_type()) else { continue };
                if kind.is_dir() {
                    self.cut |= level + 1 >= LEVELS;
                    if level + 1 < LEVELS && !is_passed_over(&path) {
                        folders.push((path, level + 1));
                    }
                } else if kind.is_file() || (kind.is_symlink() && leads_inside(&real, &path)) {
                    self.cut |= self.files.len() >= FILES;
                    if self.files.len() < FILES {
                        self.files.push(path);
                    }
                }
            }
        }
        self.files.sort();
    }
}

/// Folders that hold no transcripts but very many files.
fn is_passed_over(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == ".git" || name == "node_modules")
}

fn leads_inside(root: &Path, link: &Path) -> bool {
    fs::canonicalize(link).is_ok_and(|target| target.starts_with(root) && target.is_file())
}

/// Joins files of one format that share a key, in order of their first file.
fn group(found: Vec<Found>) -> Vec<Group> {
    let mut root: Vec<usize> = (0..found.len()).collect();
    let mut holder: HashMap<(usize, &str), usize> = HashMap::new();
    for (i, file) in found.iter().enumerate() {
        for key in &file.keys {
            let first = *holder.entry((file.format, key)).or_insert(i);
            let (a, b) = (top(&mut root, first), top(&mut root, i));
            root[a.max(b)] = a.min(b);
        }
    }
    let roots: Vec<usize> = (0..found.len()).map(|i| top(&mut root, i)).collect();
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    for (file, root) in found.into_iter().zip(roots) {
        let format = &FORMATS[file.format];
        groups.entry(root).or_insert_with(|| Group { format, inputs: Vec::new() }).inputs.push(file.input);
    }
    groups.into_values().collect()
}

/// The head of a set; the way to it is shortened.
fn top(root: &mut [usize], mut i: usize) -> usize {
    while root[i] != i {
        root[i] = root[root[i]];
        i = root[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"type":"user","uuid":"U","sessionId":"S","message":{"content":"hello"}}"#;

    fn line(session: &str, uuid: &str) -> String {
        LINE.replace("\"S\"", &format!("\"{session}\"")).replace("\"U\"", &format!("\"{uuid}\""))
    }

    fn write(root: &Path, name: &str, text: &str) -> PathBuf {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn names(found: &Discovered) -> Vec<Vec<&str>> {
        found.groups.iter().map(|g| g.inputs.iter().map(|i| i.name.as_str()).collect()).collect()
    }

    #[test]
    fn a_folder_is_walked_in_order_and_sessions_are_tied_together() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "z.jsonl", &line("s1", "1"));
        write(root.path(), "a b\nc/x.jsonl", &line("s2", "2"));
        write(root.path(), "a/y.jsonl", &line("s1", "3"));
        write(root.path(), "fork.jsonl", &line("s3", "2"));
        write(root.path(), "README.md", "nothing");
        write(root.path(), ".git/w.jsonl", &line("s4", "4"));
        let found = discover(&[root.path().to_owned()]);
        assert_eq!(names(&found), [vec!["a/y.jsonl", "z.jsonl"], vec!["a b\nc/x.jsonl", "fork.jsonl"]]);
        assert_eq!(found.warnings.len(), 1);
        assert!(found.warnings[0].message.starts_with("1 file"));
        assert!(found.errors.is_empty());
    }

    #[test]
    fn what_is_named_outright_must_be_a_transcript() {
        let root = tempfile::tempdir().unwrap();
        let cases = [
            ("empty.jsonl", "", "an empty file"),
            (
                "x.json",
                r#"{"role":"user","text":"x"}"#,
                "a JSON object with keys role, text; the nearest format is messages",
            ),
            ("x.txt", "dear diary", "text of no known format, first line \"dear diary\""),
            ("cut.json", r#"{"role":"us"#, "a JSON object that ends too early or is damaged"),
        ];
        for (name, text, want) in cases {
            let path = write(root.path(), name, text);
            let found = discover(&[path]);
            assert!(found.groups.is_empty());
            assert_eq!(found.errors[0].to_string(), format!("{name}: {want}"));
        }
        fs::write(root.path().join("p.png"), b"\x89PNG\r\n").unwrap();
        let found = discover(&[root.path().join("p.png"), root.path().join("absent")]);
        assert_eq!(found.errors[0].to_string(), "p.png: looks like a PNG picture, not like a transcript");
        assert!(found.errors[1].to_string().starts_with("cannot read absent: "));
        let found = discover(&[root.path().to_owned()]);
        assert!(found.errors[0].to_string().ends_with("a folder without transcripts (5 other files)"));
    }

    #[test]
    fn a_file_named_twice_is_read_once() {
        let root = tempfile::tempdir().unwrap();
        let path = write(root.path(), "z.jsonl", &line("s1", "1"));
        let found = discover(&[path, root.path().to_owned()]);
        assert_eq!(names(&found), [["z.jsonl"]]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_the_folder_only() {
        use std::os::unix::fs::symlink;
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(root.path(), "a.jsonl", &line("s1", "1"));
        let secret = write(outside.path(), "b.jsonl", &line("s2", "2"));
        symlink(root.path(), root.path().join("loop")).unwrap();
        symlink(&secret, root.path().join("leads-out.jsonl")).unwrap();
        symlink(root.path().join("nowhere"), root.path().join("dangling")).unwrap();
        symlink(root.path().join("a.jsonl"), root.path().join("again.jsonl")).unwrap();
        let found = discover(&[root.path().to_owned()]);
        assert_eq!(names(&found), [["a.jsonl"]]);
    }
}
