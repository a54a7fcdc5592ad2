//! Deleting: at once, after a time of grace, or when all finalizers are gone.

use std::sync::Arc;

use serde_json::{Value, json};

use super::read::Selection;
use super::{ApiRequest, ApiResponse, ApiTarget, Writer, decode, write_json};
use crate::admission::{self, Admission, Operation};
use crate::program::Programs;
use crate::resource::Resource;
use crate::status::ApiError;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json};

/// How an object shall be deleted.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    /// Seconds that a pod is given; its own wish if nothing is said.
    pub(crate) grace: Option<i64>,
    /// `Background`, `Foreground` or `Orphan`; the kind's default if empty.
    pub(crate) propagation: String,
    pub(crate) uid: String,
    pub(crate) revision: String,
    pub(crate) dry_run: bool,
}

impl DeleteOptions {
    /// At once.
    pub(crate) fn now() -> Self {
        Self { grace: Some(0), ..Self::default() }
    }

    pub(super) fn of(request: &ApiRequest) -> Result<Self, ApiError> {
        let body = match request.body.is_empty() {
            true => Value::Null,
            false => decode::parse(request, "DeleteOptions")?.0,
        };
        Self::read(&body, request)
    }

    pub(super) fn read(body: &Value, request: &ApiRequest) -> Result<Self, ApiError> {
        let said = |name: &str| match json::text(body, name) {
            "" => request.query(name).to_string(),
            text => text.to_string(),
        };
        let orphans = json::flag(body, "orphanDependents") || request.flag("orphanDependents");
        let propagation = match said("propagationPolicy") {
            policy if policy.is_empty() && orphans => "Orphan".into(),
            policy => policy,
        };
        if !matches!(propagation.as_str(), "" | "Background" | "Foreground" | "Orphan") {
            let supported = ["Foreground", "Background", "Orphan", "nil"];
            let error = crate::status::FieldError::unsupported("propagationPolicy", propagation.as_str(), &supported);
            return Err(ApiError::invalid_kind("DeleteOptions", "meta.k8s.io", "", vec![error]));
        }
        Ok(Self {
            grace: json::int(body, "gracePeriodSeconds").or_else(|| request.query("gracePeriodSeconds").parse().ok()),
            propagation,
            uid: json::text(body, "preconditions.uid").into(),
            revision: json::text(body, "preconditions.resourceVersion").into(),
            dry_run: request.is_dry_run() || json::list(body, "dryRun").iter().any(|value| value == "All"),
        })
    }
}

/// What became of a deleted object.
pub(crate) enum Deleted {
    /// It is still there and going: held by finalizers, or given time.
    Going(Stored),
    /// It is gone.
    Gone(Stored),
}

/// Kinds whose last state is answered instead of a `Status`.
const RETURNED: [&str; 7] = [
    "pods",
    "services",
    "serviceaccounts",
    "persistentvolumes",
    "persistentvolumeclaims",
    "podtemplates",
    "resourcequotas",
];

impl Cluster {
    pub(super) fn delete(
        &mut self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let options = DeleteOptions::of(request)?;
        let writer = Writer { dry_run: options.dry_run, ..Writer::of(request) };
        let key = ObjectKey::new(&resource.storage, &target.namespace, &target.name);
        let mut warnings = Vec::new();
        self.admit_deletion(programs, &writer, resource, &key, &mut warnings)?;
        let deleted = self.delete_object(&writer, resource, &key, &options)?;
        let object = match &deleted {
            Deleted::Going(object) => object,
            Deleted::Gone(object) if RETURNED.contains(&&*resource.storage) => object,
            Deleted::Gone(object) => return Ok(success(resource, object).warned(&warnings)),
        };
        Ok(self.show(200, object, resource, super::negotiate::form(request)?, request).warned(&warnings))
    }

    /// Asks the webhooks whether an object may be deleted, and notes how long that took.
    fn admit_deletion(
        &mut self,
        programs: &mut dyn Programs,
        writer: &Writer<'_>,
        resource: &Arc<Resource>,
        key: &ObjectKey,
        warnings: &mut Vec<String>,
    ) -> Result<(), ApiError> {
        let Some(old) = self.store.at(key).cloned() else { return Ok(()) };
        let ask = Admission { writer, resource, operation: Operation::Delete, old: Some(&old) };
        let (result, waited) = admission::admit_deletion(self, programs, &ask, &old, warnings);
        self.waited = waited;
        result
    }

    pub(super) fn delete_collection(
        &mut self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let options = DeleteOptions::of(request)?;
        let writer = Writer { dry_run: options.dry_run, ..Writer::of(request) };
        let objects = Selection::of(request, target, resource)?.objects(self);
        let mut warnings = Vec::new();
        for object in &objects {
            let name = json::text(object, "metadata.name");
            let key = ObjectKey::new(&resource.storage, json::text(object, "metadata.namespace"), name);
            self.admit_deletion(programs, &writer, resource, &key, &mut warnings)?;
            self.delete_object(&writer, resource, &key, &options)?;
        }
        let metadata = json!({"resourceVersion": self.store.revision().to_string()});
        let items: Vec<Value> = objects.iter().map(|object| Value::clone(object)).collect();
        let kind = format!("{}List", resource.kind);
        let body = json!({"kind": kind, "apiVersion": resource.api_version(), "metadata": metadata, "items": items});
        Ok(ApiResponse::bytes(200, "application/json", write_json(&body)).warned(&warnings))
    }

