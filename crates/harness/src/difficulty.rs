//! How hard is an incident? Measured on the world at the page, not guessed: how far the page is from
//! the cause, how much else is abnormal, how much of what can be seen points at the cause, how long a
//! solution is, and how a fair responder by rules fares.

use std::sync::Arc;

use world::blueprint::Watch;
use world::telemetry::health::Health;
use world::{Blueprint, Noise, Span, Time, View, World};

use crate::agent::AgentKind;
use crate::challenge::run_episode;
use crate::episode::EpisodeOptions;
use crate::scenario::Scenario;
use crate::task::{Difficulty, Task, TaskDraft};

pub use crate::task::Figures;

/// Scores below this are easy, below the next medium.
const MEDIUM: f64 = 32.0;
const HARD: f64 = 58.0;

impl Figures {
    /// What can be said before the first try.
    pub(crate) fn at_page(world: &World, task: &TaskDraft, solution: usize) -> Figures {
        // The world's own plan and not the file's: a seed may draw other rules of alerts.
        let plan = world.plan();
        let cause = plan.service(&task.component).unwrap_or_default();
        let paged = world.page().map_or(cause, |page| watched(plan, page.alert));
        let view = world.view();
        let loud = view.have_loud_lines(readable(view));
        let signs: Vec<usize> = loud.iter().enumerate().map(|(s, is_loud)| signs(view, s, *is_loud)).collect();
        let all: usize = signs.iter().sum();
        let figures = Figures {
            distance: distance(plan, paged, cause),
            abnormal: signs.iter().filter(|n| **n > 0).count() as u32,
            signal: rounded(signs[cause] as f64 / all.max(1) as f64),
            solution: solution as u32,
            runbook: 0.0,
            score: 0.0,
        };
        figures.scored()
    }

    /// What agents meet under several seeds: the middle one of each figure, and what a responder by rules makes of them.
    pub(crate) fn met(task: &TaskDraft, scenarios: &[Arc<Scenario>], responder: &dyn AgentKind) -> Figures {
        let each: Vec<Figures> =
            scenarios.iter().map(|s| Figures::at_page(s.at_page(), task, task.solution.len())).collect();
        let figures = Figures {
            distance: middle(each.iter().map(|f| f.distance)),
            abnormal: middle(each.iter().map(|f| f.abnormal)),
            // A share has three digits.
            signal: f64::from(middle(each.iter().map(|f| (f.signal * 1000.0).round() as u32))) / 1000.0,
            ..each[0]
        };
        figures.tried(scenarios, responder)
    }

    /// With what a responder by rules makes of it.
    fn tried(self, scenarios: &[Arc<Scenario>], responder: &dyn AgentKind) -> Figures {
        let solved = |s: &&Arc<Scenario>| {
            let options = EpisodeOptions { agent: responder.name().to_string(), ..EpisodeOptions::default() };
            run_episode(responder, s, options).score().is_ok_and(|score| score.success)
        };
        let share = scenarios.iter().filter(solved).count() as f64 / scenarios.len().max(1) as f64;
        Figures { runbook: rounded(share), ..self }.scored()
    }

    /// In one word.
    pub fn difficulty(&self) -> Difficulty {
        match self.score {
            score if score < MEDIUM => Difficulty::Easy,
            score if score < HARD => Difficulty::Medium,
            _ => Difficulty::Hard,
        }
    }

    /// A hop weighs as much as the responder failing under two seeds of five; the rest is less.
    fn scored(self) -> Figures {
        let score = 13.0 * f64::from(self.distance.min(3))
            + 3.0 * f64::from(self.abnormal.clamp(1, 6) - 1)
            + 16.0 * (1.0 - self.signal)
            + 2.0 * f64::from(self.solution.clamp(3, 8) - 3)
            + 20.0 * (1.0 - self.runbook);
        Figures { score: (score.min(100.0) * 10.0).round() / 10.0, ..self }
    }
}

