//! Words of a command line: quotes, variables, substitutions.

use crate::parse::{Parser, SyntaxError};
use crate::syntax::{Part, Word};

impl Parser<'_> {
    /// Reads one word; `None` if none begins here.
    pub(crate) fn word(&mut self) -> Result<Option<Word>, SyntaxError> {
        let mut parts = Vec::new();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => parts.push(self.single_quoted()?),
                '"' => {
                    self.next();
                    self.double_quoted(&mut parts)?;
                }
                '$' if self.peek_at(1) == Some('\'') => {
                    self.next();
                    parts.push(self.ansi_quoted()?);
                }
                '$' => parts.push(self.dollar(false)?),
                '`' => parts.push(self.backquoted(false)?),
                '\\' => {
                    self.next();
                    match self.next() {
                        Some('\n') | None => {}
                        Some(c) => push(&mut parts, c, true),
                    }
                }
                c => {
                    self.next();
                    push(&mut parts, c, false);
                }
            }
        }
        Ok(Some(Word(parts)).filter(|word| !word.0.is_empty()))
    }

    fn single_quoted(&mut self) -> Result<Part, SyntaxError> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                Some('\'') => return Ok(Part::Text { text, quoted: true }),
                Some(c) => text.push(c),
                None => return Err(self.unfinished('\'')),
            }
        }
    }

    fn ansi_quoted(&mut self) -> Result<Part, SyntaxError> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                Some('\'') => return Ok(Part::Text { text: crate::text::unescape(&text), quoted: true }),
                Some('\\') => {
                    text.push('\\');
                    text.extend(self.next());
                }
                Some(c) => text.push(c),
                None => return Err(self.unfinished('\'')),
            }
        }
    }

    fn double_quoted(&mut self, parts: &mut Vec<Part>) -> Result<(), SyntaxError> {
        // An empty pair of quotes is a word, too.
        parts.push(Part::Text { text: String::new(), quoted: true });
        loop {
            match self.peek() {
                Some('"') => {
                    self.next();
                    return Ok(());
                }
                Some('\\') => {
                    self.next();
                    self.escaped(parts);
                }
                Some('$') => parts.push(self.dollar(true)?),
                Some('`') => parts.push(self.backquoted(true)?),
                Some(c) => {
                    self.next();
                    push(parts, c, true);
                }
                None => return Err(self.unfinished('"')),
            }
        }
    }

    /// After a backslash inside double quotes or a heredoc.
    fn escaped(&mut self, parts: &mut Vec<Part>) {
        match self.next() {
            Some('\n') | None => {}
            Some(c @ ('"' | '\\' | '$' | '`')) => push(parts, c, true),
            Some(c) => {
                push(parts, '\\', true);
                push(parts, c, true);
            }
        }
    }

    /// The text of a heredoc whose delimiter is not quoted.
    pub(crate) fn heredoc_text(&mut self) -> Result<Word, SyntaxError> {
        let mut parts = vec![Part::Text { text: String::new(), quoted: true }];
        while let Some(c) = self.peek() {
            match c {
                '\\' => {
                    self.next();
                    self.escaped(&mut parts);
                }
                '$' => parts.push(self.dollar(true)?),
                '`' => parts.push(self.backquoted(true)?),
                c => {
                    self.next();
                    push(&mut parts, c, true);
                }
            }
        }
        Ok(Word(parts))
    }

    fn dollar(&mut self, quoted: bool) -> Result<Part, SyntaxError> {
        self.next();
        match self.peek() {
            Some('(') if self.peek_at(1) == Some('(') => {
                self.next();
                self.next();
                let inner = self.until_closing("))")?;
                Ok(Part::Arithmetic(self.nested(&inner)?.heredoc_text()?))
            }
            Some('(') => {
                self.next();
                self.enter()?;
                let list = self.list()?;
                self.leave();
                self.expect(')')?;
                Ok(Part::Commands { list, quoted })
            }
            Some('{') => self.braced(quoted),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::new();
                while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                    self.next();
                }
                Ok(Part::Variable { name, change: None, quoted })
            }
            Some(c) if c.is_ascii_digit() || "?#@*!$-".contains(c) => {
                self.next();
                Ok(Part::Variable { name: c.into(), change: None, quoted })
            }
            _ => Ok(Part::Text { text: "$".into(), quoted }),
        }
    }

    /// `${name}`, and the changes `:-`, `:=`, `:+`, `:?`, `-`, `#`, `##`, `%`, `%%`, `/`, `//`.
    fn braced(&mut self, quoted: bool) -> Result<Part, SyntaxError> {
        self.next();
        let inner = self.until_closing("}")?;
        if let Some(name) = inner.strip_prefix('#').filter(|name| !name.is_empty()) {
            return Ok(Part::Variable { name: name.into(), change: Some(("len".into(), Word::default())), quoted });
        }
        let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(inner.len());
        let end = if end == 0 { inner.chars().next().map_or(0, char::len_utf8) } else { end };
        let (name, rest) = inner.split_at(end);
        if rest.is_empty() {
            return Ok(Part::Variable { name: name.into(), change: None, quoted });
        }
        const SIGNS: [&str; 13] = [":-", ":=", ":+", ":?", "##", "%%", "//", "-", "=", "+", "#", "%", "/"];
        let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
            return Err(self.wrong(format!("${{{inner}}}: bad substitution")));
        };
        let word = self.nested(&rest[sign.len()..])?.heredoc_text()?;
        Ok(Part::Variable { name: name.into(), change: Some(((*sign).into(), word)), quoted })
    }

    fn backquoted(&mut self, quoted: bool) -> Result<Part, SyntaxError> {
        self.next();
        let mut inner = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                Some('\\') => match self.next() {
                    Some(c @ ('`' | '\\' | '$')) => inner.push(c),
                    Some(c) => inner.extend(['\\', c]),
                    None => return Err(self.unfinished('`')),
                },
                Some(c) => inner.push(c),
                None => return Err(self.unfinished('`')),
            }
        }
        let list = self.nested(&inner)?.whole()?;
        Ok(Part::Commands { list, quoted })
    }

    /// The text up to an end, with inner brackets and quotes skipped; the end is taken.
    fn until_closing(&mut self, end: &str) -> Result<String, SyntaxError> {
        let (open, close) = if end == "}" { ('{', '}') } else { ('(', ')') };
        let mut depth = 0;
        let mut text = String::new();
        loop {
            if depth == 0 && self.rest().starts_with(end) {
                end.chars().for_each(|_| {
                    self.next();
                });
                return Ok(text);
            }
            match self.next() {
                Some('\\') => {
                    text.push('\\');
                    text.extend(self.next());
                    continue;
                }
                Some(c) => {
                    depth += i32::from(c == open);
                    depth -= i32::from(c == close);
                    text.push(c);
                }
                None => return Err(self.unfinished(close)),
            }
        }
    }
}

fn push(parts: &mut Vec<Part>, c: char, quoted: bool) {
    match parts.last_mut() {
        Some(Part::Text { text, quoted: same }) if *same == quoted => text.push(c),
        _ => parts.push(Part::Text { text: c.into(), quoted }),
    }
}
