//! Admission webhooks, asked through the network: they refuse, rewrite, fail and take their time.

mod common;

use std::time::Duration;

use cluster::api::{ApiRequest, HttpMethod};
use cluster::{
    Cluster, ClusterOptions, ContainerRun, Launch, LogRecord, PlainPrograms, ProbeAnswer, ProbeCheck, Programs, Pull,
    ResourceUse, ReviewAnswer, Stamp,
};
use serde_json::{Value, json};

/// Programs of which those named `policy-...` are webhooks with a say.
struct Policies {
    plain: PlainPrograms,
    answer: fn(&Value) -> ReviewAnswer,
}

impl Programs for Policies {
    fn pull(&mut self, now: Stamp, node: &str, image: &str) -> Pull {
        self.plain.pull(now, node, image)
    }
    fn start(&mut self, now: Stamp, container: &ContainerRun) -> Launch {
        self.plain.start(now, container)
    }
    fn probe(&mut self, now: Stamp, container: &ContainerRun, probe: &ProbeCheck) -> ProbeAnswer {
        self.plain.probe(now, container, probe)
    }
    fn stop(&mut self, now: Stamp, container: &ContainerRun, grace: Duration) -> (Duration, i32) {
        self.plain.stop(now, container, grace)
    }
    fn usage(&mut self, now: Stamp, container: &ContainerRun) -> ResourceUse {
        self.plain.usage(now, container)
    }
    fn log(&mut self, now: Stamp, container: &ContainerRun) -> Vec<LogRecord> {
        self.plain.log(now, container)
    }
    fn review(&mut self, _now: Stamp, container: &ContainerRun, review: &Value) -> Option<ReviewAnswer> {
        container.pod.starts_with("policy").then(|| (self.answer)(&review["request"]["object"]))
    }
}

struct Office {
    cluster: Cluster,
    programs: Policies,
}

impl Office {
    /// A namespace `ops` with a policy program behind a Service, and a namespace `shop`.
    fn new(answer: fn(&Value) -> ReviewAnswer) -> Self {
        let programs = Policies { plain: PlainPrograms::default(), answer };
        let mut office = Self { cluster: Cluster::new(&ClusterOptions::default()), programs };
        for name in ["ops", "shop"] {
            office.made("/api/v1/namespaces", json!({"metadata": {"name": name}}));
        }
        office.wait(1);
        let ports = json!([{"containerPort": 8443}]);
        let secret = json!({"metadata": {"name": "certificate"}, "type": "kubernetes.io/tls", "data": {
            "tls.crt": cluster::base64(b"leaf"), "tls.key": cluster::base64(b"key"), "ca.crt": cluster::base64(b"authority")}});
        office.made("/api/v1/namespaces/ops/secrets", secret);
        office.made(
            "/api/v1/namespaces/ops/pods",
            json!({
            "metadata": {"name": "policy-0", "labels": {"app": "policy"}},
            "spec": {"containers": [{"name": "main", "image": "policy:1", "ports": ports}],
                "volumes": [{"name": "tls", "secret": {"secretName": "certificate"}}]}}),
        );
        office.made("/api/v1/namespaces/ops/services", json!({
            "metadata": {"name": "policy"}, "spec": {"selector": {"app": "policy"}, "ports": [{"port": 443, "targetPort": 8443}]}}));
        office.wait(30);
        office
    }

    fn made(&mut self, path: &str, body: Value) {
        let (status, answer) = self.post(path, body);
        assert_eq!(status, 201, "{path}: {answer}");
    }

    fn post(&mut self, path: &str, body: Value) -> (u16, Value) {
        let answer = self.cluster.call(&mut self.programs, &ApiRequest::new(HttpMethod::Post, path).json(&body));
        (answer.status, answer.value())
    }

    fn wait(&mut self, seconds: i64) {
        let to = self.cluster.now().after_secs(seconds);
        self.cluster.advance(&mut self.programs, to);
    }

    /// A webhook for new pods of `shop`.
    fn hook(&mut self, kind: &str, name: &str, service: &str, policy: &str, seconds: i64, authority: &str) {
        let path = format!("/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations");
        self.made(
            &path,
            json!({"metadata": {"name": name}, "webhooks": [{
            "name": format!("{name}.example.com"), "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "failurePolicy": policy, "timeoutSeconds": seconds,
            "clientConfig": {"caBundle": cluster::base64(authority.as_bytes()),
                "service": {"name": service, "namespace": "ops", "path": "/review"}},
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]}]}),
        );
    }

    fn pod(&mut self) -> (u16, Value) {
        let pod = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "main", "image": "app:1"}]}});
        self.post("/api/v1/namespaces/shop/pods", pod)
    }

    fn refusal(&mut self) -> (u16, String) {
        let (status, answer) = self.pod();
        (status, answer["message"].as_str().unwrap_or_default().into())
    }
}

fn allow(_: &Value) -> ReviewAnswer {
    ReviewAnswer::allowed()
}

