//! Bodies as objects: what is in them is looked at field by field, unknown ones are dropped and told.

mod custom;
mod empties;
mod protobuf;
mod tree;

use serde_json::Value;

use super::ApiRequest;
use crate::json;
use crate::quantity;
use crate::resource::Resource;
use crate::schema::{self, Holds, Shape};
use crate::status::ApiError;
pub(super) use empties::drop_empties;

/// Bodies above this are refused.
const LARGEST: usize = 3 << 20;

/// How fields that a kind does not have are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    Strict,
    Warn,
    Ignore,
}

impl Strictness {
    pub(super) fn of(request: &ApiRequest) -> Result<Self, ApiError> {
        match request.query("fieldValidation") {
            "Strict" => Ok(Self::Strict),
            "Ignore" => Ok(Self::Ignore),
            "" | "Warn" => Ok(Self::Warn),
            other => {
                let supported = ["", "Ignore", "Strict", "Warn"];
                let error = crate::status::FieldError::unsupported("fieldValidation", other, &supported);
                Err(ApiError::invalid_kind("CreateOptions", "meta.k8s.io", "", vec![error]))
            }
        }
    }
}

/// The object in a body, and what there is to warn of.
pub(super) fn body(request: &ApiRequest, resource: &Resource, warnings: &mut Vec<String>) -> Result<Value, ApiError> {
    let (mut object, duplicates) = parse(request, &resource.kind)?;
    check_kind(&object, resource)?;
    let strictness = Strictness::of(request)?;
    let mut problems: Vec<_> = duplicates.into_iter().map(|path| format!("duplicate field {path:?}")).collect();
    fit(&mut object, resource, &mut problems)?;
    judge(resource, problems, strictness, warnings)?;
    json::set(&mut object, "kind", resource.kind.clone());
    json::set(&mut object, "apiVersion", resource.api_version());
    Ok(object)
}

/// Drops fields that the kind does not have, rewrites quantities, and refuses values of the wrong type.
pub(super) fn fit(object: &mut Value, resource: &Resource, problems: &mut Vec<String>) -> Result<(), ApiError> {
    if let Some(kind) = &resource.custom {
        custom::unknown(object, &kind.schema, problems);
    }
    let Some(shape) = resource.shape else { return Ok(()) };
    let mut walk = Walk { path: Vec::new(), problems };
    walk.shape(object, shape, true).map_err(|why| ApiError::bad_request(handled(resource, &why)))
}

