//! Objects in text: JSON, and what models write when they mean JSON.

use serde_json::{Map, Number, Value};

use super::{Hit, shapes};

/// Deeper objects are no actions.
const DEEPEST: usize = 24;

/// Text with more braces than these is code or noise; looking at each would take its time.
const MOST: usize = 200;

/// The first object that says which tool to call.
pub(super) fn find(text: &str, from: usize, tools: &[&str]) -> Option<Hit> {
    let braces = text[from..].match_indices('{').take(MOST);
    braces.map(|(at, _)| from + at).find_map(|start| at(text, start, tools))
}

/// The action of the object that begins here.
pub(super) fn at(text: &str, start: usize, tools: &[&str]) -> Option<Hit> {
    let (end, value) = value_at(text, start)?;
    let text = shapes::call_of(&value, tools)?;
    Some(Hit { start, end, text })
}

/// The object that begins here, and where it ends.
pub(super) fn value_at(text: &str, start: usize) -> Option<(usize, Value)> {
    let body = text.get(start..)?;
    if !body.starts_with('{') {
        return None;
    }
    let mut strict = serde_json::Deserializer::from_str(body).into_iter::<Value>();
    if let Some(Ok(value)) = strict.next() {
        return Some((start + strict.byte_offset(), value));
    }
    let mut scan = Scan { text: body, at: 0 };
    let value = scan.value(0)?;
    Some((start + scan.at, value))
}

/// Reads objects as people write them: with single quotes, with names without quotes, with Python's
/// words, with a comma too many, with line ends inside of texts.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        match self.next()? {
            '{' => self.object(depth),
            '[' => self.list(depth),
            '"' | '\'' | '\u{201c}' | '\u{2018}' => self.quoted().map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut fields = Map::new();
        self.at += 1;
        loop {
            match self.next()? {
                '}' => break,
                ',' => self.at += 1,
                _ => {
                    let name = self.name()?;
                    if !matches!(self.next()?, ':' | '=') {
                        return None;
                    }
                    self.at += 1;
                    fields.insert(name, self.value(depth + 1)?);
                }
            }
        }
        self.at += 1;
        Some(Value::Object(fields))
    }

    fn name(&mut self) -> Option<String> {
        match self.next()? {
            '"' | '\'' | '\u{201c}' | '\u{2018}' => self.quoted(),
            _ => match self.word()? {
                Value::String(name) => Some(name),
                _ => None,
            },
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut values = Vec::new();
        self.at += 1;
        loop {
            match self.next()? {
                ']' => break,
                ',' => self.at += 1,
                _ => values.push(self.value(depth + 1)?),
            }
        }
        self.at += 1;
        Some(Value::Array(values))
    }

    /// The next letter that is neither space nor comment; the position moves there.
    fn next(&mut self) -> Option<char> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at = self.text.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return trimmed.chars().next();
            }
            self.at += trimmed.find('\n')?;
        }
    }

    fn quoted(&mut self) -> Option<String> {
        let mut letters = self.text[self.at..].char_indices();
        let close = match letters.next()?.1 {
            '\u{201c}' => '\u{201d}',
            '\u{2018}' => '\u{2019}',
            quote => quote,
        };
        let mut out = String::new();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => match letters.next()?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    other => out.push(other),
                },
                c if c == close => {
                    self.at += at + c.len_utf8();
                    return Some(out);
                }
                c => out.push(c),
            }
        }
        None
    }

    fn word(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| !(c.is_alphanumeric() || "_-./+".contains(c))).unwrap_or(rest.len());
        if len == 0 {
            return None;
        }
        self.at += len;
        Some(match &rest[..len] {
            "null" | "None" => Value::Null,
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            word => word.parse::<Number>().map_or_else(|_| Value::String(word.to_string()), Value::Number),
        })
    }
}
