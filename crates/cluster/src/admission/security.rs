//! Pod security: what a namespace's level does not let into a pod.

use serde_json::Value;

use super::accounts::shown_name;
use crate::Cluster;
use crate::json;
use crate::resource::Resource;
use crate::status::ApiError;
use crate::store::Stored;

/// Refuses a pod that the enforced level of its namespace forbids; warns by the level to warn of.
pub(super) fn check(
    cluster: &Cluster,
    resource: &Resource,
    pod: &Value,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    let Some(space) = cluster.store.get("namespaces", "", json::text(pod, "metadata.namespace")) else { return Ok(()) };
    if let Some((level, version)) = level(space, "enforce") {
        let found = violations(json::at(pod, "spec"), &level);
        if !found.is_empty() {
            let why = format!("violates PodSecurity \"{level}:{version}\": {}", found.join(", "));
            return Err(ApiError::forbidden(resource, shown_name(pod), &why));
        }
    }
    warn_of(space, json::at(pod, "spec"), warnings);
    Ok(())
}

/// Warns of templates that the level would not let in, and of running pods when a namespace is given a level.
pub(super) fn warn(
    cluster: &Cluster,
    resource: &Resource,
    object: &Value,
    old: Option<&Stored>,
    warnings: &mut Vec<String>,
) {
    let path = match &*resource.storage {
        "deployments.apps" | "replicasets.apps" | "statefulsets.apps" | "daemonsets.apps" | "jobs.batch" => {
            "spec.template.spec"
        }
        "cronjobs.batch" => "spec.jobTemplate.spec.template.spec",
        "namespaces" => return warn_of_running(cluster, object, old, warnings),
        _ => return,
    };
    if let Some(space) = cluster.store.get("namespaces", "", json::text(object, "metadata.namespace")) {
        warn_of(space, json::at(object, path), warnings);
    }
}

fn warn_of(space: &Value, spec: &Value, warnings: &mut Vec<String>) {
    if let Some((level, version)) = level(space, "warn") {
        let found = violations(spec, &level);
        if !found.is_empty() {
            warnings.push(format!("would violate PodSecurity \"{level}:{version}\": {}", found.join(", ")));
        }
    }
}

fn warn_of_running(cluster: &Cluster, space: &Value, old: Option<&Stored>, warnings: &mut Vec<String>) {
    let Some((level, version)) = level(space, "enforce") else { return };
    if old.and_then(|old| self::level(old, "enforce")).is_some_and(|before| before.0 == level) {
        return;
    }
    let name = json::text(space, "metadata.name");
    // Pods that break the same rules are told together, by the first of them.
    let mut groups: Vec<(Vec<String>, &str, usize)> = Vec::new();
    for pod in cluster.store.list("pods", Some(name)) {
        let found: Vec<_> = violations(json::at(pod, "spec"), &level)
            .into_iter()
            .map(|v| v.split(" (").next().unwrap_or_default().to_string())
            .collect();
        if found.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|(known, ..)| *known == found) {
            Some(group) => group.2 += 1,
            None => groups.push((found, json::text(pod, "metadata.name"), 0)),
        }
    }
    if groups.is_empty() {
        return;
    }
    warnings.push(format!(
        "existing pods in namespace {name:?} violate the new PodSecurity enforce level \"{level}:{version}\""
    ));
    for (found, pod, others) in groups {
        let more = match others {
            0 => String::new(),
            1 => " (and 1 other pod)".into(),
            n => format!(" (and {n} other pods)"),
        };
        warnings.push(format!("{pod}{more}: {}", found.join(", ")));
    }
}

fn level(space: &Value, mode: &str) -> Option<(String, String)> {
    let labels = json::at(space, "metadata.labels");
    let label = |name: String| labels.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
    let level = label(format!("pod-security.kubernetes.io/{mode}"));
    let version = label(format!("pod-security.kubernetes.io/{mode}-version"));
    let version = if version.is_empty() { "latest".into() } else { version };
    matches!(level.as_str(), "baseline" | "restricted").then_some((level, version))
}

/// What in a pod the level forbids, worded as the real plugin words it.
fn violations(spec: &Value, level: &str) -> Vec<String> {
    let mut found = Vec::new();
    baseline(spec, &mut found);
    if level == "restricted" {
        restricted(spec, &mut found);
    }
    found
}

fn containers(spec: &Value) -> Vec<&Value> {
    ["initContainers", "containers", "ephemeralContainers"].iter().flat_map(|list| json::list(spec, list)).collect()
}

