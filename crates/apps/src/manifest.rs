//! Manifests that are applied as `kubectl apply --server-side` does.

use cluster::api::{ApiRequest, HttpMethod};
use cluster::{Cluster, Programs, json};
use serde_json::Value;

/// The cluster refused a document.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{file}: {kind} {name:?}: {why}")]
pub struct ManifestRefusal {
    /// The file.
    pub file: String,
    /// `Deployment`.
    pub kind: String,
    /// The object's name.
    pub name: String,
    /// In the words of the API.
    pub why: String,
}

/// Applies all documents of a file.
pub(crate) fn apply(
    cluster: &mut Cluster,
    programs: &mut dyn Programs,
    file: &str,
    text: &str,
) -> Result<(), ManifestRefusal> {
    let documents = cluster::yaml::documents(text).map_err(|error| ManifestRefusal {
        file: file.into(),
        kind: "file".into(),
        name: file.into(),
        why: error.to_string(),
    })?;
    for document in documents.iter().flat_map(items).filter(|document| document.is_object()) {
        apply_one(cluster, programs, document).map_err(|why| ManifestRefusal {
            file: file.into(),
            kind: json::text(document, "kind").into(),
            name: json::text(document, "metadata.name").into(),
            why,
        })?;
        if json::text(document, "kind") == "Namespace" {
            // A namespace has its service account a moment after it is made, and the next document may need it.
            let soon = cluster.now().after_secs(1);
            cluster.advance(programs, soon);
        }
    }
    Ok(())
}

/// A document of kind `List` is what it lists.
fn items(document: &Value) -> Vec<&Value> {
    match document["items"].as_array() {
        Some(items) if json::text(document, "kind").ends_with("List") => items.iter().collect(),
        _ => vec![document],
    }
}

fn apply_one(cluster: &mut Cluster, programs: &mut dyn Programs, object: &Value) -> Result<(), String> {
    let path = cluster.path_of(object);
    let path = path.ok_or_else(|| format!("no kind of this name in version {:?}", json::text(object, "apiVersion")))?;
    let request = ApiRequest::new(HttpMethod::Patch, &format!("{path}?fieldManager=sre-zero&force=true"));
    let response = cluster.call(programs, &request.typed("application/apply-patch+yaml", object.to_string()));
    match response.status {
        200..300 => Ok(()),
        _ => Err(json::text(&response.value(), "message").into()),
    }
}
