//! Golden timelines: what a person at `kubectl` sees of each kind of failure, second by second.
//!
//! `timelines/NAME.yaml` says what is applied and, in lines that begin with `#!`, what happens when; `timelines/NAME.txt`
//! is what is seen. `UPDATE_EXPECT=1` writes the second anew.

// Tests read files.
#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;

use cluster::api::{ApiRequest, HttpMethod, pod_status};
use cluster::{ClusterOptions, NodeOptions};
use common::Client;
use serde_json::Value;

/// Something that happens during a timeline.
#[derive(Clone, Debug)]
enum Deed {
    Apply(String),
    Call(HttpMethod, String, Value),
    StopKubelet(String),
    StartKubelet(String),
}

struct Script {
    seconds: i64,
    deeds: Vec<(i64, Deed)>,
    missing: Vec<String>,
    answers: Vec<(String, u16)>,
    usage: Vec<(String, i64, i64)>,
    nodes: usize,
    control_plane: bool,
}

fn seconds(text: &str) -> i64 {
    let number = |text: &str| text.parse::<i64>().expect("a number");
    match text.strip_suffix('m') {
        Some(minutes) => number(minutes) * 60,
        None => number(text.trim_end_matches('s')),
    }
}

fn read(text: &str) -> Script {
    let mut script = Script {
        seconds: 60,
        deeds: vec![(0, Deed::Apply(text.into()))],
        missing: vec![],
        answers: vec![],
        usage: vec![],
        nodes: 2,
        control_plane: false,
    };
    for line in text.lines().filter_map(|line| line.strip_prefix("#! ")) {
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            ["run", time] => script.seconds = seconds(time),
            ["missing", image] => script.missing.push((*image).into()),
            ["answers", image, code] => script.answers.push(((*image).into(), code.parse().expect("a code"))),
            ["uses", container, milli, mebibytes] => {
                script.usage.push((
                    (*container).into(),
                    milli.parse().expect("cpu"),
                    mebibytes.parse::<i64>().expect("memory") << 20,
                ));
            }
            ["nodes", count] => script.nodes = count.parse().expect("a number"),
            ["control-plane"] => script.control_plane = true,
            ["at", time, "kubelet", node, "stops"] => {
                script.deeds.push((seconds(time), Deed::StopKubelet((*node).into())))
            }
            ["at", time, "kubelet", node, "starts"] => {
                script.deeds.push((seconds(time), Deed::StartKubelet((*node).into())))
            }
            ["at", time, method, path, ..] => {
                let body =
                    line.splitn(5, ' ').nth(4).map_or(Value::Null, |body| serde_json::from_str(body).expect("a body"));
                script.deeds.push((seconds(time), Deed::Call(HttpMethod::parse(method), (*path).into(), body)));
            }
            other => panic!("not understood: {other:?}"),
        }
    }
    script.deeds.sort_by_key(|(at, _)| *at);
    script
}

fn perform(client: &mut Client, deed: &Deed, out: &mut Vec<String>, now: i64) {
    match deed {
        Deed::Apply(text) => {
            for object in cluster::yaml::documents(text).expect("manifests") {
                let path = path_of(&object);
                let (status, answer) = client.send(HttpMethod::Post, &path, &object);
                if status != 201 {
                    out.push(format!(
                        "{now:>5}s  POST {path} -> {status} {}",
                        answer["message"].as_str().unwrap_or_default()
                    ));
                }
            }
        }
        Deed::Call(method, path, body) => {
            let mut request = ApiRequest::new(*method, path);
            if !body.is_null() {
                let kind = if *method == HttpMethod::Patch {
                    "application/strategic-merge-patch+json"
                } else {
                    "application/json"
                };
                request = request.typed(kind, body.to_string());
            }
            let response = client.call(&request);
            let why = response.value()["message"].as_str().map(|why| format!(" {why}")).unwrap_or_default();
            out.push(
                format!("{now:>5}s  {method:?} {path} -> {}{why}", response.status)
                    .replace("Patch /", "PATCH /")
                    .replace("Delete /", "DELETE /")
                    .replace("Post /", "POST /")
                    .replace("Put /", "PUT /"),
            );
        }
        Deed::StopKubelet(node) => {
            client.cluster.set_kubelet(node, false);
            out.push(format!("{now:>5}s  the kubelet of {node} stops"));
        }
        Deed::StartKubelet(node) => {
            client.cluster.set_kubelet(node, true);
            out.push(format!("{now:>5}s  the kubelet of {node} starts"));
        }
    }
}

fn path_of(object: &Value) -> String {
    let version = object["apiVersion"].as_str().expect("a version");
    let kind = object["kind"].as_str().expect("a kind");
    let resource = cluster::resource::BUILT_IN
        .iter()
        .find(|r| r.kind == kind && r.api_version() == version)
        .expect("a known kind");
    let start = if resource.group.is_empty() { format!("/api/{version}") } else { format!("/apis/{version}") };
    let place = if resource.namespaced {
        format!("/namespaces/{}", object["metadata"]["namespace"].as_str().unwrap_or("shop"))
    } else {
        String::new()
    };
    format!("{start}{place}/{}", resource.plural)
}

