//! Answers as HTTP: status, headers and body.

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use crate::body::ApiBytes;

/// What goes back to a client.
pub(crate) type ApiReply = Response<ApiBytes>;

/// An answer with the headers that the cluster gives.
pub(crate) fn build(status: u16, headers: &[(&'static str, String)], body: ApiBytes) -> ApiReply {
    let mut reply = Response::new(body);
    *reply.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let own = reply.headers_mut();
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_bytes(value.as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            match name == header::CACHE_CONTROL {
                true => drop(own.insert(name, value)),
                false => drop(own.append(name, value)),
            }
        }
    }
    reply
}

/// An answer in plain words.
pub(crate) fn plain(status: StatusCode, why: &str) -> ApiReply {
    let headers = [("Content-Type", "text/plain; charset=utf-8".to_string())];
    build(status.as_u16(), &headers, ApiBytes::of(why.to_string()))
}

/// The text of a header.
pub(crate) fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
