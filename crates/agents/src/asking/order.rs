//! The order of work that the controller insists on: look, then fix, then resolve.

use harness::Brief;

use crate::prompts;

/// What changes a service to mend it.
const FIXES: &[&str] = &["restart_service", "update_config", "rollback_change"];
/// What is neither a look nor a fix.
const OTHERS: &[&str] = &["silence_alert", "resolve_incident", "escalate"];
/// How the answer to an action that was not carried out begins.
const REFUSED: &str = "Invalid action:";

/// What was seen and done so far, as far as the model itself was shown it.
pub(super) struct Order {
    services: Vec<String>,
    /// Services of which something was seen.
    seen: Vec<String>,
    /// Whether anything at all was looked at.
    looked: bool,
    fixed: bool,
    last: String,
}

impl Order {
    pub fn new(brief: &Brief) -> Order {
        let services = brief.services.iter().map(|service| folded(service)).collect();
        Order { services, seen: Vec::new(), looked: false, fixed: false, last: String::new() }
    }

    /// The action that is about to be carried out.
    pub fn acts(&mut self, action: &str) {
        self.last = action.to_string();
    }

    /// What it brought to light: an action that was refused is neither a look nor a fix.
    pub fn observe(&mut self, observation: &str) {
        let action = std::mem::take(&mut self.last);
        if action.is_empty() || observation.starts_with(REFUSED) {
            return;
        }
        match kind(&action) {
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
        match kind(action) {
            Kind::Fix if unseen => Some("evidence"),
            Kind::Other if tool(action) == "resolve_incident" && !self.fixed => Some("fix"),
            _ => None,
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

fn kind(action: &str) -> Kind {
    let tool = tool(action);
    if FIXES.contains(&tool.as_str()) {
        Kind::Fix
    } else if OTHERS.contains(&tool.as_str()) {
        Kind::Other
    } else {
        Kind::Look
    }
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
