//! OpenAPI: the document of each group and version, made from the tables of types and the schemas of custom resources.

use serde_json::{Map, Value, json};

use super::{ApiRequest, ApiResponse, discovery, swagger};
use crate::chance::fnv;
use crate::resource::Resource;
use crate::schema::{self, Field, Holds, Merge, Shape};
use crate::status::ApiError;
use crate::{Cluster, json};

/// Answers `/openapi/v3` and what is below it, and `/openapi/v2`.
pub(super) fn answer(cluster: &Cluster, request: &ApiRequest, path: &str) -> Result<ApiResponse, ApiError> {
    if path == "/openapi/v3" {
        return Ok(ApiResponse::text(200, index(cluster).to_string()));
    }
    if path == "/openapi/v2" {
        return swagger::answer(cluster, request);
    }
    let Some(name) = path.strip_prefix("/openapi/v3/") else { return Err(ApiError::no_such_path()) };
    let Some((group, version)) = split(name).filter(|(group, version)| cluster.registry.serves(group, version)) else {
        return Err(ApiError::no_such_path());
    };
    let hash = hash(cluster, group, version);
    let asked = request.query("hash");
    if !asked.is_empty() && asked != hash {
        let mut response = ApiResponse::text(301, "");
        response.headers.push(("Location", format!("{path}?hash={hash}")));
        return Ok(response);
    }
    Ok(discovery::tagged(request, document(cluster, group, version).to_string(), "application/json"))
}

fn split(name: &str) -> Option<(&str, &str)> {
    match name.strip_prefix("apis/") {
        Some(rest) => rest.split_once('/'),
        None => name.strip_prefix("api/").map(|version| ("", version)),
    }
}

/// Changes with the document: with our release, and with the definitions of custom resources.
fn hash(cluster: &Cluster, group: &str, version: &str) -> String {
    let mut text = format!("{}/{group}/{version}", discovery::RELEASE);
    for resource in cluster.registry.all().filter(|r| r.group == group && r.version == version) {
        text.push_str(&resource.plural);
        if let Some(custom) = &resource.custom {
            text.push_str(&custom.schema.to_string());
        }
    }
    format!("{:016X}", fnv(text.as_bytes()))
}

/// All groups and their versions.
pub(super) fn versions(cluster: &Cluster) -> Vec<(String, String)> {
    let core = (String::new(), vec!["v1".to_string()]);
    let groups = std::iter::once(core).chain(discovery::groups(cluster));
    groups.flat_map(|(group, versions)| versions.into_iter().map(move |version| (group.clone(), version))).collect()
}

fn index(cluster: &Cluster) -> Value {
    let mut paths = Map::new();
    for (group, version) in versions(cluster) {
        let name = if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") };
        let hash = hash(cluster, &group, &version);
        paths.insert(name.clone(), json!({"serverRelativeURL": format!("/openapi/v3/{name}?hash={hash}")}));
    }
    json!({"paths": paths})
}

pub(super) fn document(cluster: &Cluster, group: &str, version: &str) -> Value {
    let mut schemas = Map::new();
    let mut paths = Map::new();
    for resource in cluster.registry.all().filter(|r| r.group == group && r.version == version) {
        let name = match (resource.shape, &resource.custom) {
            (Some(shape), _) => {
                collect(shape, &mut schemas);
                shape.open_api_name()
            }
            (None, Some(custom)) => custom_schema(resource, &custom.schema, &mut schemas),
            (None, None) => continue,
        };
        if let Some(schema) = schemas.get_mut(&name) {
            add_kind(schema, resource);
        }
        let (path, operations) = operations(resource, &name);
        paths.insert(path, operations);
    }
    json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": discovery::RELEASE},
        "paths": paths,
        "components": {"schemas": schemas},
    })
}

/// The path of one object and what may be done there; that a patch takes `fieldValidation` tells clients that the
/// server looks at fields itself.
fn operations(resource: &Resource, schema: &str) -> (String, Value) {
    let place = if resource.namespaced { "namespaces/{namespace}/" } else { "" };
    let start = if resource.group.is_empty() { "/api".to_string() } else { format!("/apis/{}", resource.group) };
    let path = format!("{start}/{}/{place}{}/{{name}}", resource.version, resource.plural);
    let kind = json!({"group": resource.group, "kind": resource.kind, "version": resource.version});
    let query = |name: &str| json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}});
    let parameters: Vec<_> = ["dryRun", "fieldManager", "fieldValidation", "force"].map(query).to_vec();
    let content = json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}});
    let responses = json!({"200": {"description": "OK", "content": content}});
    let operation = |action: &str| {
        json!({
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": kind,
            "parameters": parameters,
            "responses": responses,
        })
    };
    (
        path,
        json!({"get": operation("get"), "put": operation("put"), "patch": operation("patch"), "delete": operation("delete")}),
    )
}

