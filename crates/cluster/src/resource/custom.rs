//! Kinds that a cluster is taught by a CustomResourceDefinition.

use std::sync::Arc;

use serde_json::Value;

use super::{PrintColumn, Resource, Subresource};
use crate::json;

/// What a definition says about one of its versions.
#[derive(Clone, Debug)]
pub struct CustomKind {
    /// The OpenAPI schema of its objects.
    pub schema: Arc<Value>,
    /// The name of the definition.
    pub definition: String,
    /// Paths of wanted replicas, replicas and selector, if it can be scaled.
    pub scale: Option<[String; 3]>,
}

/// The resources that a definition serves.
pub(crate) fn resources(definition: &Value) -> Vec<Arc<Resource>> {
    let versions = json::list(definition, "spec.versions").iter();
    versions
        .filter(|version| json::flag(version, "served"))
        .map(|version| Arc::new(resource(definition, version)))
        .collect()
}

fn resource(definition: &Value, version: &Value) -> Resource {
    let names = json::at(definition, "spec.names");
    let texts = |field: &str| json::list(names, field).iter().filter_map(Value::as_str).map(Into::into).collect();
    let kind = json::text(names, "kind").to_string();
    let group = json::text(definition, "spec.group").to_string();
    let version_name = json::text(version, "name").to_string();
    let plural = json::text(names, "plural").to_string();
    let scale = version.get("subresources").and_then(|s| s.get("scale")).filter(|s| s.is_object());
    let path = |scale: &Value, field: &str| json::text(scale, field).trim_start_matches('.').to_string();
    let custom = CustomKind {
        schema: Arc::new(json::at(version, "schema.openAPIV3Schema").clone()),
        definition: json::text(definition, "metadata.name").into(),
        scale: scale
            .map(|s| [path(s, "specReplicasPath"), path(s, "statusReplicasPath"), path(s, "labelSelectorPath")]),
    };
    Resource {
        singular: Some(json::text(names, "singular")).filter(|s| !s.is_empty()).map_or(kind.to_lowercase(), Into::into),
        short_names: texts("shortNames"),
        categories: texts("categories"),
        namespaced: json::text(definition, "spec.scope") != "Cluster",
        counts_generations: true,
        verbs: vec!["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
        subresources: subresources(version, &group, &version_name, &kind),
        columns: columns(version),
        shape: None,
        storage: format!("{plural}.{group}").into(),
        custom: Some(custom),
        group,
        version: version_name,
        kind,
        plural,
    }
}

fn subresources(version: &Value, group: &str, version_name: &str, kind: &str) -> Vec<Subresource> {
    let verbs = vec!["get", "patch", "update"];
    let has = |name: &str| version.get("subresources").and_then(|s| s.get(name)).is_some_and(Value::is_object);
    let mut subresources = Vec::new();
    if has("status") {
        let answers = (group.into(), version_name.into(), kind.into());
        subresources.push(Subresource { name: "status".into(), answers, verbs: verbs.clone() });
    }
    if has("scale") {
        let answers = ("autoscaling".into(), "v1".into(), "Scale".into());
        subresources.push(Subresource { name: "scale".into(), answers, verbs });
    }
    subresources
}

fn columns(version: &Value) -> Vec<PrintColumn> {
    let column = |name: &str, r#type: &str, format: &str, description: &str, priority, path: &str| PrintColumn {
        name: name.into(),
        r#type: r#type.into(),
        format: format.into(),
        description: description.into(),
        priority,
        path: path.into(),
    };
    let mut columns = vec![column("Name", "string", "name", "Name of the object.", 0, "")];
    let own = json::list(version, "additionalPrinterColumns");
    columns.extend(own.iter().map(|own| {
        let text = |field| json::text(own, field);
        let priority = json::int(own, "priority").unwrap_or(0);
        column(text("name"), text("type"), text("format"), text("description"), priority, text("jsonPath"))
    }));
    if own.is_empty() {
        columns.push(column("Age", "date", "", "Age of the object.", 0, ".metadata.creationTimestamp"));
    }
    columns
}
