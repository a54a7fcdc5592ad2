//! JSON as the real server writes it.

use serde_json::Value;

/// Compact JSON with the fields that say what it is at the front.
pub(crate) fn write_json(value: &Value) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    write_object(value, &mut out);
    out
}

/// The fields that come first in an answer, in the order of the real server; the others follow in alphabetical order.
const FIRST: [&str; 8] = ["kind", "apiVersion", "metadata", "spec", "status", "message", "reason", "details"];

fn write_object(value: &Value, out: &mut Vec<u8>) {
    let Value::Object(map) = value else {
        serde_json::to_writer(out, value).expect("a tree of values is always written");
        return;
    };
    let first = FIRST.iter().filter_map(|name| map.get_key_value(*name));
    let rest = map.iter().filter(|(name, _)| !FIRST.contains(&name.as_str()));
    let mut sign = b'{';
    for (name, value) in first.chain(rest) {
        out.push(sign);
        sign = b',';
        serde_json::to_writer(&mut *out, name).expect("a text is always written");
        out.push(b':');
        // Events of a watch and items of a list say what they are first as well.
        match value {
            Value::Object(_) if name == "object" => write_object(value, out),
            value => serde_json::to_writer(&mut *out, value).expect("a tree of values is always written"),
        }
    }
    if sign == b'{' {
        out.push(b'{');
    }
    out.push(b'}');
}
