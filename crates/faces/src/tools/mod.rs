//! Tools: one file each. To add one, copy a file, change its middle, and list it in [`FULL`].

mod check_dependencies;
mod check_routes;
mod check_status;
mod escalate;
mod inspect_config;
mod inspect_logs;
mod inspect_metrics;
mod list_alerts;
mod list_changes;
mod list_traces;
mod query_metrics;
mod resolve_incident;
mod restart_service;
mod rollback_change;
mod search_logs;
mod silence_alert;
mod update_config;

use crate::tool::Tool;

/// The eight published actions.
pub const CLASSIC: &[&dyn Tool] = &[
    &inspect_logs::InspectLogs,
    &inspect_metrics::InspectMetrics,
    &check_status::CheckStatus,
    &inspect_config::InspectConfig,
    &restart_service::RestartService,
    &update_config::UpdateConfig,
    &resolve_incident::ResolveIncident,
    &escalate::Escalate,
];

/// The eight, and what else an on-call engineer has at hand.
pub const FULL: &[&dyn Tool] = &[
    &inspect_logs::InspectLogs,
    &search_logs::SearchLogs,
    &inspect_metrics::InspectMetrics,
    &query_metrics::QueryMetrics,
    &check_status::CheckStatus,
    &check_dependencies::CheckDependencies,
    &check_routes::CheckRoutes,
    &list_traces::ListTraces,
    &list_alerts::ListAlerts,
    &list_changes::ListChanges,
    &inspect_config::InspectConfig,
    &update_config::UpdateConfig,
    &restart_service::RestartService,
    &rollback_change::RollbackChange,
    &silence_alert::SilenceAlert,
    &resolve_incident::ResolveIncident,
    &escalate::Escalate,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::param::Param;
    use crate::tool::Effect;

    fn signature(tool: &dyn Tool) -> String {
        let mut out = format!("{}(", tool.name());
        for (at, Param { name, optional, .. }) in tool.params().iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            out += &if *optional { format!("[{comma}{name}]") } else { format!("{comma}{name}") };
        }
        out + ")"
    }

    #[test]
    fn every_tool_says_what_it_takes_and_what_it_costs() {
        for &tool in FULL {
            assert_eq!(tool.signature(), signature(tool));
            assert!(tool.about().len() > 20, "{} says what it is for", tool.name());
            let ends = tool.effect() == Effect::End;
            assert_eq!(tool.cost() == world::Span::ZERO, ends, "{}: what ends an episode costs no time", tool.name());
        }
    }

    #[test]
    fn the_full_set_has_the_classic_one_and_no_name_twice() {
        let names: std::collections::BTreeSet<&str> = FULL.iter().map(|t| t.name()).collect();
        assert_eq!(names.len(), FULL.len());
        assert_eq!(CLASSIC.len(), 8);
        assert!(CLASSIC.iter().all(|t| names.contains(t.name())));
    }
}
