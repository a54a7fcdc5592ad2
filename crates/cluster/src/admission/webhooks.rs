//! Admission webhooks: asked through the cluster's own network, so that a missing backend, a wrong certificate, a policy or a
//! slow program fails as it does in life.

mod backend;
mod meant;

use std::time::Duration;

use serde_json::{Value, json};

use super::{Admission, Operation};
use crate::program::Programs;
use crate::status::ApiError;
use crate::{Cluster, base64, json, jsonpatch};
use backend::Reached;

const MUTATING: &str = "mutatingwebhookconfigurations.admissionregistration.k8s.io";
const VALIDATING: &str = "validatingwebhookconfigurations.admissionregistration.k8s.io";
/// A write that takes longer is given up, whatever single webhooks may take.
const WRITE_BOUND: Duration = Duration::from_secs(34);

/// How long a write has waited for webhooks.
#[derive(Debug, Default)]
pub(super) struct Patience {
    waited: Duration,
}

impl Patience {
    pub(super) fn waited(&self) -> Duration {
        self.waited
    }

    /// Waits; refuses when the write as a whole takes too long.
    fn wait(&mut self, takes: Duration) -> Result<(), ApiError> {
        self.waited = (self.waited + takes).min(WRITE_BOUND);
        if self.waited < WRITE_BOUND {
            return Ok(());
        }
        let why = "request did not complete within requested timeout - context deadline exceeded";
        Err(ApiError::timeout(why))
    }
}

/// Asks the mutating webhooks, one after the other. Says whether one of them changed the object.
pub(super) fn mutate(
    cluster: &Cluster,
    programs: &mut dyn Programs,
    ask: &Admission<'_>,
    object: &mut Value,
    warnings: &mut Vec<String>,
    patience: &mut Patience,
) -> Result<bool, ApiError> {
    let mut has_changed = false;
    for hook in hooks(cluster, MUTATING, ask, object) {
        let (takes, answer) = call(cluster, programs, ask, object, &hook);
        patience.wait(takes)?;
        let Some(response) = settled(answer, &hook, warnings)? else { continue };
        if let Some(patch) = json::at(&response, "patch").as_str() {
            let failed = |why: &str| failure(&hook, why);
            let bytes = base64::decode(patch).ok_or_else(|| failed("illegal base64 data"))?;
            *object = jsonpatch::apply(object, &bytes).map_err(|error| failed(&error.message))?;
            has_changed = true;
        }
    }
    Ok(has_changed)
}

/// Asks the validating webhooks, all at once: the slowest decides how long it takes.
pub(super) fn validate(
    cluster: &Cluster,
    programs: &mut dyn Programs,
    ask: &Admission<'_>,
    object: &Value,
    warnings: &mut Vec<String>,
    patience: &mut Patience,
) -> Result<(), ApiError> {
    let mut longest = Duration::ZERO;
    let mut refusal = None;
    for hook in hooks(cluster, VALIDATING, ask, object) {
        let (takes, answer) = call(cluster, programs, ask, object, &hook);
        longest = longest.max(takes);
        if let Err(error) = settled(answer, &hook, warnings) {
            refusal.get_or_insert(error);
        }
    }
    patience.wait(longest)?;
    refusal.map_or(Ok(()), Err)
}

/// How long those that do not answer would keep a write waiting.
pub(super) fn delay(cluster: &Cluster, ask: &Admission<'_>, object: &Value) -> Duration {
    let takes = |hook: &Value| match backend::reach(cluster, hook) {
        Reached::Nothing { takes, .. } => takes,
        Reached::Program { .. } => Duration::ZERO,
    };
    let first: Duration = hooks(cluster, MUTATING, ask, object).iter().map(takes).sum();
    let then = hooks(cluster, VALIDATING, ask, object).iter().map(takes).max().unwrap_or_default();
    (first + then).min(WRITE_BOUND)
}

/// Whether any webhook is configured.
pub(super) fn are_there(cluster: &Cluster) -> bool {
    [MUTATING, VALIDATING].iter().any(|storage| cluster.store.list(storage, None).next().is_some())
}

