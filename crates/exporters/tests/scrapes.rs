//! A cluster that is scraped: the series tell what the objects tell.

use cluster::api::{ApiRequest, HttpMethod};
use cluster::{Cluster, ClusterOptions, PlainPrograms, Stamp};
use exporters::{Scraper, alert_rules, container_usage};
use serde_json::{Value, json};
use telemetry::TelemetryRequest;
use telemetry::prometheus::Prometheus;

struct Shop {
    cluster: Cluster,
    programs: PlainPrograms,
    scraper: Scraper,
    server: Prometheus,
}

impl Shop {
    fn new() -> Self {
        let programs = PlainPrograms { missing_images: vec!["nosuch/".into()], ..PlainPrograms::default() };
        let cluster = Cluster::new(&ClusterOptions::default());
        let mut server = Prometheus { evaluation_interval: 30_000, ..Prometheus::default() };
        server.rules.groups = alert_rules();
        let mut shop = Self { cluster, programs, scraper: Scraper::default(), server };
        shop.post("/api/v1/namespaces", json!({"metadata": {"name": "shop"}}));
        shop.post("/api/v1/namespaces/shop/serviceaccounts", json!({"metadata": {"name": "default"}}));
        shop
    }

    fn post(&mut self, path: &str, body: Value) {
        let request = ApiRequest::new(HttpMethod::Post, path).json(&body);
        let response = self.cluster.call(&mut self.programs, &request);
        assert_eq!(response.status, 201, "{path}: {}", response.value());
    }

    fn deploy(&mut self, name: &str, image: &str, replicas: usize) {
        let labels = json!({"app": name});
        self.post(
            "/apis/apps/v1/namespaces/shop/deployments",
            json!({
                "metadata": {"name": name},
                "spec": {
                    "replicas": replicas,
                    "selector": {"matchLabels": labels},
                    "template": {
                        "metadata": {"labels": labels},
                        "spec": {"containers": [{
                            "name": name,
                            "image": image,
                            "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "128Mi"}},
                        }]},
                    },
                },
            }),
        );
    }

    /// Lets time pass, with a scrape and an evaluation every 15 seconds.
    fn wait(&mut self, minutes: i64) {
        for _ in 0..minutes * 4 {
            let to: Stamp = self.cluster.now().after_secs(15);
            self.cluster.advance(&mut self.programs, to);
            let usage = container_usage(&mut self.cluster, &mut self.programs);
            self.scraper.scrape(&self.cluster, &usage, &mut self.server.store);
            self.server.now = self.cluster.now().0 / 1000;
            let Prometheus { rules, store, now, evaluation_interval, .. } = &mut self.server;
            rules.evaluate(store, *now, *evaluation_interval);
        }
    }

    /// The values of a query, by a label.
    fn ask(&self, query: &str, label: &str) -> Vec<(String, f64)> {
        let response = self.server.answer(&TelemetryRequest::get("/api/v1/query", &[("query", query)]));
        let body: Value = serde_json::from_slice(&response.body).expect("JSON");
        assert_eq!(response.status, 200, "{query}: {body}");
        let value = |v: &Value| v["value"][1].as_str().and_then(|t| t.parse().ok()).expect("a number");
        let list = body["data"]["result"].as_array().expect("a vector");
        let mut out: Vec<(String, f64)> =
            list.iter().map(|v| (v["metric"][label].as_str().unwrap_or("").to_owned(), value(v))).collect();
        out.sort_by(|a, b| a.0.cmp(&b.0));
        out
    }

    fn firing(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.server.rules.active().map(|a| format!("{} {:?}", a.labels.get("alertname"), a.state)).collect();
        names.sort();
        names.dedup();
        names
    }
}

fn pair(name: &str, value: f64) -> (String, f64) {
    (name.to_owned(), value)
}

