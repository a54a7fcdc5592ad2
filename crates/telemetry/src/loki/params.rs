//! Times, steps and limits of requests.

use crate::go::time::parse_rfc3339;
use crate::go::{duration, parse_float, quote};
use crate::http::Params;

const SECOND: i64 = 1_000_000_000;

/// Nanoseconds: at most ten digits are seconds, more are nanoseconds; with a dot, seconds; else RFC 3339.
pub(super) fn parse_time(text: &str) -> Result<i64, String> {
    if text.contains('.')
        && let Some(seconds) = parse_float(text).filter(|s| s.is_finite())
    {
        let whole = seconds.trunc();
        return Ok(whole as i64 * SECOND + ((seconds - whole) * 1000.0).round() as i64 * 1_000_000);
    }
    match text.parse::<i64>() {
        Ok(number) if text.len() <= 10 => Ok(number * SECOND),
        Ok(number) => Ok(number),
        Err(_) => {
            parse_rfc3339(text).ok_or_else(|| format!("strconv.ParseInt: parsing {}: invalid syntax", quote(text)))
        }
    }
}

/// The range of a request in nanoseconds: `end` is now unless given, `start` is `since` before it.
pub(super) fn range(params: &Params, now: i64) -> Result<(i64, i64), String> {
    let time = |name: &str| match params.get(name) {
        "" => Ok(None),
        text => parse_time(text).map(Some).map_err(|why| format!("could not parse '{name}' parameter: {why}")),
    };
    let since = match params.get("since") {
        "" => 3600 * SECOND,
        text => duration::parse_prometheus(text).map(|millis| millis * 1_000_000).ok_or_else(|| {
            format!("could not parse 'since' parameter: not a valid duration string: {}", quote(text))
        })?,
    };
    let start = time("start")?;
    let end = time("end")?;
    // Without a start the range ends where it is asked to end, and not in the future.
    let end = end.unwrap_or(now);
    Ok((start.unwrap_or_else(|| end.min(now.max(end)) - since), end))
}

/// How many lines; at least one, at most five thousand.
pub(super) fn limit(params: &Params) -> Result<usize, String> {
    match params.get("limit") {
        "" => Ok(100),
        text => match text.parse::<i64>() {
            Err(_) => Err(format!("strconv.Atoi: parsing {}: invalid syntax", quote(text))),
            Ok(limit) if limit <= 0 => Err("limit must be a positive value".to_owned()),
            Ok(limit) => Ok(limit as usize),
        },
    }
}

/// Whether the newest line comes first.
pub(super) fn backward(params: &Params) -> Result<bool, String> {
    match params.get("direction").to_uppercase().as_str() {
        "" | "BACKWARD" => Ok(true),
        "FORWARD" => Ok(false),
        _ => Err(format!("invalid direction '{}'", params.get("direction"))),
    }
}

/// The step in nanoseconds; without one, 250 points.
pub(super) fn step(params: &Params, start: i64, end: i64) -> Result<i64, String> {
    let step = match params.get("step") {
        "" => ((end - start) / SECOND / 250).max(1) * SECOND,
        text => seconds_or_duration(text)?,
    };
    if step <= 0 {
        return Err("zero or negative query resolution step widths are not accepted. Try a positive integer".to_owned());
    }
    Ok(step)
}

/// `10`, `0.5` or `5m`, in nanoseconds.
pub(super) fn seconds_or_duration(text: &str) -> Result<i64, String> {
    if let Some(seconds) = parse_float(text).filter(|s| s.is_finite() && s.abs() < 9.2e9) {
        return Ok((seconds * 1e9) as i64);
    }
    duration::parse_prometheus(text)
        .map(|millis| millis * 1_000_000)
        .ok_or_else(|| format!("cannot parse {} to a valid duration", quote(text)))
}
