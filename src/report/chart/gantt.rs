//! The plan over the session: one lane an item, its states one after another, each linked to the message that began it.

use std::collections::BTreeSet;

use serde::Serialize;

use super::phrases::Phrases;
use super::svg::{self, Anchor, BASELINE, FLAGGED, GRID, Hatch, Ink, LIMIT, MEASURED, SOFT, Svg, TARGET, TEXT};
use super::{Board, Chart, Figure, axis};
use crate::error::Error;
use crate::extract::plan::{ItemIx, Plan, PlanSource, State, Transition, TransitionKind};
use crate::report::plan::below_caller;
use crate::session::{MsgIx, Session, ThreadIx};

/// The chart.
pub(super) const CHART: Chart = Chart { id: "gantt", section: "plan", draw };

const WIDTH: f64 = 900.0;
const LEFT: f64 = 290.0;
const RIGHT: f64 = 780.0;
const TOP: f64 = 104.0;
/// Lanes in one picture, and pictures in a report; the table below them has every item.
const LANES: usize = 60;
const PICTURES: usize = 4;
/// What is shorter than this would not be seen.
const THINNEST: f64 = 2.5;

/// An item and the states it went through.
struct Lane {
    item: ItemIx,
    states: Vec<Stretch>,
}

/// A state from the message that began it to the one that ended it.
struct Stretch {
    state: State,
    from: MsgIx,
    /// One past the last message for a state that lasted to the end.
    to: usize,
}

/// A line of the picture.
enum Row<'a> {
    /// Whose plan follows.
    Heading(String),
    Item(&'a Lane),
}

#[derive(Serialize)]
struct View {
    items: usize,
    messages: usize,
    done: usize,
    open: usize,
    dropped_open: usize,
    first: String,
    last: String,
    part: usize,
    parts: usize,
    drawn: usize,
    turned: bool,
}

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    let plan = &board.analysis.facts.plan;
    let lanes = lanes(&board.analysis.session, plan);
    let parts = lanes.len().div_ceil(LANES).min(PICTURES);
    lanes.chunks(LANES).take(PICTURES).enumerate().map(|(i, part)| figure(board, part, (i + 1, parts))).collect()
}

/// Items with their states: lists in order, those of subagents below the list of their caller.
fn lanes(session: &Session, plan: &Plan) -> Vec<Lane> {
    let mut lanes: Vec<Lane> =
        (0..plan.items.len() as u32).map(|i| Lane { item: ItemIx(i), states: Vec::new() }).collect();
    let end = session.messages.len();
    for t in &plan.transitions {
        let Some(item) = t.item else { continue };
        let states = &mut lanes[item.at()].states;
        // A part of a split item begins in the state that the whole had.
        if t.from == t.to && (t.kind != TransitionKind::Split || !states.is_empty()) {
            continue;
        }
        states.last_mut().into_iter().for_each(|s| s.to = s.to.min(t.msg.at()));
        states.push(Stretch { state: t.to, from: t.msg, to: end });
    }
    lanes.retain(|l| !l.states.is_empty());
    lanes.sort_by_cached_key(|l| {
        let item = &plan.items[l.item.at()];
        (below_caller(session, item.thread), item.list, l.item)
    });
    lanes
}

