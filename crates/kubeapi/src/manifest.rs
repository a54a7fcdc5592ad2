//! Manifests that are applied before the first client comes.

use std::time::Duration;

use cluster::api::{ApiRequest, HttpMethod};
use cluster::{Cluster, Programs};
use serde_json::Value;

/// Why a manifest could not be applied.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It is no YAML that we read.
    #[error("{0}")]
    Syntax(String),
    /// A document names no kind that the cluster has.
    #[error("no kind {kind:?} in version {version:?}")]
    Kind {
        /// `Deployment`.
        kind: String,
        /// `apps/v1`.
        version: String,
    },
    /// The cluster refused.
    #[error("{kind} {name:?}: {message}")]
    Refused {
        /// `Deployment`.
        kind: String,
        /// The object's name.
        name: String,
        /// In the words of the API.
        message: String,
    },
}

/// What passes between two documents.
const MOMENT: Duration = Duration::from_millis(20);

/// Applies all documents of a manifest, as `kubectl apply --server-side --force-conflicts` does. Returns how many.
pub fn apply(cluster: &mut Cluster, programs: &mut dyn Programs, text: &str) -> Result<usize, ManifestError> {
    let documents = cluster::yaml::documents(text).map_err(|error| ManifestError::Syntax(error.to_string()))?;
    let mut count = 0;
    for document in documents.iter().flat_map(items).filter(|document| document.is_object()) {
        apply_one(cluster, programs, document)?;
        // A namespace has its service account a moment after it is made, and the next document may need it.
        let soon = cluster.now().after(MOMENT);
        cluster.advance(programs, soon);
        count += 1;
    }
    Ok(count)
}

/// A document of kind `List` is what it lists.
fn items(document: &Value) -> Vec<&Value> {
    match document["items"].as_array() {
        Some(items) if document["kind"].as_str().is_some_and(|kind| kind.ends_with("List")) => items.iter().collect(),
        _ => vec![document],
    }
}

fn apply_one(cluster: &mut Cluster, programs: &mut dyn Programs, object: &Value) -> Result<(), ManifestError> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let (kind, version) = (text(&object["kind"]), text(&object["apiVersion"]));
    let Some(path) = cluster.path_of(object) else { return Err(ManifestError::Kind { kind, version }) };
    let target = format!("{path}?fieldManager=sre-zero&force=true");
    let request = ApiRequest::new(HttpMethod::Patch, &target);
    let request = request.typed("application/apply-patch+yaml", object.to_string());
    let response = cluster.call(programs, &request);
    match response.status {
        200..300 => Ok(()),
        _ => {
            let name = text(&object["metadata"]["name"]);
            Err(ManifestError::Refused { kind, name, message: text(&response.value()["message"]) })
        }
    }
}

#[cfg(test)]
mod tests {
    use cluster::{ClusterOptions, PlainPrograms};

    use super::*;

    const MANIFEST: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  containers: [{name: web, image: nginx}]
";

    #[test]
    fn a_file_may_make_a_namespace_and_what_is_in_it() {
        let mut cluster = Cluster::new(&ClusterOptions::default());
        assert_eq!(apply(&mut cluster, &mut PlainPrograms::default(), MANIFEST).map_err(|e| e.to_string()), Ok(2));
        let wrong = MANIFEST.replace("kind: Pod", "kind: Pot");
        let error = apply(&mut cluster, &mut PlainPrograms::default(), &wrong).expect_err("no such kind");
        assert_eq!(error.to_string(), "no kind \"Pot\" in version \"v1\"");
    }
}
