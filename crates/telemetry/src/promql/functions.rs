//! The table of functions: names, argument types and which of them are experimental.

pub(crate) mod over_time;
pub(crate) mod rates;
pub(super) mod values;

use super::ast::ValueType;
use ValueType::{Matrix, Scalar, String as Text, Vector};

/// A function of the language.
#[derive(Debug, PartialEq)]
pub struct Function {
    pub name: &'static str,
    pub args: &'static [ValueType],
    /// How many of the last arguments may be left out or added: 0 none, below zero any number.
    variadic: i8,
    pub returns: ValueType,
    pub experimental: bool,
}

impl Function {
    /// The least and the largest number of arguments.
    pub fn arity(&self) -> (usize, Option<usize>) {
        match self.variadic {
            0 => (self.args.len(), Some(self.args.len())),
            more => (self.args.len() - 1, (more > 0).then(|| self.args.len() - 1 + more as usize)),
        }
    }
}

const fn stable(name: &'static str, args: &'static [ValueType], variadic: i8, returns: ValueType) -> Function {
    Function { name, args, variadic, returns, experimental: false }
}

const fn experimental(name: &'static str, args: &'static [ValueType], variadic: i8, returns: ValueType) -> Function {
    Function { name, args, variadic, returns, experimental: true }
}

/// Finds a function by its name, which is case-sensitive.
pub fn find(name: &str) -> Option<&'static Function> {
    // `start()`, `end()`, `step()` and `range()` are keywords, and keywords know no case.
    let lower = name.to_ascii_lowercase();
    ALL.iter().find(|f| f.name == name || (KEYWORDS.contains(&f.name) && f.name == lower))
}

const KEYWORDS: [&str; 4] = ["start", "end", "step", "range"];

static ALL: &[Function] = &[
    stable("abs", &[Vector], 0, Vector),
    stable("absent", &[Vector], 0, Vector),
    stable("absent_over_time", &[Matrix], 0, Vector),
    stable("acos", &[Vector], 0, Vector),
    stable("acosh", &[Vector], 0, Vector),
    stable("asin", &[Vector], 0, Vector),
    stable("asinh", &[Vector], 0, Vector),
    stable("atan", &[Vector], 0, Vector),
    stable("atanh", &[Vector], 0, Vector),
    stable("avg_over_time", &[Matrix], 0, Vector),
    stable("ceil", &[Vector], 0, Vector),
    stable("changes", &[Matrix], 0, Vector),
    stable("clamp", &[Vector, Scalar, Scalar], 0, Vector),
    stable("clamp_max", &[Vector, Scalar], 0, Vector),
    stable("clamp_min", &[Vector, Scalar], 0, Vector),
    stable("cos", &[Vector], 0, Vector),
    stable("cosh", &[Vector], 0, Vector),
    stable("count_over_time", &[Matrix], 0, Vector),
    stable("day_of_month", &[Vector], 1, Vector),
    stable("day_of_week", &[Vector], 1, Vector),
    stable("day_of_year", &[Vector], 1, Vector),
    stable("days_in_month", &[Vector], 1, Vector),
    stable("deg", &[Vector], 0, Vector),
    stable("delta", &[Matrix], 0, Vector),
    stable("deriv", &[Matrix], 0, Vector),
    experimental("double_exponential_smoothing", &[Matrix, Scalar, Scalar], 0, Vector),
    experimental("end", &[], 0, Scalar),
    stable("exp", &[Vector], 0, Vector),
    stable("first_over_time", &[Matrix], 0, Vector),
    stable("floor", &[Vector], 0, Vector),
    stable("histogram_avg", &[Vector], 0, Vector),
    stable("histogram_count", &[Vector], 0, Vector),
    stable("histogram_fraction", &[Scalar, Scalar, Vector], 0, Vector),
    stable("histogram_quantile", &[Scalar, Vector], 0, Vector),
    experimental("histogram_quantiles", &[Vector, Text, Scalar, Scalar], 9, Vector),
    stable("histogram_stddev", &[Vector], 0, Vector),
    stable("histogram_stdvar", &[Vector], 0, Vector),
    stable("histogram_sum", &[Vector], 0, Vector),
    stable("hour", &[Vector], 1, Vector),
    stable("idelta", &[Matrix], 0, Vector),
    stable("increase", &[Matrix], 0, Vector),
    experimental("info", &[Vector, Vector], 1, Vector),
    stable("irate", &[Matrix], 0, Vector),
    stable("label_join", &[Vector, Text, Text, Text], -1, Vector),
    stable("label_replace", &[Vector, Text, Text, Text, Text], 0, Vector),
    stable("last_over_time", &[Matrix], 0, Vector),
    stable("ln", &[Vector], 0, Vector),
    stable("log10", &[Vector], 0, Vector),
    stable("log2", &[Vector], 0, Vector),
    experimental("mad_over_time", &[Matrix], 0, Vector),
    experimental("max_of", &[Scalar, Scalar], 0, Scalar),
    stable("max_over_time", &[Matrix], 0, Vector),
    experimental("min_of", &[Scalar, Scalar], 0, Scalar),
    stable("min_over_time", &[Matrix], 0, Vector),
    stable("minute", &[Vector], 1, Vector),
    stable("month", &[Vector], 1, Vector),
    stable("pi", &[], 0, Scalar),
    stable("predict_linear", &[Matrix, Scalar], 0, Vector),
    stable("present_over_time", &[Matrix], 0, Vector),
    stable("quantile_over_time", &[Scalar, Matrix], 0, Vector),
    stable("rad", &[Vector], 0, Vector),
    experimental("range", &[], 0, Scalar),
    stable("rate", &[Matrix], 0, Vector),
    stable("resets", &[Matrix], 0, Vector),
    stable("round", &[Vector, Scalar], 1, Vector),
    stable("scalar", &[Vector], 0, Scalar),
    stable("sgn", &[Vector], 0, Vector),
    stable("sin", &[Vector], 0, Vector),
    stable("sinh", &[Vector], 0, Vector),
    stable("sort", &[Vector], 0, Vector),
    experimental("sort_by_label", &[Vector, Text], -1, Vector),
    experimental("sort_by_label_desc", &[Vector, Text], -1, Vector),
    stable("sort_desc", &[Vector], 0, Vector),
    stable("sqrt", &[Vector], 0, Vector),
    experimental("start", &[], 0, Scalar),
    stable("stddev_over_time", &[Matrix], 0, Vector),
    stable("stdvar_over_time", &[Matrix], 0, Vector),
    experimental("step", &[], 0, Scalar),
    stable("sum_over_time", &[Matrix], 0, Vector),
    stable("tan", &[Vector], 0, Vector),
    stable("tanh", &[Vector], 0, Vector),
    stable("time", &[], 0, Scalar),
    stable("timestamp", &[Vector], 0, Vector),
    experimental("ts_of_first_over_time", &[Matrix], 0, Vector),
    experimental("ts_of_last_over_time", &[Matrix], 0, Vector),
    experimental("ts_of_max_over_time", &[Matrix], 0, Vector),
    experimental("ts_of_min_over_time", &[Matrix], 0, Vector),
    stable("vector", &[Scalar], 0, Vector),
    stable("year", &[Vector], 1, Vector),
];
