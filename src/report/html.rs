//! From our Markdown to a page: what comes from input stays text, figures and foldable blocks are put in by us.

use std::collections::BTreeMap;

use base64::Engine as _;
use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::chart::Figure;
use super::engine::Engine;
use crate::error::Error;
use crate::session::visible;

/// Lines of a block that is shown open; longer ones fold.
const OPEN_LINES: usize = 14;

#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    style: &'a str,
    style_hash: String,
    nav: Vec<NavItem>,
    body: String,
}

#[derive(Debug, PartialEq, Serialize)]
struct NavItem {
    id: String,
    text: String,
}

/// The Markdown extensions that our documents use.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH
}

/// A whole page from a document; figures are put in place of the pictures that name them.
pub fn page(engine: &Engine, title: &str, markdown: &str, figures: &[Figure]) -> Result<String, Error> {
    let style = engine.text("style.css")?;
    let style_hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(style.as_bytes()));
    let (body, nav) = body(markdown, figures);
    let title = &visible(title);
    engine.render("page.html", &Page { title, style: &style, style_hash, nav, body })
}

fn body(markdown: &str, figures: &[Figure]) -> (String, Vec<NavItem>) {
    let figures: BTreeMap<String, &Figure> = figures.iter().map(|f| (f.path.clone(), f)).collect();
    let mut writer = Writer {
        figures,
        events: Vec::new(),
        nav: Vec::new(),
        links: Vec::new(),
        skip_image: 0,
        cited: false,
        in_diff: false,
        align: Vec::new(),
        column: 0,
        cell: "td",
    };
    let events: Vec<Event<'_>> = Parser::new_ext(markdown, options()).collect();
    for (i, event) in events.iter().enumerate() {
        writer.take(event.clone(), &events[i + 1..]);
    }
    let mut out = String::new();
    html::push_html(&mut out, writer.events.into_iter());
    (out, writer.nav)
}

struct Writer<'a> {
    figures: BTreeMap<String, &'a Figure>,
    events: Vec<Event<'a>>,
    nav: Vec<NavItem>,
    /// For each open link whether it is kept.
    links: Vec<bool>,
    /// Open pictures; what stands inside is their description, which the figure has itself.
    skip_image: usize,
    /// Among the cited messages, whose long blocks fold; the blocks of a section are what it tells.
    cited: bool,
    /// Inside a block that tells a change line by line.
    in_diff: bool,
    /// Of the table being written: alignment of its columns, the next column, and the tag of its cells.
    align: Vec<Alignment>,
    column: usize,
    cell: &'static str,
}

impl<'a> Writer<'a> {
    fn take(&mut self, event: Event<'a>, rest: &[Event<'a>]) {
        if self.skip_image > 0 && !matches!(event, Event::End(TagEnd::Image) | Event::Start(Tag::Image { .. })) {
            return;
        }
        match event {
            // Raw HTML is never ours: all of it is text.
            Event::Html(text) | Event::InlineHtml(text) => self.events.push(Event::Text(text)),
            Event::Start(Tag::HtmlBlock) => self.events.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => self.events.push(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Heading { level, .. }) => self.heading(level, &heading_text(rest)),
            Event::Start(Tag::Image { dest_url, .. }) => self.image(&dest_url),
            Event::End(TagEnd::Image) => self.skip_image = self.skip_image.saturating_sub(1),
            Event::Start(Tag::Link { dest_url, .. }) => self.link(dest_url),
            Event::End(TagEnd::Link) => {
                if self.links.pop().unwrap_or(false) {
                    self.events.push(Event::End(TagEnd::Link));
                }
            }
            Event::Start(tag @ (Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell)) => self.table(&tag),
            Event::End(tag @ (TagEnd::Table | TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell)) => {
                self.table_end(&tag);
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(lang))) if lang.as_ref() == "diff" => {
                self.in_diff = true;
                self.html("<pre class=\"diff\"><code>".into());
            }
            Event::End(TagEnd::CodeBlock) if self.in_diff => {
                self.in_diff = false;
                self.html("</code></pre>\n".into());
            }
            Event::Text(text) if self.in_diff => self.changed_lines(&text),
            Event::Start(Tag::CodeBlock(_)) => {
                let lines = block_lines(rest);
                let folds = self.cited && lines > OPEN_LINES;
                if folds {
                    self.html(format!("<details><summary>{lines} lines</summary>\n"));
                }
                self.events.push(Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)));
                self.links.push(folds);
            }
            Event::End(TagEnd::CodeBlock) => {
                self.events.push(Event::End(TagEnd::CodeBlock));
                if self.links.pop().unwrap_or(false) {
                    self.html("</details>\n".into());
                }
            }
            other => self.events.push(other),
        }
    }

    /// Lines of a change, each by its sign in a colour of its own.
    fn changed_lines(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            let class = match line.as_bytes().first() {
                Some(b'+') => "add",
                Some(b'-') => "del",
                _ => "mod",
            };
            self.html(format!("<span class=\"{class}\">"));
            self.events.push(Event::Text(line.to_owned().into()));
            self.html("</span>".into());
        }
    }

    /// Tables are written here, since the usual writer aligns cells by a style attribute, which the page's policy blocks.
    fn table(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Table(align) => {
                self.align.clone_from(align);
                self.html("<div class=\"scroll\"><table>".into());
            }
            Tag::TableHead => {
                (self.column, self.cell) = (0, "th");
                self.html("<thead><tr>".into());
            }
            Tag::TableRow => {
                (self.column, self.cell) = (0, "td");
                self.html("<tr>".into());
            }
            _ => {
                let right = self.align.get(self.column) == Some(&Alignment::Right);
                self.column += 1;
                self.html(format!("<{}{}>", self.cell, if right { " class=\"right\"" } else { "" }));
            }
        }
    }

    fn table_end(&mut self, tag: &TagEnd) {
        self.html(match tag {
            TagEnd::Table => "</tbody></table></div>\n".into(),
            TagEnd::TableHead => "</tr></thead><tbody>\n".into(),
            TagEnd::TableRow => "</tr>\n".into(),
            _ => format!("</{}>", self.cell),
        });
    }

    fn html(&mut self, text: String) {
        self.events.push(Event::Html(text.into()));
    }

    fn heading(&mut self, level: HeadingLevel, text: &str) {
        let id = slug(text);
        self.cited = level == HeadingLevel::H4;
        if level == HeadingLevel::H2 {
            self.nav.push(NavItem { id: id.clone(), text: text.to_string() });
        }
        let tag =
            Tag::Heading { level, id: (!id.is_empty()).then(|| id.into()), classes: Vec::new(), attrs: Vec::new() };
        self.events.push(Event::Start(tag));
    }

    fn image(&mut self, path: &str) {
        self.skip_image += 1;
        if let Some(figure) = self.figures.get(path) {
            self.events.push(Event::InlineHtml(format!("<figure>{}</figure>", figure.svg).into()));
        }
    }

    /// Links stay when they lead inside the page or name their target openly.
    fn link(&mut self, dest_url: CowStr<'a>) {
        let clean: String = dest_url.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
        let lower = clean.to_ascii_lowercase();
        let keep = ["#", "https://", "http://", "mailto:"].iter().any(|p| lower.starts_with(p)) || is_relative(&lower);
        self.links.push(keep);
        if keep {
            let tag =
                Tag::Link { link_type: LinkType::Inline, dest_url: clean.into(), title: "".into(), id: "".into() };
            self.events.push(Event::Start(tag));
        }
    }
}

