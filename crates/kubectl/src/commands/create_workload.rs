//! `kubectl create deployment`, `job`, `cronjob`.

use serde_json::{Value, json as tree};

use super::Outcome;
use super::create::{generated, name, required};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const DEPLOYMENT_FLAGS: &str = "allow-missing-template-keys dry-run?unchanged field-manager= image=* o|output= port=i r|replicas=i \
    save-config show-managed-fields template= validate?strict";
pub(super) const JOB_FLAGS: &str = "allow-missing-template-keys dry-run?unchanged field-manager= from= image= o|output= save-config \
    show-managed-fields template= validate?strict";
pub(super) const CRON_FLAGS: &str = "allow-missing-template-keys dry-run?unchanged field-manager= image= o|output= restart= save-config \
    schedule= show-managed-fields template= validate?strict";

/// The words after `--`.
fn command(call: &Kubectl<'_, '_>) -> Vec<Value> {
    let start = call.flags.dash.unwrap_or(call.flags.words.len());
    call.flags.words[start..].iter().map(|word| word.as_str().into()).collect()
}

/// The name of a container from its image: `nginx` of `docker.io/nginx:1.25`.
fn container_name(image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or_default();
    let bare = last.split(['@', ':']).next().unwrap_or_default();
    bare.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '-' }).collect()
}

pub(super) fn deployment(call: &mut Kubectl<'_, '_>) -> Outcome {
    required(call, "image")?;
    let name = name(call, "create deployment")?;
    let images: Vec<String> = call.flags.split("image").into_iter().map(Into::into).collect();
    let command = command(call);
    if images.len() > 1 && !command.is_empty() {
        return Err(Failure::new("cannot specify multiple --image options and command"));
    }
    let containers: Vec<Value> = images
        .iter()
        .map(|image| {
            let mut container = tree!({"name": container_name(image), "image": image, "resources": {}});
            if !command.is_empty() {
                container["command"] = command.clone().into();
            }
            if let Some(port) = call.flags.number("port").filter(|port| *port > 0) {
                container["ports"] = tree!([{"containerPort": port}]);
            }
            container
        })
        .collect();
    let labels = tree!({"app": name});
    let object = tree!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "labels": labels, "creationTimestamp": null},
        "spec": {
            "replicas": call.flags.number("replicas").unwrap_or(1),
            "selector": {"matchLabels": labels},
            "strategy": {},
            "template": {"metadata": {"labels": labels, "creationTimestamp": null}, "spec": {"containers": containers}},
        },
        "status": {},
    });
    generated(call, "deployments.apps", object, "failed to create deployment: ")
}

fn pod_template(name: &str, image: &str, command: Vec<Value>, restart: &str) -> Value {
    let mut container = tree!({"name": name, "image": image, "resources": {}});
    if !command.is_empty() {
        container["command"] = command.into();
    }
    tree!({"metadata": {"creationTimestamp": null}, "spec": {"containers": [container], "restartPolicy": restart}})
}

pub(super) fn job(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create job")?;
    let (image, from) = (call.flags.text("image").to_string(), call.flags.text("from").to_string());
    if image.is_empty() == from.is_empty() {
        return Err(Failure::new("either --image or --from must be specified"));
    }
    let object = match from.is_empty() {
        true => tree!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "creationTimestamp": null},
            "spec": {"template": pod_template(&name, &image, command(call), "Never")},
            "status": {},
        }),
        false => {
            if !command(call).is_empty() {
                return Err(Failure::new("cannot specify --from and command"));
            }
            let found = call.targets(std::slice::from_ref(&from))?;
            let Some(target) = found.first() else { return Err(Failure::new("from must be an existing cronjob")) };
            if target.kind.plural != "cronjobs" {
                return Err(Failure::new("from must be an existing cronjob"));
            }
            let cron = call.object(
                &target.kind.clone(),
                &target.namespace.clone(),
                target.name.as_deref().unwrap_or_default(),
            )?;
            from_cron(&name, &cron)
        }
    };
    generated(call, "jobs.batch", object, "failed to create job: ")
}

fn from_cron(name: &str, cron: &Value) -> Value {
    let template = json::at(cron, "spec.jobTemplate");
    let mut annotations = json::at(template, "metadata.annotations").as_object().cloned().unwrap_or_default();
    annotations.insert("cronjob.kubernetes.io/instantiate".into(), "manual".into());
    let mut object = tree!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "name": name, "annotations": annotations, "creationTimestamp": null,
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "CronJob", "name": json::text(cron, "metadata.name"), "uid": json::text(cron, "metadata.uid"), "controller": true}],
        },
        "spec": json::at(template, "spec"),
        "status": {},
    });
    if let Some(labels) = json::at(template, "metadata").get("labels") {
        object["metadata"]["labels"] = labels.clone();
    }
    object
}

pub(super) fn cron_job(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create cronjob")?;
    let (image, schedule) = (required(call, "image")?, required(call, "schedule")?);
    let restart = call.flags.value("restart").unwrap_or("OnFailure").to_string();
    let object = tree!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"name": name, "creationTimestamp": null},
        "spec": {
            "schedule": schedule,
            "jobTemplate": {"metadata": {"name": name, "creationTimestamp": null}, "spec": {"template": pod_template(&name, &image, command(call), &restart)}},
        },
        "status": {},
    });
    generated(call, "cronjobs.batch", object, "failed to create cronjob: ")
}