#[test]
fn a_webhook_refuses_and_rewrites() {
    let mut office = Office::new(|_| ReviewAnswer::denied("no pods today"));
    office.hook("validating", "guard", "policy", "Fail", 5, "authority");
    assert_eq!(
        office.refusal(),
        (403, "admission webhook \"guard.example.com\" denied the request: no pods today".into())
    );
    let mut office = Office::new(|_| {
        let small = json!({"limits": {"memory": "16Mi"}, "requests": {"memory": "16Mi"}});
        ReviewAnswer::patched(&json!([{"op": "replace", "path": "/spec/containers/0/resources", "value": small}]))
    });
    office.hook("mutating", "shrink", "policy", "Fail", 5, "authority");
    let (status, pod) = office.pod();
    assert_eq!(
        (status, &pod["spec"]["containers"][0]["resources"]["limits"]["memory"]),
        (201, &json!("16Mi")),
        "{pod}"
    );
    assert_eq!(pod["status"]["qosClass"], "Burstable");
}

/// A guard of deletions is asked with the object that would go.
#[test]
fn a_webhook_keeps_an_object_from_being_deleted() {
    let mut office = Office::new(|object| match object.is_null() {
        true => ReviewAnswer::denied("it stays"),
        false => ReviewAnswer::allowed(),
    });
    office.made("/api/v1/namespaces/shop/configmaps", json!({"metadata": {"name": "plain"}}));
    let kept = json!({"metadata": {"name": "kept", "labels": {"keep": "yes"}}});
    office.made("/api/v1/namespaces/shop/configmaps", kept);
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    office.made(
        path,
        json!({"metadata": {"name": "guard"}, "webhooks": [{
        "name": "guard.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": {"caBundle": cluster::base64(b"authority"), "service": {"name": "policy", "namespace": "ops"}},
        "objectSelector": {"matchLabels": {"keep": "yes"}},
        "rules": [{"operations": ["DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]}]}),
    );
    let denied = "admission webhook \"guard.example.com\" denied the request: it stays";
    for (path, expect) in [
        ("/configmaps/plain", (200, "")),
        ("/configmaps/kept", (403, denied)),
        ("/configmaps?labelSelector=keep%3Dyes", (403, denied)),
        ("/configmaps/missing", (404, "configmaps \"missing\" not found")),
    ] {
        let request = ApiRequest::new(HttpMethod::Delete, &format!("/api/v1/namespaces/shop{path}"));
        let answer = office.cluster.call(&mut office.programs, &request);
        let message = answer.value()["message"].as_str().unwrap_or_default().to_string();
        assert_eq!((answer.status, &*message), expect, "{path}");
    }
    let names: Vec<_> =
        office.cluster.objects("configmaps", Some("shop")).map(|map| map["metadata"]["name"].clone()).collect();
    assert!(names.contains(&json!("kept")) && !names.contains(&json!("plain")), "{names:?}");
}

#[test]
fn a_webhook_that_cannot_be_asked_refuses_unless_it_may_be_ignored() {
    let start = "Internal error occurred: failed calling webhook \"guard.example.com\": failed to call webhook: Post";
    for (service, authority, why) in [
        ("missing", "authority", "\"https://missing.ops.svc:443/review?timeout=5s\": service \"missing\" not found"),
        (
            "policy",
            "old",
            "\"https://policy.ops.svc:443/review?timeout=5s\": tls: failed to verify certificate: x509: certificate signed by unknown authority",
        ),
    ] {
        let mut office = Office::new(allow);
        office.hook("validating", "guard", service, "Fail", 5, authority);
        assert_eq!(office.refusal(), (500, format!("{start} {why}")));
        let mut office = Office::new(allow);
        office.hook("validating", "guard", service, "Ignore", 5, authority);
        assert_eq!(office.pod().0, 201);
    }
}

#[test]
fn waiting_adds_up_until_the_write_is_given_up() {
    let slow = |_: &Value| ReviewAnswer { takes: Duration::from_secs(60), ..ReviewAnswer::allowed() };
    let mut office = Office::new(slow);
    for (name, seconds) in [("a", 12), ("b", 8), ("c", 11)] {
        office.hook("mutating", name, "policy", "Ignore", seconds, "authority");
    }
    assert_eq!(office.pod().0, 201, "31 s are slow, and not too slow");
    assert_eq!(office.cluster.waited(), Duration::from_secs(31));
    office.hook("mutating", "d", "policy", "Ignore", 9, "authority");
    let why = "Timeout: request did not complete within requested timeout - context deadline exceeded";
    assert_eq!(office.refusal(), (504, why.into()));
    assert_eq!(office.cluster.waited(), Duration::from_secs(34));
}

#[test]
fn a_replica_set_waits_for_webhooks_behind_a_policy() {
    let mut office = Office::new(allow);
    let deny = json!({"metadata": {"name": "deny"}, "spec": {"podSelector": {}, "policyTypes": ["Ingress"]}});
    office.made("/apis/networking.k8s.io/v1/namespaces/ops/networkpolicies", deny);
    for (name, seconds) in [("a", 12), ("b", 8), ("c", 11), ("d", 9)] {
        office.hook("mutating", name, "policy", "Ignore", seconds, "authority");
    }
    let template =
        json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "app:1"}]}});
    office.made(
        "/apis/apps/v1/namespaces/shop/deployments",
        json!({"metadata": {"name": "web"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}}),
    );
    let events = |office: &Office| {
        let all = office.cluster.objects("events", Some("shop")).filter(|event| event["reason"] == "FailedCreate");
        all.map(|event| event["message"].as_str().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    office.wait(30);
    assert!(events(&office).is_empty(), "the first try still waits");
    office.wait(10);
    assert_eq!(
        events(&office),
        ["Error creating: Timeout: request did not complete within requested timeout - context deadline exceeded"]
    );
    assert_eq!(office.cluster.objects("pods", Some("shop")).count(), 0);
}
