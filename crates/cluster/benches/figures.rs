//! The figures of a cluster, on one core: `cargo bench -p sre-zero-cluster`; a word after `--` picks rows by name.
//!
//! Each row is the best of several rounds, because a busy machine only ever makes things slower. The digests tell
//! whether two runs did the same work: a change that is only about speed leaves them alone.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a bench reads the clock and its memory, and prints"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use cluster::api::{ApiRequest, HttpMethod};
use cluster::{Cluster, ClusterOptions, NodeOptions, PlainPrograms};
use serde_json::{Value, json};

const ROUNDS: usize = 7;

fn main() {
    // `cargo test` also builds benches and asks them to list their tests; there are none.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    if let Some(size) = std::env::args().find_map(|arg| arg.strip_prefix(MEMORY_OF).map(str::to_string)) {
        return tell_memory(&size);
    }
    println!("{:<58} {:>14}", "one core, best of several rounds", "");
    ready("30 deployments on 4 nodes ready from nothing", ROUNDS, 4, 30, 1);
    let shop = Shop::ready(4, 30, 3);
    row("clone of 30 deployments, 90 pods", || {
        let start = Instant::now();
        for _ in 0..100 {
            black_box(shop.cluster.clone());
        }
        start.elapsed() / 100
    });
    row("clone of it and its first second", || {
        let start = Instant::now();
        let mut clone = shop.clone();
        clone.wait(1);
        start.elapsed()
    });
    tick("quiet second of 30 deployments, 90 pods", &shop);
    table(&shop);
    rollout(&shop);
    ready("20 nodes, 1,000 pods ready from nothing", 1, 20, 20, 50);
    ready("100 nodes, 5,000 pods ready from nothing", 1, 100, 100, 50);
    if is_wanted("tick of 100 nodes, 5,000 pods") {
        tick("tick of 100 nodes, 5,000 pods", &Shop::ready(100, 100, 50));
    }
    memory("memory of an empty cluster of 4 nodes", "4,0,0");
    memory("memory of 30 deployments on 4 nodes", "4,30,1");
    memory("memory of 30 deployments, 90 pods", "4,30,3");
    memory("memory of 100 nodes, 5,000 pods", "100,100,50");
}

