//! Write-ahead logs of SQLite: whether one is whole. SQLite itself reads as far as it is and says nothing of the rest.

use std::io::{self, Read};

/// Bytes of the log's header and of the header of a frame.
const HEADER: usize = 32;
const FRAME: usize = 24;

/// The running sum over pairs of words.
struct Sum {
    big: bool,
    at: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            let read = |at: usize| {
                let word = [pair[at], pair[at + 1], pair[at + 2], pair[at + 3]];
                if self.big { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
            };
            let (a, b) = (read(0), read(4));
            self.at.0 = self.at.0.wrapping_add(a).wrapping_add(self.at.1);
            self.at.1 = self.at.1.wrapping_add(b).wrapping_add(self.at.0);
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |all, b| all << 8 | u32::from(*b))
}

/// What is wrong with a log. Frames behind the newest ones, which an earlier round left, are in order.
pub(super) fn damage(log: &mut dyn Read) -> io::Result<Option<String>> {
    let mut header = Vec::new();
    log.take(HEADER as u64).read_to_end(&mut header)?;
    let known = header.len() == HEADER && word(&header, 0) & !1 == 0x377f_0682;
    let mut sum = Sum { big: header.get(3).is_some_and(|b| b & 1 == 1), at: (0, 0) };
    sum.add(header.get(..24).unwrap_or_default());
    if !known || sum.at != (word(&header, 24), word(&header, 28)) {
        return Ok(Some("the header of the write-ahead log is damaged; nothing of the log is read".to_owned()));
    }
    let page = word(&header, 8).clamp(512, 1 << 16) as usize;
    let mut frame = Vec::with_capacity(FRAME + page);
    for number in 1u64.. {
        frame.clear();
        log.take((FRAME + page) as u64).read_to_end(&mut frame)?;
        let stale = frame.len() >= 16 && frame[8..16] != header[16..24];
        if frame.is_empty() || stale {
            break;
        }
        sum.add(&frame[..8.min(frame.len())]);
        sum.add(frame.get(FRAME..).unwrap_or_default());
        if frame.len() < FRAME + page || sum.at != (word(&frame, 16), word(&frame, 20)) {
            let rest = "what was written from there on is not read";
            return Ok(Some(format!("frame {number} of the write-ahead log is cut or damaged; {rest}")));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_log_is_whole_or_says_where_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
        let log = std::fs::read(folder.path().join("x.db-wal")).unwrap();
        let said = |bytes: &[u8]| damage(&mut &*bytes).unwrap().unwrap_or_default();
        assert_eq!(said(&log), "");
        assert!(said(b"garbage").contains("header"));
        assert!(said(&[7; 5000]).contains("header"));
        assert!(said(&log[..log.len() - 10]).starts_with("frame 3 "), "{}", said(&log[..log.len() - 10]));
        let mut hurt = log.clone();
        hurt[HEADER + FRAME + 100] ^= 1;
        assert!(said(&hurt).starts_with("frame 1 "));
        // An older round's frames stand behind the newer ones.
        let mut old = log.clone();
        old.extend_from_slice(&[9; 600]);
        assert_eq!(said(&old), "");
    }
}
