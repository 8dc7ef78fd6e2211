//! Sheets of verdicts read by hand, and the sessions they are on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use turnpoint::session::Session;
use turnpoint::source;

use crate::gold::{Error, shared};

/// The rows of a sheet in `docs/`, tab-separated, without comments and the header.
pub(crate) fn rows(name: &str) -> Result<Vec<Vec<String>>, Error> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).skip(1);
    Ok(lines.map(|l| l.split('\t').map(str::to_owned).collect()).collect())
}

/// Every session in these folders of the shared data, one after the other.
pub(crate) fn each_session(folders: &[&str], mut take: impl FnMut(Session)) {
    let folders: Vec<PathBuf> = folders.iter().map(|f| shared().join(f)).filter(|f| f.is_dir()).collect();
    for group in source::discover(&folders).groups {
        // A file that cannot be read is the business of the tests of the formats.
        source::load(&group, None).into_iter().flatten().for_each(&mut take);
    }
}

/// A number that is the same each time and spreads like keys over everything: FNV-1a.
pub(crate) fn spread(key: &str) -> u64 {
    key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Verdicts counted: right ones, and all.
pub(crate) type Tally = BTreeMap<String, (u32, u32)>;

/// Prints one line of a tally.
pub(crate) fn print(name: &str, (right, all): (u32, u32)) {
    let share = if all == 0 { f64::NAN } else { f64::from(right) / f64::from(all) };
    println!("{name:44} {share:.3} ({right}/{all})");
}