/// `container "a"` or `containers "a", "b"`.
fn named(bad: &[&Value]) -> String {
    let names: Vec<_> = bad.iter().map(|container| format!("{:?}", json::text(container, "name"))).collect();
    format!("container{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
}

fn bad(spec: &Value, test: impl Fn(&Value) -> bool) -> Vec<&Value> {
    containers(spec).into_iter().filter(|container| test(container)).collect()
}

fn baseline(spec: &Value, found: &mut Vec<String>) {
    let shared: Vec<_> =
        ["hostNetwork", "hostPID", "hostIPC"].into_iter().filter(|field| json::flag(spec, field)).collect();
    if !shared.is_empty() {
        let shared: Vec<_> = shared.iter().map(|field| format!("{field}=true")).collect();
        found.push(format!("host namespaces ({})", shared.join(", ")));
    }
    let paths: Vec<_> = json::list(spec, "volumes").iter().filter(|volume| volume.get("hostPath").is_some()).collect();
    if !paths.is_empty() {
        let names: Vec<_> = paths.iter().map(|volume| format!("{:?}", json::text(volume, "name"))).collect();
        found.push(format!(
            "hostPath volumes (volume{} {})",
            if names.len() == 1 { "" } else { "s" },
            names.join(", ")
        ));
    }
    let ports: Vec<_> = containers(spec)
        .into_iter()
        .filter_map(|container| {
            let own = json::list(container, "ports").iter().filter_map(|port| json::int(port, "hostPort"));
            let own: Vec<_> = own.filter(|port| *port > 0).map(|port| port.to_string()).collect();
            (!own.is_empty()).then_some((container, own))
        })
        .collect();
    if !ports.is_empty() {
        let names: Vec<_> = ports.iter().map(|(container, _)| *container).collect();
        let numbers: Vec<_> = ports.iter().flat_map(|(_, own)| own.clone()).collect();
        let plural = if numbers.len() == 1 { "" } else { "s" };
        let verb = if names.len() == 1 { "uses" } else { "use" };
        found.push(format!("hostPort ({} {verb} hostPort{plural} {})", named(&names), numbers.join(", ")));
    }
    let privileged = bad(spec, |container| json::flag(container, "securityContext.privileged"));
    if !privileged.is_empty() {
        found.push(format!("privileged ({} must not set securityContext.privileged=true)", named(&privileged)));
    }
}

fn restricted(spec: &Value, found: &mut Vec<String>) {
    let escalates = bad(spec, |c| json::at(c, "securityContext.allowPrivilegeEscalation").as_bool() != Some(false));
    if !escalates.is_empty() {
        let must = "must set securityContext.allowPrivilegeEscalation=false";
        found.push(format!("allowPrivilegeEscalation != false ({} {must})", named(&escalates)));
    }
    let drops = |c: &Value| json::list(c, "securityContext.capabilities.drop").iter().any(|name| name == "ALL");
    let keeps = bad(spec, |container| !drops(container));
    if !keeps.is_empty() {
        let must = "must set securityContext.capabilities.drop=[\"ALL\"]";
        found.push(format!("unrestricted capabilities ({} {must})", named(&keeps)));
    }
    let allowed =
        ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"];
    for volume in json::list(spec, "volumes") {
        let kind = volume.as_object().into_iter().flatten().map(|(key, _)| key).find(|key| *key != "name");
        if let Some(kind) = kind.filter(|kind| !allowed.contains(&kind.as_str())) {
            let name = json::text(volume, "name");
            found.push(format!("restricted volume types (volume {name:?} uses restricted volume type {kind:?})"));
        }
    }
    let pod_says = json::at(spec, "securityContext.runAsNonRoot").as_bool();
    let roots = bad(spec, |c| json::at(c, "securityContext.runAsNonRoot").as_bool().or(pod_says) != Some(true));
    if !roots.is_empty() {
        let must = "must set securityContext.runAsNonRoot=true";
        found.push(format!("runAsNonRoot != true (pod or {} {must})", named(&roots)));
    }
    let zero = |value: &Value| json::int(value, "securityContext.runAsUser") == Some(0);
    if zero(spec) {
        found.push("runAsUser=0 (pod must not set runAsUser=0)".into());
    }
    let zeros = bad(spec, zero);
    if !zeros.is_empty() {
        found.push(format!("runAsUser=0 ({} must not set runAsUser=0)", named(&zeros)));
    }
    let profile = |value: &Value| json::text(value, "securityContext.seccompProfile.type").to_string();
    let is_good = |kind: &str| matches!(kind, "RuntimeDefault" | "Localhost");
    let pod_profile = profile(spec);
    let open = bad(spec, |container| match profile(container).as_str() {
        "" => !is_good(&pod_profile),
        own => !is_good(own),
    });
    if !open.is_empty() {
        let must = "must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"";
        found.push(format!("seccompProfile (pod or {} {must})", named(&open)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plain_pod_breaks_four_rules() {
        let spec = json!({"containers": [{"name": "c"}]});
        assert_eq!(violations(&spec, "baseline"), Vec::<String>::new());
        assert_eq!(
            violations(&spec, "restricted").join(", "),
            "allowPrivilegeEscalation != false (container \"c\" must set securityContext.allowPrivilegeEscalation=false), \
             unrestricted capabilities (container \"c\" must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != \
             true (pod or container \"c\" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container \"c\" \
             must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")"
        );
    }
}
