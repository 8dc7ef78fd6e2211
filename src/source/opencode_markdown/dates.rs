//! The dates of the header.

use serde_json::Value;

use super::Page;
use crate::diag::{Diag, Loc, Trouble};
use crate::source::time::{self, Time};

/// How they begin, and what they are of a session.
const DATES: [(&str, &str); 2] = [("**Created:**", "created"), ("**Updated:**", "updated")];

impl<'a> Page<'a> {
    /// Puts the dates that are times into the session's record.
    pub(super) fn dated(&self, first: usize, info: &mut Value) {
        for (key, member) in DATES {
            if let Some(Time::At(at)) = self.date(key, first).map(time::written) {
                info["time"][member] = at.as_millisecond().into();
            }
        }
    }

    /// A date of the header, as it is written.
    fn date(&self, key: &str, first: usize) -> Option<&'a str> {
        let mut lines = self.lines[..first].iter();
        lines.find_map(|(_, line)| line.strip_prefix(key)).map(str::trim).filter(|text| !text.is_empty())
    }

    /// A note on dates that are no times. The program writes them as the exporter's country does, without a zone: which
    /// of 4/6 is the month is not known, nor is the hour anywhere else.
    pub(super) fn undated(&self, name: &str) -> Option<Diag> {
        let first = self.header().1;
        let of = |(key, member): (&str, &str)| {
            let text = self.date(key, first).filter(|text| !matches!(time::written(text), Time::At(_)))?;
            Some(format!("{member} {}", text.chars().take(60).collect::<String>()))
        };
        let dates: Vec<String> = DATES.into_iter().filter_map(of).collect();
        let text = format!(
            "the export says: {}; written in the exporter's own way and without a zone, so the session's times are not known",
            dates.join(", ")
        );
        let loc = Loc { file: name.into(), ..Loc::default() };
        (!dates.is_empty()).then(|| Diag::note(Trouble::TimeZone, loc, text))
    }
}
