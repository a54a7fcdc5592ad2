//! `kubectl apply`.

use serde_json::{Value, json as tree};

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::discovery::Kind;
use crate::failure::Failure;
use crate::go::{self, quote};
use crate::json;
use crate::kubectl::Kubectl;
use crate::manifest::Written;
use crate::patch::{self, Lists};

pub(super) const FLAGS: &str = "all allow-missing-template-keys cascade?background dry-run?unchanged field-manager= f|filename= force \
    force-conflicts grace-period=i k|kustomize= openapi-patch o|output= overwrite prune prune-allowlist=* R|recursive l|selector= \
    server-side show-managed-fields template= timeout=d validate?strict wait applyset=";

pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    if call.flags.value("filename").is_none() && call.flags.value("kustomize").is_none() {
        return Err(Failure::new("must specify one of -f and -k"));
    }
    if !call.flags.words.is_empty() {
        let words = call.flags.words.join(" ");
        return Err(Failure::Text(
            format!("Unexpected args: [{words}]\nSee 'kubectl apply -h' for help and examples"),
            1,
        ));
    }
    let mut manifests = call.manifests()?;
    let selector = call.flags.text("selector").to_string();
    if !selector.is_empty() {
        manifests.retain(|written| selected(&selector, &written.object));
    }
    if manifests.is_empty() {
        return Err(Failure::new("no objects passed to apply"));
    }
    let mut failures = Vec::new();
    let mut applied = Vec::new();
    for written in &manifests {
        match apply(call, written) {
            Ok(done) => applied.push(done),
            Err(failure) => failures.push(failure),
        }
    }
    if call.flags.has("prune") && failures.is_empty() {
        prune(call, &applied, &selector)?;
    }
    Failure::all(failures)
}

/// Whether a simple selector of `key=value` pairs takes an object.
fn selected(selector: &str, object: &Value) -> bool {
    selector.split(',').all(|pair| match pair.split_once('=') {
        Some((key, value)) => {
            let (key, value) = (key.trim_end_matches(['!', '=']), value.trim_start_matches('='));
            let found = json::at(object, "metadata.labels").get(key).map(json::plain).unwrap_or_default();
            (found == value) != pair.contains("!=")
        }
        None => {
            json::at(object, "metadata.labels").get(pair.trim_start_matches('!')).is_some() != pair.starts_with('!')
        }
    })
}

/// Applies one object; what it is called when something else is pruned.
fn apply(call: &mut Kubectl<'_, '_>, written: &Written) -> Result<(std::sync::Arc<Kind>, String, String), Failure> {
    let (kind, namespace) = call.mapping(&written.object, &written.source)?;
    let mut object = written.object.clone();
    if kind.is_namespaced {
        json::set(&mut object, "metadata.namespace", namespace.clone());
    }
    let name = json::text(&object, "metadata.name").to_string();
    if name.is_empty() {
        let generated = json::text(&object, "metadata.generateName");
        return Err(match generated.is_empty() {
            false => Failure::new(format!(
                "from {}: cannot use generate name with apply",
                written.source.trim_end_matches(".yaml")
            )),
            true => Failure::new(format!(
                "error when retrieving current configuration of:\nResource: {}, GroupVersionKind: {}\nName: \"\", Namespace: {}\nfrom server for: {}: resource name may not be empty",
                quote(&resource_of(&kind)),
                quote(&kind_of(&kind)),
                quote(&namespace),
                quote(&written.source)
            )),
        });
    }
    let shown = format!("{}/{name}", kind.shown());
    let done = (kind.clone(), namespace.clone(), name.clone());
    if call.flags.has("server-side") {
        server_side(call, &kind, &namespace, &name, &object, &shown)?;
        return Ok(done);
    }
    let dry = call.dry_run()?;
    let query = call.dry_query()?;
    let manager = super::label::manager(call, "kubectl-client-side-apply");
    let validation = validation(call);
    let live = match call.object(&kind, &namespace, &name) {
        Ok(live) => Some(live),
        Err(failure) if failure.is_not_found() => None,
        Err(failure) => return Err(failure),
    };
    let annotated = annotated(&object);
    let Some(live) = live else {
        if dry == "client" {
            call.tell(&shown, &annotated, "created")?;
            return Ok(done);
        }
        let path = with_query(
            &kind.path(&namespace),
            &[("dryRun", query), ("fieldManager", &manager), ("fieldValidation", validation)],
        );
        let made = call
            .create(&path, &annotated)
            .map_err(|failure| failure.prefixed(&format!("error when creating {}: ", quote(&written.source))))?;
        call.tell(&shown, &made, "created")?;
        return Ok(done);
    };
    let last = json::at(&live, "metadata.annotations").get(LAST_APPLIED).and_then(Value::as_str);
    if last.is_none() && dry == "none" {
        call.warn(format!(
            "Warning: resource {}/{name} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.",
            kind.plural
        ));
    }
    let original: Value = last.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null);
    let lists = lists(&kind);
    let patch = patch::three_way(&original, &annotated, &live, lists);
    let unchanged = patch.as_object().is_some_and(serde_json::Map::is_empty);
    if unchanged && dry != "client" {
        call.tell(&shown, &live, "unchanged")?;
        return Ok(done);
    }
    if dry == "client" {
        let mut shown_object = live.clone();
        overlay(&mut shown_object, &annotated);
        call.tell(&shown, &shown_object, "configured")?;
        return Ok(done);
    }
    let form = if lists == Lists::Merged { PatchForm::Strategic } else { PatchForm::Merge };
    let path = with_query(
        &kind.object_path(&namespace, &name),
        &[("dryRun", query), ("fieldManager", &manager), ("fieldValidation", validation)],
    );
    let new = match call.patch(form, &path, &go::json(&patch)) {
        Ok(new) => new,
        Err(failure) if call.flags.has("force") && matches!(failure.reason(), "Invalid" | "Conflict") => {
            call.delete(
                &kind.object_path(&namespace, &name),
                &tree!({"propagationPolicy": "Background", "gracePeriodSeconds": 0}),
            )?;
            call.create(&with_query(&kind.path(&namespace), &[("fieldManager", &manager)]), &annotated)?
        }
        Err(failure) => {
            let what = format!(
                "error when applying patch:\n{}\nto:\nResource: {}, GroupVersionKind: {}\nName: {}, Namespace: {}\nfor: {}: ",
                go::json(&patch),
                quote(&resource_of(&kind)),
                quote(&kind_of(&kind)),
                quote(&name),
                quote(&namespace),
                quote(&written.source)
            );
            return Err(failure.prefixed(&what));
        }
    };
    call.tell(&shown, &new, "configured")?;
    Ok(done)
}

