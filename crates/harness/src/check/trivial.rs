//! Not trivial: what needs no understanding must not pass.
//!
//! Every single knob, every rollback and every restart is tried, or it is known beforehand that it cannot pass: it leaves
//! something else changed, or it leaves the fault as it was. One of them may be the true fix: then the world
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
    let (useless, remedies) = remedies(scenario);
    let mut tried = Tried { remedies: useless, ..Tried::default() };
    for (name, remedy) in remedies {
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
#[derive(Clone, Debug, PartialEq)]
enum BlindRemedy {
    /// These services are restarted.
    Restart(Vec<usize>),
    /// Keys of services are set, each at most once.
    Set(Vec<(usize, usize, Value)>),
    /// Every alert is silenced.
    SilenceAll,
    /// The change of that number is taken back.
    RollBack(u32),
}

impl BlindRemedy {
    fn apply(&self, operator: &mut Operator<'_>) {
        match self {
            BlindRemedy::Restart(services) => services.iter().for_each(|&s| drop(operator.restart(s))),
            BlindRemedy::Set(settings) => {
                for (service, key, value) in settings {
                    let name = operator.view().keys(*service)[*key].name;
                    drop(operator.set_config(*service, name, &value.to_string()));
                }
            }
            BlindRemedy::SilenceAll => {
                let names: Vec<String> = operator.view().alert_names().collect();
                names.iter().for_each(|name| drop(operator.silence(name)));
            }
            BlindRemedy::RollBack(id) => drop(operator.roll_back(*id)),
        }
    }

    /// Whether it leaves something changed that has nothing to do with the fault, as [`verdict::is_littered`] would find:
    /// a setting that is set to another value than that of the day before, or a silence. Then it cannot pass, and no
    /// world is copied to see that.
    fn litters(&self, scenario: &Scenario) -> bool {
        let plan = scenario.at_page().plan();
        match self {
            BlindRemedy::Set(settings) => settings.iter().any(|(service, key, value)| {
                *value != plan.services[*service].config[*key] && !scenario.related().contains(&(*service, *key))
            }),
            BlindRemedy::SilenceAll => !plan.alerts.is_empty(),
            BlindRemedy::Restart(_) | BlindRemedy::RollBack(_) => false,
        }
    }
}

/// What is tried, with words for it. Restarts of single services that leave the faults as they were are counted and not
/// listed: see [`whose_restart_mends`].
fn remedies(scenario: &Scenario) -> (usize, Vec<(String, BlindRemedy)>) {
    let world = scenario.at_page();
    let all: Vec<usize> = (0..world.plan().services.len()).collect();
    let mut remedies: Vec<(String, BlindRemedy)> = vec![
        ("restarting everything".to_string(), BlindRemedy::Restart(all.clone())),
        ("setting every number to its maximum".to_string(), set_all(world, maximum)),
        ("turning every switch".to_string(), set_all(world, turned)),
        ("silencing every alert".to_string(), BlindRemedy::SilenceAll),
    ];
    let mut mending = Vec::new();
    whose_restart_mends(scenario, &all, &mut mending);
    for &service in &all {
        let name = &world.plan().services[service].name;
        if mending.contains(&service) {
            remedies.push((format!("restarting {name}"), BlindRemedy::Restart(vec![service])));
        }
        for (at, setting) in world.view().config(service).enumerate() {
            let usual = &world.plan().services[service].config[at];
            for value in tries(setting.key, setting.value, usual) {
                let call = format!("setting {name} {} to {value}", setting.key.name);
                remedies.push((call, BlindRemedy::Set(vec![(service, at, value)])));
            }
        }
    }
    for change in world.changes().iter().filter(|c| c.undo.is_some()) {
        remedies.push((format!("rolling back change {}", change.id), BlindRemedy::RollBack(change.id)));
    }
    (all.len() - mending.len(), remedies)
}

/// Services whose restart alone may mend the faults, found by halves: restarts only ever clear what a fault did, so where
/// restarting a whole group leaves a fault as it was, restarting one of the group does, too.
fn whose_restart_mends(scenario: &Scenario, group: &[usize], found: &mut Vec<usize>) {
    let mut end: World = scenario.at_page().clone();
    group.iter().for_each(|&service| drop(end.operator().restart(service)));
    if !verdict::is_mended(scenario, &end) {
        return;
    }
    drop(end);
    match group {
        [only] => found.push(*only),
        _ => {
            let (one, other) = group.split_at(group.len() / 2);
            whose_restart_mends(scenario, one, found);
            whose_restart_mends(scenario, other, found);
        }
    }
}

/// Other values of a setting that come to mind without a look: the ends of its range, what was usual, half, double.
fn tries(key: &Key, now: &Value, usual: &Value) -> Vec<Value> {
    let mut values: Vec<Value> = match (key.takes, now) {
        (KeyType::Int { min, max, .. }, Value::Int(n)) => {
            [min, max, n / 2, n.saturating_mul(2)].map(|n| Value::Int(n.clamp(min, max))).to_vec()
        }
        (KeyType::Bool, _) => vec![Value::Bool(!now.bool())],
        _ => Vec::new(),
    };
    values.push(usual.clone());
    values.sort_by_cached_key(ToString::to_string);
    values.dedup();
    values.retain(|value| value != now);
    values
}

/// What is left of the faults after a remedy that mitigates the incident; none if it does not.
fn passes(scenario: &Scenario, remedy: &BlindRemedy) -> Option<Standing> {
    if remedy.litters(scenario) {
        return None;
    }
    let mut end: World = scenario.at_page().clone();
    remedy.apply(&mut end.operator());
    // What is left changed beside the fault, and a fault that stands as it did, no time can heal: the verdict is known.
    if verdict::is_littered(scenario, &end) || !verdict::is_mended(scenario, &end) {
        return None;
    }
    verdict::is_mitigated(scenario, &end).then(|| verdict::standing(scenario.task(), scenario.acts(), &end))
}

/// Sets every key to what `pick` makes of its type and value.
fn set_all(world: &World, pick: fn(KeyType, &Value) -> Option<Value>) -> BlindRemedy {
    let settings = |service: usize| {
        let all = world.view().config(service).enumerate();
        all.filter_map(move |(at, c)| Some((service, at, pick(c.key.takes, c.value)?)))
    };
    BlindRemedy::Set((0..world.plan().services.len()).flat_map(settings).collect())
}

fn maximum(takes: KeyType, _: &Value) -> Option<Value> {
    if let KeyType::Int { max, .. } = takes { Some(Value::Int(max)) } else { None }
}

fn turned(takes: KeyType, now: &Value) -> Option<Value> {
    (takes == KeyType::Bool).then(|| Value::Bool(!now.bool()))
}

/// A diagnosis that names everything.
fn everything(task: &Task) -> String {
    let services = task.plan.services.iter().map(|s| s.name.to_string());
    let concepts = concepts::ALL.iter().map(|c| c.name.replace('_', " "));
    services.chain(concepts).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use world::Noise;

    use super::*;
    use crate::generate::{Generator, GeneratorOptions};

    /// What is known beforehand of a remedy is what trying it shows.
    #[test]
    fn what_cannot_pass_is_known_beforehand() {
        let generator = Generator::new(3, GeneratorOptions { services: (8, 20), ..GeneratorOptions::default() });
        let (mut known, mut mending) = (0, 0);
        for number in 0..6 {
            let task = generator.task(number).expect("there are fair incidents");
            let scenario = Scenario::prepare(&task, 0, Noise(0)).expect("it pages");
            let after = |remedy: &BlindRemedy| {
                let mut end = scenario.at_page().clone();
                remedy.apply(&mut end.operator());
                end
            };
            let (useless, remedies) = remedies(&scenario);
            for (name, remedy) in remedies.iter().filter(|(_, remedy)| remedy.litters(&scenario)) {
                assert!(verdict::is_littered(&scenario, &after(remedy)), "{}: {name}", task.fault_text());
                known += 1;
            }
            let services = scenario.at_page().plan().services.len();
            let alone: Vec<BlindRemedy> = (0..services).map(|s| BlindRemedy::Restart(vec![s])).collect();
            let mends = |remedy: &&BlindRemedy| verdict::is_mended(&scenario, &after(remedy));
            let listed = |remedy: &&BlindRemedy| remedies.iter().any(|(_, r)| r == *remedy);
            let found: Vec<&BlindRemedy> = alone.iter().filter(mends).collect();
            assert_eq!(found, alone.iter().filter(listed).collect::<Vec<_>>(), "{}", task.fault_text());
            assert_eq!(useless, services - found.len());
            mending += found.len();
        }
        assert!(known > 500 && mending > 0, "{known} litter, {mending} restarts mend");
    }
}
