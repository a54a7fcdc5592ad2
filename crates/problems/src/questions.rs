//! Questions to what watches the cluster: Prometheus, Loki, Jaeger and Alertmanager, with an answer as text.

use exporters::{ObservabilityServer, Observatory};
use serde_json::Value;
use telemetry::TelemetryRequest;

/// A question, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TelemetryQuestion {
    /// A PromQL expression: now, or over so many minutes, so many seconds apart.
    Promql(String, Option<(u32, u32)>),
    /// A LogQL query over so many minutes, with at most so many lines.
    Logql(String, u32, u32),
    /// Traces of a service over so many minutes, of an operation if it is named.
    Traces(String, u32, String),
    /// Which services there are and who calls whom.
    Map(u32),
    /// Alerts that fire, as Alertmanager has them.
    Alerts,
    /// What a server answers under a path with these parameters, as it answers it.
    Raw(ObservabilityServer, String, Vec<(&'static str, String)>),
    /// Alerts that fire, as Prometheus has them.
    FiringAlerts,
    /// The values of a label of log streams.
    LabelValues(String),
}

/// Minutes and lines where an agent says nothing.
const MINUTES: u32 = 15;
const LINES: u32 = 100;
const STEP: u32 = 60;
/// The longest that is looked back.
const MOST_MINUTES: u32 = 1440;

impl TelemetryQuestion {
    /// Reads the arguments of the tool of this name.
    pub(crate) fn read(tool: &str, of: &dyn Fn(&str) -> String) -> Result<Self, String> {
        let needed = |name: &str| match of(name) {
            text if text.trim().is_empty() => Err(format!("`{name}` is missing")),
            text => Ok(text),
        };
        let number = |name: &str, usual: u32, most: u32| match of(name).trim() {
            "" => Ok(usual),
            text => match text.parse::<u32>() {
                Ok(number) if (1..=most).contains(&number) => Ok(number),
                _ => Err(format!("`{name}` takes a whole number from 1 to {most}")),
            },
        };
        let minutes = |name: &str, usual: u32| number(name, usual, MOST_MINUTES);
        Ok(match tool {
            "promql" if of("minutes").trim().is_empty() => Self::Promql(needed("query")?, None),
            "promql" => {
                let range = (minutes("minutes", MINUTES)?, number("step", STEP, 3600)?);
                Self::Promql(needed("query")?, Some(range))
            }
            "logql" => Self::Logql(needed("query")?, minutes("minutes", MINUTES)?, number("limit", LINES, 1000)?),
            "traces" if of("service").trim().is_empty() => Self::Map(minutes("minutes", MINUTES)?),
            "traces" => Self::Traces(of("service"), minutes("minutes", MINUTES)?, of("operation")),
            "alerts" => Self::Alerts,
            "get_metrics" => Self::raw(ObservabilityServer::Prometheus, "/api/v1/query", [("query", needed("query")?)]),
            "get_alerts" => Self::FiringAlerts,
            "get_logs" => Self::Logql(needed("query")?, minutes("last_n_minutes", MINUTES)?, LINES),
            "get_labels" => Self::raw(ObservabilityServer::Loki, "/loki/api/v1/labels", []),
            "get_label_values" => Self::LabelValues(needed("label")?),
            "get_services" => Self::raw(ObservabilityServer::Jaeger, "/api/services", []),
            "get_operations" => {
                Self::raw(ObservabilityServer::Jaeger, "/api/operations", [("service", needed("service")?)])
            }
            "get_traces" => Self::Traces(needed("service")?, minutes("last_n_minutes", MINUTES)?, String::new()),
            "get_dependency_graph" => Self::Map(minutes("last_n_minutes", 2 * MINUTES)?),
            other => return Err(format!("there is no tool `{other}`")),
        })
    }

    fn raw<const N: usize>(server: ObservabilityServer, path: &str, params: [(&'static str, String); N]) -> Self {
        Self::Raw(server, path.to_string(), params.to_vec())
    }

    /// What is answered.
    pub(crate) fn answer(&self, observatory: &mut Observatory) -> String {
        match self {
            Self::Promql(query, None) => observatory.promql(query),
            Self::Promql(query, Some((minutes, step))) => observatory.promql_range(query, *minutes, *step),
            Self::Logql(query, minutes, lines) => observatory.logql(query, *minutes, *lines),
            Self::Traces(service, minutes, operation) => observatory.traces(service, operation, *minutes, 20),
            Self::Map(minutes) => observatory.service_map(*minutes),
            Self::Alerts => observatory.alerts_text(),
            Self::Raw(server, path, params) => told(observatory, *server, path, params),
            Self::LabelValues(label) => {
                let is_name = label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let path = format!("/loki/api/v1/label/{}/values", if is_name { label } else { "_" });
                told(observatory, ObservabilityServer::Loki, &path, &[])
            }
            Self::FiringAlerts => firing(&ask(observatory, ObservabilityServer::Prometheus, "/api/v1/alerts", &[]).1),
        }
    }

    /// Under which kind of tool its use is counted.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Promql(..) | Self::Raw(ObservabilityServer::Prometheus, ..) => "promql",
            Self::Logql(..) | Self::LabelValues(_) | Self::Raw(ObservabilityServer::Loki, ..) => "logql",
            Self::Alerts | Self::FiringAlerts | Self::Raw(ObservabilityServer::Alertmanager, ..) => "alerts",
            Self::Traces(..) | Self::Map(_) | Self::Raw(ObservabilityServer::Jaeger, ..) => "traces",
        }
    }
}

fn ask(
    observatory: &mut Observatory,
    server: ObservabilityServer,
    path: &str,
    params: &[(&'static str, String)],
) -> (u16, Value) {
    let params: Vec<(&str, &str)> = params.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let response = observatory.answer(server, &TelemetryRequest::get(path, &params));
    (response.status, serde_json::from_str(&response.body_text()).unwrap_or_default())
}

/// The data of an answer, or what was wrong with the question.
fn told(
    observatory: &mut Observatory,
    server: ObservabilityServer,
    path: &str,
    params: &[(&'static str, String)],
) -> String {
    match ask(observatory, server, path, params) {
        (200, body) => body["data"].to_string(),
        (_, body) => format!("error: {}", body["error"].as_str().unwrap_or("the server refused the question")),
    }
}

fn firing(body: &Value) -> String {
    let all = body["data"]["alerts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let firing: Vec<&Value> = all.iter().filter(|alert| alert["state"] == "firing").collect();
    if firing.is_empty() {
        return "No firing alerts".to_string();
    }
    serde_json::to_string(&firing).unwrap_or_default()
}
