//! Which use a task is kept for.

use serde::{Deserialize, Serialize};

/// What a task may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Learning from it.
    Train,
    /// Choosing between agents.
    Dev,
    /// Reporting.
    Test,
}

impl Split {
    /// All, from the most open.
    pub const ALL: [Split; 3] = [Split::Train, Split::Dev, Split::Test];

    /// In one word.
    pub fn text(self) -> &'static str {
        ["train", "dev", "test"][self as usize]
    }
}
