//! JSON on many lines, as kubectl prints it.

use serde_json::Value;

/// Four blanks a level, signs of HTML escaped, a newline at the end.
pub(crate) fn write(value: &Value) -> String {
    let mut out = String::new();
    write_at(value, 0, &mut out);
    out.push('\n');
    crate::go::escape(&out)
}

fn line(depth: usize, out: &mut String) {
    out.push('\n');
    (0..depth).for_each(|_| out.push_str("    "));
}

fn write_at(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(depth + 1, out);
                write_at(item, depth + 1, out);
            }
            line(depth, out);
            out.push(']');
        }
        Value::Object(map) if map.is_empty() => out.push_str("{}"),
        Value::Object(map) => {
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(depth + 1, out);
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push_str(": ");
                write_at(value, depth + 1, out);
            }
            line(depth, out);
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}
