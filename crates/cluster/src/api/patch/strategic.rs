//! Strategic merge patches: lists are merged by the keys that the schema names.

use serde_json::{Map, Value};

use crate::schema::{self, Holds, Merge, Shape};
use crate::status::ApiError;

/// Merges a patch into an object of a shape.
pub(super) fn merge(object: &mut Value, patch: &Value, shape: &'static Shape) -> Result<(), ApiError> {
    let (Value::Object(object), Value::Object(patch)) = (object, patch) else { return Err(ApiError::unprocessable()) };
    merge_map(object, patch, Some(shape))
}

fn merge_map(
    map: &mut Map<String, Value>,
    patch: &Map<String, Value>,
    shape: Option<&'static Shape>,
) -> Result<(), ApiError> {
    match patch.get("$patch").and_then(Value::as_str) {
        Some("replace") => {
            *map = bare(patch);
            return Ok(());
        }
        Some("delete") => {
            map.clear();
            return Ok(());
        }
        None | Some("merge") => {}
        Some(other) => return Err(ApiError::bad_request(format!("unknown patch type: {other}"))),
    }
    if let Some(Value::Array(kept)) = patch.get("$retainKeys") {
        map.retain(|name, _| kept.iter().any(|kept| kept == name.as_str()));
    }
    for (name, new) in patch.iter().filter(|(name, _)| !name.starts_with('$')) {
        let field = shape.and_then(|shape| shape.fields.get(name));
        let order = patch.get(&format!("$setElementOrder/{name}"));
        match (new, map.get_mut(name)) {
            (Value::Null, _) => drop(map.remove(name)),
            (Value::Object(new), Some(Value::Object(old))) => merge_map(old, new, inner(field.map(|f| &f.holds)))?,
            (Value::Array(new), Some(Value::Array(old))) => merge_list(old, new, field, order)?,
            (Value::Array(new), _) => {
                let mut list = Vec::new();
                merge_list(&mut list, new, field, order)?;
                map.insert(name.clone(), Value::Array(list));
            }
            (Value::Object(new), _) => {
                let mut fresh = Map::new();
                merge_map(&mut fresh, new, inner(field.map(|f| &f.holds)))?;
                map.insert(name.clone(), Value::Object(fresh));
            }
            (value, _) => drop(map.insert(name.clone(), value.clone())),
        }
    }
    directives(map, patch, shape);
    Ok(())
}

/// What a patch says about lists that it does not merge: values to delete, and a new order.
fn directives(map: &mut Map<String, Value>, patch: &Map<String, Value>, shape: Option<&'static Shape>) {
    for (directive, said) in patch {
        let Some(said) = said.as_array() else { continue };
        if let Some(name) = directive.strip_prefix("$deleteFromPrimitiveList/")
            && let Some(Value::Array(list)) = map.get_mut(name)
        {
            list.retain(|item| !said.contains(item));
        }
        if let Some(name) = directive.strip_prefix("$setElementOrder/").filter(|name| !patch.contains_key(*name)) {
            let field = shape.and_then(|shape| shape.fields.get(name));
            if let (Some(Value::Array(list)), Some(key)) = (map.get_mut(name), field.and_then(merge_key)) {
                reorder(list, said, key);
            }
        }
    }
}

