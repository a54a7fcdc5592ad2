//! Which tools an agent is given.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::tool::Tool;
use crate::tools;

/// A set of tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolSet {
    /// The eight published actions.
    #[default]
    Classic,
    /// The eight, and what else an on-call engineer has at hand.
    Full,
}

/// A name that is no tool set's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no tool set `{0}`; there are classic and full")]
pub struct UnknownToolSet(pub String);

impl ToolSet {
    /// Both, in order.
    pub const ALL: &'static [ToolSet] = &[ToolSet::Classic, ToolSet::Full];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ToolSet::Classic => "classic",
            ToolSet::Full => "full",
        }
    }

    /// Its tools, in the order in which they are shown.
    pub fn tools(self) -> &'static [&'static dyn Tool] {
        match self {
            ToolSet::Classic => tools::CLASSIC,
            ToolSet::Full => tools::FULL,
        }
    }

    /// The tool of that name, in any case of letters.
    pub fn find(self, name: &str) -> Option<&'static dyn Tool> {
        self.tools().iter().copied().find(|t| t.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ToolSet {
    type Err = UnknownToolSet;

    fn from_str(text: &str) -> Result<ToolSet, UnknownToolSet> {
        let found = ToolSet::ALL.iter().copied().find(|s| s.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| UnknownToolSet(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        let check = |text: &str, expect: &str| {
            let shown = text.parse::<ToolSet>().map_or_else(|e| e.to_string(), |s| s.to_string());
            assert_eq!(shown, expect);
        };
        check("classic", "classic");
        check(" Full ", "full");
        check("all", "there is no tool set `all`; there are classic and full");
    }
}
