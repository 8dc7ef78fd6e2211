//! The shape of a text: what can be counted in it without understanding it, and the words that lead it.

use crate::extract::prose::{Kind, lines, offset, sentences, unmarked};

/// What a text consists of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// Words, parted by white space.
    pub words: usize,
    /// Sentences; known only where the text is nothing but paragraphs.
    pub sentences: Option<usize>,
    /// Headings, in order.
    pub headings: Vec<String>,
    /// List items.
    pub items: usize,
    /// Markdown tables.
    pub tables: usize,
    /// Fenced blocks.
    pub blocks: usize,
}

/// Counts what a text consists of.
pub fn shape(text: &str) -> Shape {
    let lines = lines(text);
    let mut shape = Shape { words: text.split_whitespace().count(), ..Shape::default() };
    let mut before = Kind::Blank;
    let mut fences = 0_usize;
    for line in &lines {
        match line.kind {
            Kind::Heading(_) => shape.headings.push(unmarked(line.text).trim_end_matches(':').to_owned()),
            Kind::Table if before != Kind::Table => shape.tables += 1,
            Kind::Code if line.text.starts_with("```") || line.text.starts_with("~~~") => fences += 1,
            kind if kind.is_item() => shape.items += 1,
            _ => {}
        }
        before = line.kind;
    }
    shape.blocks = fences.div_ceil(2);
    let plain = lines.iter().all(|l| matches!(l.kind, Kind::Text | Kind::Blank));
    shape.sentences =
        plain.then(|| text.split("\n\n").map(in_paragraph).sum()).filter(|n| *n > 0 && *n == marked(text));
    shape
}

/// Marks that end a sentence for certain: at the end of a paragraph, or with a capital or a digit behind them. Where they
/// differ from the sentences counted, the number is not known.
fn marked(text: &str) -> usize {
    let paragraphs = text.split("\n\n").map(str::trim).filter(|p| !p.is_empty());
    paragraphs
        .enumerate()
        .map(|(i, p)| {
            let words: Vec<&str> = p.split_whitespace().collect();
            let ends = |w: &str| w.ends_with(['.', '!', '?']);
            let begins = |w: &str| w.chars().find(|c| c.is_alphanumeric()).is_some_and(|c| !c.is_lowercase());
            usize::from(i == 0 || begins(words[0])) + words.windows(2).filter(|w| ends(w[0]) && begins(w[1])).count()
        })
        .sum()
}

/// Sentences of a paragraph; what a semicolon parts is one.
fn in_paragraph(text: &str) -> usize {
    let pieces = sentences(text);
    let parted = pieces.iter().rev().skip(1).filter(|p| p.ends_with(';')).count();
    pieces.len() - parted
}

/// The first line that says something in words: no heading, table or code, where there is another. A line that ends with
/// a colon brings the line behind it.
pub fn lead(text: &str) -> &str {
    let lines = lines(text);
    let said = |kinds: fn(Kind) -> bool| lines.iter().find(|l| kinds(l.kind) && !l.text.is_empty()).map(|l| l.text);
    let first = said(|k| k == Kind::Text)
        .or_else(|| said(|k| k.is_item() || k == Kind::Quote))
        .or_else(|| said(|k| matches!(k, Kind::Heading(_))))
        .or_else(|| said(|k| k != Kind::Blank))
        .unwrap_or_default();
    let from = offset(text, first);
    let rest = &text[from + first.len()..];
    let next = rest.trim_start();
    let next = &next[..next.find('\n').unwrap_or(next.len())];
    let goes_on = first.ends_with(':') && !next.is_empty() && !next.starts_with(['|', '`', '~', '<']);
    if goes_on { text[from..offset(text, next) + next.len()].trim_end() } else { first }
}

/// The question that a text ends with.
pub fn closing_question(text: &str) -> Option<&str> {
    let last = lines(text).into_iter().rev().find(|l| l.kind != Kind::Blank)?;
    if last.kind == Kind::Code || last.kind == Kind::Table {
        return None;
    }
    let said = sentences(last.text).into_iter().rfind(|s| s.chars().any(char::is_alphanumeric))?;
    said.trim_end_matches(['*', '_', '`', ')', ' ']).ends_with('?').then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_a_text_consists_of() {
        let made = shape("# Top\n\nOne. Two; three.\n\n- a\n- b\n\n| x |\n|---|\n| 1 |\n\n```\ncode\n```\n");
        assert_eq!((made.headings, made.items, made.tables, made.blocks), (vec!["Top".to_owned()], 2, 1, 1));
        assert_eq!(made.sentences, None);
        assert_eq!(shape("One. Two; three.\n\nFour?").sentences, Some(3));
        assert_eq!(shape("One. Two; three.\n\nFour?").words, 4);
        assert_eq!(shape("it is e.g. so? why not").sentences, None);
        assert_eq!(shape(""), Shape::default());
    }

    #[test]
    fn leads_with_words() {
        assert_eq!(lead("## Title\n\n| a |\n|---|\n\nIt works now. More."), "It works now. More.");
        assert_eq!(lead("## Title\n- first"), "first");
        assert_eq!(lead("```\nls\n```"), "```");
        assert_eq!(lead(""), "");
        assert_eq!(lead("Do this:\n\n1. Wait\n2. Go"), "Do this:\n\n1. Wait");
        assert_eq!(lead("See:\n| a |\n"), "See:");
    }

    #[test]
    fn ends_with_a_question_or_not() {
        assert_eq!(closing_question("Done. **Shall I go on?**\n"), Some("**Shall I go on?"));
        assert_eq!(closing_question("Shall I? Yes."), None);
        assert_eq!(closing_question("```\nwhy?\n```"), None);
        assert_eq!(closing_question(""), None);
    }
}
