//! Regular expressions as grep and sed write them.

use regex_lite::{Regex, RegexBuilder};

/// How a pattern is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `grep`, `sed`: brackets, braces, `+`, `?` and `|` are signs only after a backslash.
    Basic,
    /// `grep -E`, `awk`, `jq`.
    Extended,
    /// `grep -F`: no signs at all.
    Fixed,
}

/// Compiles a pattern; it runs in linear time, so back-references are refused.
pub fn pattern(text: &str, dialect: Dialect, ignore_case: bool) -> Result<Regex, String> {
    let translated = match dialect {
        Dialect::Fixed => regex_lite::escape(text),
        Dialect::Basic => translate(text, true),
        Dialect::Extended => translate(text, false),
    };
    let built = RegexBuilder::new(&translated).case_insensitive(ignore_case).size_limit(1 << 20).build();
    built.map_err(|_| match text.contains("\\1") {
        true => "back-references are not supported".to_string(),
        false => format!("Invalid regular expression: {text}"),
    })
}

fn translate(text: &str, is_basic: bool) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    let mut at_start = true;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('(' | ')' | '{' | '}' | '+' | '?' | '|')) if is_basic => out.push(c),
                Some('<' | '>') => out.push_str("\\b"),
                Some('"') => out.push('"'),
                Some('/') => out.push('/'),
                Some('\'') => out.push('\''),
                Some(c @ ('-' | ':' | ',' | ' ' | '=' | '@' | '%' | '#' | '!' | '&' | '~' | ';' | '_')) => {
                    out.push_str(&regex_lite::escape(&c.to_string()));
                }
                Some(c) => out.extend(['\\', c]),
                None => out.push_str("\\\\"),
            },
            '(' | ')' | '{' | '}' | '+' | '?' | '|' if is_basic => out.extend(['\\', c]),
            '{' if !chars.peek().is_some_and(char::is_ascii_digit) => out.push_str("\\{"),
            '*' if at_start => out.push_str("\\*"),
            '[' => bracket(&mut chars, &mut out),
            c => out.push(c),
        }
        at_start = (at_start && c == '^') || (c == '(' && !is_basic);
        at_start |= c == '|' && !is_basic;
    }
    out
}

/// `[...]`, in which a backslash is a letter unless it names a class, and `[:alpha:]` stays.
fn bracket(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    out.push('[');
    if chars.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    if chars.next_if_eq(&']').is_some() {
        out.push_str("\\]");
    }
    while let Some(c) = chars.next() {
        match c {
            ']' => {
                out.push(']');
                return;
            }
            '[' if chars.peek() == Some(&':') => {
                out.push('[');
                for c in chars.by_ref() {
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            '[' => out.push_str("\\["),
            '&' | '~' => out.extend(['\\', c]),
            '\\' => match chars.next() {
                Some(c) => out.extend(['\\', c]),
                None => out.push_str("\\\\"),
            },
            c => out.push(c),
        }
    }
}
