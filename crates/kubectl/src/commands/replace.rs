//! `kubectl replace`.

use serde_json::json as tree;

use super::Outcome;
use crate::client::with_query;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "allow-missing-template-keys cascade?background dry-run?unchanged field-manager= f|filename= force \
    grace-period=i k|kustomize= o|output= raw= R|recursive save-config show-managed-fields subresource= template= timeout=d \
    validate?strict wait";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    if call.flags.value("filename").is_none() {
        return Err(Failure::new("must specify one of -f and -k"));
    }
    let manifests = call.manifests()?;
    if manifests.is_empty() {
        return Err(Failure::new("no objects passed to replace"));
    }
    let (dry, query) = (call.dry_run()?, call.dry_query()?);
    let manager = super::label::manager(call, "kubectl-replace");
    let validation = super::apply::validation(call);
    let sub = call.flags.text("subresource").to_string();
    let mut failures = Vec::new();
    for written in manifests {
        let (kind, namespace) = call.mapping(&written.object, &written.source)?;
        let mut object = written.object.clone();
        if kind.is_namespaced {
            json::set(&mut object, "metadata.namespace", namespace.clone());
        }
        let name = json::text(&object, "metadata.name").to_string();
        if call.flags.has("save-config")
            || json::at(&object, "metadata.annotations").get(super::apply::LAST_APPLIED).is_some()
        {
            object = super::apply::annotated(&object);
        }
        let shown = format!("{}/{name}", kind.shown());
        let params = [("dryRun", query), ("fieldManager", manager.as_str()), ("fieldValidation", validation)];
        if dry == "client" {
            call.tell(&shown, &object, "replaced")?;
            continue;
        }
        let path = kind.object_path(&namespace, &name);
        let made = if call.flags.has("force") {
            let gone = call.delete(&path, &tree!({"propagationPolicy": "Background"}));
            match gone {
                Ok(_) => call.say(format!("{} {} deleted", kind.shown(), quote(&name))),
                Err(failure) if failure.is_not_found() => {}
                Err(failure) => return Err(failure),
            }
            let end = call.patience();
            while call.object(&kind, &namespace, &name).is_ok() && call.step(end) {}
            json::remove(&mut object, "metadata.resourceVersion");
            json::remove(&mut object, "metadata.uid");
            call.create(&with_query(&kind.path(&namespace), &params), &object)
        } else {
            let path = if sub.is_empty() { path } else { format!("{path}/{sub}") };
            call.replace(&with_query(&path, &params), &object)
        };
        match made {
            Ok(made) => call.tell(&shown, &made, "replaced")?,
            Err(failure) => {
                failures.push(failure.prefixed(&format!("error when replacing {}: ", quote(&written.source))))
            }
        }
    }
    Failure::all(failures)
}
