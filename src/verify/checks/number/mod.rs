//! Figures with units, percentages and ratios: that they stand where they are said to stand, or follow from figures that
//! do; and that an efficiency is not called a gap.

mod against_limit;
mod conditions;
mod known;

use std::ops::Range;

use super::Scene;
use super::count::Noun;
use crate::extract::bench::Limit;
use crate::extract::bench::numbers::{self, Between, Figure};
use crate::extract::bench::units::Unit;
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::world::{self, Known};
use crate::verify::{Finding, Kind};
pub(super) use known::is_same;
pub(super) use known::rounds_to;
use known::{bare, derived, may_follow};

/// Figures of one sentence that are read; more of them are no sentence.
const MOST: usize = 200;

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if super::warnings::is_row(scene) {
        return Vec::new();
    }
    let text = scene.without_quotes();
    let mut figures = numbers::with_units(&text);
    if figures.len() > MOST {
        return vec![Finding::unverifiable(Kind::Number, format!("it holds more than {MOST} figures"))];
    }
    figures.iter_mut().for_each(|f| behind_its_condition(&text, f));
    // `of 3 it is not known`: no unit.
    let pronoun = |f: &Figure| text[f.span.clone()].ends_with(" it") && text[f.span.end..].starts_with([' ', ',']);
    figures.retain(|f| !pronoun(f));
    // `it ran 3 times`: a count.
    figures.retain(|f| !text[..f.span.start].trim_end().ends_with(" ran"));
    if scene.sentence().block == Block::Row {
        figures.extend(of_columns(scene, &figures));
    }
    let mut words = super::rows::verbatim_cells(scene);
    words.extend(super::plan_row::took_cell(scene));
    figures.retain(|f| !words.iter().any(|w| w.contains(&f.span.start)));
    let all: Vec<Known> = figures.iter().flat_map(world::known).collect();
    figures.iter().filter_map(|f| decide(scene, &text, f, &all)).collect()
}

/// `from 12 tok/s at 4 to 40 tok/s`: the 4 is the condition of the figure before, no end of a range.
fn behind_its_condition(text: &str, figure: &mut Figure) {
    let at = ["at", "concurrency", "batch", "size"].iter().any(|w| text[..figure.span.start].trim_end().ends_with(w));
    if let (true, Some((Between::To, value))) = (at, figure.second) {
        (figure.value, figure.second) = (value, None);
    }
}

/// Bare numbers of a row under a heading that gives their unit: `value (ms)`.
fn of_columns(scene: &Scene<'_>, found: &[Figure]) -> Vec<Figure> {
    let sentence = scene.sentence();
    let mut out = Vec::new();
    for (n, span) in sentence.cells.iter().enumerate() {
        let known = found.iter().any(|f| f.span.start < span.end && f.span.end > span.start);
        let Some(head) = sentence.head.get(n).filter(|_| !known) else { continue };
        let Some(unit) = unit_of(head) else { continue };
        let Some(figure) = numbers::of_cell(sentence.text[span.clone()].trim()).filter(|f| f.unit.is_none()) else {
            continue;
        };
        out.push(Figure { span: span.clone(), unit: Some(unit), ..figure });
    }
    out
}

/// The unit that a heading gives: `TTFT (ms)`, `output tok/s`.
fn unit_of(head: &str) -> Option<Unit> {
    let last = match head.rsplit_once('(') {
        Some((_, inside)) => inside.trim_end_matches(')'),
        None => head.rsplit(' ').next()?,
    };
    Unit::parse(last)
}

/// A figure of a sentence, and what it is read against.
struct Reading<'a> {
    scene: &'a Scene<'a>,
    /// The sentence without its quotes.
    text: &'a str,
    figure: &'a Figure,
    unit: &'a Unit,
    /// The figure as written.
    shown: String,
    /// Every figure of the sentence.
    sentence: &'a [Known],
    /// It stands in a row of a table.
    row: bool,
    /// Messages in which the sentence says that it stands, or that stand around it.
    named: Vec<MsgIx>,
}

