//! Traces as JSON.

use crate::json;

use super::adjust::{skew_warning, sorted_log};
use super::spans::{JaegerSpan, SpanLog, TagValue, TraceId};

/// 16 digits for 64 bits, 32 for more.
pub(super) fn trace_name(id: TraceId) -> String {
    if id >> 64 == 0 { format!("{id:016x}") } else { format!("{id:032x}") }
}

/// A trace with its processes; unless it is asked for raw, it is mended first.
pub(super) fn trace_json(spans: &[JaegerSpan], raw: bool) -> String {
    let mut processes: Vec<(&str, &[(String, TagValue)])> = Vec::new();
    let mut parts = Vec::new();
    for span in spans {
        let process = (span.service.as_str(), span.process.as_slice());
        let place = processes.iter().position(|known| *known == process).unwrap_or_else(|| {
            processes.push(process);
            processes.len() - 1
        });
        let warning = if raw { None } else { skew_warning(span, spans) };
        parts.push(span_json(span, place + 1, warning, raw));
    }
    let processes: Vec<String> = processes
        .iter()
        .enumerate()
        .map(|(i, (service, tags))| {
            format!("\"p{}\":{{\"serviceName\":{},\"tags\":{}}}", i + 1, json::string(service), tags_json(tags))
        })
        .collect();
    let id = spans.first().map_or_else(String::new, |s| trace_name(s.trace));
    format!(
        "{{\"traceID\":\"{id}\",\"spans\":[{}],\"processes\":{{{}}},\"warnings\":null}}",
        parts.join(","),
        processes.join(",")
    )
}

fn span_json(span: &JaegerSpan, process: usize, warning: Option<String>, raw: bool) -> String {
    let trace = trace_name(span.trace);
    let references = span.parent.map_or_else(String::new, |parent| {
        format!("{{\"refType\":\"CHILD_OF\",\"traceID\":\"{trace}\",\"spanID\":\"{parent:016x}\"}}")
    });
    let logs: Vec<String> =
        span.logs.iter().map(|log| log_json(&if raw { log.clone() } else { sorted_log(log) })).collect();
    let warnings = warning.map_or_else(|| "null".to_owned(), |text| format!("[{}]", json::string(&text)));
    format!(
        "{{\"traceID\":\"{trace}\",\"spanID\":\"{:016x}\",\"flags\":1,\"operationName\":{},\"references\":[{references}],\
         \"startTime\":{},\"duration\":{},\"tags\":{},\"logs\":[{}],\"processID\":\"p{process}\",\"warnings\":{warnings}}}",
        span.id,
        json::string(&span.operation),
        span.start,
        span.duration,
        tags_json(&span.tags),
        logs.join(","),
    )
}

fn log_json(log: &SpanLog) -> String {
    format!("{{\"timestamp\":{},\"fields\":{}}}", log.time, tags_json(&log.fields))
}

fn tags_json(tags: &[(String, TagValue)]) -> String {
    let parts: Vec<String> = tags
        .iter()
        .map(|(name, value)| {
            let (kind, shown) = match value {
                TagValue::Text(text) => ("string", json::string(text)),
                TagValue::Bool(value) => ("bool", value.to_string()),
                TagValue::Int(value) => ("int64", value.to_string()),
                TagValue::Float(value) => ("float64", crate::go::number::general(*value)),
            };
            format!("{{\"key\":{},\"type\":\"{kind}\",\"value\":{shown}}}", json::string(name))
        })
        .collect();
    format!("[{}]", parts.join(","))
}

/// JSON over several lines, four blanks to a level.
pub(super) fn indented(body: &str) -> String {
    let mut out = String::new();
    let mut level = 0;
    let mut quoted = false;
    let mut escaped = false;
    let mut chars = body.trim_end().chars().peekable();
    while let Some(c) = chars.next() {
        if quoted {
            out.push(c);
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' if matches!(chars.peek(), Some('}' | ']')) => {
                out.push(c);
                out.extend(chars.next());
            }
            '{' | '[' => {
                level += 1;
                out.push(c);
                line(&mut out, level);
            }
            '}' | ']' => {
                level -= 1;
                line(&mut out, level);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, level);
            }
            ':' => out.push_str(": "),
            c => {
                quoted = c == '"';
                out.push(c);
            }
        }
    }
    out + &body[body.trim_end().len()..]
}

fn line(out: &mut String, level: usize) {
    out.push('\n');
    out.push_str(&"    ".repeat(level));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretty_json_is_indented_by_four() {
        assert_eq!(
            indented(r#"{"a":[1,{"b":"x:,\"{"}],"c":[]}"#),
            "{\n    \"a\": [\n        1,\n        {\n            \"b\": \"x:,\\\"{\"\n        }\n    ],\n    \"c\": []\n}"
        );
    }
}
