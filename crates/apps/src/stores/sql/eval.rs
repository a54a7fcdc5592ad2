//! Values of expressions in a row.

use cluster::Stamp;

use super::expression::SqlExpression;

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::stores) enum SqlValue {
    Null,
    Text(String),
    Int(i64),
    Real(f64),
    Bool(bool),
    Time(Stamp),
    /// Microseconds.
    Interval(i64),
}

impl SqlValue {
    pub(in crate::stores) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(in crate::stores) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// As a client shows it; nothing for null.
    pub(in crate::stores) fn shown(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Text(text) => text.clone(),
            Self::Int(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Bool(flag) => if *flag { "t" } else { "f" }.into(),
            Self::Time(time) => {
                let text = time.rfc3339_micro();
                text.trim_end_matches('Z').replace('T', " ") + "+00"
            }
            Self::Interval(micros) => {
                let (seconds, part) = (micros.abs() / 1_000_000, micros.abs() % 1_000_000);
                let sign = if *micros < 0 { "-" } else { "" };
                let (days, rest) = (seconds / 86_400, seconds % 86_400);
                let days = match days {
                    0 => String::new(),
                    1 => "1 day ".into(),
                    n => format!("{n} days "),
                };
                format!("{sign}{days}{:02}:{:02}:{:02}.{part:06}", rest / 3600, rest / 60 % 60, rest % 60)
            }
        }
    }

    /// Whether it is shown at the right edge of its column.
    pub(in crate::stores) fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Real(_))
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            Self::Time(time) => Some(time.0 as f64),
            Self::Interval(micros) => Some(*micros as f64),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        }
    }
}

/// A row: its tables' names, columns and values.
pub(in crate::stores) type Row = Vec<(String, String, SqlValue)>;

/// Functions that ask or change the server.
pub(in crate::stores) trait SqlFunctions {
    /// What a call gives, or what is wrong with it.
    fn call(&mut self, name: &str, args: &[SqlValue]) -> Result<SqlValue, String>;

    /// What a number by another gives: whole numbers give a whole number, and by zero is an error.
    fn divide(&self, left: f64, right: f64, are_whole: bool) -> Result<SqlValue, String> {
        match (right == 0.0, are_whole) {
            (true, _) => Err("division by zero".into()),
            (_, true) => Ok(SqlValue::Int((left / right) as i64)),
            _ => Ok(SqlValue::Real(left / right)),
        }
    }
}

/// The value of an expression.
pub(in crate::stores) fn evaluate(
    expression: &SqlExpression,
    row: &Row,
    functions: &mut dyn SqlFunctions,
) -> Result<SqlValue, String> {
    match expression {
        SqlExpression::Text(text) => Ok(SqlValue::text(text)),
        SqlExpression::Number(number) if number % 1.0 == 0.0 => Ok(SqlValue::Int(*number as i64)),
        SqlExpression::Number(number) => Ok(SqlValue::Real(*number)),
        SqlExpression::Null | SqlExpression::Star => Ok(SqlValue::Null),
        SqlExpression::Bool(flag) => Ok(SqlValue::Bool(*flag)),
        SqlExpression::Column(table, column) => {
            let is_meant = |(of, name, _): &&(String, String, SqlValue)| {
                name == column && table.as_ref().is_none_or(|table| table == of)
            };
            match row.iter().find(is_meant) {
                Some((_, _, value)) => Ok(value.clone()),
                // Functions that are written without brackets.
                None if table.is_none()
                    && matches!(
                        &**column,
                        "current_user" | "session_user" | "user" | "current_database" | "current_timestamp"
                    ) =>
                {
                    functions.call(column, &[])
                }
                None => Err(match table {
                    Some(table) => format!("column {table}.{column} does not exist"),
                    None => format!("column \"{column}\" does not exist"),
                }),
            }
        }
        SqlExpression::Call(name, args) => {
            let args = args.iter().map(|arg| evaluate(arg, row, functions)).collect::<Result<Vec<_>, _>>()?;
            call(name, &args, functions)
        }
        SqlExpression::Not(inner) => Ok(SqlValue::Bool(!evaluate(inner, row, functions)?.is_true())),
        SqlExpression::IsNull(inner, wanted) => {
            Ok(SqlValue::Bool((evaluate(inner, row, functions)? == SqlValue::Null) == *wanted))
        }
        SqlExpression::In(left, items, is_not) => {
            let left = evaluate(left, row, functions)?;
            let mut found = false;
            for item in items {
                found |= is_equal(&left, &evaluate(item, row, functions)?);
            }
            Ok(SqlValue::Bool(found != *is_not))
        }
        SqlExpression::Binary(sign, left, right) => {
            let (left, right) = (evaluate(left, row, functions)?, evaluate(right, row, functions)?);
            if let ("/", Some((a, b))) = (&**sign, left.number().zip(right.number())) {
                return functions.divide(a, b, matches!((&left, &right), (SqlValue::Int(_), SqlValue::Int(_))));
            }
            Ok(binary(sign, &left, &right))
        }
    }
}

