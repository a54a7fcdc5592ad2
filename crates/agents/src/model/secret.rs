//! Keys, in a wrapper that nothing prints.

use std::fmt;

/// A key or a token. It can be used, and neither shown nor stored: there is no `Serialize`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// What stands where a secret stood.
pub(crate) const HIDDEN: &str = "[hidden]";
/// Shorter texts are found everywhere, so that hiding them would garble what is no secret.
const SHORTEST: usize = 6;

impl Secret {
    /// Takes charge of a key.
    pub fn new(key: impl Into<String>) -> Secret {
        Secret(key.into())
    }

    /// The key itself, for the header that carries it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The text without this secret.
    pub fn hide_in(&self, text: &str) -> String {
        if self.0.len() < SHORTEST { text.to_string() } else { text.replace(&self.0, HIDDEN) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// How we prove who we are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// Not at all: servers on this machine.
    None,
    /// With one key.
    Key(Secret),
    /// With a signature (AWS).
    Aws {
        /// The id of the key; no secret, but private.
        access_key: Secret,
        /// What signs.
        secret_key: Secret,
        /// For keys that are lent.
        session: Option<Secret>,
        /// The region that a signature is for.
        region: String,
    },
}

impl Credentials {
    /// Everything that must never be seen.
    pub fn secrets(&self) -> Vec<&Secret> {
        match self {
            Credentials::None => Vec::new(),
            Credentials::Key(key) => vec![key],
            Credentials::Aws { access_key, secret_key, session, .. } => {
                [access_key, secret_key].into_iter().chain(session).collect()
            }
        }
    }
}
