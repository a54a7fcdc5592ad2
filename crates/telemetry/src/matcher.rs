//! Matchers of labels: `=`, `!=`, `=~`, `!~`.

use crate::go::{Anchoring, Regexp, quote};
use crate::labels::{Labels, quoted_unless_plain};

/// How a label's value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchOp {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `=~`
    Matches,
    /// `!~`
    NotMatches,
}

impl MatchOp {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Matches => "=~",
            Self::NotMatches => "!~",
        }
    }
}

/// One condition on one label; a label that is not there has the empty value.
#[derive(Clone, Debug, PartialEq)]
pub struct Matcher {
    /// The label.
    pub name: String,
    /// How it is compared.
    pub op: MatchOp,
    /// With what.
    pub value: String,
    regexp: Option<Regexp>,
}

impl Matcher {
    /// A matcher; the error is the one of its regular expression.
    pub fn new(name: impl Into<String>, op: MatchOp, value: impl Into<String>) -> Result<Self, String> {
        let value = value.into();
        let regexp = match op {
            MatchOp::Matches | MatchOp::NotMatches => Some(Regexp::new(&value, Anchoring::Whole)?),
            _ => None,
        };
        Ok(Self { name: name.into(), op, value, regexp })
    }

    /// A matcher that wants this value.
    pub fn equal(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), op: MatchOp::Equal, value: value.into(), regexp: None }
    }

    /// Whether a value fits.
    pub fn matches(&self, value: &str) -> bool {
        match self.op {
            MatchOp::Equal => self.value == value,
            MatchOp::NotEqual => self.value != value,
            MatchOp::Matches => self.regexp.as_ref().is_some_and(|r| r.is_match(value)),
            MatchOp::NotMatches => !self.regexp.as_ref().is_some_and(|r| r.is_match(value)),
        }
    }

    /// Whether the label of this name fits.
    pub fn fits(&self, labels: &Labels) -> bool {
        self.matches(labels.get(&self.name))
    }

    /// As it is written: `job="a"`.
    pub fn text(&self) -> String {
        format!("{}{}{}", quoted_unless_plain(&self.name), self.op.symbol(), quote(&self.value))
    }
}
