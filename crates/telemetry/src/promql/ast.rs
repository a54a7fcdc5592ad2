//! The tree of a PromQL expression.

use crate::matcher::Matcher;

use super::functions::Function;

/// Where a piece of the query stands, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Position {
    pub(crate) fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }

    /// `line:column`, both from one.
    pub(crate) fn in_query(self, query: &str) -> String {
        let before = &query.as_bytes()[..self.start.min(query.len())];
        let line = 1 + before.iter().filter(|c| **c == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|c| **c != b'\n').count();
        format!("{line}:{column}")
    }
}

/// What an expression evaluates to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// One number per step.
    Scalar,
    /// One sample per series and step.
    Vector,
    /// A window of samples per series.
    Matrix,
    /// A text.
    String,
}

impl ValueType {
    /// As errors name it.
    pub(crate) fn documented(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Vector => "instant vector",
            Self::Matrix => "range vector",
            Self::String => "string",
        }
    }

    /// As some errors and the API name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Vector => "vector",
            Self::Matrix => "matrix",
            Self::String => "string",
        }
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum PromqlExpr {
    /// `42` or `5m`.
    Number(NumberLiteral),
    /// `"text"`.
    Text(String, Position),
    /// `up{job="a"}`.
    Vector(VectorSelector),
    /// `up[5m]`.
    Matrix(Box<MatrixSelector>),
    /// `rate(up[5m])[1h:1m]`.
    Subquery(Box<Subquery>),
    /// `rate(…)`.
    Call(FunctionCall),
    /// `sum by (job) (…)`.
    Aggregate(Box<Aggregate>),
    /// `a + b`.
    Binary(Box<Binary>),
    /// `-a`.
    Unary(Box<Unary>),
    /// `(a)`.
    Paren(Box<PromqlExpr>, Position),
}

/// A number; a duration is a number of seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberLiteral {
    pub value: f64,
    pub is_duration: bool,
    pub position: Position,
}

/// The time that `@` fixes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// Milliseconds.
    Time(i64),
    Start,
    End,
}

/// `anchored` and `smoothed` windows, which are experimental.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    Anchored,
    Smoothed,
}

/// What may stand behind a selector or a subquery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Modifiers {
    pub offset: Option<DurationExpr>,
    pub at: Option<At>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct VectorSelector {
    /// The name that stands before or first in the braces; also among the matchers.
    pub name: Option<String>,
    pub matchers: Vec<Matcher>,
    pub modifiers: Modifiers,
    pub extension: Option<Extension>,
    pub position: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MatrixSelector {
    pub selector: VectorSelector,
    pub range: DurationExpr,
    pub position: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    pub expr: PromqlExpr,
    pub range: DurationExpr,
    pub step: Option<DurationExpr>,
    pub modifiers: Modifiers,
    pub position: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    pub function: &'static Function,
    pub args: Vec<PromqlExpr>,
    pub position: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    pub op: AggregateOp,
    pub grouping: Vec<String>,
    pub without: bool,
    pub param: Option<PromqlExpr>,
    pub expr: PromqlExpr,
    pub position: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Unary {
    pub negative: bool,
    pub expr: PromqlExpr,
    pub position: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    pub op: PromqlOperator,
    pub left: PromqlExpr,
    pub right: PromqlExpr,
    pub returns_bool: bool,
    /// None where a side is a scalar.
    pub matching: Option<Matching>,
    pub position: Position,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    OneToOne,
    ManyToOne,
    OneToMany,
    ManyToMany,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Matching {
    pub cardinality: Cardinality,
    pub labels: Vec<String>,
    pub on: bool,
    /// Labels that are copied from the side with one.
    pub include: Vec<String>,
    /// Whether `group_left` or `group_right` was written.
    pub grouped: bool,
    pub fill_left: Option<f64>,
    pub fill_right: Option<f64>,
}

/// A duration in seconds, possibly computed.
#[derive(Clone, Debug, PartialEq)]
pub enum DurationExpr {
    Seconds(f64),
    Step,
    Range,
    Negative(Box<DurationExpr>),
    Paren(Box<DurationExpr>),
    Computed(PromqlOperator, Box<DurationExpr>, Box<DurationExpr>),
    Smaller(Box<DurationExpr>, Box<DurationExpr>),
    Larger(Box<DurationExpr>, Box<DurationExpr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateOp {
    Sum,
    Avg,
    Count,
    Min,
    Max,
    Group,
    Stddev,
    Stdvar,
    Topk,
    Bottomk,
    CountValues,
    Quantile,
    Limitk,
    LimitRatio,
}

impl AggregateOp {
    pub const ALL: [(&'static str, Self); 14] = [
        ("sum", Self::Sum),
        ("avg", Self::Avg),
        ("count", Self::Count),
        ("min", Self::Min),
        ("max", Self::Max),
        ("group", Self::Group),
        ("stddev", Self::Stddev),
        ("stdvar", Self::Stdvar),
        ("topk", Self::Topk),
        ("bottomk", Self::Bottomk),
        ("count_values", Self::CountValues),
        ("quantile", Self::Quantile),
        ("limitk", Self::Limitk),
        ("limit_ratio", Self::LimitRatio),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, op)| *op == self).map_or("", |(name, _)| name)
    }

    pub fn has_param(self) -> bool {
        matches!(
            self,
            Self::Topk | Self::Bottomk | Self::CountValues | Self::Quantile | Self::Limitk | Self::LimitRatio
        )
    }

    pub fn is_experimental(self) -> bool {
        matches!(self, Self::Limitk | Self::LimitRatio)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromqlOperator {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Atan2,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Unless,
}

impl PromqlOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::Pow => "^",
            Self::Atan2 => "atan2",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::And => "and",
            Self::Or => "or",
            Self::Unless => "unless",
        }
    }

    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual | Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual)
    }

    pub fn is_set(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Unless)
    }

    /// Higher binds tighter.
    pub(crate) fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And | Self::Unless => 2,
            op if op.is_comparison() => 3,
            Self::Add | Self::Sub => 4,
            Self::Pow => 6,
            _ => 5,
        }
    }
}

impl PromqlExpr {
    /// What it evaluates to.
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Number(_) => ValueType::Scalar,
            Self::Text(..) => ValueType::String,
            Self::Vector(_) | Self::Aggregate(_) => ValueType::Vector,
            Self::Matrix(_) | Self::Subquery(_) => ValueType::Matrix,
            Self::Call(call) => call.function.returns,
            Self::Unary(unary) => unary.expr.value_type(),
            Self::Paren(inner, _) => inner.value_type(),
            Self::Binary(binary) => {
                let scalar =
                    binary.left.value_type() == ValueType::Scalar && binary.right.value_type() == ValueType::Scalar;
                if scalar { ValueType::Scalar } else { ValueType::Vector }
            }
        }
    }

    /// Where it stands in the query.
    pub fn position(&self) -> Position {
        match self {
            Self::Number(number) => number.position,
            Self::Text(_, position) | Self::Paren(_, position) => *position,
            Self::Vector(selector) => selector.position,
            Self::Matrix(matrix) => matrix.position,
            Self::Subquery(subquery) => subquery.position,
            Self::Call(call) => call.position,
            Self::Aggregate(aggregate) => aggregate.position,
            Self::Binary(binary) => binary.position,
            Self::Unary(unary) => unary.position,
        }
    }

    /// Without the parentheses around it.
    pub(crate) fn unwrapped(&self) -> &Self {
        match self {
            Self::Paren(inner, _) => inner.unwrapped(),
            other => other,
        }
    }
}
