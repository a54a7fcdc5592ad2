//! Prometheus' HTTP API over a store of series.

mod params;
mod queries;
mod results;
mod series;
mod status;
mod targets;

pub use targets::{ScrapeTarget, TargetHealth};

use crate::api::{ApiFailure, FailureKind, respond};
use crate::http::{TelemetryRequest, TelemetryResponse};
use crate::promql::{Engine, Features};
use crate::rules::RuleBook;
use crate::store::SeriesStore;

/// A server at a moment: its series, rules and targets. It answers requests and changes nothing.
#[derive(Clone, Debug)]
pub struct Prometheus {
    /// The series.
    pub store: SeriesStore,
    /// Rules and what they found.
    pub rules: RuleBook,
    /// What is scraped.
    pub targets: Vec<ScrapeTarget>,
    /// The moment, in milliseconds: what a query without a time asks about.
    pub now: i64,
    /// When the server started, in milliseconds.
    pub started: i64,
    /// The step of subqueries that name none, and of rules, in milliseconds.
    pub evaluation_interval: i64,
    /// What `status/config` tells.
    pub config: String,
    /// What is switched on.
    pub features: Features,
}

impl Default for Prometheus {
    fn default() -> Self {
        Self {
            store: SeriesStore::default(),
            rules: RuleBook::default(),
            targets: Vec::new(),
            now: 0,
            started: 0,
            evaluation_interval: 60_000,
            config: String::new(),
            features: Features::default(),
        }
    }
}

impl Prometheus {
    /// The engine behind the API.
    pub fn engine(&self) -> Engine<'_> {
        let mut engine = Engine::new(&self.store);
        engine.default_step = self.evaluation_interval;
        engine.features = self.features;
        engine
    }

    /// Answers a request.
    pub fn answer(&self, request: &TelemetryRequest) -> TelemetryResponse {
        let segments = request.segments();
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["api", "v1", rest @ ..] => self.api(request, rest),
            ["-", "healthy"] => TelemetryResponse::text(200, "Prometheus Server is Healthy.\n"),
            ["-", "ready"] => TelemetryResponse::text(200, "Prometheus Server is Ready.\n"),
            ["-", "reload" | "quit"] => TelemetryResponse::text(403, "Lifecycle API is not enabled."),
            [] => TelemetryResponse::empty(302).with_header("Location", "/query"),
            ["query" | "graph" | "alerts" | "targets" | "rules"] => page(),
            _ => not_found(),
        }
    }

    fn api(&self, request: &TelemetryRequest, path: &[&str]) -> TelemetryResponse {
        if request.method == "OPTIONS" {
            return TelemetryResponse::empty(204);
        }
        let Some(allowed) = methods(path) else { return not_found() };
        if !allowed.contains(&request.method.as_str()) {
            return TelemetryResponse::text(405, "Method Not Allowed\n")
                .with_header("Allow", allowed.join(", ") + ", OPTIONS");
        }
        let params = request.params();
        respond(match path {
            ["query"] => self.query(&params),
            ["query_range"] => self.query_range(&params),
            ["query_exemplars"] => queries::exemplars(&params, self.features),
            ["format_query"] => queries::format_query(&params, self.features),
            ["series"] => self.series(&params),
            ["labels"] => self.labels(&params),
            ["label", name, "values"] => self.label_values(name, &params),
            ["metadata"] => self.metadata(&params),
            ["targets"] => self.targets(&params),
            ["targets", "metadata"] => self.targets_metadata(&params),
            ["scrape_pools"] => self.scrape_pools(),
            ["rules"] => self.rules.rules_json(&params),
            ["alerts"] => Ok(self.rules.alerts_json().into()),
            ["alertmanagers"] => Ok(status::alertmanagers().into()),
            ["status", what] => self.status(what, &params),
            _ => Err(ApiFailure { kind: FailureKind::Unavailable, text: "admin APIs disabled".to_owned() }),
        })
    }
}

/// Which methods a path takes; none where the path is unknown.
fn methods(path: &[&str]) -> Option<&'static [&'static str]> {
    Some(match path {
        ["query" | "query_range" | "query_exemplars" | "format_query" | "series" | "labels"] => &["GET", "POST"],
        ["label", _, "values"]
        | ["metadata" | "targets" | "scrape_pools" | "rules" | "alerts" | "alertmanagers"]
        | ["targets", "metadata"] => &["GET"],
        ["status", "config" | "flags" | "runtimeinfo" | "buildinfo" | "tsdb" | "walreplay"] => &["GET"],
        ["admin", "tsdb", "delete_series" | "clean_tombstones" | "snapshot"] => &["POST", "PUT"],
        _ => return None,
    })
}

/// Clients ask for the front page to see whether a server is there.
fn page() -> TelemetryResponse {
    let mut response = TelemetryResponse::text(200, "<!doctype html><title>Prometheus</title>\n");
    response.content_type = "text/html; charset=utf-8";
    response
}

fn not_found() -> TelemetryResponse {
    TelemetryResponse::text(404, "404 page not found\n")
}
