//! Parts of objects with a path of their own: status, scale, binding, eviction, token, log and streams.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    ApiRequest, ApiResponse, ApiTarget, DeleteOptions, HttpMethod, LabelSelector, User, Writer, decode, patch,
};
use crate::program::Programs;
use crate::resource::Resource;
use crate::status::ApiError;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, base64, json};

const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

impl Cluster {
    pub(super) fn on_subresource(
        &mut self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let Some(sub) = resource.subresource(&target.subresource) else { return Err(ApiError::no_such_resource()) };
        let verb = match request.method {
            HttpMethod::Get => "get",
            HttpMethod::Post => "create",
            HttpMethod::Put => "update",
            HttpMethod::Patch => "patch",
            HttpMethod::Delete => "delete",
            HttpMethod::Other => "",
        };
        if !sub.verbs.contains(&verb) {
            return Err(ApiError::method_not_allowed());
        }
        match (target.subresource.as_str(), verb) {
            ("log", _) => self.log(programs, request, target, resource),
            ("exec" | "attach" | "portforward" | "proxy", _) => self.stream(request, target, resource),
            ("scale", _) => self.scale(programs, request, target, resource),
            ("binding", _) => self.bind(request, target, resource),
            ("eviction", _) => self.evict(request, target, resource),
            ("token", _) => self.token(request, target, resource),
            ("finalize", _) => self.finalize(request, target, resource),
            (_, "get") => self.get(request, target, resource),
            (_, "update") => self.update(programs, request, target, resource),
            _ => self.patch(programs, request, target, resource),
        }
    }

    fn scale(
        &mut self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let object = self.find(resource, &target.namespace, &target.name)?;
        let paths = match &resource.custom {
            Some(custom) => custom.scale.clone().unwrap_or_default(),
            None => ["spec.replicas".into(), "status.replicas".into(), String::new()],
        };
        let shown = scale_of(&object, &paths);
        let new = match request.method {
            HttpMethod::Get => {
                let form = super::negotiate::form(request)?;
                if form == super::negotiate::MediaForm::Table {
                    return Ok(ApiResponse::json(200, &super::table::scale(self, &shown)));
                }
                return Ok(ApiResponse::json(200, &shown));
            }
            HttpMethod::Put => decode::parse(request, "Scale")?.0,
            _ => patch::simple(&shown, request)?,
        };
        let Some(replicas) =
            json::at(&new, "spec.replicas").as_i64().or(json::at(&new, "spec").is_object().then_some(0))
        else {
            return Err(ApiError::unprocessable());
        };
        if replicas < 0 {
            let error =
                crate::status::FieldError::invalid("spec.replicas", replicas, "must be greater than or equal to 0");
            return Err(ApiError::invalid_kind("Scale", "autoscaling", &target.name, vec![error]));
        }
        let mut changed = Value::clone(&object);
        let revision = json::text(&new, "metadata.resourceVersion");
        if !revision.is_empty() && revision != json::text(&object, "metadata.resourceVersion") {
            return Err(ApiError::modified(resource, &target.name));
        }
        json::set(&mut changed, &paths[0], replicas);
        let writer = Writer { subresource: "scale", ..Writer::of(request) };
        let stored = self.replace_object(programs, &writer, resource, &object, changed, &mut Vec::new())?;
        Ok(ApiResponse::json(200, &scale_of(&stored, &paths)))
    }

    fn bind(
        &mut self,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let (binding, _) = decode::parse(request, "Binding")?;
        let node = json::text(&binding, "target.name").to_string();
        let pod = self.find(resource, &target.namespace, &target.name)?;
        let writer = Writer::of(request);
        self.bind_pod(&writer, &pod, &node)?;
        Ok(created())
    }

    /// Puts a pod on a node.
    pub(crate) fn bind_pod(&mut self, writer: &Writer<'_>, pod: &Stored, node: &str) -> Result<(), ApiError> {
        let name = json::text(pod, "metadata.name").to_string();
        let bound = json::text(pod, "spec.nodeName");
        if !bound.is_empty() {
            let why = format!("pod {name} is already assigned to node {bound:?}");
            return Err(ApiError::conflict("pods/binding", "", &name, &why));
        }
        if writer.dry_run {
            return Ok(());
        }
        let mut new = Value::clone(pod);
        json::set(&mut new, "spec.nodeName", node);
        crate::meta::set_condition(&mut new, "PodScheduled", "True", "", "", self.now);
        let key = ObjectKey::new("pods", json::text(pod, "metadata.namespace"), &name);
        self.put(key, new);
        Ok(())
    }

