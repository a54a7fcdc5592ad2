//! Requests from outside, addresses from pools, and routes between nodes.

mod common;

use cluster::network::{Connection, ConnectionOrigin, IngressEnd};
use common::Client;
use serde_json::{Value, json};

const SHOP: &str = "/api/v1/namespaces/shop";

fn pod(name: &str, app: &str, node: &str) -> Value {
    json!({"metadata": {"name": name, "labels": {"app": app}}, "spec": {"nodeSelector": {"kubernetes.io/hostname": node},
        "containers": [{"name": "main", "image": "app:1", "ports": [{"containerPort": 8080}]}]}})
}

fn wait(client: &mut Client, seconds: i64) {
    let to = client.cluster.now().after_secs(seconds);
    client.cluster.advance(&mut client.programs, to);
}

#[test]
fn requests_from_outside_follow_host_and_path() {
    let mut client = Client::new();
    for name in ["web", "api"] {
        client.made(&format!("{SHOP}/pods"), pod(name, name, "node-0"));
        let spec = json!({"selector": {"app": name}, "ports": [{"name": "http", "port": 80, "targetPort": 8080}]});
        client.made(&format!("{SHOP}/services"), json!({"metadata": {"name": name}, "spec": spec}));
    }
    client.made(
        &format!("{SHOP}/services"),
        json!({"metadata": {"name": "empty"}, "spec": {"selector": {"app": "gone"}, "ports": [{"port": 80}]}}),
    );
    client.made(&format!("{SHOP}/secrets"), json!({"metadata": {"name": "shop-tls"}}));
    let path = |path: &str, kind: &str, service: &str, port: Value| json!({"path": path, "pathType": kind, "backend": {"service": {"name": service, "port": port}}});
    let paths = json!([
        path("/", "Prefix", "web", json!({"number": 80})),
        path("/api", "Prefix", "api", json!({"name": "http"})),
        path("/api/closed", "Exact", "empty", json!({"number": 80})),
    ]);
    client.made(
        "/apis/networking.k8s.io/v1/namespaces/shop/ingresses",
        json!({"metadata": {"name": "shop"}, "spec": {
        "tls": [{"hosts": ["shop.example"], "secretName": "shop-tls"}],
        "rules": [{"host": "shop.example", "http": {"paths": paths}}]}}),
    );
    wait(&mut client, 20);
    let told = |host: &str, path: &str| match client.cluster.ingress(host, path, 0) {
        IngressEnd::Routed(route, Connection::Pod(end)) => {
            format!("{} by {} with {}", end.pod, route.service, route.certificate.unwrap_or_default())
        }
        IngressEnd::Routed(_, other) => format!("{other:?}"),
        IngressEnd::NoEndpoints(route) => format!("503 {}", route.service),
        IngressEnd::NoRoute => "404".into(),
    };
    for (host, path, expect) in [
        ("shop.example", "/", "web by web with shop-tls"),
        ("shop.example:443", "/cart?a=b", "web by web with shop-tls"),
        ("shop.example", "/api/v1", "api by api with shop-tls"),
        ("shop.example", "/apis", "web by web with shop-tls"),
        ("shop.example", "/api/closed", "503 empty"),
        ("bank.example", "/", "404"),
    ] {
        assert_eq!(told(host, path), expect, "{host}{path}");
    }
}

fn define(client: &mut Client, plural: &str, kind: &str) {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    client.made(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        json!({
        "metadata": {"name": format!("{plural}.crd.projectcalico.org")},
        "spec": {"group": "crd.projectcalico.org", "scope": "Cluster", "names": {"plural": plural, "kind": kind},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}}),
    );
}

fn calico(client: &mut Client, plural: &str, kind: &str, name: &str, spec: Value) {
    let path = format!("/apis/crd.projectcalico.org/v1/{plural}");
    let object =
        json!({"apiVersion": "crd.projectcalico.org/v1", "kind": kind, "metadata": {"name": name}, "spec": spec});
    client.made(&path, object);
}

#[test]
fn a_full_pool_leaves_pods_without_an_address() {
    let mut client = Client::new();
    define(&mut client, "ippools", "IPPool");
    define(&mut client, "ipamconfigs", "IPAMConfig");
    calico(&mut client, "ippools", "IPPool", "small", json!({"cidr": "10.250.0.0/30"}));
    calico(&mut client, "ipamconfigs", "IPAMConfig", "default", json!({"strictAffinity": true}));
    for number in 0..5 {
        client.made(&format!("{SHOP}/pods"), pod(&format!("web-{number}"), "web", "node-0"));
    }
    client.made(&format!("{SHOP}/pods"), pod("other", "web", "node-1"));
    wait(&mut client, 30);
    let ready = |client: &Client| {
        client.cluster.objects("pods", Some("shop")).filter(|pod| pod["status"]["phase"] == "Running").count()
    };
    assert_eq!(ready(&client), 4, "a block of four belongs to one node");
    let message = "plugin type=\"calico\" failed (add): failed to request IPv4 addresses: Assigned 0 out of 1 requested IPv4 addresses; No more free affine blocks and strict affinity enabled";
    let is_told = client.cluster.objects("events", Some("shop")).any(|event| {
        event["reason"] == "FailedCreatePodSandBox"
            && event["message"].as_str().is_some_and(|text| text.ends_with(message))
    });
    assert!(is_told);
    // An address comes back with its pod.
    client.call(&cluster::api::ApiRequest::new(
        cluster::api::HttpMethod::Delete,
        &format!("{SHOP}/pods/web-0?gracePeriodSeconds=0"),
    ));
    wait(&mut client, 60);
    assert_eq!(ready(&client), 4);
}

#[test]
fn without_peers_nodes_do_not_reach_one_another() {
    let mut client = Client::new();
    for (name, node) in [("a", "node-0"), ("b", "node-0"), ("far", "node-1")] {
        client.made(&format!("{SHOP}/pods"), pod(name, name, node));
    }
    wait(&mut client, 20);
    let reaches = |client: &Client, name: &str| {
        let pod = client.cluster.object("pods", "shop", name).expect("there");
        let address = pod["status"]["podIP"].as_str().expect("an address").to_string();
        matches!(client.cluster.connect(ConnectionOrigin::Pod("shop", "a"), &address, 8080, 0), Connection::Pod(_))
    };
    assert!(reaches(&client, "far"));
    define(&mut client, "bgpconfigurations", "BGPConfiguration");
    define(&mut client, "bgppeers", "BGPPeer");
    calico(&mut client, "bgpconfigurations", "BGPConfiguration", "default", json!({"nodeToNodeMeshEnabled": false}));
    calico(
        &mut client,
        "bgppeers",
        "BGPPeer",
        "peers",
        json!({"nodeSelector": "all()", "peerSelector": "has(reflector)"}),
    );
    assert!(reaches(&client, "b") && !reaches(&client, "far"));
    let change = json!({"metadata": {"labels": {"reflector": ""}, "annotations": {"projectcalico.org/RouteReflectorClusterID": "1"}}});
    client.patch("merge-patch+json", "/api/v1/nodes/node-1", &change);
    assert!(reaches(&client, "far"));
}
