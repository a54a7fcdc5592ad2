//! What may not be changed once it is set.

use serde_json::Value;

use crate::json;
use crate::resource::Resource;
use crate::status::{FieldError, Verbatim};

/// What is wrong with the change from an old object to a new one.
pub(super) fn check(resource: &Resource, new: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    let differs = |path: &str| json::at(new, path) != json::at(old, path);
    match &*resource.storage {
        "pods" => pod(new, old, errors),
        "deployments.apps" | "replicasets.apps" | "daemonsets.apps" if differs("spec.selector") => {
            errors.push(FieldError::invalid(
                "spec.selector",
                go_selector(json::at(new, "spec.selector")),
                "field is immutable",
            ));
        }
        "statefulsets.apps" => stateful_set(new, old, errors),
        "jobs.batch" => {
            for field in ["spec.selector", "spec.completionMode"] {
                if differs(field) {
                    errors.push(FieldError::invalid(field, json::at(new, field), "field is immutable"));
                }
            }
            if differs("spec.template") && !json::flag(old, "spec.suspend") {
                let shown = Verbatim("core.PodTemplateSpec{...}".into());
                errors.push(FieldError::invalid("spec.template", shown, "field is immutable"));
            }
        }
        "services" => {
            let (address, before) = (json::text(new, "spec.clusterIP"), json::text(old, "spec.clusterIP"));
            let is_external = json::text(new, "spec.type") == "ExternalName";
            if !before.is_empty() && address != before && !is_external {
                let shown = Verbatim(format!("[]string{{{address:?}}}"));
                errors.push(FieldError::invalid("spec.clusterIPs[0]", shown, "may not change once set"));
            }
        }
        "configmaps" | "secrets" => frozen(new, old, errors),
        "persistentvolumeclaims" => claim(new, old, errors),
        "priorityclasses.scheduling.k8s.io" if differs("value") => {
            errors.push(FieldError::forbidden("value", "may not be changed in an update."));
        }
        "storageclasses.storage.k8s.io" => {
            for field in ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"] {
                if differs(field) {
                    let why = format!("updates to {field} are forbidden.");
                    errors.push(FieldError::forbidden(field, &why));
                }
            }
        }
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io"
            if differs("roleRef") =>
        {
            let text = |field: &str| json::text(new, &format!("roleRef.{field}")).to_string();
            let shown = format!(
                "rbac.RoleRef{{APIGroup:{:?}, Kind:{:?}, Name:{:?}}}",
                text("apiGroup"),
                text("kind"),
                text("name")
            );
            errors.push(FieldError::invalid("roleRef", Verbatim(shown), "cannot change roleRef"));
        }
        _ => {}
    }
}

fn go_selector(selector: &Value) -> Verbatim {
    let labels = json::entries(selector, "matchLabels");
    let labels: Vec<_> = labels.map(|(key, value)| format!("{key:?}:{value}")).collect();
    let labels = if labels.is_empty() {
        "map[string]string(nil)".into()
    } else {
        format!("map[string]string{{{}}}", labels.join(", "))
    };
    Verbatim(format!("v1.LabelSelector{{MatchLabels:{labels}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}}"))
}

/// Of a pod only images, deadlines, tolerations and little else may change.
fn pod(new: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    let bare = |pod: &Value| {
        let mut spec = json::at(pod, "spec").clone();
        for list in ["containers", "initContainers"] {
            for container in json::items_mut(&mut spec, list) {
                json::remove(container, "image");
            }
        }
        for field in [
            "activeDeadlineSeconds",
            "tolerations",
            "terminationGracePeriodSeconds",
            "schedulingGates",
            "ephemeralContainers",
        ] {
            json::remove(&mut spec, field);
        }
        if json::text(&spec, "nodeName").is_empty() {
            json::remove(&mut spec, "nodeSelector");
        }
        spec
    };
    let kept = json::list(old, "spec.tolerations").iter().all(|toleration| {
        let same = |own: &Value| own["key"] == toleration["key"] && own["effect"] == toleration["effect"];
        json::list(new, "spec.tolerations").iter().any(same)
    });
    let was_bound = json::text(old, "spec.nodeName").is_empty() && !json::text(new, "spec.nodeName").is_empty();
    if (bare(new) != bare(old) && !was_bound) || !kept {
        let why = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
                   `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
                   `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
        errors.push(FieldError::forbidden("spec", &format!("{why}\n{}", difference(&bare(old), &bare(new)))));
    }
}

/// The fields that differ, in the manner of Go's diffs: `-` before what was, `+` before what is.
fn difference(old: &Value, new: &Value) -> String {
    let mut lines = Vec::new();
    let empty = serde_json::Map::new();
    let (old, new) = (old.as_object().unwrap_or(&empty), new.as_object().unwrap_or(&empty));
    let mut names: Vec<_> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    for name in names.into_iter().filter(|name| old.get(*name) != new.get(*name)) {
        for (sign, side) in [("- ", old), ("+ ", new)] {
            if let Some(value) = side.get(name) {
                lines.push(format!("{sign}\t{name}: {value},"));
            }
        }
    }
    format!("  core.PodSpec{{\n{}\n  }}\n", lines.join("\n"))
}

fn stateful_set(new: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    let bare = |set: &Value| {
        let mut spec = json::at(set, "spec").clone();
        for field in [
            "replicas",
            "ordinals",
            "template",
            "updateStrategy",
            "persistentVolumeClaimRetentionPolicy",
            "minReadySeconds",
            "revisionHistoryLimit",
        ] {
            json::remove(&mut spec, field);
        }
        spec
    };
    if bare(new) != bare(old) {
        let why = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
                   'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        errors.push(FieldError::forbidden("spec", why));
    }
}

fn frozen(new: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    if json::at(new, "type") != json::at(old, "type") {
        errors.push(FieldError::invalid("type", json::at(new, "type"), "field is immutable"));
    }
    if !json::flag(old, "immutable") {
        return;
    }
    let why = "field is immutable when `immutable` is set";
    for field in ["data", "binaryData"] {
        if json::at(new, field) != json::at(old, field) {
            errors.push(FieldError::forbidden(field, why));
        }
    }
    if !json::flag(new, "immutable") {
        errors.push(FieldError::forbidden("immutable", why));
    }
}

fn claim(new: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    let bare = |claim: &Value| {
        let mut spec = json::at(claim, "spec").clone();
        json::remove(&mut spec, "resources");
        json::remove(&mut spec, "volumeAttributesClassName");
        if json::text(old, "spec.volumeName").is_empty() {
            json::remove(&mut spec, "volumeName");
        }
        spec
    };
    if bare(new) != bare(old) {
        let why =
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
        errors.push(FieldError::forbidden("spec", &format!("{why}\n{}", difference(&bare(old), &bare(new)))));
    }
}
