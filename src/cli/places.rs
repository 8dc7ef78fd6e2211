//! Where agents keep their transcripts unless they are told otherwise. Pure: the disk is not touched, the environment is
//! handed in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Families of systems whose users' folders differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Os {
    /// Linux and other Unix systems.
    Unix,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl Os {
    /// The system that the program runs on.
    pub(crate) const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Mac
    } else {
        Self::Unix
    };
}

/// A folder in which an agent keeps transcripts, or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Name of the agent, as `sessions.agent` has it.
    pub(crate) agent: &'static str,
    /// The folder or file.
    pub(crate) path: PathBuf,
    /// What in it is read.
    pub(crate) holds: Holds,
}

/// What in a place is read. Beside transcripts agents keep credentials, which nothing here may open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Every file below it.
    Tree,
    /// `opencode.db`, and `opencode-<channel>.db` of other release channels.
    Databases,
    /// It is itself the file.
    File,
}

/// The variables that name folders, read from an environment.
struct Folders<'a> {
    os: Os,
    env: &'a dyn Fn(&str) -> Option<OsString>,
    home: Option<PathBuf>,
}

impl Folders<'_> {
    /// The folder that a variable names; an empty value is none, as for the programs that set it.
    fn var(&self, name: &str) -> Option<PathBuf> {
        (self.env)(name).filter(|v| !v.is_empty()).map(PathBuf::from)
    }

    fn home(&self, below: &str) -> Option<PathBuf> {
        Some(self.home.as_deref()?.join(below))
    }

    /// The user's folder of the XDG convention, which these agents follow on every system. A relative value is no value.
    fn xdg(&self, name: &str, usual: &str) -> Option<PathBuf> {
        let named = self.var(name).filter(|p| is_absolute(self.os, p));
        named.or_else(|| self.home(usual))
    }

    fn data(&self) -> Option<PathBuf> {
        self.xdg("XDG_DATA_HOME", ".local/share")
    }

    fn config(&self) -> Option<PathBuf> {
        self.xdg("XDG_CONFIG_HOME", ".config")
    }

    /// Where programs of the system's own convention keep their data: Visual Studio Code is one.
    fn application(&self) -> Option<PathBuf> {
        match self.os {
            Os::Unix => self.config(),
            Os::Mac => self.home("Library/Application Support"),
            Os::Windows => self.var("APPDATA").or_else(|| self.home("AppData/Roaming")),
        }
    }
}

fn is_absolute(os: Os, path: &Path) -> bool {
    match os {
        Os::Windows => {
            let text = path.to_string_lossy();
            text.starts_with(['\\', '/']) || text.as_bytes().get(1) == Some(&b':')
        }
        Os::Unix | Os::Mac => path.to_string_lossy().starts_with('/'),
    }
}

/// The user's own folder of this program's configuration.
pub(crate) fn config_folder(os: Os, env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = if os == Os::Windows { "USERPROFILE" } else { "HOME" };
    let folders = Folders { os, env, home: env(home).filter(|v| !v.is_empty()).map(PathBuf::from) };
    let base = if os == Os::Windows { folders.application() } else { folders.config() };
    base.map(|b| b.join("turnpoint"))
}

/// Every place of every agent, in the order in which they are read. Of two places that hold one session the first counts.
pub(crate) fn places(os: Os, env: &dyn Fn(&str) -> Option<OsString>) -> Vec<Place> {
    let home = if os == Os::Windows { "USERPROFILE" } else { "HOME" };
    let folders = Folders { os, env, home: env(home).filter(|v| !v.is_empty()).map(PathBuf::from) };
    let mut out = Vec::new();
    for agent in [claude_code, codex, opencode, others] {
        agent(&folders, &mut out);
    }
    out
}

fn add(out: &mut Vec<Place>, agent: &'static str, path: Option<PathBuf>, holds: Holds) {
    let place = path.map(|path| Place { agent, path, holds });
    out.extend(place.filter(|p| !p.path.as_os_str().is_empty()));
}

