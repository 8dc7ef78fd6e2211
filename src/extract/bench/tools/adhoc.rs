//! Tables that somebody's own script printed: pipes, or columns set apart by blanks.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::grid::{Grid, GridCell};
use super::super::{FigureEvidence, Found, lexicon, table};
use super::lines::re;
use crate::session::TextRef;

static RULE: LazyLock<Regex> = LazyLock::new(|| re(r"^[\s+|┌├└╭╰┏┡━─═=\-:┬┴┼╇╪]+$"));
static CELL: LazyLock<Regex> = LazyLock::new(|| re(r"\S+(?: \S+)*"));
static WORD: LazyLock<Regex> = LazyLock::new(|| re(r"\S+"));

/// Reads the tables of the lines inside `within`; `above` is the heading that stands over them.
pub(super) fn read(
    at: &TextRef<'_>,
    within: Range<usize>,
    above: &str,
    params: &BTreeMap<String, String>,
) -> Vec<Found> {
    let mut out = Vec::new();
    let mut rows: Vec<Vec<GridCell>> = Vec::new();
    let mut title = above.to_owned();
    let mut start = within.start;
    let text = &at.text[within];
    for line in text.split_inclusive('\n').chain(std::iter::once("\n")) {
        let body = line.trim_end();
        if !body.is_empty() && RULE.is_match(body) {
            start += line.len();
            continue;
        }
        let cells = cells(body, start, rows.first().map_or(0, Vec::len));
        let fits = rows.first().is_some_and(|r: &Vec<GridCell>| r.len() == cells.len());
        if !fits {
            out.extend(table(at, std::mem::take(&mut rows), &title, params));
            if cells.len() < 2 && !body.trim().is_empty() {
                title = format!("{above}\n{}", body.trim_matches([' ', '#', '=', '-', ':']));
            }
        }
        if cells.len() >= 2 {
            rows.push(cells);
        }
        start += line.len();
    }
    out
}

/// The cells of a line: between pipes, else between two or more blanks; single blanks when the header has as many
/// words as this line.
fn cells(line: &str, start: usize, wanted: usize) -> Vec<GridCell> {
    let cell = |range: Range<usize>| GridCell {
        text: line[range.clone()].to_owned(),
        range: start + range.start..start + range.end,
        struck: false,
    };
    if wanted < 2 && is_running_text(line) {
        let trimmed = line.trim();
        let from = line.len() - line.trim_start().len();
        return if trimmed.is_empty() { Vec::new() } else { vec![cell(from..from + trimmed.len())] };
    }
    let bar = ['|', '│', '┃'].into_iter().find(|b| line.matches(*b).count() >= 2);
    if let Some(bar) = bar {
        let mut at = 0;
        let parts = line.split(bar).map(|part| {
            let from = at + (part.len() - part.trim_start().len());
            at += part.len() + bar.len_utf8();
            from.min(from + part.trim().len())..from + part.trim().len()
        });
        let parts: Vec<Range<usize>> = parts.collect();
        let inner = parts.len().saturating_sub(1);
        return parts
            .into_iter()
            .enumerate()
            .filter(|(i, r)| !r.is_empty() || *i > 0 && *i < inner)
            .map(|(_, r)| cell(r))
            .collect();
    }
    let wide: Vec<Range<usize>> = CELL.find_iter(line.replace('\t', "  ").as_str()).map(|m| m.range()).collect();
    if line.contains('\t') {
        let mut at = 0;
        return line
            .split('\t')
            .map(|p| {
                let from = at;
                at += p.len() + 1;
                cell(from..from + p.len())
            })
            .collect();
    }
    if wide.len() != wanted && wanted > 1 {
        let words: Vec<Range<usize>> = WORD.find_iter(line).map(|m| m.range()).collect();
        if words.len() == wanted {
            return words.into_iter().map(cell).collect();
        }
    }
    wide.into_iter().map(cell).collect()
}

/// Whether nothing in the line can set columns apart. Most lines of most outputs are of this kind: they are told by
/// their bytes, before any pattern is asked.
fn is_running_text(line: &str) -> bool {
    let bytes = line.trim().as_bytes();
    bytes.iter().all(|b| matches!(b, b' '..=b'~') && *b != b'|') && !bytes.windows(2).any(|pair| pair == b"  ")
}

fn table(at: &TextRef<'_>, mut rows: Vec<Vec<GridCell>>, above: &str, params: &BTreeMap<String, String>) -> Vec<Found> {
    if rows.len() < 3 {
        return Vec::new();
    }
    let mut header = rows.remove(0);
    let digit = |c: &GridCell| c.text.starts_with(|c: char| c.is_ascii_digit());
    let corner = header[0].text.contains(['\\', '/', '×']) && header[0].text.matches('/').count() < 2;
    // A path, a mark or a state in brackets names no column: the first line is a row like the rest.
    let no_name = |c: &GridCell| {
        c.text.matches('/').count() > 1 || c.text.starts_with('[') || !c.text.chars().any(char::is_alphanumeric)
    };
    if header.iter().any(no_name) && !corner {
        return Vec::new();
    }
    if header.iter().any(|c| c.text.len() > 40) || !corner && header.iter().any(digit) {
        return Vec::new();
    }
    header.iter_mut().for_each(|c| c.text = lexicon::spoken(&c.text));
    let right = vec![false; header.len()];
    let grid = Grid { header, rows, right, above: above.to_owned(), table: None };
    let mut found = table::read(&grid, at);
    for figure in &mut found {
        figure.measurement.evidence = FigureEvidence::Tool;
        for (key, value) in params {
            figure.measurement.params.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    found
}
