//! An escaped SVG element writer with fixed decimals.
//!
//! Colours are presentation attributes, so that a picture stands alone; every coloured mark also has a class, by which
//! the page's style sheet recolours it in the dark. No script, no style attribute.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

pub(super) use super::fit::{shorten, width, wrap};
use crate::session::visible;

/// A colour with its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ink(pub(super) &'static str, pub(super) &'static str);

pub(super) const TEXT: Ink = Ink("c-ink", "#1b1f24");
pub(super) const SOFT: Ink = Ink("c-soft", "#57606a");
pub(super) const GRID: Ink = Ink("c-line", "#d0d7de");
pub(super) const PAPER: Ink = Ink("c-paper", "#ffffff");
pub(super) const MEASURED: Ink = Ink("c-measured", "#0072b2");
pub(super) const LIMIT: Ink = Ink("c-limit", "#d55e00");
pub(super) const BASELINE: Ink = Ink("c-baseline", "#767676");
pub(super) const FLAGGED: Ink = Ink("c-flagged", "#b4507f");
pub(super) const TARGET: Ink = Ink("c-target", "#009e73");
const HATCHED: Ink = Ink("c-hatch", "#ffffff");
/// Series, in order; each also has its own mark.
pub(super) const SERIES: [Ink; 6] =
    [MEASURED, TARGET, FLAGGED, Ink("c-brown", "#8c6d00"), BASELINE, Ink("c-ink", "#1b1f24")];

/// Where a text is anchored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Lines over an area, which tell it from others without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hatch {
    Rising,
    Crossed,
    Dots,
}

impl Hatch {
    fn id(self) -> &'static str {
        match self {
            Self::Rising => "rising",
            Self::Crossed => "crossed",
            Self::Dots => "dots",
        }
    }

    /// A tile of the pattern, eight units wide.
    fn tile(self) -> &'static str {
        match self {
            Self::Rising => "<path d=\"M-2,6 L6,-2 M2,10 L10,2\"",
            Self::Crossed => "<path d=\"M0,0 L8,8 M0,8 L8,0\"",
            Self::Dots => "<path d=\"M1,2 L3,2 M5,6 L7,6\"",
        }
    }
}

/// Stands for the picture's id in its body until that is known; text cannot hold it, since it is made visible there.
const OWN: char = '\0';

/// Left, top, right and bottom.
type Area = (f64, f64, f64, f64);

/// A text that may stand at several places.
#[derive(Debug)]
struct Label {
    places: Vec<(f64, f64)>,
    anchor: Anchor,
    ink: Ink,
    size: f64,
    text: String,
}

impl Label {
    fn area(&self, (x, y): (f64, f64)) -> Area {
        let wide = width(&self.text, self.size);
        let left = match self.anchor {
            Anchor::Start => x,
            Anchor::Middle => x - wide / 2.0,
            Anchor::End => x - wide,
        };
        (left, y - self.size + 1.0, left + wide, y + 2.0)
    }
}

fn meet(a: Area, b: Area) -> bool {
    a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
}

/// Labels at the first place that is free of marks and labels, else of labels; without one the table has it alone.
fn placed(labels: &[Label], marks: &[Area]) -> String {
    let mut taken: Vec<Area> = Vec::new();
    let mut out = String::new();
    for label in labels {
        let clear = |at: &&(f64, f64), of: &[Area]| !of.iter().any(|b| meet(label.area(**at), *b));
        let open: Vec<&(f64, f64)> = label.places.iter().filter(|at| clear(at, &taken)).collect();
        if let Some(&at) = open.iter().find(|at| clear(at, marks)).or(open.first()) {
            taken.push(label.area(*at));
            out.push_str(&element(*at, label.anchor, label.ink, label.size, &label.text));
        }
    }
    out
}

/// The body of a picture.
#[derive(Debug, Default)]
pub(super) struct Svg {
    body: String,
    /// Drawn over everything else, when all marks are known.
    labels: Vec<Label>,
    marks: Vec<Area>,
    hatches: BTreeSet<Hatch>,
    linked: bool,
}

/// A coordinate: two decimals at most, never `-0`.
pub(super) fn n(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() { "0".to_owned() } else { text.to_owned() }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The element of a text.
fn element((x, y): (f64, f64), anchor: Anchor, ink: Ink, size: f64, text: &str) -> String {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" font-size=\"{}\" class=\"{} fill halo\" fill=\"{}\" \
         stroke=\"{}\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\">{}</text>\n",
        n(x),
        n(y),
        n(size),
        ink.0,
        ink.1,
        PAPER.1,
        escape(text)
    )
}

impl Svg {
    /// A picture that begins with its title and a note.
    pub(super) fn headed(title: &str, note: &str, width: f64) -> Self {
        let mut svg = Self::default();
        svg.text((16.0, 26.0), Anchor::Start, TEXT, 16.0, &shorten(title, 16.0, width - 32.0));
        svg.text((16.0, 46.0), Anchor::Start, SOFT, 12.0, &shorten(note, 12.0, width - 32.0));
        svg
    }

