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

/// The files that the here-documents of a script write. A body in which the shell may expand something is passed over.
pub(super) fn heredocs(script: &str) -> Vec<Heredoc<'_>> {
    let mut out = Vec::new();
    if !script.contains("<<") {
        return out;
    }
    let mut at = 0;
    while let Some(line) = script[at..].split_inclusive('\n').next() {
        at += line.len();
        let Some(found) = OPENING.captures(line.trim_end()) else { continue };
        let text = |n: usize| found.get(n).map(|m| m.as_str());
        let start = at;
        let mut end = None;
        for inner in script[start..].split_inclusive('\n') {
            at += inner.len();
            if Some(inner.trim_end_matches('\n')) == text(4) {
                end = Some(at - inner.len());
                break;
            }
        }
        let (Some(end), Some(path)) = (end, text(2).or(text(6))) else { continue };
        let body = &script[start..end];
        if text(3) != Some("") || !body.contains(['$', '`', '\\']) {
            let append = text(1).or(text(5)) == Some(">>");
            out.push(Heredoc { path, append, body });
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
    fn an_expanded_or_unended_body_is_passed_over() {
        assert_eq!(heredocs("cat > PLAN.md <<EOF\n- [ ] $x\nEOF\n"), []);
        assert_eq!(heredocs("cat > PLAN.md <<'EOF'\n- [ ] paint\n"), []);
    }
}