fn is_wanted(name: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--")).peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

fn row(name: &str, round: impl FnMut() -> Duration) {
    rows(name, ROUNDS, round);
}

fn rows(name: &str, rounds: usize, mut round: impl FnMut() -> Duration) {
    if is_wanted(name) {
        let best = (0..rounds).map(|_| round()).min().expect("there is a round");
        println!("{name:<58} {:>14.1} us", best.as_secs_f64() * 1e6);
    }
}

fn ready(name: &str, rounds: usize, nodes: usize, deployments: usize, pods: usize) {
    let mut digest = 0;
    rows(name, rounds, || {
        let start = Instant::now();
        let shop = Shop::ready(nodes, deployments, pods);
        let took = start.elapsed();
        digest = shop.cluster.digest();
        took
    });
    tell_digest(name, digest);
}

fn tell_digest(name: &str, digest: u64) {
    if is_wanted(name) {
        println!("{:<58} {digest:>17x}", "    its digest");
    }
}

fn tick(name: &str, shop: &Shop) {
    let mut shop = shop.clone();
    shop.wait(60);
    row(name, || {
        let start = Instant::now();
        shop.wait(1);
        start.elapsed()
    });
}

/// Memory of a process that has one cluster and nothing else: so each is a process of its own.
fn memory(name: &str, size: &str) {
    if !is_wanted(name) {
        return;
    }
    let program = std::env::current_exe().expect("this program");
    let output = std::process::Command::new(program).arg(format!("{MEMORY_OF}{size}")).output().expect("it runs");
    println!("{name:<58} {:>17}", String::from_utf8_lossy(&output.stdout).trim());
}

const MEMORY_OF: &str = "--memory-of=";

/// Prints the memory of this process once a cluster of so many nodes, deployments and pods in each is ready; nothing where
/// the system does not say.
fn tell_memory(size: &str) {
    let numbers: Vec<usize> = size.split(',').filter_map(|number| number.parse().ok()).collect();
    let [nodes, deployments, pods] = numbers[..] else { panic!("{size} is not three numbers") };
    let shop = Shop::ready(nodes, deployments, pods);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    if let (Some(now), Some(most)) = (kilobytes("VmRSS:"), kilobytes("VmHWM:")) {
        println!("{:.0} MB, at most {:.0} MB", now / 1024.0, most / 1024.0);
    }
    black_box(shop);
}

/// What `kubectl get pods` asks for.
fn table(shop: &Shop) {
    let mut shop = shop.clone();
    let form = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let request = ApiRequest::new(HttpMethod::Get, "/api/v1/namespaces/default/pods?limit=500").header("Accept", form);
    row("table of 90 pods", || {
        let start = Instant::now();
        let answer = shop.cluster.call(&mut shop.programs, &request);
        let took = start.elapsed();
        assert!(answer.bytes_of().starts_with(br#"{"kind":"Table""#), "a table comes back");
        took
    });
    let request = ApiRequest::new(HttpMethod::Get, "/api/v1/namespaces/default/pods?limit=500");
    row("list of 90 pods", || {
        let start = Instant::now();
        black_box(shop.cluster.call(&mut shop.programs, &request));
        start.elapsed()
    });
}

fn rollout(shop: &Shop) {
    let name = "rolling update of 3 pods settled";
    let mut digest = 0;
    row(name, || {
        let mut shop = shop.clone();
        let change = json!({"spec": {"template": {"metadata": {"labels": {"build": "2"}}}}});
        let path = "/apis/apps/v1/namespaces/default/deployments/app-7";
        let request = ApiRequest::new(HttpMethod::Patch, path)
            .typed("application/strategic-merge-patch+json", change.to_string());
        let start = Instant::now();
        assert_eq!(shop.cluster.call(&mut shop.programs, &request).status, 200);
        shop.settle();
        let took = start.elapsed();
        digest = shop.cluster.digest();
        took
    });
    tell_digest(name, digest);
}

#[derive(Clone)]
struct Shop {
    cluster: Cluster,
    programs: PlainPrograms,
}

impl Shop {
    /// Deployments with a Service each, all pods ready.
    fn ready(nodes: usize, deployments: usize, pods: usize) -> Self {
        let nodes = (0..nodes).map(|number| NodeOptions::worker(&format!("node-{number}"), number)).collect();
        let options = ClusterOptions { nodes, ..ClusterOptions::default() };
        let mut shop = Self { cluster: Cluster::new(&options), programs: PlainPrograms::default() };
        for number in 0..deployments {
            shop.make("/apis/apps/v1/namespaces/default/deployments", &deployment(number, pods));
            shop.make("/api/v1/namespaces/default/services", &service(number));
        }
        shop.settle();
        shop
    }

    fn make(&mut self, path: &str, body: &Value) {
        let request = ApiRequest::new(HttpMethod::Post, path).json(body);
        let answer = self.cluster.call(&mut self.programs, &request);
        assert_eq!(answer.status, 201, "{}", answer.value());
    }

    fn wait(&mut self, seconds: i64) {
        let to = self.cluster.now().after_secs(seconds);
        self.cluster.advance(&mut self.programs, to);
    }

    /// Waits until every deployment is as wanted.
    fn settle(&mut self) {
        for _ in 0..600 {
            self.wait(1);
            let mut all = self.cluster.objects("deployments.apps", None);
            if all.all(|deployment| {
                let (spec, status) = (&deployment["spec"], &deployment["status"]);
                status["observedGeneration"] == deployment["metadata"]["generation"]
                    && ["replicas", "updatedReplicas", "availableReplicas"]
                        .iter()
                        .all(|field| status[field] == spec["replicas"])
            }) {
                return;
            }
        }
        panic!("the deployments are not ready after ten minutes");
    }
}

fn deployment(number: usize, pods: usize) -> Value {
    let name = format!("app-{number}");
    let container = json!({
        "name": "app",
        "image": "registry.example/app:1",
        "ports": [{"containerPort": 8080, "name": "http"}],
        "env": [{"name": "LEVEL", "value": "info"}, {"name": "PORT", "value": "8080"}],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}, "periodSeconds": 10},
    });
    json!({
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": pods,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
        },
    })
}

fn service(number: usize) -> Value {
    let name = format!("app-{number}");
    json!({
        "metadata": {"name": name},
        "spec": {"selector": {"app": name}, "ports": [{"port": 80, "targetPort": "http"}]},
    })
}
