//! The server's own log: what was done to every request, and what a client must have made of it.

use harness::ProviderFault;
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestEntry {
    /// Which line this is, from 1.
    pub seq: u64,
    /// When, in milliseconds since 1970.
    pub time_ms: u64,
    /// The path, without what follows a question mark: that may be a key.
    pub path: String,
    /// The format.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub wire: String,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The SHA-256 of the request's body.
    pub body: String,
    /// Which try this is for this model and body, from 1; 0 if it was refused before it counted.
    pub attempt: u32,
    /// What was done: `answered`, the name of a fault, or `over_limit`, `bad_key`, `unknown_model`,
    /// `bad_request`, `unknown_path`.
    pub did: String,
    /// The status that was sent; `None` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What a client that reads it right calls it; `None` if it got its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<ProviderFault>,
}

impl RequestEntry {
    /// As a line of the file, with its end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a line is plain data") + "\n"
    }

    /// The lines of a log; what is wrong otherwise.
    pub fn read_all(text: &str) -> Result<Vec<RequestEntry>, String> {
        let read = |(at, line)| serde_json::from_str(line).map_err(|e| format!("line {}: {e}", at + 1));
        text.lines().enumerate().map(read).collect()
    }
}
