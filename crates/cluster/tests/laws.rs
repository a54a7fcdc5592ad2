//! Laws: random calls never panic, never lose a write, and give the same cluster every time.

mod common;

use std::collections::BTreeMap;

use cluster::api::{ApiRequest, HttpMethod};
use common::Client;
use proptest::prelude::*;
use serde_json::{Value, json};

/// One call of a random client.
#[derive(Clone, Debug)]
enum Step {
    Create(usize, usize),
    Replace(usize, usize, bool),
    Merge(usize, usize),
    Apply(usize, usize, bool),
    Finalize(usize),
    Delete(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let (name, value) = (0..4usize, 0..5usize);
    prop_oneof![
        (name.clone(), value.clone()).prop_map(|(n, v)| Step::Create(n, v)),
        (name.clone(), value.clone(), any::<bool>()).prop_map(|(n, v, stale)| Step::Replace(n, v, stale)),
        (name.clone(), value.clone()).prop_map(|(n, v)| Step::Merge(n, v)),
        (name.clone(), value, any::<bool>()).prop_map(|(n, v, force)| Step::Apply(n, v, force)),
        name.clone().prop_map(Step::Finalize),
        name.prop_map(Step::Delete),
    ]
}

const MAPS: &str = "/api/v1/namespaces/shop/configmaps";

fn request(step: &Step) -> ApiRequest {
    let path = |name: &usize| format!("{MAPS}/m{name}");
    let body = |name: &usize, value: &usize| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{name}")}, "data": {"v": value.to_string()}});
    match step {
        Step::Create(name, value) => ApiRequest::new(HttpMethod::Post, MAPS).json(&body(name, value)),
        Step::Replace(name, value, stale) => {
            let mut body = body(name, value);
            if *stale {
                body["metadata"]["resourceVersion"] = "1".into();
            }
            ApiRequest::new(HttpMethod::Put, &path(name)).json(&body)
        }
        Step::Merge(name, value) => ApiRequest::new(HttpMethod::Patch, &path(name))
            .typed("application/merge-patch+json", json!({"data": {"v": value.to_string()}}).to_string()),
        Step::Apply(name, value, force) => {
            ApiRequest::new(HttpMethod::Patch, &format!("{}?fieldManager=m&force={force}", path(name)))
                .typed("application/apply-patch+yaml", body(name, value).to_string())
        }
        Step::Finalize(name) => ApiRequest::new(HttpMethod::Patch, &path(name))
            .typed("application/merge-patch+json", json!({"metadata": {"finalizers": null}}).to_string()),
        Step::Delete(name) => ApiRequest::new(HttpMethod::Delete, &path(name)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn an_accepted_write_is_what_is_read_and_watched(steps in prop::collection::vec(step(), 1..40)) {
        let mut client = Client::new();
        let mut twin = Client::new();
        let start = client.cluster.revision();
        let mut watch = client.watch(&format!("{MAPS}?watch=true&resourceVersion={start}"));
        let mut seen: BTreeMap<String, Value> = BTreeMap::new();
        for step in &steps {
            let response = client.call(&request(step));
            let again = twin.call(&request(step));
            prop_assert_eq!(response.bytes_of(), again.bytes_of());
            if let (Step::Create(name, value) | Step::Replace(name, value, _) | Step::Merge(name, value) | Step::Apply(name, value, _), 200..=299) = (step, response.status) {
                let (_, read) = client.get(&format!("{MAPS}/m{name}"));
                prop_assert_eq!(&read["data"]["v"], &json!(value.to_string()));
                prop_assert_eq!(&read["metadata"]["resourceVersion"], &response.value()["metadata"]["resourceVersion"]);
            }
            for event in client.poll(&mut watch) {
                let object = event["object"].clone();
                let name = object["metadata"]["name"].as_str().unwrap_or_default().to_string();
                match event["type"].as_str() {
                    Some("ADDED") => prop_assert!(seen.insert(name, object).is_none(), "added once"),
                    Some("MODIFIED") => prop_assert!(seen.insert(name, object).is_some(), "was there"),
                    Some("DELETED") => prop_assert!(seen.remove(&name).is_some(), "was there"),
                    other => prop_assert!(false, "{:?}", other),
                }
            }
        }
        let (_, list) = client.get(MAPS);
        let listed: Vec<_> = list["items"].as_array().into_iter().flatten().map(|o| o["metadata"]["resourceVersion"].clone()).collect();
        let watched: Vec<_> = seen.values().map(|o| o["metadata"]["resourceVersion"].clone()).collect();
        prop_assert_eq!(listed.len(), watched.len());
        prop_assert!(listed.iter().all(|revision| watched.contains(revision)));
        prop_assert_eq!(client.cluster.digest(), twin.cluster.digest());
    }

    #[test]
    fn nonsense_is_refused_and_nothing_panics(
        method in prop::sample::select(vec!["GET", "POST", "PUT", "PATCH", "DELETE", "BREW"]),
        path in "(/api/v1|/apis/apps/v1|/apis|/openapi|/x)?(/watch)?(/namespaces/shop)?/(pods|deployments|configmaps|services|[a-z%]{0,6})?(/[a-z.%]{0,5})?(/(status|scale|log|exec|eviction|binding|token|[a-z]{0,4}))?",
        query in "(\\?[a-zA-Z=&%!,()0-9]{0,30})?",
        kind in prop::sample::select(vec!["application/json", "application/yaml", "application/merge-patch+json", "application/json-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml", "text/x"]),
        body in "[\\[\\]{}\",:a-z0-9$ \n/-]{0,60}",
    ) {
        let mut client = Client::new();
        let request = ApiRequest::new(HttpMethod::parse(method), &format!("{path}{query}")).typed(kind, body);
        let response = client.call(&request);
        prop_assert!((100..600).contains(&response.status));
    }

    #[test]
    fn strange_objects_are_judged(spec in tree(), kind in 0..60usize) {
        let mut client = Client::new();
        let resources: Vec<_> = cluster::resource::BUILT_IN.iter().filter(|r| r.is_stored()).collect();
        let resource = resources[kind % resources.len()];
        let start = if resource.group.is_empty() { "/api/v1".to_string() } else { format!("/apis/{}", resource.api_version()) };
        let place = if resource.namespaced { "/namespaces/shop" } else { "" };
        let path = format!("{start}{place}/{}", resource.plural);
        let (status, _) = client.send(HttpMethod::Post, &path, &json!({"metadata": {"name": "x"}, "spec": spec}));
        prop_assert!(matches!(status, 201 | 400 | 403 | 409 | 422), "{}", status);
        let (status, _) = client.patch("strategic-merge-patch+json", &format!("{path}/x"), &json!({"spec": spec}));
        prop_assert!(matches!(status, 200 | 400 | 403 | 404 | 409 | 422), "{}", status);
    }
}

/// A change to a running cluster.
#[derive(Clone, Debug)]
enum Change {
    Scale(u8),
    Image(u8),
    KillPod(u8),
    Wait(u8),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..5u8).prop_map(Change::Scale),
        (0..3u8).prop_map(Change::Image),
        (0..5u8).prop_map(Change::KillPod),
        (1..30u8).prop_map(Change::Wait),
    ]
}

const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/shop/deployments";

fn wait(client: &mut Client, seconds: i64) {
    let to = client.cluster.now().after_secs(seconds);
    client.cluster.advance(&mut client.programs, to);
}

fn make(client: &mut Client, change: &Change) {
    let path = format!("{DEPLOYMENT}/web");
    match change {
        Change::Scale(size) => {
            client.patch("merge-patch+json", &path, &json!({"spec": {"replicas": size}}));
        }
        Change::Image(version) => {
            let containers = json!([{"name": "app", "image": format!("app:{version}")}]);
            client.patch(
                "strategic-merge-patch+json",
                &path,
                &json!({"spec": {"template": {"spec": {"containers": containers}}}}),
            );
        }
        Change::KillPod(number) => {
            let names: Vec<_> =
                client.cluster.objects("pods", Some("shop")).map(|pod| pod["metadata"]["name"].clone()).collect();
            if let Some(name) = names.get(usize::from(*number)).and_then(Value::as_str) {
                client.call(&ApiRequest::new(HttpMethod::Delete, &format!("/api/v1/namespaces/shop/pods/{name}")));
            }
        }
        Change::Wait(seconds) => wait(client, i64::from(*seconds)),
    }
}

fn web(client: &mut Client) {
    let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": {"terminationGracePeriodSeconds": 5,
        "containers": [{"name": "app", "image": "app:0"}]}});
    let spec = json!({"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template});
    client.made(DEPLOYMENT, json!({"metadata": {"name": "web"}, "spec": spec}));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn replicas_converge_and_then_nothing_changes(changes in prop::collection::vec(change(), 1..12)) {
        let mut client = Client::new();
        web(&mut client);
        for change in &changes {
            make(&mut client, change);
        }
        wait(&mut client, 300);
        let (_, deployment) = client.get(&format!("{DEPLOYMENT}/web"));
        let wanted = deployment["spec"]["replicas"].as_i64().unwrap_or(0);
        let image = deployment["spec"]["template"]["spec"]["containers"][0]["image"].clone();
        let pods: Vec<_> = client.cluster.objects("pods", Some("shop")).cloned().collect();
        prop_assert_eq!(pods.len() as i64, wanted);
        prop_assert!(pods.iter().all(|pod| pod["spec"]["containers"][0]["image"] == image));
        prop_assert_eq!(deployment["status"]["readyReplicas"].as_i64().unwrap_or(0), wanted);
        // A fixed point: from here on only leases are renewed and old events forgotten.
        let before: Vec<_> = ["deployments.apps", "replicasets.apps", "pods"].iter().flat_map(|kind| client.cluster.objects(kind, None)).map(|o| o["metadata"]["resourceVersion"].clone()).collect();
        wait(&mut client, 1200);
        let after: Vec<_> = ["deployments.apps", "replicasets.apps", "pods"].iter().flat_map(|kind| client.cluster.objects(kind, None)).map(|o| o["metadata"]["resourceVersion"].clone()).collect();
        prop_assert_eq!(before, after);
    }

    #[test]
    fn a_clone_continues_identically(changes in prop::collection::vec(change(), 1..8), later in prop::collection::vec(change(), 1..8)) {
        let mut one = Client::new();
        web(&mut one);
        for change in &changes {
            make(&mut one, change);
        }
        let mut two = Client { cluster: one.cluster.clone(), programs: one.programs.clone() };
        for change in &later {
            make(&mut one, change);
            make(&mut two, change);
        }
        // However time is cut, the same happens.
        wait(&mut one, 60);
        for _ in 0..60 {
            wait(&mut two, 1);
        }
        prop_assert_eq!(one.cluster.digest(), two.cluster.digest());
    }

    #[test]
    fn nothing_outlives_its_owner(orphans in any::<bool>(), foreground in any::<bool>()) {
        let mut client = Client::new();
        web(&mut client);
        wait(&mut client, 20);
        let policy = if orphans { "Orphan" } else if foreground { "Foreground" } else { "Background" };
        client.call(&ApiRequest::new(HttpMethod::Delete, &format!("{DEPLOYMENT}/web?propagationPolicy={policy}")));
        wait(&mut client, 60);
        let left = client.cluster.objects("pods", Some("shop")).count();
        prop_assert_eq!(left, if orphans { 2 } else { 0 });
        prop_assert_eq!(client.get(&format!("{DEPLOYMENT}/web")).0, 404);
        client.call(&ApiRequest::new(HttpMethod::Delete, "/api/v1/namespaces/shop"));
        wait(&mut client, 60);
        prop_assert_eq!(client.get("/api/v1/namespaces/shop").0, 404);
        prop_assert_eq!(client.cluster.objects("pods", Some("shop")).count(), 0);
    }
}

/// Trees with the names of real fields in them.
fn tree() -> impl Strategy<Value = Value> {
    let names = vec![
        "containers",
        "template",
        "spec",
        "metadata",
        "labels",
        "name",
        "image",
        "ports",
        "selector",
        "matchLabels",
        "replicas",
        "volumes",
        "env",
        "$patch",
        "strategy",
        "rules",
        "limits",
        "hard",
        "schedule",
        "accessModes",
        "resources",
        "requests",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5i64..100_000).prop_map(Value::from),
        "[a-zA-Z0-9%:./-]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(names.clone()), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().map(|(k, v)| (k.to_string(), v)).collect())),
        ]
    })
}
