//! Tokens of LogQL.

use crate::go::duration::{parse_go, parse_prometheus};
use crate::go::{parse_float, unquote};

/// What a token is, with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    End,
    Identifier(String),
    Text(String),
    Number(f64),
    /// Nanoseconds.
    Duration(i64),
    Bytes(f64),
    /// The nanoseconds in brackets.
    Range(i64),
    /// A keyword or a sign.
    Sign(&'static str),
    /// What is wrong, with the line that Loki prints.
    Error(String, bool),
}

impl Token {
    /// As syntax errors name it.
    pub fn name(&self) -> String {
        match self {
            Self::End | Self::Error(..) => "$end".to_owned(),
            Self::Identifier(_) => "IDENTIFIER".to_owned(),
            Self::Text(_) => "STRING".to_owned(),
            Self::Number(_) => "NUMBER".to_owned(),
            Self::Duration(_) => "DURATION".to_owned(),
            Self::Bytes(_) => "BYTES".to_owned(),
            Self::Range(_) => "RANGE".to_owned(),
            Self::Sign(text) => (*text).to_owned(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub token: Token,
    /// Its first byte.
    pub at: usize,
    pub source: String,
}

/// Words that are never labels.
const KEYWORDS: [&str; 29] = [
    "by",
    "without",
    "and",
    "or",
    "unless",
    "on",
    "ignoring",
    "group_left",
    "group_right",
    "bool",
    "offset",
    "json",
    "logfmt",
    "regexp",
    "pattern",
    "unpack",
    "line_format",
    "label_format",
    "decolorize",
    "drop",
    "keep",
    "unwrap",
    "ip",
    "vector",
    "label_replace",
    "variants",
    "of",
    "distinct",
    "duration_seconds",
];

/// Words that are functions before a parenthesis or a grouping, and labels elsewhere.
pub(super) const FUNCTIONS: [&str; 34] = [
    "rate",
    "rate_counter",
    "count_over_time",
    "bytes_rate",
    "bytes_over_time",
    "sum_over_time",
    "avg_over_time",
    "max_over_time",
    "min_over_time",
    "stdvar_over_time",
    "stddev_over_time",
    "quantile_over_time",
    "first_over_time",
    "last_over_time",
    "absent_over_time",
    "sum",
    "avg",
    "max",
    "min",
    "count",
    "stddev",
    "stdvar",
    "topk",
    "bottomk",
    "sort",
    "sort_desc",
    "approx_topk",
    "bytes",
    "duration",
    "vector",
    "label_replace",
    "ip",
    "duration_seconds",
    "of",
];

const SIGNS: [&str; 30] = [
    "|=",
    "|~",
    "|>",
    "!=",
    "!~",
    "!>",
    "=~",
    "==",
    ">=",
    "<=",
    "{",
    "}",
    "(",
    ")",
    ",",
    "=",
    "|",
    ">",
    "<",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "[",
    "]",
    ".",
    "--strict",
    "--keep-empty",
];

/// All tokens; the last one is the end or an error.
pub(super) fn tokens(query: &str) -> Vec<Placed> {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        at += blanks(&query[at..]);
        let (token, length) = next(&query[at..]);
        let last = matches!(token, Token::End | Token::Error(..));
        let source = query[at..at + length].to_owned();
        out.push(Placed { token, at, source });
        if last {
            return out;
        }
        at += length;
    }
}

/// Line and column of a byte, both from one.
pub(super) fn place(query: &str, at: usize) -> (usize, usize) {
    let before = &query[..at];
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
    (line, column)
}

fn blanks(rest: &str) -> usize {
    let mut at = 0;
    loop {
        let text = &rest[at..];
        let trimmed = text.trim_start();
        at += text.len() - trimmed.len();
        if !trimmed.starts_with('#') {
            return at;
        }
        at += trimmed.find('\n').unwrap_or(trimmed.len());
    }
}

fn next(rest: &str) -> (Token, usize) {
    let Some(c) = rest.chars().next() else { return (Token::End, 0) };
    match c {
        '"' | '`' => text(rest, c),
        '[' => range(rest),
        c if c.is_ascii_digit() => number(rest),
        '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(rest),
        c if c.is_alphabetic() || c == '_' => word(rest),
        _ => {
            for sign in ["--strict", "--keep-empty"] {
                if rest.starts_with(sign) {
                    return (Token::Sign(sign), sign.len());
                }
            }
            match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => (Token::Error(format!("syntax error: unexpected {c}"), false), 0),
            }
        }
    }
}

fn text(rest: &str, mark: char) -> (Token, usize) {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' && mark == '"' {
            escaped = true;
        } else if c == mark {
            return match unquote(&rest[..=i]) {
                Ok(text) => (Token::Text(text), i + 1),
                Err(_) => (Token::Error("invalid char escape".to_owned(), false), 0),
            };
        }
    }
    (Token::Error("literal not terminated".to_owned(), false), 0)
}

