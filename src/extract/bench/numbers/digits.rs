//! Digits with group marks, decimals, exponents, and letters that multiply.

/// A number, and where it ends.
pub(super) struct Number {
    pub(super) value: f64,
    pub(super) decimals: u8,
    pub(super) end: usize,
}

pub(super) fn number_with_groups(text: &str, at: usize) -> Option<Number> {
    let plain = number(text, at, false)?;
    let spaced = number(text, at, true)?;
    (spaced.end > plain.end).then_some(spaced)
}

/// Reads digits with group marks, decimals and exponent. `spaced`: a plain space separates groups too.
pub(super) fn number(text: &str, at: usize, spaced: bool) -> Option<Number> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let first = digits(at);
    if first == 0 {
        return None;
    }
    let mut end = at + first;
    let mut whole = text[at..end].to_owned();
    let leading_zero = whole.starts_with('0');
    let groups = first <= 3 && !leading_zero;
    while let Some(mark) = group_mark(&text[end..], spaced).filter(|m| groups && digits(end + m) == 3) {
        whole.push_str(&text[end + mark..end + mark + 3]);
        end += mark + 3;
    }
    let mut fraction = "";
    let rest = &bytes[end..];
    let decimals = digits(end + 1);
    let grouped = end > at + first;
    match rest.first() {
        Some(b'.') if decimals > 0 => fraction = &text[end + 1..end + 1 + decimals],
        Some(b',') if decimals > 0 && (decimals <= 2 || leading_zero) && !grouped => {
            fraction = &text[end + 1..end + 1 + decimals];
        }
        _ => {}
    }
    if !fraction.is_empty() {
        end += 1 + fraction.len();
    }
    let again = bytes.get(end).is_some_and(|b| b".,".contains(b)) && digits(end + 1) > 0;
    if again {
        return None;
    }
    let mut value: f64 = format!("{whole}.{fraction}0").parse().ok()?;
    if let Some((power, used)) = exponent(&text[end..]) {
        value *= 10f64.powi(power);
        end += used;
    }
    Some(Number { value, decimals: fraction.len().min(12) as u8, end })
}

fn group_mark(rest: &str, spaced: bool) -> Option<usize> {
    let c = rest.chars().next()?;
    let mark = matches!(c, ',' | '_' | '\u{a0}' | '\u{202f}' | '\u{2009}') || spaced && c == ' ';
    mark.then(|| c.len_utf8())
}

fn exponent(rest: &str) -> Option<(i32, usize)> {
    let body = rest.strip_prefix(['e', 'E'])?;
    let signed = body.strip_prefix(['+', '-']).unwrap_or(body);
    let digits = signed.bytes().take_while(u8::is_ascii_digit).count();
    let closed = !signed[digits..].starts_with(|c: char| c.is_alphanumeric());
    let power = body[..body.len() - signed.len() + digits].parse().ok().filter(|p: &i32| p.abs() < 60)?;
    (digits > 0 && closed).then_some((power, rest.len() - signed.len() + digits))
}

/// The factor of a letter that multiplies: `1.2k`.
pub(super) fn suffix(rest: &str) -> Option<f64> {
    let mut chars = rest.chars();
    let factor = match chars.next()? {
        'k' | 'K' => 1e3,
        'M' => 1e6,
        'G' | 'B' => 1e9,
        _ => return None,
    };
    (!chars.next().is_some_and(|c| c.is_alphanumeric() || c == '/')).then_some(factor)
}
