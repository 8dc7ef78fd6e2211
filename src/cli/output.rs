//! Printing: tables for people, CSV, JSON and NDJSON for programs.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::exit::usage;
use crate::error::Error;
use crate::session::visible_json;

/// How a list of what the program knows is printed.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(crate) enum Style {
    #[default]
    Table,
    Json,
}

/// Writes to standard output in one go.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    write_out(&[text.as_bytes()])
}

/// Writes bytes and a line feed to standard output.
pub(crate) fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    write_out(&[bytes, b"\n"])
}

fn write_out(pieces: &[&[u8]]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    pieces
        .iter()
        .try_for_each(|p| out.write_all(p))
        .and_then(|()| out.flush())
        .map_err(|source| Error::Write { path: "standard output".into(), source }.into())
}

/// Prints a value as pretty JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value).context("cannot form JSON")?;
    print(&(visible_json(&text).into_owned() + "\n"))
}

/// Refuses to write over an input.
pub(crate) fn refuse_input(output: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
    let real = |path: &Path| fs::canonicalize(path).ok();
    match real(output) {
        Some(place) if inputs.iter().any(|input| real(input).as_ref() == Some(&place)) => {
            Err(usage(format!("{} is an input; choose another file for the output", output.display())))
        }
        _ => Ok(()),
    }
}

/// Writes a file whole: beside its place under a temporary name, flushed, then renamed.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let error = |source: io::Error| Error::Write { path: path.into(), source };
    // A link is followed, so that its target is replaced and not the link; a device or pipe is written to as it is.
    let real = fs::canonicalize(path);
    let path = real.as_deref().unwrap_or(path);
    if path.metadata().is_ok_and(|m| !m.is_file()) {
        return fs::OpenOptions::new().write(true).open(path).and_then(|mut f| f.write_all(bytes)).map_err(error);
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(folder).map_err(error)?;
    let mut temp = crate::temp::File::new_in(folder).map_err(error)?;
    let file = temp.file();
    file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| make_readable(file)).map_err(error)?;
    temp.persist(path).map_err(error)
}

/// Makes a folder and those above it; says what stands in the way.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    match folder.ancestors().find(|p| p.exists()) {
        Some(file) if !file.is_dir() => {
            let reason = format!("{} is a file, and a folder is needed there; name another place", file.display());
            Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
        }
        _ => fs::create_dir_all(folder),
    }
}

/// Temporary files are private; what is put in place gets the usual mode.
#[cfg(unix)]
fn make_readable(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &fs::File) -> io::Result<()> {
    Ok(())
}

/// A table for people: columns aligned by display width, nothing hidden, each row on one line unless the terminal is
/// narrower. Without a terminal nothing is cut or wrapped, so that the output is the same everywhere.
pub(crate) fn grid(header: &[&str], rows: &[Vec<String>]) -> String {
    aligned(header, rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()))
}

/// A table as [`grid`] makes it, with a line below each row for its last cell, which is long.
pub(crate) fn grid_with_lines(header: &[&str], rows: &[Vec<String>]) -> String {
    let two = |row: &Vec<String>| {
        let mut cells: Vec<String> = row.iter().map(|cell| one_line(cell)).collect();
        let below = cells.pop().unwrap_or_default();
        if let Some(last) = cells.last_mut() {
            last.push_str(&format!("\n{below}"));
        }
        cells
    };
    aligned(header, rows.iter().map(two))
}

fn aligned(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.iter().copied());
    table.add_rows(rows);
    match terminal_width() {
        Some(width) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(4)));
    }
    let mut out = String::new();
    for line in table.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A Markdown table; cells are shown with nothing hidden and with `|` escaped.
pub(crate) fn markdown(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = format!("| {} |\n|{}\n", header.join(" | "), "---|".repeat(header.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| crate::report::text::cell(cell)).collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out
}

/// Text on one line, with nothing hidden in it.
pub(crate) fn one_line(text: &str) -> String {
    crate::report::text::plain(text)
}

/// A name from the transcript as a heading: with a mark of Markdown before it nothing in it stays active.
pub(crate) fn heading(text: &str, mark: &str) -> String {
    if mark.is_empty() { one_line(text) } else { format!("{mark}{}", crate::report::text::cell(text)) }
}

/// Columns of the terminal that standard output goes to.
pub(crate) fn terminal_width() -> Option<u16> {
    if !io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| width.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_table_stand_in_line_whatever_the_cells_hold() {
        // Columns that each text takes, counted by hand; the widest is the joiner's, which is shown as it is written.
        let texts = [
            ("fix", 3),
            ("a 🚒 b", 6),
            ("👩\u{200D}🚒", 12),
            ("👍🏽", 2),
            ("🇩🇪", 2),
            ("❤\u{FE0F}", 2),
            ("Cafe\u{301}", 4),
            ("調査", 4),
        ];
        let rows: Vec<Vec<String>> = texts.iter().map(|(text, _)| vec![(*text).into(), "|".into()]).collect();
        let table = grid(&["item", "end"], &rows);
        for (line, (text, columns)) in table.lines().skip(1).zip(texts) {
            let filled = format!("{}{}|", one_line(text), " ".repeat(12 - columns + 2));
            assert_eq!(line, filled, "{table}");
        }
    }
}
