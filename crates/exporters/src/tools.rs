//! The four servers as tools: a question as text, an answer as text.

use serde_json::Value;
use telemetry::TelemetryRequest;

use crate::observatory::{ObservabilityServer, Observatory};

/// The most lines that an answer has, and the most letters of lines of containers.
const MOST_LINES: usize = 200;
const MOST_LETTERS: usize = 15_000;

impl Observatory {
    /// The value of a PromQL expression now: a line for each series.
    pub fn promql(&mut self, query: &str) -> String {
        self.metrics("/api/v1/query", &[("query", query)])
    }

    /// The values of a PromQL expression over the last minutes, a step apart.
    pub fn promql_range(&mut self, query: &str, minutes: u32, step_seconds: u32) -> String {
        let end = self.prometheus.now / 1000;
        let (start, end) = ((end - 60 * i64::from(minutes)).to_string(), end.to_string());
        let step = step_seconds.max(1).to_string();
        self.metrics("/api/v1/query_range", &[("query", query), ("start", &start), ("end", &end), ("step", &step)])
    }

    /// The lines that a LogQL query selects in the last minutes, or the series of a metric query.
    pub fn logql(&mut self, query: &str, minutes: u32, limit: u32) -> String {
        let end = self.loki.now.saturating_add(1);
        let start = end - 60_000_000_000 * i64::from(minutes);
        let params = [
            ("query", query.to_string()),
            ("start", start.to_string()),
            ("end", end.to_string()),
            ("limit", limit.clamp(1, 1000).to_string()),
        ];
        let params: Vec<(&str, &str)> = params.iter().map(|(name, value)| (*name, value.as_str())).collect();
        match self.ask(ObservabilityServer::Loki, "/loki/api/v1/query_range", &params) {
            Ok(body) if body["data"]["resultType"] == "streams" => log_lines(&body["data"]["result"]),
            Ok(body) => series_lines(&body["data"]),
            Err(why) => why,
        }
    }

    /// Traces of a service in the last minutes, the longest of them first; of one operation if it is named.
    pub fn traces(&mut self, service: &str, operation: &str, minutes: u32, limit: u32) -> String {
        let start = self.jaeger.now - 60_000_000 * i64::from(minutes);
        let (limit, start) = (limit.clamp(1, 200).to_string(), start.to_string());
        let mut params = vec![("service", service), ("limit", limit.as_str()), ("start", start.as_str())];
        if !operation.is_empty() {
            params.push(("operation", operation));
        }
        match self.ask(ObservabilityServer::Jaeger, "/api/traces", &params) {
            Ok(body) => trace_lines(&body["data"]),
            Err(why) => why,
        }
    }

    /// The services that have traces, and which called which in the last minutes.
    pub fn service_map(&mut self, minutes: u32) -> String {
        let (end, lookback) = ((self.jaeger.now / 1000).to_string(), (u64::from(minutes) * 60_000).to_string());
        let services = self.ask(ObservabilityServer::Jaeger, "/api/services", &[]);
        let called =
            self.ask(ObservabilityServer::Jaeger, "/api/dependencies", &[("endTs", &end), ("lookback", &lookback)]);
        match (services, called) {
            (Ok(services), Ok(called)) => map_lines(&services["data"], &called["data"]),
            (Err(why), _) | (_, Err(why)) => why,
        }
    }

    /// The alerts that fire, with what they say.
    pub fn alerts_text(&mut self) -> String {
        match self.ask(ObservabilityServer::Alertmanager, "/api/v2/alerts", &[]) {
            Ok(body) => alert_lines(&body),
            Err(why) => why,
        }
    }

    fn metrics(&mut self, path: &str, params: &[(&str, &str)]) -> String {
        match self.ask(ObservabilityServer::Prometheus, path, params) {
            Ok(body) => series_lines(&body["data"]),
            Err(why) => why,
        }
    }

    fn ask(&mut self, server: ObservabilityServer, path: &str, params: &[(&str, &str)]) -> Result<Value, String> {
        let response = self.answer(server, &TelemetryRequest::get(path, params));
        let text = response.body_text();
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        match response.status {
            200 => Ok(body),
            _ => Err(format!("error: {}", body["error"].as_str().unwrap_or(text.trim_end()))),
        }
    }
}

/// `{a="b"}` as queries write it, with the name in front.
fn named(labels: &Value) -> String {
    let pairs = labels.as_object().into_iter().flatten().filter(|(name, _)| *name != "__name__");
    let pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}{{{}}}", labels["__name__"].as_str().unwrap_or_default(), pairs.join(", "))
}

