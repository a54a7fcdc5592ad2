//! The parser: precedence climbing, with the errors that Prometheus' grammar gives.

mod durations;
mod modifiers;
mod selectors;

use crate::go::number::parse_int_any_base;
use crate::go::{duration, parse_float, quote, unquote};

use super::ast::{
    Aggregate, AggregateOp, Binary, FunctionCall, NumberLiteral, Position, PromqlExpr, PromqlOperator, Unary,
    VectorSelector,
};
use super::check;
use super::functions;
use super::lex::{Kind, Token, tokens};

/// Deeper trees are refused: evaluation is recursive, and no honest query comes near.
const DEPTH_LIMIT: usize = 200;

/// What is switched on beside the stable language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Functions and aggregations that are experimental.
    pub experimental_functions: bool,
    /// Arithmetic in durations: `[5m * 2]`.
    pub duration_expressions: bool,
    /// `anchored` and `smoothed`.
    pub extended_ranges: bool,
    /// `fill(0)` behind a binary operator.
    pub fill_modifiers: bool,
    /// The metric name is dropped at the end of a query only.
    pub delayed_name_removal: bool,
}

impl Features {
    /// Everything.
    pub fn all() -> Self {
        Self {
            experimental_functions: true,
            duration_expressions: true,
            extended_ranges: true,
            fill_modifiers: true,
            delayed_name_removal: true,
        }
    }
}

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The sentence without its position.
    pub message: String,
    /// Where it went wrong, as `line:column`.
    pub place: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: parse error: {}", self.place, self.message)
    }
}

impl std::error::Error for ParseError {}

/// An error with its bytes, before lines are counted.
#[derive(Debug)]
pub(super) struct Fault(pub String, pub Position);

pub(super) type Parsed<T> = Result<T, Fault>;

/// Reads and checks an expression.
pub fn parse(query: &str, features: Features) -> Result<PromqlExpr, ParseError> {
    with_place(query, || {
        let mut parser = Parser::new(query, features);
        if parser.kind() == &Kind::End {
            return Err(Fault("no expression found in input".to_owned(), Position::default()));
        }
        let mut expr = parser.expression(0)?;
        if parser.kind() != &Kind::End {
            return Err(parser.unexpected("", ""));
        }
        check::check(query, &mut expr)?;
        Ok(expr)
    })
}

/// Reads a selector, as `match[]` takes it.
pub fn parse_selector(query: &str) -> Result<VectorSelector, ParseError> {
    with_place(query, || {
        let mut parser = Parser::new(query, Features::default());
        let selector = parser.vector_selector()?;
        if parser.kind() != &Kind::End {
            return Err(parser.unexpected("", ""));
        }
        Ok(selector)
    })
}

fn with_place<T>(query: &str, read: impl FnOnce() -> Parsed<T>) -> Result<T, ParseError> {
    read().map_err(|Fault(message, position)| {
        let place =
            if position == Position::default() { "unknown position".to_owned() } else { position.in_query(query) };
        ParseError { message, place }
    })
}

pub(super) struct Parser<'a> {
    query: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// How many aggregations are open: errors inside them say so.
    aggregations: usize,
    features: Features,
}

impl<'a> Parser<'a> {
    fn new(query: &'a str, features: Features) -> Self {
        Self { query, tokens: tokens(query), at: 0, depth: 0, aggregations: 0, features }
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn kind(&self) -> &Kind {
        &self.token().kind
    }

    fn position(&self) -> Position {
        self.token().position
    }

    fn text(&self) -> &'a str {
        let position = self.position();
        &self.query[position.start..position.end]
    }

