//! query, query_range and format_query.

use crate::http::Params;
use crate::promql::ast::ValueType;
use crate::promql::pretty::pretty;
use crate::promql::{Engine, EvalError, Features, PromqlExpr, QueryResult, QueryValue, parse};

use super::Prometheus;
use super::params::{limit, parse_duration, time, time_or};
use super::results::write_result;
use crate::api::{ApiData, ApiFailure, ApiResult, FailureKind};

/// More points than this per series are refused.
const MOST_POINTS: i64 = 11_000;

impl Prometheus {
    pub(super) fn query(&self, params: &Params) -> ApiResult {
        let most = limit(params)?;
        let time = time_or(params, "time", self.now)?;
        let engine = self.engine_for(params)?;
        let query = params.get("query");
        let expr = parsed(query, self.features)?;
        let result = engine.instant(&expr, time).map_err(failed)?;
        Ok(self.told(query, result, most, time, params))
    }

    pub(super) fn query_range(&self, params: &Params) -> ApiResult {
        let most = limit(params)?;
        let start = time(params, "start")?;
        let end = time(params, "end")?;
        if end < start {
            return Err(ApiFailure::parameter("end", "end timestamp must not be before start time"));
        }
        let step = parse_duration(params.get("step")).map_err(|why| ApiFailure::parameter("step", why))?;
        if step <= 0 {
            return Err(ApiFailure::parameter(
                "step",
                "zero or negative query resolution step widths are not accepted. Try a positive integer",
            ));
        }
        if (end - start) / step > MOST_POINTS {
            return Err(ApiFailure::bad(
                "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)",
            ));
        }
        let engine = self.engine_for(params)?;
        let query = params.get("query");
        let expr = parsed(query, self.features)?;
        if !matches!(expr.value_type(), ValueType::Scalar | ValueType::Vector) {
            return Err(ApiFailure::parameter(
                "query",
                format!(
                    "invalid expression type \"{}\" for range query, must be Scalar or instant Vector",
                    expr.value_type().documented()
                ),
            ));
        }
        let result = engine.range(&expr, start, end, step).map_err(failed)?;
        Ok(self.told(query, result, most, end, params))
    }

    /// The engine with what the request asks for; a timeout is read and has no meaning without a clock.
    fn engine_for(&self, params: &Params) -> Result<Engine<'_>, ApiFailure> {
        let mut engine = self.engine();
        if let Some(text) = params.find("timeout").filter(|t| !t.is_empty()) {
            parse_duration(text).map_err(|why| ApiFailure::parameter("timeout", why))?;
        }
        if let Some(text) = params.find("lookback_delta").filter(|t| !t.is_empty()) {
            let millis = parse_duration(text)
                .map_err(|why| ApiFailure::bad(format!("error parsing lookback delta duration: {why}")))?;
            if millis > 0 {
                engine.lookback = millis;
            }
        }
        Ok(engine)
    }

    fn told(&self, query: &str, result: QueryResult<'_>, most: usize, time: i64, params: &Params) -> ApiData {
        let mut warnings = result.annotations.warnings(Some(query));
        let infos = result.annotations.infos(Some(query));
        let mut value = result.value;
        let length = match &value {
            QueryValue::Vector(series) => series.len(),
            QueryValue::Matrix(series) => series.len(),
            _ => 0,
        };
        if most > 0 && length > most {
            match &mut value {
                QueryValue::Vector(series) => series.truncate(most),
                QueryValue::Matrix(series) => series.truncate(most),
                _ => {}
            }
            warnings.push("results truncated due to limit".to_owned());
        }
        let mut data = String::new();
        write_result(&mut data, &value, time, !params.get("stats").is_empty());
        ApiData { data, warnings, infos }
    }
}

pub(super) fn parsed(query: &str, features: Features) -> Result<PromqlExpr, ApiFailure> {
    parse(query, features).map_err(|why| ApiFailure::parameter("query", why))
}

fn failed(error: EvalError) -> ApiFailure {
    let kind = match error {
        EvalError::Execution(_) => FailureKind::Execution,
        EvalError::Timeout => FailureKind::Timeout,
    };
    ApiFailure { kind, text: error.to_string() }
}

pub(super) fn format_query(params: &Params, features: Features) -> ApiResult {
    let expr = parsed(params.get("query"), features)?;
    Ok(crate::json::string(&pretty(&expr)).into())
}

/// No exemplars are kept.
pub(super) fn exemplars(params: &Params, features: Features) -> ApiResult {
    parse(params.get("query"), features).map_err(|why| ApiFailure::bad(why.to_string()))?;
    Ok("[]".to_owned().into())
}
