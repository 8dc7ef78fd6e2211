//! The order of parts, where the store keeps each by itself.

use serde_json::Value;

use super::{number_at, str_at};

/// Bits of time in an id.
const BITS: u32 = 48;

/// Orders the parts of a message. Ids hold 48 bits of the time of creation, so they are compared on that circle, seen
/// from the message's own id; where an id is not of that form, all are ordered by their times, else left as they are.
pub(in crate::source) fn part_order<T>(parts: &mut [T], message: &str, value: impl Fn(&T) -> &Value) {
    let origin = stamp(message).map(|at| at.wrapping_sub(1 << (BITS - 8)));
    let by_id = |part: &T| Some(stamp(str_at(value(part), "id")?)?.wrapping_sub(origin?) & ((1 << BITS) - 1));
    if parts.iter().all(|p| by_id(p).is_some()) {
        parts.sort_by_key(|p| by_id(p));
        return;
    }
    let time = |part: &T| {
        let part = value(part);
        let time = part.pointer("/state/time").or_else(|| part.get("time"))?;
        number_at(time, "start")
    };
    let mut last = None;
    let times: Vec<Option<i64>> = parts
        .iter()
        .map(|p| {
            last = time(p).or(last);
            last
        })
        .collect();
    if !times.is_sorted() {
        let mut at = 0;
        parts.sort_by_cached_key(|_| {
            at += 1;
            times[at - 1]
        });
    }
}

/// The 48 bits of time in an id like `prt_c64a7cec1006b7WA27X2oxHAha`.
fn stamp(id: &str) -> Option<u64> {
    let hex = id.split_once('_')?.1.get(..BITS as usize / 4)?;
    u64::from_str_radix(hex, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ordered(message: &str, mut parts: Vec<Value>) -> Vec<String> {
        part_order(&mut parts, message, |p| p);
        parts.iter().map(|p| p["n"].as_str().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn ids_are_compared_across_their_wrap() {
        let part = |id: &str, n: &str| json!({"id": id, "n": n});
        let parts =
            vec![part("prt_000000001001ab", "b"), part("prt_fffffffff001ab", "a"), part("prt_000000002001ab", "c")];
        assert_eq!(ordered("msg_ffffffffe001ab", parts), ["a", "b", "c"]);
    }

    #[test]
    fn parts_with_other_ids_are_ordered_by_time() {
        let part = |id: &str, at: u64| json!({"id": id, "n": id, "time": {"start": at}});
        assert_eq!(
            ordered("m1", vec![part("z", 1), part("a", 9), json!({"id": "b", "n": "b"}), part("c", 5)]),
            ["z", "c", "a", "b"]
        );
        assert_eq!(ordered("m1", vec![json!({"n": "z"}), json!({"n": "a"})]), ["z", "a"]);
    }
}