fn call(name: &str, args: &[SqlValue], functions: &mut dyn SqlFunctions) -> Result<SqlValue, String> {
    let first = args.first().cloned().unwrap_or(SqlValue::Null);
    match (name, args) {
        ("left" | "substr" | "substring", [text, .., SqlValue::Int(count)]) => {
            let count = usize::try_from(*count).unwrap_or(0);
            Ok(SqlValue::text(text.shown().chars().take(count).collect::<String>()))
        }
        ("length" | "char_length", _) => Ok(SqlValue::Int(first.shown().chars().count() as i64)),
        ("upper", _) => Ok(SqlValue::text(first.shown().to_uppercase())),
        ("lower", _) => Ok(SqlValue::text(first.shown().to_lowercase())),
        ("coalesce", _) => Ok(args.iter().find(|arg| **arg != SqlValue::Null).cloned().unwrap_or(SqlValue::Null)),
        ("interval", _) => {
            let text = first.shown();
            let mut words = text.split_whitespace();
            let count: i64 = words.next().and_then(|count| count.parse().ok()).unwrap_or(0);
            let unit = match words.next().unwrap_or("second").trim_end_matches('s') {
                "minute" | "min" => 60,
                "hour" => 3600,
                "day" => 86_400,
                _ => 1,
            };
            Ok(SqlValue::Interval(count * unit * 1_000_000))
        }
        _ => functions.call(name, args),
    }
}

fn is_equal(left: &SqlValue, right: &SqlValue) -> bool {
    match (left.number(), right.number()) {
        (Some(a), Some(b)) => a == b,
        _ => left.shown() == right.shown() && *left != SqlValue::Null && *right != SqlValue::Null,
    }
}

fn binary(sign: &str, left: &SqlValue, right: &SqlValue) -> SqlValue {
    let numbers = left.number().zip(right.number());
    let is_less = match numbers {
        Some((a, b)) => a < b,
        None => left.shown() < right.shown(),
    };
    let sum = |work: fn(f64, f64) -> f64| match numbers {
        Some((a, b)) if work(a, b) % 1.0 == 0.0 => SqlValue::Int(work(a, b) as i64),
        Some((a, b)) => SqlValue::Real(work(a, b)),
        None => SqlValue::Null,
    };
    match sign {
        "and" => SqlValue::Bool(left.is_true() && right.is_true()),
        "or" => SqlValue::Bool(left.is_true() || right.is_true()),
        "||" => SqlValue::text(left.shown() + &right.shown()),
        _ if matches!(left, SqlValue::Null) || matches!(right, SqlValue::Null) => SqlValue::Null,
        "=" => SqlValue::Bool(is_equal(left, right)),
        "<>" | "!=" => SqlValue::Bool(!is_equal(left, right)),
        "<" => SqlValue::Bool(is_less),
        ">=" => SqlValue::Bool(!is_less),
        ">" => SqlValue::Bool(!is_less && !is_equal(left, right)),
        "<=" => SqlValue::Bool(is_less || is_equal(left, right)),
        "like" => SqlValue::Bool(is_like(&right.shown().to_lowercase(), &left.shown().to_lowercase())),
        // A list is the text `{1,2}`.
        "any" => {
            let list = right.shown();
            let items = list.trim_matches(['{', '}']).split(',').any(|item| item == left.shown());
            SqlValue::Bool(items)
        }
        "-" => match (left, right) {
            (SqlValue::Time(a), SqlValue::Time(b)) => SqlValue::Interval(a.0 - b.0),
            (SqlValue::Time(a), SqlValue::Interval(b)) => SqlValue::Time(Stamp(a.0 - b)),
            _ => sum(|a, b| a - b),
        },
        "+" => match (left, right) {
            (SqlValue::Time(a), SqlValue::Interval(b)) => SqlValue::Time(Stamp(a.0 + b)),
            _ => sum(|a, b| a + b),
        },
        "*" => sum(|a, b| a * b),
        _ => sum(|a, b| a / b),
    }
}

fn is_like(pattern: &str, text: &str) -> bool {
    match (pattern.chars().next(), text.chars().next()) {
        (None, None) => true,
        (Some('%'), _) => {
            is_like(&pattern[1..], text)
                || text.chars().next().is_some_and(|first| is_like(pattern, &text[first.len_utf8()..]))
        }
        (Some('_'), Some(first)) => is_like(&pattern[1..], &text[first.len_utf8()..]),
        (Some(a), Some(b)) if a == b => is_like(&pattern[a.len_utf8()..], &text[b.len_utf8()..]),
        _ => false,
    }
}
