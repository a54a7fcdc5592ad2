//! The grammar of awk.

use regex_lite::Regex;

use crate::{Dialect, pattern};

#[derive(Debug)]
pub(super) enum When {
    Begin,
    End,
    Always,
    Matches(Expr),
    Between(Expr, Expr),
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) when: When,
    /// None prints the line.
    pub(super) body: Option<Vec<Stmt>>,
}

#[derive(Debug)]
pub(super) enum Stmt {
    Print(Vec<Expr>),
    Printf(Vec<Expr>),
    Expr(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    For(Option<Box<Stmt>>, Option<Expr>, Option<Box<Stmt>>, Vec<Stmt>),
    ForIn(String, String, Vec<Stmt>),
    Delete(String, Option<Expr>),
    Next,
    Break,
    Continue,
    Exit(Option<Expr>),
}

#[derive(Debug)]
pub(super) enum Expr {
    Number(f64),
    Text(String),
    Regex(Regex),
    Variable(String),
    Field(Box<Expr>),
    Element(String, Box<Expr>),
    Assign(Box<Expr>, char, Box<Expr>),
    Step(Box<Expr>, f64, bool),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Box<Expr>, &'static str, Box<Expr>),
    Either(Box<Expr>, Box<Expr>, Box<Expr>),
    In(Box<Expr>, String),
    ToolInput(String, Vec<Expr>),
}

pub(super) fn parse(text: &str) -> Result<Vec<Rule>, String> {
    let mut reader = Reader { rest: text, depth: 0, in_print: false };
    let mut rules = Vec::new();
    loop {
        reader.gaps();
        if reader.rest.is_empty() {
            return Ok(rules);
        }
        rules.push(reader.rule()?);
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
    /// `>` writes to a file inside print, which is not supported.
    in_print: bool,
}

/// The signs of two operands, loosest first.
const LEVELS: [&[&str]; 5] = [&["~", "!~"], &["<=", ">=", "==", "!=", "<", ">"], &[" "], &["+", "-"], &["*", "/", "%"]];

impl Reader<'_> {
    fn blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            match self.rest {
                rest if rest.starts_with("\\\n") => self.rest = &rest[2..],
                rest if rest.starts_with('#') => self.rest = rest.find('\n').map_or("", |end| &rest[end..]),
                _ => return,
            }
        }
    }

    fn gaps(&mut self) {
        loop {
            self.blanks();
            match self.rest.strip_prefix(['\n', ';']) {
                Some(rest) => self.rest = rest,
                None => return,
            }
        }
    }

    fn takes(&mut self, sign: &str) -> bool {
        self.blanks();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(self.wrong()) }
    }

    fn wrong(&self) -> String {
        let near: String = self.rest.chars().take(20).collect();
        format!("syntax error at source line 1 near `{}'", near.trim())
    }

    /// A keyword that stands here and is taken.
    fn keyword(&mut self, word: &str) -> bool {
        self.blanks();
        let rest = self.rest.strip_prefix(word).filter(|rest| !rest.starts_with(is_word));
        if let Some(rest) = rest {
            self.rest = rest;
        }
        rest.is_some()
    }

    fn rule(&mut self) -> Result<Rule, String> {
        let when = if self.keyword("BEGIN") {
            When::Begin
        } else if self.keyword("END") {
            When::End
        } else if self.keyword("function") || self.keyword("getline") {
            return Err("user-defined functions and getline are not supported".into());
        } else if self.rest.starts_with('{') {
            When::Always
        } else {
            let first = self.expr()?;
            if self.takes(",") { When::Between(first, self.expr()?) } else { When::Matches(first) }
        };
        self.blanks();
        let body = if self.rest.starts_with('{') { Some(self.block()?) } else { None };
        Ok(Rule { when, body })
    }

    fn block(&mut self) -> Result<Vec<Stmt>, String> {
        self.deeper()?;
        self.expect("{")?;
        let mut body = Vec::new();
        loop {
            self.gaps();
            if self.takes("}") {
                self.depth -= 1;
                return Ok(body);
            }
            if self.rest.is_empty() {
                return Err(self.wrong());
            }
            body.push(self.stmt()?);
        }
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > 60 { Err("too deeply nested".into()) } else { Ok(()) }
    }

    /// A block, or one statement.
    fn body(&mut self) -> Result<Vec<Stmt>, String> {
        while self.takes("\n") {}
        if self.rest.starts_with('{') {
            return self.block();
        }
        if self.takes(";") {
            return Ok(Vec::new());
        }
        self.deeper()?;
        let stmt = self.stmt()?;
        self.depth -= 1;
        self.blanks();
        self.rest = self.rest.strip_prefix(';').unwrap_or(self.rest);
        Ok(vec![stmt])
    }

    fn stmt(&mut self) -> Result<Stmt, String> {
        if self.rest.starts_with('{') {
            return Ok(Stmt::If(Expr::Number(1.0), self.block()?, Vec::new()));
        }
        if self.keyword("if") {
            self.expect("(")?;
            let condition = self.expr()?;
            self.expect(")")?;
            let then = self.body()?;
            let before = self.rest;
            self.gaps();
            let otherwise = if self.keyword("else") {
                self.body()?
            } else {
                self.rest = before;
                Vec::new()
            };
            return Ok(Stmt::If(condition, then, otherwise));
        }
        if self.keyword("while") {
            self.expect("(")?;
            let condition = self.expr()?;
            self.expect(")")?;
            return Ok(Stmt::While(condition, self.body()?));
        }
        if self.keyword("for") {
            return self.for_loop();
        }
        self.simple()
    }

    fn for_loop(&mut self) -> Result<Stmt, String> {
        self.expect("(")?;
        let before = self.rest;
        if let Some(name) = self.name()
            && self.keyword("in")
            && let Some(array) = self.name()
            && self.takes(")")
        {
            return Ok(Stmt::ForIn(name, array, self.body()?));
        }
        self.rest = before;
        let mut part = |end: &str| -> Result<Option<Box<Stmt>>, String> {
            if self.takes(end) {
                return Ok(None);
            }
            let stmt = self.simple()?;
            self.expect(end)?;
            Ok(Some(Box::new(stmt)))
        };
        let first = part(";")?;
        let condition = match part(";")?.map(|stmt| *stmt) {
            None => None,
            Some(Stmt::Expr(expr)) => Some(expr),
            Some(_) => return Err("a condition is an expression".into()),
        };
        let step = part(")")?;
        Ok(Stmt::For(first, condition, step, self.body()?))
    }

    fn simple(&mut self) -> Result<Stmt, String> {
        if self.keyword("printf") {
            return self.printed().map(Stmt::Printf);
        }
        if self.keyword("print") {
            return self.printed().map(Stmt::Print);
        }
        if self.keyword("next") {
            return Ok(Stmt::Next);
        }
        if self.keyword("break") {
            return Ok(Stmt::Break);
        }
        if self.keyword("continue") {
            return Ok(Stmt::Continue);
        }
        if self.keyword("exit") {
            let code = if self.at_end() { None } else { Some(self.expr()?) };
            return Ok(Stmt::Exit(code));
        }
        if self.keyword("delete") {
            let Some(name) = self.name() else { return Err(self.wrong()) };
            let index = if self.takes("[") {
                let index = self.index()?;
                Some(index)
            } else {
                None
            };
            return Ok(Stmt::Delete(name, index));
        }
        self.expr().map(Stmt::Expr)
    }

    fn at_end(&mut self) -> bool {
        self.blanks();
        self.rest.is_empty() || self.rest.starts_with([';', '}', '\n', ')', '|', '>'])
    }

    fn printed(&mut self) -> Result<Vec<Expr>, String> {
        let mut items = Vec::new();
        self.in_print = true;
        if !self.at_end() {
            items.push(self.expr()?);
            while self.takes(",") {
                items.push(self.expr()?);
            }
        }
        self.in_print = false;
        self.blanks();
        // `print (a, b)` is a list in brackets.
        if let [Expr::ToolInput(name, _)] = &*items
            && name == "("
            && let Some(Expr::ToolInput(_, inner)) = items.pop()
        {
            return Ok(inner);
        }
        if self.rest.starts_with(['>', '|']) {
            return Err("output to files and commands is not supported".into());
        }
        Ok(items)
    }

    fn expr(&mut self) -> Result<Expr, String> {
        self.deeper()?;
        let left = self.either()?;
        self.blanks();
        let signs = [("+=", '+'), ("-=", '-'), ("*=", '*'), ("/=", '/'), ("%=", '%'), ("=", '=')];
        let is_place = matches!(left, Expr::Variable(_) | Expr::Field(_) | Expr::Element(..));
        let found = signs.iter().find(|(sign, _)| self.rest.starts_with(sign) && !self.rest.starts_with("=="));
        let expr = match found.filter(|_| is_place) {
            Some((sign, letter)) => {
                self.rest = &self.rest[sign.len()..];
                Expr::Assign(Box::new(left), *letter, Box::new(self.expr()?))
            }
            None => left,
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn either(&mut self) -> Result<Expr, String> {
        let condition = self.logic(true)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let yes = self.expr()?;
        self.expect(":")?;
        Ok(Expr::Either(Box::new(condition), Box::new(yes), Box::new(self.expr()?)))
    }

    fn logic(&mut self, or: bool) -> Result<Expr, String> {
        let sign = if or { "||" } else { "&&" };
        let mut left = if or { self.logic(false)? } else { self.is_in()? };
        while self.takes(sign) {
            self.gaps();
            let right = if or { self.logic(false)? } else { self.is_in()? };
            left = Expr::Binary(Box::new(left), sign, Box::new(right));
        }
        Ok(left)
    }

    fn is_in(&mut self) -> Result<Expr, String> {
        let left = self.binary(0)?;
        if self.keyword("in") {
            let Some(array) = self.name() else { return Err(self.wrong()) };
            return Ok(Expr::In(Box::new(left), array));
        }
        Ok(left)
    }

    fn binary(&mut self, level: usize) -> Result<Expr, String> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.blanks();
            if *signs == [" "] {
                if !self.starts_operand() {
                    return Ok(left);
                }
                left = Expr::Binary(Box::new(left), " ", Box::new(self.binary(level + 1)?));
                continue;
            }
            let found = signs.iter().find(|sign| {
                let assigns = sign.starts_with(['+', '-', '*', '/', '%'])
                    && self.rest.get(1..).is_some_and(|rest| rest.starts_with('='));
                let steps = self.rest.starts_with("++") || self.rest.starts_with("--");
                let writes = self.in_print && **sign == ">";
                self.rest.starts_with(**sign) && !assigns && !steps && !writes
            });
            let Some(sign) = found else { return Ok(left) };
            self.rest = &self.rest[sign.len()..];
            left = Expr::Binary(Box::new(left), sign, Box::new(self.binary(level + 1)?));
        }
    }

    /// Whether an operand begins here, so that two stand side by side.
    fn starts_operand(&self) -> bool {
        let is_keyword = ["in ", "in\t"].iter().any(|word| self.rest.starts_with(word));
        let first = self.rest.chars().next();
        !is_keyword
            && first.is_some_and(|c| {
                c.is_alphanumeric()
                    || "_\"$(.".contains(c)
                    || (c == '!' && !self.rest.starts_with("!=") && !self.rest.starts_with("!~"))
            })
            && !matches!(first, Some('!'))
    }

    fn unary(&mut self) -> Result<Expr, String> {
        self.deeper()?;
        self.blanks();
        let expr = if self.takes("!") {
            Expr::Not(Box::new(self.unary()?))
        } else if self.rest.starts_with("++") || self.rest.starts_with("--") {
            let step = if self.rest.starts_with("++") { 1.0 } else { -1.0 };
            self.rest = &self.rest[2..];
            Expr::Step(Box::new(self.operand()?), step, true)
        } else if self.takes("-") {
            Expr::Minus(Box::new(self.unary()?))
        } else if self.takes("+") {
            self.unary()?
        } else {
            let operand = self.operand()?;
            match self.rest {
                rest if rest.starts_with("++") => self.stepped(operand, 1.0),
                rest if rest.starts_with("--") => self.stepped(operand, -1.0),
                _ => operand,
            }
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn stepped(&mut self, operand: Expr, step: f64) -> Expr {
        self.rest = &self.rest[2..];
        Expr::Step(Box::new(operand), step, false)
    }

    fn operand(&mut self) -> Result<Expr, String> {
        self.blanks();
        let Some(first) = self.rest.chars().next() else { return Err(self.wrong()) };
        match first {
            '(' => {
                self.rest = &self.rest[1..];
                let before = std::mem::replace(&mut self.in_print, false);
                let inner = self.expr()?;
                let mut list = vec![inner];
                while self.takes(",") {
                    list.push(self.expr()?);
                }
                self.expect(")")?;
                self.in_print = before;
                match list.len() {
                    1 => Ok(list.pop().expect("one was pushed")),
                    _ => Ok(Expr::ToolInput("(".into(), list)),
                }
            }
            '$' => {
                self.rest = &self.rest[1..];
                let index = if self.rest.starts_with(['+', '-']) { self.unary()? } else { self.operand()? };
                Ok(Expr::Field(Box::new(index)))
            }
            '"' => self.text(),
            '/' => self.regex(),
            c if c.is_ascii_digit() || c == '.' => {
                let end = self.rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(self.rest.len());
                let (digits, rest) = self.rest.split_at(end);
                self.rest = rest;
                digits.parse().map(Expr::Number).map_err(|_| format!("bad number {digits}"))
            }
            _ => self.named(),
        }
    }

    fn name(&mut self) -> Option<String> {
        self.blanks();
        let end = self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        let is_name = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
        if is_name {
            self.rest = rest;
        }
        is_name.then(|| name.to_string())
    }

    fn index(&mut self) -> Result<Expr, String> {
        let mut index = self.expr()?;
        while self.takes(",") {
            let right = self.expr()?;
            let glue = Expr::Binary(Box::new(Expr::Text("\u{1c}".into())), " ", Box::new(right));
            index = Expr::Binary(Box::new(index), " ", Box::new(glue));
        }
        self.expect("]")?;
        Ok(index)
    }

    fn named(&mut self) -> Result<Expr, String> {
        let Some(name) = self.name() else { return Err(self.wrong()) };
        if self.rest.starts_with('(') {
            self.rest = &self.rest[1..];
            let mut arguments = Vec::new();
            while !self.takes(")") {
                if !arguments.is_empty() {
                    self.expect(",")?;
                }
                arguments.push(self.expr()?);
            }
            return Ok(Expr::ToolInput(name, arguments));
        }
        if self.rest.starts_with('[') {
            self.rest = &self.rest[1..];
            return Ok(Expr::Element(name, Box::new(self.index()?)));
        }
        if name == "length" {
            return Ok(Expr::ToolInput(name, Vec::new()));
        }
        Ok(Expr::Variable(name))
    }

    fn text(&mut self) -> Result<Expr, String> {
        let mut raw = String::new();
        let mut chars = self.rest[1..].chars();
        loop {
            match chars.next() {
                Some('"') => break,
                Some('\\') => {
                    raw.push('\\');
                    raw.extend(chars.next());
                }
                Some(c) => raw.push(c),
                None => return Err(format!("non-terminated string {raw:.10}... at source line 1")),
            }
        }
        self.rest = chars.as_str();
        Ok(Expr::Text(crate::text::unescape(&raw)))
    }

    fn regex(&mut self) -> Result<Expr, String> {
        let mut raw = String::new();
        let mut chars = self.rest[1..].chars();
        loop {
            match chars.next() {
                Some('/') => break,
                Some('\\') => match chars.next() {
                    Some('/') => raw.push('/'),
                    Some(c) => raw.extend(['\\', c]),
                    None => {}
                },
                Some(c) => raw.push(c),
                None => return Err("non-terminated regular expression".into()),
            }
        }
        self.rest = chars.as_str();
        pattern(&raw, Dialect::Extended, false).map(Expr::Regex)
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