    fn evict(
        &mut self,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let (eviction, _) = decode::parse(request, "Eviction")?;
        let options = DeleteOptions::read(json::at(&eviction, "deleteOptions"), request)?;
        let pod = self.find(resource, &target.namespace, &target.name)?;
        let writer = Writer { dry_run: options.dry_run, ..Writer::of(request) };
        self.spend_budget(&pod, writer.dry_run)?;
        let key = ObjectKey::new("pods", &target.namespace, &target.name);
        self.delete_object(&writer, resource, &key, &options)?;
        Ok(created())
    }

    /// Takes one disruption from the budget of a pod, or refuses.
    fn spend_budget(&mut self, pod: &Value, dry_run: bool) -> Result<(), ApiError> {
        let is_over = matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed" | "Pending");
        if is_over || !json::at(pod, "metadata.deletionTimestamp").is_null() {
            return Ok(());
        }
        let namespace = json::text(pod, "metadata.namespace").to_string();
        let covers = |budget: &&Stored| {
            let selector = json::at(budget, "spec.selector");
            selector.is_object() && LabelSelector::of(selector).matches(json::at(pod, "metadata.labels"))
        };
        let budgets: Vec<_> =
            self.store.list("poddisruptionbudgets.policy", Some(&namespace)).filter(covers).cloned().collect();
        if budgets.len() > 1 {
            return Err(ApiError::internal(
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            ));
        }
        let Some(budget) = budgets.first() else { return Ok(()) };
        let is_ready = crate::meta::condition(pod, "Ready") == "True";
        let number = |path: &str| json::int(budget, path).unwrap_or(0);
        let (healthy, desired) = (number("status.currentHealthy"), number("status.desiredHealthy"));
        if !is_ready && healthy >= desired && desired > 0 {
            return Ok(());
        }
        let allowed = number("status.disruptionsAllowed");
        let name = json::text(budget, "metadata.name").to_string();
        if allowed < 1 {
            return Err(ApiError::disruption(&name, desired, healthy));
        }
        if !dry_run {
            let mut new = Value::clone(budget);
            json::set(&mut new, "status.disruptionsAllowed", allowed - 1);
            let disrupted = json::text(pod, "metadata.name").to_string();
            let mut map = json::at(&new, "status.disruptedPods").as_object().cloned().unwrap_or_default();
            map.insert(disrupted, self.now.rfc3339().into());
            json::set(&mut new, "status.disruptedPods", map);
            self.put(ObjectKey::new("poddisruptionbudgets.policy", &namespace, &name), new);
        }
        Ok(())
    }

    fn token(
        &mut self,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Resource,
    ) -> Result<ApiResponse, ApiError> {
        let account = self.find(resource, &target.namespace, &target.name)?;
        let (wish, _) = decode::parse(request, "TokenRequest")?;
        let seconds = json::int(&wish, "spec.expirationSeconds").unwrap_or(3600);
        if seconds < 600 {
            let why = "may not specify a duration less than 10 minutes";
            let error = crate::status::FieldError::invalid("spec.expirationSeconds", seconds, why);
            return Err(ApiError::invalid_kind("TokenRequest", "authentication.k8s.io", &target.name, vec![error]));
        }
        let ends = self.now.after_secs(seconds);
        let audiences = json::at(&wish, "spec.audiences").as_array().filter(|list| !list.is_empty()).cloned();
        let audiences = audiences.unwrap_or_else(|| vec![ISSUER.into()]);
        let claims = self.claims(&account, &audiences, ends);
        let body = json!({
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {"name": target.name, "namespace": target.namespace, "creationTimestamp": self.now.rfc3339()},
            "spec": {"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": json::at(&wish, "spec.boundObjectRef")},
            "status": {"token": self.sign(&claims), "expirationTimestamp": ends.rfc3339()},
        });
        Ok(ApiResponse::json(201, &body))
    }

    fn claims(&self, account: &Value, audiences: &[Value], ends: crate::time::Stamp) -> Value {
        let (namespace, name) = (json::text(account, "metadata.namespace"), json::text(account, "metadata.name"));
        json!({
            "aud": audiences,
            "exp": ends.secs(),
            "iat": self.now.secs(),
            "iss": ISSUER,
            "kubernetes.io": {
                "namespace": namespace,
                "serviceaccount": {"name": name, "uid": json::text(account, "metadata.uid")},
            },
            "nbf": self.now.secs(),
            "sub": format!("system:serviceaccount:{namespace}:{name}"),
        })
    }

