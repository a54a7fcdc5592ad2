//! Why a text is no JSON, in the words of Go's decoder.

use crate::go::quote::quote_char;

/// The error of `encoding/json` for a text that is not JSON.
pub(crate) fn json_error(text: &str) -> String {
    let mut scanner = Scanner { chars: text.chars().collect(), at: 0, depth: 0 };
    match scanner.value() {
        Err(why) => why,
        Ok(()) => match scanner.next_visible() {
            Some(c) => format!("invalid character {} after top-level value", quote_char(c)),
            None => "unexpected end of JSON input".to_owned(),
        },
    }
}

struct Scanner {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl Scanner {
    fn next_visible(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_ascii_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    fn end<T>(&self) -> Result<T, String> {
        Err("unexpected end of JSON input".to_owned())
    }

    fn value(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > 500 {
            return Err("exceeded max depth".to_owned());
        }
        let outcome = match self.next_visible() {
            None => self.end(),
            Some('{') => self.object(),
            Some('[') => self.array(),
            Some('"') => self.text(),
            Some('n') => self.literal("null"),
            Some('t') => self.literal("true"),
            Some('f') => self.literal("false"),
            Some(c) if c == '-' || c.is_ascii_digit() => {
                let part = |c: &char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
                while self.chars.get(self.at).is_some_and(part) {
                    self.at += 1;
                }
                Ok(())
            }
            Some(c) => Err(format!("invalid character {} looking for beginning of value", quote_char(c))),
        };
        self.depth -= 1;
        outcome
    }

    fn literal(&mut self, word: &str) -> Result<(), String> {
        for wanted in word.chars() {
            match self.chars.get(self.at) {
                None => return self.end(),
                Some(c) if *c == wanted => self.at += 1,
                Some(c) => {
                    return Err(format!(
                        "invalid character {} in literal {word} (expecting {})",
                        quote_char(*c),
                        quote_char(wanted)
                    ));
                }
            }
        }
        Ok(())
    }

    fn text(&mut self) -> Result<(), String> {
        self.at += 1;
        loop {
            match self.chars.get(self.at) {
                None => return self.end(),
                Some('"') => break,
                Some('\\') => self.at += 2,
                Some(c) if (*c as u32) < 0x20 => {
                    return Err(format!("invalid character {} in string literal", quote_char(*c)));
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok(())
    }

    fn object(&mut self) -> Result<(), String> {
        self.at += 1;
        if self.next_visible() == Some('}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            match self.next_visible() {
                None => return self.end(),
                Some('"') => self.text()?,
                Some(c) => {
                    return Err(format!(
                        "invalid character {} looking for beginning of object key string",
                        quote_char(c)
                    ));
                }
            }
            match self.next_visible() {
                None => return self.end(),
                Some(':') => self.at += 1,
                Some(c) => return Err(format!("invalid character {} after object key", quote_char(c))),
            }
            self.value()?;
            match self.next_visible() {
                None => return self.end(),
                Some(',') => self.at += 1,
                Some('}') => break,
                Some(c) => return Err(format!("invalid character {} after object key:value pair", quote_char(c))),
            }
        }
        self.at += 1;
        Ok(())
    }

    fn array(&mut self) -> Result<(), String> {
        self.at += 1;
        if self.next_visible() == Some(']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.value()?;
            match self.next_visible() {
                None => return self.end(),
                Some(',') => self.at += 1,
                Some(']') => break,
                Some(c) => return Err(format!("invalid character {} after array element", quote_char(c))),
            }
        }
        self.at += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::json_error;

    #[test]
    fn errors_are_worded_as_in_go() {
        for (text, why) in [
            ("not json", "invalid character 'o' in literal null (expecting 'u')"),
            ("", "unexpected end of JSON input"),
            ("{", "unexpected end of JSON input"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("{a:1}", "invalid character 'a' looking for beginning of object key string"),
            ("[1 2]", "invalid character '2' after array element"),
            ("{} x", "invalid character 'x' after top-level value"),
        ] {
            assert_eq!(json_error(text), why);
        }
    }
}
