//! Patches: JSON, merge, strategic merge, and server-side apply.

mod apply;
mod strategic;

use std::sync::Arc;

use serde_json::Value;

use super::negotiate;
use super::{ApiRequest, ApiResponse, ApiTarget, Writer, convert, decode};
use crate::program::Programs;
use crate::resource::Resource;
use crate::status::{ApiError, FieldError, Verbatim};
use crate::{Cluster, json, jsonpatch};

/// The four ways of patching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patch {
    Json,
    Merge,
    Strategic,
    Apply,
}

fn kind(request: &ApiRequest, resource: &Resource) -> Result<Patch, ApiError> {
    match request.content_type() {
        "application/json-patch+json" => Ok(Patch::Json),
        "application/merge-patch+json" => Ok(Patch::Merge),
        "application/apply-patch+yaml" => Ok(Patch::Apply),
        "application/strategic-merge-patch+json" if resource.shape.is_some() => Ok(Patch::Strategic),
        "application/strategic-merge-patch+json" => {
            let accepted = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
            Err(ApiError::unsupported_media(accepted))
        }
        _ => Err(ApiError::unsupported_patch()),
    }
}

impl Cluster {
    /// Patches an object, or its status where the path says so.
    pub(super) fn patch(
        &mut self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let form = negotiate::form(request)?;
        let kind = kind(request, resource)?;
        let writer = Writer { subresource: &target.subresource, ..Writer::of(request) };
        if kind == Patch::Apply {
            return self.apply(programs, request, &writer, target, resource);
        }
        let mut warnings = Vec::new();
        let old = self.find(resource, &target.namespace, &target.name)?;
        let shown = convert::from_storage(&old, resource).into_owned();
        let mut new = patched(kind, &shown, request, resource)?;
        let mut problems = Vec::new();
        decode::fit(&mut new, resource, &mut problems).map_err(|error| mistyped(error, request))?;
        decode::judge(resource, problems, decode::Strictness::of(request)?, &mut warnings)?;
        decode::drop_empties(&mut new, resource);
        keep_identity(&mut new, &shown, &target.name)?;
        let stored = self.replace_object(programs, &writer, resource, &old, new, &mut warnings)?;
        Ok(self.show(200, &stored, resource, form, request).warned(&warnings))
    }
}

fn patched(kind: Patch, old: &Value, request: &ApiRequest, resource: &Resource) -> Result<Value, ApiError> {
    if kind == Patch::Json {
        return jsonpatch::apply(old, &request.body);
    }
    let patch: Value = serde_json::from_slice(&request.body)
        .map_err(|error| ApiError::bad_request(format!("error decoding patch: {error}")))?;
    if !patch.is_object() {
        let message =
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}";
        return Err(ApiError::bad_request(message));
    }
    let mut new = old.clone();
    match (kind, resource.shape) {
        (Patch::Strategic, Some(shape)) => strategic::merge(&mut new, &patch, shape)?,
        _ => jsonpatch::merge(&mut new, &patch),
    }
    Ok(new)
}

/// A patch applied to part of an object: a scale, for one.
pub(super) fn simple(old: &Value, request: &ApiRequest) -> Result<Value, ApiError> {
    match request.content_type() {
        "application/json-patch+json" => jsonpatch::apply(old, &request.body),
        "application/merge-patch+json" | "application/strategic-merge-patch+json" => {
            let patch: Value = serde_json::from_slice(&request.body)
                .map_err(|error| ApiError::bad_request(format!("error decoding patch: {error}")))?;
            let mut new = old.clone();
            jsonpatch::merge(&mut new, &patch);
            Ok(new)
        }
        _ => Err(ApiError::unsupported_patch()),
    }
}

/// Kind, version and name cannot be patched away.
fn keep_identity(new: &mut Value, old: &Value, name: &str) -> Result<(), ApiError> {
    for field in ["kind", "apiVersion"] {
        if !new.is_object() {
            return Err(ApiError::unprocessable());
        }
        new[field] = old[field].clone();
    }
    let own = json::text(new, "metadata.name");
    if !own.is_empty() && own != name {
        let message = format!("the name of the object ({own}) does not match the name on the URL ({name})");
        return Err(ApiError::bad_request(message));
    }
    Ok(())
}

/// A patch that puts a value of the wrong type somewhere is invalid itself.
fn mistyped(error: ApiError, request: &ApiRequest) -> ApiError {
    let wanted = error.message.rsplit(" of type ").next().unwrap_or_default();
    if !error.message.contains("cannot unmarshal") {
        return error;
    }
    let shown: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let shown = Verbatim(format!("{:?}", go_map(&shown)));
    let field = FieldError::invalid("patch", shown, &format!("unrecognized type: {wanted}"));
    ApiError::invalid_kind("", "", "", vec![field])
}

/// A tree as Go's `%v` prints it.
fn go_map(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let pairs: Vec<_> = map.iter().map(|(key, value)| format!("{key}:{}", go_map(value))).collect();
            format!("map[{}]", pairs.join(" "))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(go_map).collect::<Vec<_>>().join(" ")),
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".into(),
        other => other.to_string(),
    }
}
