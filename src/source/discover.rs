//! From paths to groups of inputs: walks folders, tells formats by content, ties files of one session together.

mod beside;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::folder::{Limits, Reason, Walk};
use super::{Format, Input, recognise, seen, shape, sqlite, zipped};
use crate::diag::{Diag, Folded, Loc, Trouble};
use crate::error::Error;

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
    format: &'static Format,
    keys: Vec<String>,
}

/// Finds transcripts at the paths given: files are taken as they are, folders are walked, `-` is standard input.
pub fn discover(paths: &[PathBuf]) -> Discovered {
    let mut out = Discovered::default();
    let mut found: Vec<Found> = Vec::new();
    for path in paths {
        let input = if path.as_os_str() == "-" {
            Input::stdin()
        } else if path.is_dir() {
            folder(path, &mut found, &mut out);
            continue;
        } else if is_pipe(path) {
            Input::pipe(shown_name(path), path)
        } else {
            Ok(Input::file(shown_name(path), path))
        };
        match input {
            Ok(input) => named(input, &mut found, &mut out),
            Err(e) => out.errors.push(e),
        }
    }
    let mut once = HashSet::new();
    found.retain(|f| f.input.place().is_none_or(|p| once.insert(fs::canonicalize(p).unwrap_or_else(|_| p.to_owned()))));
    out.groups = group(found);
    out
}

/// Whether the bytes of a path can be read only once: `<(zcat a.gz)`, a named pipe, `/dev/stdin` behind a pipe.
#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|m| m.file_type().is_fifo())
}

/// Named pipes are no paths of files elsewhere.
#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

fn shown_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// An input that the user named: it must be a transcript.
fn named(input: Input, found: &mut Vec<Found>, out: &mut Discovered) {
    match try_input(input.clone()) {
        Ok(Tried::Taken(taken, lie)) => {
            out.warnings.extend(lie);
            let format = taken.format;
            found.push(taken);
            if let Some(path) = input.path() {
                beside::read(format, path, found, &mut out.warnings);
            }
        }
        Ok(Tried::Archive(input)) => archive(&input, found, out),
        // The whole path says more than its last part.
        Err(Error::Read { path, source }) if source.kind() == std::io::ErrorKind::NotFound => {
            let path = input.path().map_or(path, |p| p.to_string_lossy().into_owned());
            out.errors.push(Error::Read { path, source });
        }
        Ok(Tried::Other(_, seen)) => out.errors.push(Error::Unrecognised { path: input.name, seen }),
        Err(e) => out.errors.push(e),
    }
}

fn file_below(base: &Path, path: &Path) -> Input {
    Input::file(path.strip_prefix(base).unwrap_or(path).to_string_lossy(), path)
}

/// A note on a file whose name says something else than its first bytes.
fn lie(input: &Input, head: &[u8]) -> Option<Diag> {
    let place = input.place()?;
    let mut raw = Vec::new();
    if input.path().is_none() {
        fs::File::open(place).ok()?.take(8).read_to_end(&mut raw).ok()?;
    }
    let said = shape::lie(place, if input.path().is_none() { &raw } else { head })?;
    Some(Diag::note(Trouble::NameLies, whole_file(&input.name), said))
}

/// What an input turned out to be.
enum Tried {
    /// A transcript, and a note on its name.
    Taken(Found, Option<Diag>),
    Archive(Input),
    /// No transcript; what it looks like.
    Other(Trouble, String),
}

