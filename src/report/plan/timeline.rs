//! A Gantt chart in text: one line an item, one column a stretch of messages.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::below_caller;
use crate::extract::plan::{ItemIx, Plan, PlanItem, State};
use crate::report::text::plain;
use crate::session::Session;

/// Columns of the label and text of an item.
const NAME: usize = 38;
/// Columns of the whole chart where the terminal does not say.
const WIDTH: usize = 110;

/// The chart, as wide as `width` columns (110 where it is not known).
pub fn timeline(session: &Session, plan: &Plan, width: Option<usize>) -> String {
    let columns = width.unwrap_or(WIDTH).saturating_sub(NAME + 1).max(20);
    let scale = Scale { messages: session.messages.len().max(1), columns };
    let mut lanes: Vec<Vec<State>> = vec![Vec::new(); plan.items.len()];
    let mut done: Vec<Vec<usize>> = vec![Vec::new(); plan.items.len()];
    for t in plan.transitions.iter().filter(|t| t.from != t.to) {
        let Some(ItemIx(item)) = t.item else { continue };
        let at = scale.column(t.msg.at());
        let lane = &mut lanes[item as usize];
        let before = lane.last().copied().unwrap_or(State::Absent);
        lane.resize(at.max(lane.len()), before);
        lane.truncate(at);
        lane.push(t.to);
        if t.to == State::Done {
            done[item as usize].push(at);
        }
    }
    let mut out = axis(session, columns);
    let mut rows: Vec<_> = plan.items.iter().zip(lanes).zip(done).collect();
    rows.sort_by_cached_key(|((item, _), _)| (below_caller(session, item.thread), item.list));
    for ((item, lane), done) in rows {
        let last = lane.last().copied().unwrap_or(State::Absent);
        let mut cells: Vec<char> = lane.iter().map(|s| mark(*s)).collect();
        cells.resize(columns, mark(last));
        for at in done {
            cells[at] = '✓';
        }
        let bar: String = cells.into_iter().collect();
        let name = fit(&format!("{:<4} {}{}", item.label, inset(session, item), plain(&item.text)), NAME);
        out.push_str(format!("{name} {bar}").trim_end());
        out.push('\n');
    }
    out.push_str(
        "\n· pending  █ active  ✓ completed  ─ done  ▒ blocked  × cancelled  ? other; blank = not in the list\n",
    );
    out
}

/// What stands before an item of a subagent, deeper for one of a subagent's subagent.
fn inset(session: &Session, item: &PlanItem) -> String {
    match below_caller(session, item.thread).len() {
        0 | 1 => String::new(),
        depth => format!("{}↳ ", "  ".repeat(depth - 2)),
    }
}

struct Scale {
    messages: usize,
    columns: usize,
}

impl Scale {
    fn column(&self, message: usize) -> usize {
        (message * self.columns / self.messages).min(self.columns - 1)
    }
}

fn mark(state: State) -> char {
    match state {
        State::Absent => ' ',
        State::Pending => '·',
        State::Active => '█',
        State::Done => '─',
        State::Cancelled => '×',
        State::Blocked => '▒',
        State::Other => '?',
    }
}

/// The numbers of the first and the last message over the ends of the bars.
fn axis(session: &Session, columns: usize) -> String {
    let name = |m: Option<&crate::session::Message>| m.map(|m| m.label.cite()).unwrap_or_default();
    let (first, last) = (name(session.messages.first()), name(session.messages.last()));
    let gap = columns.saturating_sub(first.len() + last.len()).max(1);
    format!("{:NAME$} {first}{:gap$}{last}\n", "", "")
}

