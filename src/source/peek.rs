//! The JSON objects at the start of an input, for telling its format.

use memchr::memchr;
use serde::Deserialize;

use super::input::Head;

/// The first objects of a head, at most `max`. Text between them and objects that do not fit are passed over; an
/// object that the head cuts off is not seen.
pub(super) fn objects<'a, T: Deserialize<'a>>(head: &Head<'a>, max: usize) -> Vec<T> {
    let mut out = Vec::new();
    let mut rest = head.bytes;
    while out.len() < max
        && let Some(start) = memchr(b'{', rest)
    {
        rest = &rest[start..];
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                let at = values.byte_offset();
                out.push(value);
                rest = &rest[at..];
            }
            _ => rest = memchr(b'\n', rest).map_or(&[], |at| &rest[at..]),
        }
    }
    out
}
