//! How often each rule fires over the shared data, and how many of the firings read by hand are right; with `-v` each firing,
//! with `-v RULE` those of one rule.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use turnpoint::analysis::analyse;
use turnpoint::audit::{RULES, precision};
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
    let mut prints: BTreeSet<(&str, String)> = BTreeSet::new();
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
                let print = d.fingerprint(&analysis.session);
                prints.insert((d.rule, print.clone()));
                if verbose && only.as_deref().is_none_or(|o| o == d.rule) {
                    let name = group.inputs.first().map_or("", |i| i.name.as_str());
                    println!(
                        "{}\t{name}\t{}\t{print}\t{}",
                        d.rule,
                        analysis.session.message(d.msg).label,
                        sentence::discrepancy(&engine, &analysis.session, d)?
                    );
                }
            }
        }
    }
    println!("{sessions} sessions");
    println!("{:32} {:>7} {:>8} {:>5} {:>5} {:>9}", "rule", "firings", "sessions", "read", "right", "precision");
    for rule in RULES {
        let (firings, sessions) = fired.get(rule.id).copied().unwrap_or_default();
        let (read, right) = precision::of(rule.id);
        let share = if read == 0 { "-".to_owned() } else { format!("{:.2}", right as f64 / read as f64) };
        println!("{:32} {firings:7} {sessions:8} {read:5} {right:5} {share:>9}", rule.id);
    }
    for row in precision::sheet().filter(|r| !prints.contains(&(r.rule, r.fingerprint.to_owned()))) {
        println!("read, but fires no longer: {} {} msg {}", row.rule, row.session, row.msg);
    }
    Ok(())
}
