//! The parser, with the errors of Loki's grammar.

mod metrics;
mod stages;

use crate::matcher::{MatchOp, Matcher};

use super::ast::{LogQuery, Query};
use super::lex::{Placed, Token, place, tokens};

/// Deeper queries are refused.
const DEPTH_LIMIT: usize = 100;

/// Why a text is no query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogqlError {
    pub message: String,
    pub place: Option<(usize, usize)>,
}

impl LogqlError {
    pub fn plain(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None }
    }
}

impl std::fmt::Display for LogqlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "parse error at line {line}, col {column}: {}", self.message),
            None => write!(f, "parse error : {}", self.message),
        }
    }
}

pub(super) type Parsed<T> = Result<T, LogqlError>;

/// Reads and checks a query.
pub(crate) fn parse(query: &str) -> Parsed<Query> {
    let mut parser = Parser { query: query.to_owned(), tokens: tokens(query), at: 0, depth: 0 };
    if parser.token() == &Token::End {
        return Err(LogqlError::plain("syntax error: unexpected $end"));
    }
    let query = if parser.is("{") { Query::Log(parser.log_query()?) } else { Query::Metric(parser.metric(0)?) };
    // A log query may turn out to be the left side of an operator.
    if let (Query::Log(log), Token::Sign(sign @ ("+" | "-" | "*" | "/" | "%" | "^" | "==" | "and" | "or" | "unless"))) =
        (&query, parser.token())
    {
        let kind = if log.stages.is_empty() { "*syntax.MatchersExpr" } else { "*syntax.PipelineExpr" };
        return Err(LogqlError::plain(format!("unexpected type for left leg of binary operation ({sign}): {kind}")));
    }
    if parser.token() != &Token::End {
        return Err(parser.unexpected(&[]));
    }
    check(&query)?;
    Ok(query)
}

fn check(query: &Query) -> Parsed<()> {
    match query {
        Query::Log(log) => check_matchers(&log.matchers),
        Query::Metric(metric) => metrics::check(metric),
    }
}

fn check_matchers(matchers: &[Matcher]) -> Parsed<()> {
    let positive = |m: &&Matcher| matches!(m.op, MatchOp::Equal | MatchOp::Matches) && !m.matches("");
    if matchers.iter().any(|m| positive(&m)) {
        return Ok(());
    }
    Err(LogqlError::plain(
        "queries require at least one regexp or equality matcher that does not have an empty-compatible value. For \
         instance, app=~\".*\" does not meet this requirement, but app=~\".+\" will",
    ))
}

pub(super) struct Parser {
    query: String,
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.at].token
    }

    fn source(&self) -> &str {
        &self.tokens[self.at].source
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(s) if *s == sign)
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: &str, expecting: &[&str]) -> Parsed<()> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected(expecting)) }
    }

    fn text(&mut self, expecting: &[&str]) -> Parsed<String> {
        match self.token() {
            Token::Text(text) => {
                let text = text.clone();
                self.advance();
                Ok(text)
            }
            _ => Err(self.unexpected(expecting)),
        }
    }

    fn identifier(&mut self, expecting: &[&str]) -> Parsed<String> {
        match self.token() {
            Token::Identifier(name) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected(expecting)),
        }
    }

    fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(LogqlError::plain("the query nests too deeply"));
        }
        Ok(())
    }

    /// The error for the token that stands here.
    fn unexpected(&self, expecting: &[&str]) -> LogqlError {
        let placed = &self.tokens[self.at];
        let (line, column) = place(&self.query, placed.at);
        if let Token::Error(why, about_a_range) = &placed.token {
            let line = if *about_a_range { 0 } else { line };
            return LogqlError { message: why.clone(), place: Some((line, column)) };
        }
        let mut message = format!("syntax error: unexpected {}", placed.token.name());
        if !expecting.is_empty() {
            message.push_str(&format!(", expecting {}", expecting.join(" or ")));
        }
        LogqlError { message, place: Some((line, column)) }
    }

    fn log_query(&mut self) -> Parsed<LogQuery> {
        let matchers = self.selector()?;
        let stages = self.stages()?;
        Ok(LogQuery { matchers, stages })
    }

    fn selector(&mut self) -> Parsed<Vec<Matcher>> {
        self.expect("{", &[])?;
        let mut matchers = Vec::new();
        if self.accept("}") {
            return Ok(matchers);
        }
        loop {
            let expecting: &[&str] = if matchers.is_empty() { &["IDENTIFIER", "}"] } else { &["IDENTIFIER"] };
            let name = self.identifier(expecting)?;
            let op = match self.token() {
                Token::Sign("=") => MatchOp::Equal,
                Token::Sign("!=") => MatchOp::NotEqual,
                Token::Sign("=~") => MatchOp::Matches,
                Token::Sign("!~") => MatchOp::NotMatches,
                _ => return Err(self.unexpected(&["=", "=~", "!~", "!="])),
            };
            self.advance();
            let value = self.text(&["STRING"])?;
            matchers.push(Matcher::new(name, op, value).map_err(LogqlError::plain)?);
            if self.accept("}") {
                return Ok(matchers);
            }
            if !self.accept(",") {
                return Err(self.unexpected(&["}", ","]));
            }
        }
    }
}