/// Measures a task under several seeds.
pub fn measure(task: &Arc<Task>, seeds: &[u64], responder: &dyn AgentKind) -> Result<Figures, crate::Error> {
    let scenarios = seeds
        .iter()
        .map(|seed| Scenario::prepare(task, *seed, Noise(0)).map(Arc::new))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Figures::met(task, &scenarios, responder))
}

/// The middle one of some numbers.
fn middle(numbers: impl Iterator<Item = u32>) -> u32 {
    let mut sorted: Vec<u32> = numbers.collect();
    sorted.sort_unstable();
    *sorted.get(sorted.len() / 2).expect("a task is measured under one seed at least")
}

/// The service that an alert watches; for a route's objective the one that users reach first.
pub(crate) fn watched(plan: &Blueprint, alert: usize) -> usize {
    match plan.alerts[alert].watches {
        Watch::Metric(service, ..) => service,
        Watch::Burn(route) => plan.calls[plan.routes[route].entry].service,
        Watch::AppBurn(ref routes) => plan.calls[plan.routes[routes[0]].entry].service,
    }
}

/// How many calls lie between two services, in either direction.
fn distance(plan: &Blueprint, from: usize, to: usize) -> u32 {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); plan.services.len()];
    for (caller, info) in plan.services.iter().enumerate() {
        info.depends_on.iter().for_each(|&called| callers[called].push(caller));
    }
    let mut far: Vec<Option<u32>> = vec![None; plan.services.len()];
    far[from] = Some(0);
    let mut open = std::collections::VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        for &near in plan.services[at].depends_on.iter().chain(&callers[at]) {
            if far[near].is_none() {
                far[near] = far[at].map(|d| d + 1);
                open.push_back(near);
            }
        }
    }
    far[to].unwrap_or(plan.services.len() as u32)
}

/// How many things about a service are out of the ordinary.
fn signs(view: View<'_>, service: usize, is_loud: bool) -> usize {
    view.unusual_now(service) + usize::from(is_loud) + usize::from(is_unwell(view, service))
}

/// Whether a look at the logs shows something: a sample has a line of a troubled service where there is one. The healthy past has
/// none, and would have to be worked out.
pub(crate) fn has_loud_lines(view: View<'_>, service: usize) -> bool {
    view.has_loud_line(service, readable(view))
}

/// From when on such a look goes back.
fn readable(view: View<'_>) -> Time {
    view.now().back(Span::mins(10)).max(view.past_end())
}

/// Whether a look at the status page shows something.
pub(crate) fn is_unwell(view: View<'_>, service: usize) -> bool {
    view.health(service) != Health::Healthy
}

fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_measured_as_it_is_met() {
        assert_eq!([middle([3, 0, 1].into_iter()), middle([7].into_iter()), middle([2, 4].into_iter())], [1, 7, 4]);
    }

    #[test]
    fn what_is_told_without_words_is_what_the_pages_say() {
        for source in crate::tasks::embedded().iter().step_by(5) {
            let task = source.task().expect("it is shipped");
            let scenario = Scenario::prepare(&task, 1, Noise(0)).expect("it is certified");
            let view = scenario.at_page().view();
            for service in 0..view.services().len() {
                let from = view.now().back(Span::mins(10)).max(view.past_end());
                assert_eq!(view.health(service), view.status(service).health, "{} {service}", task.id);
                assert_eq!(view.have_loud_lines(from)[service], view.has_loud_line(service, from));
                assert_eq!(view.has_loud_line(service, from), !view.log_sample(service, from, 1, 0).is_empty());
                assert_eq!(view.unusual_now(service), view.metrics(service).filter(|m| m.unusual).count());
            }
        }
    }

    #[test]
    fn every_shipped_task_can_be_measured() {
        for source in crate::tasks::embedded() {
            let task = source.task().expect("it is shipped");
            let scenario = Scenario::prepare(&task, 0, Noise(0)).expect("it is certified");
            let figures = Figures::at_page(scenario.at_page(), &task, task.solution.len());
            assert!((0.0..=100.0).contains(&figures.score), "{}: {}", task.id, figures.score);
        }
    }
}
