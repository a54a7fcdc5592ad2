//! Alertmanager's API: alerts that are grouped, inhibited and silenced.

mod alerts;
mod config;
mod groups;
mod intake;
mod matchers;
mod silences;
mod told;

pub use alerts::HeldAlert;
pub use config::{AlertRoute, AlertmanagerConfig, InhibitRule};
pub use silences::{Silence, SilenceState};

use std::collections::BTreeMap;

use crate::http::{JSON, TelemetryRequest, TelemetryResponse};
use crate::json;
use crate::labels::Labels;

/// A server at a moment: its alerts and silences.
#[derive(Clone, Debug, Default)]
pub struct Alertmanager {
    /// Routes, receivers and inhibitions.
    pub config: AlertmanagerConfig,
    /// The moment, in nanoseconds.
    pub now: i64,
    /// When the server started, in nanoseconds.
    pub started: i64,
    alerts: BTreeMap<Labels, HeldAlert>,
    silences: Vec<Silence>,
    issued: u64,
}

/// A refused request, as a sentence or as an object with a code.
pub(crate) enum Declined {
    Sentence(u16, String),
    Coded { status: u16, code: u32, text: String },
}

impl Declined {
    pub fn bad(text: impl Into<String>) -> Self {
        Self::Sentence(400, text.into())
    }

    pub fn invalid(code: u32, text: impl Into<String>) -> Self {
        Self::Coded { status: 422, code, text: text.into() }
    }

    fn response(self) -> TelemetryResponse {
        match self {
            Self::Sentence(status, text) if text.is_empty() => TelemetryResponse::empty(status),
            Self::Sentence(status, text) => TelemetryResponse::json(status, json::string(&text)),
            Self::Coded { status, code, text } => {
                TelemetryResponse::json(status, format!("{{\"code\":{code},\"message\":{}}}", json::string(&text)))
            }
        }
    }
}

/// What a handler gives: a body, or nothing where nothing is to be told.
pub(crate) type Handled = Result<Option<String>, Declined>;

impl Alertmanager {
    /// A server that starts at a moment, in nanoseconds.
    pub fn new(config: AlertmanagerConfig, now: i64) -> Self {
        Self { config, now, started: now, ..Self::default() }
    }

    /// Answers a request; alerts and silences that are posted are kept.
    pub fn answer(&mut self, request: &TelemetryRequest) -> TelemetryResponse {
        let segments = request.segments();
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        let response = match parts.as_slice() {
            ["-", "healthy" | "ready"] => return TelemetryResponse::text(200, "OK"),
            ["api", "v2", path @ ..] => self.api(request, path),
            ["api", "v1", "alerts"] if request.method == "GET" => {
                let params = request.params();
                self.list_v1(&params)
                    .map_or_else(Declined::response, |body| TelemetryResponse::json(200, body.unwrap_or_default()))
            }
            _ => return TelemetryResponse::text(404, "404 page not found\n"),
        };
        response.with_header("Cache-Control", "no-store")
    }

    fn api(&mut self, request: &TelemetryRequest, path: &[&str]) -> TelemetryResponse {
        let method = request.method.as_str();
        let allowed: &[&str] = match path {
            ["status" | "receivers"] | ["alerts", "groups"] => &["GET"],
            ["alerts" | "silences"] => &["GET", "POST"],
            ["silence", _] => &["DELETE", "GET"],
            _ => {
                let text = format!("path {} was not found", request.path);
                return Declined::Coded { status: 404, code: 404, text }.response();
            }
        };
        if !allowed.contains(&method) {
            let text = format!("method {method} is not allowed, but [{}] are", allowed.join(","));
            return Declined::Coded { status: 405, code: 405, text }.response();
        }
        if method == "POST" && request.content_type.split(';').next().map(str::trim) != Some(JSON) {
            let kind = &request.content_type;
            let text = format!("unsupported media type \"{kind}\", only [{JSON}] are allowed");
            return Declined::Coded { status: 415, code: 415, text }.response();
        }
        let params = request.params();
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let handled = match (method, path) {
            (_, ["status"]) => Ok(Some(self.status_json())),
            (_, ["receivers"]) => Ok(Some(self.config.receivers_json())),
            ("GET", ["alerts"]) => self.list(&params),
            ("POST", ["alerts"]) => self.post_alerts(&body),
            (_, ["alerts", "groups"]) => self.groups(&params),
            ("GET", ["silences"]) => self.list_silences(&params),
            ("POST", ["silences"]) => self.post_silence(&body),
            ("DELETE", ["silence", id]) => self.expire_silence(id),
            (_, ["silence", id]) => self.one_silence(id),
            _ => Ok(None),
        };
        match handled {
            Ok(Some(body)) => TelemetryResponse::json(200, body),
            Ok(None) => TelemetryResponse::empty(200),
            Err(declined) => declined.response(),
        }
    }
}