    /// The token that a pod of a service account finds among its files: good for an hour.
    pub(crate) fn account_token(&self, namespace: &str, name: &str) -> Option<String> {
        let account = self.store.get("serviceaccounts", namespace, name)?;
        Some(self.sign(&self.claims(account, &[ISSUER.into()], self.now.after_secs(3607))))
    }

    /// A token in the shape of a JWT. The signature is a draw from the seed: it proves the claims to this cluster alone.
    fn sign(&self, claims: &Value) -> String {
        let head = base64::encode_url(br#"{"alg":"RS256","kid":"cluster"}"#);
        let body = base64::encode_url(claims.to_string().as_bytes());
        let signature = self.chance.hex(64, &format!("token/{head}.{body}"), 0);
        format!("{head}.{body}.{}", base64::encode_url(signature.as_bytes()))
    }

    /// The service account of a token that this cluster has made and that is still good.
    pub fn token_user(&self, token: &str) -> Option<User> {
        let body = token.split('.').nth(1)?;
        let claims: Value = serde_json::from_slice(&base64::decode(body)?).ok()?;
        if self.sign(&claims) != token || json::int(&claims, "exp")? <= self.now.secs() {
            return None;
        }
        let about = claims.get("kubernetes.io")?;
        let (namespace, name) = (json::text(about, "namespace"), json::text(about, "serviceaccount.name"));
        let account = self.store.get("serviceaccounts", namespace, name)?;
        let uid = json::text(about, "serviceaccount.uid");
        (json::text(account, "metadata.uid") == uid)
            .then(|| User { uid: uid.into(), ..User::service_account(namespace, name) })
    }

    fn finalize(
        &mut self,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Resource,
    ) -> Result<ApiResponse, ApiError> {
        let (wish, _) = decode::parse(request, "Namespace")?;
        let old = self.find(resource, "", &target.name)?;
        let mut new = Value::clone(&old);
        json::set(&mut new, "spec.finalizers", json::list(&wish, "spec.finalizers").to_vec());
        let key = ObjectKey::new("namespaces", "", &target.name);
        let stored = self.put(key.clone(), new);
        let is_going = !json::at(&stored, "metadata.deletionTimestamp").is_null();
        if is_going && json::list(&stored, "spec.finalizers").is_empty() {
            self.remove(&key);
        }
        Ok(ApiResponse::json(200, &stored))
    }
}

fn created() -> ApiResponse {
    ApiResponse::json(
        201,
        &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}),
    )
}

fn scale_of(object: &Value, [wanted, present, selector]: &[String; 3]) -> Value {
    let metadata = json::at(object, "metadata");
    let mut kept = serde_json::Map::new();
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = metadata.get(field) {
            kept.insert(field.into(), value.clone());
        }
    }
    let selector = match selector.as_str() {
        "" => selector_text(json::at(object, "spec.selector")),
        path => json::text(object, path).into(),
    };
    let mut status = json!({"replicas": json::int(object, present).unwrap_or(0)});
    if !selector.is_empty() {
        status["selector"] = selector.into();
    }
    let spec = match json::int(object, wanted) {
        Some(replicas) if replicas != 0 => json!({"replicas": replicas}),
        _ => json!({}),
    };
    json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": kept, "spec": spec, "status": status})
}

/// A selector as queries write it.
pub(crate) fn selector_text(selector: &Value) -> String {
    let labels = match selector.get("matchLabels") {
        Some(labels) => labels,
        None if selector.get("matchExpressions").is_none() => selector,
        None => &Value::Null,
    };
    let pair = |(key, value): (&String, &Value)| format!("{key}={}", value.as_str().unwrap_or_default());
    let mut terms: Vec<_> = labels.as_object().into_iter().flatten().map(pair).collect();
    for expression in json::list(selector, "matchExpressions") {
        let key = json::text(expression, "key");
        let values: Vec<_> = json::list(expression, "values").iter().filter_map(Value::as_str).collect();
        terms.push(match json::text(expression, "operator") {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "DoesNotExist" => format!("!{key}"),
            _ => key.into(),
        });
    }
    terms.join(",")
}