    /// What `draw` draws leads to a place in the page.
    pub(super) fn linked(&mut self, anchor: &str, title: &str, draw: impl FnOnce(&mut Self)) {
        self.linked = true;
        let _ = writeln!(self.body, "<a href=\"#{}\"><title>{}</title>", escape(anchor), escape(title));
        draw(self);
        self.body.push_str("</a>\n");
    }

    /// A rectangle with a border and the page's ground inside.
    pub(super) fn outline(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), ink: Ink) {
        let class = format!("{} hollow", ink.0);
        let (x, y, w, h) = (n(x + 0.5), n(y + 2.5), n((width - 1.0).max(0.3)), n(height - 5.0));
        let place = [("x", x.as_str()), ("y", &y), ("width", &w), ("height", &h)];
        let look = [("class", class.as_str()), ("fill", PAPER.1), ("stroke", ink.1), ("stroke-width", "1")];
        self.leaf("rect", &[&place[..], &look].concat());
    }

    /// Hatching over a rectangle.
    pub(super) fn hatched(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), hatch: Hatch) {
        self.hatches.insert(hatch);
        let _ = writeln!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#{OWN}-{})\"/>",
            n(x),
            n(y),
            n(width.max(0.0)),
            n(height),
            hatch.id()
        );
    }

    /// An element without content.
    fn leaf(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let _ = write!(self.body, "<{name}");
        for (key, value) in attributes {
            let _ = write!(self.body, " {key}=\"{}\"", escape(value));
        }
        self.body.push_str("/>\n");
    }

    /// A straight line; `dash` is empty for a solid one.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink, width: f64, dash: &str) {
        let (x1, y1, x2, y2) = (n(from.0), n(from.1), n(to.0), n(to.1));
        let width = n(width);
        let mut attributes = vec![
            ("x1", x1.as_str()),
            ("y1", &y1),
            ("x2", &x2),
            ("y2", &y2),
            ("class", ink.0),
            ("stroke", ink.1),
            ("stroke-width", &width),
        ];
        if !dash.is_empty() {
            attributes.push(("stroke-dasharray", dash));
        }
        self.leaf("line", &attributes);
    }

    /// A line through points.
    pub(super) fn path(&mut self, points: &[(f64, f64)], ink: Ink, width: f64, dash: &str) {
        let list = points.iter().map(|(x, y)| format!("{},{}", n(*x), n(*y))).collect::<Vec<_>>().join(" ");
        let width = n(width);
        let mut attributes = vec![
            ("points", list.as_str()),
            ("fill", "none"),
            ("class", ink.0),
            ("stroke", ink.1),
            ("stroke-width", &width),
        ];
        if !dash.is_empty() {
            attributes.push(("stroke-dasharray", dash));
        }
        self.leaf("polyline", &attributes);
    }

    /// A range with caps at its ends, level or upright.
    pub(super) fn whisker(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink) {
        let (dx, dy) = if from.1 == to.1 { (0.0, 4.0) } else { (4.0, 0.0) };
        self.line(from, to, ink, 1.5, "");
        for (x, y) in [from, to] {
            self.line((x - dx, y - dy), (x + dx, y + dy), ink, 1.5, "");
        }
    }

    /// A filled rectangle.
    pub(super) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, ink: Ink) {
        let class = format!("{} fill", ink.0);
        let values = [n(x), n(y), n(width.max(0.0)), n(height)];
        self.leaf(
            "rect",
            &[
                ("x", &values[0]),
                ("y", &values[1]),
                ("width", &values[2]),
                ("height", &values[3]),
                ("class", &class),
                ("fill", ink.1),
            ],
        );
    }

    /// A mark; the shape tells series apart without colour. `hollow`: said, not printed by a tool.
    pub(super) fn mark(&mut self, (x, y): (f64, f64), shape: usize, ink: Ink, hollow: bool) {
        self.marks.push((x - 6.0, y - 6.0, x + 6.0, y + 6.0));
        let class = format!("{} {}", ink.0, if hollow { "hollow" } else { "fill" });
        let fill = if hollow { PAPER.1 } else { ink.1 };
        let common = [("class", class.as_str()), ("fill", fill), ("stroke", ink.1), ("stroke-width", "2")];
        let point = |dx: f64, dy: f64| format!("{},{}", n(x + dx), n(y + dy));
        let corners = match shape % 4 {
            1 => vec![point(-4.0, -4.0), point(4.0, -4.0), point(4.0, 4.0), point(-4.0, 4.0)],
            2 => vec![point(0.0, -5.5), point(5.0, 4.0), point(-5.0, 4.0)],
            3 => vec![point(0.0, -5.5), point(5.5, 0.0), point(0.0, 5.5), point(-5.5, 0.0)],
            _ => {
                let (cx, cy) = (n(x), n(y));
                self.leaf("circle", &[&[("cx", cx.as_str()), ("cy", &cy), ("r", "4.5")][..], &common].concat());
                return;
            }
        };
        let list = corners.join(" ");
        self.leaf("polygon", &[&[("points", list.as_str())][..], &common].concat());
    }

    /// A cross: a figure that does not count.
    pub(super) fn cross(&mut self, (x, y): (f64, f64), ink: Ink) {
        for (dx, dy) in [(5.0, 5.0), (5.0, -5.0)] {
            self.line((x - dx, y - dy), (x + dx, y + dy), ink, 2.5, "");
        }
    }

    /// A text, with a halo of paper so that lines behind it do not cross its letters.
    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, ink: Ink, size: f64, text: &str) {
        self.body.push_str(&element(at, anchor, ink, size, text));
    }

    /// A label over everything that is drawn, at the first of these places where no mark and no other label stands.
    pub(super) fn label(&mut self, places: &[(f64, f64)], anchor: Anchor, ink: Ink, size: f64, text: &str) {
        self.labels.push(Label { places: places.to_vec(), anchor, ink, size, text: text.to_owned() });
    }

    /// Lines of text around a height.
    pub(super) fn lines(&mut self, (x, y): (f64, f64), anchor: Anchor, ink: Ink, size: f64, lines: &[String]) {
        let start = y + 4.0 - (size + 1.0) / 2.0 * (lines.len() as f64 - 1.0);
        for (i, line) in lines.iter().enumerate() {
            self.text((x, start + (size + 1.0) * i as f64), anchor, ink, size, line);
        }
    }

    /// A text turned by a quarter to the left, for the y axis.
    pub(super) fn text_up(&mut self, (x, y): (f64, f64), ink: Ink, size: f64, text: &str) {
        let _ = writeln!(
            self.body,
            "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" font-size=\"{}\" class=\"{} fill\" \
             fill=\"{}\">{}</text>",
            n(x),
            n(y),
            n(size),
            ink.0,
            ink.1,
            escape(text)
        );
    }

    /// The whole picture: its id is made of what it shows.
    pub(super) fn finish(
        self,
        kind: &str,
        metric: &str,
        size: (f64, f64),
        title: &str,
        description: &str,
    ) -> (String, String) {
        let labels = placed(&self.labels, &self.marks);
        let mut hash = Sha256::new();
        for part in [title, description, &self.body, &labels] {
            hash.update(part.as_bytes());
        }
        let digest = hash.finalize();
        let tail: String = digest.iter().take(4).map(|b| format!("{b:02x}")).collect();
        let slug: String = metric.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let id = format!("{kind}-{slug}-{tail}");
        let (width, height) = (n(size.0), n(size.1));
        // What is inside a picture is hidden from readers who hear it; links must not be.
        let role = if self.linked { "group" } else { "img" };
        let mut defs = String::new();
        for hatch in &self.hatches {
            let _ = writeln!(
                defs,
                "<pattern id=\"{id}-{}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">{} class=\"{}\" \
                 stroke=\"{}\" stroke-width=\"1.5\" fill=\"none\"/></pattern>",
                hatch.id(),
                hatch.tile(),
                HATCHED.0,
                HATCHED.1
            );
        }
        if !defs.is_empty() {
            defs = format!("<defs>\n{defs}</defs>\n");
        }
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"{role}\" aria-labelledby=\"{id}-t {id}-d\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\">\n\
             <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n{defs}\
             <rect width=\"{width}\" height=\"{height}\" class=\"{} fill\" fill=\"{}\"/>\n{}{}</svg>\n",
            escape(title),
            escape(description),
            PAPER.0,
            PAPER.1,
            self.body.replace(OWN, &id),
            labels
        );
        (id, svg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_fixed_decimals_and_no_negative_zero() {
        assert_eq!([n(-0.001), n(12.345), n(3.0), n(0.1 + 0.2)], ["0", "12.35", "3", "0.3"].map(str::to_owned));
    }

    #[test]
    fn input_cannot_leave_its_text() {
        let mut svg = Svg::default();
        svg.text((0.0, 0.0), Anchor::Start, TEXT, 12.0, "</text><script>alert(\"1\")</script>\u{202e}");
        let (id, out) = svg.finish("bars", "a/../b", (10.0, 10.0), "<t>", "d & d");
        assert!(!out.contains("<script") && out.contains("&lt;/text&gt;&lt;script&gt;") && out.contains("\\u{202E}"));
        assert!(id.starts_with("bars-a----b-") && out.contains("<title id=\"") && out.contains("&lt;t&gt;"));
        assert!(!out.contains("style="));
    }
}
