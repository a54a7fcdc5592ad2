//! Recorded answers of a real Loki.

use serde_json::Value as Json;

use crate::http::TelemetryRequest;
use crate::loki::Loki;

use super::Verdicts;
use super::recorded::{Recorded, body_of, difference, read, same_points};

/// Pushes the data once, then asks all recorded questions.
pub fn run_loki_recorded(push: &str, recorded: &str) -> Result<Verdicts, String> {
    let mut server = Loki { now: 1_767_270_600_000_000_000, ..Loki::default() };
    let response = server.answer(&TelemetryRequest::json("POST", "/loki/api/v1/push", push));
    if response.status != 204 {
        return Err(format!("the push was refused: {}", response.body_text()));
    }
    let mut verdicts = Verdicts::default();
    for line in read(recorded)? {
        // Each question stands for itself: what a push adds is not seen by the others.
        let outcome = check(&mut server.clone(), &line);
        verdicts.note(outcome.map_err(|why| {
            let query = line.params.iter().find(|(n, _)| n == "query").map_or("", |(_, v)| v);
            format!("{} {} {query}\n    {why}", line.id, line.request.path)
        }));
    }
    Ok(verdicts)
}

fn check(server: &mut Loki, line: &Recorded) -> Result<(), String> {
    let response = server.answer(&line.request);
    let got = body_of(&response);
    if response.status != line.status {
        return Err(format!("status {}, got {}: {}", line.status, response.status, difference(&line.body, &got)));
    }
    let approximate = line.line["note"].as_str().is_some_and(|n| n.contains("approximate"));
    if same(&line.body, &got, approximate) { Ok(()) } else { Err(difference(&line.body, &got)) }
}

fn same(wanted: &Json, got: &Json, approximate: bool) -> bool {
    if wanted["status"] != got["status"] || wanted["error"] != got["error"] {
        return false;
    }
    if approximate && !wanted.is_string() {
        return same_shape(wanted, got);
    }
    for key in ["fields", "detectedLabels"] {
        if wanted[key].is_array() {
            return same_set(&wanted[key], &got[key]);
        }
    }
    let (wanted_data, got_data) = (&wanted["data"], &got["data"]);
    match (&wanted_data["result"], &got_data["result"]) {
        (Json::Array(a), Json::Array(b)) if a.iter().all(Json::is_object) => {
            wanted_data["resultType"] == got_data["resultType"] && a.len() == b.len() && same_series(a, b)
        }
        (a @ Json::Array(_), b) => same_points(a, b),
        _ if wanted_data.as_array().is_some_and(|list| list.iter().all(Json::is_object)) => {
            same_set(wanted_data, got_data)
        }
        _ => wanted == got,
    }
}

fn same_series(wanted: &[Json], got: &[Json]) -> bool {
    wanted.iter().all(|a| {
        got.iter().any(|b| {
            a["stream"] == b["stream"]
                && a["metric"] == b["metric"]
                && same_points(&a["value"], &b["value"])
                && same_points(&a["values"], &b["values"])
        })
    })
}

fn same_set(wanted: &Json, got: &Json) -> bool {
    match (wanted.as_array(), got.as_array()) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().all(|x| b.contains(x)),
        _ => false,
    }
}

/// The same keys and label sets; numbers may differ.
fn same_shape(wanted: &Json, got: &Json) -> bool {
    match (wanted, got) {
        (Json::Object(a), Json::Object(b)) if a.contains_key("metric") => {
            a["metric"] == b["metric"] && a.keys().eq(b.keys())
        }
        (Json::Object(a), Json::Object(b)) => a.iter().all(|(key, x)| b.get(key).is_some_and(|y| same_shape(x, y))),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().all(|x| b.iter().any(|y| same_shape(x, y))),
        (Json::Number(_), Json::Number(_)) => true,
        (a, b) => a == b,
    }
}
