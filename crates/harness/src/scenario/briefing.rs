//! The brief: what an agent is told when it is paged, and nothing more.

use std::collections::BTreeSet;
use std::fmt::Write;

use faces::{ToolDoc, ToolSet};
use world::Blueprint;
use world::blueprint::Watch;

use super::Scenario;
use crate::brief::Brief;
use crate::record::grade::catalogue;

/// A brief names no more services than this.
const MOST_NAMED: usize = 100;

/// Writes the brief of an incident.
pub(crate) fn write(scenario: &Scenario, toolset: ToolSet) -> Brief {
    let view = scenario.at_page().view();
    let page = view.page_text(scenario.page());
    let services: Vec<String> = scenario.task().plan.services.iter().map(|s| s.name.to_string()).collect();
    let (incident, steps) = (scenario.incident().to_string(), scenario.task().steps);
    let toolset = toolset.or_needed(scenario.task().tools);
    let tools = toolset.docs(&services);
    let opening = opening(scenario, &page);
    let text = text(&format!("{incident}: {opening}"), &named(scenario, &services), &tools, steps);
    Brief { incident, text, page, services, tools, steps, toolset, messages: None }
}

/// Who was paged, for what, and when.
fn opening(scenario: &Scenario, page: &str) -> String {
    let paged = format!("PAGE {} {page}", scenario.page().time);
    match &scenario.task().responders[..] {
        [] => format!("you are on call, and you have been paged.\n{paged}"),
        _ => format!(
            "you are on call, and you take over from a colleague who was paged and has tried things.\n{paged}\n\
             It is now {}. What was tried stands in the change history or can be seen in the settings.",
            scenario.begin()
        ),
    }
}

/// The services by name; in a place with very many, those that the page is about, and how the others are found.
fn named(scenario: &Scenario, services: &[String]) -> String {
    if services.len() <= MOST_NAMED {
        return services.join(", ");
    }
    let plan = scenario.at_page().plan();
    let about: BTreeSet<usize> = match &plan.alerts[scenario.page().alert].watches {
        Watch::Metric(service, ..) => {
            [*service].into_iter().chain(plan.services[*service].depends_on.clone()).collect()
        }
        Watch::Burn(route) => answering(plan, &[*route]),
        Watch::AppBurn(routes) => answering(plan, routes),
    };
    let names: Vec<&str> = about.iter().take(MOST_NAMED).map(|&service| services[service].as_str()).collect();
    format!(
        "there are {}. Those that answer what paged: {}. Others are named by what calls them, by alerts and by changes",
        services.len(),
        names.join(", ")
    )
}

/// Services that answer requests of some routes.
fn answering(plan: &Blueprint, routes: &[usize]) -> BTreeSet<usize> {
    plan.calls.iter().filter(|call| routes.contains(&call.route)).map(|call| call.service).collect()
}

fn text(opening: &str, services: &str, tools: &[ToolDoc], steps: u32) -> String {
    let mut out = format!(
        "{opening}\n\n\
         Services: {}.\n\
         Causes that resolve_incident takes: {}.\n\
         Find the cause, put it right, and say so: you have {steps} actions, and the incident goes on while you work.\n\
         Answer with one action, as a call or as a JSON object. Actions:\n",
        services,
        catalogue(),
    );
    for tool in tools {
        writeln!(out, "- {}: {}", tool.signature, tool.about).expect("a string takes everything");
    }
    out
}
