//! `kubectl describe`.

use super::Outcome;
use crate::describe;
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::{Found, Target};

pub(super) const FLAGS: &str =
    "A|all-namespaces chunk-size=i f|filename= k|kustomize= R|recursive l|selector= show-events";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    let mut targets = call.file_targets()?;
    if targets.is_empty() {
        targets = call.targets(&words)?;
    }
    if targets.is_empty() {
        return Err(Failure::new(
            "You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.",
        ));
    }
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    for target in &targets {
        let (some, missing) = call.found(std::slice::from_ref(target));
        found.extend(some);
        for failure in missing {
            match by_prefix(call, target, &failure) {
                Some(some) => {
                    for one in &some {
                        let text = describe::one(call, one)?;
                        call.say(text);
                    }
                    return Ok(());
                }
                None => failures.push(failure),
            }
        }
    }
    if found.is_empty() && failures.is_empty() {
        let namespaced = targets.iter().all(|target| target.kind.is_namespaced) && !call.flags.has("all-namespaces");
        match namespaced {
            true => call.warn(format!("No resources found in {} namespace.", call.namespace())),
            false => call.warn("No resources found"),
        }
    }
    for (at, one) in found.iter().enumerate() {
        let text = describe::one(call, one)?;
        if at > 0 {
            call.out.push_str("\n\n");
        }
        call.out.push_str(&text);
    }
    Failure::all(failures)
}

/// A name that is not there may be the beginning of others.
fn by_prefix(call: &mut Kubectl<'_, '_>, target: &Target, failure: &Failure) -> Option<Vec<Found>> {
    let prefix = target.name.as_ref().filter(|_| failure.is_not_found())?;
    let all = Target { name: None, ..target.clone() };
    let (found, _) = call.found(&[all]);
    let some: Vec<Found> =
        found.into_iter().filter(|one| json::text(&one.object, "metadata.name").starts_with(prefix.as_str())).collect();
    Some(some).filter(|some| !some.is_empty())
}
