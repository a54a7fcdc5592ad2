//! Deployments, sets, jobs, autoscalers and budgets.

use serde_json::Value;

use super::{metadata, pods};
use crate::cron::CronSchedule;
use crate::json;
use crate::select::LabelSelector;
use crate::status::{FieldError, Verbatim};

/// What is wrong with an object that makes pods.
pub(super) fn check(storage: &str, object: &Value, errors: &mut Vec<FieldError>) {
    match storage {
        "deployments.apps" | "replicasets.apps" | "statefulsets.apps" | "daemonsets.apps" => {
            not_negative(object, &["spec.replicas", "spec.minReadySeconds", "spec.revisionHistoryLimit"], errors);
            selected_template(object, errors);
            restart_always(object, errors);
            match storage {
                "deployments.apps" => strategy(object, errors),
                "statefulsets.apps" => update_strategy(object, errors),
                _ => {}
            }
        }
        "jobs.batch" => {
            not_negative(
                object,
                &["spec.parallelism", "spec.completions", "spec.backoffLimit", "spec.activeDeadlineSeconds"],
                errors,
            );
            pods::spec(object, "spec.template.spec", errors);
            restart_rarely(object, "spec.template.spec.restartPolicy", errors);
        }
        "cronjobs.batch" => cron_job(object, errors),
        "horizontalpodautoscalers.autoscaling" => autoscaler(object, errors),
        "poddisruptionbudgets.policy"
            if !json::at(object, "spec.minAvailable").is_null()
                && !json::at(object, "spec.maxUnavailable").is_null() =>
        {
            let shown = Verbatim("policy.PodDisruptionBudgetSpec{}".into());
            let why = "minAvailable and maxUnavailable cannot be both set";
            errors.push(FieldError::invalid("spec", shown, why));
        }
        _ => {}
    }
}

fn not_negative(object: &Value, paths: &[&str], errors: &mut Vec<FieldError>) {
    for path in paths {
        if let Some(value) = json::int(object, path).filter(|value| *value < 0) {
            errors.push(FieldError::invalid(*path, value, "must be greater than or equal to 0"));
        }
    }
}

fn selected_template(object: &Value, errors: &mut Vec<FieldError>) {
    let selector = json::at(object, "spec.selector");
    let parsed = LabelSelector::of(selector);
    if selector.is_null() {
        errors.push(FieldError::required("spec.selector", ""));
    } else if parsed.is_everything() {
        let shown = Verbatim(
            "v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}"
                .into(),
        );
        let why = format!("empty selector is invalid for {}", json::text(object, "kind").to_lowercase());
        errors.push(FieldError::invalid("spec.selector", shown, &why));
    }
    let labels = json::at(object, "spec.template.metadata.labels");
    if !selector.is_null() && !parsed.is_everything() && !parsed.matches(labels) {
        let empty = Value::Object(serde_json::Map::new());
        let shown = if labels.is_null() { &empty } else { labels };
        errors.push(FieldError::invalid(
            "spec.template.metadata.labels",
            shown,
            "`selector` does not match template `labels`",
        ));
    }
    metadata::labels(labels, "spec.template.metadata.labels", errors);
    pods::spec(object, "spec.template.spec", errors);
}

fn restart_always(object: &Value, errors: &mut Vec<FieldError>) {
    let policy = json::text(object, "spec.template.spec.restartPolicy");
    if matches!(policy, "OnFailure" | "Never") {
        errors.push(FieldError::unsupported("spec.template.spec.restartPolicy", policy, &["Always"]));
    }
}

fn restart_rarely(object: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if json::text(object, path) == "Always" {
        errors.push(FieldError::unsupported(path, "Always", &["OnFailure", "Never"]));
    }
}

