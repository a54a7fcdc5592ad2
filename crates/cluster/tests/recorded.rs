//! Answers compared with those recorded from a real API server, where the recordings stand beside the checkout.

// Tests read files and say so.
#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

use std::path::PathBuf;

use cluster::api::{ApiRequest, HttpMethod};
use cluster::{Cluster, ClusterOptions, PlainPrograms};
use serde_json::{Value, json};

fn recordings(name: &str) -> Option<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/kube/wire").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("the recordings are not beside the checkout: nothing is compared with {name}");
        return None;
    };
    Some(serde_json::from_str(&text).expect("recordings are JSON"))
}

struct Client {
    cluster: Cluster,
    programs: PlainPrograms,
}

impl Client {
    fn new() -> Self {
        let mut client = Self { cluster: Cluster::new(&ClusterOptions::default()), programs: PlainPrograms::default() };
        client.post("/api/v1/namespaces", &json!({"metadata": {"name": "conf"}}));
        client.post("/api/v1/namespaces", &json!({"metadata": {"name": "conf-q"}}));
        for name in ["conf", "conf-q"] {
            let account = json!({"metadata": {"name": "default"}});
            client.post(&format!("/api/v1/namespaces/{name}/serviceaccounts"), &account);
        }
        client
    }

    fn post(&mut self, path: &str, body: &Value) -> (u16, Value) {
        let response = self.cluster.call(&mut self.programs, &ApiRequest::new(HttpMethod::Post, path).json(body));
        (response.status, response.value())
    }
}

/// Takes away what differs from run to run.
fn plain(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(map) = value.as_object_mut() {
        map.remove("metadata");
    }
    let text = value.to_string();
    serde_json::from_str(&mask(&text)).expect("masking keeps JSON")
}

/// Replaces ids, times, addresses, ports and generated letters.
fn mask(text: &str) -> String {
    let mut out = String::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.');
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        out.push_str(&rest[..start]);
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |end| start + end);
        let word = &rest[start..end];
        let (colon, word) = word.strip_prefix(':').map_or(("", word), |word| (":", word));
        out.push_str(colon);
        let is_uid = word.len() == 36 && word.matches('-').count() == 4;
        let is_time = word.len() == 20 && word.ends_with('Z') && word.matches(':').count() == 2;
        match () {
            () if is_uid => out.push_str("UID"),
            () if is_time => out.push_str("TIME"),
            () if word.starts_with("kube-api-access-") => out.push_str("TOKEN"),
            () if word.starts_with("10.96.") => out.push_str("ADDRESS"),
            () if word.len() == 5 && (word.starts_with("30") || word.starts_with("31") || word.starts_with("32")) => {
                out.push_str("30000")
            }
            () => out.push_str(word),
        }
        rest = &rest[end..];
    }
    out + rest
}

fn path_of(object: &Value, namespace: &str) -> String {
    let version = object["apiVersion"].as_str().expect("a version");
    let kind = object["kind"].as_str().expect("a kind");
    let resource = cluster::resource::BUILT_IN
        .iter()
        .find(|r| r.kind == kind && r.api_version() == version)
        .expect("a known kind");
    let start = if resource.group.is_empty() { format!("/api/{version}") } else { format!("/apis/{version}") };
    let place = if resource.namespaced { format!("/namespaces/{namespace}") } else { String::new() };
    format!("{start}{place}/{}", resource.plural)
}

/// Where two trees differ.
fn differences(ours: &Value, real: &Value, path: &str, found: &mut Vec<String>) {
    match (ours, real) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                let null = Value::Null;
                let pair = (a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null));
                differences(pair.0, pair.1, &format!("{path}.{key}"), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                differences(a, b, &format!("{path}[{at}]"), found);
            }
        }
        (a, b) if a != b => found.push(format!("{path}: ours {a}, real {b}")),
        _ => {}
    }
}

