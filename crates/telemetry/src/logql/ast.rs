//! The tree of a LogQL query.

use crate::go::Regexp;
use crate::matcher::{MatchOp, Matcher};
use crate::promql::ast::{AggregateOp, Matching, PromqlOperator};

use super::format::TemplateStage;

/// A query: lines or values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Query {
    Log(LogQuery),
    Metric(MetricQuery),
}

/// `{app="cart"} |= "x" | json`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogQuery {
    pub matchers: Vec<Matcher>,
    pub stages: Vec<Stage>,
}

impl LogQuery {
    /// Whether the filters at the front of the pipeline let a line pass. Asked before anything is made of the line.
    pub fn may_pass(&self, line: &str) -> bool {
        let filters = self.stages.iter().map_while(|stage| match stage {
            Stage::Lines(alternatives) => Some(alternatives),
            _ => None,
        });
        filters.into_iter().all(|alternatives| super::filters::line_passes(alternatives, line))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stage {
    Lines(Vec<LineFilter>),
    Json(Vec<Extraction>),
    Logfmt { strict: bool, keep_empty: bool, fields: Vec<Extraction> },
    Pattern(LinePattern),
    Regexp(Regexp),
    Unpack,
    Filter(LabelFilter),
    LineFormat(TemplateStage),
    LabelFormat(Vec<LabelFormat>),
    Decolorize,
    Drop(Vec<LabelChoice>),
    Keep(Vec<LabelChoice>),
    Unwrap(Unwrap),
}

/// One alternative of a line filter; a list of them is joined by `or`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LineFilter {
    pub op: LineOp,
    pub text: String,
    pub test: LineTest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineOp {
    Contains,
    ContainsNot,
    Matches,
    MatchesNot,
    Pattern,
    PatternNot,
}

impl LineOp {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Contains => "|=",
            Self::ContainsNot => "!=",
            Self::Matches => "|~",
            Self::MatchesNot => "!~",
            Self::Pattern => "|>",
            Self::PatternNot => "!>",
        }
    }

    pub fn is_negative(self) -> bool {
        matches!(self, Self::ContainsNot | Self::MatchesNot | Self::PatternNot)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LineTest {
    Contains,
    Regexp(Regexp),
    Pattern(LinePattern),
    Ip(IpRange),
}

/// Addresses from the first to the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IpRange {
    pub first: u128,
    pub last: u128,
    pub v4: bool,
}

/// Literals and captures, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinePattern {
    pub source: String,
    pub parts: Vec<PatternPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternPart {
    Literal(String),
    /// Empty where it is not named.
    Capture(String),
}

/// `label="path"` of `json` and `logfmt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extraction {
    pub label: String,
    pub path: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LabelFilter {
    Text(Matcher),
    Number { label: String, op: CompareOp, value: f64, unit: Unit, source: String },
    Ip { label: String, negative: bool, range: IpRange, source: String },
    And(Box<LabelFilter>, Box<LabelFilter>),
    Or(Box<LabelFilter>, Box<LabelFilter>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Plain,
    Duration,
    Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl CompareOp {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }

    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LabelFormat {
    Rename { target: String, source: String },
    Set { target: String, template: TemplateStage },
}

/// A label of `drop` or `keep`, perhaps only with a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LabelChoice {
    pub name: String,
    pub matcher: Option<(MatchOp, Matcher)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unwrap {
    pub label: String,
    pub conversion: Option<String>,
    pub filters: Vec<LabelFilter>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grouping {
    pub without: bool,
    pub labels: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MetricQuery {
    Range(Box<RangeAggregation>),
    Vector {
        op: VectorOp,
        param: Option<f64>,
        grouping: Option<Grouping>,
        inner: Box<MetricQuery>,
    },
    Binary {
        op: PromqlOperator,
        returns_bool: bool,
        matching: Matching,
        left: Box<MetricQuery>,
        right: Box<MetricQuery>,
    },
    Number(f64),
    Constant(f64),
    LabelReplace {
        inner: Box<MetricQuery>,
        target: String,
        template: String,
        source: String,
        pattern: String,
    },
    Paren(Box<MetricQuery>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VectorOp {
    Aggregate(AggregateOp),
    Sort { descending: bool },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RangeAggregation {
    pub op: &'static str,
    pub param: Option<f64>,
    pub log: LogQuery,
    pub unwrap: Option<Unwrap>,
    /// Nanoseconds.
    pub range: i64,
    pub offset: i64,
    pub grouping: Option<Grouping>,
}
