//! Encodings: base64, JSON, CSV, YAML, URLs, files.

use std::fmt::Write;

use super::Unknowns::Deep;
use super::{EvalHost, Function, Gives, text};
use crate::datum::{Datum, number_text};

pub(super) const TABLE: &[Function] = &[
    Function("jsonencode", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(json_text(&a[0])))),
    Function("jsondecode", 1, 1, Deep, Gives::Any, |a, _| json_value(&text(&a[0])?)),
    Function("yamlencode", 1, 1, Deep, Gives::Text, |a, _| {
        let mut made = String::new();
        yaml(&a[0], 0, &mut made);
        Ok(Datum::Text(made))
    }),
    Function("base64encode", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(base64(text(&a[0])?.as_bytes())))),
    Function("base64decode", 1, 1, Deep, Gives::Text, |a, _| {
        let bytes = unbase64(&text(&a[0])?).ok_or("failed to decode base64 data")?;
        String::from_utf8(bytes)
            .map(Datum::Text)
            .map_err(|_| "the result of decoding the provided string is not valid UTF-8".to_owned())
    }),
    Function("urlencode", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(url(&text(&a[0])?)))),
    Function("csvdecode", 1, 1, Deep, Gives::List, |a, _| csv(&text(&a[0])?)),
    Function("file", 1, 1, Deep, Gives::Text, |a, host| read(&a[0], host).map(Datum::text)),
    Function("filebase64", 1, 1, Deep, Gives::Text, |a, host| Ok(Datum::Text(base64(read(&a[0], host)?.as_bytes())))),
    Function("fileexists", 1, 1, Deep, Gives::Bool, |a, host| Ok(Datum::Bool(host.file(&text(&a[0])?).is_some()))),
    Function("basename", 1, 1, Deep, Gives::Text, |a, _| {
        let path = text(&a[0])?;
        Ok(Datum::text(path.rsplit('/').next().unwrap_or_default()))
    }),
    Function("dirname", 1, 1, Deep, Gives::Text, |a, _| {
        let path = text(&a[0])?;
        Ok(Datum::text(path.rsplit_once('/').map_or(".", |(dir, _)| dir)))
    }),
    Function("abspath", 1, 1, Deep, Gives::Text, |a, _| {
        Ok(Datum::Text(format!("/config/{}", text(&a[0])?.trim_start_matches("./"))))
    }),
    Function("pathexpand", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(text(&a[0])?.replacen('~', "/root", 1)))),
];

pub(super) fn read<'a>(path: &Datum, host: &EvalHost<'a>) -> Result<&'a str, String> {
    let path = text(path)?;
    host.file(&path).ok_or_else(|| format!("no file exists at {path:?}; this function works only with files that are distributed as part of the configuration source code"))
}

/// JSON as Terraform writes it: no spaces, keys in order, `<`, `>` and `&` escaped.
pub fn json_text(value: &Datum) -> String {
    let mut made = String::new();
    json(value, &mut made);
    made
}

fn json(value: &Datum, made: &mut String) {
    match value {
        Datum::Null | Datum::Unknown(_) => made.push_str("null"),
        Datum::Bool(b) => made.push_str(if *b { "true" } else { "false" }),
        Datum::Number(n) => made.push_str(&number_text(*n)),
        Datum::Text(text) => json_string(text, made),
        Datum::List(items) | Datum::Set(items) => {
            made.push('[');
            for (i, item) in items.iter().enumerate() {
                made.push_str(if i > 0 { "," } else { "" });
                json(item, made);
            }
            made.push(']');
        }
        Datum::Map(entries) => {
            made.push('{');
            for (i, (key, item)) in entries.iter().enumerate() {
                made.push_str(if i > 0 { "," } else { "" });
                json_string(key, made);
                made.push(':');
                json(item, made);
            }
            made.push('}');
        }
    }
}