fn figure(board: &Board<'_>, lanes: &[Lane], (part, parts): (usize, usize)) -> Result<Figure, Error> {
    let (session, plan) = (&board.analysis.session, &board.analysis.facts.plan);
    let figures = plan.figures();
    let label = |m: Option<MsgIx>| m.map(|m| session.message(m).label.to_string()).unwrap_or_default();
    let turns: Vec<&Transition> = plan.transitions.iter().filter(|t| is_turn(t)).collect();
    let view = View {
        items: figures.items,
        messages: figures.changes,
        done: figures.done,
        open: figures.open,
        dropped_open: figures.dropped_open,
        first: label(figures.first),
        last: label(figures.last),
        part,
        parts,
        drawn: plan.items.len().min(PICTURES * LANES),
        turned: !turns.is_empty(),
    };
    let phrases = Phrases::of(board.engine, "gantt", view)?;
    let rows = rows(session, plan, lanes);
    let pitch = match lanes.len() {
        0..=12 => 34.0,
        13..=30 => 22.0,
        _ => 17.0,
    };
    let height = TOP + pitch * rows.len() as f64 + 52.0;
    let mut svg = Svg::headed(phrases.get("title"), phrases.get("note"), WIDTH);
    let picture = Picture { session, plan, phrases: &phrases, pitch, bottom: height - 48.0 };
    picture.legend(&mut svg, lanes, !turns.is_empty());
    picture.ticks(&mut svg);
    picture.turns(&mut svg, &turns);
    for (i, row) in rows.iter().enumerate() {
        let y = TOP + pitch * i as f64;
        match row {
            Row::Heading(text) => {
                let text = svg::shorten(text, 12.0, WIDTH - 32.0);
                svg.text((16.0, y + pitch / 2.0 + 4.0), Anchor::Start, SOFT, 12.0, &text);
            }
            Row::Item(lane) => picture.lane(&mut svg, lane, y),
        }
    }
    let (title, description) = (phrases.get("title").to_owned(), phrases.get("description").to_owned());
    let (id, svg) = svg.finish("gantt", &format!("plan-{part}"), (WIDTH, height), &title, &description);
    Ok(Figure { id, title, description, svg, ..Figure::default() })
}

/// A change by which the plan turned: work given up, taken up again, or replaced.
fn is_turn(t: &Transition) -> bool {
    use TransitionKind as K;
    matches!(t.kind, K::Reopened | K::Cancelled | K::DroppedOpen | K::ReAdded | K::ListReplaced | K::ListCleared)
}

/// Lanes with a heading where another list begins, unless the main thread's list is the only one.
fn rows<'a>(session: &Session, plan: &Plan, lanes: &'a [Lane]) -> Vec<Row<'a>> {
    let list = |l: &Lane| plan.items[l.item.at()].list;
    let lists: BTreeSet<u32> = lanes.iter().map(list).collect();
    let named = lists.len() > 1 || lanes.iter().any(|l| plan.items[l.item.at()].thread != ThreadIx(0));
    let mut out = Vec::new();
    let mut current = None;
    for lane in lanes {
        if named && current != Some(list(lane)) {
            current = Some(list(lane));
            out.push(Row::Heading(heading(session, plan, list(lane))));
        }
        out.push(Row::Item(lane));
    }
    out
}

/// `↳ 340.s1 · Explore the parser · TODO.md`.
fn heading(session: &Session, plan: &Plan, list: u32) -> String {
    let list = &plan.lists[list as usize];
    let thread = &session.threads[list.thread.0 as usize];
    let depth = below_caller(session, list.thread).len() - 1;
    let arrow = if depth > 0 { format!("{}↳ ", "\u{2003}".repeat(depth - 1)) } else { String::new() };
    let source = if list.source == PlanSource::File { list.name.clone() } else { list.source.word().to_owned() };
    let parts = [Some(thread.label.clone()), thread.title.clone(), Some(source)];
    arrow + &parts.into_iter().flatten().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" · ")
}

struct Picture<'a> {
    session: &'a Session,
    plan: &'a Plan,
    phrases: &'a Phrases,
    pitch: f64,
    bottom: f64,
}

