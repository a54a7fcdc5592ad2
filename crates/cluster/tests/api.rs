//! The API as clients use it: writes, patches, apply, paging, watches, deletion, access.

mod common;

use cluster::api::{ApiRequest, HttpMethod, User};
use common::Client;
use serde_json::{Value, json};

const MAPS: &str = "/api/v1/namespaces/shop/configmaps";

fn map(name: &str, data: Value) -> Value {
    json!({"metadata": {"name": name}, "data": data})
}

fn revision(object: &Value) -> String {
    object["metadata"]["resourceVersion"].as_str().expect("a revision").into()
}

#[test]
fn a_stale_write_is_refused_and_an_equal_one_changes_nothing() {
    let mut client = Client::new();
    let first = client.made(MAPS, map("a", json!({"k": "1"})));
    let path = format!("{MAPS}/a");
    let (_, second) = client.send(HttpMethod::Put, &path, &map("a", json!({"k": "2"})));
    assert_ne!(revision(&first), revision(&second));
    let mut stale = map("a", json!({"k": "3"}));
    stale["metadata"]["resourceVersion"] = revision(&first).into();
    let (status, refused) = client.send(HttpMethod::Put, &path, &stale);
    assert_eq!((status, refused["reason"].as_str()), (409, Some("Conflict")));
    let (_, third) = client.send(HttpMethod::Put, &path, &map("a", json!({"k": "2"})));
    assert_eq!(revision(&second), revision(&third), "nothing changed");
}

#[test]
fn patches_of_four_kinds() {
    let mut client = Client::new();
    client.made(MAPS, map("a", json!({"k": "1", "l": "2"})));
    let path = format!("{MAPS}/a?fieldManager=m");
    let check = |client: &mut Client, kind: &str, patch: Value, expect: Value| {
        let (status, answer) = client.patch(kind, &path, &patch);
        assert_eq!((status, &answer["data"]), (200, &expect), "{kind} {patch}");
    };
    check(&mut client, "merge-patch+json", json!({"data": {"l": null}}), json!({"k": "1"}));
    check(&mut client, "strategic-merge-patch+json", json!({"data": {"m": "3"}}), json!({"k": "1", "m": "3"}));
    check(
        &mut client,
        "json-patch+json",
        json!([{"op": "replace", "path": "/data/k", "value": "9"}]),
        json!({"k": "9", "m": "3"}),
    );
    check(
        &mut client,
        "apply-patch+yaml",
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"n": "4"}}),
        json!({"k": "9", "m": "3", "n": "4"}),
    );
    check(
        &mut client,
        "apply-patch+yaml",
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"o": "5"}}),
        json!({"k": "9", "m": "3", "o": "5"}),
    );
    let (status, answer) = client.patch("json", &path, &json!({}));
    assert_eq!((status, answer["code"].as_i64()), (415, Some(415)));
}

#[test]
fn apply_takes_only_by_force_what_others_own() {
    let mut client = Client::new();
    let wanted = |value: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": value}});
    let path = |manager: &str, force: bool| format!("{MAPS}/a?fieldManager={manager}&force={force}");
    assert_eq!(client.patch("apply-patch+yaml", &path("one", false), &wanted("1")).0, 201);
    let (status, refused) = client.patch("apply-patch+yaml", &path("two", false), &wanted("2"));
    assert_eq!(status, 409);
    assert_eq!(refused["message"], "Apply failed with 1 conflict: conflict with \"one\": .data.k");
    let (status, taken) = client.patch("apply-patch+yaml", &path("two", true), &wanted("2"));
    assert_eq!((status, &taken["data"]["k"]), (200, &json!("2")));
    let (status, refused) = client.patch("apply-patch+yaml", &path("one", false), &wanted("3"));
    assert_eq!((status, &refused["details"]["causes"][0]["message"]), (409, &json!("conflict with \"two\"")));
    // Two that want the same share it; when one lets go, the other still holds it.
    assert_eq!(client.patch("apply-patch+yaml", &path("one", false), &wanted("2")).0, 200);
    let nothing = json!({"apiVersion": "v1", "kind": "ConfigMap"});
    let (_, kept) = client.patch("apply-patch+yaml", &path("two", false), &nothing);
    assert_eq!(kept["data"]["k"], "2");
    let (_, gone) = client.patch("apply-patch+yaml", &path("one", false), &nothing);
    assert_eq!(gone["data"]["k"], Value::Null);
}

