//! Label and field selectors.

mod labels;

use serde_json::Value;

use crate::json;
use crate::resource::Resource;
use crate::status::ApiError;
pub(crate) use labels::{LabelSelector, matches_labels};

/// A list of `field=value` and `field!=value`, all of which must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldSelector {
    terms: Vec<FieldTerm>,
}

#[derive(Clone, Debug)]
struct FieldTerm {
    field: String,
    value: String,
    wanted: bool,
}

impl FieldSelector {
    /// Reads a selector; only the fields that the resource can be selected by are taken.
    pub(crate) fn parse(text: &str, resource: &Resource) -> Result<Self, ApiError> {
        let mut terms = Vec::new();
        for term in text.split(',').filter(|term| !term.is_empty()) {
            let (field, wanted, value) = if let Some((field, value)) = term.split_once("!=") {
                (field, false, value)
            } else if let Some((field, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
                (field, true, value)
            } else {
                let message = format!("invalid selector: '{term}'; can't understand '{term}'");
                return Err(ApiError::bad_request(message));
            };
            known(field, resource)?;
            terms.push(FieldTerm { field: field.trim().into(), value: value.into(), wanted });
        }
        Ok(Self { terms })
    }

    /// With one more wanted name: watches of a single object.
    pub(crate) fn named(mut self, name: &str) -> Self {
        if !name.is_empty() {
            self.terms.push(FieldTerm { field: "metadata.name".into(), value: name.into(), wanted: true });
        }
        self
    }

    /// The name that all selected objects must have, if there is one.
    pub(crate) fn name(&self) -> Option<&str> {
        let term = self.terms.iter().find(|term| term.wanted && term.field == "metadata.name")?;
        Some(&term.value)
    }

    /// Whether an object is selected.
    pub(crate) fn matches(&self, object: &Value) -> bool {
        self.terms.iter().all(|term| (field(object, &term.field) == term.value) == term.wanted)
    }
}

/// The value of a field as selectors compare it.
fn field(object: &Value, field: &str) -> String {
    let path = match field {
        "source" => "source.component",
        "reportingComponent" if json::text(object, "reportingComponent").is_empty() => "source.component",
        "status.podIPs" => "status.podIP",
        "status.successful" => "status.succeeded",
        "spec.unschedulable" | "spec.hostNetwork" => return json::flag(object, field).to_string(),
        path => path,
    };
    match json::at(object, path) {
        Value::Null if field == "status.successful" => "0".into(),
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn known(field: &str, resource: &Resource) -> Result<(), ApiError> {
    let own: &[&str] = match &*resource.storage {
        "pods" => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
        "events" => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        "nodes" => &["spec.unschedulable"],
        "secrets" => &["type"],
        "namespaces" => &["status.phase"],
        "services" => &["spec.clusterIP", "spec.type"],
        "jobs.batch" => &["status.successful"],
        "replicationcontrollers" => &["status.replicas"],
        _ => &[],
    };
    if matches!(field, "metadata.name" | "metadata.namespace") || own.contains(&field) {
        return Ok(());
    }
    if own.is_empty() && resource.custom.is_none() {
        let message =
            format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
        return Err(ApiError::bad_request(message));
    }
    Err(ApiError::bad_request(format!("field label not supported: {field}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::resource::built_in;

    #[test]
    fn fields_select() {
        let pod = json!({"metadata": {"name": "a"}, "status": {"phase": "Running"}});
        let check = |text: &str, expect: Result<bool, &str>| {
            let selector = FieldSelector::parse(text, built_in("pods"));
            let got = selector.map(|s| s.matches(&pod)).map_err(|e| e.message);
            assert_eq!(got, expect.map_err(Into::into), "{text}");
        };
        check("", Ok(true));
        check("status.phase=Running", Ok(true));
        check("status.phase!=Running", Ok(false));
        check("metadata.name==a,status.phase=Running", Ok(true));
        check("spec.nodeName=", Ok(true));
        check("spec.foo=bar", Err("field label not supported: spec.foo"));
    }
}
