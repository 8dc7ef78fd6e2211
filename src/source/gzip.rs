//! gzip, of one member or several.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::packed::{Notes, Packed, Wrapper};
use crate::diag::{Severity, Trouble};

pub(super) const WRAPPER: Wrapper = Wrapper {
    magic: |head| head.starts_with(b"\x1F\x8B\x08"),
    open: |packed, notes| Ok(Box::new(Members { member: Some(GzDecoder::new(packed)), notes: notes.clone() })),
};

/// Members one after the other; what stands behind the last one is counted.
struct Members<'a> {
    member: Option<GzDecoder<Packed<'a>>>,
    notes: Notes,
}

impl Read for Members<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let n = member.read(buf)?;
            if n > 0 || buf.is_empty() {
                return Ok(n);
            }
            let Some(mut rest) = self.member.take().map(GzDecoder::into_inner) else { break };
            if rest.fill_buf()?.starts_with(b"\x1F\x8B") {
                self.member = Some(GzDecoder::new(rest));
            } else {
                let (all, zeros) = count(rest)?;
                if all > zeros {
                    let message = format!(
                        "bytes behind the packed data that are no gzip ({all} bytes skipped of the packed file)"
                    );
                    self.notes.add(Trouble::TrailingBytes, Severity::Lost, message);
                }
            }
        }
        Ok(0)
    }
}

/// Counts the bytes left, and the zeros among them: tapes and tar pad with those.
fn count(mut rest: Packed<'_>) -> io::Result<(u64, u64)> {
    let (mut all, mut zeros) = (0, 0);
    loop {
        let bytes = rest.fill_buf()?;
        let n = bytes.len();
        if n == 0 {
            return Ok((all, zeros));
        }
        all += n as u64;
        zeros += bytes.iter().filter(|b| **b == 0).count() as u64;
        rest.consume(n);
    }
}
