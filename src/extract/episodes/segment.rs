//! Runs of one phase: the cheapest way to tell the steps with few turns.

use std::ops::Range;

use super::Phase;

/// Number of phases.
const N: usize = Phase::ALL.len();

/// What one message of the main thread weighs for each phase.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Unit {
    /// Weight of its steps, by phase.
    pub(super) weights: [f64; N],
    /// A prompt of the user or a compaction: what was done before ends here.
    pub(super) border: bool,
}

/// What a turn costs, in weights of steps that are told as something else.
#[derive(Debug, Clone, Copy)]
pub(super) struct Price {
    /// A turn from one phase to another.
    pub(super) turn: f64,
    /// A turn at a border.
    pub(super) at_border: f64,
    /// Borders always part.
    pub(super) cut: bool,
}

/// Parts the units into runs of one phase each: of all ways the one that costs least, where each step told as another
/// phase costs its weight and each turn its price (Viterbi's algorithm).
pub(super) fn runs(units: &[Unit], price: Price) -> Vec<(Range<usize>, Phase)> {
    let mut cost = [0.0; N];
    let mut back: Vec<[usize; N]> = Vec::with_capacity(units.len());
    for unit in units {
        let turn = if unit.border { price.at_border } else { price.turn };
        let cheapest = least(&cost);
        let all: f64 = unit.weights.iter().sum();
        let mut from = [0; N];
        let mut next = [0.0; N];
        for p in 0..N {
            let stays = cost[p] <= cost[cheapest] + turn;
            from[p] = if stays { p } else { cheapest };
            next[p] = cost[from[p]] + if stays { 0.0 } else { turn } + all - unit.weights[p];
        }
        back.push(from);
        // Only differences count; small numbers stay exact.
        let floor = next[least(&next)];
        cost = next.map(|c| c - floor);
    }
    let mut phase = least(&cost);
    let mut path = vec![0; units.len()];
    for (at, from) in back.iter().enumerate().rev() {
        path[at] = phase;
        phase = from[phase];
    }
    let mut found: Vec<(Range<usize>, Phase)> = Vec::new();
    for (at, p) in path.into_iter().enumerate() {
        let phase = Phase::ALL[p];
        match found.last_mut() {
            Some((range, last)) if *last == phase && !(price.cut && units[at].border) => range.end = at + 1,
            _ => found.push((at..at + 1, phase)),
        }
    }
    found
}

fn least(cost: &[f64; N]) -> usize {
    (1..N).fold(0, |best, p| if cost[p] < cost[best] { p } else { best })
}

/// Parts the units into at most `most` runs: turns cost more until so few are left.
pub(super) fn at_most(units: &[Unit], most: usize) -> Vec<(Range<usize>, Phase)> {
    let mut turn = 0.5;
    loop {
        let found = runs(units, Price { turn, at_border: turn / 2.0, cut: false });
        if found.len() <= most.max(1) {
            return found;
        }
        turn *= 1.05;
    }
}

#[cfg(test)]
mod tests {
    use super::super::FINE;
    use super::*;

    fn units(phases: &str) -> Vec<Unit> {
        let mut border = false;
        let mut out = Vec::new();
        for c in phases.chars() {
            if c == '|' {
                border = true;
                continue;
            }
            let mut weights = [0.0; N];
            if let Some(p) = Phase::ALL.iter().position(|p| p.word().starts_with(c)) {
                weights[p] = 1.0;
            }
            out.push(Unit { weights, border });
            border = false;
        }
        out
    }

    fn shape(found: &[(Range<usize>, Phase)]) -> String {
        found.iter().map(|(r, p)| format!("{}{} ", &p.word()[..1], r.len())).collect::<String>().trim().into()
    }

    #[test]
    fn short_changes_are_smoothed_and_borders_part() {
        assert_eq!(shape(&runs(&units("ddddaddd"), FINE)), "d8");
        assert_eq!(shape(&runs(&units("ddddaaaadddd"), FINE)), "d4 a4 d4");
        assert_eq!(shape(&runs(&units("dddd|dddd"), FINE)), "d4 d4");
        assert_eq!(shape(&runs(&units("ddd|r|ddd"), FINE)), "d3 r1 d3");
        assert_eq!(shape(&runs(&units("..dd..aaa.."), FINE)), "d4 a7");
    }

    #[test]
    fn few_runs_are_left_when_few_are_wanted() {
        let many = units(&"dddaaavvv|".repeat(20));
        assert!(runs(&many, FINE).len() > 50);
        assert!(at_most(&many, 10).len() <= 10);
        assert_eq!(at_most(&units(""), 10).len(), 0);
    }
}
