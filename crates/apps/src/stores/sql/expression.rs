//! Expressions: columns, literals, calls, comparisons.

use super::lexer::SqlToken;

/// Something with a value in a row.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::stores) enum SqlExpression {
    /// A column, perhaps of a named table.
    Column(Option<String>, String),
    Text(String),
    Number(f64),
    Null,
    Bool(bool),
    /// A name in lower case and its arguments; `*` has none.
    Call(String, Vec<SqlExpression>),
    Binary(&'static str, Box<SqlExpression>, Box<SqlExpression>),
    Not(Box<SqlExpression>),
    IsNull(Box<SqlExpression>, bool),
    In(Box<SqlExpression>, Vec<SqlExpression>, bool),
    /// Every column.
    Star,
}

/// Reads words one after the other.
pub(in crate::stores) struct SqlParser<'a> {
    words: &'a [SqlToken],
    at: usize,
}

impl<'a> SqlParser<'a> {
    pub(in crate::stores) fn new(words: &'a [SqlToken]) -> Self {
        Self { words, at: 0 }
    }

    pub(in crate::stores) fn peek(&self) -> Option<&'a SqlToken> {
        self.words.get(self.at)
    }

    pub(in crate::stores) fn next(&mut self) -> Option<&'a SqlToken> {
        let token = self.words.get(self.at);
        self.at += 1;
        token
    }

    pub(in crate::stores) fn is_done(&self) -> bool {
        self.at >= self.words.len()
    }

    /// Takes a keyword if it is next.
    pub(in crate::stores) fn took(&mut self, keyword: &str) -> bool {
        let is = self.peek().is_some_and(|token| token.is(keyword));
        self.at += usize::from(is);
        is
    }

    /// Takes several keywords in a row, or none.
    pub(in crate::stores) fn took_all(&mut self, keywords: &[&str]) -> bool {
        let start = self.at;
        let all = keywords.iter().all(|keyword| self.took(keyword));
        if !all {
            self.at = start;
        }
        all
    }

    pub(in crate::stores) fn took_sign(&mut self, sign: &str) -> bool {
        let is = matches!(self.peek(), Some(SqlToken::Sign(own)) if *own == sign);
        self.at += usize::from(is);
        is
    }

    /// A name, in lower case unless it was quoted.
    pub(in crate::stores) fn name(&mut self) -> Option<String> {
        match self.peek() {
            Some(SqlToken::Word(word, is_quoted)) => {
                self.at += 1;
                Some(if *is_quoted { word.clone() } else { word.to_lowercase() })
            }
            Some(SqlToken::Text(text)) => {
                self.at += 1;
                Some(text.clone())
            }
            _ => None,
        }
    }

    /// `schema.name` or `name`.
    pub(in crate::stores) fn path(&mut self) -> Option<(Option<String>, String)> {
        let first = self.name()?;
        match self.took_sign(".") {
            true => Some((Some(first), self.name()?)),
            false => Some((None, first)),
        }
    }

    pub(in crate::stores) fn expression(&mut self) -> Option<SqlExpression> {
        let mut left = self.conjunction()?;
        while self.took("or") {
            left = SqlExpression::Binary("or", Box::new(left), Box::new(self.conjunction()?));
        }
        Some(left)
    }

    fn conjunction(&mut self) -> Option<SqlExpression> {
        let mut left = self.negation()?;
        while self.took("and") {
            left = SqlExpression::Binary("and", Box::new(left), Box::new(self.negation()?));
        }
        Some(left)
    }

    fn negation(&mut self) -> Option<SqlExpression> {
        if self.took("not") {
            return Some(SqlExpression::Not(Box::new(self.negation()?)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Option<SqlExpression> {
        let left = self.sum()?;
        if self.took("is") {
            let is_not = self.took("not");
            self.next()?;
            return Some(SqlExpression::IsNull(Box::new(left), !is_not));
        }
        let is_not = self.took("not");
        if self.took("in") {
            self.took_sign("(");
            let items = self.list()?;
            return Some(SqlExpression::In(Box::new(left), items, is_not));
        }
        if self.took("like") || self.took("ilike") {
            let like = SqlExpression::Binary("like", Box::new(left), Box::new(self.sum()?));
            return Some(if is_not { SqlExpression::Not(Box::new(like)) } else { like });
        }
        for sign in ["<>", "!=", "<=", ">=", "=", "<", ">"] {
            if self.took_sign(sign) {
                // `pid = ANY(pg_blocking_pids(7))`.
                if self.took("any") {
                    self.took_sign("(");
                    let items = self.list()?;
                    return Some(SqlExpression::Binary("any", Box::new(left), Box::new(items.into_iter().next()?)));
                }
                return Some(SqlExpression::Binary(sign, Box::new(left), Box::new(self.sum()?)));
            }
        }
        Some(left)
    }

    fn sum(&mut self) -> Option<SqlExpression> {
        let mut left = self.cast()?;
        loop {
            let sign = ["||", "+", "-", "*", "/"].into_iter().find(|sign| self.took_sign(sign));
            match sign {
                Some(sign) => left = SqlExpression::Binary(sign, Box::new(left), Box::new(self.cast()?)),
                None => return Some(left),
            }
        }
    }

    fn cast(&mut self) -> Option<SqlExpression> {
        let value = self.primary()?;
        while self.took_sign("::") {
            self.path()?;
        }
        Some(value)
    }

    /// The rest of a list, to its closing bracket.
    fn list(&mut self) -> Option<Vec<SqlExpression>> {
        let mut items = Vec::new();
        while !self.took_sign(")") {
            items.push(self.expression()?);
            if !self.took_sign(",") && !matches!(self.peek(), Some(SqlToken::Sign(")"))) {
                return None;
            }
        }
        Some(items)
    }

    fn primary(&mut self) -> Option<SqlExpression> {
        if self.took_sign("(") {
            let inner = self.expression()?;
            return self.took_sign(")").then_some(inner);
        }
        if self.took_sign("*") {
            return Some(SqlExpression::Star);
        }
        if self.took_sign("-") {
            let SqlExpression::Number(number) = self.primary()? else { return None };
            return Some(SqlExpression::Number(-number));
        }
        match self.next()? {
            SqlToken::Text(text) => Some(SqlExpression::Text(text.clone())),
            SqlToken::Number(number) => number.parse().ok().map(SqlExpression::Number),
            SqlToken::Word(word, is_quoted) => {
                let lower = word.to_lowercase();
                match (&*lower, is_quoted) {
                    ("null", false) => return Some(SqlExpression::Null),
                    ("true", false) => return Some(SqlExpression::Bool(true)),
                    ("false", false) => return Some(SqlExpression::Bool(false)),
                    ("interval", false) => {
                        return self.primary().map(|value| SqlExpression::Call("interval".into(), vec![value]));
                    }
                    _ => {}
                }
                let name = if *is_quoted { word.clone() } else { lower };
                if self.took_sign("(") {
                    return Some(SqlExpression::Call(name, self.list()?));
                }
                if self.took_sign(".") {
                    if self.took_sign("*") {
                        return Some(SqlExpression::Star);
                    }
                    let column = self.name()?;
                    if self.took_sign("(") {
                        return Some(SqlExpression::Call(column, self.list()?));
                    }
                    return Some(SqlExpression::Column(Some(name), column));
                }
                Some(SqlExpression::Column(None, name))
            }
            SqlToken::Sign(_) => None,
        }
    }
}
