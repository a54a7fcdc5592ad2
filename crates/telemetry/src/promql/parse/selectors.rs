//! Selectors: a name, matchers in braces, and both.

use crate::go::quote;
use crate::labels::METRIC_NAME;
use crate::matcher::{MatchOp, Matcher};
use crate::promql::ast::{Modifiers, Position, VectorSelector};
use crate::promql::lex::Kind;

use super::{Fault, Parsed, Parser};

const CONTEXT: &str = "label matching";

impl Parser<'_> {
    pub(super) fn vector_selector(&mut self) -> Parsed<VectorSelector> {
        let start = self.position();
        let name = self.metric_identifier();
        let mut end = start;
        let mut inner_name = None;
        let mut matchers = Vec::new();
        if self.is("{") {
            self.advance();
            end = self.matchers(&mut matchers, &mut inner_name)?;
        } else if name.is_none() {
            return Err(self.unexpected("", ""));
        }
        let position = start.to(end);
        let name = match (name, inner_name) {
            (Some(outer), Some(inner)) => return Err(named_twice(&outer, &inner, position)),
            (outer, inner) => outer.or(inner),
        };
        if let Some(name) = &name {
            // Last, so that the check for a second name looks at all others.
            matchers.push(Matcher::equal(METRIC_NAME, name));
        }
        Ok(VectorSelector { name, matchers, modifiers: Modifiers::default(), extension: None, position })
    }

    /// Nearly every keyword may also name a metric.
    fn metric_identifier(&mut self) -> Option<String> {
        let named = match self.kind() {
            Kind::Identifier | Kind::MetricIdentifier => true,
            Kind::Keyword(word) => {
                !matches!(*word, "bool" | "on" | "ignoring" | "group_left" | "group_right" | "atan2")
            }
            _ => false,
        };
        if !named {
            return None;
        }
        let name = self.text().to_owned();
        self.advance();
        Some(name)
    }

    /// What stands between the braces, and the closing one.
    fn matchers(&mut self, out: &mut Vec<Matcher>, name: &mut Option<String>) -> Parsed<Position> {
        loop {
            if self.is("}") {
                return Ok(self.advance());
            }
            self.matcher(out, name)?;
            if self.is("}") {
                return Ok(self.advance());
            }
            if !self.accept(",") {
                return Err(self.unexpected(CONTEXT, "\",\" or \"}\""));
            }
        }
    }

    fn matcher(&mut self, out: &mut Vec<Matcher>, name: &mut Option<String>) -> Parsed<()> {
        let start = self.position();
        let (label, quoted) = match self.kind() {
            Kind::Identifier => {
                let label = self.text().to_owned();
                self.advance();
                (label, false)
            }
            Kind::Text => (self.string()?.0, true),
            _ => return Err(self.unexpected(CONTEXT, "identifier or \"}\"")),
        };
        let op = match self.kind() {
            Kind::Symbol("=") => MatchOp::Equal,
            Kind::Symbol("!=") => MatchOp::NotEqual,
            Kind::Symbol("=~") => MatchOp::Matches,
            Kind::Symbol("!~") => MatchOp::NotMatches,
            _ if quoted => {
                return match name.replace(label.clone()) {
                    Some(first) => Err(named_twice(&first, &label, start)),
                    None => Ok(()),
                };
            }
            _ => return Err(self.unexpected(CONTEXT, "label matching operator")),
        };
        self.advance();
        if self.kind() != &Kind::Text {
            return Err(self.unexpected(CONTEXT, "string"));
        }
        let (value, end) = self.string()?;
        out.push(Matcher::new(label, op, value).map_err(|text| Fault(text, start.to(end)))?);
        Ok(())
    }
}

fn named_twice(first: &str, second: &str, position: Position) -> Fault {
    Fault(format!("metric name must not be set twice: {} or {}", quote(first), quote(second)), position)
}
