//! `result_of`: findings, figures and tables, and the call whose output shows them.

use aho_corasick::AhoCorasick;

use super::{FactId, Link, LinkKind, Scene, sure};
use crate::extract::bench::FigureEvidence;
use crate::session::{Field, MsgIx, Span};

/// Calls before a message that are looked through for what it says.
const WINDOW: usize = 16;
/// Bytes of an output that are looked through.
const DEPTH: usize = 64 * 1024;

/// Something said, with the words that an output would show.
struct Said {
    id: FactId,
    needle: String,
}

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let mut found = printed(scene);
    let mut said = said(scene);
    said.sort_by_key(|(msg, _)| *msg);
    for group in said.chunk_by(|a, b| a.0 == b.0) {
        found.extend(shown(scene, group[0].0, group));
    }
    found
}

/// Figures read from an output belong to its call.
fn printed(scene: &Scene<'_>) -> Vec<Link> {
    let figures = scene.facts.bench.measurements.iter().enumerate();
    let from_output = |(i, m): (usize, &crate::extract::bench::Measurement)| {
        let call = (m.span.field == Field::Output)
            .then(|| scene.call(crate::session::CallRef { msg: m.span.msg, part: m.span.part }))??;
        Some(sure(LinkKind::ResultOf, (FactId::Measurement(i as u32), m.msg), (call, m.msg)))
    };
    figures.filter_map(from_output).collect()
}

/// What was said that an output may have shown: figures of three digits with a point or of four without (shorter ones stand
/// somewhere in every output), titles of findings.
fn said(scene: &Scene<'_>) -> Vec<(MsgIx, Said)> {
    let mut said = Vec::new();
    let quote = |span: &Span| scene.session.quote(span).map(|q| q.trim_matches(['*', '`', ' ']).to_owned());
    for (i, m) in scene.facts.bench.measurements.iter().enumerate() {
        let digits = |q: &str| q.bytes().filter(u8::is_ascii_digit).count();
        let number =
            quote(&m.span).and_then(|q| figure(&q)).filter(|q| digits(q) >= if q.contains('.') { 3 } else { 4 });
        if let Some(needle) = number.filter(|_| m.evidence == FigureEvidence::Claimed && m.span.field == Field::Text) {
            said.push((m.msg, Said { id: FactId::Measurement(i as u32), needle }));
        }
    }
    for (i, f) in scene.facts.findings.findings.iter().enumerate().filter(|(_, f)| f.title.len() >= 12) {
        said.push((f.msg, Said { id: FactId::Finding(i as u32), needle: f.title.clone() }));
    }
    said
}

/// The first number of a quote, as written.
fn figure(quote: &str) -> Option<String> {
    let start = quote.find(|c: char| c.is_ascii_digit())?;
    let rest = &quote[start..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches(['.', ',']).to_owned())
}

/// Searches the outputs of the calls before one message, newest first, for all that it says.
fn shown(scene: &Scene<'_>, msg: MsgIx, said: &[(MsgIx, Said)]) -> Vec<Link> {
    let thread = scene.session.message(msg).thread;
    let end = scene.facts.calls.partition_point(|c| c.msg <= msg);
    let before = scene.facts.calls[..end].iter().enumerate().rev();
    let near = before.filter(|(_, r)| scene.session.message(r.msg).thread == thread).take(WINDOW);
    let Ok(search) = AhoCorasick::new(said.iter().map(|(_, s)| s.needle.as_str())) else { return Vec::new() };
    let mut source: Vec<Option<(u32, MsgIx)>> = vec![None; said.len()];
    for (at, r) in near {
        let Some(result) = scene.session.call(*r).and_then(|c| c.result.as_ref()) else { continue };
        let text = &result.text[..result.text.floor_char_boundary(DEPTH)];
        for hit in search.find_overlapping_iter(text) {
            let slot = &mut source[hit.pattern().as_usize()];
            if slot.is_none() && stands_alone(text, hit.start(), hit.end()) {
                *slot = Some((at as u32, r.msg));
            }
        }
    }
    let tie = |((_, s), to): (&(MsgIx, Said), Option<(u32, MsgIx)>)| {
        let (call, call_msg) = to?;
        let link = sure(LinkKind::ResultOf, (s.id, msg), (FactId::Call(call), call_msg));
        Some(Link { confidence: 0.8, ..link })
    };
    said.iter().zip(source).filter_map(tie).collect()
}

/// A number inside a longer one is another number, and one that begins a line and is set apart from it numbers the line.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let word = |b: Option<&u8>| b.is_some_and(u8::is_ascii_digit);
    let point = |i: usize| bytes.get(i) == Some(&b'.') && word(bytes.get(i + 1));
    let is_number = bytes[start..end].iter().all(|b| b.is_ascii_digit());
    let margin = is_number && bytes[..start].iter().rev().take_while(|b| **b != b'\n').all(|b| *b == b' ');
    let numbers_line = margin && ["→", "\t", ":", "|", " |"].iter().any(|mark| text[end..].starts_with(mark));
    !numbers_line && !word(start.checked_sub(1).and_then(|i| bytes.get(i))) && !word(bytes.get(end)) && !point(end)
}

#[cfg(test)]
mod tests {
    use crate::extract::{Config, extract};
    use crate::link::{FactId, LinkKind, link};
    use crate::session::build::SessionBuilder;

    #[test]
    fn a_figure_belongs_to_an_output_that_holds_it_but_not_to_a_number_of_a_line() {
        for (said, printed, tied) in [
            ("4.82 ms", "fold: 4.82 ms", true),
            ("4.82 ms", "fold: 14.82 ms", false),
            ("2918 ms", "fold 2918", true),
            ("2918 ms", "  2918\tlet x = 3;", false),
            ("2918 ms", "2918→let x = 3;", false),
            ("291 ms", "fold 291", false),
        ] {
            let session = SessionBuilder::new()
                .shell("./fold", 0, printed)
                .assistant(&format!("The latency of the fold was {said}."))
                .build();
            let links = link(&session, &extract(&session, &Config::default()));
            let figure = |f: FactId| matches!(f, FactId::Measurement(_));
            let found = links.iter().any(|l| l.kind == LinkKind::ResultOf && figure(l.from) && l.from_msg != l.to_msg);
            assert_eq!(found, tied, "{said} in {printed}");
        }
    }
}
