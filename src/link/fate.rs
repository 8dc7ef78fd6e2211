//! What became of findings and options, read from the links: of each the strongest thing that is known.

use std::collections::BTreeMap;

use super::{FactId, Link, LinkKind};
use crate::extract::Facts;
use crate::extract::findings::FindingStatus;
use crate::session::MsgIx;

/// Calls that share only words with a finding do not decide its fate.
const SURE: f64 = 0.7;

/// What became of a finding or option, and the message that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fate {
    /// `verified`, `fixed`, `acted on`, `planned` of a finding; `selected`, `taken up later`, `omitted` of an option.
    pub word: &'static str,
    /// Message that shows it.
    pub msg: MsgIx,
}

/// The fate of every finding, by position; `None` = nothing that was said or done later is tied to it.
pub fn findings(facts: &Facts, links: &[Link]) -> Vec<Option<Fate>> {
    let all = &facts.findings.findings;
    let mut fates: Vec<Option<(u8, Fate)>> = vec![None; all.len()];
    let mut raise = |at: u32, rank: u8, word: &'static str, msg: MsgIx| {
        if let Some(slot) = fates.get_mut(at as usize)
            && slot.is_none_or(|(r, _)| r < rank)
        {
            *slot = Some((rank, Fate { word, msg }));
        }
    };
    for (i, f) in all.iter().enumerate() {
        if f.status == FindingStatus::Fixed {
            raise(f.restates.unwrap_or(i as u32), 3, "fixed", f.msg);
            raise(i as u32, 3, "fixed", f.msg);
        }
    }
    for l in links {
        let FactId::Finding(at) = l.to else { continue };
        match l.kind {
            LinkKind::Verifies => raise(at, 4, "verified", l.from_msg),
            LinkKind::ActsOn if l.confidence >= SURE => raise(at, 2, "acted on", l.from_msg),
            LinkKind::Mirrors => raise(at, 1, "planned", l.from_msg),
            _ => {}
        }
    }
    fates.into_iter().map(|f| f.map(|(_, fate)| fate)).collect()
}

/// The fate of every option, over all lists; `None` = no later message is known to take it up.
pub fn options(facts: &Facts, links: &[Link]) -> Vec<Option<Fate>> {
    let mut chosen: BTreeMap<u32, Fate> = BTreeMap::new();
    let mut omitted: BTreeMap<u32, MsgIx> = BTreeMap::new();
    for l in links {
        match (l.kind, l.to) {
            (LinkKind::Selects, FactId::Option(o)) => {
                chosen.entry(o).or_insert(Fate { word: "selected", msg: l.from_msg });
            }
            (LinkKind::Omits, FactId::Option(o)) => {
                omitted.entry(o).or_insert(l.from_msg);
            }
            _ => {}
        }
    }
    // An option passed over may be taken up later: by a later item, or by a call after the choice.
    let mut later: BTreeMap<u32, MsgIx> = BTreeMap::new();
    for l in links {
        let FactId::Option(o) = l.to else { continue };
        let after = omitted.get(&o).is_some_and(|m| l.from_msg > *m);
        let taken_up = l.kind == LinkKind::Mirrors || l.kind == LinkKind::ActsOn && l.confidence >= SURE;
        if after && taken_up {
            let slot = later.entry(o).or_insert(l.from_msg);
            *slot = (*slot).min(l.from_msg);
        }
    }
    let count: usize = facts.options.iter().map(|l| l.options.len()).sum();
    let fate = |o: u32| {
        let selected = chosen.get(&o).copied();
        let taken_up = later.get(&o).map(|msg| Fate { word: "taken up later", msg: *msg });
        selected.or(taken_up).or_else(|| omitted.get(&o).map(|msg| Fate { word: "omitted", msg: *msg }))
    };
    (0..count as u32).map(fate).collect()
}
