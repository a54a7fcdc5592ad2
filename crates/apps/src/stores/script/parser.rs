//! Scripts as trees.

use std::sync::Arc;

use super::lexer::{Lexeme, Token, lex};
use super::value::{JsValue, ScriptError};

/// A step of a script.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::stores) enum Statement {
    Expression(Expression),
    Let(String, Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    Each(String, Expression, Vec<Statement>),
    Try(Vec<Statement>, String, Vec<Statement>),
    Return(Expression),
}

/// Something with a value.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::stores) enum Expression {
    Value(JsValue),
    Name(String),
    List(Vec<Expression>),
    Object(Vec<(String, Expression)>),
    Member(Box<Expression>, String),
    Index(Box<Expression>, Box<Expression>),
    Call(Box<Expression>, Vec<Expression>),
    Assign(Box<Expression>, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// Reads a script.
pub(in crate::stores) fn parse(text: &str) -> Result<Vec<Statement>, ScriptError> {
    let mut parser = Parser { words: lex(text)?, at: 0 };
    let mut out = Vec::new();
    while *parser.token() != Token::End {
        parser.statement(&mut out)?;
    }
    Ok(out)
}

struct Parser {
    words: Vec<Lexeme>,
    at: usize,
}

type Parsed<T> = Result<T, ScriptError>;

impl Parser {
    fn token(&self) -> &Token {
        &self.words[self.at].token
    }

    /// Gives the last word back; the end cannot be taken, so it need not be given back.
    fn back(&mut self) {
        if *self.token() != Token::End || self.at + 1 < self.words.len() {
            self.at -= 1;
        }
    }

    fn next(&mut self) -> Token {
        let token = self.token().clone();
        self.at = (self.at + 1).min(self.words.len() - 1);
        token
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(own) if *own == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Name(name) if name == word)
    }

    fn took(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        if is {
            self.next();
        }
        is
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.took(sign) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> ScriptError {
        let found = match self.token() {
            Token::End => "unexpected end of input".into(),
            Token::Name(name) => format!("unexpected token: identifier '{name}'"),
            Token::Text(_) => "unexpected token: string literal".into(),
            Token::Number(_) => "unexpected token: numeric literal".into(),
            Token::Pattern(_) => "unexpected token: regular expression".into(),
            Token::Sign(sign) => format!("unexpected token: '{sign}'"),
        };
        ScriptError::new("SyntaxError", found)
    }

    fn identifier(&mut self) -> Parsed<String> {
        match self.next() {
            Token::Name(name) => Ok(name),
            _ => {
                self.back();
                Err(self.unexpected())
            }
        }
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        let mut out = Vec::new();
        if !self.took("{") {
            self.statement(&mut out)?;
            return Ok(out);
        }
        while !self.took("}") {
            if *self.token() == Token::End {
                return Err(self.unexpected());
            }
            self.statement(&mut out)?;
        }
        Ok(out)
    }

    fn statement(&mut self, out: &mut Vec<Statement>) -> Parsed<()> {
        if self.took(";") {
            return Ok(());
        }
        let word = match self.token() {
            Token::Name(name) => name.clone(),
            _ => String::new(),
        };
        match &*word {
            "var" | "let" | "const" => {
                self.next();
                loop {
                    let name = self.identifier()?;
                    let value = if self.took("=") { self.expression()? } else { Expression::Value(JsValue::Undefined) };
                    out.push(Statement::Let(name, value));
                    if !self.took(",") {
                        break;
                    }
                }
            }
            "if" => {
                self.next();
                self.expect("(")?;
                let condition = self.expression()?;
                self.expect(")")?;
                let then = self.block()?;
                let otherwise = if self.is_word("else") {
                    self.next();
                    self.block()?
                } else {
                    Vec::new()
                };
                out.push(Statement::If(condition, then, otherwise));
                return Ok(());
            }
            "for" => return self.each(out),
            "try" => {
                self.next();
                let body = self.block()?;
                let mut name = String::new();
                if self.is_word("catch") {
                    self.next();
                    if self.took("(") {
                        name = self.identifier()?;
                        self.expect(")")?;
                    }
                }
                out.push(Statement::Try(body, name, self.block()?));
                return Ok(());
            }
            "return" => {
                self.next();
                let value = if self.is(";") || self.is("}") {
                    Expression::Value(JsValue::Undefined)
                } else {
                    self.expression()?
                };
                out.push(Statement::Return(value));
            }
            _ => out.push(Statement::Expression(self.expression()?)),
        }
        let ends = self.took(";") || self.is("}") || self.words[self.at].after_newline;
        if ends { Ok(()) } else { Err(self.unexpected()) }
    }

    fn each(&mut self, out: &mut Vec<Statement>) -> Parsed<()> {
        self.next();
        self.expect("(")?;
        if matches!(self.token(), Token::Name(word) if matches!(&**word, "var" | "let" | "const")) {
            self.next();
        }
        let name = self.identifier()?;
        if !self.is_word("of") {
            return Err(self.unexpected());
        }
        self.next();
        let over = self.expression()?;
        self.expect(")")?;
        out.push(Statement::Each(name, over, self.block()?));
        Ok(())
    }

    fn expression(&mut self) -> Parsed<Expression> {
        if let Some(function) = self.arrow()? {
            return Ok(function);
        }
        let left = self.binary(0)?;
        if self.took("=") {
            return Ok(Expression::Assign(Box::new(left), Box::new(self.expression()?)));
        }
        if self.took("?") {
            let then = self.expression()?;
            self.expect(":")?;
            return Ok(Expression::Choice(Box::new(left), Box::new(then), Box::new(self.expression()?)));
        }
        Ok(left)
    }

    /// `x => ...` and `(x, y) => ...`.
    fn arrow(&mut self) -> Parsed<Option<Expression>> {
        let start = self.at;
        let mut names = Vec::new();
        let mut is_arrow = true;
        if let Token::Name(name) = self.token().clone() {
            self.next();
            names.push(name);
        } else if self.took("(") {
            while let Token::Name(name) = self.token().clone() {
                self.next();
                names.push(name);
                self.took(",");
            }
            is_arrow = self.took(")");
        } else {
            is_arrow = false;
        }
        if !is_arrow || !self.took("=>") {
            self.at = start;
            return Ok(None);
        }
        let body = if self.is("{") { self.block()? } else { vec![Statement::Return(self.expression()?)] };
        Ok(Some(Expression::Value(JsValue::Function(Arc::new((names, body))))))
    }

    fn binary(&mut self, level: usize) -> Parsed<Expression> {
        const LEVELS: &[&[&str]] =
            &[&["||"], &["&&"], &["===", "!==", "==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.is(sign)) {
            self.next();
            let right = self.binary(level + 1)?;
            left = Expression::Binary(sign, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expression> {
        if self.took("!") {
            return Ok(Expression::Not(Box::new(self.unary()?)));
        }
        if self.took("-") {
            return Ok(Expression::Negative(Box::new(self.unary()?)));
        }
        if self.is_word("new") || self.is_word("await") {
            self.next();
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed<Expression> {
        let mut value = self.primary()?;
        loop {
            if self.took(".") {
                value = Expression::Member(Box::new(value), self.identifier()?);
            } else if self.took("[") {
                let index = self.expression()?;
                self.expect("]")?;
                value = Expression::Index(Box::new(value), Box::new(index));
            } else if self.took("(") {
                value = Expression::Call(Box::new(value), self.list(")")?);
            } else {
                return Ok(value);
            }
        }
    }

    fn list(&mut self, end: &str) -> Parsed<Vec<Expression>> {
        let mut out = Vec::new();
        while !self.took(end) {
            out.push(self.expression()?);
            if !self.took(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(out)
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let value = |value| Ok(Expression::Value(value));
        match self.next() {
            Token::Text(text) | Token::Pattern(text) => value(JsValue::Text(text)),
            Token::Number(number) => value(JsValue::Number(number)),
            Token::Sign("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Sign("[") => Ok(Expression::List(self.list("]")?)),
            Token::Sign("{") => self.object(),
            Token::Name(name) => match &*name {
                "true" => value(JsValue::Bool(true)),
                "false" => value(JsValue::Bool(false)),
                "null" => value(JsValue::Null),
                "undefined" => value(JsValue::Undefined),
                "function" => self.function(),
                _ => Ok(Expression::Name(name)),
            },
            _ => {
                self.back();
                Err(self.unexpected())
            }
        }
    }

    fn function(&mut self) -> Parsed<Expression> {
        if matches!(self.token(), Token::Name(_)) {
            self.next();
        }
        self.expect("(")?;
        let mut names = Vec::new();
        while !self.took(")") {
            names.push(self.identifier()?);
            self.took(",");
        }
        let body = self.block()?;
        Ok(Expression::Value(JsValue::Function(Arc::new((names, body)))))
    }

    fn object(&mut self) -> Parsed<Expression> {
        let mut fields = Vec::new();
        while !self.took("}") {
            let name = match self.next() {
                Token::Name(name) | Token::Text(name) => name,
                Token::Number(number) => number.to_string(),
                _ => {
                    self.back();
                    return Err(self.unexpected());
                }
            };
            let value = if self.took(":") { self.expression()? } else { Expression::Name(name.clone()) };
            fields.push((name, value));
            if !self.took(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Expression::Object(fields))
    }
}
