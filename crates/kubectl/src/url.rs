//! Paths and queries of requests.

/// A text as it may stand in a path or query.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A path with query parameters; those without a value are left out.
pub(crate) fn with_query(path: &str, query: &[(&str, &str)]) -> String {
    let pairs: Vec<_> = query
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}={}", encoded(value)))
        .collect();
    match (pairs.is_empty(), path.contains('?')) {
        (true, _) => path.into(),
        (false, false) => format!("{path}?{}", pairs.join("&")),
        (false, true) => format!("{path}&{}", pairs.join("&")),
    }
}