fn add_kind(schema: &mut Value, resource: &Resource) {
    let kind = json!({"group": resource.group, "kind": resource.kind, "version": resource.version});
    json::list_mut(schema, "x-kubernetes-group-version-kind").push(kind);
    let told =
        [("apiVersion", "The group and version of the schema of this object."), ("kind", "The kind of this object.")];
    for (name, description) in told {
        json::set(schema, &format!("properties.{name}"), json!({"type": "string", "description": description}));
    }
}

fn custom_schema(resource: &Resource, schema: &Value, schemas: &mut Map<String, Value>) -> String {
    let backwards: Vec<_> = resource.group.split('.').rev().collect();
    let name = format!("{}.{}.{}", backwards.join("."), resource.version, resource.kind);
    let mut schema = if schema.is_object() { schema.clone() } else { json!({"type": "object"}) };
    let metadata = schema::named("meta.ObjectMeta");
    collect(metadata, schemas);
    let reference = json!({"allOf": [{"$ref": format!("#/components/schemas/{}", metadata.open_api_name())}]});
    json::set(&mut schema, "properties.metadata", reference);
    schemas.insert(name.clone(), schema);
    name
}

/// Adds a type and all types that it names.
fn collect(shape: &'static Shape, schemas: &mut Map<String, Value>) {
    let name = shape.open_api_name();
    if schemas.contains_key(&name) {
        return;
    }
    schemas.insert(name.clone(), Value::Null);
    let mut properties = Map::new();
    for (field_name, field) in &shape.fields {
        properties.insert(field_name.clone(), property(field, schemas));
    }
    let mut schema = json!({"type": "object", "description": sentence(&shape.name), "properties": properties});
    let required: Vec<_> = shape.fields.iter().filter(|(_, field)| field.must).map(|(name, _)| name.clone()).collect();
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schemas.insert(name, schema);
}

fn property(field: &'static Field, schemas: &mut Map<String, Value>) -> Value {
    let mut property = holds(&field.holds, schemas);
    let keys = |keys: &[String]| json!(keys);
    let mut strategy = Vec::new();
    match &field.merge {
        Merge::Keyed(list) => {
            property["x-kubernetes-list-type"] = "map".into();
            property["x-kubernetes-list-map-keys"] = keys(list);
            property["x-kubernetes-patch-merge-key"] = list[0].clone().into();
            strategy.push("merge");
        }
        Merge::AppliedByKey(list) => {
            property["x-kubernetes-list-type"] = "map".into();
            property["x-kubernetes-list-map-keys"] = keys(list);
        }
        Merge::Set => {
            property["x-kubernetes-list-type"] = "set".into();
            strategy.push("merge");
        }
        Merge::Atomic => property["x-kubernetes-map-type"] = "atomic".into(),
        Merge::Plain => {}
    }
    if field.retain {
        strategy.push("retainKeys");
    }
    if !strategy.is_empty() {
        property["x-kubernetes-patch-strategy"] = strategy.join(",").into();
    }
    property
}

fn holds(what: &'static Holds, schemas: &mut Map<String, Value>) -> Value {
    match what {
        Holds::Text => json!({"type": "string"}),
        Holds::Int => json!({"type": "integer", "format": "int32"}),
        Holds::Bool => json!({"type": "boolean"}),
        Holds::Bytes => json!({"type": "string", "format": "byte"}),
        Holds::Quantity => json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
        Holds::Time | Holds::MicroTime => json!({"type": "string", "format": "date-time"}),
        Holds::IntOrString => json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}),
        Holds::Raw => json!({"type": "object"}),
        Holds::Shape(name) => {
            let shape = schema::named(name);
            collect(shape, schemas);
            json!({"allOf": [{"$ref": format!("#/components/schemas/{}", shape.open_api_name())}]})
        }
        Holds::List(item) => json!({"type": "array", "items": holds(item, schemas)}),
        Holds::Map(item) => json!({"type": "object", "additionalProperties": holds(item, schemas)}),
    }
}

/// `PodSpec` as words: what `explain` says where we have nothing better.
fn sentence(name: &str) -> String {
    let mut words = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            words.push(' ');
        }
        words.push(letter);
    }
    format!("{words}.")
}
