//! Needs looking: what takes no look at a symptom passes a task under at most one seed in five.
//!
//! Not counted is what an agent does anyway. One that does the same in incident after incident passes the task which that
//! happens to end, and knows nothing of it. So of its passes as many are taken off as are to be expected if its act came here as
//! often as it came, in vain, in the other tasks. An act that ends those too counts in full, and so does everything where few tasks are checked: neither a suite
//! that one act ends nor a task that is checked alone is certified by this.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use faces::{Effect, ToolSet};
use world::Noise;

use crate::agent::AgentKind;
use crate::challenge::Incident;
use crate::error::Error;
use crate::record::{Fix, Record, Step, Touch};
use crate::remember::{self, MemorySource};
use crate::sweep::{self, EpisodeLine, How, Observer, Plan};
use crate::task::Task;

/// One seed in so many may be guessed.
const ONE_IN: usize = 5;
/// With fewer tasks nothing can be said of what an agent does anyway.
const FEWEST_TASKS: usize = 5;

/// How often the best blind agent passes a task.
#[derive(Clone, Debug, PartialEq)]
pub struct GuessedTask {
    /// The task.
    pub task: String,
    /// The agent that guesses most often, and the first of them.
    pub agent: String,
    /// Under how many seeds it passes.
    pub passed: usize,
    /// How many of these are to be expected of what it does anyway.
    pub anyway: f64,
    /// Under how many seeds it was tried.
    pub seeds: usize,
}

impl GuessedTask {
    /// Whether guessing is rare enough.
    pub fn is_ok(&self) -> bool {
        self.guessed() * ONE_IN as f64 <= self.seeds.max(ONE_IN) as f64
    }

    fn guessed(&self) -> f64 {
        self.passed as f64 - self.anyway
    }
}

/// How the restart of a service begins.
const RESTART: &str = "restart ";

/// What an agent did in an episode, without values.
type Deeds = BTreeSet<String>;

/// The episodes of each agent: task, deeds, and whether it passed.
#[derive(Default)]
struct Played(BTreeMap<String, Vec<(String, Deeds, bool)>>);

impl Observer for Played {
    fn on_episode_finished(&mut self, line: &EpisodeLine, record: &Record) {
        let deeds = record.steps().flat_map(|step| deeds(step, record)).collect();
        let episode = (line.score.task.to_string(), deeds, line.score.success);
        self.0.entry(line.score.agent.to_string()).or_default().push(episode);
    }
}

/// What a step did, as the agent meant it: of a change that it took back what the history says of it, of an act that changed nothing
/// what it was about. Who sets a switch that was set already does what is done where it was not.
fn deeds(step: &Step, record: &Record) -> Vec<String> {
    let is_act = ToolSet::FULL.find(&step.tool).is_some_and(|tool| tool.effect() == Effect::Act);
    let taken_back = step.args.get("id").filter(|_| is_act).and_then(|id| change(id, record));
    if let Some(change) = taken_back {
        return vec![change];
    }
    if is_act && step.touched.is_empty() {
        let about = ["service", "key"].iter().filter_map(|arg| step.args.get(*arg));
        return vec![about.map(String::as_str).collect::<Vec<_>>().join(" ")];
    }
    step.touched.iter().map(deed).collect()
}

/// A change in the words of the history that was shown: its service, and its key if it set one.
fn change(id: &str, record: &Record) -> Option<String> {
    let row = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (own, _time, service, _author) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let key = words.next().filter(|verb| *verb == "set").and_then(|_| words.next());
        (own == id).then(|| key.map_or_else(|| format!("roll back {service}"), |key| format!("{service} {key}")))
    };
    record.steps().flat_map(|step| step.observation.lines()).find_map(row)
}

fn deed(touch: &Touch) -> String {
    match touch {
        Touch::Config { service, key, .. } => format!("{service} {key}"),
        Touch::Restart { service } => format!("{RESTART}{service}"),
        Touch::Rollback { service } => format!("roll back {service}"),
        Touch::Silence { alert } => format!("silence {alert}"),
        Touch::Other { service, verb, .. } => format!("{verb} {service}"),
    }
}

/// Deeds without restarts of what need not be restarted: these do no harm, and tell nothing of what an agent knows.
fn what_matters<'a>(deeds: &'a Deeds, task: &Task) -> BTreeSet<&'a str> {
    let is_needed =
        |service: &str| task.fix.iter().any(|fix| matches!(fix, Fix::Restart { restart } if restart == service));
    let matters = |deed: &&str| deed.strip_prefix(RESTART).is_none_or(is_needed);
    deeds.iter().map(String::as_str).filter(matters).collect()
}

