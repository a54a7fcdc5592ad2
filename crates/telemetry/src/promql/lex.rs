//! Tokens of PromQL. Errors are worded as Prometheus' lexer words them.

use crate::go::quote::quote_char;

use super::ast::Position;

/// What a token is; its text is a slice of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    End,
    /// What is wrong with the query from here on.
    Error(String),
    Identifier,
    /// A name with a colon in it.
    MetricIdentifier,
    Number,
    Duration,
    Text,
    /// A word with a meaning: lower case.
    Keyword(&'static str),
    /// An operator or a bracket.
    Symbol(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub position: Position,
}

const KEYWORDS: [&str; 35] = [
    "and",
    "or",
    "unless",
    "atan2",
    "sum",
    "avg",
    "count",
    "min",
    "max",
    "group",
    "stddev",
    "stdvar",
    "topk",
    "bottomk",
    "count_values",
    "quantile",
    "limitk",
    "limit_ratio",
    "offset",
    "smoothed",
    "anchored",
    "by",
    "without",
    "on",
    "ignoring",
    "group_left",
    "group_right",
    "bool",
    "fill",
    "fill_left",
    "fill_right",
    "start",
    "end",
    "step",
    "range",
];

/// All tokens of a query; the last one is the end or an error.
pub(super) fn tokens(query: &str) -> Vec<Token> {
    let mut lexer = Lexer { query, at: 0, start: 0, parens: 0, bracket: false, colon: false, brace: false };
    let mut out = Vec::new();
    loop {
        lexer.skip_blanks();
        lexer.start = lexer.at;
        let kind = if lexer.brace { lexer.inside_braces() } else { lexer.statement() }.unwrap_or_else(Kind::Error);
        let last = matches!(kind, Kind::End | Kind::Error(_));
        let end = if matches!(kind, Kind::Error(_)) { query.len() } else { lexer.at };
        out.push(Token { kind, position: Position { start: lexer.start, end } });
        if last {
            return out;
        }
    }
}

struct Lexer<'a> {
    query: &'a str,
    at: usize,
    start: usize,
    parens: i32,
    bracket: bool,
    colon: bool,
    brace: bool,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.query[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn accept(&mut self, set: &str) -> bool {
        let found = self.peek().is_some_and(|c| set.contains(c));
        if found {
            self.at += 1;
        }
        found
    }

    fn skip_blanks(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | '\r' => self.at += 1,
                '#' => {
                    let rest = &self.query[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn statement(&mut self) -> Result<Kind, String> {
        let Some(c) = self.next() else {
            if self.parens != 0 {
                return Err("unclosed left parenthesis".to_owned());
            }
            if self.bracket {
                return Err("unclosed left bracket".to_owned());
            }
            return Ok(Kind::End);
        };
        Ok(Kind::Symbol(match c {
            ',' => ",",
            '*' => "*",
            '/' => "/",
            '%' => "%",
            '+' => "+",
            '-' => "-",
            '^' => "^",
            '@' => "@",
            '=' => match self.peek() {
                Some('=') => self.second("=="),
                Some('~') => return Err("unexpected character after '=': '~'".to_owned()),
                _ => "=",
            },
            '!' => match self.next() {
                Some('=') => "!=",
                other => return Err(format!("unexpected character after '!': {}", shown(other))),
            },
            '<' if self.peek() == Some('=') => self.second("<="),
            '<' => "<",
            '>' if self.peek() == Some('=') => self.second(">="),
            '>' => ">",
            '(' => {
                self.parens += 1;
                "("
            }
            ')' => {
                self.parens -= 1;
                if self.parens < 0 {
                    return Err("unexpected right parenthesis ')'".to_owned());
                }
                ")"
            }
            '{' => {
                self.brace = true;
                "{"
            }
            '[' => {
                if self.bracket {
                    return Err("unexpected left bracket '['".to_owned());
                }
                self.bracket = true;
                self.colon = false;
                "["
            }
            ']' => {
                if !self.bracket {
                    return Err("unexpected right bracket ']'".to_owned());
                }
                self.bracket = false;
                "]"
            }
            ':' if self.bracket => {
                if self.colon {
                    return Err("unexpected colon ':'".to_owned());
                }
                self.colon = true;
                ":"
            }
            '"' | '\'' => return self.text(c),
            '`' => return self.raw_text(),
            c if c.is_ascii_digit() || (c == '.' && self.peek().is_some_and(|n| n.is_ascii_digit())) => {
                self.at -= 1;
                return self.number();
            }
            c if is_alpha(c) || c == ':' => {
                self.at -= 1;
                return Ok(self.word());
            }
            c => return Err(format!("unexpected character: {}", quote_char(c))),
        }))
    }

    fn second(&mut self, symbol: &'static str) -> &'static str {
        self.at += 1;
        symbol
    }

    fn inside_braces(&mut self) -> Result<Kind, String> {
        let Some(c) = self.next() else {
            return Err("unexpected end of input inside braces".to_owned());
        };
        Ok(Kind::Symbol(match c {
            ',' => ",",
            '=' if self.peek() == Some('~') => self.second("=~"),
            '=' => "=",
            '!' => match self.next() {
                Some('~') => "!~",
                Some('=') => "!=",
                other => return Err(format!("unexpected character after '!' inside braces: {}", shown(other))),
            },
            '{' => return Err("unexpected left brace '{'".to_owned()),
            '}' => {
                self.brace = false;
                "}"
            }
            '"' | '\'' => return self.text(c),
            '`' => return self.raw_text(),
            c if is_alpha(c) => {
                while self.peek().is_some_and(|c| is_alpha(c) || c.is_ascii_digit()) {
                    self.at += 1;
                }
                return Ok(Kind::Identifier);
            }
            c => return Err(format!("unexpected character inside braces: {}", quote_char(c))),
        }))
    }

    fn word(&mut self) -> Kind {
        while self.peek().is_some_and(|c| is_alpha(c) || c.is_ascii_digit() || (c == ':' && !self.bracket)) {
            self.at += 1;
        }
        let word = self.query[self.start..self.at].to_ascii_lowercase();
        if matches!(word.as_str(), "inf" | "nan") {
            return Kind::Number;
        }
        match KEYWORDS.iter().find(|k| **k == word) {
            Some(keyword) => Kind::Keyword(keyword),
            None if word.contains(':') => Kind::MetricIdentifier,
            None => Kind::Identifier,
        }
    }

    fn number(&mut self) -> Result<Kind, String> {
        if self.scan_number() {
            return Ok(Kind::Number);
        }
        if self.scan_duration() {
            return Ok(Kind::Duration);
        }
        Err(format!("bad number or duration syntax: {}", crate::go::quote(&self.query[self.start..self.at])))
    }

    /// `[.][d][d._eE]*`, hexadecimal after `0x`; no alphanumeric may follow.
    fn scan_number(&mut self) -> bool {
        let mut digits = "0123456789";
        if self.accept("0") && self.accept("xX") {
            self.accept("_");
            digits = "0123456789abcdefABCDEF";
        }
        self.accept(".");
        self.accept(digits);
        let (mut dot, mut exponent) = (false, false);
        loop {
            if self.accept(digits) {
                continue;
            }
            if self.accept(".") {
                if dot || self.accept("_.") || digits.len() > 10 {
                    return false;
                }
                dot = true;
            } else if self.accept("eE") {
                if exponent {
                    return false;
                }
                exponent = true;
                self.accept("+-");
                if self.accept("._eE") {
                    return false;
                }
            } else if self.accept("_") {
                if self.accept("._eE") {
                    return false;
                }
            } else {
                break;
            }
        }
        self.at > self.start && !self.peek().is_some_and(|c| is_alpha(c) || c.is_ascii_digit())
    }

    /// What remains of `1h30m` once its first digits were read.
    fn scan_duration(&mut self) -> bool {
        loop {
            if !self.accept("smhdwy") {
                return false;
            }
            // Both `m` and `ms` are units.
            self.accept("s");
            let mut any = false;
            while self.accept("0123456789") {
                any = true;
            }
            if !any {
                break;
            }
        }
        !self.peek().is_some_and(|c| is_alpha(c) || c.is_ascii_digit())
    }

    fn text(&mut self, mark: char) -> Result<Kind, String> {
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated quoted string".to_owned()),
                Some('\\') => self.escape(mark)?,
                Some(c) if c == mark => return Ok(Kind::Text),
                Some(_) => {}
            }
        }
    }

    fn escape(&mut self, mark: char) -> Result<(), String> {
        let (digits, base, limit) = match self.next() {
            None => return Err("escape sequence not terminated".to_owned()),
            Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '\\') => return Ok(()),
            Some(c) if c == mark => return Ok(()),
            Some('0'..='7') => {
                self.at -= 1;
                (3, 8, 255)
            }
            Some('x') => (2, 16, 255),
            Some('u') => (4, 16, 0x10_ffff),
            Some('U') => (8, 16, 0x10_ffff),
            Some(c) => return Err(format!("unknown escape sequence {}", code_point(c))),
        };
        let mut value = 0u32;
        for _ in 0..digits {
            let Some(c) = self.next() else {
                return Err("escape sequence not terminated".to_owned());
            };
            let Some(digit) = c.to_digit(base) else {
                return Err(format!("illegal character {} in escape sequence", code_point(c)));
            };
            value = value.wrapping_mul(base).wrapping_add(digit);
        }
        if value > limit || (0xd800..0xe000).contains(&value) {
            return Err("escape sequence is an invalid Unicode code point".to_owned());
        }
        Ok(())
    }

    fn raw_text(&mut self) -> Result<Kind, String> {
        match self.query[self.at..].find('`') {
            Some(length) => {
                self.at += length + 1;
                Ok(Kind::Text)
            }
            None => Err("unterminated raw string".to_owned()),
        }
    }
}

fn is_alpha(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic()
}

fn shown(c: Option<char>) -> String {
    c.map_or_else(|| "'\\uffff'".to_owned(), quote_char)
}

/// Go's `%#U`.
fn code_point(c: char) -> String {
    format!("U+{:04X} '{c}'", c as u32)
}