/// Refuses or warns, as the client wished.
pub(super) fn judge(
    resource: &Resource,
    problems: Vec<String>,
    strictness: Strictness,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    match strictness {
        Strictness::Strict if !problems.is_empty() => {
            let why = format!("strict decoding error: {}", problems.join(", "));
            Err(ApiError::bad_request(handled(resource, &why)))
        }
        Strictness::Warn => {
            warnings.extend(problems);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn handled(resource: &Resource, why: &str) -> String {
    let (kind, version) = (&resource.kind, resource.api_version());
    format!(
        "{kind} in version {:?} cannot be handled as a {kind}: {why}",
        version.rsplit('/').next().unwrap_or_default()
    )
}

/// A body as a tree, with the fields that stand in it twice.
pub(super) fn parse(request: &ApiRequest, kind: &str) -> Result<(Value, Vec<String>), ApiError> {
    if request.body.len() > LARGEST {
        let message = format!("Request entity too large: limit is {LARGEST}");
        return Err(ApiError { code: 413, reason: "RequestEntityTooLarge", ..ApiError::bad_request(message) });
    }
    match request.content_type() {
        "application/vnd.kubernetes.protobuf" => {
            let object = protobuf::read(&request.body);
            return object.map(|object| (object, Vec::new())).ok_or_else(|| unrecognized_bytes(kind));
        }
        "" | "application/json" | "application/yaml" | "application/apply-patch+yaml" => {}
        _ => {
            let accepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
            return Err(ApiError::unsupported_media(accepted));
        }
    }
    match tree::read(&request.body) {
        Ok((value, duplicates)) if value.is_object() => Ok((value, duplicates)),
        _ if request.content_type().ends_with("yaml") => Ok((from_yaml(request, kind)?, Vec::new())),
        Ok(_) => Err(unrecognized(request, kind, "json: cannot unmarshal array into Go value of type struct")),
        Err(_) if request.body.is_empty() => Err(unrecognized(request, kind, "unexpected end of JSON input")),
        Err(error) if error.is_eof() => Err(unrecognized(request, kind, "unexpected end of JSON input")),
        Err(error) => Err(unrecognized(request, kind, &error.to_string())),
    }
}

fn from_yaml(request: &ApiRequest, kind: &str) -> Result<Value, ApiError> {
    let text = String::from_utf8_lossy(&request.body);
    match crate::yaml::documents(&text) {
        Ok(documents) => match documents.into_iter().next() {
            Some(value) if value.is_object() => Ok(value),
            _ => Err(unrecognized(request, kind, "no object in the body")),
        },
        Err(error) => Err(unrecognized(request, kind, &error.to_string())),
    }
}

fn unrecognized(request: &ApiRequest, kind: &str, why: &str) -> ApiError {
    let shown: String = String::from_utf8_lossy(&request.body).chars().take(100).collect();
    let message = format!(
        "the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; \
         json parse error: {why} ({shown})"
    );
    ApiError::bad_request(message)
}

fn unrecognized_bytes(kind: &str) -> ApiError {
    let message = format!(
        "the object provided is unrecognized (must be of type {kind}): the body is no protobuf of a kind that is known here"
    );
    ApiError::bad_request(message)
}

fn check_kind(object: &Value, resource: &Resource) -> Result<(), ApiError> {
    let (kind, version) = (json::text(object, "kind"), json::text(object, "apiVersion"));
    if !kind.is_empty() && kind != resource.kind {
        let short = |version: &str| version.rsplit('/').next().unwrap_or_default().to_string();
        let group =
            if resource.group.is_empty() { "core" } else { resource.group.split('.').next().unwrap_or_default() };
        let message = format!(
            "{kind} in version {:?} cannot be handled as a {}: converting ({}.{kind}) to ({group}.{}): unknown conversion",
            short(version),
            resource.kind,
            short(version),
            resource.kind,
        );
        return Err(ApiError::bad_request(message));
    }
    if !version.is_empty() && version != resource.api_version() {
        let message = format!(
            "the API version in the data ({version}) does not match the expected API version ({})",
            resource.api_version()
        );
        return Err(ApiError::bad_request(message));
    }
    Ok(())
}

/// The numbers of 64 bits; all others have 32.
const LONG: [&str; 17] = [
    "activeDeadlineSeconds",
    "deletionGracePeriodSeconds",
    "expirationSeconds",
    "fsGroup",
    "generation",
    "gracePeriodSeconds",
    "observedGeneration",
    "revision",
    "runAsGroup",
    "runAsUser",
    "seconds",
    "sizeBytes",
    "startingDeadlineSeconds",
    "supplementalGroups",
    "terminationGracePeriodSeconds",
    "tolerationSeconds",
    "uid",
];

/// A walk along the fields of an object; errors say where it stands.
struct Walk<'a> {
    path: Vec<String>,
    problems: &'a mut Vec<String>,
}

impl Walk<'_> {
    fn shape(&mut self, value: &mut Value, shape: &'static Shape, is_root: bool) -> Result<(), String> {
        let Some(map) = value.as_object_mut() else {
            return Err(self.wrong(value, &shape.go_name(), &shape.name));
        };
        map.retain(|_, value| !value.is_null());
        let mut unknown = Vec::new();
        for (name, value) in map.iter_mut() {
            if is_root && (name == "kind" || name == "apiVersion") {
                continue;
            }
            let Some(field) = shape.fields.get(name) else {
                unknown.push(name.clone());
                continue;
            };
            self.path.push(name.clone());
            self.value(value, &field.holds, &shape.name)?;
            self.path.pop();
        }
        for name in unknown {
            map.remove(&name);
            self.path.push(name);
            self.problems.push(format!("unknown field {:?}", self.here()));
            self.path.pop();
        }
        Ok(())
    }

    fn value(&mut self, value: &mut Value, holds: &Holds, inside: &str) -> Result<(), String> {
        match holds {
            Holds::Shape(name) => self.shape(value, schema::named(name), false),
            Holds::List(item) => {
                let Some(list) = value.as_array_mut() else { return Err(self.wrong(value, &go_type(holds), inside)) };
                for (at, value) in list.iter_mut().enumerate() {
                    self.path.push(format!("[{at}]"));
                    self.value(value, item, inside)?;
                    self.path.pop();
                }
                Ok(())
            }
            Holds::Map(item) => {
                let Some(map) = value.as_object_mut() else { return Err(self.wrong(value, &go_type(holds), inside)) };
                map.retain(|_, value| !value.is_null());
                for (name, value) in map.iter_mut() {
                    self.path.push(name.clone());
                    self.value(value, item, inside)?;
                    self.path.pop();
                }
                Ok(())
            }
            Holds::Quantity => self.quantity(value, inside),
            Holds::Raw => Ok(()),
            scalar => self.scalar(value, scalar, inside),
        }
    }

    fn scalar(&mut self, value: &mut Value, holds: &Holds, inside: &str) -> Result<(), String> {
        let fits = match holds {
            Holds::Int => value.is_i64() || value.as_f64().is_some_and(|n| n.fract() == 0.0 && n.abs() < 1e15),
            Holds::Bool => value.is_boolean(),
            Holds::IntOrString => value.is_string() || value.is_i64(),
            Holds::Bytes => return self.bytes(value, inside),
            Holds::Time | Holds::MicroTime => return self.time(value, inside),
            _ => value.is_string(),
        };
        if !fits {
            return Err(self.wrong(value, &go_type(holds), inside));
        }
        let name = self.path.iter().rev().find(|part| !part.starts_with('[')).map_or("", |part| part);
        let is_number = matches!(holds, Holds::Int | Holds::IntOrString);
        if let Some(number) = value.as_f64().filter(|_| is_number && !LONG.contains(&name))
            && !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number)
        {
            let fields: Vec<_> = self.path.iter().filter(|part| !part.starts_with('[')).map(|part| &**part).collect();
            let fields = fields.join(".");
            return Err(format!(
                "json: cannot unmarshal number {value} into Go struct field {inside}.{fields} of type int32"
            ));
        }
        if let (Holds::Int, Some(number)) = (holds, value.as_f64().filter(|_| !value.is_i64())) {
            *value = Value::from(number as i64);
        }
        Ok(())
    }

    fn bytes(&mut self, value: &Value, inside: &str) -> Result<(), String> {
        let Some(text) = value.as_str() else { return Err(self.wrong(value, "[]uint8", inside)) };
        match crate::base64::decode(text) {
            Some(_) => Ok(()),
            None => {
                let odd = text.bytes().position(|b| !(b.is_ascii_alphanumeric() || b"+/=".contains(&b)));
                Err(format!("illegal base64 data at input byte {}", odd.unwrap_or(text.len().saturating_sub(1))))
            }
        }
    }

    fn time(&mut self, value: &Value, inside: &str) -> Result<(), String> {
        let Some(text) = value.as_str() else { return Err(self.wrong(value, "v1.Time", inside)) };
        if crate::time::Stamp::parse(text).is_some() {
            return Ok(());
        }
        Err(format!("parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?} as \"2006\""))
    }

    fn quantity(&mut self, value: &mut Value, inside: &str) -> Result<(), String> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            other => return Err(self.wrong(other, "resource.Quantity", inside)),
        };
        let canonical = quantity::canonical(&text).ok_or_else(|| quantity::RULE.to_string())?;
        *value = Value::String(canonical);
        Ok(())
    }

    /// `spec.containers[0].image`.
    fn here(&self) -> String {
        self.path.join(".").replace(".[", "[")
    }

    /// As Go's decoder words a value of the wrong type.
    fn wrong(&self, value: &Value, wanted: &str, inside: &str) -> String {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Number(number) => return self.wrong_number(&number.to_string(), wanted, inside),
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let fields: Vec<_> = self.path.iter().filter(|part| !part.starts_with('[')).map(|part| &**part).collect();
        format!("json: cannot unmarshal {found} into Go struct field {inside}.{} of type {wanted}", fields.join("."))
    }

    fn wrong_number(&self, number: &str, wanted: &str, inside: &str) -> String {
        let fields: Vec<_> = self.path.iter().filter(|part| !part.starts_with('[')).map(|part| &**part).collect();
        let found = if number.contains(['.', 'e']) && wanted.starts_with("int") {
            format!("number {number}")
        } else {
            "number".into()
        };
        format!("json: cannot unmarshal {found} into Go struct field {inside}.{} of type {wanted}", fields.join("."))
    }
}

/// How Go names what a field holds.
pub(super) fn go_type(holds: &Holds) -> String {
    match holds {
        Holds::Text => "string".into(),
        Holds::Int => "int32".into(),
        Holds::Bool => "bool".into(),
        Holds::Bytes => "[]uint8".into(),
        Holds::Quantity => "resource.Quantity".into(),
        Holds::Time => "v1.Time".into(),
        Holds::MicroTime => "v1.MicroTime".into(),
        Holds::IntOrString => "intstr.IntOrString".into(),
        Holds::Raw => "runtime.RawExtension".into(),
        Holds::Shape(name) => schema::named(name).go_name(),
        Holds::List(item) => format!("[]{}", go_type(item)),
        Holds::Map(item) => format!("map[string]{}", go_type(item)),
    }
}
