//! Probes end with the pod that they ask, and changes find kubelets at any moment.

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

/// A pod may be changed at any moment while its kubelet waits for a sandbox or an image: it gets there all the same.
#[test]
fn a_change_while_a_pod_is_being_started_does_not_keep_it_from_starting() {
    let pods = "/api/v1/namespaces/shop/pods";
    for step in 0..30 {
        let mut client = Client::new();
        let container = json!({"name": "main", "image": "app:1"});
        client.made(pods, json!({"metadata": {"name": "web"}, "spec": {"containers": [container]}}));
        let soon = client.cluster.now().after(Duration::from_millis(100 * step));
        client.cluster.advance(&mut client.programs, soon);
        let debugger = json!({"spec": {"ephemeralContainers": [{"name": "debugger", "image": "app:1"}]}});
        let path = format!("{pods}/web/ephemeralcontainers");
        assert_eq!(client.patch("strategic-merge-patch+json", &path, &debugger).0, 200);
        let later = client.cluster.now().after_secs(60);
        client.cluster.advance(&mut client.programs, later);
        let (_, pod) = client.get(&format!("{pods}/web"));
        assert_eq!(pod["status"]["phase"], "Running", "changed {step} tenths of a second after it was made");
    }
}
