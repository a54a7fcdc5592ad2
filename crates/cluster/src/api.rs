//! The Kubernetes API as bytes in, bytes out.
//!
//! A server (or a client in the same process) builds an [`ApiRequest`], hands it to [`Cluster::call`] and sends the
//! [`ApiResponse`] back. Nothing here waits: what lasts (a watch, a followed log, an `exec`) is handed out as a value
//! that the server drives, see [`ApiBody`].

mod convert;
mod decode;
mod delete;
mod discovery;
mod fields;
mod managed;
mod negotiate;
mod openapi;
mod patch;
mod read;
mod reviews;
mod streams;
mod subresources;
mod swagger;
mod table;
mod watch;
mod write;

use std::time::Duration;

use serde_json::Value;

use crate::Cluster;
use crate::program::Programs;
pub use crate::request::{ApiRequest, HttpMethod, User};
pub(crate) use crate::route::{self, ApiTarget, Route};
pub(crate) use crate::select::{FieldSelector, LabelSelector, matches_labels};
use crate::status::ApiError;
pub(crate) use crate::write_json::write_json;
pub(crate) use crate::writer::Writer;
pub(crate) use delete::DeleteOptions;
pub(crate) use streams::status_of;
pub use streams::{LogHandle, StreamKind, StreamRequest};
pub use table::pod_status;
pub use watch::WatchHandle;

/// What the API answers.
#[derive(Clone, Debug)]
pub struct ApiResponse {
    /// The HTTP status.
    pub status: u16,
    /// `Content-Type` and, where they matter, `Warning`, `ETag`, `Retry-After`, `Location`, `Cache-Control`.
    pub headers: Vec<(&'static str, String)>,
    /// The body, or what makes it.
    pub body: ApiBody,
}

/// The body of an answer.
#[derive(Clone, Debug)]
pub enum ApiBody {
    /// All of it.
    Bytes(Vec<u8>),
    /// A stream of watch events: call [`Cluster::poll_watch`] after every advance and send what it returns as one
    /// chunk, until [`WatchHandle::is_done`].
    Watch(Box<WatchHandle>),
    /// A log that is followed: call [`Cluster::poll_log`] after every advance, until [`LogHandle::is_done`].
    Log(Box<LogHandle>),
    /// The request is allowed and its pod is there; the server upgrades the connection and talks to the container.
    Stream(Box<StreamRequest>),
}

impl ApiResponse {
    /// A JSON answer.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::bytes(status, "application/json", write_json(body))
    }

    pub(crate) fn text(status: u16, body: impl Into<String>) -> Self {
        Self::bytes(status, "text/plain; charset=utf-8", body.into().into_bytes())
    }

    pub(crate) fn bytes(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        Self { status, headers: vec![("Content-Type", content_type.into())], body: ApiBody::Bytes(body) }
    }

    pub(crate) fn refusal(error: &ApiError) -> Self {
        if error.plain {
            return Self::text(error.code, error.message.clone());
        }
        let mut response = Self::json(error.code, &error.body());
        if let Some(seconds) = error.retry_after {
            response.headers.push(("Retry-After", seconds.to_string()));
        }
        response
    }

    /// Go's encoder ends what it writes with a line break; only what is no object is written otherwise.
    fn end_line(&mut self, path: &str) {
        let is_json = self.headers.iter().any(|(name, value)| *name == "Content-Type" && value.contains("json"));
        let is_document = path.starts_with("/version") || path.starts_with("/openapi");
        if let ApiBody::Bytes(bytes) = &mut self.body
            && is_json
            && !is_document
            && !bytes.is_empty()
        {
            bytes.push(b'\n');
        }
    }

    pub(crate) fn warned(mut self, warnings: &[String]) -> Self {
        let header =
            |warning: &String| ("Warning", format!("299 - \"{}\"", warning.replace('\\', "\\\\").replace('"', "\\\"")));
        self.headers.extend(warnings.iter().map(header));
        self
    }

    /// The bytes of a whole answer; empty for streams.
    pub fn bytes_of(&self) -> &[u8] {
        match &self.body {
            ApiBody::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// The JSON of a whole answer; null where it is none.
    pub fn value(&self) -> Value {
        serde_json::from_slice(self.bytes_of()).unwrap_or(Value::Null)
    }
}

impl Cluster {
    /// Answers one request at the cluster's present time.
    ///
    /// Writes take effect at once; controllers act on them when the cluster is advanced. What a container would have to
    /// say (its log, its use of cpu and memory) is asked of `programs`.
    pub fn call(&mut self, programs: &mut dyn Programs, request: &ApiRequest) -> ApiResponse {
        self.waited = Duration::ZERO;
        let mut response = match self.answer(programs, request) {
            Ok(response) => response,
            Err(error) => ApiResponse::refusal(&error),
        };
        response.end_line(request.path());
        response
    }

    /// How long the API server kept the last call waiting: webhooks that do not answer cost their time.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    fn answer(&mut self, programs: &mut dyn Programs, request: &ApiRequest) -> Result<ApiResponse, ApiError> {
        let user = self.caller(request)?;
        let route = route::parse(request.path());
        self.authorize(&user, request, &route)?;
        match route {
            Route::Object(target) => self.on_object(programs, request, &user, &target),
            other => discovery::answer(self, request, &other),
        }
    }

    fn on_object(
        &mut self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        user: &User,
        target: &ApiTarget,
    ) -> Result<ApiResponse, ApiError> {
        let resource = self.resource_at(target)?;
        if !target.subresource.is_empty() {
            return self.on_subresource(programs, request, target, &resource);
        }
        let named = !target.name.is_empty();
        let is_watch = target.is_watch || request.flag("watch");
        let verb = match (request.method, named) {
            (HttpMethod::Get, _) if is_watch => "watch",
            (HttpMethod::Get, true) => "get",
            (HttpMethod::Get, false) => "list",
            (HttpMethod::Post, false) => "create",
            (HttpMethod::Put, true) => "update",
            (HttpMethod::Patch, true) => "patch",
            (HttpMethod::Delete, true) => "delete",
            (HttpMethod::Delete, false) => "deletecollection",
            _ => return Err(ApiError::method_not_allowed()),
        };
        if !resource.allows(verb)
            || (resource.namespaced && target.namespace.is_empty() && !matches!(verb, "list" | "watch"))
        {
            return Err(ApiError::method_not_allowed());
        }
        if resource.group == "metrics.k8s.io" {
            return self.metrics(programs, request, target, &resource);
        }
        match verb {
            "watch" => self.watch(request, target, &resource),
            "get" => self.get(request, target, &resource),
            "list" => self.list(request, target, &resource),
            "create" if !resource.is_stored() => self.review(request, user, target, &resource),
            "create" => self.create(programs, request, target, &resource),
            "update" => self.update(programs, request, target, &resource),
            "patch" => self.patch(programs, request, target, &resource),
            "delete" => self.delete(programs, request, target, &resource),
            _ => self.delete_collection(programs, request, target, &resource),
        }
    }

    pub(crate) fn resource_at(
        &self,
        target: &ApiTarget,
    ) -> Result<std::sync::Arc<crate::resource::Resource>, ApiError> {
        if !self.registry.serves(&target.group, &target.version) {
            return Err(ApiError::no_such_path());
        }
        let found = self.registry.find(&target.group, &target.version, &target.resource);
        let found = found.filter(|r| r.namespaced || target.namespace.is_empty());
        found.cloned().ok_or_else(ApiError::no_such_resource)
    }
}