#[test]
fn lists_come_in_pages() {
    let mut client = Client::new();
    for name in ["a", "b", "c", "d", "e"] {
        client.made(MAPS, map(name, json!({})));
    }
    let (mut names, mut token) = (Vec::new(), String::new());
    loop {
        let (_, page) = client.get(&format!("{MAPS}?limit=2&continue={token}"));
        names.extend(
            page["items"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|o| o["metadata"]["name"].as_str().unwrap_or_default().to_string()),
        );
        token = page["metadata"]["continue"].as_str().unwrap_or_default().into();
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
}

#[test]
fn a_watch_tells_every_change_of_what_it_selects() {
    let mut client = Client::new();
    let (_, list) = client.get(MAPS);
    let start = list["metadata"]["resourceVersion"].as_str().expect("a revision").to_string();
    let mut watch = client.watch(&format!("{MAPS}?watch=true&resourceVersion={start}&labelSelector=app%3Dweb"));
    client.made(MAPS, map("a", json!({})));
    client.patch("merge-patch+json", &format!("{MAPS}/a"), &json!({"metadata": {"labels": {"app": "web"}}}));
    client.patch("merge-patch+json", &format!("{MAPS}/a"), &json!({"data": {"x": "y"}}));
    client.patch("merge-patch+json", &format!("{MAPS}/a"), &json!({"metadata": {"labels": null}}));
    let told: Vec<_> =
        client.poll(&mut watch).iter().map(|event| event["type"].as_str().unwrap_or_default().to_string()).collect();
    assert_eq!(told, ["ADDED", "MODIFIED", "DELETED"]);
    assert!(client.poll(&mut watch).is_empty());
}

#[test]
fn a_watch_of_a_thousand_changes_loses_none() {
    let mut client = Client::new();
    let mut watch = client.watch(&format!("{MAPS}?watch=true&resourceVersion={}", client.cluster.revision()));
    for number in 0..1000 {
        client.made(MAPS, map(&format!("m{number}"), json!({})));
    }
    assert_eq!(client.poll(&mut watch).len(), 1000);
    let mut old = client.watch(&format!("{MAPS}?watch=true&resourceVersion=1"));
    assert_eq!(client.poll(&mut old).len(), 1000);
    for number in 0..5000 {
        client.send(HttpMethod::Put, &format!("{MAPS}/m0"), &map("m0", json!({"n": number.to_string()})));
    }
    let told = client.poll(&mut watch);
    assert_eq!((told.len(), &told[0]["object"]["code"]), (1, &json!(410)), "what is forgotten is said to be gone");
    assert!(watch.is_done());
}

#[test]
fn what_holds_an_object_is_taken_away_first() {
    let mut client = Client::new();
    client.made(MAPS, json!({"metadata": {"name": "a", "finalizers": ["example.com/f"]}}));
    let path = format!("{MAPS}/a");
    let (status, going) = client.send(HttpMethod::Delete, &path, &json!({}));
    assert_eq!(status, 200);
    assert!(going["metadata"]["deletionTimestamp"].is_string());
    let (status, refused) =
        client.patch("merge-patch+json", &path, &json!({"metadata": {"finalizers": ["example.com/f", "g"]}}));
    assert_eq!(status, 422);
    assert!(refused["message"].as_str().unwrap_or_default().contains("no new finalizers can be added"), "{refused}");
    client.patch("merge-patch+json", &path, &json!({"metadata": {"finalizers": null}}));
    assert_eq!(client.get(&path).0, 404);
}

#[test]
fn a_dry_run_stores_nothing() {
    let mut client = Client::new();
    let before = client.cluster.digest();
    let (status, answer) = client.send(HttpMethod::Post, &format!("{MAPS}?dryRun=All"), &map("a", json!({})));
    assert_eq!((status, answer["kind"].as_str()), (201, Some("ConfigMap")));
    assert_eq!(client.cluster.digest(), before);
}

#[test]
fn tables_have_a_cell_for_every_column() {
    let mut client = Client::new();
    for resource in cluster::resource::BUILT_IN.iter().filter(|resource| resource.is_stored()) {
        let start =
            if resource.group.is_empty() { "/api/v1".to_string() } else { format!("/apis/{}", resource.api_version()) };
        let path = format!("{start}/{}", resource.plural);
        let request =
            ApiRequest::new(HttpMethod::Get, &path).header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
        let table = client.call(&request).value();
        let columns = table["columnDefinitions"].as_array().map(Vec::len);
        for row in table["rows"].as_array().into_iter().flatten() {
            assert_eq!(row["cells"].as_array().map(Vec::len), columns, "{path}");
        }
    }
}

#[test]
fn a_user_sees_only_what_roles_allow() {
    let mut client = Client::new();
    let rules = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop";
    client.made(
        &format!("{rules}/roles"),
        json!({"metadata": {"name": "reader"}, "rules": [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]}),
    );
    client.made(
        &format!("{rules}/rolebindings"),
        json!({"metadata": {"name": "reader"},
        "roleRef": {"kind": "Role", "name": "reader"}, "subjects": [{"kind": "User", "name": "dev"}]}),
    );
    let mut check = |path: &str, expect: u16| {
        let request = ApiRequest::new(HttpMethod::Get, path).by(User::new("dev", &[]));
        assert_eq!(client.call(&request).status, expect, "{path}");
    };
    check(MAPS, 200);
    check("/api/v1/namespaces/shop/secrets", 403);
    check("/api/v1/configmaps", 403);
    check("/api/v1/namespaces/default/configmaps", 403);
    check("/apis", 200);
    check("/metrics", 403);
}

#[test]
fn discovery_names_what_is_served() {
    let mut client = Client::new();
    let request = ApiRequest::new(HttpMethod::Get, "/apis")
        .header("accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    let response = client.call(&request);
    let tag = response.headers.iter().find(|(name, _)| *name == "ETag").map(|(_, tag)| tag.clone()).expect("a tag");
    assert_eq!(response.value()["kind"], "APIGroupDiscoveryList");
    assert_eq!(client.call(&request.clone().header("if-none-match", &tag)).status, 304);
    let definition = json!({"metadata": {"name": "widgets.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"}, "versions": [{"name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "size": {"type": "string", "enum": ["S", "M"], "default": "S"}}}}}}}]}});
    client.made("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    assert_eq!(client.call(&request.header("if-none-match", &tag)).status, 200);
    let widgets = "/apis/example.com/v1/namespaces/shop/widgets";
    let made = client.made(widgets, json!({"metadata": {"name": "w"}, "spec": {"other": 1}}));
    assert_eq!(made["spec"], json!({"size": "S"}), "defaults are set, unknown fields are dropped");
    let (status, refused) =
        client.send(HttpMethod::Post, widgets, &json!({"metadata": {"name": "x"}, "spec": {"size": "XL"}}));
    assert_eq!((status, refused["details"]["causes"][0]["reason"].as_str()), (422, Some("FieldValueNotSupported")));
    let (status, document) = client.get("/openapi/v3/apis/example.com/v1");
    assert_eq!(status, 200);
    assert!(document["components"]["schemas"]["com.example.v1.Widget"].is_object());
}

#[test]
fn one_document_for_clients_that_know_only_version_2() {
    let mut client = Client::new();
    let (status, document) = client.get("/openapi/v2");
    assert_eq!((status, document["swagger"].as_str()), (200, Some("2.0")));
    let definitions = document["definitions"].as_object().expect("definitions");
    let kinds = &definitions["io.k8s.api.apps.v1.Deployment"]["x-kubernetes-group-version-kind"];
    assert_eq!(*kinds, json!([{"group": "apps", "kind": "Deployment", "version": "v1"}]));
    let containers = &definitions["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
    assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
    assert_eq!(containers["items"]["$ref"], "#/definitions/io.k8s.api.core.v1.Container");
    // All that is named is there, and nothing is said as only version 3 says it.
    fn walk(value: &Value, definitions: &serde_json::Map<String, Value>) {
        if let Some(name) = value.get("$ref").and_then(Value::as_str) {
            let name = name.strip_prefix("#/definitions/").expect("a name of this document");
            assert!(definitions.contains_key(name), "{name}");
        }
        let parts: Vec<&Value> = match value {
            Value::Object(fields) => fields.values().collect(),
            Value::Array(items) => items.iter().collect(),
            _ => Vec::new(),
        };
        parts.into_iter().for_each(|part| walk(part, definitions));
    }
    walk(&document, definitions);
    let operation = &document["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["get"];
    assert_eq!(operation["responses"]["200"]["schema"]["$ref"], "#/definitions/io.k8s.api.core.v1.Pod");
    assert_eq!(operation["parameters"][0]["type"], "string");
    let protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    let request = ApiRequest::new(HttpMethod::Get, "/openapi/v2").header("Accept", protobuf);
    assert_eq!(client.call(&request).status, 406, "only JSON is written");
}

/// A webhook on config maps that is served by a Service.
fn webhook(policy: &str) -> Value {
    json!({"metadata": {"name": "guard"}, "webhooks": [{
        "name": "guard.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": policy,
        "clientConfig": {"service": {"name": "guard", "namespace": "shop", "path": "/check"}},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}],
    }]})
}

#[test]
fn a_webhook_is_called_through_the_network_of_the_cluster() {
    let mut client = Client::new();
    let hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    client.made(hooks, webhook("Fail"));
    let refused = |client: &mut Client, why: &str| {
        let (status, answer) = client.send(HttpMethod::Post, MAPS, &map("a", json!({})));
        let message = format!(
            "Internal error occurred: failed calling webhook \"guard.example.com\": failed to call webhook: Post \
             \"https://guard.shop.svc:443/check?timeout=10s\": {why}"
        );
        assert_eq!((status, answer["message"].as_str()), (500, Some(message.as_str())));
    };
    refused(&mut client, "service \"guard\" not found");
    let service = json!({"metadata": {"name": "guard"}, "spec": {
        "clusterIP": "10.96.7.8", "selector": {"app": "guard"}, "ports": [{"port": 443, "targetPort": 8443}],
    }});
    client.made("/api/v1/namespaces/shop/services", service);
    refused(&mut client, "dial tcp 10.96.7.8:443: connect: connection refused");
    let container = json!({"name": "guard", "image": "guard:1", "ports": [{"containerPort": 8443}]});
    let pod = json!({"metadata": {"name": "guard", "labels": {"app": "guard"}}, "spec": {"containers": [container]}});
    client.made("/api/v1/namespaces/shop/pods", pod);
    let later = client.cluster.now().after_secs(30);
    client.cluster.advance(&mut client.programs, later);
    client.made(MAPS, map("a", json!({})));
    // What it is not asked about is written all the same, and so is everything where its failure is ignored.
    client.send(HttpMethod::Delete, "/api/v1/namespaces/shop/services/guard", &json!({}));
    refused(&mut client, "service \"guard\" not found");
    client.made("/api/v1/namespaces/shop/secrets", json!({"metadata": {"name": "s"}}));
    client.send(HttpMethod::Put, &format!("{hooks}/guard"), &webhook("Ignore"));
    client.made(MAPS, map("b", json!({})));
}

#[test]
fn numbers_have_the_sizes_that_go_gives_them() {
    let mut client = Client::new();
    let mut deployment = json!({"metadata": {"name": "web"}, "spec": {
        "replicas": 99_999_999_999i64, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "a", "image": "b"}]}},
    }});
    let path = "/apis/apps/v1/namespaces/shop/deployments";
    let (status, answer) = client.send(HttpMethod::Post, path, &deployment);
    let why =
        "json: cannot unmarshal number 99999999999 into Go struct field DeploymentSpec.spec.replicas of type int32";
    assert_eq!(status, 400);
    assert!(answer["message"].as_str().is_some_and(|message| message.ends_with(why)), "{answer}");
    deployment["spec"]["replicas"] = 3.into();
    deployment["spec"]["strategy"] = json!({"rollingUpdate": {"maxSurge": "999999999999999999%"}});
    deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = i64::MAX.into();
    client.send(HttpMethod::Post, path, &deployment);
    let later = client.cluster.now().after_secs(2);
    client.cluster.advance(&mut client.programs, later);
}
