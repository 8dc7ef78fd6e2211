//! Charts as files, and that they say what the text says.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use regex::Regex;

fn report(args: &[&str], into: &Path) -> assert_cmd::assert::Assert {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::cargo_bin("turnpoint").unwrap();
    command.current_dir(root).env("HOME", into).arg("report").arg("fixtures/glm-session.json").args(args);
    command.arg("-o").arg(into).assert()
}

/// The only report in a folder.
fn folder(dir: &Path) -> PathBuf {
    let mut found = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir());
    let one = found.next().unwrap();
    assert_eq!(found.next(), None);
    one
}

fn charts(report: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |path: PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap());
    let mut all: Vec<_> = fs::read_dir(report.join("charts")).unwrap().map(|e| read(e.unwrap().path())).collect();
    all.sort();
    all
}

#[test]
fn numbers_in_pictures_stand_in_the_text() {
    let dir = tempfile::tempdir().unwrap();
    report(&["--full"], dir.path()).success();
    let folder = folder(dir.path());
    let markdown = fs::read_to_string(folder.join("report.md")).unwrap();
    let text = Regex::new(r"<text [^>]*>([^<]*)</text>").unwrap();
    // Marks on axes are whole percentages, or have no unit.
    let figure = Regex::new(r"[0-9][0-9.,]*(?: [A-Za-z]+/s| ms| GB)\b|[0-9]+\.[0-9]+ %").unwrap();
    let mut seen = 0;
    for (name, svg) in charts(&folder) {
        let svg = String::from_utf8(svg).unwrap();
        for text in text.captures_iter(&svg) {
            for figure in figure.find_iter(&text[1]) {
                assert!(markdown.contains(figure.as_str()), "{name}: {} is not in the text", figure.as_str());
                seen += 1;
            }
        }
    }
    assert!(seen > 10, "{seen} figures in the pictures");
}

#[cfg(feature = "png")]
#[test]
fn pictures_are_written_as_png_with_the_same_bytes() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    report(&["--charts", "png"], a.path()).success();
    report(&["--charts", "svg,png"], b.path()).success();
    let (only, both) = (folder(a.path()), folder(b.path()));
    let (png, all) = (charts(&only), charts(&both));
    assert!(png.len() > 1 && png.iter().all(|(name, bytes)| name.ends_with(".png") && bytes.starts_with(b"\x89PNG")));
    let of = |kind: &str| all.iter().filter(|(name, _)| name.ends_with(kind)).cloned().collect::<Vec<_>>();
    assert_eq!(of(".png"), png);
    assert_eq!(of(".svg").len(), png.len());
    let text = |folder: &Path| fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(text(&only).contains(".png)") && !text(&only).contains(".svg)"));
    assert!(text(&both).contains(".svg)") && !text(&both).contains(".png)"));
    let page = fs::read_to_string(only.join("index.html")).unwrap();
    assert_eq!(page.matches("<figure>").count(), png.len(), "a page holds its pictures itself");
}

#[cfg(not(feature = "png"))]
#[test]
fn a_build_without_png_says_how_to_get_it() {
    let dir = tempfile::tempdir().unwrap();
    report(&["--charts", "svg,png"], dir.path()).code(2).stderr(predicates::str::contains("--features png"));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
