//! Scripts as words.

use super::value::ScriptError;

/// A word of a script, and whether a line ended before it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) after_newline: bool,
}

/// What a word is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Text(String),
    Number(f64),
    /// `/pattern/`: taken as the text that it searches.
    Pattern(String),
    Sign(&'static str),
    End,
}

const SIGNS: &[&str] = &[
    "===", "!==", "...", "=>", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "{", "}", "(", ")", "[",
    "]", ";", ",", ":", ".", "?", "=", "<", ">", "+", "-", "*", "/", "%", "!",
];

/// Cuts a script into words; comments and spaces are dropped.
pub(super) fn lex(text: &str) -> Result<Vec<Lexeme>, ScriptError> {
    let mut out: Vec<Lexeme> = Vec::new();
    let mut rest = text;
    let mut after_newline = false;
    loop {
        let trimmed = rest.trim_start();
        after_newline |= rest[..rest.len() - trimmed.len()].contains('\n');
        rest = trimmed;
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
            continue;
        }
        let Some(first) = rest.chars().next() else { break };
        let (token, length) = match first {
            '"' | '\'' | '`' => quoted(rest, first)?,
            c if c.is_ascii_digit() => number(rest),
            c if c.is_alphabetic() || c == '_' || c == '$' => name(rest),
            '/' if begins_pattern(out.last()) => pattern(rest)?,
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or_else(|| ScriptError::new("SyntaxError", "illegal character"))?;
                (Token::Sign(sign), sign.len())
            }
        };
        rest = &rest[length..];
        out.push(Lexeme { token, after_newline });
        after_newline = false;
    }
    out.push(Lexeme { token: Token::End, after_newline: true });
    Ok(out)
}

fn begins_pattern(before: Option<&Lexeme>) -> bool {
    match before.map(|lexeme| &lexeme.token) {
        None => true,
        Some(Token::Sign(sign)) => !matches!(*sign, ")" | "]" | "}"),
        Some(_) => false,
    }
}

fn pattern(text: &str) -> Result<(Token, usize), ScriptError> {
    let end = text[1..]
        .find('/')
        .ok_or_else(|| ScriptError::new("SyntaxError", "unterminated regular expression literal"))?;
    let flags = text[end + 2..].chars().take_while(char::is_ascii_lowercase).count();
    Ok((Token::Pattern(text[1..=end].into()), end + 2 + flags))
}

fn quoted(text: &str, quote: char) -> Result<(Token, usize), ScriptError> {
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Ok((Token::Text(out), at + 1)),
            '\\' => match chars.next().map(|(_, c)| c) {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(c) => out.push(c),
                None => break,
            },
            c => out.push(c),
        }
    }
    Err(ScriptError::new("SyntaxError", "unterminated string literal"))
}

fn number(text: &str) -> (Token, usize) {
    let length = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (Token::Number(text[..length].parse().unwrap_or(f64::NAN)), length)
}

fn name(text: &str) -> (Token, usize) {
    let length = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(text.len());
    (Token::Name(text[..length].into()), length)
}
