//! Calls inside a script: the newest versions send one `exec` call whose input is JavaScript that calls `tools.x({…})`.

use serde_json::{Map, Value};

/// The calls that a script makes, in order. An argument that is no literal is left out.
pub(super) fn calls(script: &str) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    let mut rest = script;
    while let Some(at) = rest.find("tools.") {
        rest = &rest[at + "tools.".len()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        if let Some(argument) = behind.strip_prefix('(').filter(|_| !name.is_empty()) {
            let mut reader = Reader { text: argument, at: 0 };
            let value = reader.value(0).unwrap_or(Value::Null);
            out.push((name.to_owned(), value));
        }
        rest = behind;
    }
    out
}

/// Deepest literal that is read.
const DEPTH: usize = 32;

/// Reads literals of JavaScript: unquoted keys, three kinds of quotes, trailing commas.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
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
                '\\' => out.push(match chars.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'u' => {
                        let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                        u32::from_str_radix(&digits, 16)
                            .ok()
                            .and_then(char::from_u32)
                            .unwrap_or(char::REPLACEMENT_CHARACTER)
                    }
                    other => other,
                }),
                other => out.push(other),
            }
        }
        None
    }

    fn name(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
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
    fn damaged_scripts_do_no_harm() {
        for script in ["tools.", "tools.x(", "tools.x({a:", "tools.x(\"é", "tools.x(`${y}`)", &"tools.x([".repeat(3)] {
            let _ = calls(script);
        }
        assert_eq!(calls(&format!("tools.x({}", "[".repeat(10_000))), [("x".to_owned(), Value::Null)]);
    }
}
