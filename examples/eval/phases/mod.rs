//! `eval phases`: are steps told as the phase that a person gave them, and do runs part where the labels part?
//!
//! Labelled trajectories carry one label a step; `docs/phases.tsv` labels ranges of messages of ten sessions, for the
//! phases that the trajectories lack.

mod corpus;
mod trajectory;

use std::collections::BTreeMap;

use turnpoint::extract::episodes::Phase;
use turnpoint::extract::{Config, extract};

use crate::gold::{Error, shared};
use trajectory::Trajectory;

/// One row of a confusion matrix: what a person said, then what the program says.
type Pairs = Vec<(Option<Phase>, Option<Phase>)>;

pub(crate) fn run() -> Result<(), Error> {
    let all = trajectory::read(&shared().join("labelled/phases"))?;
    let show = std::env::args().any(|a| a == "--wrong");
    for (name, held_out) in [("open half", false), ("held-out half", true)] {
        let part: Vec<&Trajectory> = all.iter().filter(|t| t.held_out == held_out).collect();
        report(&format!("{name}, all agents"), &part, show && !held_out);
        let agents: std::collections::BTreeSet<&str> = part.iter().map(|t| t.agent.as_str()).collect();
        for agent in agents {
            let one: Vec<&Trajectory> = part.iter().copied().filter(|t| t.agent == agent).collect();
            report(&format!("{name}, {agent}"), &one, false);
        }
    }
    corpus::run()
}

/// Scores the steps of some trajectories: one line, and a matrix for all agents together.
fn report(name: &str, part: &[&Trajectory], show: bool) {
    let mut pairs = Pairs::new();
    let (mut windows, mut apart, mut smooth, mut never) = (0, 0, 0, 0);
    for t in part {
        let facts = extract(&t.session, &Config::default());
        let steps = &facts.episodes.steps;
        let mut before = Phase::Diagnose;
        let told: Vec<Phase> = (0..t.labels.len() as u32)
            .map(|i| {
                let at = steps.iter().find(|s| s.msg.0 == i).map_or(before, |s| s.phase);
                before = at;
                at
            })
            .collect();
        let run = |i: usize| facts.episodes.runs.iter().position(|r| r.holds(turnpoint::session::MsgIx(i as u32)));
        let smoothed: Vec<Option<usize>> = (0..t.labels.len()).map(run).collect();
        let gold: Vec<Phase> = t.labels.iter().zip(&told).map(|(l, told)| trajectory::best(l, *told)).collect();
        let k = window(&gold);
        for i in 0..gold.len().saturating_sub(k) {
            let same = |parts: &dyn Fn(usize) -> bool| (i..i + k).any(parts);
            let turned = same(&|j| gold[j] != gold[j + 1]);
            windows += 1;
            apart += usize::from(turned != same(&|j| told[j] != told[j + 1]));
            smooth += usize::from(turned != same(&|j| smoothed[j] != smoothed[j + 1]));
            never += usize::from(turned);
        }
        for (i, (g, s)) in gold.iter().zip(&told).enumerate() {
            if show && g != s {
                println!("  {} step {i}: {} told as {}", t.name, g.word(), s.word());
            }
        }
        pairs.extend(gold.into_iter().zip(told).map(|(g, t)| (Some(g), Some(t))));
    }
    let share = |n: usize| n as f64 / windows.max(1) as f64;
    line(name, &pairs);
    println!(
        "{:34} Pk of steps {:.3}, of smoothed runs {:.3}, of one run without turns {:.3} ({windows} windows)",
        "",
        share(apart),
        share(smooth),
        share(never)
    );
    if name.ends_with("all agents") {
        matrix(&pairs);
    }
}

/// Half the mean length of a run, at least one: the window of Pk.
fn window(gold: &[Phase]) -> usize {
    let runs = 1 + gold.windows(2).filter(|w| w[0] != w[1]).count();
    ((gold.len() as f64 / runs as f64 / 2.0).round() as usize).max(1)
}

/// κ and accuracy, with the most frequent label beside them.
fn line(name: &str, pairs: &Pairs) {
    let n = pairs.len().max(1) as f64;
    let hits = pairs.iter().filter(|(g, t)| g == t).count() as f64 / n;
    let mut gold: BTreeMap<Option<Phase>, f64> = BTreeMap::new();
    let mut told: BTreeMap<Option<Phase>, f64> = BTreeMap::new();
    for (g, t) in pairs {
        *gold.entry(*g).or_default() += 1.0 / n;
        *told.entry(*t).or_default() += 1.0 / n;
    }
    let chance: f64 = gold.iter().map(|(p, share)| share * told.get(p).copied().unwrap_or(0.0)).sum();
    let major = gold.values().copied().fold(0.0, f64::max);
    println!(
        "{name:34} κ {:.3}  accuracy {hits:.3} ({} steps); majority label: κ 0.000, accuracy {major:.3}",
        (hits - chance) / (1.0 - chance),
        pairs.len()
    );
}

/// Labels down, what the program says across.
fn matrix(pairs: &Pairs) {
    let word = |p: Option<Phase>| p.map_or("none", Phase::word);
    let all: Vec<Option<Phase>> = Phase::ALL.into_iter().map(Some).chain([None]).collect();
    let count = |g: Option<Phase>, t: Option<Phase>| pairs.iter().filter(|p| **p == (g, t)).count();
    println!("  {:10}{}", "", all.iter().map(|t| format!("{:>9}", word(*t))).collect::<String>());
    for g in all.iter().filter(|g| pairs.iter().any(|p| p.0 == **g)) {
        println!("  {:10}{}", word(*g), all.iter().map(|t| format!("{:>9}", count(*g, *t))).collect::<String>());
    }
}
