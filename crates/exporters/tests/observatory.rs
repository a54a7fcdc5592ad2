//! An application that is watched: series, lines, traces and alerts of the same moments tell one story.

use apps::{Site, SiteOptions};
use exporters::{ObservabilityServer, Observatory};
use serde_json::Value;
use telemetry::TelemetryRequest;

/// Hotel Reservation, watched for ten minutes.
fn watched() -> (Site, Observatory) {
    let options = SiteOptions { applications: vec!["hotel-reservation".into()], ..SiteOptions::default() };
    let mut site = Site::deploy(&options).expect("it starts");
    let mut observatory = Observatory::new(site.cluster.now());
    let to = site.cluster.now().after_secs(600);
    observatory.advance(&mut site.cluster, &mut site.fleet, to);
    (site, observatory)
}

fn number(text: &str) -> f64 {
    text.split_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no number in {text}"))
}

#[test]
fn an_application_is_seen_from_all_sides() {
    let (site, mut observatory) = watched();
    let pods = site.cluster.objects("pods", Some("hotel-reservation")).count();
    let counted = number(&observatory.promql(r#"count(kube_pod_info{namespace="hotel-reservation"})"#));
    assert_eq!(counted, pods as f64, "every pod has its series");

    // Calls as they were counted and as the programs tell them now agree where nothing changes.
    let calls = cluster::Programs::calls(&site.fleet);
    let rate: f64 = calls.iter().map(|call| call.rate).sum();
    let query = r#"sum(rate(traces_span_metrics_calls_total{span_kind="SPAN_KIND_CLIENT"}[5m]))"#;
    let counted = number(&observatory.promql(query));
    assert!(rate > 0.0 && (counted - rate).abs() < 0.1 * rate, "{counted} is about {rate}");

    let lines = observatory.logql(r#"{namespace="hotel-reservation"}"#, 60, 50);
    assert!(lines.lines().count() > 5, "containers print: {lines}");
    let services = observatory.answer(ObservabilityServer::Jaeger, &TelemetryRequest::get("/api/services", &[]));
    let services: Value = serde_json::from_slice(&services.body).expect("JSON");
    let names: Vec<_> = services["data"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(names.len() > 3, "services have spans: {names:?}");
    let traces = observatory.traces(names[0], "", 10, 5);
    assert!(traces.starts_with("trace "), "{traces}");
    let alerts = observatory.alerts_text();
    assert!(alerts.lines().count() == 1 && alerts.contains("Watchdog"), "all is well: {alerts}");
    let range = observatory.promql_range("count(up)", 5, 60);
    assert_eq!(range.split_whitespace().count(), 7, "a name and six steps: {range}");
}

#[test]
fn what_crashes_pages_and_bad_questions_are_refused() {
    let (mut site, mut observatory) = watched();
    let bad = r#"{"spec":{"template":{"spec":{"containers":[{"name":"hotel-reserv-geo","image":"nosuch/geo:1"}]}}}}"#;
    let path = "/apis/apps/v1/namespaces/hotel-reservation/deployments";
    let geo = site.cluster.objects("deployments.apps", Some("hotel-reservation")).find_map(|deployment| {
        deployment["metadata"]["name"].as_str().filter(|name| name.contains("geo") && !name.contains("mongo"))
    });
    let geo = geo.expect("there is a geo service").to_string();
    let container =
        site.cluster.object("deployments.apps", "hotel-reservation", &geo).expect("there")["spec"]["template"]["spec"]
            ["containers"][0]["name"]
            .as_str()
            .expect("a name")
            .to_string();
    let change = bad.replace("hotel-reserv-geo", &container);
    let request = cluster::api::ApiRequest::new(cluster::api::HttpMethod::Patch, &format!("{path}/{geo}"))
        .typed("application/strategic-merge-patch+json", change);
    assert_eq!(site.cluster.call(&mut site.fleet, &request).status, 200);
    let to = site.cluster.now().after_secs(30 * 60);
    observatory.advance(&mut site.cluster, &mut site.fleet, to);
    let alerts = observatory.alerts_text();
    assert!(alerts.contains("KubePodNotReady") || alerts.contains("KubeDeployment"), "{alerts}");
    for (answer, expect) in [
        (observatory.promql("sum("), "error: "),
        (observatory.promql("nothing_of_that_name"), "nothing found"),
        (observatory.logql("{", 5, 10), "error: "),
        (observatory.traces("nothing", "", 5, 5), "nothing found"),
    ] {
        assert!(answer.starts_with(expect), "{answer}");
    }
}
