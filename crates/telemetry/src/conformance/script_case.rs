//! One `eval` of a test script: what is asked and what is expected.

use crate::go::duration::parse_prometheus;
use crate::go::{Anchoring, Regexp, parse_float, unquote};
use crate::labels::Labels;
use crate::promql::{Engine, EvalError, Features, QueryResult, QueryValue, ResultSeries, parse};
use crate::store::SeriesStore;

use super::script::series;

#[derive(Clone, Copy, Debug)]
enum When {
    Instant(i64),
    Range { start: i64, end: i64, step: i64 },
}

#[derive(Debug, Default)]
struct Expected {
    fails: bool,
    warns: bool,
    infos: bool,
    no_warn: bool,
    no_info: bool,
    ordered: bool,
    text: Option<String>,
    /// The moments of a range vector that an instant query gives.
    range_vector: Option<(i64, i64, i64)>,
    messages: Vec<(Kind, Message)>,
    scalar: Option<f64>,
    series: Vec<(Labels, Vec<Option<f64>>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fail,
    Warn,
    Info,
}

#[derive(Debug)]
enum Message {
    Exactly(String),
    Matching(String),
}

/// A query with what it must give.
pub(super) struct Case {
    query: String,
    when: When,
    expected: Expected,
}

impl Case {
    pub fn read(line: &str, body: &[&str]) -> Result<Self, String> {
        let (word, rest) = line.split_once(char::is_whitespace).ok_or("eval without a query")?;
        let mut expected = Expected {
            fails: word == "eval_fail",
            warns: word == "eval_warn",
            infos: word == "eval_info",
            ordered: word == "eval_ordered",
            ..Expected::default()
        };
        let (when, query) = read_when(rest.trim()).ok_or("eval without a time")?;
        for line in body {
            expected.read(line)?;
        }
        Ok(Self { query: query.to_owned(), when, expected })
    }

    pub fn run(&self, store: &SeriesStore, features: Features) -> Result<(), String> {
        let mut engine = Engine::new(store);
        engine.features = features;
        let outcome = parse(&self.query, features).map_err(|e| e.message).and_then(|expr| {
            match self.when {
                When::Instant(time) => engine.instant(&expr, time),
                When::Range { start, end, step } => engine.range(&expr, start, end, step),
            }
            .map_err(|e: EvalError| e.to_string())
        });
        match outcome {
            Err(error) => self.check_error(&error),
            Ok(_) if self.expected.fails => Err("succeeded, and should fail".to_owned()),
            Ok(result) => {
                self.check_annotations(&result)?;
                self.check_value(&result.value)?;
                self.check_as_range(&engine)
            }
        }
    }

    fn check_error(&self, error: &str) -> Result<(), String> {
        if !self.expected.fails {
            return Err(format!("failed: {error}"));
        }
        self.check_messages(Kind::Fail, &[error.to_owned()])
    }

    fn check_messages(&self, kind: Kind, found: &[String]) -> Result<(), String> {
        for (_, message) in self.expected.messages.iter().filter(|(k, _)| *k == kind) {
            let fits = match message {
                Message::Exactly(text) => found.iter().any(|f| f == text),
                Message::Matching(pattern) => {
                    let regexp = Regexp::new(pattern, Anchoring::Anywhere)?;
                    found.iter().any(|f| regexp.is_match(f))
                }
            };
            if !fits {
                return Err(format!("{kind:?}: expected {message:?}, got {found:?}"));
            }
        }
        Ok(())
    }

    fn check_annotations(&self, result: &QueryResult<'_>) -> Result<(), String> {
        let warnings = result.annotations.warnings(None);
        let infos = result.annotations.infos(None);
        let wanted = &self.expected;
        if (wanted.no_warn && !warnings.is_empty()) || (wanted.no_info && !infos.is_empty()) {
            return Err(format!("unexpected annotations {warnings:?} {infos:?}"));
        }
        if (wanted.warns && warnings.is_empty()) || (wanted.infos && infos.is_empty()) {
            return Err(format!("missing annotations, got {warnings:?} {infos:?}"));
        }
        self.check_messages(Kind::Warn, &warnings)?;
        self.check_messages(Kind::Info, &infos)
    }

    fn check_value(&self, value: &QueryValue<'_>) -> Result<(), String> {
        match value {
            QueryValue::Text(text) => match &self.expected.text {
                Some(wanted) if wanted == text => Ok(()),
                wanted => Err(format!("expected string {wanted:?}, got {text:?}")),
            },
            QueryValue::Scalar(found) => match self.expected.scalar {
                Some(wanted) if alike(wanted, *found) => Ok(()),
                wanted => Err(format!("expected scalar {wanted:?}, got {found}")),
            },
            QueryValue::Vector(found) if self.expected.ordered => self.check_order(&found.series()),
            QueryValue::Vector(found) => self.check_series(&found.series()),
            QueryValue::Matrix(found) => self.check_series(found),
        }
    }

    fn check_order(&self, found: &[ResultSeries]) -> Result<(), String> {
        let wanted: Vec<_> = self.expected.series.iter().collect();
        let fits = wanted.len() == found.len()
            && wanted.iter().zip(found).all(|((labels, values), series)| {
                *labels == series.labels && values[0].is_some_and(|v| alike(v, series.points[0].value))
            });
        if fits { Ok(()) } else { Err(format!("expected in order {wanted:?}, got {found:?}")) }
    }

