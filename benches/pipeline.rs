//! Speed of the pipeline: `cargo bench --no-default-features --bench pipeline [-- MEGABYTES]`.
//!
//! Makes a Claude Code session of 100 MB (the same bytes each time) and measures, each in a process of its own so that
//! its peak of memory is its own: reading alone, parsing alone (serde_json), and the whole extraction: load, analyse,
//! every row of every table. The best of three runs counts. `-- --plan` measures only how plan writes are followed.

#![allow(clippy::print_stdout)]

mod made;

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;
use turnpoint::extract::Config;
use turnpoint::tables::TABLES;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Work to measure.
type Work = fn(&Path) -> Result<u64, Error>;

/// What is measured: name, threads (0 = all), work.
const STEPS: &[(&str, usize, Work)] = &[
    ("read the lines", 1, read),
    ("parse: IgnoredAny", 1, parse_ignored),
    ("parse: typed envelope", 1, parse_typed),
    ("parse: typed envelope, all threads", 0, parse_typed),
    ("load", 1, load),
    ("load, analyse", 1, load_analyse),
    ("load, analyse, rows (extraction)", 1, extract),
    ("load, analyse, rows (extraction), all threads", 0, extract),
];

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [flag, step, file] = &args[..]
        && flag == "--step"
    {
        return child(step.parse()?, Path::new(file));
    }
    if let [flag, file] = &args[..]
        && flag == "--stages"
    {
        return rayon::scope(|_| stages(Path::new(file)));
    }
    if args.first().is_some_and(|a| a == "--plan") {
        plan_writes();
        return Ok(());
    }
    let megabytes: u64 = args.first().map_or(Ok(100), |n| n.parse())?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("made.jsonl");
    let bytes = made::write(BufWriter::new(File::create(&file)?), megabytes * 1_000_000)?;
    println!("{:.1} MB, {} cores\n", bytes as f64 / 1e6, std::thread::available_parallelism()?);
    println!("{:<48} {:>8} {:>8} {:>10} {:>8}", "step", "seconds", "MB/s", "peak MB", "÷ file");
    for (i, (name, threads, _)) in STEPS.iter().enumerate() {
        let mut best: Option<(f64, f64)> = None;
        for _ in 0..3 {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("--step").arg(i.to_string()).arg(&file);
            if *threads > 0 {
                command.env("RAYON_NUM_THREADS", threads.to_string());
            }
            let output = command.output()?;
            let text = String::from_utf8(output.stdout)?;
            let mut fields = text.split_whitespace().map(str::parse::<f64>);
            let (Some(Ok(seconds)), Some(Ok(peak))) = (fields.next(), fields.next()) else {
                return Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
            };
            if best.is_none_or(|b| seconds < b.0) {
                best = Some((seconds, peak));
            }
        }
        let Some((seconds, peak)) = best else { continue };
        let rate = bytes as f64 / 1e6 / seconds;
        println!("{name:<48} {seconds:>8.2} {rate:>8.0} {peak:>10.1} {:>8.2}", peak / (bytes as f64 / 1e6));
    }
    println!();
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--stages").arg(&file).env("RAYON_NUM_THREADS", "1").status()?;
    plan_writes();
    Ok(())
}

/// Prints the time that following the plan takes as the writes of 40 items grow in number: the best of three runs.
fn plan_writes() {
    println!("\n{:<48} {:>8} {:>12} {:>10}", "plan writes of 40 items", "seconds", "µs / write", "rows");
    for writes in [625, 1_250, 2_500, 5_000, 10_000] {
        let session = made::plan::session(writes);
        let mut rows = 0;
        let run = |_| {
            let started = Instant::now();
            rows = turnpoint::extract::plan::extract(&session).transitions.len();
            started.elapsed().as_secs_f64()
        };
        let best = (0..3).map(run).fold(f64::INFINITY, f64::min);
        println!("{writes:<48} {best:>8.3} {:>12.0} {rows:>10}", best / writes as f64 * 1e6);
    }
}

/// Runs one step; prints seconds and the peak of memory in MB.
fn child(step: usize, file: &Path) -> Result<(), Error> {
    let started = Instant::now();
    // As the program does: all work is done in the pool.
    let count = rayon::scope(|_| (STEPS[step].2)(file))?;
    let seconds = started.elapsed().as_secs_f64();
    let peak = memory("VmHWM:");
    println!("{seconds} {peak} {count}");
    Ok(())
}

/// A figure of the process's memory, in MB; not a number where the system does not tell.
fn memory(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status.lines().find_map(|l| l.strip_prefix(field)?.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) * 1024.0 / 1e6
}

