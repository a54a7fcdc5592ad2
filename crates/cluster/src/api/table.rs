//! Tables: what `kubectl get` prints is made here, cell by cell.

mod cells;
mod pods;
mod workloads;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::resource::{PrintColumn, Resource};
use crate::time::{Stamp, age};
use crate::{Cluster, json};
pub use pods::pod_status;

/// A table of objects; `include` is what comes with each row: `None`, `Metadata` (if empty) or `Object`.
///
/// It is written at once: a tree of it would copy the metadata of every object.
pub(super) fn write(
    cluster: &Cluster,
    resource: &Resource,
    objects: &[&Value],
    include: &str,
    metadata: Value,
    with_columns: bool,
) -> Vec<u8> {
    let table = ObjectTable {
        kind: "Table",
        api_version: "meta.k8s.io/v1",
        metadata,
        columns: if with_columns { columns(&resource.columns) } else { Value::Null },
        rows: objects.iter().map(|object| row(cluster.now, resource, object, include)).collect(),
    };
    serde_json::to_vec(&table).expect("a table is always written")
}

fn row<'a>(now: Stamp, resource: &Resource, object: &'a Value, include: &str) -> ObjectRow<'a> {
    let shown = match include {
        "None" => None,
        "Object" => Some(RowObject::Whole(object)),
        _ => Some(RowObject::Metadata {
            api_version: "meta.k8s.io/v1",
            kind: "PartialObjectMetadata",
            metadata: json::at(object, "metadata"),
        }),
    };
    ObjectRow { cells: cells_of(now, resource, object), object: shown }
}

#[derive(Serialize)]
struct ObjectTable<'a> {
    kind: &'a str,
    #[serde(rename = "apiVersion")]
    api_version: &'a str,
    metadata: Value,
    #[serde(rename = "columnDefinitions")]
    columns: Value,
    rows: Vec<ObjectRow<'a>>,
}

#[derive(Serialize)]
struct ObjectRow<'a> {
    cells: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<RowObject<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum RowObject<'a> {
    Whole(&'a Value),
    Metadata {
        #[serde(rename = "apiVersion")]
        api_version: &'a str,
        kind: &'a str,
        metadata: &'a Value,
    },
}

fn table(metadata: Value, columns: Value, rows: Vec<Value>) -> Value {
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": columns,
        "rows": rows,
    })
}

fn columns(columns: &[PrintColumn]) -> Value {
    let column = |column: &PrintColumn| {
        json!({
            "name": column.name,
            "type": column.r#type,
            "format": column.format,
            "description": column.description,
            "priority": column.priority,
        })
    };
    columns.iter().map(column).collect()
}

/// The metadata of an object alone.
pub(super) fn metadata_of(object: &Value) -> Value {
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": json::at(object, "metadata")})
}