fn claude_code(folders: &Folders<'_>, out: &mut Vec<Place>) {
    let configured = folders.var("CLAUDE_CONFIG_DIR");
    let usual = [folders.home(".claude"), folders.config().map(|c| c.join("claude"))];
    let roots = if configured.is_some() { vec![configured] } else { usual.into() };
    for root in roots {
        add(out, "claude-code", root.map(|r| r.join("projects")), Holds::Tree);
    }
}

fn codex(folders: &Folders<'_>, out: &mut Vec<Place>) {
    let root = folders.var("CODEX_HOME").or_else(|| folders.home(".codex"));
    for folder in ["sessions", "archived_sessions"] {
        add(out, "codex", root.as_ref().map(|r| r.join(folder)), Holds::Tree);
    }
}

/// The database comes first: the storage tree may be what an older version left behind.
fn opencode(folders: &Folders<'_>, out: &mut Vec<Place>) {
    let tested = folders.var("OPENCODE_TEST_HOME").map(|home| home.join(".local/share"));
    let root = folders.var("OPENCODE_DATA_DIR").or_else(|| Some(tested.or_else(|| folders.data())?.join("opencode")));
    let database = folders.var("OPENCODE_DB").filter(|p| p.as_os_str() != ":memory:");
    if let Some(named) = database {
        let file = if is_absolute(folders.os, &named) { Some(named) } else { root.as_ref().map(|r| r.join(named)) };
        add(out, "opencode", file, Holds::File);
    }
    add(out, "opencode", root.clone(), Holds::Databases);
    add(out, "opencode", root.map(|r| r.join("storage")), Holds::Tree);
}

/// Agents with one folder each. Not every format among them is read yet; what is there is counted and said.
fn others(folders: &Folders<'_>, out: &mut Vec<Place>) {
    let gemini = folders.var("GEMINI_CLI_HOME").map(|h| h.join(".gemini/tmp")).or_else(|| folders.home(".gemini/tmp"));
    add(out, "gemini-cli", gemini, Holds::Tree);
    let copilot = folders.var("COPILOT_HOME").or_else(|| folders.home(".copilot"));
    add(out, "copilot-cli", copilot.map(|r| r.join("session-state")), Holds::Tree);
    let pi = folders.var("PI_CODING_AGENT_DIR").or_else(|| folders.home(".pi/agent"));
    add(out, "pi", pi.map(|r| r.join("sessions")), Holds::Tree);
    add(out, "openhands", folders.home(".openhands/conversations"), Holds::Tree);
    let goose = if folders.os == Os::Windows {
        folders.application().map(|a| a.join("Block/goose/data/sessions"))
    } else {
        folders.data().map(|d| d.join("goose/sessions"))
    };
    add(out, "goose", goose, Holds::Tree);
    add(out, "cline", folders.home(".cline/data/tasks"), Holds::Tree);
    let extensions = folders.application().map(|a| a.join("Code/User/globalStorage"));
    for (agent, extension) in
        [("cline", "saoudrizwan.claude-dev"), ("roo", "rooveterinaryinc.roo-cline"), ("kilo", "kilocode.kilo-code")]
    {
        add(out, agent, extensions.as_ref().map(|e| e.join(extension).join("tasks")), Holds::Tree);
    }
}