impl Played {
    /// How an agent did on a task.
    fn guessed(&self, task: &Task, agent: &str, tasks: usize, seeds: usize) -> GuessedTask {
        let all = self.0.get(agent).map_or(&[][..], Vec::as_slice);
        let (own, others): (Vec<_>, Vec<_>) = all.iter().partition(|(of, ..)| *of == task.id);
        // What it did where it passed, and how often.
        let mut passes: BTreeMap<BTreeSet<&str>, usize> = BTreeMap::new();
        for (_, deeds, _) in own.iter().filter(|(_, _, passed)| *passed) {
            *passes.entry(what_matters(deeds, task)).or_default() += 1;
        }
        let in_vain = |deeds: &BTreeSet<&str>| {
            others.iter().filter(|(_, other, passed)| !passed && what_matters(other, task) == *deeds).count()
        };
        // As often as it comes in vain elsewhere it comes here, whatever the agent knows of this task.
        let anyway = |(deeds, passed): (&BTreeSet<&str>, &usize)| match tasks >= FEWEST_TASKS {
            true => (in_vain(deeds) as f64 / others.len().max(1) as f64 * own.len() as f64).min(*passed as f64),
            false => 0.0,
        };
        GuessedTask {
            task: task.id.clone(),
            agent: agent.to_string(),
            passed: passes.values().sum(),
            anyway: passes.iter().map(anyway).sum(),
            seeds,
        }
    }
}

/// Plays all blind agents on tasks under several seeds; they remember other seeds of the same tasks. An agent that restarts
/// things is not counted where that restart is the whole fix: then it has done the right thing, if for no reason.
pub fn needs_looking(
    tasks: &[Arc<Task>],
    seeds: &[u64],
    blind: &[&dyn AgentKind],
    jobs: usize,
) -> Result<Vec<GuessedTask>, Error> {
    let plan = Plan {
        agents: blind.to_vec(),
        challenges: Incident::on_simulator(tasks),
        suite: String::new(),
        seeds: seeds.to_vec(),
        repeats: 1,
        noise: Noise(0),
        tools: ToolSet::FULL,
        memory: MemorySource::of(remember::remembered(tasks)?),
        how: How { jobs, ..How::default() },
    };
    let mut played = Played::default();
    sweep::run(&plan, &mut [&mut played])?;
    let one = |task: &Arc<Task>| {
        let counts = |agent: &&&dyn AgentKind| !(is_a_restart(task) && agent.name().contains("restart"));
        let guessed = |agent: &&dyn AgentKind| played.guessed(task, agent.name(), tasks.len(), seeds.len());
        let best = blind.iter().filter(counts).map(guessed).rev().max_by(|a, b| a.guessed().total_cmp(&b.guessed()));
        best.unwrap_or_else(|| played.guessed(task, "", tasks.len(), seeds.len()))
    };
    Ok(tasks.iter().map(one).collect())
}

/// Whether one restart is the whole fix.
fn is_a_restart(task: &Task) -> bool {
    matches!(&task.fix[..], [Fix::Restart { .. }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{ListedActions, SOLUTION, task};

    #[test]
    fn one_seed_in_five_may_be_guessed() {
        let check = |passed, anyway, seeds, expect| {
            let guessed = GuessedTask { task: String::new(), agent: String::new(), passed, anyway, seeds };
            assert_eq!(guessed.is_ok(), expect, "{passed} of {seeds}, {anyway} anyway");
        };
        check(0, 0.0, 3, true);
        check(1, 0.0, 3, true);
        check(2, 0.0, 3, false);
        check(4, 0.0, 20, true);
        check(5, 0.0, 20, false);
        check(20, 16.0, 20, true);
        check(20, 15.9, 20, false);
    }

    #[test]
    fn what_is_done_in_vain_elsewhere_is_no_guess() {
        // An agent passes one task by its deed, which it does so often in the 50 episodes of five others.
        let check = |elsewhere: usize, ends_those_too: bool, tasks: usize, expect: f64| {
            let deed = |here: bool| Deeds::from([if here { "cache TTL_SECONDS" } else { "restart cache" }.to_string()]);
            let mut episodes: Vec<_> = (0..10).map(|_| (task().id.clone(), deed(true), true)).collect();
            episodes.extend((0..50).map(|n| {
                let same = n < elsewhere;
                (format!("other {}", n / 10), deed(same), same && ends_those_too)
            }));
            let played = Played(BTreeMap::from([("blind".to_string(), episodes)]));
            let found = played.guessed(&task(), "blind", tasks, 10);
            assert_eq!((found.passed, found.guessed()), (10, expect), "{elsewhere} of 50 elsewhere");
        };
        check(0, false, 6, 10.0);
        check(25, false, 6, 5.0);
        check(50, false, 6, 0.0);
        // What ends the others too is no luck, and of a few tasks nothing is taken off.
        check(50, true, 6, 10.0);
        check(50, false, 2, 10.0);
    }

    #[test]
    fn who_knows_the_answer_is_found() {
        let blind = ListedActions("blind-knows", SOLUTION);
        let found = needs_looking(&[task()], &[1, 2], &[&blind], 1).expect("it is played");
        assert_eq!((found[0].passed, found[0].agent.as_str(), found[0].is_ok()), (2, "blind-knows", false));
        let restarts = ListedActions("blind-restart", SOLUTION);
        let found = needs_looking(&[task()], &[1, 2], &[&restarts], 1).expect("it is played");
        assert!(found[0].is_ok(), "the restart is the whole fix: {found:?}");
    }
}
