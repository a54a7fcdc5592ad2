//! No leak: nothing that an agent can read names the task, its fault or its answer.

use std::sync::Arc;

use faces::{Call, Run, ToolSet};

use crate::episode::{Episode, EpisodeOptions};
use crate::scenario::Scenario;

/// Actions that are none, to see what the errors say.
const FUMBLES: &[&str] =
    &["", "help", "fix it", "{}", "inspect_logs(nowhere)", "restart_service()", "resolve_incident()"];

/// Reads everything that there is to read at the page, and searches it.
pub(super) fn no_leak(scenario: &Arc<Scenario>) -> Result<String, String> {
    let secrets = secrets(scenario);
    let mut read = 0;
    let mut search = |place: &str, text: &str| {
        read += 1;
        let text = text.to_ascii_lowercase();
        let found = secrets.iter().find(|secret| secret.is_in(&text));
        found.map_or(Ok(()), |secret| Err(format!("{place} shows {}: `{}`", secret.what, secret.text)))
    };
    for tools in ToolSet::ALL {
        search("the brief", &scenario.brief(*tools).text)?;
    }
    let view = scenario.at_page().view();
    for tool in ToolSet::FULL.tools() {
        let Run::Look(look) = tool.run() else { continue };
        for text in faces::every_call(*tool, view) {
            let call: Call = faces::parse(&text, ToolSet::FULL, view).map_err(|e| format!("`{text}`: {e}"))?;
            search(&text, &look(view, &call.args).text)?;
        }
    }
    for text in FUMBLES {
        let options = EpisodeOptions { tools: ToolSet::FULL, ..EpisodeOptions::default() };
        search(&format!("the answer to `{text}`"), Episode::start(scenario, options).step(text).observation)?;
    }
    Ok(format!("{read} texts searched"))
}

/// A text that must not be seen, in lower case.
struct Secret {
    what: &'static str,
    text: String,
    /// A plain word such as `crash` may stand inside another.
    whole_word: bool,
}

impl Secret {
    fn is_in(&self, text: &str) -> bool {
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let alone =
            |at: usize| !part(text[..at].chars().next_back()) && !part(text[at + self.text.len()..].chars().next());
        text.match_indices(&self.text).any(|(at, _)| !self.whole_word || alone(at))
    }
}

fn secrets(scenario: &Scenario) -> Vec<Secret> {
    let task = scenario.task();
    let secret = |what, text: &str, whole_word| Secret { what, text: text.trim().to_ascii_lowercase(), whole_word };
    let mut secrets = vec![secret("the task's id", &task.id, true), secret("the task's title", &task.title, false)];
    secrets.extend(task.faults.iter().map(|f| secret("the fault's name", f.fault.name(), true)));
    for text in &scenario.solution() {
        let Ok(call) = faces::parse(text, ToolSet::FULL, scenario.at_page().view()) else { continue };
        match call.tool.run() {
            Run::Look(_) => {}
            Run::Act(_) => secrets.push(secret("the fix", &call.canonical(), false)),
            Run::End(_) => secrets.extend(call.args.iter().map(|(_, words)| secret("the answer", words, false))),
        }
    }
    secrets.retain(|s| !s.text.is_empty());
    secrets
}
