//! Why a request brought no answer, sorted by what can be done about it.

use std::fmt;
use std::time::Duration;

use super::ProviderFault;
use super::secret::HIDDEN;

/// One failed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestFailure {
    /// What went wrong.
    pub fault: ProviderFault,
    /// The HTTP status, if there was a reply.
    pub status: Option<u16>,
    /// What the provider said, short and on one line.
    pub message: String,
    /// How long it asked us to wait.
    pub retry_after: Option<Duration>,
    /// Whether the same request may succeed later.
    pub retryable: bool,
}

/// Longer messages are cut.
const MOST: usize = 300;

impl RequestFailure {
    /// A failure, retryable if its fault usually passes.
    pub fn new(fault: ProviderFault, message: &str) -> RequestFailure {
        RequestFailure { fault, status: None, message: short(message), retry_after: None, retryable: passes(fault) }
    }

    /// The same, with the status of the reply.
    pub fn at(self, status: u16) -> RequestFailure {
        RequestFailure { status: Some(status), ..self }
    }

    /// The same, and it is of no use to try again.
    pub fn for_good(self) -> RequestFailure {
        RequestFailure { retryable: false, ..self }
    }
}

/// Whether a fault of this kind usually passes. A model that answered nothing may answer the next time.
fn passes(fault: ProviderFault) -> bool {
    !matches!(
        fault,
        ProviderFault::Authentication
            | ProviderFault::Filtered
            | ProviderFault::ContextTooLong
            | ProviderFault::Refused
    )
}

fn short(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().map(|word| if is_key(word) { HIDDEN } else { word }).collect();
    let line = words.join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

/// Whether a word looks like a key: providers repeat keys with a few letters left, which are a few too many.
fn is_key(word: &str) -> bool {
    let bare = word.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    ["sk-", "gsk_", "AIza", "AKIA", "ASIA"].iter().any(|start| bare.starts_with(start) && bare.len() > start.len() + 3)
}

impl fmt::Display for RequestFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(f, "{status}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}
