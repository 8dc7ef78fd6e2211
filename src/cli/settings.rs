//! Finds and reads `turnpoint.toml`: the file that `--config` names, else that of the working directory, else the user's.

use std::path::{Path, PathBuf};

use super::input::Run;
use super::places::{Os, config_folder};
use crate::audit::settings::Settings;
use crate::error::Error;
use crate::report::audit::Used;

const NAME: &str = "turnpoint.toml";

/// Settings and the file they were read from.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) settings: Settings,
    file: Option<PathBuf>,
}

impl Found {
    /// The baseline of the settings; a relative path is taken from the folder of the file.
    pub(crate) fn baseline(&self) -> Option<PathBuf> {
        let folder = self.file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        self.settings.baseline.as_ref().map(|b| folder.join(b))
    }

    /// Says which suppressions name nothing, or no longer hold.
    pub(crate) fn tell(&self, run: &Run, used: &Used) {
        let Some(file) = &self.file else { return };
        for (i, s) in self.settings.suppressions.iter().enumerate() {
            if used.expired.contains(&i) {
                let until = s.until.map(|d| d.to_string()).unwrap_or_default();
                run.say(&format!(
                    "{}:{}: the suppression held until {until}; the session is later",
                    file.display(),
                    s.line
                ));
            } else if !used.held.contains(&i) {
                run.say(&format!("{}:{}: the suppression names no discrepancy found here", file.display(), s.line));
            }
        }
    }
}

/// Reads the settings; no file is no settings, but a file named outright must be there.
pub(crate) fn find(named: Option<&Path>) -> Result<Found, Error> {
    if let Some(path) = named {
        return read(path);
    }
    let own = config_folder(Os::HERE, &|name| std::env::var_os(name)).map(|folder| folder.join(NAME));
    let places = [Some(PathBuf::from(NAME)), own];
    places.into_iter().flatten().find(|p| p.is_file()).map_or_else(|| Ok(Found::default()), |p| read(&p))
}

fn read(path: &Path) -> Result<Found, Error> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| Error::Config {
        path: name.clone(),
        line: 0,
        reason: e.to_string(),
    })?;
    Ok(Found { settings: Settings::parse(&name, &text)?, file: Some(path.to_owned()) })
}
