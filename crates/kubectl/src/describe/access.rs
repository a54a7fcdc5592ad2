//! ServiceAccounts, roles and bindings.

use serde_json::Value;

use super::{Page, events};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) fn account(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.head(object, true);
    let kind = call.kind("secrets")?;
    let uid = json::text(object, "metadata.uid");
    let secrets = call.list(&kind, &found.namespace, "", "").unwrap_or_default();
    let tokens: Vec<String> = secrets
        .iter()
        .filter(|secret| json::text(secret, "type") == "kubernetes.io/service-account-token")
        .filter(|secret| {
            json::at(secret, "metadata.annotations")
                .get("kubernetes.io/service-account.uid")
                .is_some_and(|known| known == uid)
        })
        .map(|secret| json::text(secret, "metadata.name").to_string())
        .collect();
    let names =
        |path: &str| json::list(object, path).iter().map(|one| json::text(one, "name").to_string()).collect::<Vec<_>>();
    for (title, all) in
        [("Image pull secrets", names("imagePullSecrets")), ("Mountable secrets", names("secrets")), ("Tokens", tokens)]
    {
        if all.is_empty() {
            page.entry(title, "<none>");
        }
        for (at, name) in all.iter().enumerate() {
            page.line(0, format!("{}\t{name}", if at == 0 { format!("{title}:") } else { String::new() }));
        }
    }
    events(call, found, page)
}

/// The rows of a table of rules: resources, URLs, names, verbs. Rules about the same are one row.
pub(crate) fn rule_rows(rules: &[Value]) -> Vec<[String; 4]> {
    let texts = |rule: &Value, field: &str| json::list(rule, field).iter().map(json::plain).collect::<Vec<_>>();
    let mut simple: Vec<([String; 3], Vec<String>)> = Vec::new();
    for rule in rules {
        let verbs = texts(rule, "verbs");
        let mut places: Vec<[String; 3]> = Vec::new();
        for group in texts(rule, "apiGroups") {
            for resource in texts(rule, "resources") {
                let full = match (group.as_str(), resource.split_once('/')) {
                    ("", _) => resource.clone(),
                    (group, Some((plural, sub))) => format!("{plural}.{group}/{sub}"),
                    (group, None) => format!("{resource}.{group}"),
                };
                let names = texts(rule, "resourceNames");
                match names.is_empty() {
                    true => places.push([full, "[]".into(), "[]".into()]),
                    false => places.extend(names.iter().map(|name| [full.clone(), "[]".into(), format!("[{name}]")])),
                }
            }
        }
        places.extend(
            texts(rule, "nonResourceURLs").into_iter().map(|url| [String::new(), format!("[{url}]"), "[]".into()]),
        );
        for place in places {
            match simple.iter_mut().find(|(known, _)| *known == place && !known[0].is_empty()) {
                Some((_, known)) => verbs.iter().for_each(|verb| {
                    if !known.contains(verb) {
                        known.push(verb.clone());
                    }
                }),
                None => simple.push((place, verbs.clone())),
            }
        }
    }
    // Longer names first where they begin alike, as the real order of its keys has it.
    simple.sort_by(|a, b| order(&b.0[0]).cmp(&order(&a.0[0])).then_with(|| a.0.cmp(&b.0)));
    simple
        .into_iter()
        .map(|([resource, url, name], verbs)| [resource, url, name, format!("[{}]", verbs.join(" "))])
        .collect()
}

/// More specific resources come first: those of a group, then those of the core.
fn order(resource: &str) -> (bool, usize) {
    (!resource.is_empty(), resource.matches(['.', '/']).count())
}

pub(super) fn role(found: &Found, page: &mut Page) {
    page.head(&found.object, false);
    page.line(0, "PolicyRule:\n  Resources\tNon-Resource URLs\tResource Names\tVerbs\n  ---------\t-----------------\t--------------\t-----");
    for row in rule_rows(json::list(&found.object, "rules")) {
        page.line(1, row.join("\t"));
    }
}

pub(super) fn binding(found: &Found, page: &mut Page) {
    let object = &found.object;
    page.head(object, false);
    page.line(0, "Role:");
    page.line(1, format!("Kind:\t{}", json::text(object, "roleRef.kind")));
    page.line(1, format!("Name:\t{}", json::text(object, "roleRef.name")));
    page.line(0, "Subjects:\n  Kind\tName\tNamespace\n  ----\t----\t---------");
    for subject in json::list(object, "subjects") {
        page.line(
            1,
            format!(
                "{}\t{}\t{}",
                json::text(subject, "kind"),
                json::text(subject, "name"),
                json::text(subject, "namespace")
            ),
        );
    }
}
