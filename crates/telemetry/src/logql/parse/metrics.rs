//! Metric queries: aggregations over ranges and over series.

use crate::logql::ast::{Grouping, LogQuery, MetricQuery, RangeAggregation, Stage, Unwrap, VectorOp};
use crate::logql::lex::Token;
use crate::promql::ast::{AggregateOp, Cardinality, Matching, PromqlOperator};

use super::{LogqlError, Parsed, Parser, check_matchers};

const RANGE_OPS: [&str; 15] = [
    "rate",
    "rate_counter",
    "count_over_time",
    "bytes_rate",
    "bytes_over_time",
    "sum_over_time",
    "avg_over_time",
    "max_over_time",
    "min_over_time",
    "stdvar_over_time",
    "stddev_over_time",
    "quantile_over_time",
    "first_over_time",
    "last_over_time",
    "absent_over_time",
];

/// What needs an unwrapped label, what must not have one, and what may group.
fn takes_unwrap(op: &str) -> Option<bool> {
    match op {
        "rate" | "absent_over_time" => None,
        "count_over_time" | "bytes_rate" | "bytes_over_time" => Some(false),
        _ => Some(true),
    }
}

fn may_group(op: &str) -> bool {
    matches!(
        op,
        "avg_over_time"
            | "max_over_time"
            | "min_over_time"
            | "stdvar_over_time"
            | "stddev_over_time"
            | "quantile_over_time"
            | "first_over_time"
            | "last_over_time"
    )
}

/// What can only be said of the whole query.
pub(super) fn check(query: &MetricQuery) -> Parsed<()> {
    match query {
        MetricQuery::Number(_) | MetricQuery::Constant(_) => Ok(()),
        MetricQuery::Range(range) => check_matchers(&range.log.matchers),
        MetricQuery::Vector { inner, .. } | MetricQuery::LabelReplace { inner, .. } | MetricQuery::Paren(inner) => {
            check(inner)
        }
        MetricQuery::Binary { left, right, .. } => {
            check(left)?;
            check(right)
        }
    }
}

impl Parser {
    pub(super) fn metric(&mut self, lowest: u8) -> Parsed<MetricQuery> {
        self.deeper()?;
        let depth = self.depth;
        let mut left = self.operand()?;
        while let Some(op) = self.operator().filter(|op| op.precedence() >= lowest) {
            self.deeper()?;
            let sign = op.symbol();
            self.advance();
            let (returns_bool, matching) = self.matching(op)?;
            if self.is("{") {
                let log = self.log_query()?;
                let kind = if log.stages.is_empty() { "*syntax.MatchersExpr" } else { "*syntax.PipelineExpr" };
                return Err(LogqlError::plain(format!(
                    "unexpected type for right leg of binary operation ({sign}): {kind}"
                )));
            }
            let next = if op == PromqlOperator::Pow { op.precedence() } else { op.precedence() + 1 };
            let right = self.metric(next)?;
            left = MetricQuery::Binary { op, returns_bool, matching, left: Box::new(left), right: Box::new(right) };
        }
        self.depth = depth - 1;
        Ok(left)
    }

    fn operator(&self) -> Option<PromqlOperator> {
        let Token::Sign(sign) = self.token() else { return None };
        Some(match *sign {
            "+" => PromqlOperator::Add,
            "-" => PromqlOperator::Sub,
            "*" => PromqlOperator::Mul,
            "/" => PromqlOperator::Div,
            "%" => PromqlOperator::Mod,
            "^" => PromqlOperator::Pow,
            "==" => PromqlOperator::Equal,
            "!=" => PromqlOperator::NotEqual,
            ">" => PromqlOperator::Greater,
            ">=" => PromqlOperator::GreaterEqual,
            "<" => PromqlOperator::Less,
            "<=" => PromqlOperator::LessEqual,
            "and" => PromqlOperator::And,
            "or" => PromqlOperator::Or,
            "unless" => PromqlOperator::Unless,
            _ => return None,
        })
    }

