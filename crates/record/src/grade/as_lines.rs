//! Diagnoses that are written as data: JSON, or keys and values, as the lines that a person would have written.

use std::borrow::Cow;

/// Names under which data gives a setting.
const SETTINGS: [&str; 7] = ["key", "setting", "parameter", "option", "config", "what", "variable"];

/// Names under which it gives the setting's value.
const VALUES: [&str; 7] = ["value", "is", "now", "current", "actual", "set to", "set_to"];

/// A text with a line for each entry of its data, and each setting beside its value.
pub(super) fn as_lines(text: &str) -> Cow<'_, str> {
    let lines = if is_data(text) { Cow::Owned(entries(text)) } else { Cow::Borrowed(text) };
    if lines.lines().any(|line| value_of(line, &SETTINGS).is_some()) { Cow::Owned(paired(&lines)) } else { lines }
}

fn is_data(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches("```json").trim_start();
    text.starts_with(['{', '[']) && text.contains(':')
}

/// One line for each entry: what nests is told after its name, and a list stays one.
fn entries(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + 16);
    let (mut quoted, mut lists) = (false, Vec::new());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quoted => lines.push(match chars.next() {
                Some('n') => '\n',
                Some(other) => other,
                None => ' ',
            }),
            '"' => quoted = !quoted,
            _ if quoted => lines.push(c),
            '{' | '[' => {
                lists.push(c == '[');
                lines.push(' ');
            }
            '}' | ']' => {
                lists.pop();
            }
            ',' if lists.last() == Some(&true) => lines.push_str(", "),
            ',' => lines.push('\n'),
            ':' => lines.push_str(": "),
            _ => lines.push(c),
        }
    }
    lines
}

/// `key: TTL_SECONDS` and `value: 3` are `TTL_SECONDS: 3`.
fn paired(text: &str) -> String {
    let mut lines = Vec::new();
    let mut rest = text.lines().peekable();
    while let Some(line) = rest.next() {
        let Some(setting) = value_of(line, &SETTINGS) else {
            lines.push(line.to_string());
            continue;
        };
        match rest.next_if(|next| value_of(next, &VALUES).is_some()) {
            Some(next) => lines.push(format!("{setting}: {}", value_of(next, &VALUES).unwrap_or_default())),
            None => lines.push(line.to_string()),
        }
    }
    lines.join("\n")
}

/// What stands behind one of some names, if the line is of that form.
fn value_of<'a>(line: &'a str, names: &[&str]) -> Option<&'a str> {
    let (name, value) = line.split_once([':', '='])?;
    let name = name.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    names.contains(&name.as_str()).then(|| value.trim().trim_start_matches('*').trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_told_in_lines() {
        let check = |text: &str, expect: &str| {
            let lines: Vec<String> =
                as_lines(text).lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            assert_eq!(lines.join(" / "), expect, "{text}");
        };
        check(r#"{"cause": "a, b", "cleared": ["c", "d"], "n": 1}"#, "cause: a, b / cleared: c, d / n: 1");
        check("{cause: the \"cache\" crashed}", "cause: the cache crashed");
        check("service: cache\nkey: TTL_SECONDS\nvalue: 3", "service: cache / TTL_SECONDS: 3");
        check(r#"{"key": "TTL_SECONDS", "value": 3}"#, "TTL_SECONDS: 3");
        check("The key: it crashed.", "The key: it crashed.");
        check("{", "{");
    }
}
