//! What is told of a line when it comes in: its level and its service.

use serde_json::Value as Json;

use crate::labels::Labels;
use crate::logql::logfmt_fields;

/// Labels that may name a service, the first one counts.
const SERVICE_LABELS: [&str; 13] = [
    "service",
    "app",
    "application",
    "app_name",
    "name",
    "app_kubernetes_io_name",
    "container",
    "container_name",
    "k8s_container_name",
    "component",
    "workload",
    "job",
    "k8s_job_name",
];

/// The service of a stream.
pub(super) fn service_name(labels: &Labels) -> String {
    let named = SERVICE_LABELS.iter().find_map(|name| labels.find(name));
    named.unwrap_or("unknown_service").to_owned()
}

const LEVEL_FIELDS: [&str; 10] =
    ["level", "LEVEL", "Level", "severity", "SEVERITY", "Severity", "lvl", "LVL", "Lvl", "severity_text"];

/// The level of a line: from its own labels, its fields, or its words.
pub(super) fn detected_level(line: &str, labels: &Labels, metadata: &[(String, String)]) -> &'static str {
    for name in LEVEL_FIELDS {
        let given = metadata.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str()).or_else(|| labels.find(name));
        if let Some(level) = given.and_then(known) {
            return level;
        }
    }
    let start = line.trim_start();
    if start.starts_with('{') {
        if let Ok(Json::Object(fields)) = serde_json::from_str(line) {
            let named = LEVEL_FIELDS.iter().find_map(|name| fields.get(*name)).and_then(Json::as_str);
            return named.and_then(known).unwrap_or_else(|| by_words(line));
        }
    } else if line.contains('=') {
        let (fields, _) = logfmt_fields(line, false);
        let named = fields.iter().find(|(n, _)| LEVEL_FIELDS.contains(&n.as_str()));
        if let Some(level) = named.and_then(|(_, v)| known(v)) {
            return level;
        }
    }
    by_words(line)
}

fn known(text: &str) -> Option<&'static str> {
    Some(match text.to_lowercase().as_str() {
        "trace" | "trc" => "trace",
        "debug" | "dbg" => "debug",
        "info" | "inf" | "information" => "info",
        "warn" | "wrn" | "warning" => "warn",
        "error" | "err" => "error",
        "critical" => "critical",
        "fatal" => "fatal",
        _ => return None,
    })
}

/// The first word of a line that names a level.
fn by_words(line: &str) -> &'static str {
    const WORDS: [(&str, &str); 9] = [
        ("trace", "trace"),
        ("debug", "debug"),
        ("info", "info"),
        ("warn", "warn"),
        ("error", "error"),
        ("err:", "error"),
        ("critical", "critical"),
        ("fatal", "fatal"),
        ("panic:", "error"),
    ];
    let lower = line.to_lowercase();
    let found = WORDS.iter().filter_map(|(word, level)| lower.find(word).map(|at| (at, *level))).min();
    found.map_or("unknown", |(_, level)| level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found() {
        let none = Labels::default();
        for (line, level) in [
            (r#"{"level":"warn","msg":"error"}"#, "warn"),
            ("ts=1 level=error msg=info", "error"),
            ("INFO charged card", "info"),
            ("[ERROR] plugin/errors", "error"),
            ("panic: runtime error: nil", "error"),
            ("GET / 200", "unknown"),
        ] {
            assert_eq!(detected_level(line, &none, &[]), level, "{line}");
        }
        assert_eq!(service_name(&Labels::new([("container", "c"), ("app", "a")])), "a");
        assert_eq!(service_name(&none), "unknown_service");
    }
}
