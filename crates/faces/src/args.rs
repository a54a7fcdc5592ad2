//! Arguments of a call, checked.

use std::collections::BTreeMap;

/// The arguments of a valid call, by name, in the order of the tool's parameters. Names are spelled
/// as the world spells them, whatever the agent wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolArgs {
    pub(crate) given: Vec<(&'static str, String)>,
    pub(crate) service: Option<usize>,
    pub(crate) route: Option<usize>,
}

impl ToolArgs {
    /// An argument, if it was given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }

    /// An argument, or the empty text if it was not given.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or("")
    }

    /// A whole number, or `usual` if it was not given.
    pub fn whole(&self, name: &str, usual: u64) -> u64 {
        self.get(name).and_then(|text| text.parse().ok()).unwrap_or(usual)
    }

    /// The index of the service that was named.
    pub fn service(&self) -> usize {
        self.service.expect("only tools that take a service ask for it")
    }

    /// The index of the route that was named.
    pub fn route(&self) -> usize {
        self.route.expect("only tools that take a route ask for it")
    }

    /// All of them, in the order of the tool's parameters.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.given.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// All of them, as a record keeps them.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        // One by one: to collect them would sort a list of them first.
        let mut map = BTreeMap::new();
        self.iter().for_each(|(name, value)| drop(map.insert(name.to_string(), value.to_string())));
        map
    }
}
