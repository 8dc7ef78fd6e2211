//! Real data: every transcript of the supported formats is read, analysed and shown without a panic, nothing is lost
//! silently, and the output does not depend on the run or on the number of threads.

#![allow(clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::report::document::{Choices, document};
use turnpoint::report::engine::{Engine, Target};
use turnpoint::report::html;
use turnpoint::source::{self, Discovered, Group};
use turnpoint::tables::TABLES;
use turnpoint::tables::ndjson::{JsonWriter, Layout};

use super::tables::check;

/// Folders with transcripts of the formats that this version reads.
const FOLDERS: &[&str] = &[
    "corpus/claude-code",
    "corpus/claude-code-stream",
    "corpus/opencode-json",
    "labelled/todo_runs",
    "labelled/parity",
];

/// The folder of shared data. `None` when the user says that there is none; a missing folder is a failure.
pub(super) fn shared() -> Option<PathBuf> {
    let shared = std::env::var_os("TURNPOINT_SHARED").unwrap_or_else(|| "../shared".into());
    if shared == "none" {
        eprintln!("TURNPOINT_SHARED=none: 0 files were run, all of the shared data was skipped");
        return None;
    }
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join(shared);
    assert!(
        shared.join("corpus").is_dir(),
        "{} holds no shared data; set TURNPOINT_SHARED to its folder, or to none to go without",
        shared.display()
    );
    Some(shared)
}

fn discovered(shared: &Path) -> Discovered {
    let folders: Vec<PathBuf> = FOLDERS.iter().map(|f| shared.join(f)).filter(|f| f.is_dir()).collect();
    source::discover(&folders)
}

/// What one group of files gives: a fingerprint of all outputs, and what was wrong.
#[derive(Default, PartialEq, Eq, Debug)]
struct Outcome {
    fingerprint: String,
    faults: Vec<String>,
}

fn run(group: &Group, engine: &Engine) -> Outcome {
    let names: Vec<&str> = group.inputs.iter().map(|i| i.name.as_str()).collect();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let sessions = match source::load(group, None) {
            Ok(sessions) => sessions,
            // A file that cannot be read is said to be so; that is not a panic and not a silent loss.
            Err(error) => return Outcome { fingerprint: format!("not read: {error}"), faults: Vec::new() },
        };
        let analyses: Vec<Analysis> = sessions.into_iter().map(|s| analyse(s, &Config::default(), true)).collect();
        let mut faults = accounts(group, &analyses);
        if catch_unwind(AssertUnwindSafe(|| check(&analyses))).is_err() {
            faults.push("rows do not keep the schema".into());
        }
        let mut sha = Sha256::new();
        for analysis in &analyses {
            rows(analysis, &mut sha);
            report(analysis, engine, &mut sha);
        }
        let fingerprint = sha.finalize().iter().map(|b| format!("{b:02x}")).collect();
        Outcome { fingerprint, faults }
    }));
    let mut outcome = result.unwrap_or_else(|_| Outcome { faults: vec!["panic".into()], ..Outcome::default() });
    outcome.faults = outcome.faults.iter().map(|f| format!("{}: {f}", names.join(", "))).collect();
    outcome
}

