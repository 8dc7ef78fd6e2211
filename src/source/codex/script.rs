//! Calls inside a script: the newest versions send one `exec` call whose input is JavaScript that calls `tools.x({…})`.

use serde_json::{Map, Value};

/// The calls that a script makes, in order: `tools.x(…)` and `tools["x"](…)` outside comments, strings and templates. An
/// argument that is no literal is left out.
pub(super) fn calls(script: &str) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    let mut reader = Reader { text: script, at: 0 };
    let mut before = None;
    while let Some(c) = reader.peek() {
        match c {
            '"' | '\'' | '`' => reader.skip_string(c),
            _ if is_of_name(c) => {
                let name = reader.name();
                if before != Some('.') && name.as_deref() == Some("tools") {
                    out.extend(reader.call());
                }
            }
            _ => reader.at += c.len_utf8(),
        }
        before = Some(c);
    }
    out
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Deepest literal that is read.
const DEPTH: usize = 32;

/// Reads literals of JavaScript: unquoted keys, three kinds of quotes, trailing commas.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    /// The next character behind blanks and comments.
    fn peek(&mut self) -> Option<char> {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            let end = match rest.get(..2) {
                Some("//") => rest.find('\n'),
                Some("/*") => rest[2..].find("*/").map(|at| at + 4),
                _ => return rest.chars().next(),
            };
            self.at += end.unwrap_or(rest.len());
        }
    }

    /// Steps over a character if it comes next.
    fn take(&mut self, c: char) -> Option<()> {
        (self.peek()? == c).then(|| self.at += c.len_utf8())
    }

    /// The rest of a call behind `tools`.
    fn call(&mut self) -> Option<(String, Value)> {
        let name = match self.peek()? {
            '.' => {
                self.at += 1;
                self.peek()?;
                self.name()?
            }
            '[' => {
                self.at += 1;
                let quote = self.peek().filter(|c| matches!(c, '"' | '\''))?;
                let name = self.string(quote)?;
                self.take(']')?;
                name
            }
            _ => return None,
        };
        self.take('(')?;
        // Calls inside the argument are found by whoever goes on behind the bracket.
        let mut argument = Reader { text: self.text, at: self.at };
        Some((name, argument.value(0).unwrap_or(Value::Null)))
    }

    /// Steps over a string, whatever it inserts. Only templates go on over a line's end: the quote of a regular expression
    /// swallows no more than its line.
    fn skip_string(&mut self, quote: char) {
        let mut escaped = false;
        let end = self.text[self.at + 1..].char_indices().find(|(_, c)| {
            let closes = !escaped && (*c == quote || *c == '\n' && quote != '`');
            escaped = *c == '\\' && !escaped;
            closes
        });
        self.at = end.map_or(self.text.len(), |(i, _)| self.at + 2 + i);
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.peek()? {
            _ if depth > DEPTH => None,
            '{' => self.object(depth),
            '[' => self.list(depth),
            quote @ ('"' | '\'' | '`') => self.string(quote).map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut fields = Map::new();
        loop {
            let key = match self.peek()? {
                '}' => {
                    self.at += 1;
                    return Some(Value::Object(fields));
                }
                ',' => {
                    self.at += 1;
                    continue;
                }
                quote @ ('"' | '\'') => self.string(quote)?,
                _ => self.name()?,
            };
            if self.peek()? != ':' {
                return None;
            }
            self.at += 1;
            let value = self.value(depth + 1)?;
            fields.insert(key, value);
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            match self.peek()? {
                ']' => {
                    self.at += 1;
                    return Some(Value::Array(items));
                }
                ',' => self.at += 1,
                _ => items.push(self.value(depth + 1)?),
            }
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        self.at += quote.len_utf8();
        let mut out = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                _ if c == quote => {
                    self.at += i + c.len_utf8();
                    return Some(out);
                }
                // What a template string inserts is not known.
                '$' if quote == '`' && self.text[self.at + i..].starts_with("${") => return None,
                '\\' => match chars.next()?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    '\n' => {}
                    kind @ ('u' | 'x') => {
                        let from = self.at + chars.offset();
                        let (escaped, length) = escape(kind, &self.text[from..]);
                        out.push(escaped);
                        while chars.offset() + self.at < from + length && chars.next().is_some() {}
                    }
                    other => out.push(other),
                },
                other => out.push(other),
            }
        }
        None
    }

    fn name(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| rest[..end].to_owned())
    }

    /// A number or a word of JSON; a variable is not known.
    fn word(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-._".contains(c)).unwrap_or(rest.len());
        self.at += end;
        serde_json::from_str(&rest[..end]).ok()
    }
}

