//! Jaeger's query API over spans.

mod adjust;
mod dependencies;
mod metrics;
mod params;
mod search;
mod spans;
mod told;

pub use spans::{JaegerSpan, SpanLog, SpanStore, TagValue, TraceId};

use crate::http::{JSON, TEXT, TelemetryRequest, TelemetryResponse};
use crate::json;

/// A server at a moment: its spans and the time.
#[derive(Clone, Debug, Default)]
pub struct Jaeger {
    /// The spans.
    pub store: SpanStore,
    /// The moment, in microseconds.
    pub now: i64,
}

/// A refused request: status and sentence.
pub(crate) struct Refusal(pub u16, pub String);

impl Refusal {
    pub fn bad(text: impl Into<String>) -> Self {
        Self(400, text.into())
    }

    /// A parameter that cannot be read.
    pub fn parameter(name: &str, why: impl std::fmt::Display) -> Self {
        Self::bad(format!("unable to parse param '{name}': {why}"))
    }
}

/// Data with how much there is and what is missing.
pub(crate) struct Told {
    pub data: String,
    pub total: usize,
    pub errors: String,
}

impl Told {
    pub fn data(data: String) -> Self {
        Self { data, total: 0, errors: "null".to_owned() }
    }
}

pub(crate) type JaegerResult = Result<Told, Refusal>;

impl Jaeger {
    /// Answers a request.
    pub fn answer(&self, request: &TelemetryRequest) -> TelemetryResponse {
        let segments = request.segments();
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        let ["api", path @ ..] = parts.as_slice() else { return not_found() };
        let params = request.params();
        let result = match (request.method.as_str(), path) {
            ("GET", ["services"]) => Ok(self.services()),
            ("GET", ["services", service, "operations"]) => Ok(self.service_operations(service)),
            ("GET", ["operations"]) => self.operations(&params),
            ("GET", ["traces"]) => self.traces(&params),
            ("GET", ["traces", id]) => self.trace(id, params.get("raw") == "true"),
            ("GET", ["dependencies"]) => self.dependencies(&params),
            ("GET", ["metrics", what @ ("calls" | "errors" | "latencies" | "minstep")]) => {
                metrics::metrics(what, &params)
            }
            ("POST", ["archive", id]) => {
                params::trace_id(id).and(Err(Refusal(500, "archive span storage was not configured".to_owned())))
            }
            _ => return not_found(),
        };
        let pretty = params.get("prettyPrint") == "true";
        match result {
            Ok(told) => respond(200, JSON, envelope(&told.data, told.total, &told.errors), pretty),
            Err(Refusal(status, text)) => {
                let errors = format!("[{{\"code\":{status},\"msg\":{}}}]", json::string(&text));
                respond(status, TEXT, envelope("null", 0, &errors) + "\n", pretty)
            }
        }
    }

    fn services(&self) -> Told {
        let names = self.store.services();
        Told { total: names.len(), ..Told::data(json::strings(names.iter().map(String::as_str))) }
    }

    fn service_operations(&self, service: &str) -> Told {
        let mut names: Vec<String> = self.store.operations(service).into_iter().map(|(name, _)| name).collect();
        names.dedup();
        let data = if names.is_empty() { "null".to_owned() } else { json::strings(names.iter().map(String::as_str)) };
        Told { total: names.len(), ..Told::data(data) }
    }

    fn operations(&self, params: &crate::http::Params) -> JaegerResult {
        let service = params.get("service");
        if service.is_empty() {
            return Err(Refusal::bad("parameter 'service' is required"));
        }
        let wanted = params.get("spanKind");
        let list: Vec<String> = self
            .store
            .operations(service)
            .iter()
            .filter(|(_, kind)| wanted.is_empty() || wanted == kind)
            .map(|(name, kind)| format!("{{\"name\":{},\"spanKind\":{}}}", json::string(name), json::string(kind)))
            .collect();
        Ok(Told { total: list.len(), ..Told::data(format!("[{}]", list.join(","))) })
    }
}

fn envelope(data: &str, total: usize, errors: &str) -> String {
    format!("{{\"data\":{data},\"total\":{total},\"limit\":0,\"offset\":0,\"errors\":{errors}}}")
}

fn respond(status: u16, content_type: &'static str, body: String, pretty: bool) -> TelemetryResponse {
    let body = if pretty { told::indented(&body) } else { body };
    TelemetryResponse { content_type, ..TelemetryResponse::json(status, body) }
}

fn not_found() -> TelemetryResponse {
    TelemetryResponse::text(404, "404 page not found\n")
}
