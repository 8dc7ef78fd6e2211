//! `10 → 12 (+20 %)`, `from 80 ms to 40 ms, 2× faster`: a change with its size.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::rounded::{NUMBER, Rounded};
use super::{Calculation, CalculationKind, Line, Outcome};
use crate::extract::bench::units::Unit;

/// A number with a word behind it that may be a unit.
const FIGURE: &str = r"[*~≈]*((?:NUMBER))(?:[ \u{a0}]?(%|[A-Za-zµ]+(?:/[A-Za-z]+)?))?[*]*";

static CHANGE: LazyLock<Regex> = LazyLock::new(|| {
    let size = r"([~≈]?)([+−-]?)((?:NUMBER)) ?(%|pp|×|x)(?: (?:faster|slower|improvement|increase|decrease|reduction|gain|better|worse|less|more|higher|lower|drop|speed-?up|boost|change|smaller|larger))?";
    let text = format!(
        r"(?:(?:^|[\s|(:*]){FIGURE} ?(?:→|->|⟶) ?{FIGURE}|(?-u:\b)[Ff]rom {FIGURE} to {FIGURE}) ?(?:[(\[]{size}[)\],;]|[,:;–—-]+ (?:an? |i\.e\. |that is |about |roughly ){{0,2}}{size}(?:[.,;)]|$))"
    );
    Regex::new(&text.replace("NUMBER", NUMBER)).expect("a constant pattern")
});

/// `A vs B = 2× faster`, `2× speed-up (A vs B)`: the factor between two figures that are set side by side.
static SIDE_BY_SIDE: LazyLock<Regex> = LazyLock::new(|| {
    let word = r"(?:faster|slower|speed-?up|improvement)";
    let vs = r"(?:vs\.?|versus|against)(?: [A-Za-z][\w.]*)?";
    let text = format!(
        r"{FIGURE}(?: \([^)\d]*\))? {vs} {FIGURE} ?(?:[=:→(]|is) ?\*{{0,2}}([~≈]?)((?:NUMBER)) ?[x×]\*{{0,2}} ?{word}|\*{{0,2}}([~≈]?)((?:NUMBER)) ?[x×]\*{{0,2}} {word}\*{{0,2}} \({FIGURE} {vs} {FIGURE}\)"
    );
    Regex::new(&text.replace("NUMBER", NUMBER)).expect("a constant pattern")
});

/// A group that one of two branches of the pattern took.
fn either<'t>(c: &Captures<'t>, a: usize, b: usize) -> Option<regex::Match<'t>> {
    c.get(a).or(c.get(b))
}

pub(super) fn read(line: &Line<'_>) -> Vec<Calculation> {
    if !line.text.contains(['→', '>', '⟶']) && !line.text.contains("rom ") {
        return Vec::new();
    }
    CHANGE.captures_iter(line.text).filter_map(|c| change(line, &c)).collect()
}

/// Factors between figures that stand side by side.
pub(super) fn read_factors(line: &Line<'_>) -> Vec<Calculation> {
    if !line.text.contains(['×', 'x']) || !["vs", "versus", "against"].iter().any(|w| line.text.contains(w)) {
        return Vec::new();
    }
    SIDE_BY_SIDE.captures_iter(line.text).filter_map(|c| factor(line, &c)).collect()
}

fn factor(line: &Line<'_>, c: &Captures<'_>) -> Option<Calculation> {
    let text = |i: usize| c.get(i).map_or("", |m| m.as_str());
    let (a, b, size, about) = if c.get(1).is_some() { ([1, 2], [3, 4], 6, 5) } else { ([9, 10], [11, 12], 8, 7) };
    let (from, to) = values((text(a[0]), text(a[1])), (text(b[0]), text(b[1])))?;
    let stated = Rounded::read(text(size), false)?;
    let stated = if text(about).is_empty() { stated } else { stated.loosely() };
    let (kind, outcome) = judge(&stated, from, to, "×", false)?;
    let all = c.get(0)?;
    Some(line.stated(all.start()..all.end(), kind, vec![from.value, to.value], outcome))
}

fn change(line: &Line<'_>, c: &Captures<'_>) -> Option<Calculation> {
    let text = |m: Option<regex::Match<'_>>| m.map_or("", |m| m.as_str()).to_owned();
    let (from, to) = (either(c, 1, 5)?, either(c, 3, 7)?);
    let (from_unit, to_unit) = (text(either(c, 2, 6)), text(either(c, 4, 8)));
    let size = either(c, 11, 15)?;
    let (about, sign, mark) = (text(either(c, 9, 13)), text(either(c, 10, 14)), text(either(c, 12, 16)));
    let (from_value, to_value) = values((from.as_str(), &from_unit), (to.as_str(), &to_unit))?;
    let stated = Rounded::read(&format!("{sign}{}", size.as_str()), false)?;
    let stated = if about.is_empty() { stated } else { stated.loosely() };
    let shares = from_unit == "%" || to_unit == "%";
    let (kind, outcome) = judge(&stated, from_value, to_value, &mark, shares)?;
    let end = either(c, 12, 16)?.end();
    Some(line.stated(from.start()..end, kind, vec![from_value.value, to_value.value], outcome))
}

