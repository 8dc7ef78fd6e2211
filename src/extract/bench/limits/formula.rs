//! Formulas of a limits file: read and worked out in one pass.
//!
//! `expr = term (("+" | "-") term)*`, `term = power (("*" | "/") power)*`, `power = sign ("^" power)?`,
//! `sign = "-"* atom`, `atom = number unit? | name | name "(" arguments ")" | "(" expr ")"`. Nothing recurses deeper than
//! [`DEPTH`], nothing reads anything but its [`Names`].

use std::collections::BTreeSet;

use super::band::Band;
use super::names::{Names, Object, Thing};
use crate::extract::bench::calculators::{self, Calculator, Input};
use crate::extract::bench::units::{Dimension, Unit};

/// Longest formula, in bytes.
const LENGTH: usize = 1024;
/// Deepest nesting.
const DEPTH: usize = 32;

/// What a formula gives.
#[derive(Debug, Clone)]
pub(super) struct Worked {
    /// The result.
    pub(super) band: Band,
    /// Every input with where it came from, in the order of use.
    pub(super) inputs: Vec<String>,
    /// Conditions of a figure that it needs.
    pub(super) needed: BTreeSet<String>,
}

/// What is wrong with a formula, and the byte of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wrong {
    /// Byte in the formula.
    pub(super) at: usize,
    /// What is wrong, and what to write instead.
    pub(super) reason: String,
}

/// Works a formula out.
pub(super) fn work_out(text: &str, names: Names<'_>) -> Result<Worked, Wrong> {
    if text.len() > LENGTH {
        return Err(Wrong { at: 0, reason: format!("a formula may have {LENGTH} bytes, this has {}", text.len()) });
    }
    let mut reader = Reader { text, at: 0, depth: 0, names, inputs: Vec::new(), needed: BTreeSet::new() };
    let band = reader.expression()?;
    reader.blank();
    if reader.at < text.len() {
        return Err(reader.wrong(format!("expected an operator (+ - * / ^) before \"{}\"", &text[reader.at..])));
    }
    Ok(Worked { band, inputs: reader.inputs, needed: reader.needed })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    names: Names<'a>,
    inputs: Vec<String>,
    needed: BTreeSet<String>,
}

/// What stands between the brackets of a call.
#[derive(Default)]
struct Arguments<'a> {
    named: Vec<(&'a str, usize, Given)>,
    objects: Vec<&'a Object>,
    positional: Vec<(usize, Given)>,
}

/// A quantity, where it came from, and the inputs that it was made of.
type Given = (Band, String, Vec<String>);

impl<'a> Reader<'a> {
    fn wrong(&self, reason: impl Into<String>) -> Wrong {
        Wrong { at: self.at, reason: reason.into() }
    }

