//! `kubectl create role`, `rolebinding`, their cluster-wide kin, and `token`.

use serde_json::{Value, json as tree};

use super::Outcome;
use super::create::{generated, name};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const ROLE_FLAGS: &str = "aggregation-rule= allow-missing-template-keys dry-run?unchanged field-manager= non-resource-url=* \
    o|output= resource=* resource-name=* save-config show-managed-fields template= validate?strict verb=*";
pub(super) const BINDING_FLAGS: &str = "allow-missing-template-keys clusterrole= dry-run?unchanged field-manager= group=* o|output= role= \
    save-config serviceaccount=* show-managed-fields template= user=* validate?strict";

/// The rules that verbs and resources give: one for each group.
fn rules(call: &mut Kubectl<'_, '_>) -> Result<Vec<Value>, Failure> {
    let own = |values: Vec<&str>| values.into_iter().map(str::to_string).collect::<Vec<String>>();
    let mut verbs: Vec<String> = Vec::new();
    for verb in own(call.flags.split("verb")) {
        if verb == "*" {
            verbs = vec![verb];
            break;
        }
        if !verbs.contains(&verb) {
            verbs.push(verb);
        }
    }
    if verbs.is_empty() {
        return Err(Failure::new("at least one verb must be specified"));
    }
    let names = own(call.flags.split("resource-name"));
    let urls = own(call.flags.split("non-resource-url"));
    let resources = own(call.flags.split("resource"));
    if resources.is_empty() && urls.is_empty() {
        return Err(Failure::new("at least one resource must be specified"));
    }
    let mut rules: Vec<Value> = Vec::new();
    for resource in resources {
        let (word, sub) = resource.split_once('/').map_or((&*resource, None), |(word, sub)| (word, Some(sub)));
        let (group, plural) = match word {
            "*" => (String::from("*"), String::from("*")),
            word => {
                let kind = call.kind(word)?;
                (kind.group.clone(), kind.plural.clone())
            }
        };
        let full = sub.map_or(plural.clone(), |sub| format!("{plural}/{sub}"));
        match rules.iter_mut().find(|rule| rule["apiGroups"][0] == group.as_str()) {
            Some(rule) => rule["resources"].as_array_mut().expect("it was made as a list").push(full.into()),
            None => {
                let mut rule = tree!({"apiGroups": [group], "resources": [full], "verbs": verbs});
                if !names.is_empty() {
                    rule["resourceNames"] = names.clone().into();
                }
                rules.push(rule);
            }
        }
    }
    if !urls.is_empty() {
        rules.push(tree!({"nonResourceURLs": urls, "verbs": verbs}));
    }
    Ok(rules)
}

pub(super) fn role(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create role")?;
    let object = tree!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name, "creationTimestamp": null}, "rules": rules(call)?});
    generated(call, "roles.rbac.authorization.k8s.io", object, "")
}

pub(super) fn cluster_role(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create clusterrole")?;
    let object = tree!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name, "creationTimestamp": null}, "rules": rules(call)?});
    generated(call, "clusterroles.rbac.authorization.k8s.io", object, "")
}

fn subjects(call: &Kubectl<'_, '_>) -> Result<Vec<Value>, Failure> {
    let group = "rbac.authorization.k8s.io";
    let mut all: Vec<Value> = Vec::new();
    all.extend(
        call.flags.split("user").into_iter().map(|name| tree!({"apiGroup": group, "kind": "User", "name": name})),
    );
    all.extend(
        call.flags.split("group").into_iter().map(|name| tree!({"apiGroup": group, "kind": "Group", "name": name})),
    );
    for account in call.flags.split("serviceaccount") {
        let Some((namespace, name)) =
            account.split_once(':').filter(|(space, name)| !space.is_empty() && !name.is_empty())
        else {
            return Err(Failure::new("serviceaccount must be <namespace>:<name>"));
        };
        all.push(tree!({"kind": "ServiceAccount", "name": name, "namespace": namespace}));
    }
    Ok(all)
}

pub(super) fn role_binding(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create rolebinding")?;
    let (role, cluster_role) = (call.flags.text("role"), call.flags.text("clusterrole"));
    let (kind, target) = match (role, cluster_role) {
        (role, "") if !role.is_empty() => ("Role", role),
        ("", role) if !role.is_empty() => ("ClusterRole", role),
        _ => return Err(Failure::new("exactly one of clusterrole or role must be specified")),
    };
    let object = tree!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name, "creationTimestamp": null},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": target}, "subjects": subjects(call)?,
    });
    generated(call, "rolebindings.rbac.authorization.k8s.io", object, "failed to create rolebinding: ")
}

pub(super) fn cluster_role_binding(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create clusterrolebinding")?;
    let role = super::create::required(call, "clusterrole")?;
    let object = tree!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name, "creationTimestamp": null},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}, "subjects": subjects(call)?,
    });
    generated(call, "clusterrolebindings.rbac.authorization.k8s.io", object, "failed to create clusterrolebinding: ")
}

pub(super) fn token(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create token")?;
    let kind = call.kind("serviceaccounts")?;
    let mut body = tree!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": {"creationTimestamp": null}, "spec": {"audiences": call.flags.split("audience")}});
    if let Some(span) = call.flags.span("duration") {
        body["spec"]["expirationSeconds"] = span.as_secs().into();
    }
    let path = format!("{}/token", kind.object_path(&call.namespace(), &name));
    let made = call
        .create(&path, &body)
        .map_err(|failure| Failure::new(format!("failed to create token: {}", failure.message())))?;
    match call.flags.value("output").map(str::to_string) {
        Some(form) if form != "name" => {
            let text = call.printed(&form, &made)?;
            call.out.push_str(&text);
        }
        _ => call.say(json::text(&made, "status.token")),
    }
    Ok(())
}