fn merge_list(
    old: &mut Vec<Value>,
    new: &[Value],
    field: Option<&'static schema::Field>,
    order: Option<&Value>,
) -> Result<(), ApiError> {
    let said = |item: &Value, what: &str| item.get("$patch").is_some_and(|patch| patch == what);
    if new.iter().any(|item| said(item, "replace")) {
        *old = new.iter().filter(|item| !said(item, "replace")).cloned().collect();
        return Ok(());
    }
    let Some(field) = field else {
        *old = new.to_vec();
        return Ok(());
    };
    let Some(key) = merge_key(field) else {
        match field.merge {
            Merge::Set => old.extend(new.iter().filter(|item| !old.contains(item)).cloned().collect::<Vec<_>>()),
            _ => *old = new.to_vec(),
        }
        return Ok(());
    };
    let shape = inner(Some(&field.holds));
    for item in new {
        let Some(map) = item.as_object() else { return Err(ApiError::unprocessable()) };
        let Some(name) = map.get(key) else {
            let message = format!("map: {item} does not contain declared merge key: {key}");
            return Err(ApiError::bad_request(message));
        };
        if said(item, "delete") {
            old.retain(|item| item.get(key) != Some(name));
            continue;
        }
        match old.iter_mut().find(|item| item.get(key) == Some(name)) {
            Some(Value::Object(own)) => merge_map(own, map, shape)?,
            _ => {
                let mut fresh = Map::new();
                merge_map(&mut fresh, map, shape)?;
                old.push(Value::Object(fresh));
            }
        }
    }
    if let Some(order) = order.and_then(Value::as_array) {
        reorder(old, order, key);
    }
    Ok(())
}

/// Puts the named items in the named order; the others stay behind the item that they stood behind.
fn reorder(list: &mut Vec<Value>, order: &[Value], key: &str) {
    let place = |item: &Value| order.iter().position(|wanted| wanted.get(key).unwrap_or(wanted) == &item[key]);
    let mut named: Vec<_> = list.iter().filter_map(|item| Some((place(item)?, item.clone()))).collect();
    named.sort_by_key(|(at, _)| *at);
    let mut sorted: Vec<Value> = named.into_iter().map(|(_, item)| item).collect();
    for (at, item) in list.iter().enumerate().filter(|(_, item)| place(item).is_none()) {
        let before = at.checked_sub(1).map(|before| list[before][key].clone());
        let after = before.and_then(|before| sorted.iter().position(|item| item[key] == before));
        sorted.insert(after.map_or(0, |after| after + 1), item.clone());
    }
    *list = sorted;
}

fn merge_key(field: &'static schema::Field) -> Option<&'static str> {
    match &field.merge {
        Merge::Keyed(keys) => keys.first().map(|key| &**key),
        _ => None,
    }
}

fn inner(holds: Option<&'static Holds>) -> Option<&'static Shape> {
    match holds? {
        Holds::Shape(name) => Some(schema::named(name)),
        Holds::List(item) => inner(Some(item)),
        _ => None,
    }
}

/// A map without its directives and nulls.
fn bare(patch: &Map<String, Value>) -> Map<String, Value> {
    let kept = patch.iter().filter(|(name, value)| !name.starts_with('$') && !value.is_null());
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(old: Value, patch: Value, expect: Value) {
        let mut new = json!({"spec": old});
        let patch = json!({"spec": patch});
        merge(&mut new, &patch, schema::named("core.Pod")).expect("a patch");
        assert_eq!(new["spec"], expect, "{patch}");
    }

    #[test]
    fn lists_are_merged_by_their_keys() {
        let two = json!({"containers": [{"name": "a", "image": "x"}, {"name": "b"}]});
        check(
            two.clone(),
            json!({"containers": [{"name": "a", "image": "y"}]}),
            json!({"containers": [{"name": "a", "image": "y"}, {"name": "b"}]}),
        );
        check(
            two.clone(),
            json!({"containers": [{"name": "a", "$patch": "delete"}]}),
            json!({"containers": [{"name": "b"}]}),
        );
        check(
            two.clone(),
            json!({"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}], "containers": [{"name": "c"}]}),
            json!({"containers": [{"name": "b"}, {"name": "c"}, {"name": "a", "image": "x"}]}),
        );
        check(
            json!({"tolerations": [{"key": "a"}]}),
            json!({"tolerations": [{"key": "b"}]}),
            json!({"tolerations": [{"key": "b"}]}),
        );
        check(
            json!({"nodeSelector": {"a": "b", "c": "d"}}),
            json!({"nodeSelector": {"a": null}}),
            json!({"nodeSelector": {"c": "d"}}),
        );
        check(
            json!({"volumes": [{"name": "v", "emptyDir": {}}]}),
            json!({"volumes": [{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "c"}}]}),
            json!({"volumes": [{"name": "v", "configMap": {"name": "c"}}]}),
        );
    }
}