/// Prints the time of each stage of one extraction, and the memory held after it.
fn stages(file: &Path) -> Result<(), Error> {
    use turnpoint::extract::{self, Facts};
    use turnpoint::{audit, link};
    let mut clock = Instant::now();
    let mut lap = |name: &str| {
        println!("{name:<48} {:>8.3} {:>30.1}", clock.elapsed().as_secs_f64(), memory("VmRSS:"));
        clock = Instant::now();
    };
    let session = sessions(file)?.pop().ok_or("no session")?;
    lap("load");
    let tables = extract::tables::extract(&session);
    lap("tables");
    let plan = extract::plan::extract(&session);
    lap("plan");
    let bench = extract::bench::extract(&session, &tables, &Config::default().limits);
    let comparisons = extract::bench::comparisons::all(&session, &plan, &bench);
    lap("bench");
    let calculations = extract::calculations::extract(&session, &tables);
    lap("calculations");
    let findings = extract::findings::extract(&session, &tables);
    let printed = extract::findings::tools::extract(&session);
    lap("findings");
    let directives = extract::directives::extract(&session);
    let standing = extract::directives::standing(&session);
    let options = extract::options::extract(&session, &tables);
    let decisions = extract::decisions::extract(&session, &options);
    let assumptions = extract::assumptions::extract(&session);
    let artefacts = extract::artefacts::extract(&session);
    let claims = extract::claims::extract(&session);
    lap("directives, options, decisions, artefacts, claims");
    let calls = session.calls().map(|(at, _)| at).collect();
    let mut facts = Facts {
        calls,
        tables,
        plan,
        bench,
        comparisons,
        calculations,
        findings,
        printed,
        directives,
        standing,
        options,
        decisions,
        assumptions,
        artefacts,
        claims,
        ..Facts::default()
    };
    facts.episodes = extract::episodes::extract(&session, &facts);
    lap("episodes");
    let links = link::link(&session, &facts);
    lap("link");
    let evidence = audit::Evidence { session: &session, facts: &facts, links: &links };
    let discrepancies = audit::audit(&evidence, false);
    lap("audit");
    let analysis = turnpoint::analysis::Analysis { session, facts, links, discrepancies };
    let mut rows = 0;
    for table in TABLES {
        table.each_row(&analysis, &mut |_| rows += 1);
    }
    lap(&format!("rows ({rows})"));
    Ok(())
}

fn lines(file: &Path, mut each: impl FnMut(&[u8]) -> Result<(), Error>) -> Result<u64, Error> {
    let mut reader = BufReader::with_capacity(256 * 1024, File::open(file)?);
    let mut line = Vec::new();
    let mut count = 0;
    while reader.read_until(b'\n', &mut line)? > 0 {
        each(&line)?;
        count += 1;
        line.clear();
    }
    Ok(count)
}

fn read(file: &Path) -> Result<u64, Error> {
    lines(file, |_| Ok(()))
}

fn parse_ignored(file: &Path) -> Result<u64, Error> {
    lines(file, |line| Ok(serde_json::from_slice::<serde::de::IgnoredAny>(line).map(drop)?))
}

/// The least that any reader of the format needs of a line.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type")]
    kind: String,
    uuid: Option<String>,
    timestamp: Option<String>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

/// Parses the lines in pieces of 8 MiB, so that the whole file is never held.
fn parse_typed(file: &Path) -> Result<u64, Error> {
    let mut reader = File::open(file)?;
    let mut piece = Vec::new();
    let mut count = 0;
    loop {
        let read = reader.by_ref().take(8 << 20).read_to_end(&mut piece)?;
        let end = if read == 0 { piece.len() } else { piece.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1) };
        let lines: Vec<&[u8]> = piece[..end].split(|b| *b == b'\n').filter(|l| !l.is_empty()).collect();
        count += lines.par_iter().map(|line| typed(line)).sum::<u64>();
        if read == 0 {
            return Ok(count);
        }
        piece.drain(..end);
    }
}

fn typed(line: &[u8]) -> u64 {
    let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line) else { return 0 };
    let message = envelope.message.map_or(0, |m| m.get().len());
    let kept = [Some(envelope.kind), envelope.uuid, envelope.timestamp];
    u64::from(message + kept.iter().flatten().map(String::len).sum::<usize>() > 0)
}

fn sessions(file: &Path) -> Result<Vec<turnpoint::session::Session>, Error> {
    let found = turnpoint::source::discover(&[file.to_path_buf()]);
    let group = found.groups.first().ok_or("the made session is not recognised")?;
    Ok(turnpoint::source::load(group, None)?)
}

fn load(file: &Path) -> Result<u64, Error> {
    Ok(sessions(file)?.iter().map(|s| s.messages.len() as u64).sum())
}

fn load_analyse(file: &Path) -> Result<u64, Error> {
    let mut count = 0;
    for session in sessions(file)? {
        let analysis = turnpoint::analysis::analyse(session, &Config::default(), false);
        count += analysis.links.len() as u64;
    }
    Ok(count)
}

fn extract(file: &Path) -> Result<u64, Error> {
    let mut count = 0;
    for session in sessions(file)? {
        let analysis = turnpoint::analysis::analyse(session, &Config::default(), false);
        for table in TABLES {
            table.each_row(&analysis, &mut |cells| count += cells.len() as u64);
        }
    }
    Ok(count)
}