fn shortened(mut lines: Vec<String>) -> String {
    if lines.is_empty() {
        return "nothing found\n".into();
    }
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    if more > 0 {
        lines.push(format!("... and {more} more"));
    }
    lines.join("\n") + "\n"
}

fn series_lines(data: &Value) -> String {
    let value = |pair: &Value| pair[1].as_str().unwrap_or_default().to_string();
    let list = data["result"].as_array();
    match (data["resultType"].as_str(), list) {
        (Some("scalar" | "string"), _) => value(&data["result"]) + "\n",
        (Some("matrix"), Some(list)) => shortened(
            list.iter()
                .map(|series| {
                    let values: Vec<String> = series["values"].as_array().into_iter().flatten().map(value).collect();
                    format!("{} {}", named(&series["metric"]), values.join(" "))
                })
                .collect(),
        ),
        (_, list) => shortened(
            list.into_iter()
                .flatten()
                .map(|series| format!("{} {}", named(&series["metric"]), value(&series["value"])))
                .collect(),
        ),
    }
}

fn log_lines(streams: &Value) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for stream in streams.as_array().into_iter().flatten() {
        let from = &stream["stream"];
        let from =
            format!("{}/{}", from["namespace"].as_str().unwrap_or_default(), from["pod"].as_str().unwrap_or_default());
        for entry in stream["values"].as_array().into_iter().flatten() {
            let (time, line) = (entry[0].as_str().unwrap_or_default(), entry[1].as_str().unwrap_or_default());
            let micros = time.parse::<i64>().unwrap_or(0) / 1000;
            lines.push((time.into(), format!("{} {from} {line}", cluster::Stamp(micros).rfc3339())));
        }
    }
    lines.sort();
    newest(lines.into_iter().map(|(_, line)| line).collect())
}

/// Of too many lines the newest, which are the last.
fn newest(lines: Vec<String>) -> String {
    let mut letters = 0;
    let fits = |line: &&String| {
        letters += line.len() + 1;
        letters <= MOST_LETTERS
    };
    let kept = lines.iter().rev().take(MOST_LINES).take_while(fits).count().max(usize::from(!lines.is_empty()));
    let older = lines.len() - kept;
    let shown = shortened(lines[older..].to_vec());
    if older > 0 { format!("[{older} older lines are not shown]\n{shown}") } else { shown }
}

fn trace_lines(traces: &Value) -> String {
    let mut told: Vec<(i64, Vec<String>)> = Vec::new();
    for trace in traces.as_array().into_iter().flatten() {
        let spans = trace["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
        let longest = spans.iter().filter_map(|span| span["duration"].as_i64()).max().unwrap_or(0);
        let id = trace["traceID"].as_str().unwrap_or_default();
        let mut lines = vec![format!("trace {id}: {} spans, {:.1} ms", spans.len(), longest as f64 / 1000.0)];
        for span in spans {
            let process = &trace["processes"][span["processID"].as_str().unwrap_or_default()];
            let has_error =
                span["tags"].as_array().into_iter().flatten().any(|tag| tag["key"] == "error" && tag["value"] == true);
            let (service, operation) = (
                process["serviceName"].as_str().unwrap_or_default(),
                span["operationName"].as_str().unwrap_or_default(),
            );
            let millis = span["duration"].as_i64().unwrap_or(0) as f64 / 1000.0;
            lines.push(format!("  {service} {operation} {millis:.1} ms{}", if has_error { " error" } else { "" }));
        }
        told.push((-longest, lines));
    }
    told.sort();
    shortened(told.into_iter().flat_map(|(_, lines)| lines).collect())
}

fn map_lines(services: &Value, called: &Value) -> String {
    let names: Vec<&str> = services.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let call = |edge: &Value| {
        let side = |name: &str| edge[name].as_str().unwrap_or_default().to_string();
        format!("{} -> {}: {} traced calls", side("parent"), side("child"), edge["callCount"])
    };
    let lines = std::iter::once(format!("services: {}", names.join(", ")));
    shortened(lines.chain(called.as_array().into_iter().flatten().map(call)).collect())
}

fn alert_lines(alerts: &Value) -> String {
    let line = |alert: &Value| {
        let state = alert["status"]["state"].as_str().unwrap_or_default();
        let since = alert["startsAt"].as_str().unwrap_or_default();
        let said = alert["annotations"]["description"].as_str().unwrap_or_default();
        format!("{} {state} since {since}: {said}", named(&alert["labels"]))
    };
    shortened(alerts.as_array().into_iter().flatten().map(line).collect())
}
