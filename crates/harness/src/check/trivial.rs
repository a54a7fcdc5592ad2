//! Not trivial: what needs no understanding must not pass.
//!
//! Every single knob, every rollback and every restart is really tried. One of them may be the true fix: then the world
//! says so, because the fault no longer stands. Policies that do the same in every incident must not pass at all; those that
//! are known to are counted as holes, by name, and reported with their figures.

use std::sync::Arc;

use faces::ToolSet;
use world::config::{Key, KeyType};
use world::{Operator, Standing, Value, World};

use crate::agent::AgentKind;
use crate::challenge::run_episode;
use crate::episode::EpisodeOptions;
use crate::grade::{concepts, judge};
use crate::scenario::Scenario;
use crate::scenario::verdict;
use crate::task::Task;

/// Policies that are known to pass where they should not, and why. Closing a hole takes its line away.
pub const KNOWN_HOLES: &[(&str, &str)] =
    &[("rollback-last", "the last change may be the culprit's, or what a responder did")];

/// What was found: how much was tried, and which policies passed that are known holes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tried {
    pub remedies: usize,
    pub true_fixes: usize,
    pub holes: Vec<&'static str>,
}

/// Blind remedies do not pass unless one of them is the true fix; naming everything is no diagnosis; and no exploit
/// agent passes but through a known hole.
pub(super) fn not_trivial(scenario: &Arc<Scenario>, exploits: &[&dyn AgentKind]) -> Result<Tried, String> {
    let task = scenario.task();
    if verdict::is_mended(scenario, scenario.at_page()) && !task.faults.iter().any(|f| f.fault.is_trigger()) {
        return Err("at the page no fault stands: any change would pass for a remedy".to_string());
    }
    let mut tried = Tried::default();
    for (name, remedy) in remedies(scenario) {
        tried.remedies += 1;
        if let Some(standing) = passes(scenario, &remedy) {
            if standing == Standing::Stands {
                return Err(format!("{name} passes, and the fault still stands"));
            }
            tried.true_fixes += 1;
        }
    }
    if judge(&everything(task), &task.component, &task.concepts).credit() {
        return Err("a list of all services and concepts passes as a diagnosis".to_string());
    }
    for agent in exploits {
        if !succeeds(scenario, *agent) {
            continue;
        }
        let known = KNOWN_HOLES.iter().find(|(name, _)| *name == agent.name());
        tried.holes.push(known.ok_or_else(|| format!("the exploit agent {} passes", agent.name()))?.0);
    }
    Ok(tried)
}

/// Whether an exploit agent resolves the incident, with all tools at hand.
fn succeeds(scenario: &Arc<Scenario>, agent: &dyn AgentKind) -> bool {
    let options = EpisodeOptions { agent: agent.name().to_string(), tools: ToolSet::FULL, ..EpisodeOptions::default() };
    run_episode(agent, scenario, options).score().is_ok_and(|score| score.success)
}

/// Something that is done to a world without looking at it.
type TrivialTry = Box<dyn Fn(&mut Operator<'_>)>;

fn remedies(scenario: &Scenario) -> Vec<(String, TrivialTry)> {
    let world = scenario.at_page();
    let all: Vec<usize> = (0..world.plan().services.len()).collect();
    let mut remedies: Vec<(String, TrivialTry)> = vec![
        ("restarting everything".to_string(), restart(all.clone())),
        ("setting every number to its maximum".to_string(), set_all(all.clone(), maximum)),
        ("turning every switch".to_string(), set_all(all.clone(), turned)),
        ("silencing every alert".to_string(), Box::new(silence)),
    ];
    for service in all {
        let name = &world.plan().services[service].name;
        remedies.push((format!("restarting {name}"), restart(vec![service])));
        for setting in world.view().config(service) {
            let (key, usual) =
                (setting.key, &world.plan().services[service].config[key_index(world, service, setting.key)]);
            for value in tries(setting.key, setting.value, usual) {
                let (call, text) = (format!("setting {name} {} to {value}", key.name), value.clone());
                remedies
                    .push((call, Box::new(move |o: &mut Operator<'_>| drop(o.set_config(service, key.name, &text)))));
            }
        }
    }
    for change in world.changes().iter().filter(|c| c.undo.is_some()) {
        let id = change.id;
        remedies
            .push((format!("rolling back change {id}"), Box::new(move |o: &mut Operator<'_>| drop(o.roll_back(id)))));
    }
    remedies
}

fn key_index(world: &World, service: usize, key: &Key) -> usize {
    world.plan().services[service].key(key.name).expect("the key is one of the service's")
}

/// Other values of a setting that come to mind without a look: the ends of its range, what was usual, half, double.
fn tries(key: &Key, now: &Value, usual: &Value) -> Vec<String> {
    let mut values: Vec<String> = match (key.takes, now) {
        (KeyType::Int { min, max, .. }, Value::Int(n)) => {
            [min, max, n / 2, n.saturating_mul(2)].map(|n| n.clamp(min, max).to_string()).to_vec()
        }
        (KeyType::Bool, _) => vec![(!now.bool()).to_string()],
        _ => Vec::new(),
    };
    values.push(usual.to_string());
    values.sort();
    values.dedup();
    values.retain(|value| *value != now.to_string());
    values
}

/// What is left of the faults after a remedy that mitigates the incident; none if it does not.
fn passes(scenario: &Scenario, remedy: &TrivialTry) -> Option<Standing> {
    let mut end: World = scenario.at_page().clone();
    remedy(&mut end.operator());
    // What is left changed beside the fault, and a fault that stands as it did, no time can heal: the verdict is known.
    if verdict::is_littered(scenario, &end) || !verdict::is_mended(scenario, &end) {
        return None;
    }
    verdict::is_mitigated(scenario, &end).then(|| verdict::standing(scenario.task(), scenario.acts(), &end))
}

fn restart(services: Vec<usize>) -> TrivialTry {
    Box::new(move |operator| services.iter().for_each(|&s| drop(operator.restart(s))))
}

fn silence(operator: &mut Operator<'_>) {
    let names: Vec<String> = operator.view().alert_names().map(str::to_string).collect();
    names.iter().for_each(|name| drop(operator.silence(name)));
}

/// Sets every key of some services to what `pick` makes of its type and value.
fn set_all(services: Vec<usize>, pick: fn(KeyType, bool) -> Option<String>) -> TrivialTry {
    Box::new(move |operator| {
        for &service in &services {
            let view = operator.view();
            let change =
                |c: world::telemetry::health::ConfigView<'_>| Some((c.key.name, pick(c.key.takes, c.value.bool())?));
            let changes: Vec<(&str, String)> = view.config(service).filter_map(change).collect();
            changes.iter().for_each(|(key, value)| drop(operator.set_config(service, key, value)));
        }
    })
}

fn maximum(takes: KeyType, _: bool) -> Option<String> {
    if let KeyType::Int { max, .. } = takes { Some(max.to_string()) } else { None }
}

fn turned(takes: KeyType, now: bool) -> Option<String> {
    (takes == KeyType::Bool).then(|| (!now).to_string())
}

/// A diagnosis that names everything.
fn everything(task: &Task) -> String {
    let services = task.plan.services.iter().map(|s| s.name.to_string());
    let concepts = concepts::ALL.iter().map(|c| c.name.replace('_', " "));
    services.chain(concepts).collect::<Vec<_>>().join(", ")
}
