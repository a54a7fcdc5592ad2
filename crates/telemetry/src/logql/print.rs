//! A query as text, as `format_query` answers it.

use crate::go::{duration, quote};

use super::ast::{
    Grouping, LabelFilter, LabelFormat, LineTest, LogQuery, MetricQuery, Query, RangeAggregation, Stage, Unwrap,
    VectorOp,
};

impl std::fmt::Display for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Log(log) => log.fmt(f),
            Self::Metric(metric) => metric.fmt(f),
        }
    }
}

impl std::fmt::Display for LogQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let matchers: Vec<String> = self.matchers.iter().map(crate::matcher::Matcher::text).collect();
        write!(f, "{{{}}}", matchers.join(", "))?;
        self.stages.iter().try_for_each(|stage| write!(f, " {}", stage_text(stage)))
    }
}

fn stage_text(stage: &Stage) -> String {
    match stage {
        Stage::Lines(alternatives) => {
            let shown: Vec<String> = alternatives
                .iter()
                .map(|a| match a.test {
                    LineTest::Ip(_) => format!("ip({})", quote(&a.text)),
                    _ => quote(&a.text),
                })
                .collect();
            let symbol = alternatives.first().map_or("|=", |a| a.op.symbol());
            format!("{symbol} {}", shown.join(" or "))
        }
        Stage::Json(fields) => format!("| json{}", fields_text(fields)),
        Stage::Logfmt { strict, keep_empty, fields } => format!(
            "| logfmt{}{}{}",
            if *strict { " --strict" } else { "" },
            if *keep_empty { " --keep-empty" } else { "" },
            fields_text(fields)
        ),
        Stage::Pattern(pattern) => format!("| pattern {}", quote(&pattern.source)),
        Stage::Regexp(regexp) => format!("| regexp {}", quote(regexp.source())),
        Stage::Unpack => "| unpack".to_owned(),
        Stage::Filter(filter) => format!("| {}", filter_text(filter)),
        Stage::LineFormat(template) => format!("| line_format {}", quote(&template.source)),
        Stage::LabelFormat(formats) => {
            let shown: Vec<String> = formats
                .iter()
                .map(|format| match format {
                    LabelFormat::Rename { target, source } => format!("{target}={source}"),
                    LabelFormat::Set { target, template } => format!("{target}={}", quote(&template.source)),
                })
                .collect();
            format!("| label_format {}", shown.join(","))
        }
        Stage::Decolorize => "| decolorize".to_owned(),
        Stage::Drop(choices) => format!("| drop {}", choices_text(choices)),
        Stage::Keep(choices) => format!("| keep {}", choices_text(choices)),
        Stage::Unwrap(unwrap) => unwrap_text(unwrap),
    }
}

fn fields_text(fields: &[super::ast::Extraction]) -> String {
    let shown: Vec<String> = fields.iter().map(|f| format!("{}={}", f.label, quote(&f.path))).collect();
    if shown.is_empty() { String::new() } else { format!(" {}", shown.join(",")) }
}

fn choices_text(choices: &[super::ast::LabelChoice]) -> String {
    let shown: Vec<String> = choices
        .iter()
        .map(|c| match &c.matcher {
            Some((_, matcher)) => matcher.text(),
            None => c.name.clone(),
        })
        .collect();
    shown.join(",")
}

fn unwrap_text(unwrap: &Unwrap) -> String {
    let mut out = match &unwrap.conversion {
        Some(conversion) => format!("| unwrap {conversion}({})", unwrap.label),
        None => format!("| unwrap {}", unwrap.label),
    };
    for filter in &unwrap.filters {
        out.push_str(&format!(" | {}", filter_text(filter)));
    }
    out
}

fn filter_text(filter: &LabelFilter) -> String {
    match filter {
        LabelFilter::Text(matcher) => matcher.text(),
        LabelFilter::Number { label, op, source, .. } => format!("{label}{}{source}", op.symbol()),
        LabelFilter::Ip { label, negative, source, .. } => {
            format!("{label}{}ip({})", if *negative { "!=" } else { "=" }, quote(source))
        }
        LabelFilter::And(a, b) => format!("( {} , {} )", filter_text(a), filter_text(b)),
        LabelFilter::Or(a, b) => format!("( {} or {} )", filter_text(a), filter_text(b)),
    }
}

impl std::fmt::Display for MetricQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{}", crate::go::format_float(*value)),
            Self::Constant(value) => write!(f, "vector({value:.6})"),
            Self::Paren(inner) => write!(f, "({inner})"),
            Self::Range(range) => f.write_str(&range_text(range)),
            Self::Vector { op, param, grouping, inner } => {
                let name = match op {
                    VectorOp::Aggregate(op) => op.name(),
                    VectorOp::Sort { descending: false } => "sort",
                    VectorOp::Sort { descending: true } => "sort_desc",
                };
                let grouping = grouping.as_ref().map_or_else(String::new, |g| format!(" {}", grouping_text(g)));
                let param = param.map_or_else(String::new, |p| format!("{p},"));
                write!(f, "{name}{grouping}({param}{inner})")
            }
            Self::LabelReplace { inner, target, template, source, pattern } => {
                let texts = [target, template, source, pattern].map(|t| quote(t));
                write!(f, "label_replace({inner},{})", texts.join(","))
            }
            Self::Binary { op, returns_bool, matching, left, right } => {
                write!(f, "({left} {}", op.symbol())?;
                if *returns_bool {
                    write!(f, " bool")?;
                }
                if matching.on || !matching.labels.is_empty() {
                    write!(f, " {} ({})", if matching.on { "on" } else { "ignoring" }, matching.labels.join(","))?;
                }
                if matching.grouped {
                    let side = if matching.cardinality == crate::promql::ast::Cardinality::ManyToOne {
                        "left"
                    } else {
                        "right"
                    };
                    write!(f, " group_{side} ({})", matching.include.join(","))?;
                }
                write!(f, " {right})")
            }
        }
    }
}

fn grouping_text(grouping: &Grouping) -> String {
    format!("{} ({})", if grouping.without { "without" } else { "by" }, grouping.labels.join(","))
}

fn range_text(range: &RangeAggregation) -> String {
    let param = range.param.map_or_else(String::new, |p| format!("{p},"));
    let unwrap = range.unwrap.as_ref().map_or_else(String::new, |u| format!(" {}", unwrap_text(u)));
    let offset = match range.offset {
        0 => String::new(),
        nanos => format!(" offset {}", duration::format_go(nanos)),
    };
    let length = duration::format_prometheus(range.range / 1_000_000);
    let grouping = range.grouping.as_ref().map_or_else(String::new, |g| format!(" {}", grouping_text(g)));
    format!("{}({param}{}{unwrap}[{length}]{offset}){grouping}", range.op, range.log)
}
