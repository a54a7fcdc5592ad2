//! Recorded requests with the answers of a real server.

use serde_json::Value as Json;

use crate::http::{TelemetryRequest, TelemetryResponse};

/// One line of a recording.
pub(super) struct Recorded {
    pub id: String,
    pub request: TelemetryRequest,
    pub params: Vec<(String, String)>,
    pub status: u16,
    pub body: Json,
    pub line: Json,
}

/// Reads all lines.
pub(super) fn read(text: &str) -> Result<Vec<Recorded>, String> {
    text.lines().filter(|l| !l.trim().is_empty()).map(|line| read_line(line).ok_or_else(|| bad(line))).collect()
}

fn bad(line: &str) -> String {
    format!("no recording: {}", line.chars().take(80).collect::<String>())
}

fn read_line(line: &str) -> Option<Recorded> {
    let line: Json = serde_json::from_str(line).ok()?;
    let asked = &line["request"];
    let params: Vec<(String, String)> = asked["params"]
        .as_array()
        .map(|pairs| {
            pairs.iter().filter_map(|p| Some((p[0].as_str()?.to_owned(), p[1].as_str()?.to_owned()))).collect()
        })
        .unwrap_or_default();
    let borrowed: Vec<(&str, &str)> = params.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let method = asked["method"].as_str()?;
    let path = asked["path"].as_str()?;
    let request = match (&asked["body"], &asked["raw_body"]) {
        (Json::Null, Json::Null) if method == "POST" => TelemetryRequest::post_form(path, &borrowed),
        (Json::Null, Json::Null) => {
            let mut request = TelemetryRequest::get(path, &borrowed);
            request.method = method.to_owned();
            request
        }
        // A body that is a text was sent as it is.
        (Json::String(raw), Json::Null) => TelemetryRequest::json(method, path, raw),
        (body, Json::Null) => {
            let mut request = TelemetryRequest::json(method, path, &body.to_string());
            request.query = TelemetryRequest::get(path, &borrowed).query;
            request
        }
        (_, raw) => {
            let mut request = TelemetryRequest::json(method, path, raw.as_str()?);
            if let Some(kind) = asked["content_type"].as_str() {
                request.content_type = kind.to_owned();
            }
            request
        }
    };
    Some(Recorded {
        id: line["id"].as_str()?.to_owned(),
        request,
        params,
        status: line["status"].as_u64()? as u16,
        body: line["body"].clone(),
        line,
    })
}

/// The body of a response as the recordings hold it: JSON where it is JSON, else a text.
pub(super) fn body_of(response: &TelemetryResponse) -> Json {
    let text = response.body_text();
    serde_json::from_str(&text).unwrap_or(Json::String(text))
}

/// Equal as numbers up to a billionth; anything else exactly.
pub(super) fn same_number(a: &Json, b: &Json) -> bool {
    let number = |json: &Json| json.as_str().and_then(crate::go::parse_float);
    match (number(a), number(b)) {
        (Some(a), Some(b)) if a.is_nan() && b.is_nan() => true,
        (Some(a), Some(b)) => a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
        _ => a == b,
    }
}

/// Matrices, vectors and scalars: points with their times exactly and their values up to a billionth.
pub(super) fn same_points(a: &Json, b: &Json) -> bool {
    let point = |json: &Json| json.as_array().is_some_and(|p| p.len() == 2 && p[0].is_number());
    match (a.as_array(), b.as_array()) {
        (Some(x), Some(y)) if point(a) && point(b) => x[0].as_f64() == y[0].as_f64() && same_number(&x[1], &y[1]),
        (Some(x), Some(y)) => x.len() == y.len() && x.iter().zip(y).all(|(a, b)| same_points(a, b)),
        _ => a == b,
    }
}

/// A difference told in at most so many characters.
pub(super) fn difference(wanted: &Json, got: &Json) -> String {
    let cut = |json: &Json| json.to_string().chars().take(700).collect::<String>();
    format!("expected {}\n    got      {}", cut(wanted), cut(got))
}
