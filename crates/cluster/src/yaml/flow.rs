//! Values on one line: plain and quoted texts, `[a, b]`, `{a: b}`.

use serde_json::{Map, Number, Value};

/// Why a value cannot be read.
#[derive(Debug)]
pub(super) enum FlowError {
    /// It goes on in the next line.
    Unfinished,
    /// It is wrong.
    Wrong(String),
}

/// A whole value that begins with a bracket, a brace or a quote.
pub(super) fn value(text: &str) -> Result<Value, FlowError> {
    let mut flow = Flow { text, at: 0, depth: 0 };
    let value = flow.value()?;
    let rest = text[flow.at..].trim_start();
    if rest.is_empty() || rest.starts_with('#') {
        Ok(value)
    } else {
        Err(FlowError::Wrong("did not find expected key".into()))
    }
}

/// A key before its colon.
pub(super) fn key(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.starts_with(['"', '\'']) {
        return match value(text) {
            Ok(Value::String(key)) => Ok(key),
            _ => Err("did not find expected key".into()),
        };
    }
    if text.starts_with(['&', '*', '!', '?']) {
        return Err(format!("anchors, aliases and tags are not supported: {text}"));
    }
    Ok(text.to_string())
}

/// Where a quoted text ends, just behind its quote.
pub(super) fn quoted_end(text: &str) -> Option<usize> {
    let mut flow = Flow { text, at: 0, depth: 0 };
    flow.quoted().ok()?;
    Some(flow.at)
}

/// A plain text without the comment behind it.
pub(super) fn without_comment(text: &str) -> &str {
    text.find(" #").map_or(text, |at| &text[..at]).trim_end()
}

/// A plain text as what it means: nothing, true or false, a number, or text.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return true.into(),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return false.into(),
        _ => {}
    }
    let first = text.trim_start_matches(['-', '+']).chars().next().unwrap_or(' ');
    if !first.is_ascii_digit() && first != '.' {
        return text.into();
    }
    number(text).map_or_else(|| text.into(), Value::Number)
}

fn number(text: &str) -> Option<Number> {
    let digits = text.trim_start_matches('-');
    let octal = digits.strip_prefix("0o").or_else(|| digits.strip_prefix('0').filter(|rest| !rest.is_empty()));
    let whole = match (digits.strip_prefix("0x"), octal) {
        (Some(hex), _) => i64::from_str_radix(hex, 16).ok(),
        (None, Some(octal)) if octal.bytes().all(|b| b.is_ascii_digit()) => i64::from_str_radix(octal, 8).ok(),
        _ => digits.parse().ok(),
    };
    if let Some(whole) = whole {
        return Some(if text.starts_with('-') { -whole } else { whole }.into());
    }
    let is_float =
        text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) && text.bytes().any(|b| b.is_ascii_digit());
    text.parse::<f64>().ok().filter(|_| is_float).and_then(Number::from_f64)
}

struct Flow<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Flow<'_> {
    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn next(&self) -> Result<char, FlowError> {
        self.text[self.at..].chars().next().ok_or(FlowError::Unfinished)
    }

    fn value(&mut self) -> Result<Value, FlowError> {
        self.skip();
        self.depth += 1;
        if self.depth > super::DEEPEST {
            return Err(FlowError::Wrong("exceeded max depth of 100".into()));
        }
        let value = match self.next()? {
            '[' => self.list(),
            '{' => self.map(),
            '"' | '\'' => self.quoted().map(Value::String),
            _ => Ok(plain(&self.word())),
        };
        self.depth -= 1;
        value
    }

    /// A plain text up to a sign that ends it.
    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end = rest.char_indices().find(|(at, c)| match c {
            ',' | ']' | '}' | '\n' => true,
            ':' => rest[at + 1..].starts_with([' ', ',', ']', '}', '\n']) || rest[at + 1..].is_empty(),
            _ => false,
        });
        let end = end.map_or(rest.len(), |(at, _)| at);
        self.at += end;
        rest[..end].trim().to_string()
    }

    fn list(&mut self) -> Result<Value, FlowError> {
        self.at += 1;
        let mut list = Vec::new();
        loop {
            self.skip();
            if self.next()? == ']' {
                self.at += 1;
                return Ok(Value::Array(list));
            }
            list.push(self.value()?);
            self.skip();
            self.comma(']')?;
        }
    }

    fn map(&mut self) -> Result<Value, FlowError> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.skip();
            let key = match self.next()? {
                '}' => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                '"' | '\'' => self.quoted()?,
                _ => self.word(),
            };
            self.skip();
            let value = match self.next()? {
                ':' => {
                    self.at += 1;
                    self.skip();
                    if matches!(self.next()?, ',' | '}') { Value::Null } else { self.value()? }
                }
                _ => Value::Null,
            };
            map.insert(key, value);
            self.skip();
            self.comma('}')?;
        }
    }

    fn comma(&mut self, end: char) -> Result<(), FlowError> {
        match self.next()? {
            ',' => {
                self.at += 1;
                Ok(())
            }
            next if next == end => Ok(()),
            _ => Err(FlowError::Wrong(format!("did not find expected ',' or '{end}'"))),
        }
    }

    fn quoted(&mut self) -> Result<String, FlowError> {
        let quote = self.next()?;
        self.at += 1;
        let mut out = String::new();
        loop {
            let c = self.next()?;
            self.at += c.len_utf8();
            match c {
                c if c == quote && quote == '\'' && self.text[self.at..].starts_with('\'') => {
                    self.at += 1;
                    out.push('\'');
                }
                c if c == quote => return Ok(out),
                '\\' if quote == '"' => self.escape(&mut out)?,
                '\n' => out.push(' '),
                c => out.push(c),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), FlowError> {
        let c = self.next()?;
        self.at += c.len_utf8();
        let plain = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'e' => '\u{1b}',
            other => other,
        };
        let digits = match c {
            '\n' => return Ok(()),
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                out.push(plain);
                return Ok(());
            }
        };
        let hex = self.text.get(self.at..self.at + digits).ok_or(FlowError::Unfinished)?;
        let letter = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
        let letter = letter.ok_or_else(|| FlowError::Wrong("did not find expected hexdecimal number".into()))?;
        self.at += digits;
        out.push(letter);
        Ok(())
    }
}