fn strategy(object: &Value, errors: &mut Vec<FieldError>) {
    let rolling = json::at(object, "spec.strategy.rollingUpdate");
    match json::text(object, "spec.strategy.type") {
        "Recreate" if !rolling.is_null() => {
            let why = "may not be specified when strategy `type` is 'Recreate'";
            errors.push(FieldError::forbidden("spec.strategy.rollingUpdate", why));
        }
        "Recreate" => {}
        "RollingUpdate" => {
            let is_zero = |value: &Value| {
                value.as_i64() == Some(0) || value.as_str() == Some("0%") || value.as_str() == Some("0")
            };
            let (surge, unavailable) = (json::at(rolling, "maxSurge"), json::at(rolling, "maxUnavailable"));
            if is_zero(surge) && is_zero(unavailable) {
                let shown = match unavailable {
                    Value::String(text) => format!("intstr.IntOrString{{Type:1, IntVal:0, StrVal:{text:?}}}"),
                    _ => "intstr.IntOrString{Type:0, IntVal:0, StrVal:\"\"}".into(),
                };
                let field = "spec.strategy.rollingUpdate.maxUnavailable";
                errors.push(FieldError::invalid(field, Verbatim(shown), "may not be 0 when `maxSurge` is 0"));
            }
        }
        other => errors.push(FieldError::unsupported("spec.strategy.type", other, &["Recreate", "RollingUpdate"])),
    }
}

fn update_strategy(object: &Value, errors: &mut Vec<FieldError>) {
    let kind = json::text(object, "spec.updateStrategy.type");
    if !matches!(kind, "RollingUpdate" | "OnDelete") {
        let rolling = "RollingUpdate:(*apps.RollingUpdateStatefulSetStrategy)(nil)";
        let shown = Verbatim(format!("apps.StatefulSetUpdateStrategy{{Type:{kind:?}, {rolling}}}"));
        errors.push(FieldError::invalid("spec.updateStrategy", shown, "must be 'RollingUpdate' or 'OnDelete'"));
    }
    let policy = json::text(object, "spec.podManagementPolicy");
    if !matches!(policy, "OrderedReady" | "Parallel") {
        let why = "must be 'OrderedReady' or 'Parallel'";
        errors.push(FieldError::invalid("spec.podManagementPolicy", policy, why));
    }
}

fn cron_job(object: &Value, errors: &mut Vec<FieldError>) {
    let schedule = json::text(object, "spec.schedule");
    if schedule.is_empty() {
        errors.push(FieldError::required("spec.schedule", ""));
    } else if let Err(why) = CronSchedule::parse(schedule) {
        errors.push(FieldError::invalid("spec.schedule", schedule, &why));
    }
    let policy = json::text(object, "spec.concurrencyPolicy");
    if !matches!(policy, "Allow" | "Forbid" | "Replace") {
        errors.push(FieldError::unsupported("spec.concurrencyPolicy", policy, &["Allow", "Forbid", "Replace"]));
    }
    if json::text(object, "metadata.name").len() > 52 {
        errors.push(FieldError::invalid(
            "metadata.name",
            json::text(object, "metadata.name"),
            "must be no more than 52 characters",
        ));
    }
    pods::spec(object, "spec.jobTemplate.spec.template.spec", errors);
    restart_rarely(object, "spec.jobTemplate.spec.template.spec.restartPolicy", errors);
}

fn autoscaler(object: &Value, errors: &mut Vec<FieldError>) {
    let (least, most) =
        (json::int(object, "spec.minReplicas").unwrap_or(1), json::int(object, "spec.maxReplicas").unwrap_or(0));
    if least < 1 {
        errors.push(FieldError::invalid("spec.minReplicas", least, "must be greater than or equal to 1"));
    }
    if most < 1 {
        errors.push(FieldError::invalid("spec.maxReplicas", most, "must be greater than 0"));
    } else if most < least {
        errors.push(FieldError::invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"));
    }
    for field in ["kind", "name"] {
        if json::text(object, &format!("spec.scaleTargetRef.{field}")).is_empty() {
            errors.push(FieldError::required(format!("spec.scaleTargetRef.{field}"), ""));
        }
    }
}