/// A path below this page, such as the index has for each report.
fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '\\', '.']) && !path.contains(':')
}

fn heading_text(rest: &[Event<'_>]) -> String {
    let inside = rest.iter().take_while(|e| !matches!(e, Event::End(TagEnd::Heading(_))));
    inside
        .filter_map(|e| match e {
            Event::Text(t) | Event::Code(t) => Some(t.as_ref()),
            _ => None,
        })
        .collect()
}

fn block_lines(rest: &[Event<'_>]) -> usize {
    let inside = rest.iter().take_while(|e| !matches!(e, Event::End(TagEnd::CodeBlock)));
    inside.map(|e| if let Event::Text(t) = e { t.matches('\n').count() } else { 0 }).sum()
}

/// Id of a heading as GitHub makes it: lower case, blanks to `-`, marks dropped.
pub(crate) fn slug(text: &str) -> String {
    let kept = text.to_lowercase();
    kept.chars()
        .filter_map(|c| match c {
            ' ' | '-' => Some('-'),
            c if c.is_alphanumeric() || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(markdown: &str) -> String {
        body(markdown, &[]).0
    }

    #[test]
    fn raw_html_is_text() {
        let out = html("a <b onclick=x>b</b>\n\n<script>alert(1)</script>\n\n<!-- c -->");
        assert!(!out.contains("<script") && !out.contains("<b ") && !out.contains("<!--"), "{out}");
        assert!(out.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{out}");
    }

    #[test]
    fn links_to_scripts_files_and_other_hosts_by_scheme_relative_address_are_text() {
        for bad in [
            "javascript:alert(1)",
            "java&#10;script:alert(1)",
            "//evil.example",
            "file:///etc/passwd",
            "data:text/html,x",
        ] {
            let out = html(&format!("[x](<{bad}>)"));
            assert!(!out.contains("<a"), "{bad}: {out}");
        }
        assert!(html("[x](#msg-1)").contains("<a href=\"#msg-1\">"));
        assert!(html("[x](a-1/index.html)").contains("<a href=\"a-1/index.html\">"));
        assert!(!html("![x](http://a.example/p.png)").contains("<img"));
    }

    #[test]
    fn cells_are_aligned_by_class() {
        let out = html("| a | b |\n|---|--:|\n| x | 1 |");
        assert!(
            out.contains("<th>a</th><th class=\"right\">b</th>") && out.contains("<td class=\"right\">1</td>"),
            "{out}"
        );
        assert!(!out.contains("style="), "{out}");
    }

    #[test]
    fn headings_get_ids_and_long_blocks_fold() {
        let (out, nav) = body("## Plan history\n\n#### msg-340-s1-3\n", &[]);
        assert!(out.contains("<h4 id=\"msg-340-s1-3\">"), "{out}");
        assert!(html("# :\\*\\*").contains("<h1>"), "an id of nothing is no id");
        assert_eq!(nav, [NavItem { id: "plan-history".into(), text: "Plan history".into() }]);
        let long = format!("```text\n{}```", "x\n".repeat(20));
        assert!(html(&format!("#### msg-3\n\n{long}")).contains("<details><summary>20 lines</summary>"));
        assert!(!html("#### msg-3\n\n```text\nx\n```").contains("<details>"));
        assert!(!html(&format!("#### msg-3\n\n## Plan\n\n{long}")).contains("<details>"));
    }
}
