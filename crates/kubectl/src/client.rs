//! Requests to the API, as kubectl sends them.

use std::sync::Arc;

use cluster::api::{ApiBody, ApiRequest, ApiResponse, HttpMethod, User};
use serde_json::{Value, json as tree};

use crate::discovery::{Discovery, Kind};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
pub(crate) use crate::url::{encoded, with_query};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
pub(crate) const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// How long a write takes.
const WRITE_MICROS: i64 = 5000;

/// The form of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchForm {
    Json,
    Merge,
    Strategic,
    Apply,
}

impl PatchForm {
    fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json-patch+json",
            Self::Merge => "application/merge-patch+json",
            Self::Strategic => "application/strategic-merge-patch+json",
            Self::Apply => "application/apply-patch+yaml",
        }
    }
}

impl Kubectl<'_, '_> {
    /// Who asks: the terminal's user, or whom `--as` names.
    fn caller(&self) -> User {
        self.desk.memory.user.clone()
    }

    /// Sends a request; warnings are told once.
    pub(crate) fn send(&mut self, request: ApiRequest) -> Result<ApiResponse, Failure> {
        let mut request = request.by(self.caller());
        if let Some(name) = self.flags.value("as") {
            request = request.header("impersonate-user", name);
            for group in self.flags.values("as-group") {
                request = request.header("impersonate-group", group);
            }
        }
        let response = self.desk.cluster.call(self.desk.programs, &request);
        if request.method != HttpMethod::Get && !self.desk.memory.cost.is_zero() {
            // A write takes its time on the way, and controllers see it before the next one.
            let waited = self.desk.cluster.waited().as_micros() as i64;
            self.desk.advance(self.desk.cluster.now().0 + WRITE_MICROS + waited);
        }
        for (name, value) in &response.headers {
            if *name == "Warning" {
                let text = value.split_once('"').and_then(|(_, rest)| rest.strip_suffix('"')).unwrap_or(value);
                let line = format!("Warning: {}\n", text.replace("\\\"", "\"").replace("\\\\", "\\"));
                if self.warned.insert(line.clone()) {
                    self.err.push_str(&line);
                }
            }
        }
        if response.status >= 400 {
            return Err(refusal(&response));
        }
        Ok(response)
    }

    /// Reads a path as JSON.
    pub(crate) fn get(&mut self, path: &str) -> Result<Value, Failure> {
        self.send(ApiRequest::new(HttpMethod::Get, path)).map(|response| response.value())
    }

    /// Reads a path as it is.
    pub(crate) fn get_text(&mut self, path: &str) -> Result<String, Failure> {
        let response = self.send(ApiRequest::new(HttpMethod::Get, path))?;
        Ok(String::from_utf8_lossy(response.bytes_of()).into_owned())
    }

    /// One object.
    pub(crate) fn object(&mut self, kind: &Kind, namespace: &str, name: &str) -> Result<Value, Failure> {
        self.get(&kind.object_path(namespace, name))
    }

    /// All objects that selectors leave, each with its kind and version.
    pub(crate) fn list(
        &mut self,
        kind: &Kind,
        namespace: &str,
        labels: &str,
        fields: &str,
    ) -> Result<Vec<Value>, Failure> {
        let path = with_query(&kind.path(namespace), &[("labelSelector", labels), ("fieldSelector", fields)]);
        let mut list = self.get(&path).map_err(|failure| unlisted(failure, kind, labels, fields))?;
        let items = list.get_mut("items").map(Value::take).unwrap_or_default();
        let Value::Array(mut items) = items else { return Ok(Vec::new()) };
        for item in &mut items {
            json::set(item, "apiVersion", kind.api_version());
            json::set(item, "kind", kind.kind.clone());
        }
        Ok(items)
    }

    /// A known kind by a word: panics never, fails if the server does not have it.
    pub(crate) fn kind(&mut self, word: &str) -> Result<Arc<Kind>, Failure> {
        let known = self.discovery()?.find(word);
        if let Some(kind) = known {
            return Ok(kind);
        }
        // A definition may have come since discovery was read.
        self.desk.memory.discovery = None;
        let missing = || {
            Failure::new(format!(
                "the server doesn't have a resource type {}",
                crate::go::quote(word.split('.').next().unwrap_or_default())
            ))
        };
        self.discovery()?.find(word).ok_or_else(missing)
    }

    /// What the server has; read once and then kept, as on a real disk.
    pub(crate) fn discovery(&mut self) -> Result<Arc<Discovery>, Failure> {
        if let Some(known) = &self.desk.memory.discovery {
            return Ok(known.clone());
        }
        let mut ask = |path: &str| {
            self.send(ApiRequest::new(HttpMethod::Get, path).header("accept", AGGREGATED))
                .map(|response| response.value())
        };
        let discovery = Arc::new(Discovery::read(&ask("/api")?, &ask("/apis")?));
        self.desk.memory.discovery = Some(discovery.clone());
        Ok(discovery)
    }

    pub(crate) fn create(&mut self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.send(ApiRequest::new(HttpMethod::Post, path).json(body)).map(|response| response.value())
    }

    pub(crate) fn replace(&mut self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.send(ApiRequest::new(HttpMethod::Put, path).json(body)).map(|response| response.value())
    }

    pub(crate) fn patch(&mut self, form: PatchForm, path: &str, body: &str) -> Result<Value, Failure> {
        let request = ApiRequest::new(HttpMethod::Patch, path).typed(form.content_type(), body);
        self.send(request).map(|response| response.value())
    }

    pub(crate) fn delete(&mut self, path: &str, options: &Value) -> Result<Value, Failure> {
        self.send(ApiRequest::new(HttpMethod::Delete, path).json(options)).map(|response| response.value())
    }

    /// Opens something that lasts: a watch, a followed log, an exec.
    pub(crate) fn open(&mut self, request: ApiRequest) -> Result<ApiBody, Failure> {
        self.send(request).map(|response| response.body)
    }
}

/// A list that the server refuses, in kubectl's words.
pub(crate) fn unlisted(failure: Failure, kind: &Kind, labels: &str, fields: &str) -> Failure {
    if !matches!(failure.reason(), "BadRequest" | "NotFound") {
        return failure;
    }
    let resource = crate::go::quote(&format!("{}/{}, Resource={}", kind.group, kind.version, kind.plural));
    match labels.is_empty() && fields.is_empty() {
        true => failure.prefixed(&format!("Unable to list {resource}: ")),
        false => failure.prefixed(&format!(
            "Unable to find {resource} that match label selector {}, field selector {}: ",
            crate::go::quote(labels),
            crate::go::quote(fields)
        )),
    }
}

/// What a refused request is called.
fn refusal(response: &ApiResponse) -> Failure {
    let body = response.value();
    if json::text(&body, "kind") == "Status" {
        return Failure::Status(Box::new(body));
    }
    let (reason, message) = match response.status {
        401 => ("Unauthorized", "the server has asked for the client to provide credentials"),
        403 => ("Forbidden", "forbidden"),
        404 => ("NotFound", "the server could not find the requested resource"),
        405 => ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
        503 => ("ServiceUnavailable", "the server is currently unable to handle the request"),
        _ => ("InternalError", "an error on the server has prevented the request from succeeding"),
    };
    Failure::Status(Box::new(tree!({"kind": "Status", "reason": reason, "message": message, "code": response.status})))
}