#[test]
fn defaults_are_those_of_the_real_server() {
    let Some(Value::Object(cases)) = recordings("objects/defaulting.json") else { return };
    let mut wrong = Vec::new();
    for (name, case) in &cases {
        let mut client = Client::new();
        let namespace = case["out"]["metadata"]["namespace"].as_str().unwrap_or("conf");
        if namespace == "conf-q" {
            let limits = json!({"metadata": {"name": "limits"}, "spec": {"limits": [
                {"type": "Container", "default": {"cpu": "200m"}, "defaultRequest": {"cpu": "100m"}, "max": {"cpu": "1"}}]}});
            assert_eq!(client.post("/api/v1/namespaces/conf-q/limitranges", &limits).0, 201);
        }
        let (status, ours) = client.post(&path_of(&case["in"], namespace), &case["in"]);
        if status != 201 {
            wrong.push(format!("{name}: {status} {ours}"));
            continue;
        }
        let mut found = Vec::new();
        differences(&plain(&ours), &plain(&case["out"]), name, &mut found);
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// Applies the manifests of the recording, as `kubectl apply` would on an empty cluster.
fn recorded_cluster() -> Option<Client> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/kube/fixtures");
    let mut client = Client::new();
    for file in ["base.yaml", "widget.yaml"] {
        let text = std::fs::read_to_string(path.join(file)).ok()?;
        for mut object in cluster::yaml::documents(&text).expect("manifests") {
            let namespace = object["metadata"]["namespace"].as_str().unwrap_or("conf").to_string();
            let path = match object["kind"].as_str() {
                Some("Widget") => format!("/apis/example.com/v1/namespaces/{namespace}/widgets"),
                _ => path_of(&object, &namespace),
            };
            object["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": "{}"});
            let path = format!("{path}?fieldManager=kubectl-client-side-apply&fieldValidation=Strict");
            let (status, answer) = client.post(&path, &object);
            assert!(status == 201 || status == 409, "{path}: {answer}");
        }
    }
    Some(client)
}

/// Cases that cannot be equal, each with its reason.
const APART: [(&str, &str); 4] = [
    ("binding_already", "nothing runs yet in this test, so no pod is bound"),
    ("log_badimage", "nothing runs yet in this test, so no image was pulled"),
    (
        "invalid_pod_update_immutable",
        "the difference at the end is in the words of Go's structures; ours names JSON fields",
    ),
    ("rv_too_large", "names the present revision"),
];

#[test]
fn refusals_are_those_of_the_real_server() {
    let Some(Value::Object(cases)) = recordings("errors/errors.json") else { return };
    let Some(mut client) = recorded_cluster() else { return };
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (name, case) in &cases {
        let request = &case["request"];
        let text = |field: &str| request[field].as_str().unwrap_or_default();
        let mut ours = ApiRequest::new(HttpMethod::parse(text("method")), text("path"));
        if !request["body"].is_null() {
            let body = request["body"].as_str().map_or_else(|| request["body"].to_string(), Into::into);
            let kind = request["content_type"].as_str().unwrap_or("application/json");
            ours = ours.typed(kind, body);
        }
        if name == "unauthorized" {
            ours.user = None;
        }
        if name.starts_with("forbidden_rbac")
            || matches!(name.as_str(), "forbidden_cluster" | "forbidden_nonresource" | "sar")
        {
            ours = ours.by(cluster::api::User::new("dev", &[]));
        }
        if name == "notacceptable" {
            ours = ours.header("accept", "text/csv");
        }
        let response = client.cluster.call(&mut client.programs, &ours);
        if APART.iter().any(|(apart, _)| apart == name) {
            continue;
        }
        compared += 1;
        let real = case["status"].as_u64().unwrap_or(0);
        if u64::from(response.status) != real {
            wrong.push(format!(
                "{name}: ours {} {}, real {real} {}",
                response.status,
                response.value()["message"],
                case["body"]["message"]
            ));
            continue;
        }
        let body = response.value();
        if body["kind"] == "Status" && body["status"] == "Failure" {
            let mut found = Vec::new();
            differences(&plain(&body), &plain(&case["body"]), name, &mut found);
            // The real server looks at labels four times on an update.
            wrong.extend(found.into_iter().filter(|text| !text.starts_with("invalid_label_value.details.causes")));
        }
    }
    assert_eq!(compared, 79, "all cases but the named ones are compared");
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
}
