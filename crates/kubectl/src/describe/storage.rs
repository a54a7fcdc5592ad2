//! PersistentVolumes, their claims and classes.

use serde_json::Value;

use super::{Page, events, or_none, volumes};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

/// `RWO,ROX` of access modes.
fn modes(object: &Value, path: &str) -> String {
    let short = |mode: &Value| match mode.as_str().unwrap_or_default() {
        "ReadWriteOnce" => "RWO",
        "ReadOnlyMany" => "ROX",
        "ReadWriteMany" => "RWX",
        "ReadWriteOncePod" => "RWOP",
        _ => "?",
    };
    json::list(object, path).iter().map(short).collect::<Vec<_>>().join(",")
}

fn class_of(object: &Value) -> String {
    let annotated =
        json::at(object, "metadata.annotations").get("volume.beta.kubernetes.io/storage-class").map(json::plain);
    annotated.unwrap_or_else(|| json::text(object, "spec.storageClassName").into())
}

fn finalizers(object: &Value, page: &mut Page) {
    page.entry("Finalizers", crate::go::plain(&Value::Array(json::list(object, "metadata.finalizers").to_vec())));
}

pub(super) fn volume(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.head(object, false);
    finalizers(object, page);
    page.entry("StorageClass", class_of(object));
    let status = match json::text(object, "metadata.deletionTimestamp") {
        "" => json::text(object, "status.phase").to_string(),
        _ => "Terminating".into(),
    };
    page.entry("Status", status);
    let claim = json::at(object, "spec.claimRef");
    page.entry(
        "Claim",
        match claim.is_object() {
            true => format!("{}/{}", json::text(claim, "namespace"), json::text(claim, "name")),
            false => String::new(),
        },
    );
    page.entry("Reclaim Policy", json::text(object, "spec.persistentVolumeReclaimPolicy"));
    page.entry("Access Modes", modes(object, "spec.accessModes"));
    if !json::text(object, "spec.volumeMode").is_empty() {
        page.entry("VolumeMode", json::text(object, "spec.volumeMode"));
    }
    page.entry("Capacity", json::plain(json::at(object, "spec.capacity.storage")));
    affinity(json::at(object, "spec.nodeAffinity"), page);
    page.entry("Message", json::text(object, "status.message"));
    page.line(0, "Source:");
    volumes::source(json::at(object, "spec"), "    ", page);
    events(call, found, page)
}

fn affinity(affinity: &Value, page: &mut Page) {
    let terms = json::list(affinity, "required.nodeSelectorTerms");
    if terms.is_empty() {
        page.entry("Node Affinity", "<none>");
        return;
    }
    page.line(0, "Node Affinity:");
    page.line(1, "Required Terms:");
    for (at, term) in terms.iter().enumerate() {
        let rules = json::list(term, "matchExpressions");
        page.text.push_str(&format!("    Term {at}:\t"));
        if rules.is_empty() {
            page.text.push_str("<none>\n");
        }
        for (at, rule) in rules.iter().enumerate() {
            let values: Vec<String> = json::list(rule, "values").iter().map(json::plain).collect();
            let head = if at == 0 { "" } else { "    \t" };
            let operator = json::text(rule, "operator").to_lowercase();
            page.text.push_str(&format!("{head}{} {operator} [{}]\n", json::text(rule, "key"), values.join(", ")));
        }
    }
}

pub(super) fn claim(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    page.entry("StorageClass", class_of(object));
    match json::text(object, "metadata.deletionTimestamp") {
        "" => page.entry("Status", json::text(object, "status.phase")),
        going => {
            let since = cluster::Stamp::parse(going)
                .map_or(String::new(), |at| cluster::human(call.desk.cluster.now().since(at)));
            page.entry("Status", format!("Terminating (lasts {since})"));
        }
    }
    page.entry("Volume", json::text(object, "spec.volumeName"));
    page.labels("Labels", json::at(object, "metadata.labels"), "");
    page.annotations("Annotations", json::at(object, "metadata.annotations"), "");
    finalizers(object, page);
    let is_bound = !json::text(object, "spec.volumeName").is_empty();
    page.entry(
        "Capacity",
        if is_bound { json::plain(json::at(object, "status.capacity.storage")) } else { String::new() },
    );
    page.entry("Access Modes", if is_bound { modes(object, "status.accessModes") } else { String::new() });
    if !json::text(object, "spec.volumeMode").is_empty() {
        page.entry("VolumeMode", json::text(object, "spec.volumeMode"));
    }
    let source = json::at(object, "spec.dataSource");
    if source.is_object() {
        page.line(0, "DataSource:");
        for (title, field) in [("APIGroup", "apiGroup"), ("Kind", "kind"), ("Name", "name")] {
            page.line(1, format!("{title}:\t{}", json::text(source, field)));
        }
    }
    let kind = call.kind("pods")?;
    let pods = call.list(&kind, &found.namespace, "", "")?;
    let uses = |pod: &&Value| {
        json::list(pod, "spec.volumes")
            .iter()
            .any(|volume| json::text(volume, "persistentVolumeClaim.claimName") == found.name)
    };
    let users: Vec<&str> = pods.iter().filter(uses).map(|pod| json::text(pod, "metadata.name")).collect();
    for (at, name) in users.iter().enumerate() {
        page.line(0, format!("{}\t{name}", if at == 0 { "Used By:" } else { "" }));
    }
    if users.is_empty() {
        page.entry("Used By", "<none>");
    }
    let conditions = json::list(object, "status.conditions");
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage\n  ----\t------\t-----------------\t------------------\t------\t-------");
        for c in conditions {
            let text = |field: &str| json::text(c, field);
            page.line(
                1,
                format!(
                    "{} \t{} \t{} \t{} \t{} \t{}",
                    text("type"),
                    text("status"),
                    super::long_time(c, "lastProbeTime"),
                    super::long_time(c, "lastTransitionTime"),
                    text("reason"),
                    text("message")
                ),
            );
        }
    }
    events(call, found, page)
}

pub(super) fn class(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    let map = |path: &str| {
        json::entries(object, path)
            .map(|(key, value)| format!("{key}={}", json::plain(value)))
            .collect::<Vec<_>>()
            .join(",")
    };
    page.entry("Name", &found.name);
    let default = json::at(object, "metadata.annotations")
        .get("storageclass.kubernetes.io/is-default-class")
        .is_some_and(|value| value == "true");
    page.entry("IsDefaultClass", if default { "Yes" } else { "No" });
    page.entry("Annotations", or_none(&map("metadata.annotations")));
    page.entry("Provisioner", json::text(object, "provisioner"));
    page.entry("Parameters", or_none(&map("parameters")));
    let expansion = json::at(object, "allowVolumeExpansion").as_bool();
    page.entry("AllowVolumeExpansion", expansion.map_or("<unset>", super::truth));
    let options: Vec<String> = json::list(object, "mountOptions").iter().map(json::plain).collect();
    if options.is_empty() {
        page.entry("MountOptions", "<none>");
    } else {
        page.line(0, "MountOptions:");
        options.iter().for_each(|option| page.line(1, option));
    }
    if !json::text(object, "reclaimPolicy").is_empty() {
        page.entry("ReclaimPolicy", json::text(object, "reclaimPolicy"));
    }
    if !json::text(object, "volumeBindingMode").is_empty() {
        page.entry("VolumeBindingMode", json::text(object, "volumeBindingMode"));
    }
    events(call, found, page)
}
