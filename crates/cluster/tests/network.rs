//! Where connections lead, and how they fail.

mod common;

use cluster::network::{Connection, ConnectionOrigin, DnsAnswer};
use common::Client;
use serde_json::{Value, json};

const SHOP: &str = "/api/v1/namespaces/shop";

/// A shop: a client, a web service of two pods, a headless database, an outside name.
fn shop() -> Client {
    let mut client = Client::new();
    let pod = |name: &str, app: &str, port: u16| {
        json!({"metadata": {"name": name, "labels": {"app": app}}, "spec": {"containers": [
            {"name": "main", "image": "app:1", "ports": [{"name": "http", "containerPort": port}]}]}})
    };
    let service = |name: &str, spec: Value| json!({"metadata": {"name": name}, "spec": spec});
    for pod in
        [pod("client", "client", 1), pod("web-a", "web", 8080), pod("web-b", "web", 8080), pod("db-0", "db", 5432)]
    {
        client.made(&format!("{SHOP}/pods"), pod);
    }
    for service in [
        service("web", json!({"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]})),
        service("wrong-port", json!({"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 9999}]})),
        service("wrong-name", json!({"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "grpc"}]})),
        service("nobody", json!({"selector": {"app": "gone"}, "ports": [{"port": 80}]})),
        service("db", json!({"clusterIP": "None", "selector": {"app": "db"}, "ports": [{"port": 5432}]})),
        service("empty", json!({"clusterIP": "None", "selector": {"app": "gone"}, "ports": [{"port": 5432}]})),
        service("mail", json!({"type": "ExternalName", "externalName": "mail.example.com"})),
        service(
            "edge",
            json!({"type": "NodePort", "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080, "nodePort": 30080}]}),
        ),
    ] {
        client.made(&format!("{SHOP}/services"), service);
    }
    wait(&mut client);
    client
}

fn wait(client: &mut Client) {
    let to = client.cluster.now().after_secs(20);
    client.cluster.advance(&mut client.programs, to);
}

/// A connection in few words.
fn told(connection: Connection) -> String {
    match connection {
        Connection::Pod(mut end) => {
            end.choices.sort();
            format!("{} port {}", end.choices.join("|"), end.port)
        }
        Connection::Node { node, port } => format!("node {node} port {port}"),
        Connection::Outside { host, port } => format!("outside {host}:{port}"),
        Connection::Unresolved(DnsAnswer::NoSuchName) => "no such name".into(),
        Connection::Unresolved(answer) => format!("{answer:?}"),
        Connection::Refused(_) => "refused".into(),
        Connection::TimedOut(_) => "times out".into(),
    }
}

fn check(client: &Client, host: &str, port: u16, expect: &str) {
    let got = told(client.cluster.connect(ConnectionOrigin::Pod("shop", "client"), host, port, 0));
    assert_eq!(got, expect, "{host}:{port}");
}

#[test]
fn names_and_services_lead_to_pods() {
    let client = shop();
    check(&client, "web", 80, "web-a|web-b port 8080");
    check(&client, "web.shop", 80, "web-a|web-b port 8080");
    check(&client, "web.shop.svc.cluster.local", 80, "web-a|web-b port 8080");
    check(&client, "web.shop.svc.cluster.local.", 80, "web-a|web-b port 8080");
    check(&client, "db", 5432, "db-0 port 5432");
    check(&client, "db", 9, "db-0 port 9");
    check(&client, "wrong-port", 80, "web-a|web-b port 9999");
    check(&client, "wrong-name", 80, "refused");
    check(&client, "nobody", 80, "refused");
    check(&client, "empty", 5432, "no such name");
    check(&client, "missing", 80, "no such name");
    check(&client, "web.bank", 80, "outside web.bank:80");
    check(&client, "web", 81, "times out");
    check(&client, "10.96.250.250", 80, "times out");
    check(&client, "mail", 25, "outside mail.example.com:25");
    check(&client, "example.com", 443, "outside example.com:443");
    check(&client, "localhost", 1, "client port 1");
    check(&client, "172.18.0.2", 30080, "web-a|web-b port 8080");
    check(&client, "172.18.0.2", 22, "node node-0 port 22");
    let ends: std::collections::BTreeSet<_> = (0..2)
        .map(|nonce| match client.cluster.connect(ConnectionOrigin::Pod("shop", "client"), "web", 80, nonce) {
            Connection::Pod(end) => end.pod,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ends.len(), 2, "both take their share");
}

#[test]
fn policies_drop_what_they_do_not_allow() {
    let mut client = shop();
    let policies = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies";
    client.made(policies, json!({"metadata": {"name": "deny"}, "spec": {"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Ingress"]}}));
    check(&client, "web", 80, "times out");
    check(&client, "db", 5432, "db-0 port 5432");
    let node = client.cluster.object("pods", "shop", "web-a").expect("there")["spec"]["nodeName"]
        .as_str()
        .expect("a node")
        .to_string();
    let address = client.cluster.object("pods", "shop", "web-a").expect("there")["status"]["podIP"]
        .as_str()
        .expect("an address")
        .to_string();
    let probe = client.cluster.connect(ConnectionOrigin::Node(&node), &address, 8080, 0);
    assert_eq!(told(probe), "web-a port 8080", "probes of the own node pass");
    let from = json!([{"podSelector": {"matchLabels": {"app": "client"}}}]);
    client.made(policies, json!({"metadata": {"name": "allow"}, "spec": {"podSelector": {"matchLabels": {"app": "web"}}, "ingress": [{"from": from, "ports": [{"port": 8080}]}]}}));
    check(&client, "web", 80, "web-a|web-b port 8080");
    client.made(policies, json!({"metadata": {"name": "inside"}, "spec": {"podSelector": {"matchLabels": {"app": "client"}}, "policyTypes": ["Egress"]}}));
    check(&client, "web", 80, "times out");
}

#[test]
fn names_follow_the_servers_settings() {
    let mut client = shop();
    let corefile = ".:53 {\n  template ANY ANY svc.cluster.local {\n    match ^web\\.shop\\.svc\\.cluster\\.local\\.$\n    rcode NXDOMAIN\n    fallthrough\n  }\n  kubernetes cluster.local\n  forward . /etc/resolv.conf\n}\n";
    let map = json!({"metadata": {"name": "coredns"}, "data": {"Corefile": corefile}});
    client.made("/api/v1/namespaces/kube-system/configmaps", map);
    check(&client, "web", 80, "no such name");
    check(&client, "db", 5432, "db-0 port 5432");
    // A server whose Service leads nowhere does not answer.
    let dns = json!({"metadata": {"name": "kube-dns"}, "spec": {"clusterIP": "10.96.0.10", "selector": {"k8s-app": "kube-dns"}, "ports": [{"name": "dns", "port": 53, "protocol": "UDP"}]}});
    client.made("/api/v1/namespaces/kube-system/services", dns);
    wait(&mut client);
    check(&client, "db", 5432, "NoAnswer");
}

#[test]
fn endpoints_follow_their_pods() {
    let mut client = shop();
    client.call(&cluster::api::ApiRequest::new(cluster::api::HttpMethod::Delete, &format!("{SHOP}/pods/web-a")));
    wait(&mut client);
    check(&client, "web", 80, "web-b port 8080");
    client.patch("merge-patch+json", &format!("{SHOP}/pods/web-b"), &json!({"metadata": {"labels": {"app": "other"}}}));
    wait(&mut client);
    check(&client, "web", 80, "refused");
    client.call(&cluster::api::ApiRequest::new(cluster::api::HttpMethod::Delete, &format!("{SHOP}/services/web")));
    wait(&mut client);
    check(&client, "web", 80, "no such name");
}

#[test]
fn all_connections_at_once_are_those_one_by_one() {
    let mut client = shop();
    let sticky = json!({"metadata": {"name": "sticky"}, "spec": {
        "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}], "sessionAffinity": "ClientIP"}});
    client.made(&format!("{SHOP}/services"), sticky);
    wait(&mut client);
    let origin = ConnectionOrigin::Pod("shop", "client");
    let bare = |connection: Connection| match connection {
        Connection::Pod(mut end) => {
            end.choices.clear();
            Connection::Pod(end)
        }
        other => other,
    };
    let hosts = ["web", "sticky", "wrong-port", "wrong-name", "nobody", "db", "empty", "mail", "edge", "gone"];
    for (host, port) in hosts.iter().flat_map(|host| [(host, 80), (host, 5432)]) {
        let all = client.cluster.connections(origin, host, port, 64);
        assert!(!all.is_empty(), "{host}");
        for (nonce, connection) in (0..).zip(all) {
            let alone = client.cluster.connect(origin, host, port, nonce);
            assert_eq!(bare(connection), bare(alone), "{host}:{port} number {nonce}");
        }
    }
    assert_eq!(client.cluster.connections(origin, "web", 80, 64).len(), 2);
    assert_eq!(client.cluster.connections(origin, "web", 80, 1).len(), 1);
}
