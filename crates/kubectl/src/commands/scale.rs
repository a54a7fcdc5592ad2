//! `kubectl scale`.

use serde_json::json as tree;

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "all allow-missing-template-keys current-replicas=i dry-run?unchanged f|filename= k|kustomize= o|output= \
    R|recursive replicas=i resource-version= l|selector= show-managed-fields template= timeout=d";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    if call.flags.value("replicas").is_none() {
        return Err(Failure::new("required flag(s) \"replicas\" not set"));
    }
    let Some(replicas) = call.flags.number("replicas").filter(|count| *count >= 0) else {
        return Err(Failure::new(
            "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
        ));
    };
    let words = call.flags.words.clone();
    let found = call.wanted(&words).map_err(|failure| match failure.is_not_found() {
        true => Failure::new(format!("no objects passed to scale {}", failure.message())),
        false => failure,
    })?;
    if found.is_empty() {
        return Err(Failure::new("no objects passed to scale"));
    }
    let (dry, query) = (call.dry_run()?, call.dry_query()?);
    let expected = call.flags.number("current-replicas").filter(|count| *count >= 0);
    for one in found {
        if !one.kind.subresources.iter().any(|sub| sub == "scale") {
            // The server says so itself.
            call.get(&format!("{}/scale", one.path()))?;
        }
        if dry == "client" {
            call.tell(&one.shown(), &one.object, "scaled")?;
            continue;
        }
        let path = format!("{}/scale", one.path());
        if let Some(expected) = expected {
            let scale = call.get(&path)?;
            let current = json::int(&scale, "spec.replicas").unwrap_or(0);
            if current != expected {
                return Err(Failure::new(format!("Expected replicas to be {expected}, was {current}")));
            }
        }
        let body = tree!({"spec": {"replicas": replicas}}).to_string();
        let new = call.patch(PatchForm::Merge, &with_query(&path, &[("dryRun", query)]), &body)?;
        if let Some(span) = call.flags.span("timeout").filter(|span| !span.is_zero()) {
            use shell::Host;
            let end = call.desk.now().saturating_add(span.as_micros() as i64);
            loop {
                let scale = call.get(&path)?;
                if json::int(&scale, "status.replicas").unwrap_or(0) == replicas || !call.step(end) {
                    break;
                }
            }
        }
        call.tell(&one.shown(), &new, "scaled")?;
    }
    Ok(())
}