/// A character written by its number, behind `\u` or `\x`: two digits, four, any number in braces, or two halves of a
/// surrogate pair; and how many bytes of the text it takes.
fn escape(kind: char, text: &str) -> (char, usize) {
    let hex = |digits: Option<&str>| digits.and_then(|d| u32::from_str_radix(d, 16).ok());
    let (number, length) = match (kind, text.strip_prefix('{').and_then(|t| t.split_once('}'))) {
        ('u', Some((digits, _))) => (hex(Some(digits)), digits.len() + 2),
        ('u', None) => (hex(text.get(..4)), 4),
        _ => (hex(text.get(..2)), 2),
    };
    let low = text.get(4..).and_then(|t| t.strip_prefix("\\u")).and_then(|t| hex(t.get(..4)));
    match (number, low) {
        (Some(high @ 0xD800..0xDC00), Some(low @ 0xDC00..0xE000)) => {
            let joined = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 10)
        }
        // Of what is no number nothing is taken: a quote may stand there.
        (None, _) => (char::REPLACEMENT_CHARACTER, 0),
        (Some(number), _) => (char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER), length),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_are_read_and_variables_are_not() {
        let script = "const p = await tools.update_plan({explanation:'why', plan:[{step:\"a\\n\", status:`pending`},]});\n\
                      text(p); await tools.exec_command({cmd: command}); tools.exec_command({\"cmd\": 'ls', n: 2})";
        let want = [
            ("update_plan", json!({"explanation": "why", "plan": [{"step": "a\n", "status": "pending"}]})),
            ("exec_command", Value::Null),
            ("exec_command", json!({"cmd": "ls", "n": 2})),
        ];
        assert_eq!(calls(script), want.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn what_only_looks_like_a_call_is_none() {
        let script = r#"
            // tools.update_plan({plan: []})
            /* tools.a({}) */ mytools.b({}); my.tools.c({}); const s = "tools.d({})" + 'it\'s tools.e({})';
            text(`patch tools.f({}) \` tools.g({})`);
            tools . h ( {plan: [/* one */ {step: "x"}, // two
                {step: "y"}]} ); tools["i"]({n: 1}); tools[name]({}); tools.j(await tools.k({deep: true}))"#;
        let want = [
            ("h", json!({"plan": [{"step": "x"}, {"step": "y"}]})),
            ("i", json!({"n": 1})),
            ("j", Value::Null),
            ("k", json!({"deep": true})),
        ];
        assert_eq!(calls(script), want.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn characters_may_be_written_by_their_numbers() {
        let script = r#"tools.x({a: "\u00e9 \ud83d\ude00 \u{1F600} \x41 \ud83d.", b: "\u12"})"#;
        assert_eq!(calls(script)[0].1, json!({"a": "é 😀 😀 A \u{FFFD}.", "b": "\u{FFFD}12"}));
    }

    #[test]
    fn damaged_scripts_do_no_harm() {
        for script in ["tools.", "tools.x(", "tools.x({a:", "tools.x(\"é", "tools.x(`${y}`)", &"tools.x([".repeat(3)] {
            let _ = calls(script);
        }
        assert_eq!(calls(&format!("tools.x({}", "[".repeat(10_000))), [("x".to_owned(), Value::Null)]);
    }
}
