//! How hard a task is, as it was measured: data of the task file.

use serde::{Deserialize, Serialize};

/// The figures of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Calls between the service that paged and the one at fault; 0 if the page names it.
    pub distance: u32,
    /// Services with something out of the ordinary at the page.
    pub abnormal: u32,
    /// The share of all that is out of the ordinary that is seen at the service at fault.
    pub signal: f64,
    /// Calls of the task's own solution.
    pub solution: u32,
    /// The share of seeds under which the rule-based responder resolves it.
    pub runbook: f64,
    /// All of it in one number, from 0 to 100.
    pub score: f64,
}
