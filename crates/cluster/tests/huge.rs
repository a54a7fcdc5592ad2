//! Wishes that no cluster can fulfil cost no more than what it can do.

mod common;

use common::Client;
use serde_json::{Value, json};

const WANTED: i64 = 100_000;

fn workload(name: &str, more: Value) -> Value {
    let mut spec = json!({
        "replicas": WANTED,
        "selector": {"matchLabels": {"app": name}},
        "template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "main", "image": "app:1", "resources": {"requests": {"cpu": "100m"}}}]},
        },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        spec[field] = value.clone();
    }
    json!({"metadata": {"name": name}, "spec": spec})
}

/// Lets 20 seconds pass with an impossible wish in it: pods come at the pace of the controllers, and all else goes on.
fn check(path: &str, object: Value) {
    let mut client = Client::new();
    client.made(path, object);
    for _ in 0..20 {
        let to = client.cluster.now().after_secs(1);
        client.cluster.advance(&mut client.programs, to);
    }
    let pods: Vec<_> = client.cluster.objects("pods", Some("shop")).collect();
    // 500 at once, then 20 a second.
    assert!((700..=1000).contains(&pods.len()), "{path}: {} pods", pods.len());
    let running = pods.iter().filter(|pod| pod["status"]["phase"] == "Running").count();
    assert!((140..=160).contains(&running), "{path}: no more run than fit, not {running}");
    let pod = json!({"metadata": {"name": "urgent"}, "spec": {"nodeName": "node-0", "containers": [{"name": "main", "image": "app:1"}]}});
    client.made("/api/v1/namespaces/shop/pods", pod);
    let to = client.cluster.now().after_secs(20);
    client.cluster.advance(&mut client.programs, to);
    assert_eq!(client.cluster.object("pods", "shop", "urgent").expect("there")["status"]["phase"], "Running");
}

#[test]
fn a_hundred_thousand_replicas_freeze_nothing() {
    check("/apis/apps/v1/namespaces/shop/deployments", workload("many", json!({})));
    let parallel = json!({"podManagementPolicy": "Parallel", "serviceName": "many"});
    check("/apis/apps/v1/namespaces/shop/statefulsets", workload("many", parallel));
    let job = json!({"metadata": {"name": "many"}, "spec": {"parallelism": WANTED, "completions": WANTED, "template": {
        "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "app:1", "resources": {"requests": {"cpu": "100m"}}}]}}}});
    check("/apis/batch/v1/namespaces/shop/jobs", job);
}