/// The text in exactly so many columns of a terminal: cut with an ellipsis, or filled with spaces.
fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return format!("{text}{}", " ".repeat(columns - text.width()));
    }
    let mut out = String::new();
    let mut used = 0;
    for cluster in text.graphemes(true) {
        if used + cluster.width() >= columns {
            break;
        }
        out.push_str(cluster);
        used += cluster.width();
    }
    format!("{out}…{}", " ".repeat(columns - used - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::plan::extract;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn items_of_a_subagent_stand_below_those_of_their_caller() {
        let list = |a: &[&str]| {
            let items: Vec<_> = a.iter().map(|t| json!({"content": t, "status": "pending"})).collect();
            json!({ "todos": items })
        };
        let session = SessionBuilder::new()
            .call("TodoWrite", list(&["dig"]), "ok")
            .call_id("c1", "Task", json!({}), "done")
            .call("TodoWrite", list(&["dig", "fill"]), "ok")
            .thread("c1", |t| t.call("TodoWrite", list(&["fetch a spade"]), "ok"))
            .build();
        let chart = timeline(&session, &extract(&session), Some(NAME + 21));
        let names: Vec<&str> = chart.lines().skip(1).take(3).map(|l| l.split('·').next().unwrap().trim_end()).collect();
        assert_eq!(names, ["T1   dig", "T3   fill", "T2   ↳ fetch a spade"]);
    }

    #[test]
    fn lanes_show_states_and_wide_text_keeps_the_columns() {
        let list = |a: &str, b: &str| json!({"todos": [{"content": "調査する".repeat(9), "status": a}, {"content": "fix", "status": b}]});
        let session = SessionBuilder::new()
            .user("go")
            .call("TodoWrite", list("in_progress", "pending"), "ok")
            .call("TodoWrite", list("completed", "in_progress"), "ok")
            .assistant("end")
            .build();
        let chart = timeline(&session, &extract(&session), Some(NAME + 21));
        let lines: Vec<&str> = chart.lines().collect();
        assert!(lines[1].ends_with("…      █████✓─────────"), "{chart}");
        assert!(lines[2].ends_with("fix                                    ·····██████████"), "{chart}");
        let column = |line: &str| line[..line.find(['█', '·']).unwrap()].width();
        assert_eq!(column(lines[1]), column(lines[2]));
    }

    #[test]
    fn text_fills_the_columns_of_a_terminal_and_no_cluster_is_cut() {
        // Columns that each text takes, counted by hand.
        let texts = [
            ("fix", 3),
            ("a 🚒 b", 6),
            ("👩\u{200D}🚒", 2),
            ("👍🏽", 2),
            ("🇩🇪", 2),
            ("❤\u{FE0F}", 2),
            ("1\u{FE0F}\u{20E3}", 2),
            ("Cafe\u{301}", 4),
            ("o\u{308}\u{332}", 1),
            ("調査", 4),
        ];
        for (text, columns) in texts {
            assert_eq!(fit(text, 10), format!("{text}{}", " ".repeat(10 - columns)), "{text:?}");
            assert_eq!(fit(text, columns), text, "{text:?} fits");
        }
        assert_eq!(fit("ab👩\u{200D}🚒cd", 5), "ab👩\u{200D}🚒…");
        assert_eq!(fit("ab👩\u{200D}🚒cd", 4), "ab… ");
        assert_eq!(fit("Cafe\u{301}s", 5), "Cafe\u{301}s");
        assert_eq!(fit("Cafe\u{301} au", 5), "Cafe\u{301}…");
        assert_eq!(fit("🇩🇪🇫🇷🇮🇹", 4), "🇩🇪… ");
    }

    #[test]
    fn bars_start_in_one_column_whatever_the_items_hold() {
        let texts = ["Paint the 🚒 red", "Ask the 👩\u{200D}🚒 crew", "Hoist the 🇩🇪", "Cafe\u{301} 👍🏽", "fix"];
        let items: Vec<_> = texts.iter().map(|t| json!({"content": t, "status": "pending"})).collect();
        let session = SessionBuilder::new().call("TodoWrite", json!({ "todos": items }), "ok").build();
        let chart = timeline(&session, &extract(&session), Some(NAME + 21));
        let bars: Vec<usize> = chart.lines().skip(1).take(5).map(|l| l[..l.find('·').unwrap()].width()).collect();
        assert_eq!(bars, [NAME + 1; 5], "{chart}");
        assert!(chart.contains("👩\\u{200D}🚒"), "a joiner hides, so it is shown: {chart}");
    }
}
