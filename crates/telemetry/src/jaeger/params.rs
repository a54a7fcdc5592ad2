//! Parameters of searches.

use crate::go::duration::parse_go;
use crate::go::{json_error, quote};
use crate::http::Params;

use super::Refusal;
use super::spans::TraceId;

/// What a search asks for.
pub(super) struct Search {
    pub service: String,
    pub operation: String,
    /// Microseconds.
    pub start: i64,
    pub end: i64,
    pub tags: Vec<(String, String)>,
    /// Zero and below are no limit.
    pub limit: i64,
    /// Nanoseconds.
    pub shortest: Option<i64>,
    pub longest: Option<i64>,
    pub traces: Vec<TraceId>,
}

impl Search {
    /// Reads a search in the order in which the real server reads it, so that the first error is the same.
    pub fn read(params: &Params, now: i64) -> Result<Self, Refusal> {
        let end = number_or(params, "end", now)?;
        let start = number_or(params, "start", now - 48 * 3_600_000_000)?;
        let tags = tags(params)?;
        let limit = match params.get("limit") {
            "" => 100,
            text => text.parse::<i32>().map_err(|_| Refusal::bad(bad_int(text)))?.into(),
        };
        let shortest = duration(params, "minDuration")?;
        let longest = duration(params, "maxDuration")?;
        let mut traces = Vec::new();
        for text in params.all("traceID") {
            traces.push(trace_id(text).map_err(|why| Refusal::bad(format!("cannot parse traceID param: {}", why.1)))?);
        }
        let search = Self {
            service: params.get("service").to_owned(),
            operation: params.get("operation").to_owned(),
            start,
            end,
            tags,
            limit,
            shortest,
            longest,
            traces,
        };
        search.checked()
    }

    fn checked(self) -> Result<Self, Refusal> {
        if self.traces.is_empty() && self.service.is_empty() {
            return Err(Refusal::bad("parameter 'service' is required"));
        }
        if let (Some(shortest), Some(longest)) = (self.shortest, self.longest)
            && longest < shortest
        {
            return Err(Refusal::bad("'maxDuration' should be greater than 'minDuration'"));
        }
        Ok(self)
    }
}

fn bad_int(text: &str) -> String {
    format!("strconv.ParseInt: parsing {}: invalid syntax", quote(text))
}

/// A whole number that may be left out.
pub(super) fn number_or(params: &Params, name: &str, default: i64) -> Result<i64, Refusal> {
    match params.get(name) {
        "" => Ok(default),
        text => text.parse().map_err(|_| Refusal::parameter(name, bad_int(text))),
    }
}

fn duration(params: &Params, name: &str) -> Result<Option<i64>, Refusal> {
    match params.get(name) {
        "" => Ok(None),
        text => parse_go(text)
            .map(Some)
            .ok_or_else(|| Refusal::parameter(name, format!("time: invalid duration {}", quote(text)))),
    }
}

fn tags(params: &Params) -> Result<Vec<(String, String)>, Refusal> {
    let mut out = Vec::new();
    for text in params.all("tag") {
        let Some((name, value)) = text.split_once(':') else {
            return Err(Refusal::bad(format!("malformed 'tag' parameter, expecting key:value, received: {text}")));
        };
        out.push((name.to_owned(), value.to_owned()));
    }
    for text in params.all("tags") {
        let bad = |why: String| Refusal::bad(format!("malformed 'tags' parameter, cannot unmarshal JSON: {why}"));
        let json: serde_json::Value = serde_json::from_str(text).map_err(|_| bad(json_error(text)))?;
        let serde_json::Value::Object(fields) = json else {
            let kind = kind_of(&json);
            return Err(bad(format!("json: cannot unmarshal {kind} into Go value of type map[string]string")));
        };
        for (name, value) in fields {
            let serde_json::Value::String(value) = value else {
                return Err(bad(format!("json: cannot unmarshal {} into Go value of type string", kind_of(&value))));
            };
            out.push((name, value));
        }
    }
    Ok(out)
}

fn kind_of(json: &serde_json::Value) -> &'static str {
    match json {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "bool",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
    }
}

/// One to 32 hexadecimal digits.
pub(super) fn trace_id(text: &str) -> Result<TraceId, Refusal> {
    if text.len() > 32 {
        return Err(Refusal::bad(format!("TraceID cannot be longer than 32 hex characters: {text}")));
    }
    // The last 16 digits are one number and those before them another.
    let cut = text.len().saturating_sub(16);
    let (high, low) = text.split_at_checked(cut).unwrap_or((text, ""));
    let part = |digits: &str| {
        u64::from_str_radix(digits, 16)
            .ok()
            .filter(|_| !digits.starts_with('+'))
            .ok_or_else(|| Refusal::bad(format!("strconv.ParseUint: parsing {}: invalid syntax", quote(digits))))
    };
    let high = if high.is_empty() { 0 } else { part(high)? };
    Ok((u128::from(high) << 64) | u128::from(part(low)?))
}