    fn advance(&mut self) -> Position {
        let position = self.position();
        // The last token is the end or an error: it stays.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        position
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.kind(), Kind::Symbol(s) if *s == symbol)
    }

    fn is_keyword(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Keyword(k) if *k == word)
    }

    fn next_is(&self, symbol: &str) -> bool {
        matches!(self.tokens.get(self.at + 1).map(|t| &t.kind), Some(Kind::Symbol(s)) if *s == symbol)
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<Position> {
        if self.is(symbol) { Ok(self.advance()) } else { Err(self.unexpected("", "")) }
    }

    /// The error for the token that stands here: the lexer's own where there is one.
    fn unexpected(&self, context: &str, expected: &str) -> Fault {
        let context = if context.is_empty() && self.aggregations > 0 { "aggregation" } else { context };
        let mut text = match self.kind() {
            Kind::Error(text) => return Fault(text.clone(), self.position()),
            Kind::End => "unexpected end of input".to_owned(),
            kind => format!("unexpected {}", described(kind, self.text())),
        };
        if !context.is_empty() {
            text.push_str(&format!(" in {context}"));
        }
        if !expected.is_empty() {
            text.push_str(&format!(", expected {expected}"));
        }
        Fault(text, self.position())
    }

    /// An expression whose operators bind at least as tightly as `lowest`.
    fn expression(&mut self, lowest: u8) -> Parsed<PromqlExpr> {
        self.deeper()?;
        let depth = self.depth;
        let mut left = self.unary()?;
        while let Some(op) = self.operator().filter(|op| op.precedence() >= lowest) {
            // Each operator of a chain makes the tree one level deeper.
            self.deeper()?;
            self.advance();
            let modifiers = self.binary_modifiers(op)?;
            let right =
                self.expression(if op == PromqlOperator::Pow { op.precedence() } else { op.precedence() + 1 })?;
            let position = left.position().to(right.position());
            left = PromqlExpr::Binary(Box::new(Binary {
                op,
                left,
                right,
                returns_bool: modifiers.returns_bool,
                matching: Some(modifiers.matching),
                position,
            }));
        }
        self.depth = depth - 1;
        Ok(left)
    }

    fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(Fault("expression nests too deeply".to_owned(), self.position()));
        }
        Ok(())
    }

    fn operator(&self) -> Option<PromqlOperator> {
        Some(match self.kind() {
            Kind::Symbol(symbol) => match *symbol {
                "+" => PromqlOperator::Add,
                "-" => PromqlOperator::Sub,
                "*" => PromqlOperator::Mul,
                "/" => PromqlOperator::Div,
                "%" => PromqlOperator::Mod,
                "^" => PromqlOperator::Pow,
                "==" => PromqlOperator::Equal,
                "!=" => PromqlOperator::NotEqual,
                "<" => PromqlOperator::Less,
                "<=" => PromqlOperator::LessEqual,
                ">" => PromqlOperator::Greater,
                ">=" => PromqlOperator::GreaterEqual,
                _ => return None,
            },
            Kind::Keyword("and") => PromqlOperator::And,
            Kind::Keyword("or") => PromqlOperator::Or,
            Kind::Keyword("unless") => PromqlOperator::Unless,
            Kind::Keyword("atan2") => PromqlOperator::Atan2,
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parsed<PromqlExpr> {
        if !self.is("-") && !self.is("+") {
            let primary = self.primary()?;
            return self.suffixes(primary);
        }
        let negative = self.is("-");
        let start = self.advance();
        // A sign binds as multiplication does: only a power goes before it.
        let expr = self.expression(PromqlOperator::Pow.precedence())?;
        let position = start.to(expr.position());
        Ok(match expr {
            PromqlExpr::Number(number) => PromqlExpr::Number(NumberLiteral {
                value: if negative { -number.value } else { number.value },
                position,
                ..number
            }),
            expr => PromqlExpr::Unary(Box::new(Unary { negative, expr, position })),
        })
    }

    fn primary(&mut self) -> Parsed<PromqlExpr> {
        match self.kind() {
            Kind::Number | Kind::Duration => self.number().map(PromqlExpr::Number),
            Kind::Text => {
                let text = self.string()?;
                Ok(PromqlExpr::Text(text.0, text.1))
            }
            Kind::Symbol("(") => {
                let start = self.advance();
                let inner = self.expression(0)?;
                let end = self.expect(")")?;
                Ok(PromqlExpr::Paren(Box::new(inner), start.to(end)))
            }
            Kind::Symbol("{") | Kind::MetricIdentifier => self.vector_selector().map(PromqlExpr::Vector),
            Kind::Identifier if self.next_is("(") => self.call(),
            Kind::Keyword("start" | "end" | "step" | "range") if self.next_is("(") => self.call(),
            Kind::Keyword(word) => {
                let op = AggregateOp::ALL.iter().find(|(name, _)| name == word).map(|(_, op)| *op);
                match op {
                    Some(op) if self.starts_aggregation() => self.aggregate(op),
                    _ => self.vector_selector().map(PromqlExpr::Vector),
                }
            }
            Kind::Identifier => self.vector_selector().map(PromqlExpr::Vector),
            _ => Err(self.unexpected("", "")),
        }
    }

    /// `sum` alone may be a metric; before anything that begins an expression it aggregates.
    fn starts_aggregation(&self) -> bool {
        match self.tokens.get(self.at + 1).map(|t| &t.kind) {
            Some(Kind::Symbol(symbol)) => *symbol == "(",
            Some(Kind::Keyword(word)) => matches!(*word, "by" | "without"),
            Some(Kind::Identifier | Kind::MetricIdentifier | Kind::Number | Kind::Duration | Kind::Text) => true,
            _ => false,
        }
    }

    fn number(&mut self) -> Parsed<NumberLiteral> {
        let is_duration = self.kind() == &Kind::Duration;
        let (text, position) = (self.text(), self.position());
        let value =
            if is_duration { self.duration_seconds()? } else { number(text).map_err(|e| Fault(e, position))? };
        self.advance();
        Ok(NumberLiteral { value, is_duration, position })
    }

    fn duration_seconds(&self) -> Parsed<f64> {
        match duration::parse_prometheus(self.text()) {
            Some(millis) => Ok(millis as f64 / 1000.0),
            None if self.text().bytes().filter(u8::is_ascii_digit).count() > 17 => {
                Err(Fault("duration out of range".to_owned(), self.position()))
            }
            None => Err(Fault(format!("not a valid duration string: {}", quote(self.text())), self.position())),
        }
    }

    fn string(&mut self) -> Parsed<(String, Position)> {
        let position = self.position();
        let text = unquote(self.text())
            .map_err(|_| Fault(format!("error unquoting string {}: invalid syntax", quote(self.text())), position))?;
        self.advance();
        Ok((text, position))
    }

    fn call(&mut self) -> Parsed<PromqlExpr> {
        let name = self.text().to_owned();
        let start = self.advance();
        let Some(function) = functions::find(&name) else {
            return Err(Fault(format!("unknown function with name {}", quote(&name)), start));
        };
        let (args, end) = self.arguments()?;
        let position = start.to(end);
        if function.experimental && !self.features.experimental_functions {
            return Err(Fault(format!("function {} is not enabled", quote(&name)), start));
        }
        Ok(PromqlExpr::Call(FunctionCall { function, args, position }))
    }

    fn arguments(&mut self) -> Parsed<(Vec<PromqlExpr>, Position)> {
        self.expect("(")?;
        let mut args = Vec::new();
        if self.is(")") {
            return Ok((args, self.advance()));
        }
        loop {
            args.push(self.expression(0)?);
            if !self.is(",") {
                break;
            }
            let comma = self.advance();
            if self.is(")") {
                return Err(Fault("trailing commas not allowed in function call args".to_owned(), comma));
            }
        }
        Ok((args, self.expect(")")?))
    }

    fn aggregate(&mut self, op: AggregateOp) -> Parsed<PromqlExpr> {
        let start = self.advance();
        self.aggregations += 1;
        let before = self.grouping_clause()?;
        let (args, mut end) = self.arguments()?;
        self.aggregations -= 1;
        let clause = match before {
            Some(clause) => Some(clause),
            None => {
                let after = self.grouping_clause()?;
                if after.is_some() {
                    end = self.tokens[self.at - 1].position;
                }
                after
            }
        };
        let (without, grouping) = clause.unwrap_or_default();
        let position = start.to(end);
        let fault = |text: String| Err(Fault(text, position));
        if args.is_empty() {
            return fault("no arguments for aggregate expression provided".to_owned());
        }
        if op.is_experimental() && !self.features.experimental_functions {
            return fault(format!(
                "{}() is experimental and must be enabled with --enable-feature=promql-experimental-functions",
                op.name()
            ));
        }
        let wanted = if op.has_param() { 2 } else { 1 };
        if args.len() != wanted {
            return fault(format!(
                "wrong number of arguments for aggregate expression provided, expected {wanted}, got {}",
                args.len()
            ));
        }
        let mut args = args.into_iter();
        let param = if op.has_param() { args.next() } else { None };
        let expr = args.next().expect("the number of arguments was checked");
        Ok(PromqlExpr::Aggregate(Box::new(Aggregate { op, grouping, without, param, expr, position })))
    }
}

/// A number: whole numbers in any base first, as Prometheus does.
pub(super) fn number(text: &str) -> Result<f64, String> {
    if let Some(whole) = parse_int_any_base(text) {
        return Ok(whole as f64);
    }
    let plain = text.replace('_', "");
    match parse_float(&plain) {
        Some(value) if value.is_infinite() && !plain.to_ascii_lowercase().contains("inf") => {
            Err(format!("error parsing number: strconv.ParseFloat: parsing {}: value out of range", quote(text)))
        }
        Some(value) => Ok(value),
        None => Err(format!("error parsing number: strconv.ParseFloat: parsing {}: invalid syntax", quote(text))),
    }
}

fn described(kind: &Kind, text: &str) -> String {
    match kind {
        Kind::Keyword(word) if AggregateOp::ALL.iter().any(|(name, _)| name == word) => format!("<aggr:{text}>"),
        Kind::Keyword("and" | "or" | "unless" | "atan2") => format!("<op:{text}>"),
        Kind::Keyword(_) => format!("<{text}>"),
        Kind::Symbol("(" | ")" | "{" | "}" | "[" | "]" | "," | ":" | "@") => quote(text),
        Kind::Symbol(_) => format!("<op:{text}>"),
        Kind::Identifier => format!("identifier {}", quote(text)),
        Kind::MetricIdentifier => format!("metric identifier {}", quote(text)),
        Kind::Number => format!("number {}", cut(text)),
        Kind::Duration => format!("duration {}", cut(text)),
        Kind::Text => format!("string {}", cut(text)),
        Kind::End | Kind::Error(_) => String::new(),
    }
}

/// Long tokens are shown by their first ten characters.
fn cut(text: &str) -> String {
    if text.len() > 10 {
        return format!("{}...", quote(&text.chars().take(10).collect::<String>()));
    }
    quote(text)
}
