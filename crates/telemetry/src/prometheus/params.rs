//! Times, durations and limits of requests.

use crate::go::duration::parse_prometheus;
use crate::go::time::parse_rfc3339;
use crate::go::{parse_float, quote};
use crate::http::Params;
use crate::matcher::Matcher;
use crate::promql::parse_selector;

use crate::api::ApiFailure;

/// Milliseconds of Unix seconds or of RFC 3339.
pub(super) fn parse_time(text: &str) -> Result<i64, String> {
    if let Some(seconds) = parse_float(text).filter(|s| s.is_finite() && s.abs() < 9e15) {
        let whole = seconds.trunc();
        return Ok(whole as i64 * 1000 + ((seconds - whole) * 1000.0).round() as i64);
    }
    parse_rfc3339(text)
        .map(|nanos| nanos.div_euclid(1_000_000))
        .ok_or_else(|| format!("cannot parse {} to a valid timestamp", quote(text)))
}

/// Milliseconds of seconds or of `1h30m`.
pub(super) fn parse_duration(text: &str) -> Result<i64, String> {
    if let Some(seconds) = parse_float(text) {
        if !seconds.is_finite() || seconds.abs() > 9.2e9 {
            return Err(format!("cannot parse {} to a valid duration. It overflows int64", quote(text)));
        }
        return Ok((seconds * 1000.0) as i64);
    }
    parse_prometheus(text).ok_or_else(|| format!("cannot parse {} to a valid duration", quote(text)))
}

/// A time that may be left out.
pub(super) fn time_or(params: &Params, name: &str, default: i64) -> Result<i64, ApiFailure> {
    match params.get(name) {
        "" => Ok(default),
        text => parse_time(text)
            .map_err(|why| ApiFailure::parameter(name, format!("invalid time value for '{name}': {why}"))),
    }
}

/// A time that must be there.
pub(super) fn time(params: &Params, name: &str) -> Result<i64, ApiFailure> {
    parse_time(params.get(name)).map_err(|why| ApiFailure::parameter(name, why))
}

/// A number of results; zero is no limit.
pub(super) fn limit(params: &Params) -> Result<usize, ApiFailure> {
    match params.get("limit") {
        "" => Ok(0),
        text => match text.parse::<i64>() {
            Err(_) => Err(ApiFailure::parameter("limit", "limit must be a number")),
            Ok(below) if below < 0 => Err(ApiFailure::parameter("limit", "limit must be non-negative")),
            Ok(limit) => Ok(limit as usize),
        },
    }
}

/// The selectors of `match[]`; the error is bare.
pub(super) fn selectors(params: &Params) -> Result<Vec<Vec<Matcher>>, String> {
    params
        .all("match[]")
        .map(|text| {
            let selector = parse_selector(text).map_err(|e| e.to_string())?;
            if selector.matchers.iter().all(|m| m.matches("")) {
                return Err("match[] must contain at least one non-empty matcher".to_owned());
            }
            Ok(selector.matchers)
        })
        .collect()
}
