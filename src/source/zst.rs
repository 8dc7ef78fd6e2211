//! Zstandard, of one frame or several.

use std::io;

use zstd::stream::read::Decoder;

use super::packed::{Notes, Packed, Plain, Wrapper};

pub(super) const WRAPPER: Wrapper = Wrapper {
    // A frame, or one of sixteen kinds of frames to be skipped.
    magic: |head| {
        head.starts_with(b"\x28\xB5\x2F\xFD")
            || (head.len() > 3 && head[0] & 0xF0 == 0x50 && head[1..4] == *b"\x2A\x4D\x18")
    },
    open,
};

fn open<'a>(packed: Packed<'a>, _: &Notes) -> io::Result<Plain<'a>> {
    Ok(Box::new(Decoder::with_buffer(packed)?))
}
