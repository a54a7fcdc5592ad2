//! Probes end with the pod that they ask.

mod common;

use std::time::Duration;

use cluster::api::HttpMethod;
use common::Client;
use serde_json::json;

/// A pod may be deleted at any moment between two probes: time goes on, and the pod goes.
#[test]
fn a_probe_that_falls_due_while_its_pod_is_going_does_not_stop_time() {
    let pods = "/api/v1/namespaces/shop/pods";
    for tenth in 0..10 {
        let mut client = Client::new();
        let probe = json!({"tcpSocket": {"port": 80}, "periodSeconds": 1});
        let container =
            json!({"name": "main", "image": "app:1", "ports": [{"containerPort": 80}], "livenessProbe": probe});
        client.made(pods, json!({"metadata": {"name": "web"}, "spec": {"containers": [container]}}));
        let soon = client.cluster.now().after_secs(20).after(Duration::from_millis(100 * tenth));
        client.cluster.advance(&mut client.programs, soon);
        client.send(HttpMethod::Delete, &format!("{pods}/web"), &json!({}));
        let later = client.cluster.now().after_secs(60);
        client.cluster.advance(&mut client.programs, later);
        assert_eq!(client.get(&format!("{pods}/web")).0, 404, "deleted {tenth} tenths of a second after a probe");
    }
}
