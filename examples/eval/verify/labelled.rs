//! `verify` against labels: the two seed articles sentence by sentence, and articles written by hand in other wording.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::source;
use turnpoint::verify::{Statement, Verdict, Verification, Verifier};

use crate::gold::{Error, Score, shared, text};

fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))
}

fn session(path: &Path) -> Result<Analysis, Error> {
    let found = source::discover(&[path.to_owned()]);
    let group = found.groups.first().ok_or_else(|| format!("{}: no session", path.display()))?;
    let session = source::load(group, None)?.into_iter().next().ok_or("no session")?;
    Ok(analyse(session, &Config::default(), false))
}

/// What `verify` says of the sentence that holds a statement of `fixtures/seed-statements.jsonl`: contradicted when one of
/// the sentence's statements of that kind is, or any where none is of that kind.
pub(crate) fn seeds(verbose: bool) -> Result<(), Error> {
    let rows = std::fs::read_to_string(fixtures().join("seed-statements.jsonl"))?;
    let rows: Vec<serde_json::Value> = rows.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut verified: BTreeMap<String, Verification> = BTreeMap::new();
    let mut errors: BTreeMap<String, bool> = BTreeMap::new();
    let (mut truths, mut wrong, mut supported) = (0, 0, 0);
    for row in &rows {
        let article = text(row, "article");
        if !verified.contains_key(article) {
            let markdown = std::fs::read_to_string(shared().join("seeds").join(article))?;
            let analysis = session(&fixtures().join(text(row, "session")))?;
            verified.insert(article.to_owned(), Verifier::new(&analysis).verify(&markdown));
        }
        let found = sentence(&verified[article], row);
        let contradicted = found.iter().any(|s| s.verdict == Verdict::Contradicted);
        if row["true"] == true {
            // Several statements can share a sentence; one of them that is false must not count against the others.
            let shares =
                rows.iter().any(|r| r["true"] == false && r["article"] == row["article"] && r["line"] == row["line"]);
            truths += 1;
            supported += usize::from(found.iter().any(|s| s.verdict == Verdict::Supported));
            if contradicted && !shares {
                wrong += 1;
                println!("  true, called contradicted: line {} {}", row["line"], text(row, "text"));
            }
        } else if let Some(error) = row["error"].as_str() {
            *errors.entry(error.to_owned()).or_default() |= contradicted;
        }
        if verbose && row["true"] == true && !found.iter().any(|s| s.verdict == Verdict::Supported) {
            println!("  true, not decided: line {} {}", row["line"], text(row, "text"));
        }
    }
    let flagged: Vec<&str> = errors.iter().filter(|e| *e.1).map(|e| e.0.as_str()).collect();
    let missed: Vec<&str> = errors.iter().filter(|e| !*e.1).map(|e| e.0.as_str()).collect();
    println!("seed articles: {} statements", rows.len());
    println!("  errors flagged: {} ({}); not flagged: {}", flagged.len(), flagged.join(" "), missed.join(" "));
    println!("  true statements: {truths}, {supported} in a sentence with support, {wrong} called contradicted");
    Ok(())
}

fn sentence<'a>(found: &'a Verification, row: &serde_json::Value) -> Vec<&'a Statement> {
    let line = row["line"].as_u64().unwrap_or(0) as usize;
    let words = |t: &str| t.replace(['`', '*'], "");
    found.statements.iter().filter(|s| s.line == line && words(&s.text).contains(&words(text(row, "find")))).collect()
}

/// Articles of `fixtures/articles/` whose first line names the session and the lines that are wrong:
/// `<!-- session: glm-session.json; wrong: 4, 9 -->`.
pub(crate) fn articles(verbose: bool) -> Result<(), Error> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(fixtures().join("articles"))?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|p| p.extension().is_some_and(|e| e == "md"));
    paths.sort();
    let (mut score, mut read, mut supported, mut all) = (Score::default(), 0, 0, 0);
    for path in paths {
        let markdown = std::fs::read_to_string(&path)?;
        let Some(head) = markdown.lines().next().and_then(|l| l.strip_prefix("<!-- session: ")) else { continue };
        let (name, wrong) = head.trim_end_matches(" -->").split_once("; wrong:").ok_or("no `wrong:`")?;
        let wrong: Vec<usize> = wrong.split(',').filter_map(|n| n.trim().parse().ok()).collect();
        let analysis = session(&fixtures().join(name))?;
        let found = Verifier::new(&analysis).verify(&markdown);
        read += 1;
        all += found.statements.len();
        supported += found.count(Verdict::Supported);
        let mut lines: Vec<usize> =
            found.statements.iter().filter(|s| s.verdict == Verdict::Contradicted).map(|s| s.line).collect();
        lines.dedup();
        score.gold += wrong.len();
        score.said += lines.len();
        score.hit += lines.iter().filter(|l| wrong.contains(l)).count();
        if verbose {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            for s in found.statements.iter().filter(|s| s.verdict == Verdict::Contradicted && !wrong.contains(&s.line))
            {
                println!("  {file}:{} true, called contradicted: {} | {}", s.line, s.reason, s.text);
            }
            for l in wrong.iter().filter(|l| !lines.contains(l)) {
                println!("  {file}:{l} wrong, not found: {}", markdown.lines().nth(l - 1).unwrap_or(""));
            }
        }
    }
    score.print(&format!("contradicted, {read} articles"));
    println!("  {all} statements, {supported} supported");
    Ok(())
}