    fn check_series(&self, found: &[ResultSeries]) -> Result<(), String> {
        let moments: Vec<i64> = match (self.expected.range_vector, self.when) {
            (Some((start, end, step)), _) | (None, When::Range { start, end, step }) => {
                (start..=end).step_by(step as usize).collect()
            }
            (None, When::Instant(time)) => vec![time],
        };
        for (labels, values) in &self.expected.series {
            let Some(series) = found.iter().find(|s| s.labels == *labels) else {
                return Err(format!("no series {labels:?} in {found:?}"));
            };
            for (i, moment) in moments.iter().enumerate() {
                let wanted = values.get(i).copied().flatten();
                let got = series.points.iter().find(|p| p.time == *moment).map(|p| p.value);
                if !both_alike(wanted, got) {
                    return Err(format!("{labels:?} at {moment}: expected {wanted:?}, got {got:?}"));
                }
            }
            if let Some(point) = series.points.iter().find(|p| !moments.contains(&p.time)) {
                return Err(format!("{labels:?}: unexpected point {point:?}"));
            }
        }
        match found.iter().find(|s| !self.expected.series.iter().any(|(labels, _)| *labels == s.labels)) {
            Some(extra) => Err(format!("unexpected series {extra:?}")),
            None => Ok(()),
        }
    }

    /// An instant query gives what a range query around the moment gives there.
    fn check_as_range(&self, engine: &Engine<'_>) -> Result<(), String> {
        let When::Instant(time) = self.when else { return Ok(()) };
        let about_the_query =
            ["step(", "range(", "start(", "end("].iter().any(|f| self.query.to_lowercase().contains(f));
        let other_kind = self.expected.range_vector.is_some() || self.expected.text.is_some();
        if self.expected.ordered || other_kind || about_the_query {
            return Ok(());
        }
        let expr = parse(&self.query, engine.features).map_err(|e| e.message)?;
        let result = engine.range(&expr, time - 60_000, time + 60_000, 60_000).map_err(|e| format!("as range: {e}"))?;
        let QueryValue::Matrix(mut found) = result.value else { return Ok(()) };
        found.iter_mut().for_each(|s| s.points.retain(|p| p.time == time));
        found.retain(|s| !s.points.is_empty());
        if let Some(wanted) = self.expected.scalar {
            let got = found.first().map(|s| s.points[0].value);
            return if both_alike(Some(wanted), got) { Ok(()) } else { Err(format!("as range: {got:?}")) };
        }
        self.check_series(&found).map_err(|why| format!("as range: {why}"))
    }
}

impl Expected {
    fn read(&mut self, line: &str) -> Result<(), String> {
        for (prefix, make) in [
            ("expected_fail_message ", Message::Exactly as fn(String) -> Message),
            ("expected_fail_regexp ", Message::Matching),
        ] {
            if let Some(text) = line.strip_prefix(prefix) {
                self.fails = true;
                self.messages.push((Kind::Fail, make(text.trim().to_owned())));
                return Ok(());
            }
        }
        if let Some(rest) = line.strip_prefix("expect ") {
            return self.expectation(rest.trim());
        }
        if let Some(value) = parse_float(line) {
            self.scalar = Some(value);
            return Ok(());
        }
        self.series.push(series(line)?);
        Ok(())
    }

    fn expectation(&mut self, text: &str) -> Result<(), String> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let switch = match word {
            "no_warn" => Some(&mut self.no_warn),
            "no_info" => Some(&mut self.no_info),
            "ordered" => Some(&mut self.ordered),
            _ => None,
        };
        if let Some(switch) = switch {
            *switch = true;
            return Ok(());
        }
        let kind = match word {
            "fail" => Kind::Fail,
            "warn" => Kind::Warn,
            "info" => Kind::Info,
            "string" => {
                self.text = Some(unquote(rest).map_err(|_| format!("no string: {rest}"))?);
                return Ok(());
            }
            "range" => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let time = |i: usize| words.get(i).and_then(|w| parse_prometheus(w)).ok_or("no time");
                self.range_vector = Some((time(2)?, time(4)?, time(6)?));
                return Ok(());
            }
            _ => return Err(format!("unknown expectation `{text}`")),
        };
        match kind {
            Kind::Fail => self.fails = true,
            Kind::Warn => self.warns = true,
            Kind::Info => self.infos = true,
        }
        if let Some(text) = rest.strip_prefix("msg:") {
            self.messages.push((kind, Message::Exactly(text.trim().to_owned())));
        } else if let Some(text) = rest.strip_prefix("regex:") {
            self.messages.push((kind, Message::Matching(text.trim().to_owned())));
        }
        Ok(())
    }
}

/// `instant at 5m QUERY` or `range from 0 to 1m step 10s QUERY`.
fn read_when(text: &str) -> Option<(When, &str)> {
    let mut rest = text;
    let mut word = || {
        rest = rest.trim_start();
        let end = rest.find(char::is_whitespace)?;
        let word = &rest[..end];
        rest = &rest[end..];
        Some(word)
    };
    let when = match word()? {
        "instant" => {
            word()?;
            When::Instant(parse_prometheus(word()?)?)
        }
        _ => {
            let mut time = || {
                word()?;
                parse_prometheus(word()?)
            };
            When::Range { start: time()?, end: time()?, step: time()? }
        }
    };
    Some((when, rest.trim()))
}

fn both_alike(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => alike(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// Equal up to a millionth.
fn alike(a: f64, b: f64) -> bool {
    if a == b || (a.is_nan() && b.is_nan()) {
        return true;
    }
    let size = a.abs() + b.abs();
    let difference = (a - b).abs();
    if a == 0.0 || b == 0.0 || size < f64::MIN_POSITIVE {
        return difference < 1e-6 * f64::MIN_POSITIVE;
    }
    difference / size.min(f64::MAX) < 1e-6
}
