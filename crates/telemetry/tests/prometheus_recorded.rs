//! Answers of a real Prometheus, recorded: ours are the same.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a test reads files and says what it skips")]

use std::path::Path;

use telemetry::conformance::run_promql_recorded;

fn check(data: &Path, recorded: &Path, least: usize) {
    let [data, recorded] = [data, recorded].map(|path| std::fs::read_to_string(path).expect("a file of the tests"));
    let verdicts = run_promql_recorded(&data, &recorded).expect("data and recording are well formed");
    assert_eq!(verdicts.failures, Vec::<String>::new());
    assert!(verdicts.passed >= least, "{} cases ran", verdicts.passed);
}

#[test]
fn recorded_answers_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded");
    check(&folder.join("prometheus.om"), &folder.join("prometheus.jsonl"), 200);
}

#[test]
fn queries_of_the_compliance_project_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/telemetry");
    if !folder.exists() {
        println!("skipped: the compliance queries do not stand beside this checkout");
        return;
    }
    check(&folder.join("prometheus-data.om"), &folder.join("promql/compliance.jsonl"), 300);
}

#[test]
fn rules_of_the_mixins_are_formatted_alike() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/telemetry/promql/mixin-rules.jsonl");
    if !path.exists() {
        println!("skipped: the mixins' rules do not stand beside this checkout");
        return;
    }
    let server = telemetry::prometheus::Prometheus::default();
    let mut wrong = Vec::new();
    for line in std::fs::read_to_string(path).expect("a file").lines() {
        let rule: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let expr = rule["expr"].as_str().expect("an expression");
        let request = telemetry::TelemetryRequest::get("/api/v1/format_query", &[("query", expr)]);
        let body: serde_json::Value = serde_json::from_slice(&server.answer(&request).body).expect("JSON");
        if body["data"] != rule["formatted"] {
            wrong.push(format!("{}\n{}\n{}", rule["name"], rule["formatted"], body));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
