//! Which kinds a change has: of the state, of the text, and of the list.

use std::cmp::Ordering;

use super::similarity::same_but_parameters;
use super::sources::{Entry, Write};
use super::wording::{Wording, is_content, is_join, normalised};
use super::{State, TransitionKind};

/// List kinds of a write: its list was emptied, or none of its items kept its wording.
pub(super) fn of_list(old: &[Entry], write: &Write) -> Option<TransitionKind> {
    if old.is_empty() || write.touched.is_some() {
        return None;
    }
    if write.entries.is_empty() {
        return Some(TransitionKind::ListCleared);
    }
    let known: std::collections::BTreeSet<&str> = old.iter().map(|e| e.text.as_str()).collect();
    let kept = write.entries.iter().any(|e| known.contains(e.text.as_str()));
    (!kept).then_some(TransitionKind::ListReplaced)
}

/// Kinds of one item that is in the list after the write; `unchanged` stands alone.
pub(super) fn of_item(olds: &[&Entry], new: &Entry, split: bool, returned: bool, moved: bool) -> Vec<TransitionKind> {
    let Some(old) = olds.first() else {
        let kind = TransitionKind::of_states(State::Absent, new.state);
        return vec![if returned && kind != TransitionKind::Unchanged { TransitionKind::ReAdded } else { kind }];
    };
    let status = TransitionKind::of_states(old.state, new.state);
    let mut kinds = vec![status];
    if split {
        kinds.push(TransitionKind::Split);
    } else if olds.len() > 1 {
        kinds.push(TransitionKind::Merged);
    } else if old.text != new.text {
        kinds.push(of_text(&old.text, &new.text));
    }
    kinds.extend(of_priority(old.priority.as_deref(), new.priority.as_deref()));
    kinds.extend(moved.then_some(TransitionKind::Reordered));
    if kinds.len() > 1 && status == TransitionKind::Unchanged {
        kinds.remove(0);
    }
    kinds
}

/// The kind of a change of wording.
fn of_text(old: &str, new: &str) -> TransitionKind {
    if normalised(old) == normalised(new) {
        return TransitionKind::Renamed;
    }
    let (a, b) = (Wording::of(old), Wording::of(new));
    if same_but_parameters(&a, &b) {
        return TransitionKind::ParameterChanged;
    }
    if is_title_of(old, new) || is_title_of(new, old) {
        return TransitionKind::Renamed;
    }
    let (lost, added) = (less(&a, &b), less(&b, &a));
    let content = |words: &[&String]| words.iter().any(|w| is_content(w));
    match (conditional(&lost), conditional(&added), content(&lost), content(&added)) {
        (true, false, ..) => TransitionKind::Widened,
        (false, true, ..) => TransitionKind::Narrowed,
        (.., true, true) => of_parts(joins(&lost), joins(&added)).unwrap_or(TransitionKind::Renamed),
        // What is lost is a part, or else a condition; what is added likewise.
        (.., true, false) => of_parts(a.joins, b.joins).unwrap_or(TransitionKind::Widened),
        (.., false, true) => of_parts(a.joins, b.joins).unwrap_or(TransitionKind::Narrowed),
        _ => TransitionKind::Renamed,
    }
}

/// The kind of a change that joins fewer or more parts.
fn of_parts(before: usize, after: usize) -> Option<TransitionKind> {
    graded(after.cmp(&before), TransitionKind::Narrowed, TransitionKind::Widened)
}

/// The kind for less or more of something; `None` = as much.
fn graded(order: Ordering, less: TransitionKind, more: TransitionKind) -> Option<TransitionKind> {
    match order {
        Ordering::Less => Some(less),
        Ordering::Equal => None,
        Ordering::Greater => Some(more),
    }
}

/// Whether the longer says what the shorter says and then explains it: `Paint the gate — green, two coats`.
fn is_title_of(short: &str, long: &str) -> bool {
    let marks = [" — ", " – ", " - ", ". ", " → ", " -> "];
    let title = |m: &str| long.split_once(m).map(|(title, _)| title);
    marks.iter().filter_map(|m| title(m)).any(|t| normalised(t) == normalised(short))
}

