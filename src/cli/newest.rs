//! The newest session of the working directory, for commands without INPUT.

use super::exit::usage;
use super::stores::{self, Candidate};
use crate::source::FORMATS;

/// Finds it over the places of every agent and the directory itself, with a word on which it is.
pub(super) fn session() -> anyhow::Result<(Candidate, String)> {
    let here = std::env::current_dir()?;
    let places = stores::here();
    if let Some(found) = stores::newest_of(&places, &here) {
        let id = found.id.as_ref().map(|id| format!(", session {id}")).unwrap_or_default();
        let said =
            format!("no INPUT given; taking the newest session of {}: {}{id}", here.display(), found.file.display());
        return Ok((found, said));
    }
    // Of the other agents the places are known, their formats are not read.
    let is_read = |agent: &&str| FORMATS.iter().any(|format| format.agent == *agent);
    let mut agents: Vec<&str> = places.iter().map(|p| p.agent).filter(is_read).collect();
    agents.dedup();
    Err(usage(format!(
        "no INPUT given, and no session of {} found in it or in the places of {}; `turnpoint sessions` lists those of other directories",
        here.display(),
        agents.join(", ")
    )))
}
