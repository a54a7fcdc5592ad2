//! The grammar of jq.

use super::value::Json;

/// A filter.
#[derive(Clone, Debug)]
pub(super) enum Filter {
    Same,
    Everything,
    Literal(Json),
    Format(String, Box<Filter>),
    /// Texts and filters in turn: `"a \(.b)"`, under a format such as `@base64`.
    Template(Vec<(String, Option<Filter>)>, Option<String>),
    Variable(String),
    Index(Box<Filter>, Box<Filter>),
    Slice(Box<Filter>, Option<Box<Filter>>, Option<Box<Filter>>),
    Each(Box<Filter>),
    Try(Box<Filter>, Option<Box<Filter>>),
    List(Option<Box<Filter>>),
    Object(Vec<(Filter, Filter)>),
    Pipe(Box<Filter>, Box<Filter>),
    Both(Box<Filter>, Box<Filter>),
    Binary(Box<Filter>, &'static str, Box<Filter>),
    Minus(Box<Filter>),
    If(Vec<(Filter, Filter)>, Option<Box<Filter>>),
    As(Box<Filter>, Vec<String>, Box<Filter>),
    Reduce(Box<Filter>, String, Box<Filter>, Box<Filter>),
    ToolInput(String, Vec<Filter>),
}

pub(super) fn parse(text: &str) -> Result<Filter, String> {
    let mut reader = Reader { rest: text, depth: 0 };
    let filter = reader.pipe()?;
    reader.blanks();
    if reader.rest.is_empty() { Ok(filter) } else { Err(reader.wrong()) }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

/// The signs of two operands, loosest first.
const LEVELS: [&[&str]; 7] = [
    &["//"],
    &["|=", "+=", "-=", "*=", "/=", "="],
    &["or"],
    &["and"],
    &["==", "!=", "<=", ">=", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_> {
    fn blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if !self.rest.starts_with('#') {
                return;
            }
            self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
        }
    }

    fn wrong(&self) -> String {
        let near: String = self.rest.chars().take(20).collect();
        let what = if near.is_empty() { "end of file".to_string() } else { format!("'{near}'") };
        format!("syntax error, unexpected {what} (Unix shell quoting issues?) at <top-level>")
    }

    fn takes(&mut self, sign: &str) -> bool {
        self.blanks();
        let Some(rest) = self.rest.strip_prefix(sign) else { return false };
        let is_word = sign.ends_with(|c: char| c.is_ascii_alphabetic());
        if is_word && rest.starts_with(is_letter) {
            return false;
        }
        self.rest = rest;
        true
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(self.wrong()) }
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > 80 { Err("too deeply nested".into()) } else { Ok(()) }
    }

    fn pipe(&mut self) -> Result<Filter, String> {
        self.deeper()?;
        if self.takes("def") {
            return Err("`def` is not supported".into());
        }
        let left = self.comma()?;
        self.blanks();
        let filter = if self.takes("as") {
            let mut names = Vec::new();
            let list = self.takes("[");
            loop {
                self.expect("$")?;
                names.push(self.name().ok_or_else(|| self.wrong())?);
                if !self.takes(",") {
                    break;
                }
            }
            if list {
                self.expect("]")?;
                names.insert(0, String::new());
            }
            self.expect("|")?;
            Filter::As(Box::new(left), names, Box::new(self.pipe()?))
        } else if self.rest.starts_with('|') && !self.rest.starts_with("|=") {
            self.rest = &self.rest[1..];
            Filter::Pipe(Box::new(left), Box::new(self.pipe()?))
        } else {
            left
        };
        self.depth -= 1;
        Ok(filter)
    }

    fn comma(&mut self) -> Result<Filter, String> {
        let mut left = self.binary(0)?;
        while self.takes(",") {
            left = Filter::Both(Box::new(left), Box::new(self.binary(0)?));
        }
        Ok(left)
    }

    fn binary(&mut self, level: usize) -> Result<Filter, String> {
        let Some(signs) = LEVELS.get(level) else { return self.postfix() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.blanks();
            let found = signs.iter().find(|sign| {
                self.rest.starts_with(**sign)
                    && !(**sign == "=" && self.rest.starts_with("=="))
                    && !(sign.len() == 1 && "+-*/%".contains(**sign) && self.rest[1..].starts_with('='))
                    && !(**sign == "/" && self.rest.starts_with("//"))
                    && !(sign.starts_with(is_letter) && self.rest[sign.len()..].starts_with(is_letter))
            });
            let Some(sign) = found else { return Ok(left) };
            self.rest = &self.rest[sign.len()..];
            // `//` binds to the right; the others to the left.
            let right = if *sign == "//" { self.binary(level)? } else { self.binary(level + 1)? };
            left = Filter::Binary(Box::new(left), sign, Box::new(right));
        }
    }

    fn postfix(&mut self) -> Result<Filter, String> {
        self.deeper()?;
        let mut filter = self.term()?;
        loop {
            if self.rest.starts_with('?') && !self.rest.starts_with("?//") {
                self.rest = &self.rest[1..];
                filter = Filter::Try(Box::new(filter), None);
            } else if let Some(rest) = self.rest.strip_prefix('.').filter(|rest| !rest.starts_with('.')) {
                self.rest = rest;
                if self.rest.starts_with('[') {
                    continue;
                }
                filter = self.field(filter)?;
            } else if self.rest.starts_with('[') {
                filter = self.index(filter)?;
            } else {
                self.depth -= 1;
                return Ok(filter);
            }
        }
    }

    /// After a dot: a name or a quoted name.
    fn field(&mut self, of: Filter) -> Result<Filter, String> {
        let name = if self.rest.starts_with('"') {
            self.template(None)?
        } else {
            let name = self.name().ok_or_else(|| self.wrong())?;
            Filter::Literal(Json::Text(name))
        };
        Ok(Filter::Index(Box::new(of), Box::new(name)))
    }

    fn index(&mut self, of: Filter) -> Result<Filter, String> {
        self.expect("[")?;
        if self.takes("]") {
            return Ok(Filter::Each(Box::new(of)));
        }
        if self.takes(":") {
            let end = self.pipe()?;
            self.expect("]")?;
            return Ok(Filter::Slice(Box::new(of), None, Some(Box::new(end))));
        }
        let first = self.pipe()?;
        if self.takes(":") {
            let end = if self.takes("]") {
                None
            } else {
                let end = self.pipe()?;
                self.expect("]")?;
                Some(Box::new(end))
            };
            return Ok(Filter::Slice(Box::new(of), Some(Box::new(first)), end));
        }
        self.expect("]")?;
        Ok(Filter::Index(Box::new(of), Box::new(first)))
    }

    fn name(&mut self) -> Option<String> {
        let end = self.rest.find(|c: char| !is_letter(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.rest = rest;
        Some(name.into())
    }

    fn term(&mut self) -> Result<Filter, String> {
        self.blanks();
        let Some(first) = self.rest.chars().next() else { return Err(self.wrong()) };
        match first {
            '.' => {
                self.rest = &self.rest[1..];
                match self.rest.chars().next() {
                    Some('.') => {
                        self.rest = &self.rest[1..];
                        Ok(Filter::Everything)
                    }
                    Some(c) if c == '"' || (is_letter(c) && !c.is_ascii_digit()) => self.field(Filter::Same),
                    Some(c) if c.is_ascii_digit() => Err(self.wrong()),
                    _ => Ok(Filter::Same),
                }
            }
            '"' => self.template(None),
            '@' => {
                self.rest = &self.rest[1..];
                let name = self.name().ok_or_else(|| self.wrong())?;
                self.blanks();
                if self.rest.starts_with('"') {
                    return self.template(Some(name));
                }
                Ok(Filter::Format(name, Box::new(Filter::Same)))
            }
            '$' => {
                self.rest = &self.rest[1..];
                Ok(Filter::Variable(self.name().ok_or_else(|| self.wrong())?))
            }
            '(' => {
                self.rest = &self.rest[1..];
                let inner = self.pipe()?;
                self.expect(")")?;
                Ok(inner)
            }
            '[' => {
                self.rest = &self.rest[1..];
                if self.takes("]") {
                    return Ok(Filter::List(None));
                }
                let inner = self.pipe()?;
                self.expect("]")?;
                Ok(Filter::List(Some(Box::new(inner))))
            }
            '{' => self.object(),
            '-' => {
                self.rest = &self.rest[1..];
                Ok(Filter::Minus(Box::new(self.postfix()?)))
            }
            c if c.is_ascii_digit() => {
                let end =
                    self.rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == 'e')).unwrap_or(self.rest.len());
                let (digits, rest) = self.rest.split_at(end);
                self.rest = rest;
                digits.parse().map(|n| Filter::Literal(Json::Number(n))).map_err(|_| format!("bad number {digits}"))
            }
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Filter, String> {
        if self.takes("if") {
            return self.condition();
        }
        if self.takes("try") {
            let body = self.postfix()?;
            let catch = if self.takes("catch") { Some(Box::new(self.postfix()?)) } else { None };
            return Ok(Filter::Try(Box::new(body), catch));
        }
        if self.takes("reduce") {
            let source = self.postfix()?;
            self.expect("as")?;
            self.expect("$")?;
            let name = self.name().ok_or_else(|| self.wrong())?;
            self.expect("(")?;
            let first = self.pipe()?;
            self.expect(";")?;
            let update = self.pipe()?;
            self.expect(")")?;
            return Ok(Filter::Reduce(Box::new(source), name, Box::new(first), Box::new(update)));
        }
        for word in ["foreach", "label", "import", "include"] {
            if self.takes(word) {
                return Err(format!("`{word}` is not supported"));
            }
        }
        let Some(name) = self.name() else { return Err(self.wrong()) };
        let literal = match name.as_str() {
            "null" => Some(Json::Null),
            "true" => Some(Json::Bool(true)),
            "false" => Some(Json::Bool(false)),
            "then" | "else" | "elif" | "end" | "as" | "and" | "or" => {
                return Err(format!("syntax error, unexpected {name}"));
            }
            _ => None,
        };
        if let Some(literal) = literal {
            return Ok(Filter::Literal(literal));
        }
        let mut arguments = Vec::new();
        if self.rest.starts_with('(') {
            self.rest = &self.rest[1..];
            loop {
                arguments.push(self.pipe()?);
                if !self.takes(";") {
                    break;
                }
            }
            self.expect(")")?;
        }
        Ok(Filter::ToolInput(name, arguments))
    }

    fn condition(&mut self) -> Result<Filter, String> {
        let mut arms = Vec::new();
        loop {
            let condition = self.pipe()?;
            self.expect("then")?;
            arms.push((condition, self.pipe()?));
            if self.takes("elif") {
                continue;
            }
            let otherwise = if self.takes("else") { Some(Box::new(self.pipe()?)) } else { None };
            self.expect("end")?;
            return Ok(Filter::If(arms, otherwise));
        }
    }

    fn object(&mut self) -> Result<Filter, String> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.takes("}") {
            if !fields.is_empty() {
                self.expect(",")?;
            }
            self.blanks();
            let (key, default) = match self.rest.chars().next() {
                Some('"') => {
                    let key = self.template(None)?;
                    (key.clone(), Filter::Index(Box::new(Filter::Same), Box::new(key)))
                }
                Some('(') => {
                    self.rest = &self.rest[1..];
                    let key = self.pipe()?;
                    self.expect(")")?;
                    (key, Filter::Same)
                }
                Some('$') => {
                    self.rest = &self.rest[1..];
                    let name = self.name().ok_or_else(|| self.wrong())?;
                    (Filter::Literal(Json::text(&name)), Filter::Variable(name))
                }
                _ => {
                    let name = self.name().ok_or_else(|| self.wrong())?;
                    let key = Filter::Literal(Json::Text(name));
                    (key.clone(), Filter::Index(Box::new(Filter::Same), Box::new(key)))
                }
            };
            let value = if self.takes(":") { self.alternatives()? } else { default };
            fields.push((key, value));
        }
        Ok(Filter::Object(fields))
    }

    /// The value of a field: pipes are allowed, commas are not.
    fn alternatives(&mut self) -> Result<Filter, String> {
        let left = self.binary(0)?;
        self.blanks();
        if self.rest.starts_with('|') {
            self.rest = &self.rest[1..];
            return Ok(Filter::Pipe(Box::new(left), Box::new(self.alternatives()?)));
        }
        Ok(left)
    }

    fn template(&mut self, format: Option<String>) -> Result<Filter, String> {
        let mut parts = Vec::new();
        let mut text = String::new();
        self.rest = &self.rest[1..];
        loop {
            let mut chars = self.rest.chars();
            let c = chars.next().ok_or("syntax error, unterminated string")?;
            self.rest = chars.as_str();
            match c {
                '"' => {
                    parts.push((text, None));
                    break;
                }
                '\\' => {
                    let escape = self.rest.chars().next().ok_or("syntax error, unterminated string")?;
                    self.rest = &self.rest[escape.len_utf8()..];
                    match escape {
                        '(' => {
                            let inner = self.pipe()?;
                            self.expect(")")?;
                            parts.push((std::mem::take(&mut text), Some(inner)));
                        }
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        'u' => {
                            let code = self.rest.get(..4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                            text.extend(code.and_then(char::from_u32));
                            self.rest = self.rest.get(4..).unwrap_or_default();
                        }
                        other => text.push(other),
                    }
                }
                c => text.push(c),
            }
        }
        match &mut *parts {
            [(text, None)] => Ok(Filter::Literal(Json::Text(std::mem::take(text)))),
            _ => Ok(Filter::Template(parts, format)),
        }
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
