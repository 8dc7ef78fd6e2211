//! A made session of plan writes: a list of 40 items that is worked off, reworded and filled up again.

use serde_json::{Value, json};
use turnpoint::session::Session;
use turnpoint::session::build::SessionBuilder;

const ITEMS: usize = 40;

/// A session of so many writes of 40 items, a shell call between each two. Every write finishes an item and starts the
/// next; every fifth also rewords one; a list that is done makes place for a new one.
pub(crate) fn session(writes: usize) -> Session {
    let mut session = SessionBuilder::new();
    for n in 0..writes {
        let (round, at) = (n / ITEMS, n % ITEMS);
        let item = |i: usize| -> Value {
            let status = match i.cmp(&at) {
                std::cmp::Ordering::Less => "completed",
                std::cmp::Ordering::Equal => "in_progress",
                std::cmp::Ordering::Greater => "pending",
            };
            let more = if n / 5 * 5 % ITEMS == i { " with care" } else { "" };
            json!({"content": format!("Check module_{i} of part {round} against its tests{more}"), "status": status})
        };
        let items: Vec<Value> = (0..ITEMS).map(item).collect();
        session = session.shell(&format!("cargo test module_{at} -- part{round}"), 0, "test result: ok").call(
            "TodoWrite",
            json!({ "todos": items }),
            "ok",
        );
    }
    session.build()
}
