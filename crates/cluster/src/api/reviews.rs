//! Questions that are answered and not stored: who am I, what may I do, whose token is this; and metrics.

use serde_json::{Value, json};

use super::read::Selection;
use super::{ApiRequest, ApiResponse, ApiTarget, User, decode};
use crate::access::AccessAttempt;
use crate::program::Programs;
use crate::quantity::Quantity;
use crate::resource::Resource;
use crate::status::ApiError;
use crate::store::LookupField;
use crate::{Cluster, json};

impl Cluster {
    pub(super) fn review(
        &mut self,
        request: &ApiRequest,
        user: &User,
        target: &ApiTarget,
        resource: &Resource,
    ) -> Result<ApiResponse, ApiError> {
        let mut warnings = Vec::new();
        let mut review = decode::body(request, resource, &mut warnings)?;
        json::set_default(&mut review, "metadata.creationTimestamp", Value::Null);
        let status = match resource.kind.as_str() {
            "SelfSubjectReview" => {
                json::set(&mut review, "metadata.creationTimestamp", self.now.rfc3339());
                json!({"userInfo": user_info(user)})
            }
            "TokenReview" => match self.token_user(json::text(&review, "spec.token")) {
                Some(user) => json!({"authenticated": true, "user": user_info(&user)}),
                None => json!({"authenticated": false, "user": {}, "error": "invalid bearer token"}),
            },
            "SelfSubjectRulesReview" => self.rules_status(user, json::text(&review, "spec.namespace")),
            "Binding" => return self.bind_by_body(request, target, &review),
            "SelfSubjectAccessReview" => self.access_status(user, &review),
            _ => {
                let groups: Vec<_> = json::list(&review, "spec.groups").iter().filter_map(Value::as_str).collect();
                let groups = groups.into_iter().map(Into::into).collect();
                let other = User { name: json::text(&review, "spec.user").into(), uid: String::new(), groups };
                self.access_status(&other, &review)
            }
        };
        json::set(&mut review, "status", status);
        Ok(ApiResponse::json(201, &review).warned(&warnings))
    }

    fn bind_by_body(
        &mut self,
        request: &ApiRequest,
        target: &ApiTarget,
        binding: &Value,
    ) -> Result<ApiResponse, ApiError> {
        let pods = crate::resource::built_in("pods");
        let pod = self.find(pods, &target.namespace, json::text(binding, "metadata.name"))?;
        let writer = super::Writer::of(request);
        self.bind_pod(&writer, &pod, json::text(binding, "target.name"))?;
        Ok(ApiResponse::json(
            201,
            &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}),
        ))
    }

    fn access_status(&self, user: &User, review: &Value) -> Value {
        let wanted = json::at(review, "spec.resourceAttributes");
        let text = |field: &str| json::text(wanted, field);
        let resource = match text("subresource") {
            "" => text("resource").to_string(),
            sub => format!("{}/{sub}", text("resource")),
        };
        let attempt = match wanted.is_object() {
            true => AccessAttempt {
                verb: text("verb"),
                group: text("group"),
                resource,
                namespace: text("namespace"),
                name: text("name"),
                path: "",
            },
            false => AccessAttempt {
                verb: json::text(review, "spec.nonResourceAttributes.verb"),
                path: json::text(review, "spec.nonResourceAttributes.path"),
                ..AccessAttempt::default()
            },
        };
        match self.allowance(user, &attempt) {
            Some(reason) if reason.is_empty() => json!({"allowed": true}),
            Some(reason) => json!({"allowed": true, "reason": reason}),
            None => json!({"allowed": false}),
        }
    }

    fn rules_status(&self, user: &User, namespace: &str) -> Value {
        let mut resources = Vec::new();
        let mut others = Vec::new();
        if user.is_master() {
            resources.push(json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}));
            others.push(json!({"verbs": ["*"], "nonResourceURLs": ["*"]}));
        }
        for rule in self.rules_of(user, namespace) {
            if rule.get("nonResourceURLs").is_some() {
                // What administrators may do, their role says again.
                if !others.contains(&rule) {
                    others.push(rule);
                }
            } else {
                resources.push(rule);
            }
        }
        json!({"resourceRules": resources, "nonResourceRules": others, "incomplete": false})
    }

    /// What the metrics server tells: cpu and memory of nodes and of pods that have run for a while.
    pub(super) fn metrics(
        &self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &std::sync::Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let selection = Selection {
            resource: crate::resource::built_in(&resource.plural).clone(),
            ..Selection::of(request, target, resource)?
        };
        let objects = selection.objects(self);
        let mut items: Vec<Value> = objects
            .iter()
            .filter_map(|object| match resource.plural.as_str() {
                "pods" => self.pod_metrics(programs, object),
                _ => self.node_metrics(programs, object),
            })
            .collect();
        if target.name.is_empty() {
            let kind = format!("{}List", resource.kind);
            let body = json!({"kind": kind, "apiVersion": resource.api_version(), "metadata": {}, "items": items});
            return Ok(ApiResponse::json(200, &body));
        }
        match items.pop() {
            Some(item) => Ok(ApiResponse::json(200, &item)),
            None => Err(ApiError::not_found(resource, &target.name)),
        }
    }

    fn pod_metrics(&self, programs: &mut dyn Programs, pod: &Value) -> Option<Value> {
        let used = self.pod_usage(programs, pod);
        if used.is_empty() {
            return None;
        }
        let container = |(name, used): &(String, crate::program::ResourceUse)| json!({"name": name, "usage": {"cpu": cpu(used.cpu_milli), "memory": memory(used.memory)}});
        let containers: Vec<_> = used.iter().map(container).collect();
        Some(json!({
            "kind": "PodMetrics",
            "apiVersion": "metrics.k8s.io/v1beta1",
            "metadata": metadata(pod),
            "timestamp": self.now.rfc3339(),
            "window": "15s",
            "containers": containers,
        }))
    }

    fn node_metrics(&self, programs: &mut dyn Programs, node: &Value) -> Option<Value> {
        let name = json::text(node, "metadata.name");
        if self.is_kubelet_down(name) {
            return None;
        }
        let on_node: Vec<_> = self.store.found("pods", LookupField::Node, name).cloned().collect();
        // The system itself: kubelet, runtime, kernel.
        let (mut milli, mut bytes) = (60, 300 << 20);
        for pod in &on_node {
            for (_, used) in self.pod_usage(programs, pod) {
                milli += used.cpu_milli;
                bytes += used.memory;
            }
        }
        Some(json!({
            "kind": "NodeMetrics",
            "apiVersion": "metrics.k8s.io/v1beta1",
            "metadata": metadata(node),
            "timestamp": self.now.rfc3339(),
            "window": "15s",
            "usage": {"cpu": cpu(milli), "memory": memory(bytes)},
        }))
    }
}

fn metadata(object: &Value) -> Value {
    let mut kept = serde_json::Map::new();
    for field in ["name", "namespace", "labels", "creationTimestamp"] {
        if let Some(value) = json::at(object, "metadata").get(field) {
            kept.insert(field.into(), value.clone());
        }
    }
    Value::Object(kept)
}

fn cpu(milli: i64) -> String {
    format!("{}n", milli * 1_000_000)
}

fn memory(bytes: i64) -> String {
    Quantity::from_bytes((bytes + 1023) / 1024 * 1024).text()
}

fn user_info(user: &User) -> Value {
    let mut info = json!({"username": user.name, "groups": user.groups});
    if !user.uid.is_empty() {
        info["uid"] = user.uid.clone().into();
    }
    info
}
