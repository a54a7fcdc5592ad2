//! Call syntax: `update_config(cache, key=TTL_SECONDS, value: "300")`.

use std::borrow::Cow;

use crate::tool::Tool;
use crate::toolset::ToolSet;

use super::{ONE_ONLY, Piece, find_tool};
use crate::nearest::clip;

/// Reads a call and nothing else.
pub(super) fn read(text: &str, set: ToolSet) -> Result<(&'static dyn Tool, Vec<Piece<'_>>), String> {
    let Some(open) = text.find('(') else { return Err(no_call(text, set)) };
    let name = text[..open].trim();
    let tool = match set.find(name) {
        Some(tool) => tool,
        None => return Err(before_the_call(name, set)),
    };
    let mut scan = Scan { text, at: open + 1, tool };
    let pieces = scan.pieces()?;
    let rest = text[scan.at..].trim();
    if rest.is_empty() { Ok((tool, pieces)) } else { Err(after_the_call(rest, tool, set)) }
}

fn no_call(text: &str, set: ToolSet) -> String {
    let word = text.split(|c: char| c.is_whitespace() || c == ':').next().unwrap_or("");
    match set.find(word) {
        Some(tool) => format!("`{}` is no call; write {}", clip(text), tool.signature()),
        None if text.contains(char::is_whitespace) => {
            let all: Vec<&str> = set.tools().iter().map(|t| t.signature()).collect();
            format!("`{}` is no tool call; write one of {}", clip(text), all.join(", "))
        }
        None => find_tool(text, set).err().unwrap_or_default(),
    }
}

fn before_the_call(name: &str, set: ToolSet) -> String {
    let last = name.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or("");
    match set.find(last) {
        Some(tool) => {
            let before = name[..name.len() - last.len()].trim();
            format!("write the call alone, {}, with no text before it; got `{}`", tool.signature(), clip(before))
        }
        None => find_tool(name, set).err().unwrap_or_default(),
    }
}

fn after_the_call(rest: &str, tool: &dyn Tool, set: ToolSet) -> String {
    let names = rest.match_indices('(').map(|(at, _)| {
        let before = rest[..at].trim_end();
        before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or("")
    });
    match names.filter_map(|name| set.find(name)).next() {
        Some(second) => format!(
            "{ONE_ONLY}: there are two calls here, {} and {}; write the first alone",
            tool.name(),
            second.name()
        ),
        None => format!("write the call alone, {}, with nothing behind it; got `{}`", tool.signature(), clip(rest)),
    }
}

/// A reading position inside the parentheses of a call.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    tool: &'static dyn Tool,
}

impl<'a> Scan<'a> {
    /// All arguments, up to and including the closing parenthesis.
    fn pieces(&mut self) -> Result<Vec<Piece<'a>>, String> {
        let mut pieces = Vec::with_capacity(self.tool.params().len());
        loop {
            match self.next() {
                None => return Err(self.unclosed()),
                Some(b')') => break,
                Some(b',') => return Err(format!("an argument is empty; write {}", self.tool.signature())),
                Some(_) => pieces.push(self.piece(pieces.len())?),
            }
            match self.next() {
                None => return Err(self.unclosed()),
                Some(b')') => break,
                Some(b',') => self.at += 1,
                Some(_) => return Err(self.behind_the_quote()),
            }
        }
        self.at += 1;
        Ok(pieces)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next byte that is no space; the position moves there.
    fn next(&mut self) -> Option<u8> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.text.as_bytes().get(self.at).copied()
    }

    fn piece(&mut self, index: usize) -> Result<Piece<'a>, String> {
        let key = self.key(index).map(Cow::Borrowed);
        match self.next() {
            Some(quote @ (b'"' | b'\'')) => Ok(Piece { key, value: self.quoted(quote)?, bare: None }),
            _ => {
                let (from, to) = self.bare();
                Ok(Piece { key, value: self.text[from..to].into(), bare: Some((from, to)) })
            }
        }
    }

    /// A name with `=` or `:` behind it. `a: b` where any text will do is text, unless `a` is a parameter.
    fn key(&mut self, index: usize) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_')).unwrap_or(rest.len());
        let behind = rest[end..].trim_start();
        let sign = behind.bytes().next().filter(|b| matches!(b, b'=' | b':'))?;
        if end == 0 {
            return None;
        }
        let params = self.tool.params();
        let known = params.iter().any(|p| p.name.eq_ignore_ascii_case(&rest[..end]));
        let free = params.get(index).or(params.last()).is_some_and(|p| p.kind.writing().is_free());
        if !known && sign == b':' && free {
            return None;
        }
        self.at = self.text.len() - behind.len() + 1;
        Some(&rest[..end])
    }

    /// Text between quotes, with the usual escapes.
    fn quoted(&mut self, quote: u8) -> Result<Cow<'a, str>, String> {
        let body = &self.text[self.at + 1..];
        let mut plain = 0;
        let mut out = String::new();
        let mut escaped = false;
        for (at, byte) in body.bytes().enumerate() {
            if escaped {
                escaped = false;
                let meant = match byte {
                    b'n' => '\n',
                    b'r' => '\r',
                    b't' => '\t',
                    b'"' | b'\'' | b'\\' => byte as char,
                    _ => continue,
                };
                out.push_str(&body[plain..at - 1]);
                out.push(meant);
                plain = at + 1;
            } else if byte == b'\\' {
                escaped = true;
            } else if byte == quote {
                self.at += at + 2;
                if plain == 0 {
                    return Ok(body[..at].into());
                }
                out.push_str(&body[plain..at]);
                return Ok(out.into());
            }
        }
        Err(format!("the quote before `{}` is not closed; write {}", clip(body), self.tool.signature()))
    }

    /// Text without quotes, up to a comma or the closing parenthesis; parentheses inside come in pairs.
    fn bare(&mut self) -> (usize, usize) {
        let (from, mut depth) = (self.at, 0usize);
        let end = self.rest().bytes().position(|byte| {
            match byte {
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => return true,
                b',' => return depth == 0,
                _ => {}
            }
            false
        });
        self.at = end.map_or(self.text.len(), |end| from + end);
        (from, from + self.text[from..self.at].trim_end().len())
    }

    fn unclosed(&self) -> String {
        format!("the closing parenthesis is missing; write {}", self.tool.signature())
    }

    fn behind_the_quote(&self) -> String {
        let rest = clip(self.rest());
        format!(
            "there is text behind a closing quote, at `{rest}`; put the whole argument into quotes, with \\\" for a quote inside it"
        )
    }
}
