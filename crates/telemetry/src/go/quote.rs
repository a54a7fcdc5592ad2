//! Strings as Go quotes and unquotes them.

use std::fmt::Write as _;

/// A text in double quotes with Go's escapes (`%q`).
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        escape(&mut out, c, '"');
    }
    out.push('"');
    out
}

/// A character in single quotes (`%q` of a rune).
pub(crate) fn quote_char(c: char) -> String {
    let mut out = String::from("'");
    escape(&mut out, c, '\'');
    out.push('\'');
    out
}

fn escape(out: &mut String, c: char, mark: char) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\u{b}' => out.push_str("\\v"),
        c if c == mark => {
            out.push('\\');
            out.push(c);
        }
        c if (c as u32) < 0x20 || c as u32 == 0x7f => {
            let _ = write!(out, "\\x{:02x}", c as u32);
        }
        c if is_printable(c) => out.push(c),
        c if (c as u32) < 0x10000 => {
            let _ = write!(out, "\\u{:04x}", c as u32);
        }
        c => {
            let _ = write!(out, "\\U{:08x}", c as u32);
        }
    }
}

fn is_printable(c: char) -> bool {
    let hidden = matches!(c as u32, 0xfffe..=0xffff | 0xe000..=0xf8ff | 0x200b..=0x200f | 0xfeff);
    c == ' ' || !(hidden || c.is_control() || c.is_whitespace())
}

/// Why a quoted string is not one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unquoting {
    /// `\q` with the character that stands after the backslash.
    UnknownEscape(char),
    /// Anything else.
    InvalidSyntax,
}

/// The text of a string in double quotes, single quotes or backquotes.
pub(crate) fn unquote(source: &str) -> Result<String, Unquoting> {
    let mark = source.chars().next().ok_or(Unquoting::InvalidSyntax)?;
    if source.len() < 2 || !source.ends_with(mark) {
        return Err(Unquoting::InvalidSyntax);
    }
    let inner = &source[1..source.len() - 1];
    match mark {
        '`' => Ok(inner.replace('\r', "")),
        '"' | '\'' => unescape(inner, mark),
        _ => Err(Unquoting::InvalidSyntax),
    }
}

fn unescape(inner: &str, mark: char) -> Result<String, Unquoting> {
    // Escapes may write single bytes, so the text is gathered as bytes.
    let mut out: Vec<u8> = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c == '\n' || c == mark {
            return Err(Unquoting::InvalidSyntax);
        }
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let escaped = chars.next().ok_or(Unquoting::InvalidSyntax)?;
        match escaped {
            'n' => out.push(b'\n'),
            't' => out.push(b'\t'),
            'r' => out.push(b'\r'),
            'a' => out.push(7),
            'b' => out.push(8),
            'f' => out.push(12),
            'v' => out.push(11),
            '\\' => out.push(b'\\'),
            c if c == mark => out.push(c as u8),
            'x' => out.push(number(&mut chars, 2, 16)? as u8),
            '0'..='7' => {
                let first = escaped.to_digit(8).ok_or(Unquoting::InvalidSyntax)?;
                let value = first * 64 + number(&mut chars, 2, 8)?;
                out.push(u8::try_from(value).map_err(|_| Unquoting::InvalidSyntax)?);
            }
            'u' => push_char(&mut out, number(&mut chars, 4, 16)?)?,
            'U' => push_char(&mut out, number(&mut chars, 8, 16)?)?,
            other => return Err(Unquoting::UnknownEscape(other)),
        }
    }
    String::from_utf8(out).map_err(|_| Unquoting::InvalidSyntax)
}

fn number(chars: &mut std::str::Chars<'_>, digits: usize, base: u32) -> Result<u32, Unquoting> {
    let mut value = 0u32;
    for _ in 0..digits {
        let digit = chars.next().and_then(|c| c.to_digit(base)).ok_or(Unquoting::InvalidSyntax)?;
        value = value.wrapping_mul(base).wrapping_add(digit);
    }
    Ok(value)
}

fn push_char(out: &mut Vec<u8>, code: u32) -> Result<(), Unquoting> {
    let c = char::from_u32(code).ok_or(Unquoting::InvalidSyntax)?;
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_and_unquoting_are_inverse() {
        for text in ["", "a", "é\n\"q\"\\", "\u{1}\u{7f}", "日本"] {
            assert_eq!(unquote(&quote(text)).as_deref(), Ok(text));
        }
        assert_eq!(quote("a\"b"), r#""a\"b""#);
        assert_eq!(unquote(r#""\q""#), Err(Unquoting::UnknownEscape('q')));
        assert_eq!(unquote("`raw\\n`").as_deref(), Ok("raw\\n"));
    }
}