    fn matching(&mut self, op: PromqlOperator) -> Parsed<(bool, Matching)> {
        let returns_bool = self.accept("bool");
        let mut matching = Matching {
            cardinality: if op.is_set() { Cardinality::ManyToMany } else { Cardinality::OneToOne },
            labels: Vec::new(),
            on: false,
            include: Vec::new(),
            grouped: false,
            fill_left: None,
            fill_right: None,
        };
        if self.is("on") || self.is("ignoring") {
            matching.on = self.is("on");
            self.advance();
            matching.labels = self.labels()?;
            for (word, cardinality) in [("group_left", Cardinality::ManyToOne), ("group_right", Cardinality::OneToMany)]
            {
                if self.accept(word) {
                    matching.cardinality = cardinality;
                    matching.grouped = true;
                    if self.is("(") {
                        matching.include = self.labels()?;
                    }
                }
            }
        }
        Ok((returns_bool, matching))
    }

    fn labels(&mut self) -> Parsed<Vec<String>> {
        self.expect("(", &["("])?;
        let mut labels = Vec::new();
        if self.accept(")") {
            return Ok(labels);
        }
        loop {
            labels.push(self.identifier(&["IDENTIFIER"])?);
            if self.accept(")") {
                return Ok(labels);
            }
            self.expect(",", &[",", ")"])?;
        }
    }

    fn grouping(&mut self) -> Parsed<Option<Grouping>> {
        let without = self.is("without");
        if !without && !self.is("by") {
            return Ok(None);
        }
        self.advance();
        Ok(Some(Grouping { without, labels: self.labels()? }))
    }

    fn operand(&mut self) -> Parsed<MetricQuery> {
        match self.token().clone() {
            Token::Number(value) => {
                self.advance();
                Ok(MetricQuery::Number(value))
            }
            Token::Sign(sign @ ("-" | "+")) => {
                self.advance();
                match self.token() {
                    Token::Number(value) => {
                        let value = if sign == "-" { -value } else { *value };
                        self.advance();
                        Ok(MetricQuery::Number(value))
                    }
                    _ => Err(self.unexpected(&["NUMBER"])),
                }
            }
            Token::Sign("(") => {
                self.advance();
                let inner = self.metric(0)?;
                self.expect(")", &[])?;
                Ok(MetricQuery::Paren(Box::new(inner)))
            }
            Token::Sign("vector") => {
                self.advance();
                self.expect("(", &["("])?;
                let Token::Number(value) = *self.token() else { return Err(self.unexpected(&["NUMBER"])) };
                self.advance();
                self.expect(")", &[")"])?;
                Ok(MetricQuery::Constant(value))
            }
            Token::Sign("label_replace") => self.label_replace(),
            Token::Sign(op) if RANGE_OPS.contains(&op) => self.range_aggregation(op),
            Token::Sign(op) => match vector_op(op) {
                Some(vector) => self.vector_aggregation(op, vector),
                None => Err(self.unexpected(&[])),
            },
            _ => Err(self.unexpected(&[])),
        }
    }

    fn label_replace(&mut self) -> Parsed<MetricQuery> {
        self.advance();
        self.expect("(", &["("])?;
        let inner = Box::new(self.metric(0)?);
        let mut texts = Vec::new();
        for _ in 0..4 {
            self.expect(",", &[])?;
            texts.push(self.text(&["STRING"])?);
        }
        self.expect(")", &[")"])?;
        let [target, template, source, pattern] = texts.try_into().expect("four were read");
        if let Err(why) = crate::go::Regexp::new(&pattern, crate::go::Anchoring::Whole) {
            return Err(LogqlError::plain(format!("invalid regex in label_replace: {why}")));
        }
        Ok(MetricQuery::LabelReplace { inner, target, template, source, pattern })
    }

