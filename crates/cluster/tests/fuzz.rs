//! Bodies, patches, selectors and paths that no client should send: every one gets an answer of the right form.
//!
//! A few thousand with every run of the tests. As many as you like, optimised:
//!
//! ```console
//! $ SRE_ZERO_FUZZ=2000000 cargo test --release -p sre-zero-cluster --test fuzz -- --nocapture
//! ```

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod common;

use std::collections::BTreeMap;

use cluster::api::{ApiBody, ApiRequest, HttpMethod};
use common::Client;
use serde_json::{Map, Value, json};

/// The cluster begins anew this often, so that what was made does not pile up.
const ROUND: u64 = 5_000;

#[test]
fn every_request_gets_an_answer_of_the_right_form() {
    let count = std::env::var("SRE_ZERO_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000u64);
    let seeds = seeds();
    let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
    let mut client = Client::new();
    for number in 0..count {
        if number % ROUND == 0 {
            client = Client::new();
        }
        let mut dice = Dice(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed);
        let request = request(&mut dice, &seeds);
        let response = client.call(&request);
        *statuses.entry(response.status).or_default() += 1;
        check(number, &request, response.status, &response.body);
        if let ApiBody::Watch(mut watch) = response.body {
            client.cluster.poll_watch(&mut watch);
        }
        if dice.below(50) == 0 {
            let soon = client.cluster.now().after_secs(dice.below(5) as i64);
            client.cluster.advance(&mut client.programs, soon);
        }
    }
    println!("{count} requests: {statuses:?}; most memory: {} kB", most_memory());
    assert!(statuses.len() > 6, "all kinds of answers are met: {statuses:?}");
}

/// Refusals are a `Status` that says why, under the code that it names; nothing is an internal error.
fn check(number: u64, request: &ApiRequest, status: u16, body: &ApiBody) {
    let about = || format!("request {number}: {:?} {}", request.method, request.path());
    let known = [101, 200, 201, 204, 301, 304, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 503, 504];
    let is_revision = !request.query("resourceVersion").is_empty() || !request.query("continue").is_empty();
    // What a kubelet would have to answer fails with its connection, where the pod's node was made up.
    let is_kubelets = request.path().contains("/pods/");
    let is_known = known.contains(&status) || status == 500 && (is_revision || is_kubelets);
    assert!(is_known, "{}: {status} {body:?}", about());
    let ApiBody::Bytes(bytes) = body else { return };
    if status < 400 || bytes.is_empty() || bytes.starts_with(b"404 page") {
        return;
    }
    let told: Value = serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{}: {error}", about()));
    assert_eq!(told["kind"], "Status", "{}", about());
    assert_eq!(told["code"], status, "{}", about());
    let message = told["message"].as_str().unwrap_or_default();
    assert!(status != 500 || is_revision || message.contains(": dial tcp "), "{}: {told}", about());
    assert!(told["message"].as_str().is_some_and(|message| !message.is_empty()), "{}: {told}", about());
}

/// From Linux, the most that the process ever held.
fn most_memory() -> String {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("?".into(), |line| line.trim().trim_end_matches(" kB").to_string())
}

/// SplitMix64: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn one<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }
}

/// An object with the name and labels that all of them have.
fn named(mut object: Value) -> Value {
    object["metadata"] = json!({"name": "x", "labels": {"app": "x"}, "annotations": {"note": "y"}});
    object
}

