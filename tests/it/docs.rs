//! The documentation's commands do what it says they do.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Commands of the `console` blocks with the output that is printed below them; a line `…` stands for any lines.
fn examples(markdown: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            found.push((command.to_string(), Vec::new()));
        } else if inside {
            found.last_mut().expect("a block starts with a command").1.push(line.to_string());
        }
    }
    found
}

/// Words of a command; double and single quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ') => words.push(String::new()),
            (_, c) => words.last_mut().unwrap().push(c),
        }
    }
    words
}

fn matches(expected: &[String], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == "…" => (0..=printed.len()).any(|n| matches(rest, &printed[n..])),
        Some((line, rest)) => {
            printed.first().is_some_and(|p| p.trim_end() == line.trim_end()) && matches(rest, &printed[1..])
        }
    }
}

#[test]
fn every_example_of_the_documentation_prints_what_it_shows() {
    let mut pages = vec![root().join("README.md")];
    pages.extend(fs::read_dir(root().join("docs")).unwrap().map(|e| e.unwrap().path()));
    pages.retain(|p| p.extension().is_some_and(|e| e == "md"));
    pages.sort();
    let mut ran = 0;
    for page in pages {
        for (command, mut expected) in examples(&fs::read_to_string(&page).unwrap()) {
            let words = words(&command);
            assert_eq!(words[0], "turnpoint", "{}: {command}", page.display());
            if !cfg!(feature = "polars") && words[1] == "query" {
                continue;
            }
            let run = Command::cargo_bin("turnpoint").unwrap().current_dir(root()).args(&words[1..]).output().unwrap();
            let printed = String::from_utf8(run.stdout).unwrap();
            while expected.last().is_some_and(|l| l.is_empty()) {
                expected.pop();
            }
            let lines: Vec<&str> = printed.trim_end().lines().collect();
            assert!(matches(&expected, &lines), "{}: $ {command}\nprinted:\n{printed}", page.display());
            ran += 1;
        }
    }
    assert!(ran >= if cfg!(feature = "polars") { 4 } else { 3 }, "only {ran} examples found");
}

#[test]
fn the_readme_names_every_command() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let help = Command::cargo_bin("turnpoint").unwrap().arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands =
        help.lines().skip_while(|l| !l.starts_with("Commands:")).skip(1).take_while(|l| !l.trim().is_empty());
    // Lines that go on with a description stand further in.
    let names = commands.filter(|l| !l.starts_with("   ")).filter_map(|l| l.split_whitespace().next());
    for command in names.filter(|c| *c != "help") {
        assert!(readme.contains(&format!("`{command}`")), "README does not name `{command}`");
    }
}

/// Every test that the lists of traps and of promises name stands in the code.
#[test]
fn traps_name_tests_that_exist() {
    let mut code = String::new();
    let mut folders = vec![root().join("src"), root().join("tests/it")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|e| e == "rs") => code += &fs::read_to_string(path).unwrap(),
                false => {}
            }
        }
    }
    for (page, start, least) in
        [("docs/formats.md", "| trap | test |", 90), ("docs/damaged-input.md", "| promise | tests |", 30)]
    {
        let page = fs::read_to_string(root().join(page)).unwrap();
        let (_, list) = page.split_once(start).expect("the list");
        let tests = list.lines().filter_map(|l| l.split(" | ").nth(1)).flat_map(|l| l.split('`').skip(1).step_by(2));
        let named: Vec<&str> = tests.filter(|test| *test != "faults").collect();
        assert!(named.len() > least, "{named:?}");
        for test in named {
            let is_there = ["()", "(session"].iter().any(|rest| code.contains(&format!("fn {test}{rest}")));
            assert!(is_there, "no test {test}");
        }
    }
}

/// The list of kinds of trouble is that of the code, neither more nor less.
#[test]
fn every_kind_of_trouble_is_documented() {
    let page = fs::read_to_string(root().join("docs/damaged-input.md")).unwrap();
    let (_, list) = page.split_once("| kind | what was met, and what is done |").expect("the list of kinds");
    let rows = list.lines().skip(2).take_while(|l| l.starts_with('|'));
    let mut listed: Vec<&str> =
        rows.filter_map(|l| l.split(" | ").next()).flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let mut known: Vec<&str> = turnpoint::diag::Trouble::ALL.iter().map(|t| t.word()).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}