/// The webhooks that are to be asked, by the name of their configuration.
fn hooks(cluster: &Cluster, storage: &str, ask: &Admission<'_>, object: &Value) -> Vec<Value> {
    // A broken webhook must not keep its own configuration from being repaired.
    if [MUTATING, VALIDATING].contains(&&*ask.resource.storage) {
        return Vec::new();
    }
    let all = cluster.store.list(storage, None).flat_map(|configuration| json::list(configuration, "webhooks"));
    all.filter(|hook| meant::is_meant(cluster, ask, object, hook)).cloned().collect()
}

/// Asks one webhook: how long that took, and its response or what went wrong.
fn call(
    cluster: &Cluster,
    programs: &mut dyn Programs,
    ask: &Admission<'_>,
    object: &Value,
    hook: &Value,
) -> (Duration, Result<Value, String>) {
    if ask.writer.dry_run && !matches!(json::text(hook, "sideEffects"), "None" | "NoneOnDryRun") {
        return (Duration::ZERO, Err(String::new()));
    }
    let (namespace, pod, port, address) = match backend::reach(cluster, hook) {
        Reached::Nothing { takes, why } => return (takes, Err(why)),
        Reached::Program { namespace, pod, port, address } => (namespace, pod, port, address),
    };
    let Some(run) = cluster.listener(programs, &namespace, &pod, port) else {
        let why = backend::failed(hook, &format!("dial tcp {address}: connect: connection refused"));
        return (Duration::ZERO, Err(why));
    };
    let Some(answer) = programs.review(cluster.now, &run, &review(cluster, ask, object)) else {
        let why = "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=";
        return (Duration::ZERO, Err(why.into()));
    };
    let most = backend::timeout(hook);
    match answer.takes > most {
        true => (most, Err(backend::failed(hook, "context deadline exceeded"))),
        false => (answer.takes, Ok(answer.response)),
    }
}

/// What follows from an answer: a response to go on with, nothing where a failure is ignored, or a refusal.
fn settled(answer: Result<Value, String>, hook: &Value, warnings: &mut Vec<String>) -> Result<Option<Value>, ApiError> {
    let name = json::text(hook, "name");
    match answer {
        Ok(response) if json::flag(&response, "allowed") => {
            warnings.extend(json::list(&response, "warnings").iter().filter_map(Value::as_str).map(Into::into));
            Ok(Some(response))
        }
        Ok(response) => Err(denied(name, json::at(&response, "status"))),
        Err(why) if why.is_empty() => {
            Err(ApiError::bad_request(format!("admission webhook {name:?} does not support dry run")))
        }
        Err(_) if json::text(hook, "failurePolicy") == "Ignore" => Ok(None),
        Err(why) => Err(failure(hook, &why)),
    }
}

fn failure(hook: &Value, why: &str) -> ApiError {
    let name = json::text(hook, "name");
    ApiError::internal(&format!("failed calling webhook {name:?}: failed to call webhook: {why}"))
}

fn denied(name: &str, status: &Value) -> ApiError {
    let message = match json::text(status, "message") {
        "" => format!("admission webhook {name:?} denied the request without explanation"),
        why => format!("admission webhook {name:?} denied the request: {why}"),
    };
    let code = json::int(status, "code").and_then(|code| u16::try_from(code).ok()).filter(|code| *code >= 400);
    match code {
        None | Some(403) => ApiError { code: 403, reason: "Forbidden", ..ApiError::bad_request(message) },
        Some(code) => ApiError { code, ..ApiError::bad_request(message) },
    }
}

/// The question as it goes over the wire.
fn review(cluster: &Cluster, ask: &Admission<'_>, object: &Value) -> Value {
    let resource = ask.resource;
    let kind = json!({"group": resource.group, "version": resource.version, "kind": resource.kind});
    let place = json!({"group": resource.group, "version": resource.version, "resource": resource.plural});
    json!({
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": cluster.chance.uid(cluster.store.revision() + 1),
            "kind": kind,
            "resource": place,
            "subResource": ask.writer.subresource,
            "name": json::text(object, "metadata.name"),
            "namespace": json::text(object, "metadata.namespace"),
            "operation": ask.operation.verb(),
            "object": (ask.operation != Operation::Delete).then_some(object),
            "oldObject": ask.old.map(|old| &**old),
            "dryRun": ask.writer.dry_run,
        },
    })
}