/// The table of a scale.
pub(super) fn scale(cluster: &Cluster, scale: &Value) -> Value {
    let names =
        [("Name", "string", "name"), ("Desired", "integer", ""), ("Available", "integer", ""), ("Age", "string", "")];
    let columns: Vec<_> = names
        .iter()
        .map(|(name, r#type, format)| {
            json!({"name": name, "type": r#type, "format": format, "description": format!("{name} of the scale."), "priority": 0})
        })
        .collect();
    let cells = json!([
        json::text(scale, "metadata.name"),
        json::int(scale, "spec.replicas").unwrap_or(0),
        json::int(scale, "status.replicas").unwrap_or(0),
        age(cluster.now, json::text(scale, "metadata.creationTimestamp")),
    ]);
    let row = json!({"cells": cells, "object": metadata_of(scale)});
    let metadata = json!({"resourceVersion": json::text(scale, "metadata.resourceVersion")});
    table(metadata, columns.into(), vec![row])
}

fn cells_of(now: Stamp, resource: &Resource, object: &Value) -> Vec<Value> {
    if resource.custom.is_some() {
        return custom_cells(now, resource, object);
    }
    let name = json::text(object, "metadata.name");
    let own = match &*resource.storage {
        "pods" => pods::cells(now, object),
        "events" => return cells::event(now, object),
        storage => workloads::cells(now, storage, object).unwrap_or_else(|| cells::cells(now, storage, object)),
    };
    std::iter::once(name.into()).chain(own).collect()
}

fn custom_cells(now: Stamp, resource: &Resource, object: &Value) -> Vec<Value> {
    let cell = |column: &PrintColumn| {
        if column.format == "name" && column.path.is_empty() {
            return json::at(object, "metadata.name").clone();
        }
        let value = by_path(object, &column.path);
        match (column.r#type.as_str(), value) {
            (_, Value::Null) => Value::Null,
            ("date", value) => age(now, value.as_str().unwrap_or_default()).into(),
            ("string", Value::String(text)) => text.into(),
            ("string", value) => value.to_string().into(),
            (_, value) => value,
        }
    };
    resource.columns.iter().map(cell).collect()
}

/// The small part of JSONPath that definitions use: `.a.b`, `[0]`, `[*]`, `[?(@.type=="Ready")]`.
pub(super) fn by_path(object: &Value, path: &str) -> Value {
    let mut here = vec![object];
    let mut rest = path.trim_start_matches('$').trim_start_matches('.');
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let end = inside.find(']').unwrap_or(inside.len());
            let (index, after) = inside.split_at(end);
            here = here.into_iter().flat_map(|value| pick(value, index)).collect();
            rest = after.trim_start_matches(']').trim_start_matches('.');
            continue;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        // A dot in a name is written `\.`.
        let mut name = rest[..end].to_string();
        let mut next = end;
        while name.ends_with('\\') && rest[next..].starts_with('.') {
            let more = rest[next + 1..].find(['.', '[']).map_or(rest.len(), |at| next + 1 + at);
            name.pop();
            name.push_str(&rest[next..more]);
            next = more;
        }
        here = here.into_iter().filter_map(|value| value.get(&name)).collect();
        rest = rest[next..].trim_start_matches('.');
    }
    here.first().map_or(Value::Null, |value| Value::clone(value))
}

fn pick<'a>(value: &'a Value, index: &str) -> Vec<&'a Value> {
    let Some(list) = value.as_array() else {
        let name = index.trim_matches(['\'', '"']);
        return value.get(name).into_iter().collect();
    };
    if index == "*" {
        return list.iter().collect();
    }
    if let Some(test) = index.strip_prefix("?(@.").and_then(|test| test.strip_suffix(')')) {
        let Some((field, wanted)) = test.split_once("==") else { return Vec::new() };
        let wanted = wanted.trim().trim_matches(['\'', '"']);
        return list.iter().filter(|item| json::text(item, field.trim()) == wanted).collect();
    }
    index.parse::<usize>().ok().and_then(|at| list.get(at)).into_iter().collect()
}

/// `<none>` for nothing.
fn or_none(text: &str) -> Value {
    if text.is_empty() { "<none>".into() } else { text.into() }
}

/// `a=b,c=d`, or `<none>`.
fn labels(map: &Value) -> Value {
    let empty = Map::new();
    let map = map.as_object().unwrap_or(&empty);
    let pairs: Vec<_> =
        map.iter().map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    or_none(&pairs.join(","))
}

fn created(now: Stamp, object: &Value) -> Value {
    age(now, json::text(object, "metadata.creationTimestamp")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_cells() {
        let object = json!({"a": {"b": [{"type": "X", "v": 1}, {"type": "Y", "v": 2}], "c.d/e": "z"}});
        let check = |path: &str, expect: Value| assert_eq!(by_path(&object, path), expect, "{path}");
        check(".a.b[1].v", json!(2));
        check(".a.b[?(@.type==\"Y\")].v", json!(2));
        check(".a.b[*].v", json!(1));
        check(".a.c\\.d/e", json!("z"));
        check(".a.nope", Value::Null);
        check("", object.clone());
    }
}