    /// Deletes an object, or begins to.
    pub(crate) fn delete_object(
        &mut self,
        writer: &Writer<'_>,
        resource: &Arc<Resource>,
        key: &ObjectKey,
        options: &DeleteOptions,
    ) -> Result<Deleted, ApiError> {
        let old = self.find(resource, &key.namespace, &key.name)?;
        check_preconditions(&old, options, resource)?;
        if &*key.resource == "namespaces" && matches!(&*key.name, "default" | "kube-system" | "kube-public") {
            return Err(ApiError::forbidden(resource, &key.name, "this namespace may not be deleted"));
        }
        let mut new = Value::clone(&old);
        let grace = grace(&old, key, options);
        let was_going = !json::at(&old, "metadata.deletionTimestamp").is_null();
        let former = json::int(&old, "metadata.deletionGracePeriodSeconds").unwrap_or(0);
        propagate(&mut new, resource, options, was_going);
        if !was_going || grace < former {
            json::set(&mut new, "metadata.deletionTimestamp", self.now.after_secs(grace).rfc3339());
            json::set(&mut new, "metadata.deletionGracePeriodSeconds", grace);
        }
        if &*key.resource == "namespaces" {
            json::set(&mut new, "status.phase", "Terminating");
            json::remove(&mut new, "metadata.deletionGracePeriodSeconds");
        }
        let is_held =
            !json::list(&new, "metadata.finalizers").is_empty() || !json::list(&new, "spec.finalizers").is_empty();
        let waits = if was_going { former.min(grace) > 0 } else { grace > 0 };
        if resource.counts_generations && !was_going && (is_held || waits) {
            let generation = json::int(&old, "metadata.generation").unwrap_or(0);
            json::set(&mut new, "metadata.generation", generation + 1);
        }
        if writer.dry_run {
            let shown = Stored::from(new);
            return Ok(if is_held || waits { Deleted::Going(shown) } else { Deleted::Gone(shown) });
        }
        if is_held || waits {
            if new == *old {
                return Ok(Deleted::Going(old));
            }
            return Ok(Deleted::Going(self.put(key.clone(), new)));
        }
        let gone = self.remove(key).expect("it was found above");
        Ok(Deleted::Gone(gone))
    }
}

/// The seconds that an object is given. Only pods that run somewhere are given any.
fn grace(object: &Value, key: &ObjectKey, options: &DeleteOptions) -> i64 {
    let is_over = matches!(json::text(object, "status.phase"), "Succeeded" | "Failed");
    if &*key.resource != "pods" || json::text(object, "spec.nodeName").is_empty() || is_over {
        return 0;
    }
    let own = json::int(object, "spec.terminationGracePeriodSeconds").unwrap_or(30);
    options.grace.unwrap_or(own).max(0)
}

/// The finalizers that make dependants go first, or stay.
fn propagate(object: &mut Value, resource: &Resource, options: &DeleteOptions, was_going: bool) {
    let default = if &*resource.storage == "replicationcontrollers" { "Orphan" } else { "Background" };
    let policy = if options.propagation.is_empty() { default } else { &options.propagation };
    if options.propagation.is_empty() && was_going {
        return;
    }
    let wanted = match policy {
        "Foreground" => Some("foregroundDeletion"),
        "Orphan" => Some("orphan"),
        _ => None,
    };
    let finalizers = json::list_mut(object, "metadata.finalizers");
    finalizers.retain(|f| f != "foregroundDeletion" && f != "orphan");
    finalizers.extend(wanted.map(Value::from));
    if finalizers.is_empty() {
        json::remove(object, "metadata.finalizers");
    }
}

fn check_preconditions(object: &Value, options: &DeleteOptions, resource: &Resource) -> Result<(), ApiError> {
    let name = json::text(object, "metadata.name");
    for (wanted, path, word) in
        [(&options.uid, "metadata.uid", "UID"), (&options.revision, "metadata.resourceVersion", "ResourceVersion")]
    {
        let own = json::text(object, path);
        if !wanted.is_empty() && wanted != own {
            let why = format!(
                "the {word} in the precondition ({wanted}) does not match the {word} in record ({own}). \
                 The object might have been {}",
                if word == "UID" { "deleted and then recreated" } else { "modified" }
            );
            return Err(ApiError::conflict(&resource.kind, &resource.group, name, &why));
        }
    }
    Ok(())
}

fn success(resource: &Resource, object: &Value) -> ApiResponse {
    let mut details = json!({
        "name": json::text(object, "metadata.name"),
        "kind": resource.plural,
        "uid": json::text(object, "metadata.uid"),
    });
    if !resource.group.is_empty() {
        details["group"] = resource.group.clone().into();
    }
    let body = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details});
    ApiResponse::json(200, &body)
}
