//! ResourceQuotas: what a namespace may hold in all.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::accounts::shown_name;
use crate::Cluster;
use crate::json;
use crate::quantity::Quantity;
use crate::resource::Resource;
use crate::status::ApiError;
use crate::store::{ObjectKey, Stored};

type Amounts = BTreeMap<String, Quantity>;

/// Charges a new object to all quotas of its namespace; refuses it if one of them has no room.
pub(super) fn charge(
    cluster: &mut Cluster,
    resource: &Resource,
    object: &Value,
    dry_run: bool,
) -> Result<(), ApiError> {
    let namespace = json::text(object, "metadata.namespace").to_string();
    if namespace.is_empty() || &*resource.storage == "events" {
        return Ok(());
    }
    let quotas: Vec<_> = cluster.store.list("resourcequotas", Some(&namespace)).cloned().collect();
    let mut charged = Vec::new();
    for quota in quotas.iter().filter(|quota| is_in_scope(quota, resource, object)) {
        let asked = of(resource, object);
        must_specify(quota, resource, object)?;
        let used = used(quota);
        let (mut over, mut new) = (Vec::new(), used.clone());
        for (name, hard) in hard(quota) {
            let Some(wanted) = asked.get(&name).copied().filter(|wanted| wanted.amount() != 0) else { continue };
            let before = used.get(&name).copied().unwrap_or(Quantity::ZERO);
            let after = before.plus(wanted);
            if after.amount() > hard.amount() {
                over.push((name.clone(), wanted, before, hard));
            }
            new.insert(name, after);
        }
        if !over.is_empty() {
            return Err(refusal(quota, resource, object, &over));
        }
        charged.push((quota.clone(), new));
    }
    if !dry_run {
        for (quota, used) in charged {
            write(cluster, &quota, &used);
        }
    }
    Ok(())
}

/// Counts again what a namespace holds, for one quota.
pub(crate) fn recount(cluster: &mut Cluster, quota: &Stored) {
    let namespace = json::text(quota, "metadata.namespace").to_string();
    let mut used = Amounts::new();
    let storages: Vec<_> = cluster.store.resources().cloned().collect();
    for storage in storages {
        let Some(resource) = cluster.registry.stored(&storage).cloned() else { continue };
        for object in
            cluster.store.list(&storage, Some(&namespace)).filter(|object| is_in_scope(quota, &resource, object))
        {
            for (name, amount) in of(&resource, object) {
                let sum = used.get(&name).copied().unwrap_or(Quantity::ZERO).plus(amount);
                used.insert(name, sum);
            }
        }
    }
    write(cluster, quota, &used);
}

fn write(cluster: &mut Cluster, quota: &Stored, used: &Amounts) {
    let mut new = Value::clone(quota);
    let shown: Map<String, Value> = hard(quota)
        .into_keys()
        .map(|name| {
            let amount = used.get(&name).copied().unwrap_or(Quantity::ZERO);
            (name, amount.text().into())
        })
        .collect();
    json::set(&mut new, "status.hard", json::at(quota, "spec.hard").clone());
    json::set(&mut new, "status.used", shown);
    if new != **quota {
        let key = ObjectKey::new(
            "resourcequotas",
            json::text(quota, "metadata.namespace"),
            json::text(quota, "metadata.name"),
        );
        cluster.put(key, new);
    }
}

fn hard(quota: &Value) -> Amounts {
    let parse = |(name, value): (&String, &Value)| Some((name.clone(), Quantity::parse(value.as_str()?)?));
    json::entries(quota, "spec.hard").filter_map(parse).collect()
}

fn used(quota: &Value) -> Amounts {
    let parse = |(name, value): (&String, &Value)| Some((name.clone(), Quantity::parse(value.as_str()?)?));
    json::entries(quota, "status.used").filter_map(parse).collect()
}

/// What an object uses, under the names that quotas have for it.
fn of(resource: &Resource, object: &Value) -> Amounts {
    let mut amounts = Amounts::new();
    let one = Quantity::from_milli(1000);
    amounts.insert(format!("count/{}", resource.group_resource()), one);
    match &*resource.storage {
        "pods" => pod(object, &mut amounts, one),
        "services" => {
            amounts.insert("services".into(), one);
            let kind = json::text(object, "spec.type");
            if kind == "LoadBalancer" {
                amounts.insert("services.loadbalancers".into(), one);
            }
            let ports =
                json::list(object, "spec.ports").iter().filter(|port| json::int(port, "nodePort").is_some()).count();
            amounts.insert("services.nodeports".into(), Quantity::from_milli(1000 * ports as i64));
        }
        "persistentvolumeclaims" => {
            amounts.insert("persistentvolumeclaims".into(), one);
            let wanted = json::text(object, "spec.resources.requests.storage");
            if let Some(storage) = Quantity::parse(wanted) {
                amounts.insert("requests.storage".into(), storage);
                let class = json::text(object, "spec.storageClassName");
                amounts.insert(format!("{class}.storageclass.storage.k8s.io/requests.storage"), storage);
            }
        }
        "configmaps" | "secrets" | "replicationcontrollers" | "resourcequotas" => {
            amounts.insert(resource.plural.clone(), one);
        }
        _ => {}
    }
    amounts
}

