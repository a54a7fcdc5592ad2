//! No leak: nothing that an agent can read names the task, its fault or its answer.

use std::sync::Arc;

use faces::{Call, Param, Run, Takes, Tool, ToolSet};
use world::View;

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
    for tool in ToolSet::Full.tools() {
        let Run::Look(look) = tool.run() else { continue };
        for text in calls(*tool, view) {
            let call: Call = faces::parse(&text, ToolSet::Full, view).map_err(|e| format!("`{text}`: {e}"))?;
            search(&text, &look(view, &call.args).text)?;
        }
    }
    for text in FUMBLES {
        let options = EpisodeOptions { tools: ToolSet::Full, ..EpisodeOptions::default() };
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
        let Ok(call) = faces::parse(text, ToolSet::Full, scenario.at_page().view()) else { continue };
        match call.tool.run() {
            Run::Look(_) => {}
            Run::Act(_) => secrets.push(secret("the fix", &call.canonical(), false)),
            Run::End(_) => secrets.extend(call.args.iter().map(|(_, words)| secret("the answer", words, false))),
        }
    }
    secrets.retain(|s| !s.text.is_empty());
    secrets
}

/// A tool's call with every combination of what its parameters take.
fn calls(tool: &dyn Tool, view: View<'_>) -> Vec<String> {
    let mut calls: Vec<(Option<usize>, Vec<String>)> = vec![(None, Vec::new())];
    for param in tool.params().iter().filter(|p| !p.optional || p.takes == Takes::Key) {
        let extended = |(service, args): &(Option<usize>, Vec<String>)| {
            let with = |(at, value): (Option<usize>, String)| {
                (at.or(*service), args.iter().cloned().chain([format!("{}={value}", param.name)]).collect())
            };
            values(param, *service, view).into_iter().map(with).collect::<Vec<_>>()
        };
        calls = calls.iter().flat_map(extended).collect();
    }
    calls.into_iter().map(|(_, args)| format!("{}({})", tool.name(), args.join(", "))).collect()
}

/// What a parameter may be given; a service comes with its index.
fn values(param: &Param, service: Option<usize>, view: View<'_>) -> Vec<(Option<usize>, String)> {
    let plan = view.plan();
    let plain = |all: Vec<String>| all.into_iter().map(|v| (None, v)).collect();
    let kind = service.map(|s| plan.services[s].kind);
    match param.takes {
        Takes::Service => plan.services.iter().enumerate().map(|(at, s)| (Some(at), s.name.to_string())).collect(),
        Takes::Key => plain(kind.map_or(Vec::new(), |k| k.keys().iter().map(|k| k.name.to_string()).collect())),
        Takes::Metric => plain(kind.map_or(Vec::new(), |k| k.metrics().iter().map(|m| m.name.to_string()).collect())),
        Takes::Route => plain(plan.routes.iter().map(|r| r.name.to_string()).collect()),
        Takes::Alert => plain(plan.alerts.iter().map(|a| a.name.to_string()).collect()),
        Takes::Change => plain(view.changes().iter().map(|c| c.id.to_string()).collect()),
        Takes::Level => plain(vec!["info".to_string()]),
        Takes::Whole { min, .. } => plain(vec![min.to_string()]),
        Takes::Setting | Takes::Words | Takes::Prose => plain(vec!["e".to_string()]),
    }
}
