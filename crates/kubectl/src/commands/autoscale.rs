//! `kubectl autoscale`.

use serde_json::json as tree;

use super::Outcome;
use crate::client::with_query;
use crate::failure::Failure;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "allow-missing-template-keys cpu-percent=i dry-run?unchanged field-manager= f|filename= k|kustomize= max=i min=i \
    name= o|output= R|recursive save-config show-managed-fields template=";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    if call.flags.value("max").is_none() {
        return Err(Failure::new("required flag(s) \"max\" not set"));
    }
    let max = call.flags.number("max").unwrap_or(-1);
    if max < 1 {
        return Err(Failure::new(format!("--max=MAXPODS is required and must be at least 1, max: {max}")));
    }
    let min = call.flags.number("min").unwrap_or(-1);
    if min > max {
        return Err(Failure::new(format!(
            "--max=MAXPODS must be larger or equal to --min=MINPODS, max: {max}, min: {min}"
        )));
    }
    let words = call.flags.words.clone();
    let found = call.wanted(&words)?;
    if found.is_empty() {
        return Err(Failure::new("no objects passed to autoscale"));
    }
    for one in found {
        if !one.kind.subresources.iter().any(|sub| sub == "scale") || one.kind.kind == "DaemonSet" {
            return Err(Failure::new(format!("cannot autoscale a {}: no kind with a scale", one.kind.kind)));
        }
        let name = call.flags.value("name").unwrap_or(&one.name).to_string();
        let mut spec = tree!({
            "scaleTargetRef": {"apiVersion": one.kind.api_version(), "kind": one.kind.kind, "name": one.name},
            "maxReplicas": max,
        });
        if min > 0 {
            spec["minReplicas"] = min.into();
        }
        if let Some(percent) = call.flags.number("cpu-percent").filter(|percent| *percent >= 0) {
            spec["targetCPUUtilizationPercentage"] = percent.into();
        }
        let object = tree!({
            "apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": name, "creationTimestamp": null}, "spec": spec,
            "status": {"currentReplicas": 0, "desiredReplicas": 0},
        });
        let shown = format!("horizontalpodautoscaler.autoscaling/{name}");
        if call.dry_run()? == "client" {
            call.tell(&shown, &object, "autoscaled")?;
            continue;
        }
        let query = call.dry_query()?;
        let manager = super::label::manager(call, "kubectl-autoscale");
        let path = format!("/apis/autoscaling/v1/namespaces/{}/horizontalpodautoscalers", one.namespace);
        let made = call.create(&with_query(&path, &[("dryRun", query), ("fieldManager", &manager)]), &object)?;
        call.tell(&shown, &made, "autoscaled")?;
    }
    Ok(())
}
