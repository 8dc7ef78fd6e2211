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
            let cut = if fits { joined } else { shorten(&joined, size, limit) };
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
    }
}
