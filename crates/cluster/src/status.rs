//! What the API answers when it refuses: a `Status`, worded as the real server words it.

use serde_json::{Map, Value, json};

use crate::resource::Resource;

/// A refusal.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// The HTTP status.
    pub code: u16,
    /// `NotFound`, `Conflict`, ...; empty where the real server gives none.
    pub reason: &'static str,
    /// What a person reads.
    pub message: String,
    /// Name, group and kind of the object, and the causes; nothing where the real server gives none.
    pub details: Option<Value>,
    /// Seconds after which to try again.
    pub retry_after: Option<u32>,
    /// Plain text instead of a `Status`: paths that no handler knows.
    pub plain: bool,
}

/// Something wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// `FieldValueInvalid`, ...
    pub reason: &'static str,
    /// `Invalid value: ...`.
    pub message: String,
    /// `spec.containers[0].image`.
    pub field: String,
}

impl FieldError {
    fn new(reason: &'static str, field: impl Into<String>, message: String) -> Self {
        Self { reason, field: field.into(), message }
    }

    /// Nothing where something must be.
    pub fn required(field: impl Into<String>, why: &str) -> Self {
        let message = if why.is_empty() { "Required value".into() } else { format!("Required value: {why}") };
        Self::new("FieldValueRequired", field, message)
    }

    /// A value that is not allowed; the value is shown as Go prints it.
    pub fn invalid(field: impl Into<String>, value: impl ToGo, why: &str) -> Self {
        Self::new("FieldValueInvalid", field, format!("Invalid value: {}: {why}", value.to_go()))
    }

    /// A value that stands there twice.
    pub fn duplicate(field: impl Into<String>, value: impl ToGo) -> Self {
        Self::new("FieldValueDuplicate", field, format!("Duplicate value: {}", value.to_go()))
    }

    /// A value that is none of those that may be.
    pub fn unsupported(field: impl Into<String>, value: impl ToGo, supported: &[&str]) -> Self {
        let supported: Vec<_> = supported.iter().map(|s| format!("{s:?}")).collect();
        let message = format!("Unsupported value: {}: supported values: {}", value.to_go(), supported.join(", "));
        Self::new("FieldValueNotSupported", field, message)
    }

    /// Something that may not be done.
    pub fn forbidden(field: impl Into<String>, why: &str) -> Self {
        Self::new("FieldValueForbidden", field, format!("Forbidden: {why}"))
    }

    /// A name that leads nowhere.
    pub fn not_found(field: impl Into<String>, value: impl ToGo) -> Self {
        Self::new("FieldValueNotFound", field, format!("Not found: {}", value.to_go()))
    }
}

/// How Go prints a value in an error message.
pub trait ToGo {
    /// The printed form.
    fn to_go(&self) -> String;
}

impl ToGo for &str {
    fn to_go(&self) -> String {
        format!("{self:?}")
    }
}

impl ToGo for i64 {
    fn to_go(&self) -> String {
        self.to_string()
    }
}

impl ToGo for &Value {
    fn to_go(&self) -> String {
        match self {
            Value::Object(map) => {
                let entry = |(key, value): (&String, &Value)| format!("{key:?}:{}", value.to_go());
                format!("map[string]string{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            other => other.to_string(),
        }
    }
}

/// A text that is printed as it is: Go structures that we write out ourselves.
pub struct Verbatim(pub String);

impl ToGo for Verbatim {
    fn to_go(&self) -> String {
        self.0.clone()
    }
}

impl ApiError {
    fn new(code: u16, reason: &'static str, message: impl Into<String>, details: Option<Value>) -> Self {
        Self { code, reason, message: message.into(), details, retry_after: None, plain: false }
    }

    /// No handler knows this path.
    pub fn no_such_path() -> Self {
        Self { plain: true, ..Self::new(404, "NotFound", "404 page not found\n", None) }
    }

    /// The group is known, the resource in it is not.
    pub fn no_such_resource() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource", Some(json!({})))
    }

    /// No object of this name.
    pub fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{} {name:?} not found", resource.group_resource());
        Self::new(404, "NotFound", message, Some(about(&resource.plural, &resource.group, name)))
    }

    /// An object of this name exists.
    pub fn already_exists(resource: &Resource, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", resource.group_resource());
        Self::new(409, "AlreadyExists", message, Some(about(&resource.plural, &resource.group, name)))
    }

    /// A write that cannot be done to the object as it is now.
    pub fn conflict(what: &str, group: &str, name: &str, why: &str) -> Self {
        let qualified = if group.is_empty() { what.to_string() } else { format!("{what}.{group}") };
        let message = format!("Operation cannot be fulfilled on {qualified} {name:?}: {why}");
        Self::new(409, "Conflict", message, Some(about(what, group, name)))
    }

    /// A write on a state that is no longer the latest.
    pub fn modified(resource: &Resource, name: &str) -> Self {
        let why = "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(&resource.plural, &resource.group, name, why)
    }

    /// Values that may not be.
    pub fn invalid(resource: &Resource, name: &str, errors: Vec<FieldError>) -> Self {
        Self::invalid_kind(&resource.kind, &resource.group, name, errors)
    }

