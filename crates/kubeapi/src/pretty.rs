//! JSON with line breaks, as the real server writes it for browsers and curl. The order of fields stays.

/// Indents compact JSON by two spaces.
pub(crate) fn indent(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 2);
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, &byte) in text.iter().enumerate() {
        if quoted {
            out.push(byte);
            quoted = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        let next = text.get(at + 1).copied();
        match byte {
            b'"' => {
                quoted = true;
                out.push(byte);
            }
            b'{' | b'[' => {
                out.push(byte);
                depth += 1;
                if !matches!(next, Some(b'}' | b']')) {
                    line(&mut out, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if !matches!(out.last(), Some(b'{' | b'[')) {
                    line(&mut out, depth);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            byte => out.push(byte),
        }
    }
    out
}

fn line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', depth * 2));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structure_is_indented_and_texts_are_left_alone() {
        let check = |text: &str, expect: &str| assert_eq!(String::from_utf8_lossy(&indent(text.as_bytes())), expect);
        check(r#"{"a":[1,2],"b":{}}"#, "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
        check(r#"{"a":"x,{\"y\\"}"#, "{\n  \"a\": \"x,{\\\"y\\\\\"\n}");
        check("[]", "[]");
    }
}
