//! Carrying one request.

use std::time::Duration;

use crate::model::{HttpRequest, RequestFailure};

/// Carries a request and brings what came back.
pub trait Transport: Send + Sync {
    /// Sends once. A reply of any status is a reply; a failure is a timeout or trouble on the way.
    fn send(&self, request: &HttpRequest, timeout: Duration) -> Result<HttpReply, RequestFailure>;
}

/// What came back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpReply {
    /// The status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}
