//! Patches made on the operator's side: what `apply`, `set` and `edit` send.

use serde_json::{Map, Value, json as tree};

use crate::json;

/// Whether lists are merged by keys (built-in kinds) or replaced (custom ones).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    Merged,
    Replaced,
}

/// The key by which a list of a built-in kind is merged.
fn merge_key(field: &str, kind: &str, parent: &str) -> Option<&'static str> {
    Some(match field {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "volumes"
        | "env"
        | "imagePullSecrets"
        | "webhooks"
        | "resourceClaims" => "name",
        "secrets" if kind == "ServiceAccount" => "name",
        "ports" if kind == "Service" => "port",
        "ports" if parent == "containers" || parent == "initContainers" => "containerPort",
        "volumeMounts" => "mountPath",
        "volumeDevices" => "devicePath",
        "hostAliases" => "ip",
        "topologySpreadConstraints" => "topologyKey",
        "ownerReferences" => "uid",
        "conditions" => "type",
        "matchConditions" | "variables" => "name",
        _ => return None,
    })
}

/// Whether a map drops what the patch does not name.
fn retains(field: &str, parent: &str, kind: &str) -> bool {
    (field == "strategy" && kind == "Deployment") || parent == "volumes"
}

/// What changes one object into another.
pub(crate) fn two_way(from: &Value, to: &Value, lists: Lists) -> Value {
    let diff = Diff { lists, kind: json::text(to, "kind").into(), deletes: true, changes: true };
    Value::Object(diff.maps(from, to, ""))
}

/// What `apply` sends: changes from the live object, and deletions of what was applied before and is no longer written.
pub(crate) fn three_way(original: &Value, modified: &Value, live: &Value, lists: Lists) -> Value {
    let kind: String = json::text(modified, "kind").into();
    let changes = Diff { lists, kind: kind.clone(), deletes: false, changes: true }.maps(live, modified, "");
    let deletions = Diff { lists, kind: kind.clone(), deletes: true, changes: false }.maps(original, modified, "");
    let mut patch = Value::Object(changes);
    merge(&mut patch, Value::Object(deletions), &kind, "");
    prune(&mut patch, live, &kind, "");
    patch
}

struct Diff {
    lists: Lists,
    kind: String,
    deletes: bool,
    changes: bool,
}

impl Diff {
    fn maps(&self, from: &Value, to: &Value, parent: &str) -> Map<String, Value> {
        let mut patch = Map::new();
        let empty = Map::new();
        let (from, to) = (from.as_object().unwrap_or(&empty), to.as_object().unwrap_or(&empty));
        for (name, new) in to {
            let Some(old) = from.get(name) else {
                if self.changes {
                    patch.insert(name.clone(), new.clone());
                }
                continue;
            };
            match (old, new) {
                (Value::Object(_), Value::Object(new_map)) => {
                    let mut inner = self.maps(old, new, name);
                    if !inner.is_empty() {
                        if self.lists == Lists::Merged && self.changes && retains(name, "", &self.kind) {
                            inner.insert("$retainKeys".into(), new_map.keys().cloned().collect());
                        }
                        patch.insert(name.clone(), Value::Object(inner));
                    }
                }
                (Value::Array(a), Value::Array(b)) => self.list(name, a, b, parent, &mut patch),
                _ if old != new && self.changes => drop(patch.insert(name.clone(), new.clone())),
                _ => {}
            }
        }
        if self.deletes {
            for name in from.keys().filter(|name| !to.contains_key(*name)) {
                patch.insert(name.clone(), Value::Null);
            }
        }
        patch
    }

    fn list(&self, name: &str, from: &[Value], to: &[Value], parent: &str, patch: &mut Map<String, Value>) {
        let key = merge_key(name, &self.kind, parent).filter(|_| self.lists == Lists::Merged);
        let keyed = key.filter(|key| from.iter().chain(to).all(|item| item.get(*key).is_some()));
        let Some(key) = keyed else {
            if from != to && self.changes {
                patch.insert(name.into(), to.to_vec().into());
            }
            return;
        };
        let mut items = Vec::new();
        for new in to {
            match from.iter().find(|old| old[key] == new[key]) {
                Some(old) => {
                    let mut inner = self.maps(old, new, name);
                    if !inner.is_empty() {
                        if self.changes && retains("", name, &self.kind) {
                            let names: Vec<Value> =
                                new.as_object().into_iter().flatten().map(|(name, _)| name.as_str().into()).collect();
                            inner.insert("$retainKeys".into(), names.into());
                        }
                        inner.insert(key.into(), new[key].clone());
                        items.push(Value::Object(inner));
                    }
                }
                None if self.changes => items.push(new.clone()),
                None => {}
            }
        }
        if self.deletes {
            let gone = from.iter().filter(|old| !to.iter().any(|new| new[key] == old[key]));
            items.extend(gone.map(|old| tree!({"$patch": "delete", key: old[key]})));
        }
        let reordered = self.changes && from.len() == to.len() && from.iter().zip(to).any(|(a, b)| a[key] != b[key]);
        if items.is_empty() && !reordered {
            return;
        }
        let order: Vec<Value> = to.iter().map(|item| tree!({key: item[key]})).collect();
        patch.insert(format!("$setElementOrder/{name}"), order.into());
        if !items.is_empty() {
            patch.insert(name.into(), items.into());
        }
    }
}