/// `/v1, Resource=configmaps`.
fn resource_of(kind: &Kind) -> String {
    format!("{}/{}, Resource={}", kind.group, kind.version, kind.plural)
}

fn kind_of(kind: &Kind) -> String {
    format!("{}/{}, Kind={}", kind.group, kind.version, kind.kind)
}

/// Custom kinds have no keys for their lists.
pub(crate) fn lists(kind: &Kind) -> Lists {
    let is_built_in = kind.group.is_empty() || kind.group.ends_with(".k8s.io") || !kind.group.contains('.');
    if is_built_in && kind.group != "apiextensions.k8s.io" { Lists::Merged } else { Lists::Replaced }
}

/// How strictly the server looks at fields.
pub(crate) fn validation(call: &Kubectl<'_, '_>) -> &'static str {
    match call.flags.value("validate") {
        Some("false" | "ignore") => "Ignore",
        Some("warn") => "Warn",
        _ => "Strict",
    }
}

/// The object with itself in an annotation.
pub(crate) fn annotated(object: &Value) -> Value {
    let mut plain = object.clone();
    let annotations = json::map_mut(json::map_mut(&mut plain).entry("metadata").or_insert(Value::Null))
        .entry("annotations")
        .or_insert_with(|| tree!({}));
    json::map_mut(annotations).remove(LAST_APPLIED);
    let text = format!("{}\n", go::json(&plain));
    let mut object = plain;
    let annotations = json::at_mut(&mut object, "metadata.annotations").expect("it was made above");
    json::map_mut(annotations).insert(LAST_APPLIED.into(), text.into());
    object
}

