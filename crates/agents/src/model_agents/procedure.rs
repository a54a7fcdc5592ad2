//! The order of work that the controller insists on: look, then fix, then resolve.

use harness::{Brief, Effect, ToolDoc};

use crate::prompts;

/// What says that the incident is over, which wants a fix before it.
const RESOLVE: &str = "resolve_incident";

/// What was seen and done so far, as far as the model itself was shown it.
pub(super) struct Procedure {
    tools: Vec<ToolDoc>,
    services: Vec<String>,
    /// Services of which something was seen.
    seen: Vec<String>,
    /// Whether anything at all was looked at.
    looked: bool,
    fixed: bool,
    last: String,
}

impl Procedure {
    pub fn new(brief: &Brief) -> Procedure {
        let services = brief.services.iter().map(|service| folded(service)).collect();
        Procedure {
            tools: brief.tools.clone(),
            services,
            seen: Vec::new(),
            looked: false,
            fixed: false,
            last: String::new(),
        }
    }

    /// The action that is about to be carried out.
    pub fn acts(&mut self, action: &str) {
        self.last = action.to_string();
    }

    /// Whether it was carried out: an action that was invalid is neither a look nor a fix.
    pub fn observe(&mut self, invalid: bool) {
        let action = std::mem::take(&mut self.last);
        if action.is_empty() || invalid {
            return;
        }
        match self.kind(&action) {
            Kind::Fix => self.fixed = true,
            Kind::Look => {
                self.looked = true;
                self.seen.extend(self.named(&action));
            }
            Kind::Other => {}
        }
    }

    /// The rule that an action breaks, if it breaks one.
    pub fn objects(&self, action: &str) -> Option<&'static str> {
        let named = self.named(action);
        let unseen = if named.is_empty() { !self.looked } else { named.iter().any(|name| !self.seen.contains(name)) };
        match self.kind(action) {
            Kind::Fix if unseen => Some("evidence"),
            Kind::Other if tool(action) == RESOLVE && !self.fixed => Some("fix"),
            _ => None,
        }
    }

    /// What an action is by its tool; one that is not known is taken for a look, and refused.
    fn kind(&self, action: &str) -> Kind {
        let name = tool(action);
        match self.tools.iter().find(|doc| doc.name == name) {
            Some(doc) if doc.mends => Kind::Fix,
            Some(doc) if doc.effect != Effect::Look => Kind::Other,
            _ => Kind::Look,
        }
    }

    /// The services that an action names.
    fn named(&self, action: &str) -> Vec<String> {
        let arguments = folded(action.split_once('(').map_or("", |(_, arguments)| arguments));
        let words: Vec<&str> = arguments.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
        self.services.iter().filter(|service| words.contains(&service.as_str())).cloned().collect()
    }
}

enum Kind {
    Look,
    Fix,
    Other,
}

fn tool(action: &str) -> String {
    action.split('(').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn folded(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// What the controller says, with its blank filled in.
pub(super) fn notice(name: &str, blank: &str, with: &str) -> String {
    let notices = prompts::find("guided_notices").expect("it is in the table");
    notices.section(name).replace(blank, with)
}

#[cfg(test)]
mod tests {
    use harness::ToolSet;

    use super::*;

    /// An order after these actions; those with `!` before them were refused.
    fn after(actions: &[&str]) -> Procedure {
        let services = ["web_server", "cache"].map(str::to_string).to_vec();
        let (incident, text, page) = (String::new(), String::new(), String::new());
        let toolset = ToolSet::FULL;
        let tools = toolset.docs(&services);
        let mut procedure =
            Procedure::new(&Brief { incident, text, page, services, tools, steps: 8, toolset, messages: None });
        for action in actions {
            procedure.acts(action.trim_start_matches('!'));
            procedure.observe(action.starts_with('!'));
        }
        procedure
    }

    #[test]
    fn a_look_comes_before_a_fix_and_a_fix_before_the_end() {
        let check = |before: &[&str], action: &str, expect: Option<&str>| {
            assert_eq!(after(before).objects(action), expect, "{action} after {before:?}");
        };
        let resolve = "resolve_incident(root_cause=\"cache\", fix=\"restart\")";
        check(&[], "inspect_logs(cache)", None);
        check(&[], "restart_service(cache)", Some("evidence"));
        check(&["inspect_logs(cache)"], "restart_service(cache)", None);
        check(&["inspect_logs(cache)"], "restart_service(web-server)", Some("evidence"));
        check(
            &["inspect_config(service=\"Web-Server\")"],
            "UPDATE_CONFIG(service=\"web_server\", key=\"A\", value=1)",
            None,
        );
        check(&["!inspect_logs(cache)"], "restart_service(cache)", Some("evidence"));
        check(&[], "rollback_change(12)", Some("evidence"));
        check(&["list_changes()"], "rollback_change(12)", None);
        check(&["inspect_logs(cache)"], resolve, Some("fix"));
        check(&["inspect_logs(cache)", "restart_service(cache)"], resolve, None);
        check(&["inspect_logs(cache)", "!restart_service(cache)"], resolve, Some("fix"));
        check(&["silence_alert(cache/down)"], resolve, Some("fix"));
        check(&[], "escalate(\"help\")", None);
        check(&[], "silence_alert(cache/down)", None);
    }
}
