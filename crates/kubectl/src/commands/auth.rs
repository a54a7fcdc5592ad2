//! `kubectl auth`.

use serde_json::{Value, json as tree};

use super::Outcome;
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::tabs::Tabs;

pub(super) const CAN_FLAGS: &str = "A|all-namespaces list no-headers q|quiet subresource=";

pub(super) fn can_i(call: &mut Kubectl<'_, '_>) -> Outcome {
    if call.flags.has("list") {
        return list(call);
    }
    let words = call.flags.words.clone();
    let (verb, what, name) = match &words[..] {
        [verb, what] => (verb.clone(), what.clone(), String::new()),
        [verb, what, name] => (verb.clone(), what.clone(), name.clone()),
        _ => {
            return Err(Failure::new(
                "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples",
            ));
        }
    };
    let namespace = if call.flags.has("all-namespaces") { String::new() } else { call.namespace() };
    let spec = if what.starts_with('/') {
        tree!({"nonResourceAttributes": {"verb": verb, "path": what}})
    } else {
        let (word, own) = what.split_once('/').map_or((&*what, ""), |(word, own)| (word, own));
        let name = if own.is_empty() { name.as_str() } else { own };
        let (group, plural) = match call.kind(word) {
            Ok(kind) => {
                if !kind.is_namespaced {
                    let group =
                        if kind.group.is_empty() { String::new() } else { format!(" in group '{}'", kind.group) };
                    call.warn(format!("Warning: resource '{}' is not namespace scoped{group}\n", kind.plural));
                }
                (kind.group.clone(), kind.plural.clone())
            }
            Err(_) if word == "*" => ("*".into(), "*".into()),
            Err(_) => {
                call.warn(format!("Warning: the server doesn't have a resource type '{word}'\n"));
                let (plural, group) = word.split_once('.').unwrap_or((word, ""));
                (group.to_string(), plural.to_string())
            }
        };
        tree!({"resourceAttributes": {
            "namespace": namespace, "verb": verb, "group": group, "resource": plural,
            "subresource": call.flags.text("subresource"), "name": name,
        }})
    };
    if !is_known_verb(call, &verb)? {
        call.warn(format!("Warning: verb '{verb}' is not a known verb\n"));
    }
    let body = tree!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": spec});
    let answer = call.create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &body)?;
    let allowed = json::flag(&answer, "status.allowed");
    if !call.flags.has("quiet") {
        let mut line = String::from(if allowed { "yes" } else { "no" });
        for field in ["status.reason", "status.evaluationError"] {
            let text = json::text(&answer, field);
            if !allowed && !text.is_empty() {
                line.push_str(&format!(" - {text}"));
            }
        }
        call.say(line);
    }
    if allowed { Ok(()) } else { Err(Failure::Silent(1)) }
}

/// Whether some resource has the verb, or access rules know it.
fn is_known_verb(call: &mut Kubectl<'_, '_>, verb: &str) -> Result<bool, Failure> {
    let special = ["*", "use", "bind", "impersonate", "escalate", "approve", "sign", "attest"];
    Ok(special.contains(&verb) || call.discovery()?.kinds.iter().any(|kind| kind.allows(verb)))
}

fn list(call: &mut Kubectl<'_, '_>) -> Outcome {
    let namespace = call.namespace();
    let body = tree!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {"namespace": namespace}});
    let answer = call.create("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", &body)?;
    let mut text = String::new();
    if !call.flags.has("no-headers") {
        text.push_str("Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
    }
    for row in crate::describe::rule_rows(&rules(&answer)) {
        text.push_str(&format!("{}\n", row.join("\t")));
    }
    call.out.push_str(&Tabs::table().align(&text));
    Ok(())
}

fn rules(answer: &Value) -> Vec<Value> {
    let resources = json::list(answer, "status.resourceRules").iter();
    resources.chain(json::list(answer, "status.nonResourceRules")).cloned().collect()
}

pub(super) fn whoami(call: &mut Kubectl<'_, '_>) -> Outcome {
    let body = tree!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview", "metadata": {"creationTimestamp": null}});
    let answer = call.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", &body)?;
    if let Some(form) = call.flags.value("output").filter(|form| !form.is_empty()).map(str::to_string) {
        let text = call.printed(&form, &answer)?;
        call.out.push_str(&text);
        return Ok(());
    }
    let info = json::at(&answer, "status.userInfo");
    let mut text = String::from("ATTRIBUTE\tVALUE\n");
    if !json::text(info, "username").is_empty() {
        text.push_str(&format!("Username\t{}\n", json::text(info, "username")));
    }
    if !json::text(info, "uid").is_empty() {
        text.push_str(&format!("UID\t{}\n", json::text(info, "uid")));
    }
    let groups: Vec<&str> = json::list(info, "groups").iter().filter_map(Value::as_str).collect();
    if !groups.is_empty() {
        text.push_str(&format!("Groups\t[{}]\n", groups.join(" ")));
    }
    call.out.push_str(&Tabs::table().align(&text));
    Ok(())
}

pub(super) fn reconcile(_: &mut Kubectl<'_, '_>) -> Outcome {
    Err(Failure::new("auth reconcile is not supported here; use apply"))
}
