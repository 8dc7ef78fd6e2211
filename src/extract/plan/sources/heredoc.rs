//! Files that a shell command writes whole: `cat > PLAN.md <<'EOF'`.

use std::sync::LazyLock;

use regex::Regex;

/// One file that a here-document writes.
#[derive(Debug, PartialEq)]
pub(super) struct Heredoc<'a> {
    pub(super) path: &'a str,
    pub(super) append: bool,
    pub(super) body: &'a str,
}

static OPENING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:^|[;&]\s*)cat\s*(?:(>>?)\s*["']?([^\s"'<>|;&]+)["']?\s*)?<<\s*(["']?)(\w+)["']?\s*(?:(>>?)\s*["']?([^\s"'<>|;&]+)["']?\s*)?$"#)
        .expect("a constant pattern compiles")
});

static TEE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:^|[;&|]\s*)(?:sudo\s+)?tee\s+(-a\s+)?["']?([^\s"'<>|;&]+)["']?\s*(?:>\s*/dev/null\s*)?<<\s*(["']?)(\w+)["']?\s*(?:>\s*/dev/null\s*)?$"#)
        .expect("a constant pattern compiles")
});

static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:^|[;&|]\s*)(?:\S*/)?python[\d.]*\s+(?:-\s*)?<<\s*(["']?)(\w+)["']?\s*$"#)
        .expect("a constant pattern compiles")
});

/// The line that opens a here-document: what it writes to, and the word that ends it.
struct Opened<'a> {
    /// It is the script of a Python run.
    python: bool,
    path: Option<&'a str>,
    append: bool,
    quoted: bool,
    end: &'a str,
}

fn opened(line: &str) -> Option<Opened<'_>> {
    let groups = |pattern: &Regex| {
        let found = pattern.captures(line)?;
        Some([1, 2, 3, 4, 5, 6].map(|n| found.get(n).map(|m| m.as_str())))
    };
    if let Some(found) = PYTHON.captures(line) {
        let (quote, end) = (found.get(1)?.as_str(), found.get(2)?.as_str());
        return Some(Opened { python: true, path: None, append: false, quoted: !quote.is_empty(), end });
    }
    let (found, by_tee) = groups(&OPENING).map(|g| (g, false)).or_else(|| groups(&TEE).map(|g| (g, true)))?;
    let [before, path, quote, end, behind, other] = found;
    let append = if by_tee { before.is_some() } else { before.or(behind) == Some(">>") };
    Some(Opened { python: false, path: path.or(other), append, quoted: quote != Some(""), end: end? })
}

/// The files that the here-documents of a script write. A body in which the shell may expand something is passed over.
pub(super) fn heredocs(script: &str) -> Vec<Heredoc<'_>> {
    let written = documents(script).into_iter();
    written.filter_map(|(opened, body)| Some(Heredoc { path: opened.path?, append: opened.append, body })).collect()
}

/// The scripts that here-documents give to Python.
pub(super) fn python(script: &str) -> Vec<&str> {
    documents(script).into_iter().filter(|(opened, _)| opened.python).map(|(_, body)| body).collect()
}

/// The here-documents of a script whose body the shell leaves as it stands.
fn documents(script: &str) -> Vec<(Opened<'_>, &str)> {
    let mut out = Vec::new();
    if !script.contains("<<") {
        return out;
    }
    let mut at = 0;
    while let Some(line) = script[at..].split_inclusive('\n').next() {
        at += line.len();
        let Some(opened) = opened(line.trim_end()) else { continue };
        let start = at;
        let mut end = None;
        for inner in script[start..].split_inclusive('\n') {
            at += inner.len();
            if inner.trim_end_matches('\n') == opened.end {
                end = Some(at - inner.len());
                break;
            }
        }
        let Some(end) = end else { continue };
        let body = &script[start..end];
        if opened.quoted || !body.contains(['$', '`', '\\']) {
            out.push((opened, body));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_here_document_writes_its_file() {
        let script = "mkdir -p d && cat > d/PLAN.md <<'EOF'\n- [ ] paint $x\nEOF\ncat <<E >> TODO.md\n- [x] dry\nE\n";
        let path = |h: &Heredoc<'_>| (h.path.to_owned(), h.append, h.body.to_owned());
        let found: Vec<_> = heredocs(script).iter().map(path).collect();
        let first = ("d/PLAN.md".to_owned(), false, "- [ ] paint $x\n".to_owned());
        assert_eq!(found, [first, ("TODO.md".to_owned(), true, "- [x] dry\n".to_owned())]);
    }

    #[test]
    fn tee_writes_its_file_too() {
        let found = heredocs("tee PLAN.md <<'EOF'\n- [ ] dig\nEOF\ntee -a PLAN.md > /dev/null <<E\n- [ ] fill\nE\n");
        let read: Vec<_> = found.iter().map(|h| (h.path, h.append, h.body)).collect();
        assert_eq!(read, [("PLAN.md", false, "- [ ] dig\n"), ("PLAN.md", true, "- [ ] fill\n")]);
    }

    #[test]
    fn an_expanded_or_unended_body_is_passed_over() {
        assert_eq!(heredocs("cat > PLAN.md <<EOF\n- [ ] $x\nEOF\n"), []);
        assert_eq!(heredocs("cat > PLAN.md <<'EOF'\n- [ ] paint\n"), []);
    }
}
