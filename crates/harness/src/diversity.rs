//! How different incidents are from each other, as those who are paged see them.

use std::collections::{BTreeMap, BTreeSet};

use world::services::Level;
use world::{Span, World};

use crate::difficulty::watched;
use crate::record::Fix;
use crate::scenario::Scenario;
use crate::task::held_out::plain_key;

/// Two incidents that share so much of what they show are near-duplicates.
const ALIKE: f64 = 0.95;

/// What one incident shows at its page, and what is behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The task.
    pub task: String,
    /// The alert that paged.
    pub page: String,
    /// Whether the service that pages is the one at fault.
    pub paged_is_culprit: bool,
    /// Its causes, as fault, kind of service and key.
    pub causes: BTreeSet<String>,
    /// The kinds of what ends it: `setting`, `restart`, `rollback`.
    pub fixes: BTreeSet<&'static str>,
    /// Whether an earlier responder left something behind.
    pub had_responder: bool,
    /// Whether it outlives its trigger.
    pub is_loop: bool,
    /// Everything that is out of the ordinary: the page, series that left their usual band, loud lines.
    pub signs: BTreeSet<String>,
}

/// How a set of incidents differs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diversity {
    /// How many incidents there are.
    pub incidents: usize,
    /// Different alerts that paged.
    pub page_rules: usize,
    /// Different causes.
    pub causes: usize,
    /// The share in which the paged service is at fault.
    pub paged_is_culprit: f64,
    /// The share that has a neighbour of another task which looks the same.
    pub near_duplicates: f64,
    /// The mean distance to the nearest incident of another task, from 0 to 1.
    pub nearest: f64,
    /// The share with more than one cause.
    pub several_causes: f64,
    /// The share that an earlier responder made worse.
    pub responders: f64,
    /// The share that outlives its trigger.
    pub loops: f64,
    /// The share that each kind of fix is part of.
    pub fixes: BTreeMap<&'static str, f64>,
}

impl Sighting {
    /// Looks at an incident. Truth is part of it: for those who make suites, never for agents.
    pub fn of(scenario: &Scenario) -> Sighting {
        let (task, world) = (scenario.task(), scenario.at_page());
        let plan = world.plan();
        let page = plan.alerts[scenario.page().alert].name();
        let paged = plan.services[watched(plan, scenario.page().alert)].name.to_string();
        let cause = |f: &crate::task::PlannedFault| {
            let info = plan.service(f.args.said("service")).map(|at| &plan.services[at]);
            let kind = info.map_or("", |info| info.kind.name());
            // One cause is one, however a place calls the key.
            let key =
                info.and_then(|info| Some(plain_key(info.kind, info.key(f.args.said("key"))?))).unwrap_or_default();
            format!("{} {kind} {key}", f.fault.name()).trim_end().to_string()
        };
        let fix = |fix: &Fix| match fix {
            Fix::Config { .. } => "setting",
            Fix::Restart { .. } => "restart",
            Fix::RolledBack { .. } => "rollback",
        };
        Sighting {
            paged_is_culprit: paged == task.component && page.starts_with(&paged),
            causes: task.faults.iter().map(cause).collect(),
            fixes: task.fix.iter().map(fix).collect(),
            had_responder: !task.responders.is_empty(),
            is_loop: task.faults.iter().any(|f| f.fault.is_trigger()),
            signs: signs(world, &page),
            task: task.id.clone(),
            page,
        }
    }

    /// How much of what they show two incidents do not share.
    pub fn distance(&self, other: &Sighting) -> f64 {
        let common = self.signs.intersection(&other.signs).count();
        let all = self.signs.len() + other.signs.len() - common;
        1.0 - common as f64 / all.max(1) as f64
    }
}

/// What is out of the ordinary in a world.
fn signs(world: &World, page: &str) -> BTreeSet<String> {
    let view = world.view();
    let mut signs = BTreeSet::from([format!("page {page}")]);
    for service in 0..world.plan().services.len() {
        let name = view.name(service);
        for metric in view.metrics(service).filter(|m| m.unusual) {
            let up = metric.value.is_some_and(|value| value > metric.usual);
            signs.insert(format!("{name} {} {}", metric.name, if up { "up" } else { "down" }));
        }
        for line in view.log_sample(service, view.now().back(Span::mins(10)), 9, 6) {
            if line.level >= Level::Warn && !line.chatter {
                signs.insert(format!("{name} {}", worded(&line.text)));
            }
        }
    }
    signs
}

