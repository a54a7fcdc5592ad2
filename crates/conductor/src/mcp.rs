//! The tools of a problem over MCP: all of them at one address, and the groups at the addresses that SREGym has.

use doors::mcp::{OneEpisode, tool_entry};
use serde_json::{Map, Value};

use crate::live::LiveProblem;

/// The groups of tools by the names of their addresses.
pub(crate) const GROUPS: [(&str, &[&str]); 6] = [
    ("kubectl", &["exec_kubectl_cmd_safely", "rollback_command", "get_previous_rollbackable_cmd"]),
    ("jaeger", &["get_services", "get_operations", "get_traces", "get_dependency_graph"]),
    ("loki", &["get_logs", "get_labels", "get_label_values"]),
    ("prometheus", &["get_metrics", "get_alerts"]),
    ("submit", &["submit"]),
    ("submit_mcp", &["submit"]),
];

/// The tools of a group; all of them if the group has no name.
pub(crate) struct ToolGroup<'a> {
    pub(crate) problem: &'a mut LiveProblem,
    pub(crate) group: &'a str,
}

impl ToolGroup<'_> {
    fn has(&self, tool: &str) -> bool {
        let group = GROUPS.iter().find(|(name, _)| *name == self.group);
        group.is_none_or(|(_, tools)| tools.contains(&tool))
    }
}

impl OneEpisode for ToolGroup<'_> {
    fn instructions(&mut self) -> String {
        self.problem.brief()
    }

    fn tools(&mut self) -> Vec<Value> {
        self.problem.tools().iter().filter(|tool| self.has(tool.name)).map(tool_entry).collect()
    }

    fn call(&mut self, name: &str, arguments: &Map<String, Value>) -> Option<(String, bool)> {
        let is_known = self.has(name) && self.problem.tools().iter().any(|tool| tool.name == name);
        is_known.then(|| self.problem.call(name, arguments))
    }
}
