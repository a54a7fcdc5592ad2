//! No leak: nothing that an agent can read names the task, its fault or its answer.

use std::sync::Arc;

use faces::{Call, Run, ToolSet};

use super::secrets::{self, HiddenText};
use crate::episode::{Episode, EpisodeOptions};
use crate::record::grade::catalogue;
use crate::scenario::Scenario;

/// Actions that are none, to see what the errors say.
const FUMBLES: &[&str] =
    &["", "help", "fix it", "{}", "inspect_logs(nowhere)", "restart_service()", "resolve_incident()"];

/// Reads everything that there is to read at the page, and searches it. What a place that was never hit shows as well
/// gives nothing away.
pub(super) fn no_leak(scenario: &Arc<Scenario>) -> Result<String, String> {
    let secrets = secrets::of(scenario);
    let mut twin = scenario.before_it_broke();
    twin.run_until(scenario.begin());
    let mut read = 0;
    let mut search = |place: &str, text: &str, usual: &dyn Fn() -> String| {
        read += 1;
        let of_place = secrets.iter().filter(|s| !s.allowed_in.iter().any(|tool| place.starts_with(tool)));
        let text = secrets::plain(text);
        let found: Vec<&HiddenText> = of_place.filter(|secret| secret.is_in(&text)).collect();
        if found.is_empty() {
            return Ok(());
        }
        let usual = secrets::plain(&usual());
        let leak = found.into_iter().find(|secret| !(secret.in_plain_words && secret.is_in(&usual)));
        leak.map_or(Ok(()), |secret| Err(format!("{place} shows {}: `{}`", secret.what, secret.text)))
    };
    for tools in ToolSet::ALL {
        // The causes that can be answered with are the same in every brief.
        let text = scenario.brief(*tools).text.replace(&catalogue(), "");
        search("the brief", &text, &|| tool_words(scenario, *tools))?;
    }
    let view = scenario.at_page().view();
    for tool in ToolSet::FULL.tools() {
        let Run::Look(look) = tool.run() else { continue };
        for text in faces::every_call(*tool, view) {
            let call: Call = faces::parse(&text, ToolSet::FULL, view).map_err(|e| format!("`{text}`: {e}"))?;
            search(&text, &look(view, &call.args).text, &|| look(twin.view(), &call.args).text)?;
        }
    }
    for text in FUMBLES {
        let options = EpisodeOptions { tools: ToolSet::FULL, ..EpisodeOptions::default() };
        let answer = Episode::start(scenario, options).step(text).observation.to_string();
        search(&format!("the answer to `{text}`"), &answer, &|| tool_words(scenario, ToolSet::FULL))?;
    }
    Ok(format!("{read} texts searched for {} secrets", secrets.len()))
}

/// What is told of the tools in every incident.
fn tool_words(scenario: &Scenario, tools: ToolSet) -> String {
    let brief = scenario.brief(tools);
    let docs = brief.tools.iter().map(|doc| format!("{} {} {}", doc.name, doc.signature, doc.about));
    docs.collect::<Vec<_>>().join("\n")
}
