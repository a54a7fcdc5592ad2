//! A model at a provider, with all that is needed to reach it.

use std::fmt;

use super::{Credentials, HttpRequest, ModelAnswer, ModelRequest, RequestFailure, UnixSeconds, WireFormat};

/// Whom to ask. It may be printed: keys stay hidden.
#[derive(Clone)]
pub struct Target {
    /// The provider's name in our table.
    pub provider: String,
    /// The model's name at that provider.
    pub model: String,
    /// Where its interface begins, without a slash at the end.
    pub base_url: String,
    /// How it is spoken to.
    pub wire: &'static dyn WireFormat,
    /// How we prove who we are.
    pub credentials: Credentials,
}

impl Target {
    /// The request for an ask.
    pub fn request(&self, ask: &ModelRequest, now: UnixSeconds) -> HttpRequest {
        self.wire.request(self, ask, now)
    }

    /// What a reply means. A failure's message holds no secret of ours, whatever the server repeated.
    pub fn reply(
        &self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<ModelAnswer, RequestFailure> {
        let hide = |failure: RequestFailure| RequestFailure { message: self.hide_secrets(&failure.message), ..failure };
        self.wire.reply(status, headers, body, now).map_err(hide)
    }

    /// The text without any of our secrets.
    pub fn hide_secrets(&self, text: &str) -> String {
        self.credentials.secrets().iter().fold(text.to_string(), |text, secret| secret.hide_in(&text))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} at {} ({})", self.base_url, self.wire.name())
    }
}