/// One way in which a figure may be meant; the first that fits decides.
type Meant = fn(&Reading<'_>) -> Option<Finding>;

const MEANT: &[Meant] = &[
    against_limit::called,
    |r| r.beside(),
    against_limit::share,
    |r| r.in_the_messages(),
    |r| r.derived(),
    |r| r.duration(),
    |r| r.without_unit(),
    against_limit::is_limit,
    |r| r.elsewhere(),
    |r| r.perhaps(),
];

fn decide(scene: &Scene<'_>, text: &str, figure: &Figure, sentence: &[Known]) -> Option<Finding> {
    let unit = figure.unit.as_ref()?;
    let shown = text.get(figure.span.clone())?.trim().to_owned();
    // `4 items` is a count.
    if shown.rsplit(' ').next().is_some_and(|w| Noun::of(&w.to_ascii_lowercase()).is_some()) {
        return None;
    }
    let row = scene.sentence().block == Block::Row;
    let column = if row { scene.message_column() } else { Vec::new() };
    let named = match (column.is_empty(), row) {
        (false, _) => column,
        (true, true) => scene.scope().into_iter().chain(scene.subject).collect(),
        (true, false) => scene.world.expand(scene.sentence().references()),
    };
    let reading = Reading { scene, text, figure, unit, shown, sentence, row, named };
    MEANT.iter().find_map(|meant| meant(&reading)).or_else(|| Some(reading.nowhere()))
}

impl Reading<'_> {
    fn stands(&self, ix: MsgIx) -> bool {
        self.scene.world.figures(ix).iter().any(|k| is_same(k, self.figure))
    }

    fn label(&self, ix: MsgIx) -> String {
        format!("[msg {}]", self.scene.world.label(ix))
    }

    fn supported(&self, reason: String, at: impl IntoIterator<Item = MsgIx>) -> Finding {
        Finding::supported(Kind::Number, reason).shown_by(at)
    }

    fn contradicted(&self, reason: String, at: impl IntoIterator<Item = MsgIx>) -> Finding {
        Finding::contradicted(Kind::Number, reason).shown_by(at)
    }

    /// Supported there, unless its conditions are others.
    fn standing(&self, reason: String, at: &[MsgIx]) -> Finding {
        let supported = || match self.withdrawn(at) {
            true => Finding::unverifiable(Kind::Number, format!("{reason}, but is withdrawn or not valid"))
                .shown_by(at.iter().copied()),
            false => self.supported(reason.clone(), at.iter().copied()),
        };
        conditions::check(self, at).unwrap_or_else(supported)
    }

    /// Whether the figure was read there, and every time as one that does not count; a sentence that says so itself, or a
    /// row that tells its role, states no more than it stands there.
    fn withdrawn(&self, at: &[MsgIx]) -> bool {
        let lower = self.text.to_lowercase();
        if self.row || ["valid", "withdr", "claim", "said"].iter().any(|w| lower.contains(w)) {
            return false;
        }
        let all =
            self.scene.world.analysis.facts.bench.measurements.iter().filter(|m| at.iter().any(|at| m.stands_in(*at)));
        let mut same = all.filter(|m| m.value.is_some_and(|v| (v - self.figure.value).abs() < 1e-9)).peekable();
        same.peek().is_some() && same.all(|m| !m.valid)
    }

    /// `63 GB/s ([msg 9])`, `63 GB/s in [msg 9]`: the figure stands just there.
    fn beside(&self) -> Option<Finding> {
        let Self { scene, text, figure, shown, .. } = self;
        let end = figure.span.end;
        let r = scene.sentence().own.iter().find(|r| r.at.start >= end).filter(|r| r.last.is_none())?;
        let joined = matches!(text.get(end..r.at.start)?.trim(), "(" | "in")
            && !text[..figure.span.start].trim_end().ends_with('+');
        let at = joined.then(|| scene.world.find(&r.first)).flatten()?;
        let same =
            |l: &Limit| Unit::parse(&l.unit).is_some_and(|unit| is_same(&Known { value: l.value, unit }, figure));
        let limits = &scene.world.analysis.facts.bench.limits;
        if self.stands(at) || limits.iter().any(|l| l.msg == Some(at) && same(l)) {
            return Some(self.supported(format!("{shown} stands in {}", self.label(at)), [at]));
        }
        let follows = derived(scene, figure, self.sentence, &[]).is_some() || bare(scene, figure, &[at]).is_some();
        let sure = !follows && !figure.approx && !self.unit.dimension.is_time();
        sure.then(|| self.contradicted(format!("{shown} does not stand in {}", self.label(at)), [at]))
    }

    fn in_the_messages(&self) -> Option<Finding> {
        let at = self.named.iter().copied().find(|ix| self.stands(*ix))?;
        Some(self.standing(format!("{} stands in {}", self.shown, self.label(at)), &[at]))
    }

    fn derived(&self) -> Option<Finding> {
        let reason = derived(self.scene, self.figure, self.sentence, &self.named)?;
        Some(self.supported(reason, self.named.iter().copied().take(3)))
    }

    fn duration(&self) -> Option<Finding> {
        super::time::duration(self.scene, self.figure, &self.shown)
    }

    fn without_unit(&self) -> Option<Finding> {
        let at = bare(self.scene, self.figure, &self.named).filter(|_| !self.row)?;
        Some(self.supported(format!("{} stands in {}", self.figure.value, self.label(at)), [at]))
    }

    fn anywhere(&self) -> Vec<MsgIx> {
        let all = self.scene.world.session().iter().map(|(ix, _)| ix);
        all.filter(|ix| self.stands(*ix)).take(3).collect()
    }

    /// What only its surroundings name is where the reader looks, not what the sentence claims.
    fn is_placed(&self) -> bool {
        let clause = clause(self.text, self.figure.span.start);
        self.scene.sentence().own.iter().any(|r| clause.contains(&r.at.start))
    }

    fn elsewhere(&self) -> Option<Finding> {
        let found = self.anywhere();
        if found.is_empty() {
            return None;
        }
        if !self.is_placed() {
            return Some(self.standing(format!("{} stands in the session", self.shown), &found));
        }
        let labels: Vec<String> = found.iter().map(|&ix| self.label(ix)).collect();
        let reason = format!("{} stands in {}, not in the messages named", self.shown, labels.join(", "));
        Some(self.contradicted(reason, found))
    }

    /// It stands nowhere, and may yet be the difference of two figures that do.
    fn perhaps(&self) -> Option<Finding> {
        let may = !self.row && may_follow(self.scene, self.figure);
        let reason = || format!("{} stands in no message; some two figures of one metric differ by it", self.shown);
        may.then(|| Finding::unverifiable(Kind::Number, reason()))
    }

    /// Stands nowhere: false where the sentence names the message, or the unit is one that only a measurement has.
    fn nowhere(&self) -> Finding {
        let shown = &self.shown;
        let measured = self.unit.dimension.is_rate() || self.row || matches!(&*self.unit.name, "ms" | "µs" | "ns");
        if self.figure.approx {
            return Finding::unverifiable(Kind::Number, format!("{shown} is given as about"));
        }
        match (self.is_placed(), measured) {
            (true, _) => self.contradicted(
                format!("{shown} stands in no message and follows from no figures"),
                self.named.iter().copied(),
            ),
            (false, true) => self.contradicted(format!("{shown} stands in no message"), []),
            (false, false) => Finding::unverifiable(Kind::Number, format!("{shown} stands in no message")),
        }
    }
}

/// The clause that holds a byte: from one semicolon to the next.
fn clause(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind(';').map_or(0, |n| n + 1);
    let end = text[at..].find(';').map_or(text.len(), |n| at + n + 1);
    start..end
}