impl Picture<'_> {
    /// Where a message stands.
    fn x(&self, message: usize) -> f64 {
        let count = self.session.messages.len().max(1);
        LEFT + (RIGHT - LEFT) * message.min(count) as f64 / count as f64
    }

    fn legend(&self, svg: &mut Svg, lanes: &[Lane], turned: bool) {
        let used: BTreeSet<State> = lanes.iter().flat_map(|l| l.states.iter().map(|s| s.state)).collect();
        let mut x = 16.0;
        for state in used.into_iter().filter(|s| *s != State::Absent) {
            bar(svg, (x, 60.0), (26.0, 12.0), state);
            svg.text((x + 32.0, 70.5), Anchor::Start, SOFT, 12.0, state.word());
            x += 32.0 + svg::width(state.word(), 12.0) + 20.0;
        }
        if turned {
            svg.mark((x + 6.0, 66.0), 3, FLAGGED, false);
            svg.text((x + 18.0, 70.5), Anchor::Start, SOFT, 12.0, self.phrases.get("turned"));
        }
    }

    /// Numbers of messages of the main thread, at round distances.
    fn ticks(&self, svg: &mut Svg) {
        let main = || self.session.messages.iter().enumerate().filter(|(_, m)| m.label.sub.is_empty());
        let (first, last) = (main().next(), main().next_back());
        let count = first.zip(last).map_or(0, |((_, a), (_, b))| b.label.msg.saturating_sub(a.label.msg));
        let step = axis::step(count as f64, 7).max(1.0) as u64;
        let mut seen = f64::NEG_INFINITY;
        let mut number = 0;
        for (i, m) in main() {
            if m.label.msg < number {
                continue;
            }
            number = (m.label.msg / step + 1) * step;
            let x = self.x(i);
            svg.line((x, TOP - 4.0), (x, self.bottom), GRID, 1.0, "");
            let text = m.label.to_string();
            if x - svg::width(&text, 11.0) / 2.0 > seen + 6.0 {
                svg.text((x, self.bottom + 16.0), Anchor::Middle, SOFT, 11.0, &text);
                seen = x + svg::width(&text, 11.0) / 2.0;
            }
        }
        svg.text(((LEFT + RIGHT) / 2.0, self.bottom + 36.0), Anchor::Middle, SOFT, 12.0, self.phrases.get("axis"));
    }

    /// A rule and a mark where the plan turned; marks that would cover one another are one.
    fn turns(&self, svg: &mut Svg, turns: &[&Transition]) {
        let mut seen = f64::NEG_INFINITY;
        for t in turns {
            let x = self.x(t.msg.at());
            if x - seen < 4.0 {
                continue;
            }
            seen = x;
            svg.line((x, TOP - 8.0), (x, self.bottom), FLAGGED, 1.0, "2 3");
            let label = &self.session.message(t.msg).label;
            svg.linked(&label.anchor(), &self.told(t), |svg| svg.mark((x, TOP - 12.0), 3, FLAGGED, false));
        }
    }

    /// `[msg 12] T3 pending → active`.
    fn told(&self, t: &Transition) -> String {
        let cite = self.session.message(t.msg).label.cite();
        match t.item {
            Some(item) => format!("{cite} {} {} → {}", self.plan.items[item.at()].label, t.from, t.to),
            None => format!("{cite} {}", crate::report::section::value::word(t.kind)),
        }
    }

    fn lane(&self, svg: &mut Svg, lane: &Lane, y: f64) {
        let item = &self.plan.items[lane.item.at()];
        let middle = y + self.pitch / 2.0;
        let (size, lines) =
            if self.pitch > 30.0 { (12.0, 2) } else { (if self.pitch > 20.0 { 12.0 } else { 11.0 }, 1) };
        svg.line((LEFT, y + self.pitch), (RIGHT, y + self.pitch), GRID, 0.5, "");
        svg.text((16.0, middle + 4.0), Anchor::Start, SOFT, size, &item.label);
        let text = svg::wrap(&item.text, size, LEFT - 70.0, lines);
        svg.lines((56.0, middle), Anchor::Start, TEXT, size, &text);
        // What lasts lies below what is short, which is widened to be seen.
        let rank = |s: &Stretch| matches!(s.state, State::Active | State::Blocked | State::Cancelled | State::Other);
        let mut states: Vec<&Stretch> = lane.states.iter().filter(|s| s.state != State::Absent).collect();
        states.sort_by_key(|s| rank(s));
        let mut drawn = (State::Absent, f64::NEG_INFINITY);
        for s in states {
            let (from, to) = (self.x(s.from.at()), self.x(s.to));
            let to = if rank(s) { to.max(from + THINNEST) } else { to };
            if to - from < 0.8 || (drawn.0 == s.state && to <= drawn.1) {
                continue;
            }
            drawn = (s.state, to);
            let height = (self.pitch - 7.0).min(16.0);
            let label = &self.session.message(s.from).label;
            let title = format!("{} {} {}", label.cite(), item.label, s.state);
            svg.linked(&label.anchor(), &title, |svg| {
                bar(svg, (from, middle - height / 2.0), (to - from, height), s.state);
            });
        }
        let end = crate::report::section::plan::end(item);
        let word =
            if end.left_list { format!("{}{}", end.state, self.phrases.get("left")) } else { end.state.to_owned() };
        svg.text(
            (RIGHT + 10.0, middle + 4.0),
            Anchor::Start,
            SOFT,
            11.0,
            &svg::shorten(&word, 11.0, WIDTH - RIGHT - 14.0),
        );
    }
}

