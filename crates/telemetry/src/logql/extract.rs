//! Labels out of lines: json, logfmt, pattern, regexp, unpack.

use serde_json::Value as Json;

use super::ast::{LinePattern, PatternPart};

/// A label that was found, with its value.
pub(crate) type Found = (String, String);

/// All fields of a JSON object: nested names joined by `_`, lists left out.
pub(crate) fn json_fields(line: &str) -> Result<Vec<Found>, &'static str> {
    let Some(Json::Object(object)) = ordered_json(line) else {
        return Err("Value looks like object, but can't find closing '}' symbol");
    };
    let mut out = Vec::new();
    flatten("", &object, &mut out, 0);
    Ok(out)
}

fn ordered_json(line: &str) -> Option<Json> {
    serde_json::from_str(line.trim()).ok()
}

fn flatten(prefix: &str, object: &serde_json::Map<String, Json>, out: &mut Vec<Found>, depth: usize) {
    for (key, value) in object {
        let key = sanitized(key, prefix.is_empty());
        let name = if prefix.is_empty() { key } else { format!("{prefix}_{key}") };
        match value {
            Json::Object(inner) if depth < 50 => flatten(&name, inner, out, depth + 1),
            Json::Object(_) | Json::Array(_) | Json::Null => {}
            value => out.push((name, scalar_text(value))),
        }
    }
}

fn scalar_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A name with `_` for what no label may hold.
pub(crate) fn sanitized(name: &str, first: bool) -> String {
    let mut out = String::with_capacity(name.len());
    if first && name.starts_with(|c: char| c.is_ascii_digit()) {
        out.push('_');
    }
    out.extend(name.trim().chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }));
    out
}

/// The value at `a.b[0]["c"]`; empty where there is none.
pub(crate) fn json_path(line: &str, path: &str) -> Result<String, &'static str> {
    let root = ordered_json(line).ok_or("Value looks like object, but can't find closing '}' symbol")?;
    let mut value = &root;
    let mut rest = path;
    while !rest.is_empty() {
        rest = rest.trim_start_matches('.');
        let found = if let Some(index) = rest.strip_prefix('[') {
            let end = index.find(']').ok_or("invalid path")?;
            let key = &index[..end];
            rest = &index[end + 1..];
            match key.strip_prefix('"').and_then(|k| k.strip_suffix('"')) {
                Some(name) => value.get(name),
                None => key.parse::<usize>().ok().and_then(|i| value.get(i)),
            }
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let key = &rest[..end];
            rest = &rest[end..];
            value.get(key)
        };
        match found {
            Some(next) => value = next,
            None => return Ok(String::new()),
        }
    }
    Ok(match value {
        Json::Null => String::new(),
        value => scalar_text(value),
    })
}

/// Fields of a line `key=value key="quoted"`; the error tells where a strict reader stops.
pub(crate) fn logfmt_fields(line: &str, keep_empty: bool) -> (Vec<Found>, Option<String>) {
    let mut out = Vec::new();
    let mut error = None;
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] <= b' ' {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at] > b' ' && bytes[at] != b'=' && bytes[at] != b'"' {
            at += 1;
        }
        let key = &line[start..at];
        if at < bytes.len() && bytes[at] == b'"' {
            error.get_or_insert(format!("logfmt syntax error at pos {} : unexpected '\"'", at + 1));
            at = next_blank(bytes, at);
            continue;
        }
        if at >= bytes.len() || bytes[at] != b'=' {
            if keep_empty && !key.is_empty() {
                out.push((sanitized(key, true), String::new()));
            }
            continue;
        }
        if key.is_empty() {
            error.get_or_insert(format!("logfmt syntax error at pos {} : unexpected '='", at + 1));
            at = next_blank(bytes, at);
            continue;
        }
        at += 1;
        let value = if at < bytes.len() && bytes[at] == b'"' {
            match quoted(line, at) {
                Some((value, end)) => {
                    at = end;
                    value
                }
                None => {
                    error.get_or_insert(format!("logfmt syntax error at pos {} : unterminated quoted value", at + 1));
                    break;
                }
            }
        } else {
            let start = at;
            at = next_blank(bytes, at);
            line[start..at].to_owned()
        };
        if !value.is_empty() || keep_empty {
            out.push((sanitized(key, true), value));
        }
    }
    (out, error)
}

fn next_blank(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|c| *c <= b' ').map_or(bytes.len(), |i| from + i)
}

fn quoted(line: &str, at: usize) -> Option<(String, usize)> {
    let mut escaped = false;
    for (i, c) in line[at + 1..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => {
                let end = at + 1 + i + 1;
                return crate::go::unquote(&line[at..end]).ok().map(|value| (value, end));
            }
            _ => {}
        }
    }
    None
}