/// Every byte and every record is kept, a copy, or named in a warning.
fn accounts(group: &Group, analyses: &[Analysis]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut named = BTreeSet::new();
    for source in analyses.iter().flat_map(|a| &a.session.sources) {
        named.insert(source.file.as_str());
        if source.bytes_read != source.bytes_used + source.bytes_skipped {
            faults.push(format!("bytes: {source:?}"));
        }
        if source.records != source.kept + source.copies + source.skipped {
            faults.push(format!("records: {source:?}"));
        }
        if source.kept == 0 && source.copies == 0 && source.bytes_skipped == 0 && source.bytes_read > 0 {
            faults.push(format!("nothing came of it, and nothing is said: {source:?}"));
        }
        let input = group.inputs.iter().find(|i| i.name == source.file).and_then(|i| i.path());
        let size = input.and_then(|p| p.metadata().ok()).map(|m| m.len());
        if size.is_some_and(|size| size != source.bytes_read) {
            faults.push(format!("the file has {size:?} bytes: {source:?}"));
        }
    }
    let skipped = |file: &str| -> (u64, u64) {
        let warnings: BTreeSet<_> =
            analyses.iter().flat_map(|a| &a.session.warnings).map(|w| (&w.loc, w.skipped, w.records)).collect();
        let own = warnings.iter().filter(|(loc, ..)| loc.file == file);
        own.fold((0, 0), |sum, (_, bytes, records)| (sum.0 + bytes, sum.1 + records))
    };
    for source in analyses.iter().flat_map(|a| &a.session.sources) {
        let (bytes, records) = skipped(&source.file);
        if (bytes, records) != (source.bytes_skipped, source.skipped) {
            faults.push(format!("warnings name {bytes} bytes and {records} records: {source:?}"));
        }
    }
    if !analyses.is_empty() {
        let missing = group.inputs.iter().filter(|i| !named.contains(i.name.as_str()));
        faults.extend(missing.map(|i| format!("no session names the file {}", i.name)));
    }
    faults
}

fn rows(analysis: &Analysis, sha: &mut Sha256) {
    for table in TABLES {
        let mut out = JsonWriter::new(Vec::new(), table.columns().map(|c| c.name), Layout::Lines).unwrap();
        table.each_row(analysis, &mut |cells| out.row(cells).unwrap());
        sha.update(out.finish().unwrap());
    }
}

fn report(analysis: &Analysis, engine: &Engine, sha: &mut Sha256) {
    let report = document(engine, analysis, &Choices { full: true, ..Choices::default() }).unwrap();
    let page = html::page(engine, &report.title, &report.markdown, &report.figures).unwrap();
    sha.update(&report.markdown);
    sha.update(&page);
}

fn outcomes(groups: &[Group], threads: usize) -> Vec<Outcome> {
    let engine = Engine::new(Target::Markdown, None).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| groups.par_iter().map(|group| run(group, &engine)).collect())
}

#[test]
fn every_transcript_is_read_whole_and_shown_the_same_each_time() {
    let Some(shared) = shared() else { return };
    let found = discovered(&shared);
    let files: usize = found.groups.iter().map(|g| g.inputs.len()).sum();
    let mut by_format: BTreeMap<&str, usize> = BTreeMap::new();
    for group in &found.groups {
        *by_format.entry(group.format.id).or_default() += group.inputs.len();
    }
    eprintln!("{files} files were run ({by_format:?}); {} were skipped:", found.warnings.len());
    found.warnings.iter().for_each(|w| eprintln!("  {w}"));
    assert!(files >= 100, "only {files} files were found under {}", shared.display());

    let many = outcomes(&found.groups, 16);
    let unread: Vec<&str> = many.iter().map(|o| o.fingerprint.as_str()).filter(|f| f.starts_with("not read")).collect();
    eprintln!("{} of {} groups were not read: {unread:?}", unread.len(), many.len());
    let one = outcomes(&found.groups, 1);
    let mut faults: Vec<String> = many.iter().flat_map(|o| o.faults.clone()).collect();
    for ((group, a), b) in found.groups.iter().zip(&many).zip(&one) {
        if a.fingerprint != b.fingerprint {
            faults.push(format!("{}: two runs differ", group.inputs[0].name));
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_command_runs_over_a_whole_folder() {
    let Some(shared) = shared() else { return };
    let out = tempfile::tempdir().unwrap();
    for folder in FOLDERS.iter().filter(|f| f.starts_with("corpus/")) {
        let folder = shared.join(folder);
        let turnpoint = |args: &[&str]| {
            let mut command = Command::cargo_bin("turnpoint").unwrap();
            command.arg("--quiet").args(args).arg(&folder).assert().code(0);
        };
        let target = |name: &str| out.path().join(name).join(folder.file_name().unwrap()).display().to_string();
        turnpoint(&["report", "--full", "-o", &target("report")]);
        turnpoint(&["plan"]);
        turnpoint(&["bench"]);
        turnpoint(&["extract", "--format", "ndjson", "-o", &target("extract")]);
    }
}
