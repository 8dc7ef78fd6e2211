//! The event log of the plan as a process-mining tool reads it: pm4py loads it, and finds our fitness.
//!
//! `TURNPOINT_PM4PY` names a Python that has pm4py, or is `none`; otherwise one is set up in `target/`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};
use turnpoint::analysis::analyse;
use turnpoint::extract::Config;
use turnpoint::extract::plan::conformance::conformance;
use turnpoint::extract::plan::extract;
use turnpoint::report::plan::xes;
use turnpoint::session::Session;
use turnpoint::session::build::SessionBuilder;
use turnpoint::source;

use super::corpus::shared;

const VERSION: &str = "pm4py==2.7.23.11";

/// Loads the log, takes the first event of each item that begins it, and aligns it with the planned order.
const SCRIPT: &str = r#"
import sys
import pm4py
from pm4py.objects.log.importer.xes import importer
from pm4py.objects.log.obj import EventLog, Trace, Event
from pm4py.objects.petri_net.obj import PetriNet, Marking
from pm4py.objects.petri_net.utils import petri_utils

log = importer.apply(sys.argv[1])
for trace in log:
    begun = []
    for event in trace:
        to, kind = event["turnpoint:to"], event["turnpoint:kind"]
        begins = to in ("active", "done") and (event["turnpoint:from"] != to or kind == "split")
        if begins and event["turnpoint:item"] not in begun:
            begun.append(event["turnpoint:item"])
    planned = trace.attributes["turnpoint:planned"].split()
    net, start = PetriNet("planned"), PetriNet.Place("start")
    net.places.add(start)
    at = start
    for item in planned:
        step, after = PetriNet.Transition(item, item), PetriNet.Place("after " + item)
        net.transitions.add(step)
        net.places.add(after)
        petri_utils.add_arc_from_to(at, step, net)
        petri_utils.add_arc_from_to(step, after, net)
        at = after
    run = EventLog([Trace([Event({"concept:name": item}) for item in begun])])
    found = pm4py.conformance_diagnostics_alignments(run, net, Marking({start: 1}), Marking({at: 1}))
    scheduled = [e["turnpoint:item"] for e in trace if e["lifecycle:transition"] == "schedule"]
    print(len(trace), found[0]["fitness"], trace.attributes["turnpoint:fitness"], planned == scheduled)
"#;

/// A Python that has pm4py. Only where Python itself is missing is there none; all else that goes wrong fails the test.
fn python() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("TURNPOINT_PM4PY") {
        if named == "none" {
            say("TURNPOINT_PM4PY=none: the event log was not read by pm4py");
            return None;
        }
        return Some(named.into());
    }
    if Command::new("python3").arg("--version").output().is_err() {
        say("no python3 here: the event log was not read by pm4py");
        return None;
    }
    static READY: OnceLock<PathBuf> = OnceLock::new();
    Some(READY.get_or_init(set_up).clone())
}

/// Past the harness, which keeps what a passing test prints to itself.
fn say(what: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
}

fn set_up() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pm4py");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let ready = folder.join("ready");
    if std::fs::read_to_string(&ready).is_ok_and(|version| version == VERSION) {
        return python;
    }
    let run = |what: &str, command: &mut Command| {
        let out = command.output().unwrap();
        let said = [String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)].concat();
        assert!(out.status.success(), "{what} (or set TURNPOINT_PM4PY to a Python with pm4py, or to none): {said}");
    };
    let missing = "python3 cannot make a virtual environment; on Debian install python3-venv";
    run(missing, Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
    run("pip cannot install pm4py", Command::new(&python).args(["-m", "pip", "install", "--quiet", VERSION]));
    std::fs::write(ready, VERSION).unwrap();
    python
}

/// Ten sessions whose items are begun in orders that differ more and more from the planned one.
fn log() -> String {
    let mut out = String::new();
    xes::open(&mut out);
    let mut next = 7_u64;
    for n in 0..10_usize {
        let size = 4 + n % 5;
        let mut order: Vec<usize> = (0..size).collect();
        for _ in 0..n {
            next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (next >> 33) as usize % (size - 1);
            order.swap(at, at + 1);
        }
        let mut states = vec!["pending"; size];
        let list = |states: &[&str]| {
            let item = |(i, s): (usize, &&str)| json!({"content": format!("Lay stone {}", (b'a' + i as u8) as char), "status": s});
            json!({ "todos": states.iter().enumerate().map(item).collect::<Vec<Value>>() })
        };
        let mut session = SessionBuilder::new().call("TodoWrite", list(&states), "ok");
        for i in order {
            states[i] = "in_progress";
            session = session.call("TodoWrite", list(&states), "ok");
            states[i] = "completed";
        }
        let analysis = analyse(session.build(), &Config::default(), false);
        xes::traces(&mut out, &analysis, |t| t.is_change());
    }
    xes::close(&mut out);
    out
}

/// What pm4py finds for each trace: its fitness, ours, and whether the planned order is that of the items scheduled.
fn aligned(python: &Path, log: &str) -> Vec<(f64, f64, bool)> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plan.xes");
    std::fs::write(&file, log).unwrap();
    let out = Command::new(python).args(["-c", SCRIPT]).arg(&file).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8_lossy(&out.stdout);
    let fields = text.lines().map(|l| l.split(' ').collect::<Vec<_>>()).filter(|l| l.len() == 4);
    fields.map(|l| (l[1].parse().unwrap(), l[2].parse().unwrap(), l[3] == "True")).collect()
}

#[test]
fn pm4py_reads_the_event_log_and_finds_our_fitness() {
    let Some(python) = python() else { return };
    let found = aligned(&python, &log());
    assert_eq!(found.len(), 10, "{found:?}");
    assert!(found.iter().all(|(theirs, ours, scheduled)| (theirs - ours).abs() < 1e-6 && *scheduled), "{found:?}");
    assert!(found.iter().filter(|f| f.1 < 1.0).count() >= 5, "{found:?}");
}

/// Real sessions in which two items of a list or more are begun, those that leave the planned order first.
#[test]
fn pm4py_finds_our_fitness_in_ten_real_sessions() {
    let Some(shared) = shared() else { return say("TURNPOINT_SHARED=none: no real session was read by pm4py") };
    let Some(python) = python() else { return };
    let folders = ["corpus", "labelled/todo_runs"].map(|f| shared.join(f));
    let mut found: BTreeMap<(bool, String), Session> = BTreeMap::new();
    for session in source::discover(&folders).groups.iter().flat_map(|g| source::load(g, None).unwrap_or_default()) {
        let orders = conformance(&extract(&session));
        if orders.iter().any(|o| o.executed.len() >= 2) {
            found.insert((orders.iter().all(|o| o.fitness == 1.0), session.id.clone()), session);
        }
    }
    assert!(found.len() >= 10, "{} sessions", found.len());
    let mut below = 0;
    for ((_, id), session) in found.into_iter().take(10) {
        let analysis = analyse(session, &Config::default(), false);
        let mut log = String::new();
        xes::open(&mut log);
        xes::traces(&mut log, &analysis, |t| t.is_change());
        xes::close(&mut log);
        let lists = aligned(&python, &log);
        assert!(!lists.is_empty(), "{id}");
        for (theirs, ours, _) in lists {
            assert!((theirs - ours).abs() < 1e-6, "{id}: pm4py {theirs}, here {ours}");
            below += usize::from(ours < 1.0);
        }
    }
    assert!(below >= 5, "only {below} lists leave the planned order");
}