/// Good objects of many kinds, each with the path of its collection.
fn seeds() -> Vec<(String, Value)> {
    let pod = json!({"containers": [{
        "name": "app", "image": "app:1", "ports": [{"containerPort": 80, "name": "http"}],
        "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "m", "key": "k"}}}],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        "readinessProbe": {"httpGet": {"path": "/", "port": "http"}},
    }], "volumes": [{"name": "v", "configMap": {"name": "m"}}], "tolerations": [{"operator": "Exists"}]});
    let template = json!({"metadata": {"labels": {"app": "x"}}, "spec": pod});
    let selector = json!({"matchLabels": {"app": "x"}});
    let spaced = |plural: &str| format!("/api/v1/namespaces/shop/{plural}");
    let grouped = |group: &str, plural: &str| format!("/apis/{group}/namespaces/shop/{plural}");
    let job = json!({"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}}}});
    let workload = json!({"spec": {"replicas": 2, "selector": selector, "template": template, "serviceName": "x"}});
    let rule = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]);
    let definition = json!({
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
            }}}],
        },
    });
    vec![
        (spaced("pods"), named(json!({"spec": pod}))),
        (spaced("configmaps"), named(json!({"data": {"k": "v"}}))),
        (spaced("secrets"), named(json!({"stringData": {"k": "v"}, "type": "Opaque"}))),
        (
            spaced("services"),
            named(json!({"spec": {"selector": {"app": "x"}, "ports": [{"port": 80, "targetPort": "http"}]}})),
        ),
        (spaced("serviceaccounts"), named(json!({}))),
        (spaced("resourcequotas"), named(json!({"spec": {"hard": {"pods": "50", "requests.cpu": "9"}}}))),
        (spaced("limitranges"), named(json!({"spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}}]}}))),
        (
            spaced("persistentvolumeclaims"),
            named(json!({"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})),
        ),
        (grouped("apps/v1", "deployments"), named(workload.clone())),
        (grouped("apps/v1", "statefulsets"), named(workload.clone())),
        (grouped("apps/v1", "daemonsets"), named(workload)),
        (grouped("batch/v1", "jobs"), named(job.clone())),
        (grouped("batch/v1", "cronjobs"), named(json!({"spec": {"schedule": "*/5 * * * *", "jobTemplate": job}}))),
        (
            grouped("autoscaling/v2", "horizontalpodautoscalers"),
            named(
                json!({"spec": {"maxReplicas": 5, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}}}),
            ),
        ),
        (
            grouped("networking.k8s.io/v1", "networkpolicies"),
            named(json!({"spec": {"podSelector": {}, "policyTypes": ["Ingress"]}})),
        ),
        (
            grouped("networking.k8s.io/v1", "ingresses"),
            named(json!({"spec": {"defaultBackend": {"service": {"name": "x", "port": {"number": 80}}}}})),
        ),
        (
            grouped("policy/v1", "poddisruptionbudgets"),
            named(json!({"spec": {"minAvailable": 1, "selector": selector}})),
        ),
        (grouped("rbac.authorization.k8s.io/v1", "roles"), named(json!({"rules": rule}))),
        ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions".into(), definition),
        (grouped("example.com/v1", "things"), named(json!({"spec": {"size": 3}}))),
        ("/api/v1/nodes".into(), named(json!({"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}))),
        ("/api/v1/namespaces".into(), named(json!({}))),
    ]
}

const STRANGE: [&str; 18] = [
    "",
    "x",
    "-1",
    "0",
    "99999999999999999999",
    "1e400",
    "NaN",
    "\u{0}",
    "ü\u{1F600}",
    "a/b",
    "..",
    "A_b",
    "100m",
    "5Gi",
    "%41",
    "x x",
    "$(y)",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

fn strange(dice: &mut Dice) -> Value {
    match dice.below(10) {
        0 => Value::Null,
        1 => json!(dice.next() as i64),
        2 => json!(-1),
        3 => json!(1.5e300),
        4 => json!(dice.below(2) == 0),
        5 => json!([]),
        6 => json!({}),
        7 => (0..40).fold(json!("deep"), |inner, _| json!({"a": inner})),
        _ => json!(*dice.one(&STRANGE)),
    }
}

/// Changes a few places of a tree.
fn bend(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Object(map) if !map.is_empty() && dice.below(6) > 0 => {
            let at = dice.below(map.len() as u64) as usize;
            let key = map.keys().nth(at).cloned().unwrap_or_default();
            match dice.below(8) {
                0 => drop(map.remove(&key)),
                1 => drop(map.insert((*dice.one(&STRANGE)).into(), strange(dice))),
                2 => {
                    let inner = map.remove(&key).unwrap_or_default();
                    map.insert(format!("{key}{}", dice.one(&["", "X", "$patch", "."])), inner);
                }
                _ => bend(map.get_mut(&key).expect("it was just there"), dice),
            }
        }
        Value::Array(list) if !list.is_empty() && dice.below(4) > 0 => {
            let at = dice.below(list.len() as u64) as usize;
            match dice.below(5) {
                0 => list.push(list[at].clone()),
                1 => drop(list.remove(at)),
                _ => bend(&mut list[at], dice),
            }
        }
        other => *other = strange(dice),
    }
}

fn bent(object: &Value, dice: &mut Dice) -> Value {
    let mut object = object.clone();
    for _ in 0..dice.below(4) {
        bend(&mut object, dice);
    }
    object
}

fn broken(mut bytes: Vec<u8>, dice: &mut Dice) -> Vec<u8> {
    for _ in 0..1 + dice.below(4) {
        let at = dice.below(bytes.len() as u64 + 1) as usize;
        match dice.below(3) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, dice.next() as u8),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = dice.next() as u8;
                }
            }
        }
    }
    bytes
}

fn selector(dice: &mut Dice) -> String {
    let parts = [
        "app",
        "=",
        "!",
        "in",
        "(",
        ")",
        ",",
        " ",
        "notin",
        "x",
        "==",
        "!=",
        "status.phase",
        "metadata.name",
        "%",
        "spec.nodeName=",
        "é",
    ];
    (0..dice.below(9)).map(|_| *dice.one(&parts)).collect()
}

fn query(dice: &mut Dice) -> String {
    let mut all = Vec::new();
    for _ in 0..dice.below(4) {
        let value = match dice.below(3) {
            0 => selector(dice),
            1 => (*dice.one(&STRANGE)).to_string(),
            _ => dice.one(&["true", "All", "Strict", "Warn", "1", "500"]).to_string(),
        };
        let names = [
            "labelSelector",
            "fieldSelector",
            "limit",
            "continue",
            "watch",
            "resourceVersion",
            "dryRun",
            "fieldValidation",
            "fieldManager",
            "force",
            "timeoutSeconds",
            "includeObject",
            "pretty",
            "tailLines",
            "container",
            "propagationPolicy",
            "gracePeriodSeconds",
        ];
        all.push(format!("{}={}", dice.one(&names), value.replace(['&', '#', '\u{0}'], "%26")));
    }
    if all.is_empty() { String::new() } else { format!("?{}", all.join("&")) }
}

fn request(dice: &mut Dice, seeds: &[(String, Value)]) -> ApiRequest {
    let (path, object) = dice.one(seeds);
    let name = dice.one(&[
        "/x",
        "/x",
        "/x",
        "/y",
        "",
        "/ü",
        "/x/status",
        "/x/scale",
        "/x/log",
        "/x/eviction",
        "/x/binding",
        "/x/token",
        "/x/exec",
        "/x/proxy/a",
        "/x/nope",
    ]);
    let object = bent(object, dice);
    let accepts = [
        "application/json",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "*/*",
        "text/csv",
        "",
        "application/vnd.kubernetes.protobuf",
    ];
    let accept = *dice.one(&accepts);
    let query = query(dice);
    let request = match dice.below(12) {
        0..=2 => ApiRequest::new(HttpMethod::Post, &format!("{path}{query}")).json(&object),
        3 => ApiRequest::new(HttpMethod::Put, &format!("{path}{name}{query}")).json(&object),
        4..=6 => {
            let (kind, body) = patch(&object, dice);
            let body = if dice.below(8) == 0 { broken(body, dice) } else { body };
            ApiRequest::new(HttpMethod::Patch, &format!("{path}{name}{query}")).typed(kind, body)
        }
        7 => ApiRequest::new(HttpMethod::Delete, &format!("{path}{name}{query}")),
        8 => {
            let body = broken(object.to_string().into_bytes(), dice);
            let kind =
                *dice.one(&["application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "text/x"]);
            ApiRequest::new(HttpMethod::Post, &format!("{path}{query}")).typed(kind, body)
        }
        9 => {
            let mut body = b"k8s\0\n\x0f\n\x02v1\x12\tConfigMap\x12\x10\n\x0e\n\x01x\x12\x00\x1a\x04shop".to_vec();
            if dice.below(3) > 0 {
                body = broken(body, dice);
            }
            let request = ApiRequest::new(HttpMethod::Post, &format!("{path}{query}"));
            request.typed("application/vnd.kubernetes.protobuf", body)
        }
        10 => {
            let whole = String::from_utf8_lossy(&broken(format!("{path}{name}").into_bytes(), dice)).into_owned();
            ApiRequest::new(HttpMethod::Get, &format!("{whole}{query}"))
        }
        _ => ApiRequest::new(HttpMethod::Get, &format!("{path}{name}{query}")),
    };
    request.header("accept", accept)
}

fn patch(object: &Value, dice: &mut Dice) -> (&'static str, Vec<u8>) {
    match dice.below(4) {
        0 => ("application/merge-patch+json", object.to_string().into_bytes()),
        1 => {
            let mut object = object.clone();
            if let (Value::Object(map), 0) = (&mut object, dice.below(3)) {
                let directive =
                    *dice.one(&["$patch", "$retainKeys", "$setElementOrder/containers", "$deleteFromPrimitiveList/x"]);
                map.insert(directive.into(), strange(dice));
            }
            ("application/strategic-merge-patch+json", object.to_string().into_bytes())
        }
        2 => {
            let paths = [
                "/spec",
                "/spec/replicas",
                "/metadata/labels/app",
                "/spec/template/spec/containers/0",
                "/spec/x/-",
                "",
                "/~2",
                "/metadata/labels/a~1b",
            ];
            let operations: Vec<Value> = (0..dice.below(4))
                .map(|_| {
                    let operation = *dice.one(&["add", "remove", "replace", "move", "copy", "test", "bend"]);
                    json!({"op": operation, "path": *dice.one(&paths), "from": *dice.one(&paths), "value": strange(dice)})
                })
                .collect();
            ("application/json-patch+json", json!(operations).to_string().into_bytes())
        }
        _ => {
            let mut object = object.clone();
            if let Value::Object(map) = &mut object {
                let known: Map<String, Value> =
                    Map::from_iter([("apiVersion".to_string(), json!("v1")), ("kind".into(), json!("ConfigMap"))]);
                map.extend(known);
            }
            ("application/apply-patch+yaml", object.to_string().into_bytes())
        }
    }
}
