//! Runs the program on a case, walled in: time, memory and open files are bounded, and nothing may be left behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use sha2::{Digest, Sha256};

use super::files;
use super::row::Row;

/// What a run may take: 20 seconds of the program that people use, which is many times as fast as one built for tests.
pub(super) const TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 20 });
/// Address space in KiB: 1 GB and what threads reserve without using it.
const MEMORY: u64 = 1_400_000;

/// A case with the folders that its runs see.
pub(super) struct Case<'a> {
    pub(super) row: &'a Row,
    /// Folder of the case.
    pub(super) dir: PathBuf,
    /// Where outputs go.
    pub(super) out: PathBuf,
    /// Working folder, home and folder for temporary files: nothing may be left in it.
    pub(super) bare: PathBuf,
    pub(super) maker: &'a Path,
    /// The program runs as a user of no rights, since the row asks for one and the tests run as root.
    pub(super) lowered: bool,
}

/// What a run gave.
pub(super) struct Ran {
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    pub(super) took: Duration,
}

impl Ran {
    pub(super) fn new(output: Output, start: Instant) -> Self {
        let stderr = String::from_utf8(output.stderr).expect("standard error is UTF-8");
        Self { code: output.status.code(), stdout: output.stdout, stderr, took: start.elapsed() }
    }
}

impl<'a> Case<'a> {
    pub(super) fn new(cases: &Path, work: &Path, row: &'a Row, maker: &'a Path) -> Self {
        let work = work.join(&row.case);
        let (out, bare) = (work.join("out"), work.join("bare"));
        for folder in [&out, &bare] {
            fs::create_dir_all(folder).unwrap();
        }
        let lowered = row.needs("nonroot") && is_root() && can_lower();
        Self { row, dir: cases.join(&row.case), out, bare, maker, lowered }
    }

    /// Whether permissions mean nothing to the program as it is run here.
    pub(super) fn is_root(&self) -> bool {
        !self.lowered && is_root()
    }

    /// Gives the folders of the case to the user as which the program runs.
    fn hand_over(&self) {
        #[cfg(unix)]
        if self.lowered {
            [&self.dir, &self.out, &self.bare].into_iter().for_each(|folder| give(folder));
        }
    }

    /// The one input file, `in.*`.
    pub(super) fn input(&self) -> PathBuf {
        let named = |p: &PathBuf| p.file_stem().is_some_and(|s| s == "in");
        let mut found: Vec<PathBuf> = fs::read_dir(&self.dir).unwrap().map(|e| e.unwrap().path()).collect();
        found.sort();
        found.into_iter().find(named).unwrap_or_else(|| self.dir.join("in.jsonl"))
    }

    /// What the row gives the program to read.
    pub(super) fn subject(&self) -> PathBuf {
        let word = self.row.run.split(' ').find(|w| w.starts_with('{')).unwrap_or("{in}");
        match word.strip_prefix("{dir}") {
            Some(rest) => self.dir.join(rest.trim_start_matches('/')),
            None => self.input(),
        }
    }

    /// Runs the program with the arguments.
    pub(super) fn run<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        self.run_with(Command::new(if cfg!(unix) { "sh".into() } else { cargo_bin("turnpoint") }), args)
    }

    /// Runs a shell line in which `$0` is the program and `$@` the arguments.
    #[cfg(unix)]
    pub(super) fn shell<S: AsRef<std::ffi::OsStr>>(&self, line: &str, args: impl IntoIterator<Item = S>) -> Ran {
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).arg(cargo_bin("turnpoint"));
        self.finish(command, args)
    }

    fn run_with<S: AsRef<std::ffi::OsStr>>(&self, mut command: Command, args: impl IntoIterator<Item = S>) -> Ran {
        if cfg!(unix) {
            let user = if self.lowered { LOWER } else { "" };
            let line = format!("ulimit -n 128; ulimit -v {MEMORY}; exec {user} \"$0\" \"$@\"");
            command.arg("-c").arg(line).arg(cargo_bin("turnpoint"));
        }
        self.finish(command, args)
    }

    fn finish<S: AsRef<std::ffi::OsStr>>(&self, mut command: Command, args: impl IntoIterator<Item = S>) -> Ran {
        self.hand_over();
        let start = Instant::now();
        let output = self.walled(command.args(args)).timeout(TIME).output().unwrap();
        Ran::new(output, start)
    }

    fn walled<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .current_dir(&self.bare)
            .env("HOME", &self.bare)
            .env("TMPDIR", &self.bare)
            .env_remove("CLAUDE_CONFIG_DIR")
    }

    /// Runs the case's `drive.py`; its own output names the exit codes.
    pub(super) fn drive(&self, out: &Path) -> Ran {
        let mut command = Command::new("python3");
        command.arg("-B").arg(self.dir.join("drive.py")).env("TURNPOINT", cargo_bin("turnpoint"));
        let start = Instant::now();
        let output = self.walled(command.arg(out)).timeout(4 * TIME).output().unwrap();
        Ran::new(output, start)
    }

    /// Each file of the case with a hash of what it holds.
    pub(super) fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        let hash = |path: &PathBuf| match fs::symlink_metadata(path) {
            Ok(m) if m.is_file() => fs::read(path).map_or("unreadable".into(), |b| hex(&b)),
            Ok(m) if m.is_symlink() => format!("{:?}", fs::read_link(path)),
            other => format!("{:?}", other.map(|m| m.file_type())),
        };
        files(&self.dir).into_iter().map(|path| (path.clone(), hash(&path))).collect()
    }

    /// What differs from an earlier snapshot, and what was left outside of the output.
    pub(super) fn changed(&self, before: &BTreeMap<PathBuf, String>) -> Option<String> {
        let after = self.snapshot();
        if let Some(path) = before.keys().chain(after.keys()).find(|p| before.get(*p) != after.get(*p)) {
            return Some(format!("the input changed: {}", path.display()));
        }
        let left = files(&self.bare);
        (!left.is_empty()).then(|| format!("left outside of the output: {left:?}"))
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Makes folders that may not be entered deletable.
#[cfg(unix)]
pub(super) fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o755));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            open_up(&entry.path());
        }
    }
}

#[cfg(not(unix))]
pub(super) fn open_up(_: &Path) {}

/// Runs a program as a user of no rights.
const LOWER: &str = "setpriv --reuid=65534 --regid=65534 --clear-groups";

/// Whether that can be done here, and such a user may run the program.
fn can_lower() -> bool {
    let mut sh = std::process::Command::new("sh");
    sh.arg("-c").arg(format!("{LOWER} \"$0\" --version")).arg(cargo_bin("turnpoint"));
    sh.output().is_ok_and(|out| out.status.success())
}

/// Gives a folder and all in it to the user of no rights; those above it must let that user through.
#[cfg(unix)]
fn give(folder: &Path) {
    use std::os::unix::fs::{PermissionsExt, lchown};
    for above in folder.ancestors().skip(1).take(4).filter(|a| a.starts_with(std::env::temp_dir())) {
        if fs::metadata(above).is_ok_and(|m| m.permissions().mode() & 0o011 != 0o011) {
            let _ = fs::set_permissions(above, fs::Permissions::from_mode(0o755));
        }
    }
    let _ = lchown(folder, Some(65534), Some(65534));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => give(&entry.path()),
            _ => drop(lchown(entry.path(), Some(65534), Some(65534))),
        }
    }
}

/// Whether permissions mean nothing to whoever runs the test: a file without any is then readable.
pub(super) fn is_root() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o000)).unwrap();
        fs::File::open(file.path()).is_ok()
    }
    #[cfg(not(unix))]
    false
}