/// Words of the first that the second does not have.
fn less<'a>(a: &'a Wording, b: &Wording) -> Vec<&'a String> {
    a.words.iter().filter(|w| !b.words.contains(w)).collect()
}

fn conditional(words: &[&String]) -> bool {
    words.iter().any(|w| matches!(w.as_str(), "if" | "only" | "when" | "unless" | "optionally"))
}

/// 1 where the words join, else 0.
fn joins(words: &[&String]) -> usize {
    usize::from(words.iter().any(|w| is_join(w)))
}

fn of_priority(old: Option<&str>, new: Option<&str>) -> Option<TransitionKind> {
    graded(rank(old?)?.cmp(&rank(new?)?), TransitionKind::PriorityLowered, TransitionKind::PriorityRaised)
}

/// Rank of a priority word: the lower, the more urgent.
pub(super) fn rank(word: &str) -> Option<u32> {
    let word = word.to_ascii_lowercase();
    match word.as_str() {
        "critical" | "urgent" | "highest" => Some(0),
        "high" => Some(1),
        "medium" | "normal" => Some(2),
        "low" => Some(3),
        "lowest" => Some(4),
        _ => word.trim_start_matches('p').parse().ok(),
    }
}

/// Which items lie outside the longest run that kept its order; of equally long runs the one that starts first counts.
pub(super) fn moved(olds: impl Iterator<Item = Option<usize>>) -> Vec<bool> {
    let olds: Vec<Option<usize>> = olds.collect();
    // Length of the longest rising run from each item on: patience sorting from the right.
    let mut tails: Vec<usize> = Vec::new();
    let mut length = vec![0; olds.len()];
    for (n, old) in olds.iter().enumerate().rev() {
        let Some(old) = old else { continue };
        let at = tails.partition_point(|&t| t > *old);
        if at == tails.len() {
            tails.push(*old);
        } else {
            tails[at] = *old;
        }
        length[n] = at + 1;
    }
    let (mut needed, mut last) = (tails.len(), None);
    olds.iter()
        .enumerate()
        .map(|(n, old)| {
            let Some(old) = old else { return false };
            let in_run = needed > 0 && length[n] == needed && last.is_none_or(|l| l < *old);
            if in_run {
                (needed, last) = (needed - 1, Some(*old));
            }
            !in_run
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_the_longest_ordered_run_has_moved() {
        let moved = |v: &[usize]| super::moved(v.iter().map(|x| Some(*x)));
        assert_eq!(moved(&[0, 1, 2]), [false; 3]);
        assert_eq!(moved(&[2, 0, 1]), [true, false, false]);
        assert_eq!(moved(&[0, 2, 1]), [false, false, true]);
        assert_eq!(moved(&[3, 1, 2, 0]), [true, false, false, true]);
    }

    #[test]
    fn text_kinds() {
        for (old, new, kind) in [
            ("Run tests", "run tests.", TransitionKind::Renamed),
            ("Serve on port 80", "Serve on port 8080", TransitionKind::ParameterChanged),
            ("Find the cause", "Find the cause of the hang", TransitionKind::Narrowed),
            ("Install nginx", "Install nginx and its modules", TransitionKind::Widened),
            ("Build and publish", "Build", TransitionKind::Narrowed),
            ("If it works, write the file", "Write the file", TransitionKind::Widened),
            ("Find the cause of the hang", "Find the cause", TransitionKind::Widened),
            ("Paint the gate", "Paint the gate (green, 20+ coats)", TransitionKind::Narrowed),
            ("Paint the gate", "Paint the gate (only outside)", TransitionKind::Narrowed),
            ("Lay slabs (or bricks)", "Lay slabs", TransitionKind::Narrowed),
            ("Phase 1: Dig — trench, drain, fence", "Phase 1: Dig ✅", TransitionKind::Renamed),
            ("Paint the gate", "Paint the gate → Team A", TransitionKind::Renamed),
            ("Implement the parser", "Create the reader", TransitionKind::Renamed),
        ] {
            assert_eq!(of_text(old, new), kind, "{old} -> {new}");
        }
    }
}