fn try_input(input: Input) -> Result<Tried, Error> {
    let head = recognise(&input)?;
    // Entries that are stored as they are would look like records among odd lines.
    if zipped::is_zip(&head.bytes) {
        return Ok(Tried::Archive(input));
    }
    if let Some(format) = head.format {
        let lie = lie(&input, &head.bytes);
        let keys = (format.keys)(&head.head(&input));
        return Ok(Tried::Taken(Found { input, format, keys }, lie));
    }
    let blank = |b: &u8| b.is_ascii_whitespace() || b"\xEF\xBB\xBF{}[]".contains(b);
    let kind = if head.whole && head.bytes.iter().all(blank) { Trouble::Empty } else { Trouble::NotATranscript };
    Ok(match input.trouble().first() {
        Some(trouble) => Tried::Other(trouble.kind, format!("{}; no transcript in it", trouble.message)),
        None => Tried::Other(kind, seen::describe(&head.head(&input))),
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

/// The transcripts of an archive. Entries that are none are named.
fn transcripts(input: &Input) -> Result<(Vec<Found>, Vec<Diag>), Error> {
    let (entries, warnings) = input.entries()?;
    let (mut taken, mut told) = (Vec::new(), Folded::default());
    warnings.into_iter().for_each(|d| told.push(d));
    let names: Vec<String> = entries.iter().map(|e| e.name.clone()).collect();
    let tried: Vec<_> = entries.into_par_iter().map(try_input).collect();
    for (name, tried) in names.iter().zip(tried) {
        match tried {
            Ok(Tried::Taken(found, _)) => taken.push(found),
            Ok(Tried::Archive(_)) => {
                told.push(passed_over(name, Trouble::NestedArchive, "an archive inside an archive"))
            }
            Ok(Tried::Other(kind, seen)) => told.push(passed_over(name, kind, &seen)),
            Err(e) => told.push(Diag::lost(Trouble::Unreadable, whole_file(name), 0, 0, format!("{e}; passed over"))),
        }
    }
    Ok((taken, told.finish()))
}

/// What is said of a file that is no transcript. Where its name says that it is one, it counts as lost.
fn passed_over(name: &str, kind: Trouble, seen: &str) -> Diag {
    let (loc, said) = (whole_file(name), format!("{seen}; passed over"));
    if kind != Trouble::Empty && is_named_as_lines(name) {
        return Diag::lost(kind, loc, 0, 0, said);
    }
    Diag::note(kind, loc, said)
}

/// Whether a file's name is one that transcripts have: JSON lines, packed or not.
fn is_named_as_lines(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let plain = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    plain.ends_with(".jsonl") || plain.ends_with(".ndjson")
}

/// Every transcript below a folder; what is none is passed over and named with the reason.
fn folder(root: &Path, found: &mut Vec<Found>, out: &mut Discovered) {
    let walk = Walk::run(root, Limits::USUAL);
    let mut told = Folded::default();
    for (path, reason) in walk.passed.iter().filter(|(path, _)| path != root) {
        let name = path.strip_prefix(root).unwrap_or(path);
        let (loc, (kind, message)) = (whole_file(&name.to_string_lossy()), reason.words());
        told.push(match kind {
            Trouble::Unreadable => Diag::lost(kind, loc, 0, 0, message),
            Trouble::LinkOutside => Diag::warning(kind, loc, message),
            _ => Diag::note(kind, loc, message),
        });
    }
    if walk.cut {
        told.push(Diag::lost(
            Trouble::FolderLimit,
            whole_file(&root.to_string_lossy()),
            0,
            0,
            Walk::limits(Limits::USUAL),
        ));
    }
    let tried: Vec<_> = walk.files.par_iter().map(|path| try_input(file_below(root, path))).collect();
    let (mut taken, mut other) = (0u64, 0u64);
    let is_database =
        |tried: &Result<Tried, Error>| matches!(tried, Ok(Tried::Taken(f, _)) if f.format.id == "opencode-db");
    let databases: HashSet<PathBuf> =
        walk.files.iter().zip(&tried).filter(|(_, t)| is_database(t)).map(|(path, _)| path.clone()).collect();
    for (path, tried) in walk.files.iter().zip(tried) {
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
        let loc = || whole_file(&name);
        match tried {
            Ok(Tried::Taken(f, lie)) => {
                taken += 1;
                found.push(f);
                lie.into_iter().for_each(|d| told.push(d));
            }
            Ok(Tried::Archive(input)) => match transcripts(&input) {
                Ok((inside, warnings)) => {
                    warnings.into_iter().for_each(|d| told.push(d));
                    taken += inside.len() as u64;
                    other += u64::from(inside.is_empty());
                    found.extend(inside);
                }
                Err(e) => told.push(Diag::lost(Trouble::ZipDirectory, loc(), 0, 0, format!("{e}; passed over"))),
            },
            // What stands beside a subagent's file or a database is read with it.
            Ok(Tried::Other(..)) if path.to_string_lossy().ends_with(".meta.json") => {}
            Ok(Tried::Other(..)) if sqlite::base_of(path).is_some_and(|base| databases.contains(&base)) => {}
            Ok(Tried::Other(kind, seen)) => {
                other += 1;
                told.push(passed_over(&name, kind, &seen));
            }
            Err(Error::Read { source, .. }) => {
                told.push(Diag::lost(
                    Trouble::Unreadable,
                    loc(),
                    0,
                    0,
                    format!("cannot be read: {source}; passed over"),
                ));
            }
            Err(e) => out.errors.push(e),
        }
    }
    let closed = walk.passed.into_iter().find(|(path, reason)| path == root && matches!(reason, Reason::Unreadable(_)));
    if let Some((_, Reason::Unreadable(source))) = closed {
        out.errors.push(Error::Read { path: root.to_string_lossy().into_owned(), source });
    } else if taken == 0 {
        let seen = format!("a folder without transcripts ({other} other files)");
        out.errors.push(Error::Unrecognised { path: root.to_string_lossy().into_owned(), seen });
    }
    out.warnings.extend(told.finish());
}

/// A file as a whole.
fn whole_file(name: &str) -> Loc {
    Loc { file: name.to_owned(), ..Loc::default() }
}

/// Joins files of one format that share a key, in order of their first file.
fn group(found: Vec<Found>) -> Vec<Group> {
    let mut root: Vec<usize> = (0..found.len()).collect();
    let mut holder: HashMap<(&str, &str), usize> = HashMap::new();
    for (i, file) in found.iter().enumerate() {
        for key in &file.keys {
            let first = *holder.entry((file.format.id, key)).or_insert(i);
            let (a, b) = (top(&mut root, first), top(&mut root, i));
            root[a.max(b)] = a.min(b);
        }
    }
    let roots: Vec<usize> = (0..found.len()).map(|i| top(&mut root, i)).collect();
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    for (file, root) in found.into_iter().zip(roots) {
        groups.entry(root).or_insert_with(|| Group { format: file.format, inputs: Vec::new() }).inputs.push(file.input);
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
        let told: Vec<_> = found.warnings.iter().map(|w| (w.loc.file.as_str(), w.kind.word())).collect();
        assert_eq!(told, [("README.md", "not-a-transcript")]);
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
        let absent = root.path().join("absent");
        assert!(found.errors[1].to_string().starts_with(&format!("cannot read {}: ", absent.display())));
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
}