    fn blank(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes one of these signs.
    fn sign(&mut self, signs: &[char]) -> Option<char> {
        self.blank();
        let next = self.text[self.at..].chars().next().filter(|c| signs.contains(c))?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.wrong(format!("a formula may be nested {DEPTH} deep")));
        }
        let out = read(self);
        self.depth -= 1;
        out
    }

    fn expression(&mut self) -> Result<Band, Wrong> {
        self.deeper(|r| {
            let mut left = r.term()?;
            while let Some(sign) = r.sign(&['+', '-', '−']) {
                let at = r.at;
                let right = r.term()?;
                let done = if sign == '+' { left.plus(right) } else { left.minus(right) };
                left = done.map_err(|reason| Wrong { at, reason })?;
            }
            Ok(left)
        })
    }

    fn term(&mut self) -> Result<Band, Wrong> {
        let mut left = self.power()?;
        while let Some(sign) = self.sign(&['*', '/', '·', '×', '÷']) {
            let at = self.at;
            let right = self.power()?;
            left = match sign {
                '/' | '÷' => left.over(right).map_err(|reason| Wrong { at, reason })?,
                _ => left.times(right),
            };
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Band, Wrong> {
        self.deeper(|r| {
            let mut minus = false;
            while r.sign(&['-', '−']).is_some() {
                minus = !minus;
            }
            let mut base = r.atom()?;
            if r.sign(&['^']).is_some() {
                let at = r.at;
                let exponent = r.power()?;
                base = base.power(exponent).map_err(|reason| Wrong { at, reason })?;
            }
            Ok(if minus { Band::plain(-1.0).times(base) } else { base })
        })
    }

    fn atom(&mut self) -> Result<Band, Wrong> {
        if self.sign(&['(']).is_some() {
            let inner = self.expression()?;
            return self.close().map(|()| inner);
        }
        let rest = &self.text[self.at..];
        match rest.chars().next() {
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() => {
                let start = self.at;
                let name = self.name();
                if self.sign(&['(']).is_some() {
                    return self.call(name, start);
                }
                match self.find(name, start)? {
                    Thing::Quantity(band, from) => {
                        self.note(name, band, from);
                        Ok(band)
                    }
                    Thing::Object(object) => Err(self.only_a_field(object, start)),
                }
            }
            Some(c) => Err(self.wrong(format!("expected a number, a name or a bracket, not \"{c}\""))),
            None => Err(self.wrong("the formula ends where a number or a name is expected")),
        }
    }

    fn only_a_field(&self, object: &Object, at: usize) -> Wrong {
        let fields: Vec<&str> = object.fields.keys().map(String::as_str).collect();
        let path = &object.path;
        Wrong { at, reason: format!("{path} is no number; write {path}.NAME with one of {}", fields.join(", ")) }
    }

    fn close(&mut self) -> Result<(), Wrong> {
        self.sign(&[')']).map(|_| ()).ok_or_else(|| self.wrong("a closing bracket is missing"))
    }

    fn name(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn find(&mut self, name: &str, at: usize) -> Result<Thing<'a>, Wrong> {
        self.names.find(name, &mut self.needed).map_err(|reason| Wrong { at, reason })
    }

    fn note(&mut self, name: &str, band: Band, from: Option<String>) {
        let input = format!("{name} = {band} ({})", from.unwrap_or_else(|| "as written".to_owned()));
        if !self.inputs.contains(&input) {
            self.inputs.push(input);
        }
    }

    /// Digits, with a unit behind them that holds no blank: `1792 GB/s`.
    fn number(&mut self) -> Result<Band, Wrong> {
        let rest = &self.text[self.at..];
        let body = rest.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_')).count();
        let exponent = rest[body..].strip_prefix(['e', 'E']).map_or(0, |tail| {
            let signed = tail.strip_prefix(['+', '-']).unwrap_or(tail);
            let digits = signed.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 { 0 } else { 1 + tail.len() - signed.len() + digits }
        });
        let digits = &rest[..body + exponent];
        let value: f64 =
            digits.replace('_', "").parse().map_err(|_| self.wrong(format!("\"{digits}\" is no number")))?;
        self.at += digits.len();
        let unit = self.unit();
        Ok(unit.map_or(Band::plain(value), |u| Band::of(value, &u)))
    }

    /// The longest unit here that no name goes on from.
    fn unit(&mut self) -> Option<Unit> {
        let rest = self.text[self.at..].trim_start_matches(' ');
        let start = self.text.len() - rest.len();
        let run =
            rest.find(|c: char| !(c.is_alphabetic() || matches!(c, '/' | '%' | '°' | '$' | '#'))).unwrap_or(rest.len());
        let mut length = run;
        loop {
            let after = rest[length..].chars().next();
            let goes_on = after.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '('));
            if let Some(unit) = Unit::parse(&rest[..length]).filter(|_| !goes_on) {
                self.at = start + length;
                return Some(unit);
            }
            length = rest[..length].rfind('/')?;
        }
    }

    fn arguments(&mut self) -> Result<Arguments<'a>, Wrong> {
        let mut out = Arguments::default();
        if self.sign(&[')']).is_some() {
            return Ok(out);
        }
        loop {
            self.blank();
            let start = self.at;
            let name = self.name();
            if self.sign(&['=']).is_some() {
                let given = self.given()?;
                out.named.push((name, start, given));
            } else {
                let end = self.at;
                self.blank();
                let bare = !name.is_empty() && self.text[self.at..].starts_with([',', ')']);
                let object = match bare.then(|| self.names.find(name, &mut BTreeSet::new())) {
                    Some(Ok(Thing::Object(object))) => Some(object),
                    _ => None,
                };
                match object {
                    Some(object) => {
                        self.at = end;
                        out.objects.push(object);
                    }
                    None => {
                        self.at = start;
                        let given = self.given()?;
                        out.positional.push((start, given));
                    }
                }
            }
            if self.sign(&[',']).is_none() {
                return self.close().map(|()| out);
            }
        }
    }

    /// An argument, and where it came from: its own inputs, or as written.
    fn given(&mut self) -> Result<Given, Wrong> {
        self.blank();
        let (start, known) = (self.at, self.inputs.len());
        let band = self.expression()?;
        let written = self.text[start..self.at].trim();
        let from = match &self.inputs[known..] {
            [] => "as written".to_owned(),
            [one] if one.starts_with(&format!("{written} = ")) => {
                one.split_once('(').map_or("", |(_, t)| t).trim_end_matches(')').to_owned()
            }
            several => format!("{written}: {}", several.join(", ")),
        };
        Ok((band, from, self.inputs.split_off(known)))
    }

    fn call(&mut self, name: &str, at: usize) -> Result<Band, Wrong> {
        let arguments = self.deeper(Self::arguments)?;
        if matches!(name, "min" | "max") {
            return self.extreme(name, arguments, at);
        }
        let calculator = calculators::find(name).ok_or_else(|| {
            let known: Vec<&str> = calculators::CALCULATORS.iter().map(|c| c.id).collect();
            Wrong { at, reason: format!("\"{name}\" is no calculator; there are min, max, {}", known.join(", ")) }
        })?;
        self.calculate(calculator, arguments, at)
    }

    fn extreme(&mut self, name: &str, arguments: Arguments<'_>, at: usize) -> Result<Band, Wrong> {
        if !arguments.named.is_empty() || !arguments.objects.is_empty() {
            return Err(Wrong { at, reason: format!("{name} takes numbers without names") });
        }
        let mut bands = Vec::new();
        for (_, (band, _, inputs)) in arguments.positional {
            bands.push(Ok(band));
            self.inputs.extend(inputs);
        }
        let pick = if name == "min" { Band::min } else { Band::max };
        let found = bands.into_iter().reduce(|a: Result<Band, String>, b| pick(a?, b?));
        found.unwrap_or_else(|| Err(format!("{name} takes at least one number"))).map_err(|reason| Wrong { at, reason })
    }

    fn calculate(&mut self, calculator: &Calculator, given: Arguments<'_>, at: usize) -> Result<Band, Wrong> {
        let takes = || format!("{} takes {}", calculator.id, calculator.signature());
        let wrong = |at: usize, reason: String| Wrong { at, reason };
        if let Some((name, at, _)) = given.named.iter().find(|(n, ..)| !calculator.inputs.iter().any(|i| i.name == *n))
        {
            return Err(wrong(*at, format!("{} has no input \"{name}\"; {}", calculator.id, takes())));
        }
        if given.positional.len() > calculator.inputs.len() {
            return Err(wrong(at, format!("too many inputs; {}", takes())));
        }
        let named = |input: &Input| given.named.iter().find(|(n, ..)| *n == input.name);
        let explicit = |place: usize, input: &Input| {
            // Inputs without a name fill the places that no name takes.
            let before = calculator.inputs[..place].iter().filter(|i| named(i).is_none()).count();
            let placed = || given.positional.get(before).map(|(at, g)| (*at, g));
            named(input).map(|(_, at, g)| (*at, g)).or_else(placed)
        };
        let batch = calculator.inputs.iter().position(|i| i.name == "batch");
        let batch =
            batch.and_then(|place| explicit(place, &calculator.inputs[place])).map_or(Band::plain(1.0), |(_, g)| g.0);
        let mut bands = Vec::new();
        for (place, input) in calculator.inputs.iter().enumerate() {
            let from_object = || given.objects.iter().find_map(|o| o.input(input.name, batch));
            let default = || Some((Band::exact(input.default?, dimension(input.unit)), "left out".to_owned()));
            let (place, (band, from)) = match explicit(place, input) {
                Some((at, (band, from, _))) => (at, (*band, from.clone())),
                None => {
                    let found = from_object().or_else(default);
                    let missing =
                        || wrong(at, format!("{} needs the input \"{}\"; {}", calculator.id, input.name, takes()));
                    (at, found.ok_or_else(missing)?)
                }
            };
            if band.dimension != dimension(input.unit) {
                let wanted = dimension(input.unit);
                return Err(wrong(
                    place,
                    format!("{} of {} is {wanted}, not {}", input.name, calculator.id, band.dimension),
                ));
            }
            self.note(input.name, band, Some(from));
            bands.push(band);
        }
        corners(calculator, &bands)
            .ok_or_else(|| wrong(at, format!("{} gives no number for these inputs", calculator.id)))
    }
}

fn dimension(unit: &str) -> Dimension {
    Unit::parse(unit).map_or(Dimension::NONE, |u| u.dimension)
}

/// The result at every combination of the ends of the open inputs.
fn corners(calculator: &Calculator, bands: &[Band]) -> Option<Band> {
    let open: Vec<usize> = (0..bands.len()).filter(|&i| bands[i].is_open()).collect();
    let mut values: Vec<f64> = bands.iter().map(|b| b.lo).collect();
    let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
    for corner in 0..1u32 << open.len() {
        for (bit, &i) in open.iter().enumerate() {
            values[i] = if corner >> bit & 1 == 0 { bands[i].lo } else { bands[i].hi };
        }
        let value = calculator.compute(&values)?;
        (lo, hi) = (lo.min(value), hi.max(value));
    }
    Some(Band { lo, hi, dimension: dimension(calculator.unit) })
}
