//! What events repeat of the items.

use std::collections::HashMap;

use super::assemble::Item;
use super::record::{Bit, Body};

/// Texts of items that events may repeat, with how often they stand.
#[derive(Default)]
pub(super) struct Repeated {
    pub(super) user: HashMap<String, usize>,
    pub(super) agent: HashMap<String, usize>,
    pub(super) thought: HashMap<String, usize>,
}

impl Repeated {
    pub(super) fn of(items: &[Item]) -> Self {
        let mut out = Self::default();
        let count = |map: &mut HashMap<String, usize>, text: &str| *map.entry(text.trim().to_owned()).or_default() += 1;
        for body in items.iter().flat_map(|i| &i.line.bodies) {
            match body {
                Body::User(bits) => texts(bits).for_each(|t| count(&mut out.user, t)),
                Body::Assistant(bits) => texts(bits).for_each(|t| count(&mut out.agent, t)),
                Body::Reasoning(list) => list.iter().for_each(|t| count(&mut out.thought, t)),
                _ => {}
            }
        }
        out
    }

    /// Whether an item says the text; each item is repeated once.
    pub(super) fn take(map: &mut HashMap<String, usize>, text: &str) -> bool {
        let left = map.get_mut(text.trim()).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    }
}

fn texts(bits: &[Bit]) -> impl Iterator<Item = &str> {
    bits.iter().filter_map(|b| if let Bit::Text(text) = b { Some(text.as_str()) } else { None })
}