    fn vector_aggregation(&mut self, name: &str, op: VectorOp) -> Parsed<MetricQuery> {
        self.advance();
        let before = self.grouping()?;
        self.expect("(", &["("])?;
        let needs = matches!(op, VectorOp::Aggregate(AggregateOp::Topk | AggregateOp::Bottomk));
        let mut param = None;
        if let Token::Number(value) = *self.token()
            && matches!(self.tokens.get(self.at + 1).map(|t| &t.token), Some(Token::Sign(",")))
        {
            self.advance();
            self.advance();
            param = Some(value);
        }
        if self.is("{") && needs && param.is_none() {
            return Err(LogqlError::plain(format!("parameter required for operation {name}")));
        }
        let inner = Box::new(self.metric(0)?);
        self.expect(")", &[])?;
        let grouping = match before {
            Some(grouping) => Some(grouping),
            None => self.grouping()?,
        };
        match (needs, param) {
            (true, None) => return Err(LogqlError::plain(format!("parameter required for operation {name}"))),
            (true, Some(k)) if k < 1.0 => {
                return Err(LogqlError::plain(format!("invalid parameter (must be greater than 0) {name}({k}")));
            }
            (false, Some(k)) => {
                return Err(LogqlError::plain(format!("unsupported parameter for operation {name}({k},")));
            }
            _ => {}
        }
        Ok(MetricQuery::Vector { op, param, grouping, inner })
    }

    fn range_aggregation(&mut self, op: &'static str) -> Parsed<MetricQuery> {
        self.advance();
        self.expect("(", &["("])?;
        let mut param = None;
        if let Token::Number(value) = *self.token() {
            self.advance();
            self.expect(",", &[","])?;
            param = Some(value);
        }
        let (log, unwrap, range, offset) = self.log_range()?;
        self.expect(")", &[")"])?;
        let grouping = self.grouping()?;
        let plain = |text: String| Err(LogqlError::plain(text));
        if (op == "quantile_over_time") != param.is_some() {
            return plain(match param {
                None => format!("parameter required for operation {op}"),
                Some(_) => format!("parameter not supported for operation {op}"),
            });
        }
        if grouping.is_some() && !may_group(op) {
            return plain(format!("grouping not allowed for {op} aggregation"));
        }
        match (takes_unwrap(op), &unwrap) {
            (Some(true), None) => return plain(format!("invalid aggregation {op} without unwrap")),
            (Some(false), Some(_)) => return plain(format!("invalid aggregation {op} with unwrap")),
            _ => {}
        }
        Ok(MetricQuery::Range(Box::new(RangeAggregation { op, param, log, unwrap, range, offset, grouping })))
    }

    /// `{…} stages [5m] offset 1m`.
    fn log_range(&mut self) -> Parsed<(LogQuery, Option<Unwrap>, i64, i64)> {
        self.deeper()?;
        if self.accept("(") {
            let inner = self.log_range()?;
            self.expect(")", &[])?;
            return Ok(inner);
        }
        let matchers = self.selector()?;
        let mut stages = self.stages()?;
        let Token::Range(range) = *self.token() else { return Err(self.unexpected(&[])) };
        self.advance();
        let mut offset = 0;
        if self.accept("offset") {
            let negative = self.accept("-");
            let Token::Duration(nanos) = *self.token() else { return Err(self.unexpected(&["DURATION"])) };
            self.advance();
            offset = if negative { -nanos } else { nanos };
        }
        if stages.is_empty() {
            stages = self.stages()?;
        }
        let unwrap = split_unwrap(&mut stages)?;
        Ok((LogQuery { matchers, stages }, unwrap, range, offset))
    }
}

/// Takes the unwrap and the filters behind it out of a pipeline.
fn split_unwrap(stages: &mut Vec<Stage>) -> Parsed<Option<Unwrap>> {
    let Some(at) = stages.iter().position(|s| matches!(s, Stage::Unwrap(_))) else { return Ok(None) };
    let mut rest = stages.split_off(at).into_iter();
    let Some(Stage::Unwrap(mut unwrap)) = rest.next() else { return Ok(None) };
    for stage in rest {
        match stage {
            Stage::Filter(filter) => unwrap.filters.push(filter),
            _ => return Err(LogqlError::plain("only label filters are allowed after unwrap")),
        }
    }
    Ok(Some(unwrap))
}

fn vector_op(name: &str) -> Option<VectorOp> {
    Some(match name {
        "sort" => VectorOp::Sort { descending: false },
        "sort_desc" => VectorOp::Sort { descending: true },
        "approx_topk" => VectorOp::Aggregate(AggregateOp::Topk),
        "sum" | "avg" | "max" | "min" | "count" | "stddev" | "stdvar" | "topk" | "bottomk" => {
            VectorOp::Aggregate(AggregateOp::ALL.iter().find(|(n, _)| *n == name)?.1)
        }
        _ => return None,
    })
}
