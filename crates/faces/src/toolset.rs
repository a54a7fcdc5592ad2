//! Which tools an agent is given: a list with a name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::doc::ToolDoc;
use crate::tool::Tool;
use crate::tools;

/// A set of tools, known by its name.
#[derive(Clone, Copy)]
pub struct ToolSet(&'static ToolList);

/// A named list of tools, in the order in which they are shown.
pub struct ToolList {
    /// The name.
    pub name: &'static str,
    /// The tools.
    pub tools: &'static [&'static dyn Tool],
}

/// A name that is no tool set's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no tool set `{0}`; there are {known}", known = known())]
pub struct UnknownToolSet(pub String);

fn known() -> String {
    let names: Vec<&str> = ToolSet::ALL.iter().map(|set| set.name()).collect();
    names.join(" and ")
}

impl ToolSet {
    /// The eight published actions.
    pub const CLASSIC: ToolSet = ToolSet(&ToolList { name: "classic", tools: tools::CLASSIC });
    /// The eight, and what else an on-call engineer has at hand.
    pub const FULL: ToolSet = ToolSet(&ToolList { name: "full", tools: tools::FULL });

    /// All that can be asked for by name.
    pub const ALL: &'static [ToolSet] = &[ToolSet::CLASSIC, ToolSet::FULL];

    /// A set of its own, for those who bring their own tools.
    pub const fn of(list: &'static ToolList) -> ToolSet {
        ToolSet(list)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Its tools, in the order in which they are shown.
    pub fn tools(self) -> &'static [&'static dyn Tool] {
        self.0.tools
    }

    /// The tool of that name, in any case of letters.
    pub fn find(self, name: &str) -> Option<&'static dyn Tool> {
        self.tools().iter().copied().find(|t| t.name().eq_ignore_ascii_case(name))
    }

    /// What there is to say of its tools. The services are listed where they are known.
    pub fn docs(self, services: &[String]) -> Vec<ToolDoc> {
        let services = services.into();
        self.tools().iter().map(|tool| ToolDoc::sharing(*tool, &services)).collect()
    }

    /// This set if it has all that is needed, else what is needed.
    pub fn or_needed(self, needed: ToolSet) -> ToolSet {
        let has_all = self == needed || needed.tools().iter().all(|tool| self.find(tool.name()).is_some());
        if has_all { self } else { needed }
    }
}

impl Default for ToolSet {
    fn default() -> ToolSet {
        ToolSet::CLASSIC
    }
}

impl PartialEq for ToolSet {
    fn eq(&self, other: &ToolSet) -> bool {
        self.name() == other.name()
    }
}

impl Eq for ToolSet {}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolSet({})", self.name())
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

impl Serialize for ToolSet {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ToolSet {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ToolSet, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
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

    #[test]
    fn a_task_gets_the_tools_that_it_needs() {
        static LOOKS: ToolList = ToolList { name: "looks", tools: &[] };
        let looks = ToolSet::of(&LOOKS);
        let check = |asked: ToolSet, needed: ToolSet, expect: ToolSet| assert_eq!(asked.or_needed(needed), expect);
        check(ToolSet::FULL, ToolSet::CLASSIC, ToolSet::FULL);
        check(ToolSet::CLASSIC, ToolSet::FULL, ToolSet::FULL);
        check(looks, ToolSet::CLASSIC, ToolSet::CLASSIC);
        check(ToolSet::CLASSIC, looks, ToolSet::CLASSIC);
    }
}