#[test]
fn series_tell_what_objects_tell() {
    let mut shop = Shop::new();
    shop.deploy("cart", "registry.local/cart:1", 3);
    shop.wait(3);
    assert_eq!(shop.ask("kube_deployment_status_replicas_available", "deployment"), [pair("cart", 3.0)]);
    let running = r#"sum by (namespace) (kube_pod_status_phase{namespace="shop",phase="Running"})"#;
    assert_eq!(shop.ask(running, "namespace"), [pair("shop", 3.0)]);
    let ready = r#"count by (condition) (kube_pod_status_ready{namespace="shop",condition="true"} == 1)"#;
    assert_eq!(shop.ask(ready, "condition"), [pair("true", 3.0)]);
    // A limit without a request is a request too.
    let requests = r#"round(sum by (resource) (kube_pod_container_resource_requests{namespace="shop"}), 0.01)"#;
    assert_eq!(shop.ask(requests, "resource"), [pair("cpu", 0.3), pair("memory", 402_653_184.0)]);
    assert!(shop.ask("kube_node_status_condition{condition=\"Ready\",status=\"true\"} == 1", "node").len() >= 2);
    assert_eq!(shop.firing(), ["Watchdog Firing"]);
}

#[test]
fn top_and_cadvisor_agree() {
    let mut shop = Shop::new();
    shop.deploy("cart", "registry.local/cart:1", 2);
    shop.wait(6);
    let usage = container_usage(&mut shop.cluster, &mut shop.programs);
    let mut memory: Vec<(String, f64)> = usage.iter().map(|u| (u.pod.clone(), u.memory as f64)).collect();
    memory.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(shop.ask("container_memory_working_set_bytes", "pod"), memory);
    let rates = shop.ask("rate(container_cpu_usage_seconds_total[2m])", "pod");
    assert_eq!(rates.len(), usage.len());
    for (pod, cores) in rates {
        let told = usage.iter().find(|u| u.pod == pod).map(|u| u.cpu_milli as f64 / 1000.0).expect("the pod");
        assert!((cores - told).abs() < 0.2 * told.max(0.001), "{pod}: {cores} and {told}");
    }
}

#[test]
fn an_image_that_is_missing_pages() {
    let mut shop = Shop::new();
    shop.deploy("cart", "nosuch/cart:1", 1);
    shop.wait(10);
    let waiting = shop.ask("kube_pod_container_status_waiting_reason", "reason");
    assert!(matches!(waiting.as_slice(), [(reason, _)] if reason == "ImagePullBackOff" || reason == "ErrImagePull"));
    assert!(shop.firing().contains(&"KubePodNotReady Pending".to_owned()), "{:?}", shop.firing());
    shop.wait(8);
    let firing = shop.firing();
    assert!(firing.contains(&"KubePodNotReady Firing".to_owned()), "{firing:?}");
    assert!(firing.contains(&"KubeDeploymentReplicasMismatch Firing".to_owned()), "{firing:?}");
    assert_eq!(shop.ask(r#"count by (alertname) (ALERTS{alertname="KubePodNotReady"})"#, "alertname").len(), 1);
}

#[test]
fn what_is_deleted_ends_with_a_marker() {
    let mut shop = Shop::new();
    shop.deploy("cart", "registry.local/cart:1", 1);
    shop.wait(2);
    let request = ApiRequest::new(HttpMethod::Delete, "/apis/apps/v1/namespaces/shop/deployments/cart");
    shop.cluster.call(&mut shop.programs, &request);
    shop.wait(2);
    assert_eq!(shop.ask("kube_deployment_spec_replicas", "deployment"), []);
    assert_eq!(shop.ask("count_over_time(kube_deployment_spec_replicas[10m])", "deployment").len(), 1);
}

#[test]
fn the_same_cluster_gives_the_same_bytes() {
    let run = || {
        let mut shop = Shop::new();
        shop.deploy("cart", "registry.local/cart:1", 2);
        shop.wait(2);
        shop.server.answer(&TelemetryRequest::get("/api/v1/query", &[("query", "{job=~\".+\"}")])).body
    };
    assert_eq!(run(), run());
}
