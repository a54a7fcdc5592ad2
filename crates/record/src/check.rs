//! One part of a verdict: what was checked, whether it holds, and what was found.

use serde::{Deserialize, Serialize};

/// One part of a verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// What was checked.
    pub name: String,
    /// Whether it holds.
    pub ok: bool,
    /// What was found.
    pub found: String,
}
