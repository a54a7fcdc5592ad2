//! How Go writes values: in messages, in dumps of objects, in times.

use cluster::Stamp;
use serde_json::Value;

/// A text in quotes, as `%q` writes it.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A tree as `%#v` writes it.
pub(crate) fn dump(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".into(),
        Value::String(text) => quote(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(dump).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(map) => {
            let fields: Vec<_> = map.iter().map(|(key, value)| format!("{}:{}", quote(key), dump(value))).collect();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// A tree as `%v` writes it: `map[a:1 b:[x y]]`.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let fields: Vec<_> = map.iter().map(|(key, value)| format!("{key}:{}", plain(value))).collect();
            format!("map[{}]", fields.join(" "))
        }
        other => other.to_string(),
    }
}

/// JSON as Go writes it: signs that mean something in HTML are escaped.
pub(crate) fn json(value: &Value) -> String {
    escape(&value.to_string())
}

/// Escapes what Go escapes in JSON.
pub(crate) fn escape(json: &str) -> String {
    if !json.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{7f}']) {
        return json.into();
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `Sun, 15 Nov 2026 02:36:52 +0000` of a time in RFC 3339.
pub(crate) fn long_time(written: &str) -> String {
    let Some(stamp) = Stamp::parse(written) else { return written.into() };
    let (year, month, day, hour, minute, second) = stamp.civil();
    let weekday = DAYS[stamp.weekday().rem_euclid(7) as usize];
    let month = MONTHS[(month - 1).clamp(0, 11) as usize];
    format!("{weekday}, {day:02} {month} {year} {hour:02}:{minute:02}:{second:02} +0000")
}

/// `2026-11-15 02:37:23 +0000 UTC` of a time in RFC 3339.
pub(crate) fn dated_time(written: &str) -> String {
    let Some(stamp) = Stamp::parse(written) else { return written.into() };
    let (year, month, day, hour, minute, second) = stamp.civil();
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} +0000 UTC")
}
