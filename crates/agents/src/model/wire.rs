//! How a provider wants to be spoken to: bytes out, bytes in, and no socket.

use std::fmt;

use super::secret::HIDDEN;
use super::{ModelAnswer, ModelRequest, RequestFailure, Target};

/// A wire format. One file each in `providers/`.
pub trait WireFormat: Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// The request for an ask. The body depends on the ask and the model alone; time and keys go into headers only.
    fn request(&self, target: &Target, ask: &ModelRequest, now: UnixSeconds) -> HttpRequest;
    /// What a reply means.
    fn reply(
        &self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<ModelAnswer, RequestFailure>;
}

/// Seconds since 1970, handed in because nothing here reads a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixSeconds(pub u64);

/// A request, ready to be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `POST`, mostly.
    pub method: &'static str,
    /// Where to; never with a key in it.
    pub url: String,
    /// Headers, with the key among them.
    pub headers: Vec<(String, String)>,
    /// The body; never with a key in it.
    pub body: Vec<u8>,
}

/// Headers whose values are private.
const PRIVATE: &[&str] = &["authorization", "x-api-key", "x-goog-api-key", "x-amz-security-token"];

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.method, self.url)?;
        for (name, value) in &self.headers {
            let private = PRIVATE.iter().any(|p| name.eq_ignore_ascii_case(p));
            writeln!(f, "{name}: {}", if private { HIDDEN } else { value })?;
        }
        f.write_str(&String::from_utf8_lossy(&self.body))
    }
}