/// Pods that are over use nothing but their place in the count of objects.
fn pod(object: &Value, amounts: &mut Amounts, one: Quantity) {
    if matches!(json::text(object, "status.phase"), "Succeeded" | "Failed") {
        return;
    }
    amounts.insert("pods".into(), one);
    for (kind, prefix) in [("requests", "requests."), ("limits", "limits.")] {
        for name in ["cpu", "memory", "ephemeral-storage"] {
            let part = |container: &Value| {
                json::at(container, "resources").get(kind)?.get(name)?.as_str().and_then(Quantity::parse)
            };
            let sum = json::list(object, "spec.containers").iter().filter_map(part).reduce(Quantity::plus);
            let most =
                json::list(object, "spec.initContainers").iter().filter_map(part).max_by_key(|amount| amount.amount());
            let Some(amount) = sum.into_iter().chain(most).max_by_key(|amount| amount.amount()) else { continue };
            amounts.insert(format!("{prefix}{name}"), amount);
            if kind == "requests" {
                amounts.insert(name.into(), amount);
            }
        }
    }
}

/// A quota on cpu or memory wants every container to say what it needs.
fn must_specify(quota: &Value, resource: &Resource, object: &Value) -> Result<(), ApiError> {
    if &*resource.storage != "pods" {
        return Ok(());
    }
    let mut missing: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in hard(quota).into_keys() {
        let (kind, bare) = match name.split_once('.') {
            Some(("requests", bare)) => ("requests", bare),
            Some(("limits", bare)) => ("limits", bare),
            _ => ("requests", name.as_str()),
        };
        if !matches!(bare, "cpu" | "memory") {
            continue;
        }
        for container in json::list(object, "spec.containers").iter().chain(json::list(object, "spec.initContainers")) {
            if json::at(container, "resources").get(kind).and_then(|map| map.get(bare)).is_none() {
                missing.entry(name.clone()).or_default().push(json::text(container, "name"));
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let missing: Vec<_> =
        missing.iter().map(|(name, containers)| format!("{name} for: {}", containers.join(","))).collect();
    let why = format!("failed quota: {}: must specify {}", json::text(quota, "metadata.name"), missing.join("; "));
    Err(ApiError::forbidden(resource, shown_name(object), &why))
}

fn refusal(
    quota: &Value,
    resource: &Resource,
    object: &Value,
    over: &[(String, Quantity, Quantity, Quantity)],
) -> ApiError {
    let join = |part: fn(&(String, Quantity, Quantity, Quantity)) -> Quantity| {
        over.iter().map(|one| format!("{}={}", one.0, part(one).text())).collect::<Vec<_>>().join(",")
    };
    let why = format!(
        "exceeded quota: {}, requested: {}, used: {}, limited: {}",
        json::text(quota, "metadata.name"),
        join(|one| one.1),
        join(|one| one.2),
        join(|one| one.3)
    );
    ApiError::forbidden(resource, shown_name(object), &why)
}

fn is_in_scope(quota: &Value, resource: &Resource, object: &Value) -> bool {
    let plain = json::list(quota, "spec.scopes").iter().filter_map(Value::as_str).map(|scope| (scope, None));
    let terms = json::list(quota, "spec.scopeSelector.matchExpressions");
    let selected = terms.iter().map(|term| (json::text(term, "scopeName"), Some(term)));
    let mut scopes = plain.chain(selected).peekable();
    if scopes.peek().is_none() {
        return true;
    }
    &*resource.storage == "pods" && scopes.all(|(scope, term)| pod_in_scope(scope, term, object))
}

fn pod_in_scope(scope: &str, term: Option<&Value>, pod: &Value) -> bool {
    let best_effort = json::text(pod, "status.qosClass") == "BestEffort";
    let has_deadline = json::int(pod, "spec.activeDeadlineSeconds").is_some();
    match scope {
        "BestEffort" => best_effort,
        "NotBestEffort" => !best_effort,
        "Terminating" => has_deadline,
        "NotTerminating" => !has_deadline,
        "PriorityClass" => {
            let class = json::text(pod, "spec.priorityClassName");
            let Some(term) = term else { return !class.is_empty() };
            let listed = json::list(term, "values").iter().any(|value| value == class);
            match json::text(term, "operator") {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => !class.is_empty(),
                _ => class.is_empty(),
            }
        }
        _ => false,
    }
}