/// The row of a pod: ready, status, restarts.
fn row(pod: &Value) -> String {
    let statuses = pod["status"]["containerStatuses"].as_array().cloned().unwrap_or_default();
    let ready = statuses.iter().filter(|status| status["ready"] == true).count();
    let total = pod["spec"]["containers"].as_array().map_or(0, Vec::len);
    let inits = pod["status"]["initContainerStatuses"].as_array().cloned().unwrap_or_default();
    let restarts: i64 = statuses.iter().chain(&inits).filter_map(|status| status["restartCount"].as_i64()).sum();
    format!("{ready}/{total}  {}  {restarts}", pod_status(pod))
}

fn play(script: &Script) -> String {
    let mut nodes: Vec<_> =
        (0..script.nodes).map(|number| NodeOptions::worker(&format!("node-{number}"), number)).collect();
    if script.control_plane {
        nodes.insert(0, NodeOptions { is_control_plane: true, ..NodeOptions::worker("control-plane", 99) });
    }
    let mut client = Client::with(&ClusterOptions { nodes, ..ClusterOptions::default() });
    client.programs.missing_images = script.missing.clone();
    client.programs.http_status = script.answers.iter().cloned().collect();
    client.programs.usage = script.usage.iter().map(|(name, cpu, memory)| (name.clone(), (*cpu, *memory))).collect();
    // The namespace is furnished before anything is put into it.
    let start = client.cluster.now().after_secs(2);
    let mut out = Vec::new();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut deeds = script.deeds.iter().peekable();
    for second in 0..=script.seconds {
        client.cluster.advance(&mut client.programs, start.after_secs(second));
        while let Some((_, deed)) = deeds.next_if(|(at, _)| *at <= second) {
            perform(&mut client, deed, &mut out, second);
        }
        let rows: BTreeMap<String, String> = client
            .cluster
            .objects("pods", None)
            .map(|pod| (pod["metadata"]["name"].as_str().unwrap_or_default().to_string(), row(pod)))
            .collect();
        for (name, row) in &rows {
            if seen.get(name) != Some(row) {
                out.push(format!("{second:>5}s  pod/{name}  {row}"));
            }
        }
        for name in seen.keys().filter(|name| !rows.contains_key(*name)) {
            out.push(format!("{second:>5}s  pod/{name}  is gone"));
        }
        seen = rows;
    }
    out.push(String::new());
    out.extend(events(&client));
    out.extend(conditions(&client));
    out.join("\n") + "\n"
}

fn events(client: &Client) -> Vec<String> {
    let mut events: Vec<_> = client
        .cluster
        .objects("events", None)
        .map(|event| {
            let about = &event["involvedObject"];
            let count = event["count"].as_i64().or(event["series"]["count"].as_i64()).unwrap_or(1);
            let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
            let line = format!(
                "{:<7} {:<24} x{count:<3} {}/{}  {}",
                text(&event["type"]),
                text(&event["reason"]),
                text(&about["kind"]).to_lowercase(),
                text(&about["name"]),
                text(&event["message"])
            );
            (text(&about["kind"]), text(&about["name"]), text(&event["metadata"]["name"]), line)
        })
        .collect();
    events.sort();
    events.into_iter().map(|(.., line)| line.trim_end().to_string()).collect()
}

/// Conditions of everything that has some and is not a node.
fn conditions(client: &Client) -> Vec<String> {
    let mut out = vec![String::new()];
    let kinds = [
        "deployments.apps",
        "replicasets.apps",
        "jobs.batch",
        "horizontalpodautoscalers.autoscaling",
        "pods",
        "nodes",
        "namespaces",
        "poddisruptionbudgets.policy",
    ];
    for kind in kinds {
        for object in client.cluster.objects(kind, None) {
            let name = format!(
                "{}/{}",
                object["kind"].as_str().unwrap_or_default().to_lowercase(),
                object["metadata"]["name"].as_str().unwrap_or_default()
            );
            for condition in object["status"]["conditions"].as_array().into_iter().flatten() {
                let text = |field: &str| condition[field].as_str().unwrap_or_default();
                let is_dull = (kind == "pods" || kind == "nodes") && text("reason").is_empty()
                    || text("reason").starts_with("KubeletHas")
                    || text("reason") == "KubeletReady";
                if !is_dull {
                    out.push(
                        format!("{name}  {}={}  {}: {}", text("type"), text("status"), text("reason"), text("message"))
                            .trim_end()
                            .to_string(),
                    );
                }
            }
        }
    }
    out
}

#[test]
fn timelines_are_as_recorded() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/timelines");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of timelines")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    names.sort();
    let only = std::env::var("TIMELINE").unwrap_or_default();
    for path in names.iter().filter(|path| path.to_string_lossy().contains(&only)) {
        let script = read(&std::fs::read_to_string(path).expect("a script"));
        let seen = play(&script);
        assert_eq!(seen, play(&script), "{}: the same script gives the same timeline", path.display());
        expect_test::expect_file![path.with_extension("txt")].assert_eq(&seen);
    }
}
