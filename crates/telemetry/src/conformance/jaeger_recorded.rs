//! Recorded answers of a real Jaeger.

use serde_json::Value as Json;

use crate::jaeger::{Jaeger, JaegerSpan, SpanLog, TagValue};

use super::Verdicts;
use super::recorded::{Recorded, body_of, difference, read};

/// Asks all recorded questions of a server that holds the spans.
pub fn run_jaeger_recorded(spans: &str, recorded: &str) -> Result<Verdicts, String> {
    // Two requests depend on the clock; their answers are empty because the spans are older than a day.
    let mut server = Jaeger { now: 1_794_740_000_000_000, ..Jaeger::default() };
    for line in spans.lines().filter(|l| !l.trim().is_empty()) {
        let json: Json = serde_json::from_str(line).map_err(|e| e.to_string())?;
        server.store.append(span(&json).ok_or_else(|| format!("no span: {line}"))?);
    }
    let mut verdicts = Verdicts::default();
    for line in read(recorded)? {
        let outcome = check(&server, &line);
        verdicts.note(outcome.map_err(|why| format!("{} {}\n    {why}", line.id, line.request.path)));
    }
    Ok(verdicts)
}

fn check(server: &Jaeger, line: &Recorded) -> Result<(), String> {
    let response = server.answer(&line.request);
    let got = body_of(&response);
    if response.status != line.status {
        return Err(format!("status {}, got {}: {}", line.status, response.status, difference(&line.body, &got)));
    }
    if line.line["content_type"].as_str() != Some(response.content_type) {
        return Err(format!("content type {}, got {}", line.line["content_type"], response.content_type));
    }
    let mut wanted = line.body.clone();
    let mut found = got.clone();
    // The store keeps maps: traces, services and operations come in any order.
    for body in [&mut wanted, &mut found] {
        if let Some(Json::Array(list)) = body.get_mut("data") {
            list.sort_by_key(ToString::to_string);
        }
    }
    if wanted == found { Ok(()) } else { Err(difference(&wanted, &found)) }
}

fn span(json: &Json) -> Option<JaegerSpan> {
    let hex = |key: &str| u128::from_str_radix(json[key].as_str()?, 16).ok();
    Some(JaegerSpan {
        trace: hex("trace")?,
        id: hex("span")? as u64,
        parent: hex("parent").map(|id| id as u64),
        service: json["service"].as_str()?.to_owned(),
        operation: json["op"].as_str()?.to_owned(),
        start: json["start"].as_i64()?,
        duration: json["dur"].as_i64()?,
        tags: tags(&json["tags"])?,
        process: tags(&json["process"])?,
        logs: json["logs"].as_array()?.iter().map(log).collect::<Option<_>>()?,
    })
}

fn log(json: &Json) -> Option<SpanLog> {
    let time = ["ts", "time", "timestamp", "t"].iter().find_map(|key| json[*key].as_i64())?;
    Some(SpanLog { time, fields: tags(&json["fields"])? })
}

fn tags(json: &Json) -> Option<Vec<(String, TagValue)>> {
    json.as_array()?
        .iter()
        .map(|tag| {
            let value = match tag["t"].as_str()? {
                "bool" => TagValue::Bool(tag["v"].as_bool()?),
                "int64" => TagValue::Int(tag["v"].as_i64()?),
                "float64" => TagValue::Float(tag["v"].as_f64()?),
                _ => TagValue::Text(tag["v"].as_str()?.to_owned()),
            };
            Some((tag["k"].as_str()?.to_owned(), value))
        })
        .collect()
}