/// A stretch of a state: each has its own colour, height and hatching, so that colour is never alone.
fn bar(svg: &mut Svg, (x, y): (f64, f64), (width, height): (f64, f64), state: State) {
    let (ink, hatch): (Ink, Option<Hatch>) = match state {
        State::Absent => return,
        State::Pending => {
            svg.outline((x, y), (width, height), BASELINE);
            return;
        }
        State::Done => {
            svg.rect(x, y + height / 2.0 - 2.0, width, 4.0, TARGET);
            svg.rect(x, y, THINNEST.min(width), height, TARGET);
            return;
        }
        State::Active => (MEASURED, None),
        State::Blocked => (LIMIT, Some(Hatch::Rising)),
        State::Cancelled => (BASELINE, Some(Hatch::Crossed)),
        State::Other => (FLAGGED, Some(Hatch::Dots)),
    };
    svg.rect(x, y, width, height, ink);
    hatch.into_iter().for_each(|h| svg.hatched((x, y), (width, height), h));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::session::build::SessionBuilder;

    /// A session of so many messages whose plan of so many items is worked off one by one.
    fn picture(items: usize, messages: usize) -> String {
        let list = |done: usize| {
            let todo = (0..items).map(|i| {
                let status = match i.cmp(&done) {
                    std::cmp::Ordering::Less => "completed",
                    std::cmp::Ordering::Equal => "in_progress",
                    std::cmp::Ordering::Greater if i % 7 == 6 => "blocked",
                    std::cmp::Ordering::Greater => "pending",
                };
                json!({"content": format!("Step {i} of the migration: move table number {i} to the new store"), "status": status})
            });
            json!({ "todos": todo.collect::<Vec<_>>() })
        };
        let mut session = SessionBuilder::new().user("go");
        for i in 0..messages {
            session = if i % (messages / items) == 0 {
                session.call("TodoWrite", list(i * items / messages), "ok")
            } else {
                session.assistant("working")
            };
        }
        let mut figures = crate::report::chart::figures_of("gantt", session.build());
        assert_eq!(figures.len(), 1);
        figures.remove(0).svg
    }

    #[test]
    fn three_items_have_lanes_that_lead_to_their_messages() {
        let svg = picture(3, 12);
        assert!(svg.contains("<a href=\"#msg-2\">") && svg.contains("role=\"group\""), "{svg}");
        insta::assert_snapshot!(svg);
    }

    #[test]
    fn a_part_of_a_split_item_has_a_bar_from_the_split_on() {
        let list = |items: &[&str]| {
            let items: Vec<_> = items.iter().map(|t| json!({"content": t, "status": "in_progress"})).collect();
            json!({ "todos": items })
        };
        let session = SessionBuilder::new()
            .call("TodoWrite", list(&["Build the parser and test the parser", "Ship"]), "ok")
            .call("TodoWrite", list(&["Build the parser", "Test the parser", "Ship"]), "ok")
            .assistant("end")
            .build();
        let plan = crate::extract::plan::extract(&session);
        assert!(plan.transitions.iter().any(|t| t.item == Some(super::ItemIx(2)) && t.from == t.to));
        let lanes = super::lanes(&session, &plan);
        let starts: Vec<usize> = lanes.iter().map(|l| l.states[0].from.at()).collect();
        assert_eq!(starts, [0, 0, 1]);
    }

    #[test]
    fn a_long_session_stays_one_picture_of_moderate_size() {
        let svg = picture(60, 3000);
        assert!(svg.len() < 200_000, "{} bytes", svg.len());
        assert!(svg.contains("<pattern id=\"gantt-plan-1-") && svg.contains("-rising\""));
    }
}
