//! The newest session of the working directory, for commands without INPUT.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::exit::usage;
use super::input::Run;
use crate::source::{Format, Head, Input, recognise};

/// Finds it, and says which it is.
pub(super) fn session(run: &Run) -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir()?;
    let mut places = claude_projects(&here);
    places.push(here.clone());
    for place in &places {
        if let Some(path) = newest_in(place) {
            run.say(&format!("no INPUT given; taking the newest session of {}: {}", here.display(), path.display()));
            return Ok(path);
        }
    }
    let looked: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
    Err(usage(format!("no INPUT given, and no session found in {}", looked.join(" or "))))
}

/// Where Claude Code keeps the sessions of a directory: its path with everything but letters and digits as `-`.
fn claude_projects(here: &Path) -> Vec<PathBuf> {
    let folder: String =
        here.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let configured = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let home = etcetera::home_dir().ok().map(|h| h.join(".claude"));
    configured.or(home).into_iter().map(|root| root.join("projects").join(&folder)).collect()
}

/// The transcript in a folder that was changed last; of equal ones the first by name.
fn newest_in(folder: &Path) -> Option<PathBuf> {
    let mut found: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let meta = entry.metadata().ok()?;
            (meta.is_file() && format_of(&entry.path()).is_some()).then_some((meta.modified().ok()?, entry.path()))
        })
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().next().map(|(_, path)| path)
}

fn format_of(path: &Path) -> Option<&'static Format> {
    let name = path.to_string_lossy();
    let input = Input::file(name.clone(), path);
    let (bytes, whole) = input.head().ok()?;
    recognise(&Head { name: &name, path: Some(path), bytes: &bytes, whole })
}