fn overlay(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                overlay(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

fn server_side(
    call: &mut Kubectl<'_, '_>,
    kind: &Kind,
    namespace: &str,
    name: &str,
    object: &Value,
    shown: &str,
) -> Outcome {
    if call.dry_run()? == "client" {
        return Err(Failure::new("--dry-run=client can't be used with --server-side"));
    }
    let query = call.dry_query()?;
    let manager = super::label::manager(call, "kubectl");
    let forced = call.flags.has("force-conflicts").to_string();
    let validation = validation(call);
    let path = with_query(
        &kind.object_path(namespace, name),
        &[("dryRun", query), ("fieldManager", &manager), ("fieldValidation", validation), ("force", &forced)],
    );
    let body = format!("{}\n", go::json(object));
    let mut new = call.patch(PatchForm::Apply, &path, &body).map_err(conflict)?;
    let by_client = |entry: &Value| {
        json::text(entry, "operation") == "Update" && json::text(entry, "manager") == "kubectl-client-side-apply"
    };
    if query.is_empty() && json::list(&new, "metadata.managedFields").iter().any(by_client) {
        // Fields that client-side apply owned are taken over, so that they go when they are no longer written.
        let migrated = migrate(&new, &manager);
        let change = tree!([
            {"op": "replace", "path": "/metadata/managedFields", "value": migrated},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": json::text(&new, "metadata.resourceVersion")},
        ]);
        let plain = with_query(&kind.object_path(namespace, name), &[("fieldManager", &manager)]);
        call.patch(PatchForm::Json, &plain, &change.to_string())?;
        new = call.patch(PatchForm::Apply, &path, &body).map_err(conflict)?;
    }
    call.tell(shown, &new, "serverside-applied")
}

fn conflict(failure: Failure) -> Failure {
    if failure.reason() != "Conflict" {
        return failure;
    }
    Failure::new(format!(
        "{}\nPlease review the fields above--they currently have other managers. Here\nare the ways you can resolve this warning:\n* If you intend to manage all of these fields, please re-run the apply\n  command with the `--force-conflicts` flag.\n* If you do not intend to manage all of the fields, please edit your\n  manifest to remove references to the fields that should keep their\n  current managers.\n* You may co-own fields by updating your manifest to match the existing\n  value; in this case, you'll become the manager if the other manager(s)\n  stop managing the field (remove it from their configuration).\nSee https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts",
        failure.message()
    ))
}

/// The managers with those of client-side apply merged into one that applies.
fn migrate(object: &Value, manager: &str) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    let mut fields = tree!({});
    for entry in json::list(object, "metadata.managedFields") {
        let own = json::text(entry, "manager");
        let is_own = own == manager && json::text(entry, "operation") == "Apply";
        let is_client = own == "kubectl-client-side-apply" && json::text(entry, "operation") == "Update";
        if is_own || is_client {
            overlay(&mut fields, json::at(entry, "fieldsV1"));
        } else {
            kept.push(entry.clone());
        }
    }
    kept.push(tree!({
        "manager": manager, "operation": "Apply", "apiVersion": json::text(object, "apiVersion"),
        "fieldsType": "FieldsV1", "fieldsV1": fields,
    }));
    kept.into()
}

/// Deletes what was applied before and is no longer in the files.
fn prune(call: &mut Kubectl<'_, '_>, applied: &[(std::sync::Arc<Kind>, String, String)], selector: &str) -> Outcome {
    if selector.is_empty() && !call.flags.has("all") {
        return Err(Failure::new(
            "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
        ));
    }
    let dry = call.dry_run()?;
    let words = [
        "configmaps",
        "endpoints",
        "namespaces",
        "persistentvolumeclaims",
        "persistentvolumes",
        "pods",
        "replicationcontrollers",
        "secrets",
        "services",
        "jobs.batch",
        "cronjobs.batch",
        "ingresses.networking.k8s.io",
        "daemonsets.apps",
        "deployments.apps",
        "replicasets.apps",
        "statefulsets.apps",
    ];
    let namespaces: std::collections::BTreeSet<String> =
        applied.iter().map(|(_, namespace, _)| namespace.clone()).filter(|name| !name.is_empty()).collect();
    for word in words {
        let kind = call.kind(word)?;
        let places: Vec<String> =
            if kind.is_namespaced { namespaces.iter().cloned().collect() } else { vec![String::new()] };
        for place in places {
            for object in call.list(&kind, &place, selector, "")? {
                let name = json::text(&object, "metadata.name").to_string();
                let was_applied = json::at(&object, "metadata.annotations").get(LAST_APPLIED).is_some();
                let is_kept = applied.iter().any(|(k, n, a)| k.plural == kind.plural && *n == place && *a == name);
                if !was_applied || is_kept {
                    continue;
                }
                if dry == "none" {
                    call.delete(&kind.object_path(&place, &name), &tree!({"propagationPolicy": "Background"}))?;
                }
                let shown = format!("{}/{name}", kind.shown());
                call.tell(&shown, &object, "pruned")?;
            }
        }
    }
    Ok(())
}

/// `kubectl apply view-last-applied`.
pub(super) fn view_last(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    call.lists_freely = call.flags.has("all");
    let found = call.wanted(&words)?;
    for one in found {
        let last = json::at(&one.object, "metadata.annotations").get(LAST_APPLIED).and_then(Value::as_str);
        let Some(value) = last.and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
            continue;
        };
        let form = match call.flags.value("output").unwrap_or("yaml") {
            form @ ("yaml" | "json") => form.to_string(),
            other => {
                return Err(Failure::new(format!(
                    "Unexpected -o output mode: {other}, the flag 'output' must be one of yaml|json"
                )));
            }
        };
        let text = crate::print::object(call, &form, &value)?;
        call.out.push_str(&text);
    }
    Ok(())
}

/// What this kubectl does not do.
pub(super) fn unsupported(_: &mut Kubectl<'_, '_>) -> Outcome {
    Err(Failure::new("this form of apply is not supported here; use apply, or annotate"))
}