/// The words of a line without what differs from line to line.
fn worded(line: &str) -> String {
    line.split_whitespace().filter(|word| word.bytes().all(|b| b.is_ascii_alphabetic())).collect::<Vec<_>>().join(" ")
}

/// One incident in a few words: what a seed makes of a task. A spoiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SituationOverview {
    cells: [String; 8],
}

impl SituationOverview {
    /// What the cells are.
    pub const HEADING: [&'static str; 8] = ["seed", "draw", "begins", "requests/s", "page", "fault", "fix", "changes"];

    /// Of an incident.
    pub fn of(scenario: &Scenario) -> SituationOverview {
        let (task, world) = (scenario.task(), scenario.at_page());
        let load: f64 = world.plan().routes.iter().map(|route| route.rps).sum();
        let fixes: Vec<String> = task.fix.iter().map(told).collect();
        let changes = world.changes();
        let place = changes.iter().position(|change| !change.innocent);
        let history = match place {
            Some(place) => format!("{}, the culprit is number {}", changes.len(), place + 1),
            None => format!("{}, all innocent", changes.len()),
        };
        SituationOverview {
            cells: [
                scenario.seed().to_string(),
                scenario.number().to_string(),
                scenario.onset().to_string(),
                format!("{load:.0}"),
                world.plan().alerts[scenario.page().alert].name(),
                task.fault_text(),
                fixes.join(", "),
                history,
            ],
        }
    }

    /// Its cells.
    pub fn cells(self) -> [String; 8] {
        self.cells
    }
}

fn told(fix: &Fix) -> String {
    match fix {
        Fix::Config { config, is } => format!("{config} {is}"),
        Fix::Restart { restart } => format!("restart {restart}"),
        Fix::RolledBack { rolled_back } => format!("roll back {rolled_back}"),
    }
}

impl Diversity {
    /// Measures a set of incidents.
    pub fn of(all: &[Sighting]) -> Diversity {
        let share = |holds: &dyn Fn(&Sighting) -> bool| {
            all.iter().filter(|s| holds(s)).count() as f64 / all.len().max(1) as f64
        };
        let nearest: Vec<f64> = all.iter().map(|one| nearest(one, all)).collect();
        let pages: BTreeSet<&str> = all.iter().map(|s| s.page.as_str()).collect();
        let causes: BTreeSet<&String> = all.iter().flat_map(|s| &s.causes).collect();
        let kinds: BTreeSet<&'static str> = all.iter().flat_map(|s| s.fixes.iter().copied()).collect();
        Diversity {
            incidents: all.len(),
            page_rules: pages.len(),
            causes: causes.len(),
            paged_is_culprit: share(&|s| s.paged_is_culprit),
            near_duplicates: nearest.iter().filter(|d| **d <= 1.0 - ALIKE).count() as f64 / all.len().max(1) as f64,
            nearest: nearest.iter().sum::<f64>() / all.len().max(1) as f64,
            several_causes: share(&|s| s.causes.len() > 1),
            responders: share(&|s| s.had_responder),
            loops: share(&|s| s.is_loop),
            fixes: kinds.into_iter().map(|kind| (kind, share(&|s| s.fixes.contains(kind)))).collect(),
        }
    }
}

fn nearest(one: &Sighting, all: &[Sighting]) -> f64 {
    let others = all.iter().filter(|other| other.task != one.task);
    others.map(|other| one.distance(other)).fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sighting(task: &str, signs: &[&str]) -> Sighting {
        Sighting {
            task: task.to_string(),
            page: signs[0].to_string(),
            paged_is_culprit: task == "a",
            causes: BTreeSet::from([task.to_string()]),
            fixes: BTreeSet::from(["setting"]),
            had_responder: false,
            is_loop: false,
            signs: signs.iter().map(|s| s.to_string()).collect(),
        }
    }

    #[test]
    fn what_looks_the_same_is_near() {
        let all = [sighting("a", &["x", "y"]), sighting("b", &["x", "y"]), sighting("c", &["x", "z", "w"])];
        let found = Diversity::of(&all);
        assert_eq!((found.incidents, found.page_rules, found.causes), (3, 1, 3));
        assert!((found.near_duplicates - 2.0 / 3.0).abs() < 1e-9);
        assert!((all[0].distance(&all[2]) - 0.75).abs() < 1e-9);
        assert!((found.paged_is_culprit - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(found.fixes["setting"], 1.0);
    }
}