/// `[5m]` as one token.
fn range(rest: &str) -> (Token, usize) {
    let Some(end) = rest.find(']') else {
        return (Token::Error("missing closing ']' in duration".to_owned(), true), 0);
    };
    let inner = &rest[1..end];
    match duration(inner) {
        Some(nanos) if nanos > 0 => (Token::Range(nanos), end + 1),
        Some(_) => (Token::Error("duration must be greater than 0".to_owned(), true), 0),
        None => (Token::Error(format!("not a valid duration string: {}", crate::go::quote(inner)), true), 0),
    }
}

/// Prometheus' durations (`1d`) and Go's (`1.5s`).
pub(super) fn duration(text: &str) -> Option<i64> {
    match parse_prometheus(text) {
        Some(millis) if text != "0" => millis.checked_mul(1_000_000),
        _ => parse_go(text).filter(|_| text.ends_with(|c: char| c.is_alphabetic())),
    }
}

fn number(rest: &str) -> (Token, usize) {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '.' || c == 'µ')).unwrap_or(rest.len());
    let mut end = end;
    // The sign of an exponent belongs to the number.
    if rest[..end].ends_with(['e', 'E']) && rest[end..].starts_with(['+', '-']) {
        let more = rest[end + 1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - end - 1);
        end += 1 + more;
    }
    let word = &rest[..end];
    if let Some(value) = parse_float(word) {
        return (Token::Number(value), end);
    }
    if let Some(nanos) = duration(word) {
        return (Token::Duration(nanos), end);
    }
    match bytes(word) {
        Some(value) => (Token::Bytes(value), end),
        None => (Token::Error(format!("syntax error: unexpected {word}"), false), 0),
    }
}

/// `8KB`, `1.5MiB`.
pub(crate) fn bytes(text: &str) -> Option<f64> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(text.len());
    let amount: f64 = text[..digits].replace(',', "").parse().ok()?;
    let factor = match text[digits..].trim().to_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "p" | "pb" => 1e15,
        "ki" | "kib" => 1024.0,
        "mi" | "mib" => 1024.0 * 1024.0,
        "gi" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "ti" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "pi" | "pib" => 1024.0 * 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some((amount * factor).trunc())
}

fn word(rest: &str) -> (Token, usize) {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
    let word = &rest[..end];
    let lower = word.to_lowercase();
    let after = rest[end..].trim_start();
    let called = after.starts_with('(') || after.starts_with("by") || after.starts_with("without");
    if let Some(function) = FUNCTIONS.iter().find(|f| **f == lower) {
        return if called { (Token::Sign(function), end) } else { (Token::Identifier(word.to_owned()), end) };
    }
    match KEYWORDS.iter().find(|k| **k == word) {
        Some(keyword) => (Token::Sign(keyword), end),
        None => (Token::Identifier(word.to_owned()), end),
    }
}
