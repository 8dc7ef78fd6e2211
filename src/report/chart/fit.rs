//! Estimates of how wide a text is, and how it is cut to fit: no font is measured, so pictures are the same everywhere.

/// Estimated width of a text.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | ' ' | '.' | ',' | ':' | '\'' | '|' | '(' | ')' | '[' | ']' => 0.36,
        'm' | 'w' | 'M' | 'W' | '%' => 0.92,
        c if c.is_ascii_uppercase() => 0.7,
        c if c.is_ascii() => 0.6,
        c if unicode_width::UnicodeWidthChar::width(c) == Some(2) => 1.05,
        _ => 0.65,
    };
    text.chars().map(em).sum::<f64>() * size
}

/// A text in lines of at most `limit` width; what does not fit the last line ends in `…`.
pub(super) fn wrap(text: &str, size: f64, limit: f64, lines: usize) -> Vec<String> {
    let mut out: Vec<String> = vec![String::new()];
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.peek() {
        let line = out.last().map_or("", String::as_str);
        let joined = if line.is_empty() { (*word).to_owned() } else { format!("{line} {word}") };
        let fits = width(&joined, size) <= limit;
        if fits || line.is_empty() {
            let cut = if fits { joined } else { cut_inside(&joined, size, limit) };
            out.last_mut().into_iter().for_each(|l| l.clone_from(&cut));
            words.next();
        } else if out.len() == lines {
            let more = shorten(&format!("{line} {word} …"), size, limit);
            out.last_mut().into_iter().for_each(|l| l.clone_from(&more));
            break;
        } else {
            out.push(String::new());
        }
    }
    out
}

/// A word cut to a width in its middle: names that begin alike differ at their ends.
fn cut_inside(word: &str, size: f64, limit: f64) -> String {
    if width(word, size) <= limit {
        return word.to_owned();
    }
    let side = (limit - width("…", size)) / 2.0;
    let fits = |used: &mut f64, c: char| {
        *used += width(c.encode_utf8(&mut [0; 4]), size);
        (*used <= side).then_some(c)
    };
    let head: String = word.chars().scan(0.0, fits).collect();
    let tail: Vec<char> = word.chars().rev().scan(0.0, fits).collect();
    head + "…" + &tail.into_iter().rev().collect::<String>()
}

/// More points than this on a line are not all marked.
pub(super) const MANY: usize = 40;

/// Which points of a line get a mark: all; of [`MANY`] those with room, the last one, and those unlike the mark before.
pub(super) fn marked(points: &[(f64, f64)], kind: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut marks: Vec<usize> = Vec::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let due = marks
            .last()
            .is_none_or(|&last| kind(last) != kind(i) || (x - points[last].0).hypot(y - points[last].1) >= 12.0);
        if points.len() <= MANY || due || i + 1 == points.len() {
            marks.push(i);
        }
    }
    marks
}

/// A text cut to a width, ending in `…` when something is left out.
pub(super) fn shorten(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = width("…", size);
    for c in text.chars() {
        used += width(c.encode_utf8(&mut [0; 4]), size);
        if used > limit {
            break;
        }
        out.push(c);
    }
    format!("{}…", out.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_wrapped_then_cut() {
        let lines = wrap("concurrency 4, model some-model-with-a-long-name, context 16k, dtype fp8", 12.0, 200.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…') && lines.iter().all(|l| width(l, 12.0) <= 201.0), "{lines:?}");
        assert_eq!(wrap("short", 12.0, 200.0, 2), ["short"]);
        let names = ["a-name-too-long-for-a-line-1", "a-name-too-long-for-a-line-2"].map(|n| wrap(n, 12.0, 100.0, 2));
        assert!(names[0] != names[1] && names[0][0].contains('…') && width(&names[0][0], 12.0) <= 100.0, "{names:?}");
    }

    #[test]
    fn of_many_points_some_are_marked() {
        let line: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), 0.0)).collect();
        assert_eq!(marked(&line[..40], |_| true).len(), 40);
        assert_eq!(marked(&line, |_| true), [0, 12, 24, 36, 48, 60, 72, 84, 96, 99]);
        assert_eq!(marked(&line, |i| i == 5)[..4], [0, 5, 6, 18]);
    }
}