/// The folder below `projects` in which Claude Code keeps the sessions of a directory: its path with everything but
/// letters and digits as `-`.
pub(crate) fn claude_folder(directory: &Path) -> String {
    directory.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(os: Os, vars: &[(&str, &str)], agent: &str) -> Vec<String> {
        let env = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v));
        let all = places(os, &env).into_iter().filter(|p| p.agent == agent);
        all.map(|p| p.path.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn the_usual_places_on_linux() {
        let vars = [("HOME", "/home/u")];
        assert_eq!(of(Os::Unix, &vars, "claude-code"), ["/home/u/.claude/projects", "/home/u/.config/claude/projects"]);
        assert_eq!(of(Os::Unix, &vars, "codex"), ["/home/u/.codex/sessions", "/home/u/.codex/archived_sessions"]);
        let store = "/home/u/.local/share/opencode";
        assert_eq!(of(Os::Unix, &vars, "opencode"), [store.to_owned(), format!("{store}/storage")]);
        assert_eq!(of(Os::Unix, &vars, "gemini-cli"), ["/home/u/.gemini/tmp"]);
        let tasks = "/home/u/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks";
        assert_eq!(of(Os::Unix, &vars, "roo"), [tasks]);
    }

    #[test]
    fn the_usual_places_on_macos() {
        let vars = [("HOME", "/Users/u")];
        assert_eq!(of(Os::Mac, &vars, "claude-code")[0], "/Users/u/.claude/projects");
        assert_eq!(of(Os::Mac, &vars, "codex")[1], "/Users/u/.codex/archived_sessions");
        // OpenCode follows XDG here too.
        assert_eq!(of(Os::Mac, &vars, "opencode")[1], "/Users/u/.local/share/opencode/storage");
        let kilo = "/Users/u/Library/Application Support/Code/User/globalStorage/kilocode.kilo-code/tasks";
        assert_eq!(of(Os::Mac, &vars, "kilo"), [kilo]);
    }

    #[test]
    fn the_usual_places_on_windows() {
        let vars = [("USERPROFILE", "C:/Users/u"), ("APPDATA", "D:/Roaming"), ("HOME", "/not/this")];
        assert_eq!(of(Os::Windows, &vars, "claude-code")[0], "C:/Users/u/.claude/projects");
        assert_eq!(of(Os::Windows, &vars, "codex")[0], "C:/Users/u/.codex/sessions");
        assert_eq!(of(Os::Windows, &vars, "opencode")[0], "C:/Users/u/.local/share/opencode");
        assert_eq!(of(Os::Windows, &vars, "goose"), ["D:/Roaming/Block/goose/data/sessions"]);
        let moved = [vars[0], ("XDG_DATA_HOME", "E:/data")];
        assert_eq!(of(Os::Windows, &moved, "opencode")[0], "E:/data/opencode");
    }

    #[test]
    fn variables_move_them() {
        let home = ("HOME", "/h");
        assert_eq!(of(Os::Unix, &[home, ("CLAUDE_CONFIG_DIR", "/c")], "claude-code"), ["/c/projects"]);
        assert_eq!(of(Os::Unix, &[home, ("XDG_CONFIG_HOME", "/x")], "claude-code")[1], "/x/claude/projects");
        assert_eq!(of(Os::Unix, &[home, ("CODEX_HOME", "/x")], "codex"), ["/x/sessions", "/x/archived_sessions"]);
        assert_eq!(of(Os::Unix, &[home, ("XDG_DATA_HOME", "/d")], "opencode")[0], "/d/opencode");
        assert_eq!(of(Os::Unix, &[home, ("OPENCODE_DATA_DIR", "/o")], "opencode"), ["/o", "/o/storage"]);
        assert_eq!(of(Os::Unix, &[home, ("OPENCODE_DB", "/o/a.db")], "opencode")[0], "/o/a.db");
        assert_eq!(of(Os::Unix, &[home, ("OPENCODE_DB", "b.db")], "opencode")[0], "/h/.local/share/opencode/b.db");
        assert_eq!(of(Os::Unix, &[home, ("OPENCODE_DB", ":memory:")], "opencode").len(), 2);
    }

    #[test]
    fn empty_and_relative_values_are_none() {
        let home = ("HOME", "/h");
        assert_eq!(of(Os::Unix, &[home, ("CODEX_HOME", "")], "codex")[0], "/h/.codex/sessions");
        assert_eq!(of(Os::Unix, &[home, ("XDG_DATA_HOME", "d")], "opencode")[0], "/h/.local/share/opencode");
        assert!(of(Os::Unix, &[], "codex").is_empty());
    }

    #[test]
    fn names_the_folder_of_a_directory() {
        assert_eq!(claude_folder(Path::new("/home/u/my.proj_x")), "-home-u-my-proj-x");
    }
}
