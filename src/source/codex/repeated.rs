//! What events repeat of the items.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::assemble::Item;
use super::record::{Bit, Body};

/// Who says a text, or that it is thought.
#[derive(PartialEq, Eq, Hash)]
enum By {
    User,
    Agent,
    Thought,
}

/// The lines in which one text stands.
#[derive(Default)]
struct Told {
    items: Vec<usize>,
    events: BTreeSet<usize>,
}

/// The events that say only what an item says, by the numbers of their lines. An item is repeated once: by the nearest
/// event with its text.
pub(super) fn repeated(lines: &[Item]) -> HashSet<usize> {
    let mut all: HashMap<(By, &str), Told> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for body in &line.line.bodies {
            for text in said(body) {
                let told = all.entry((by(body), text.trim())).or_default();
                match body {
                    Body::SaidByUser(_) | Body::SaidByAgent(_) | Body::Thought(_) => drop(told.events.insert(at)),
                    _ => told.items.push(at),
                }
            }
        }
    }
    all.into_values().flat_map(Told::repeats).collect()
}

impl Told {
    fn repeats(mut self) -> Vec<usize> {
        let nearest = |at: usize, events: &BTreeSet<usize>| {
            let (before, after) = (events.range(..at).next_back(), events.range(at..).next());
            before.into_iter().chain(after).copied().min_by_key(|event| event.abs_diff(at))
        };
        let mut out = Vec::new();
        for at in self.items {
            let Some(event) = nearest(at, &self.events) else { break };
            self.events.remove(&event);
            out.push(event);
        }
        out
    }
}

fn by(body: &Body) -> By {
    match body {
        Body::User(_) | Body::SaidByUser(_) => By::User,
        Body::Assistant(_) | Body::SaidByAgent(_) => By::Agent,
        _ => By::Thought,
    }
}

fn said(body: &Body) -> Vec<&str> {
    match body {
        Body::User(bits) | Body::Assistant(bits) => {
            bits.iter().filter_map(|b| if let Bit::Text(t) = b { Some(t.as_str()) } else { None }).collect()
        }
        Body::Reasoning(list) => list.iter().map(String::as_str).collect(),
        Body::SaidByUser(text) | Body::SaidByAgent(text) | Body::Thought(text) => vec![text],
        _ => Vec::new(),
    }
}