/// Adds the deletions to the changes.
fn merge(into: &mut Value, from: Value, kind: &str, parent: &str) {
    let Value::Object(from) = from else { return };
    let into = json::map_mut(into);
    for (name, value) in from {
        match (into.get_mut(&name), value) {
            (Some(old @ Value::Object(_)), value @ Value::Object(_)) => merge(old, value, kind, &name),
            (Some(Value::Array(items)), Value::Array(more)) if !name.starts_with('$') => {
                let Some(key) = merge_key(&name, kind, parent) else { continue };
                for item in more {
                    match items.iter_mut().find(|known| known[key] == item[key]) {
                        Some(known) => merge(known, item, kind, &name),
                        None => items.push(item),
                    }
                }
            }
            (Some(_), _) => {}
            (None, value) => drop(into.insert(name, value)),
        }
    }
}

/// Drops deletions of what the live object does not have, and what is empty after that.
fn prune(patch: &mut Value, live: &Value, kind: &str, parent: &str) -> bool {
    let Value::Object(map) = patch else { return false };
    let names: Vec<String> = map.keys().filter(|name| !name.starts_with('$')).cloned().collect();
    for name in names {
        let old = live.get(&name);
        let drops = match (map.get_mut(&name), old) {
            (Some(Value::Null), None) => true,
            (Some(inner @ Value::Object(_)), Some(old @ Value::Object(_))) => prune(inner, old, kind, &name),
            (Some(Value::Array(items)), Some(Value::Array(olds))) => {
                if let Some(key) = merge_key(&name, kind, parent) {
                    let known = |item: &Value| olds.iter().find(|old| old.get(key).is_some() && old[key] == item[key]);
                    items.retain(|item| item.get("$patch").is_none() || known(item).is_some());
                    for item in items.iter_mut() {
                        if let Some(old) = known(item).cloned() {
                            prune(item, &old, kind, &name);
                        }
                    }
                    let only_key = |item: &Value| item.as_object().is_some_and(|map| map.len() == 1);
                    items.retain(|item| !(only_key(item) && known(item).is_some()));
                    items.is_empty()
                } else {
                    false
                }
            }
            _ => false,
        };
        if drops {
            map.remove(&name);
            let order = format!("$setElementOrder/{name}");
            let reorders = match (map.get(&order), old) {
                (Some(Value::Array(order)), Some(Value::Array(olds))) => {
                    let key = merge_key(&name, kind, parent).unwrap_or("name");
                    let wanted: Vec<&Value> = order.iter().filter_map(|item| item.get(key)).collect();
                    let present: Vec<&Value> =
                        olds.iter().filter_map(|item| item.get(key)).filter(|value| wanted.contains(value)).collect();
                    wanted != present
                }
                _ => false,
            };
            if !reorders {
                map.remove(&order);
            }
        }
    }
    map.keys().all(|name| name == "$retainKeys") || map.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_deletions_are_found() {
        let applied = tree!({"kind": "ConfigMap", "data": {"a": "1", "b": "2"}});
        let live = tree!({"kind": "ConfigMap", "data": {"a": "1", "b": "2", "x": "0"}, "metadata": {"uid": "u"}});
        let new = tree!({"kind": "ConfigMap", "data": {"a": "9", "c": "3"}});
        assert_eq!(three_way(&applied, &new, &live, Lists::Merged), tree!({"data": {"a": "9", "b": null, "c": "3"}}));
        assert_eq!(
            three_way(&new, &new, &tree!({"kind": "ConfigMap", "data": {"a": "9", "c": "3", "z": "1"}}), Lists::Merged),
            tree!({})
        );
    }

    #[test]
    fn lists_are_merged_by_key() {
        let container = |image: &str, env: Value| tree!({"kind": "Deployment", "spec": {"template": {"spec": {"containers": [{"name": "a", "image": image, "env": env}]}}}});
        let from = container("x:1", tree!([{"name": "A", "value": "1"}]));
        let to = container("x:2", tree!([]));
        let patch = two_way(&from, &to, Lists::Merged);
        let spec = json::at(&patch, "spec.template.spec");
        assert_eq!(spec["$setElementOrder/containers"], tree!([{"name": "a"}]));
        assert_eq!(spec["containers"][0]["image"], "x:2");
        assert_eq!(spec["containers"][0]["env"], tree!([{"$patch": "delete", "name": "A"}]));
    }
}