    /// Values that may not be, of a kind that is no resource.
    pub fn invalid_kind(kind: &str, group: &str, name: &str, errors: Vec<FieldError>) -> Self {
        let mut causes = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        for error in errors {
            let text = format!("{}: {}", error.field, error.message);
            causes.push(json!({"reason": error.reason, "message": error.message, "field": error.field}));
            // The message tells what is said twice once, the causes tell it twice.
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let all = if texts.len() == 1 { texts.concat() } else { format!("[{}]", texts.join(", ")) };
        let qualified = if group.is_empty() { kind.to_string() } else { format!("{kind}.{group}") };
        let mut details = about(kind, group, name);
        details["causes"] = Value::Array(causes);
        Self::new(422, "Invalid", format!("{qualified} {name:?} is invalid: {all}"), Some(details))
    }

    /// A patch that cannot be applied.
    pub fn unprocessable() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self::new(422, "Invalid", message, Some(json!({})))
    }

    /// A request that makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message, None)
    }

    /// Refused by access rules or admission, for a resource and maybe a name.
    pub fn forbidden(resource: &Resource, name: &str, why: &str) -> Self {
        let what = resource.group_resource();
        let named = if name.is_empty() { what } else { format!("{what} {name:?}") };
        let details = about(&resource.plural, &resource.group, name);
        Self::new(403, "Forbidden", format!("{named} is forbidden: {why}"), Some(details))
    }

    /// Refused by access rules, for a path that is no resource.
    pub fn forbidden_path(why: &str) -> Self {
        Self::new(403, "Forbidden", format!("forbidden: {why}"), Some(json!({})))
    }

    /// No identity.
    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized", None)
    }

    /// The path is known, the method is not.
    pub fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message, Some(json!({})))
    }

    /// A body in a form that is not read.
    pub fn unsupported_media(accepted: &str) -> Self {
        let message =
            format!("the body of the request was in an unknown format - accepted media types include: {accepted}");
        Self::new(415, "UnsupportedMediaType", message, None)
    }

    /// A patch in a form that is not read.
    pub fn unsupported_patch() -> Self {
        Self::new(415, "UnsupportedMediaType", "415: Unsupported Media Type", Some(json!({})))
    }

    /// No form of the answer suits the client.
    pub fn not_acceptable() -> Self {
        let message = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
                       application/vnd.kubernetes.protobuf";
        Self::new(406, "NotAcceptable", message, Some(json!({})))
    }

    /// The state asked for is forgotten.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message, None)
    }

    /// The state asked for is not there yet.
    pub fn revision_too_large(asked: u64, current: u64) -> Self {
        let details = json!({
            "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
            "retryAfterSeconds": 1,
        });
        let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
        Self { retry_after: Some(1), ..Self::new(504, "Timeout", message, Some(details)) }
    }

    /// The request took too long.
    pub fn timeout(why: &str) -> Self {
        Self::new(504, "Timeout", format!("Timeout: {why}"), Some(json!({})))
    }

    /// Something broke behind the API.
    pub fn internal(message: &str) -> Self {
        let details = json!({"causes": [{"message": message}]});
        Self::new(500, "InternalError", format!("Internal error occurred: {message}"), Some(details))
    }

    /// A failure with code 500 and no reason.
    pub fn unexplained(message: impl Into<String>) -> Self {
        Self::new(500, "", message, None)
    }

    /// An eviction that a budget does not allow.
    pub fn disruption(budget: &str, needs: i64, has: i64) -> Self {
        let cause = format!("The disruption budget {budget} needs {needs} healthy pods and has {has} currently");
        let details = json!({"causes": [{"reason": "DisruptionBudget", "message": cause}]});
        let message = "Cannot evict pod as it would violate the pod's disruption budget.";
        Self::new(429, "TooManyRequests", message, Some(details))
    }

    /// An apply that takes fields from other managers: each with the manager's words and the path.
    pub fn apply_conflicts(conflicts: &[(String, String)]) -> Self {
        let cause = |(manager, field): &(String, String)| json!({"reason": "FieldManagerConflict", "message": format!("conflict with {manager}"), "field": field});
        let causes: Vec<_> = conflicts.iter().map(cause).collect();
        let message = conflict_message(conflicts);
        Self::new(409, "Conflict", message, Some(json!({"causes": causes})))
    }

    /// The body of the answer.
    pub fn body(&self) -> Value {
        let mut status = Map::new();
        let mut put = |key: &str, value: Value| status.insert(key.into(), value);
        put("kind", "Status".into());
        put("apiVersion", "v1".into());
        put("metadata", json!({}));
        put("status", "Failure".into());
        put("message", self.message.clone().into());
        put("code", self.code.into());
        if !self.reason.is_empty() {
            put("reason", self.reason.into());
        }
        if let Some(details) = &self.details {
            put("details", details.clone());
        }
        Value::Object(status)
    }
}

fn conflict_message(conflicts: &[(String, String)]) -> String {
    if let [(manager, field)] = conflicts {
        return format!("Apply failed with 1 conflict: conflict with {manager}: {field}");
    }
    let mut lines = Vec::new();
    let mut last = "";
    for (manager, field) in conflicts {
        if manager != last {
            lines.push(format!("conflicts with {manager}:"));
            last = manager;
        }
        lines.push(format!("- {field}"));
    }
    format!("Apply failed with {} conflicts: {}", conflicts.len(), lines.join("\n"))
}

fn about(kind: &str, group: &str, name: &str) -> Value {
    let mut details = Map::new();
    for (key, value) in [("name", name), ("group", group), ("kind", kind)] {
        if !value.is_empty() {
            details.insert(key.into(), value.into());
        }
    }
    Value::Object(details)
}