/// `<ip> - <_>`: literals and captures.
pub(crate) fn read_pattern(source: &str) -> Result<LinePattern, String> {
    let mut parts: Vec<PatternPart> = Vec::new();
    let mut rest = source;
    while !rest.is_empty() {
        if let Some((name, after)) = capture(rest) {
            if let Some(PatternPart::Capture(before)) = parts.last() {
                let shown = |n: &str| if n.is_empty() { "<_>".to_owned() } else { format!("<{n}>") };
                return Err(format!(
                    "found consecutive capture '{}{}': invalid expression",
                    shown(before),
                    shown(name)
                ));
            }
            parts.push(PatternPart::Capture(if name == "_" { String::new() } else { name.to_owned() }));
            rest = after;
            continue;
        }
        let c = rest.chars().next().expect("it is not empty");
        match parts.last_mut() {
            Some(PatternPart::Literal(text)) => text.push(c),
            _ => parts.push(PatternPart::Literal(c.to_string())),
        }
        rest = &rest[c.len_utf8()..];
    }
    let pattern = LinePattern { source: source.to_owned(), parts };
    if let Some(twice) = pattern.names().find(|n| pattern.names().filter(|m| m == n).count() > 1) {
        return Err(format!("duplicate capture name ({twice}): invalid expression"));
    }
    Ok(pattern)
}

fn capture(rest: &str) -> Option<(&str, &str)> {
    let inner = rest.strip_prefix('<')?;
    let end = inner.find('>')?;
    let name = &inner[..end];
    let valid = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    valid.then(|| (name, &inner[end + 1..]))
}

impl LinePattern {
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|p| match p {
            PatternPart::Capture(name) if !name.is_empty() => Some(name.as_str()),
            _ => None,
        })
    }

    pub fn has_names(&self) -> bool {
        self.names().next().is_some()
    }

    /// What the captures hold; those after a literal that is missing hold nothing.
    pub fn captures(&self, line: &str) -> Vec<Found> {
        let mut out = Vec::new();
        let mut rest = line;
        let mut parts = self.parts.iter().peekable();
        if let Some(PatternPart::Literal(text)) = parts.peek() {
            match rest.find(text.as_str()) {
                Some(at) => rest = &rest[at + text.len()..],
                None => return out,
            }
            parts.next();
        }
        while let Some(part) = parts.next() {
            let PatternPart::Capture(name) = part else { continue };
            let value = match parts.next() {
                None => std::mem::take(&mut rest),
                Some(PatternPart::Literal(text)) => match rest.find(text.as_str()) {
                    Some(at) => {
                        let value = &rest[..at];
                        rest = &rest[at + text.len()..];
                        value
                    }
                    None => return out,
                },
                Some(PatternPart::Capture(_)) => return out,
            };
            if !name.is_empty() {
                out.push((name.clone(), value.to_owned()));
            }
        }
        out
    }

    /// Whether a line has this form, as `|>` asks: literals in order, captures not empty in between.
    pub fn fits(&self, line: &str) -> bool {
        let mut rest = line;
        let mut after_capture = false;
        for (i, part) in self.parts.iter().enumerate() {
            match part {
                PatternPart::Capture(_) => after_capture = true,
                PatternPart::Literal(text) => {
                    let Some(at) = rest.find(text.as_str()) else { return false };
                    if (i == 0 && at != 0) || (after_capture && at == 0) {
                        return false;
                    }
                    rest = &rest[at + text.len()..];
                    after_capture = false;
                }
            }
        }
        after_capture || rest.is_empty()
    }
}

/// Packed labels and the entry they were packed with.
pub(crate) fn unpacked(line: &str) -> Result<(Vec<Found>, Option<String>), &'static str> {
    let Some(Json::Object(object)) = ordered_json(line) else {
        return Err("expecting json object(6), but it is not");
    };
    let mut labels = Vec::new();
    let mut entry = None;
    for (key, value) in object {
        if let Json::String(text) = value {
            if key == "_entry" {
                entry = Some(text);
            } else {
                labels.push((sanitized(&key, true), text));
            }
        }
    }
    // Without an entry nothing was packed.
    Ok(if entry.is_some() { (labels, entry) } else { (Vec::new(), None) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: &str, b: &str) -> Found {
        (a.to_owned(), b.to_owned())
    }

    #[test]
    fn fields_are_found() {
        let found = json_fields(r#"{"a":1,"b":{"c":"x","d":true},"e":[1],"f-g":null,"h i":2.50}"#);
        assert_eq!(found, Ok(vec![pair("a", "1"), pair("b_c", "x"), pair("b_d", "true"), pair("h_i", "2.5")]));
        assert!(json_fields("nope").is_err());
        assert_eq!(json_path(r#"{"a":{"b":[1,{"c":"x"}]}}"#, r#"a.b[1]["c"]"#).as_deref(), Ok("x"));
        let (found, error) = logfmt_fields(r#"a=1 b="x y" c d= e="#, false);
        assert_eq!((found, error), (vec![pair("a", "1"), pair("b", "x y")], None));
    }

    #[test]
    fn patterns_capture() {
        let pattern = read_pattern(r#"<ip> - [<_>] "<method> <path>"#).expect("a pattern");
        assert_eq!(
            pattern.captures(r#"10.0.0.1 - [now] "GET /a"#),
            vec![pair("ip", "10.0.0.1"), pair("method", "GET"), pair("path", "/a")]
        );
        assert_eq!(
            read_pattern("<a><b>").err().as_deref(),
            Some("found consecutive capture '<a><b>': invalid expression")
        );
        assert!(read_pattern("<_> took <_>ms").expect("a pattern").fits("it took 5ms"));
        assert!(!read_pattern("took <_>ms").expect("a pattern").fits("it took 5ms"));
    }
}