/// Both values in one unit; `None` when they count different things.
fn values(from: (&str, &str), to: (&str, &str)) -> Option<(Rounded, Rounded)> {
    let (a, b) = (Unit::parse(from.1), Unit::parse(to.1));
    let factor = match (&a, &b) {
        (Some(a), Some(b)) => b.convert(1.0, a)?,
        _ if from.1.is_empty() || to.1.is_empty() || from.1 == to.1 => 1.0,
        _ => return None,
    };
    Some((Rounded::read(from.0, false)?, Rounded::read(to.0, false)?.scaled(factor)))
}

/// The size of a change as it can be meant: of the first value, of the second ("faster"), or in points.
pub(super) fn judge(
    stated: &Rounded,
    from: Rounded,
    to: Rounded,
    mark: &str,
    shares: bool,
) -> Option<(CalculationKind, Outcome)> {
    if from.lo <= 0.0 || to.lo <= 0.0 {
        return None;
    }
    let (up, down) = (to.over(from)?, from.over(to)?);
    let one = Rounded::exact(1.0);
    let mut readings = Vec::new();
    match mark {
        "×" | "x" => {
            readings.extend([up, down, up.minus(one), down.minus(one)]);
            return Some((CalculationKind::Factor, Outcome::of(&magnitude(stated), &readings, "×")?));
        }
        "pp" => readings.push(to.minus(from)),
        _ => {
            readings.extend([up, down].map(|r| r.minus(one).scaled(100.0)));
            readings.push(up.scaled(100.0)); // "to 120 %"
            if shares {
                readings.push(to.minus(from));
            }
        }
    }
    // A gain is often written without its sign, or with the sign of the gain.
    let readings: Vec<Rounded> = readings.iter().map(magnitude).collect();
    let mut outcome = Outcome::of(&magnitude(stated), &readings, mark)?;
    let sign = if to.value < from.value { -1.0 } else { 1.0 };
    outcome.recomputed = readings.first().filter(|_| !outcome.holds).map_or(outcome.recomputed, |r| r.value) * sign;
    outcome.stated = stated.value;
    Some((CalculationKind::Change, outcome))
}

fn magnitude(r: &Rounded) -> Rounded {
    if r.value < 0.0 { r.scaled(-1.0) } else { *r }
}

#[cfg(test)]
mod tests {
    use super::super::CalculationKind::{Change, Factor};
    use super::super::calculated;

    #[test]
    fn changes_are_worked_out_again() {
        assert_eq!(calculated("Output went 10.4 → 13.0 tok/s (+25 %)."), [(Change, 25.0, 25.0, true)]);
        assert!(calculated("TPOT 96 ms → 80 ms (−20 %)")[0].3); // 96 ÷ 80 is 20 % faster
        assert_eq!(calculated("TPOT 96 ms → 80 ms (−30 %)"), [(Change, -30.0, -16.6667, false)]);
        assert_eq!(calculated("It fell from 80 ms to 40 ms (2x faster)."), [(Factor, 2.0, 2.0, true)]);
        assert_eq!(calculated("from 80 ms to 40 ms, a 3× speed-up."), [(Factor, 3.0, 2.0, false)]);
        assert!(calculated("hit rate 60 % → 66 % (+6 %)")[0].3);
        assert_eq!(calculated("hit rate 60 % → 66 % (+8 pp)"), [(Change, 8.0, 6.0, false)]);
    }

    #[test]
    fn factors_between_figures_side_by_side() {
        let seen = |t: &str| calculated(t).iter().map(|c| (c.0, c.1, c.3)).collect::<Vec<_>>();
        assert_eq!(seen("FFT 130 µs vs Direct 2600 µs = **20× speedup**"), [(Factor, 20.0, true)]);
        assert_eq!(seen("2.50× faster (12.0 ms vs 30.0 ms)"), [(Factor, 2.5, true)]);
        assert_eq!(seen("4.50× faster (12.0 ms vs 30.0 ms)"), [(Factor, 4.5, false)]);
        assert_eq!(seen("3× faster (12 ms vs 30 files)"), []);
    }

    #[test]
    fn other_numbers_are_left_alone() {
        for text in [
            "from 2 GB to 4 files (10 % done)",
            "step 3 → 4 (90 % of tests)",
            "from 1.2 to 1.3, 5 files changed",
            "0 → 12 (+100 %)",
            "v1 → v2 (20 % faster)",
        ] {
            assert_eq!(calculated(text).iter().filter(|c| !c.3).count(), 0, "{text}: {:?}", calculated(text));
        }
    }
}
