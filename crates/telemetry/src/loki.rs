//! Loki's HTTP API over log streams.

mod detect;
mod fields;
mod index;
mod labels;
mod params;
mod push;
mod queries;
mod streams;

pub use streams::{LogStore, LogStream, StoredLine};

use crate::http::{TelemetryRequest, TelemetryResponse};

/// A server at a moment: its streams and the time.
#[derive(Clone, Debug, Default)]
pub struct Loki {
    /// The streams.
    pub store: LogStore,
    /// The moment, in nanoseconds: what a query without a time asks about.
    pub now: i64,
}

pub(crate) const JSON_UTF8: &str = "application/json; charset=UTF-8";

/// A refused request: status and sentence.
pub(crate) struct Refused(pub u16, pub String);

impl From<String> for Refused {
    fn from(text: String) -> Self {
        Self(400, text)
    }
}

pub(crate) type LokiResult = Result<String, Refused>;

impl Loki {
    /// Answers a request; a push adds lines.
    pub fn answer(&mut self, request: &TelemetryRequest) -> TelemetryResponse {
        let segments = request.segments();
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        let path = match parts.as_slice() {
            ["ready"] => return TelemetryResponse::text(200, "ready\n"),
            ["loki", "api", "v1", rest @ ..] => rest,
            _ => return not_found(),
        };
        if path == ["push"] {
            return if request.method == "POST" { self.push(request) } else { not_found() };
        }
        if !matches!(request.method.as_str(), "GET" | "POST") {
            return not_found();
        }
        let params = request.params();
        let result = match path {
            ["query_range"] => self.query_range(&params),
            ["query"] => self.query(&params),
            ["labels" | "label"] => self.labels(&params),
            ["label", name, "values"] => self.label_values(name, &params),
            ["series"] => self.series(&params),
            ["index", "stats"] => self.index_stats(&params),
            ["index", "volume"] => self.index_volume(&params),
            ["index", "volume_range"] => self.index_volume_range(&params),
            ["detected_labels"] => self.detected_labels(&params),
            ["detected_fields"] => self.detected_fields(&params),
            ["patterns"] => Ok("{\"status\":\"success\",\"data\":[]}".to_owned()),
            ["format_query"] => return queries::format_query(&params),
            ["status", "buildinfo"] => Ok(BUILD.to_owned()),
            ["tail"] => Err(Refused(400, "Bad Request".to_owned())),
            _ => return not_found(),
        };
        match result {
            Ok(body) => TelemetryResponse { content_type: JSON_UTF8, ..TelemetryResponse::json(200, body) },
            Err(Refused(status, text)) => TelemetryResponse::text(status, text),
        }
    }
}

const BUILD: &str = "{\"version\":\"3.7.6\",\"revision\":\"unknown\",\"branch\":\"HEAD\",\"buildUser\":\"\",\
                     \"buildDate\":\"\",\"goVersion\":\"go1.25\"}";

fn not_found() -> TelemetryResponse {
    TelemetryResponse::text(404, "404 page not found\n")
}
