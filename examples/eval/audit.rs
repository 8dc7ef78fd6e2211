//! How often each rule fires over the shared data; with `-v` each firing, with `-v RULE` those of one rule.

use std::collections::BTreeMap;
use std::path::PathBuf;

use turnpoint::analysis::analyse;
use turnpoint::extract::Config;
use turnpoint::report::engine::{Engine, Target};
use turnpoint::report::sentence;
use turnpoint::source;

use crate::gold::{Error, shared};

pub(crate) fn run() -> Result<(), Error> {
    let mut args = std::env::args().skip(2).skip_while(|a| a != "-v");
    let (verbose, only) = (args.next().is_some(), args.next());
    let engine = Engine::new(Target::Terminal, None)?;
    let roots: Vec<PathBuf> =
        ["corpus", "labelled/todo_runs", "labelled/parity"].iter().map(|d| shared().join(d)).collect();
    let found = source::discover(&roots);
    let mut fired: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut sessions = 0;
    for group in &found.groups {
        let Ok(loaded) = source::load(group, None) else { continue };
        for session in loaded {
            let analysis = analyse(session, &Config::default(), true);
            sessions += 1;
            let mut seen: Option<&str> = None;
            let mut rows: Vec<_> = analysis.discrepancies.iter().collect();
            rows.sort_by_key(|d| d.rule);
            for d in rows {
                let count = fired.entry(d.rule).or_default();
                count.0 += 1;
                count.1 += usize::from(seen != Some(d.rule));
                seen = Some(d.rule);
                if verbose && only.as_deref().is_none_or(|o| o == d.rule) {
                    let name = group.inputs.first().map_or("", |i| i.name.as_str());
                    println!("{} | {name} | {}", d.rule, sentence::discrepancy(&engine, &analysis.session, d)?);
                }
            }
        }
    }
    println!("{sessions} sessions");
    for (rule, (firings, sessions)) in fired {
        println!("{rule:32} {firings:5} firings in {sessions:4} sessions");
    }
    Ok(())
}
