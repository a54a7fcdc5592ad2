//! JSON as Go's encoder writes it, in the order of the fields.

use std::fmt::Write as _;

use crate::go::number::write_sample;
use crate::labels::Labels;
use crate::promql::Point;

/// A quoted string; `<`, `>` and `&` are escaped, as Go does for pages that embed JSON.
pub(crate) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// A quoted string.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}

/// A list of strings.
pub(crate) fn strings<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let parts: Vec<String> = texts.into_iter().map(string).collect();
    format!("[{}]", parts.join(","))
}

/// Labels as an object.
pub(crate) fn write_labels(out: &mut String, labels: &Labels) {
    out.push('{');
    for (i, (name, value)) in labels.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_string(out, name);
        out.push(':');
        write_string(out, value);
    }
    out.push('}');
}

/// Labels as an object.
pub(crate) fn labels(labels: &Labels) -> String {
    let mut out = String::new();
    write_labels(&mut out, labels);
    out
}

/// Unix seconds, with three decimals where they are not whole.
pub(crate) fn write_time(out: &mut String, millis: i64) {
    let sign = if millis < 0 { "-" } else { "" };
    let size = millis.unsigned_abs();
    let _ = match size % 1000 {
        0 => write!(out, "{sign}{}", size / 1000),
        rest => write!(out, "{sign}{}.{rest:03}", size / 1000),
    };
}

/// `[1767270007,"1"]`
pub(crate) fn write_point(out: &mut String, point: Point) {
    out.push('[');
    write_time(out, point.time);
    out.push_str(",\"");
    write_sample(out, point.value);
    out.push_str("\"]");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_points_are_written_as_go_writes_them() {
        assert_eq!(string("a<b> & \"c\"\n\u{1}é"), r#""a\u003cb\u003e \u0026 \"c\"\n\u0001é""#);
        let mut out = String::new();
        write_point(&mut out, Point { time: 1_767_270_007_500, value: 0.25 });
        write_point(&mut out, Point { time: 1000, value: f64::NAN });
        assert_eq!(out, r#"[1767270007.500,"0.25"][1,"NaN"]"#);
    }
}
