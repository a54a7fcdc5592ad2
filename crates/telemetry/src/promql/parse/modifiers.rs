//! What stands behind operands and operators: ranges, `offset`, `@`, groupings and vector matching.

use crate::promql::ast::{
    At, Cardinality, DurationExpr, Extension, Matching, MatrixSelector, Modifiers, Position, PromqlExpr,
    PromqlOperator, Subquery,
};
use crate::promql::lex::Kind;

use super::{Fault, Parsed, Parser};

const RANGE_HINT: &str = "number, duration, step(), or range()";

/// `bool on (a) group_left (b)`.
pub(super) struct BinaryModifiers {
    pub returns_bool: bool,
    pub matching: Matching,
}

impl Parser<'_> {
    pub(super) fn suffixes(&mut self, mut expr: PromqlExpr) -> Parsed<PromqlExpr> {
        loop {
            expr = match self.kind() {
                Kind::Symbol("[") => self.range(expr)?,
                Kind::Symbol("@") => self.at_modifier(expr)?,
                Kind::Keyword("offset") => self.offset(expr)?,
                Kind::Keyword("anchored") => self.extension(expr, Extension::Anchored, "anchored")?,
                Kind::Keyword("smoothed") => self.extension(expr, Extension::Smoothed, "smoothed")?,
                _ => return Ok(expr),
            };
        }
    }

    fn range(&mut self, expr: PromqlExpr) -> Parsed<PromqlExpr> {
        // A range of a subquery of a range makes the tree deeper, and nothing else limits such a chain.
        self.deeper()?;
        let open = self.advance();
        if !self.starts_duration() {
            return Err(self.unexpected("subquery or range selector", RANGE_HINT));
        }
        let range = self.positive_duration()?;
        if self.is("]") {
            return self.matrix(expr, range, open);
        }
        if !self.accept(":") {
            return Err(self.unexpected("subquery or range", "\":\" or \"]\""));
        }
        let step = if self.is("]") {
            None
        } else if self.starts_duration() {
            Some(self.positive_duration()?)
        } else {
            return Err(self.unexpected("subquery selector", "number, duration, step(), range(), or \"]\""));
        };
        if !self.is("]") {
            return Err(self.unexpected("subquery selector", "\"]\""));
        }
        let end = self.advance();
        let position = expr.position().to(end);
        Ok(PromqlExpr::Subquery(Box::new(Subquery { expr, range, step, modifiers: Modifiers::default(), position })))
    }

    fn matrix(&mut self, expr: PromqlExpr, range: DurationExpr, open: Position) -> Parsed<PromqlExpr> {
        let close = self.advance();
        let fault = |text: &str| Err(Fault(text.to_owned(), open.to(close)));
        let position = expr.position().to(close);
        let PromqlExpr::Vector(selector) = expr else {
            return fault("ranges only allowed for vector selectors");
        };
        if selector.modifiers.offset.is_some() {
            return fault("no offset modifiers allowed before range");
        }
        if selector.modifiers.at.is_some() {
            return fault("no @ modifiers allowed before range");
        }
        Ok(PromqlExpr::Matrix(Box::new(MatrixSelector { selector, range, position })))
    }

    fn offset(&mut self, mut expr: PromqlExpr) -> Parsed<PromqlExpr> {
        self.advance();
        if !self.starts_duration() {
            return Err(self.unexpected("offset", RANGE_HINT));
        }
        let offset = self.offset_duration()?;
        let end = self.tokens[self.at - 1].position;
        let (modifiers, position) = modifiers_of(&mut expr, "offset modifier")?;
        if modifiers.offset.replace(offset).is_some() {
            return Err(Fault("offset may not be set multiple times".to_owned(), position));
        }
        extend(&mut expr, end);
        Ok(expr)
    }

    fn at_modifier(&mut self, mut expr: PromqlExpr) -> Parsed<PromqlExpr> {
        self.advance();
        let at = match self.kind() {
            Kind::Keyword(word @ ("start" | "end")) if self.next_is("(") => {
                let at = if *word == "start" { At::Start } else { At::End };
                self.advance();
                self.advance();
                if !self.is(")") {
                    return Err(self.unexpected("@", "timestamp"));
                }
                self.advance();
                at
            }
            _ => self.timestamp()?,
        };
        let end = self.tokens[self.at - 1].position;
        let (modifiers, position) = modifiers_of(&mut expr, "@ modifier")?;
        if modifiers.at.replace(at).is_some() {
            return Err(Fault("@ <timestamp> may not be set multiple times".to_owned(), position));
        }
        extend(&mut expr, end);
        Ok(expr)
    }

    fn timestamp(&mut self) -> Parsed<At> {
        let negative = self.is("-");
        if negative || self.is("+") {
            self.advance();
        }
        if !matches!(self.kind(), Kind::Number | Kind::Duration) {
            return Err(self.unexpected("@", "timestamp"));
        }
        let number = self.number()?;
        let seconds = if negative { -number.value } else { number.value };
        let millis = (seconds * 1000.0).round();
        if !millis.is_finite() || millis.abs() >= 9.2e18 {
            return Err(Fault(format!("timestamp out of bounds for @ modifier: {seconds:.6}"), number.position));
        }
        Ok(At::Time(millis as i64))
    }

    fn extension(&mut self, mut expr: PromqlExpr, extension: Extension, word: &str) -> Parsed<PromqlExpr> {
        let end = self.advance();
        if !self.features.extended_ranges {
            return Err(Fault(format!("{word} modifier is experimental and not enabled"), expr.position()));
        }
        let place = match &mut expr {
            PromqlExpr::Vector(selector) if extension == Extension::Smoothed => &mut selector.extension,
            PromqlExpr::Matrix(matrix) => &mut matrix.selector.extension,
            _ => return Err(Fault(format!("{word} modifier not implemented"), expr.position())),
        };
        if place.replace(extension).is_some() {
            return Err(Fault(format!("{word} modifier may not be set multiple times"), expr.position()));
        }
        extend(&mut expr, end);
        Ok(expr)
    }

    /// `by (a, b)` or `without (a)`.
    pub(super) fn grouping_clause(&mut self) -> Parsed<Option<(bool, Vec<String>)>> {
        let without = self.is_keyword("without");
        if !without && !self.is_keyword("by") {
            return Ok(None);
        }
        self.advance();
        Ok(Some((without, self.grouping_labels()?)))
    }

    fn grouping_labels(&mut self) -> Parsed<Vec<String>> {
        const CONTEXT: &str = "grouping opts";
        if !self.accept("(") {
            return Err(self.unexpected(CONTEXT, "\"(\""));
        }
        let mut labels = Vec::new();
        while !self.accept(")") {
            match self.kind() {
                Kind::Text => labels.push(self.string()?.0),
                Kind::Identifier | Kind::Keyword(_) => {
                    labels.push(self.text().to_owned());
                    self.advance();
                }
                _ => return Err(self.unexpected(CONTEXT, "label")),
            }
            if !self.is(")") && !self.accept(",") {
                return Err(self.unexpected(CONTEXT, "\",\" or \")\""));
            }
        }
        Ok(labels)
    }

    pub(super) fn binary_modifiers(&mut self, op: PromqlOperator) -> Parsed<BinaryModifiers> {
        let returns_bool = self.is_keyword("bool");
        if returns_bool {
            self.advance();
        }
        let mut matching = Matching {
            cardinality: if op.is_set() { Cardinality::ManyToMany } else { Cardinality::OneToOne },
            labels: Vec::new(),
            on: false,
            include: Vec::new(),
            fill_left: None,
            fill_right: None,
            grouped: false,
        };
        if self.is_keyword("on") || self.is_keyword("ignoring") {
            matching.on = self.is_keyword("on");
            self.advance();
            matching.labels = self.grouping_labels()?;
            matching.grouped = self.is_keyword("group_left") || self.is_keyword("group_right");
            if matching.grouped {
                let left = self.is_keyword("group_left");
                matching.cardinality = if left { Cardinality::ManyToOne } else { Cardinality::OneToMany };
                self.advance();
                if self.is("(") {
                    matching.include = self.grouping_labels()?;
                }
            }
        }
        self.fills(&mut matching)?;
        Ok(BinaryModifiers { returns_bool, matching })
    }

    fn fills(&mut self, matching: &mut Matching) -> Parsed<()> {
        while let Kind::Keyword(word @ ("fill" | "fill_left" | "fill_right")) = self.kind() {
            if !self.next_is("(") {
                return Ok(());
            }
            let word = *word;
            let start = self.advance();
            if !self.features.fill_modifiers {
                return Err(Fault("binop fill modifiers are experimental and not enabled".to_owned(), start));
            }
            self.advance();
            let negative = self.accept("-");
            let value = self.number()?.value;
            let value = if negative { -value } else { value };
            self.expect(")")?;
            if word != "fill_right" {
                matching.fill_left = Some(value);
            }
            if word != "fill_left" {
                matching.fill_right = Some(value);
            }
        }
        Ok(())
    }
}

fn modifiers_of<'e>(expr: &'e mut PromqlExpr, what: &str) -> Parsed<(&'e mut Modifiers, Position)> {
    let position = expr.position();
    match expr {
        PromqlExpr::Vector(selector) => Ok((&mut selector.modifiers, position)),
        PromqlExpr::Matrix(matrix) => Ok((&mut matrix.selector.modifiers, position)),
        PromqlExpr::Subquery(subquery) => Ok((&mut subquery.modifiers, position)),
        _ => Err(Fault(
            format!("{what} must be preceded by an instant vector selector or range vector selector or a subquery"),
            position,
        )),
    }
}

fn extend(expr: &mut PromqlExpr, end: Position) {
    let position = match expr {
        PromqlExpr::Vector(selector) => &mut selector.position,
        PromqlExpr::Matrix(matrix) => &mut matrix.position,
        PromqlExpr::Subquery(subquery) => &mut subquery.position,
        _ => return,
    };
    position.end = end.end;
}
