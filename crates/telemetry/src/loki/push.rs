//! push: lines that come in as JSON.

use serde_json::Value as Json;

use crate::http::{TelemetryRequest, TelemetryResponse};
use crate::labels::Labels;
use crate::promql::parse_selector;

use super::Loki;

impl Loki {
    pub(super) fn push(&mut self, request: &TelemetryRequest) -> TelemetryResponse {
        let text = String::from_utf8_lossy(&request.body).into_owned();
        let body: Json = match serde_json::from_str(&text) {
            Ok(body) => body,
            Err(_) => return refused(not_json(&text)),
        };
        let streams = body["streams"].as_array().cloned().unwrap_or_default();
        if streams.is_empty() {
            return TelemetryResponse::text(422, "error at least one valid stream is required for ingestion\n");
        }
        let mut lines = Vec::new();
        for stream in &streams {
            let labels = match read_labels(&stream["stream"]) {
                Ok(labels) => labels,
                Err(why) => return refused(format!("couldn't parse labels: {why}")),
            };
            for value in stream["values"].as_array().into_iter().flatten() {
                let time = value[0].as_str().and_then(|t| t.parse::<i64>().ok());
                let Some((time, line)) = time.zip(value[1].as_str()) else {
                    return refused(bad_value(&text, stream));
                };
                let metadata = match &value[2] {
                    Json::Object(fields) => {
                        fields.iter().filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_owned()))).collect()
                    }
                    _ => Vec::new(),
                };
                lines.push((labels.clone(), time, line.to_owned(), metadata));
            }
        }
        for (labels, time, line, metadata) in lines {
            self.store.append_with(&labels, time, line, metadata);
        }
        TelemetryResponse::empty(204)
    }
}

fn refused(text: String) -> TelemetryResponse {
    TelemetryResponse::text(400, text + "\n")
}

/// The labels of a stream, read as a selector so that bad names are refused with its words.
fn read_labels(json: &Json) -> Result<Labels, String> {
    let Json::Object(fields) = json else { return Ok(Labels::default()) };
    let pairs: Vec<(&String, &str)> = fields.iter().filter_map(|(k, v)| Some((k, v.as_str()?))).collect();
    let shown: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}={}", crate::go::quote(v))).collect();
    if !shown.is_empty() {
        parse_selector(&format!("{{{}}}", shown.join(", "))).map_err(|e| e.to_string())?;
    }
    Ok(Labels::new(pairs.iter().map(|(k, v)| (k.as_str(), *v))))
}

/// A body that is no JSON, told as the decoder of the real server tells it.
fn not_json(text: &str) -> String {
    let (what, at) = match text.trim_start().as_bytes().first() {
        Some(b'n') => ("skipThreeBytes: expect ull".to_owned(), 2),
        Some(b't') => ("skipThreeBytes: expect rue".to_owned(), 2),
        Some(b'f') => ("skipFourBytes: expect alse".to_owned(), 2),
        Some(c) => (format!("ReadObject: expect {{ or , or }} or n, but found {}", *c as char), 1),
        None => ("EOF".to_owned(), 0),
    };
    format!("{what}, {}", context(text, at))
}

/// A value whose time is no number: the decoder stops behind the stream that holds it.
fn bad_value(text: &str, stream: &Json) -> String {
    let compact = stream.to_string();
    let at = text.find(&compact).map_or(text.len(), |start| start + compact.len());
    format!(
        "loghttp.PushRequest.Streams: []loghttp.LogProtoStream: unmarshalerDecoder: Value looks like Number/Boolean/None, \
         but can't find its end: ',' or '}}' symbol, {}",
        context(text, at)
    )
}

fn context(text: &str, at: usize) -> String {
    let around = |reach: usize| {
        let (low, high) = (at.saturating_sub(reach), (at + reach).min(text.len()));
        text.get(low..high).unwrap_or(text)
    };
    format!("error found in #{} byte of ...|{}|..., bigger context ...|{}|...", at.min(10), around(10), around(50))
}