fn json_string(text: &str, made: &mut String) {
    made.push('"');
    for c in text.chars() {
        match c {
            '"' => made.push_str("\\\""),
            '\\' => made.push_str("\\\\"),
            '\n' => made.push_str("\\n"),
            '\r' => made.push_str("\\r"),
            '\t' => made.push_str("\\t"),
            c if (c as u32) < 32 || matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}') => {
                write!(made, "\\u{:04x}", c as u32).expect("a string takes everything");
            }
            c => made.push(c),
        }
    }
    made.push('"');
}

/// A value from JSON text.
pub fn json_value(text: &str) -> Result<Datum, String> {
    let parsed: serde_json::Value = serde_json::from_str(text).map_err(|e| format!("invalid JSON: {e}"))?;
    Ok(from_json(parsed))
}

fn from_json(value: serde_json::Value) -> Datum {
    match value {
        serde_json::Value::Null => Datum::Null,
        serde_json::Value::Bool(b) => Datum::Bool(b),
        serde_json::Value::Number(n) => Datum::Number(n.as_f64().unwrap_or(f64::MAX)),
        serde_json::Value::String(text) => Datum::Text(text),
        serde_json::Value::Array(items) => Datum::List(items.into_iter().map(from_json).collect()),
        serde_json::Value::Object(entries) => Datum::map(entries.into_iter().map(|(k, v)| (k, from_json(v)))),
    }
}

fn yaml(value: &Datum, depth: usize, made: &mut String) {
    let pad = "  ".repeat(depth);
    match value {
        Datum::Map(entries) if !entries.is_empty() => {
            for (key, item) in entries {
                write!(made, "{pad}{}:", json_text(&Datum::text(key.clone()))).expect("a string takes everything");
                // The elements of a list stand below the first letter of its name.
                let list = matches!(item, Datum::List(_) | Datum::Set(_));
                yaml_item(item, if list { depth } else { depth + 1 }, made);
            }
        }
        Datum::List(items) | Datum::Set(items) if !items.is_empty() => {
            for item in items {
                write!(made, "{pad}-").expect("a string takes everything");
                yaml_item(item, depth + 1, made);
            }
        }
        scalar => {
            writeln!(made, "{}", json_text(scalar)).expect("a string takes everything");
        }
    }
}

fn yaml_item(item: &Datum, depth: usize, made: &mut String) {
    let nested = match item {
        Datum::Map(entries) => !entries.is_empty(),
        Datum::List(items) | Datum::Set(items) => !items.is_empty(),
        _ => false,
    };
    made.push(if nested { '\n' } else { ' ' });
    yaml(item, depth, made);
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn base64(bytes: &[u8]) -> String {
    let mut made = String::with_capacity(bytes.len() / 3 * 4 + 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |g, b| g << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let letter = LETTERS[(group >> (18 - 6 * i) & 63) as usize];
            made.push(if i <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    made
}

fn unbase64(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - body.len() > 2 {
        return None;
    }
    let mut made = Vec::new();
    let mut group = 0u32;
    let mut have = 0;
    for byte in body.bytes() {
        let six = LETTERS.iter().position(|l| *l == byte)?;
        group = group << 6 | u32::try_from(six).ok()?;
        have += 6;
        if have >= 8 {
            have -= 8;
            made.push((group >> have & 255) as u8);
        }
    }
    Some(made)
}

fn url(text: &str) -> String {
    let mut made = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => made.push(char::from(byte)),
            b' ' => made.push('+'),
            _ => write!(made, "%{byte:02X}").expect("a string takes everything"),
        }
    }
    made
}

fn csv(text: &str) -> Result<Datum, String> {
    let row = |line: &str| line.split(',').map(|cell| cell.trim().trim_matches('"').to_owned()).collect::<Vec<_>>();
    let mut lines = text.lines().filter(|l| !l.trim().is_empty());
    let header = row(lines.next().ok_or("missing header line")?);
    let rows = lines.map(|line| {
        let cells = row(line);
        if cells.len() != header.len() {
            return Err("wrong number of fields".to_owned());
        }
        Ok(Datum::map(header.iter().cloned().zip(cells.into_iter().map(Datum::Text))))
    });
    Ok(Datum::List(rows.collect::<Result<_, _>>()?))
}
