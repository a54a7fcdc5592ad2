//! The state of a sweep while it runs: what the progress line, the full-screen view and the log show.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use agents::client::{Call, Watch};
use harness::sweep::{Doubt, EpisodeLine, Failure, Observer};
use harness::{ProviderFault, Record, Usage};

use super::log::Log;

/// So many of the last messages are kept for the full-screen view.
const TAIL: usize = 200;

/// A sweep while it runs, shared by whoever looks at it.
#[derive(Clone)]
pub struct Live(Arc<Mutex<State>>);

/// How far a sweep is.
pub struct State {
    /// When it began.
    pub began: Instant,
    /// Episodes of the plan.
    pub all: usize,
    /// Of those, found finished.
    pub skipped: usize,
    /// Played to their end since it began.
    pub done: usize,
    /// Of those, how many were a success.
    pub successes: usize,
    /// Of those, how many ended on their provider.
    pub missing: usize,
    /// Could not be played.
    pub failed: usize,
    /// Being played, with the time they began.
    pub running: BTreeMap<String, Instant>,
    /// By target, written `provider/model`.
    pub targets: BTreeMap<String, Traffic>,
    /// Episodes that were finished before and are not believed.
    pub doubts: Vec<Doubt>,
    /// The last messages.
    pub tail: VecDeque<String>,
    log: Option<Log>,
}

/// What went over the line to one target.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Calls that were started.
    pub calls: u64,
    /// Calls that were answered.
    pub answered: u64,
    /// Answers that were found in books.
    pub remembered: u64,
    /// Tokens.
    pub usage: Usage,
    /// US dollars, as far as prices are known.
    pub cost: f64,
    /// How long the answers took, all together.
    pub took: Duration,
    /// Failed calls, by how they failed.
    pub faults: BTreeMap<ProviderFault, u64>,
    /// The last thing that went wrong.
    pub trouble: Option<String>,
}

impl Live {
    /// A sweep that is about to begin; messages go to the log too, if there is one.
    pub fn new(log: Option<Log>) -> Live {
        Live(Arc::new(Mutex::new(State {
            began: Instant::now(),
            all: 0,
            skipped: 0,
            done: 0,
            successes: 0,
            missing: 0,
            failed: 0,
            running: BTreeMap::new(),
            targets: BTreeMap::new(),
            doubts: Vec::new(),
            tail: VecDeque::new(),
            log,
        })))
    }

    /// A look at it.
    pub fn look(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nobody panics while looking")
    }

    /// Somebody who watches the sweep and keeps this up to date.
    pub fn observer(&self) -> LiveObserver {
        LiveObserver(self.clone())
    }

    /// Keeps a message.
    pub fn say(&self, text: &str) {
        self.look().say(text);
    }
}

impl State {
    fn say(&mut self, text: &str) {
        if let Some(log) = &mut self.log {
            log.write(text);
        }
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(text.to_string());
    }

    /// Episodes that are over, however.
    pub fn over(&self) -> usize {
        self.skipped + self.done + self.failed
    }

    /// How long the rest will take, judged by what was played so far.
    pub fn left(&self) -> Option<Duration> {
        let (played, rest) = (self.done + self.failed, self.all - self.over().min(self.all));
        (played > 0).then(|| self.began.elapsed().mul_f64(rest as f64 / played as f64))
    }

    /// The traffic of all targets together.
    pub fn traffic(&self) -> Traffic {
        let mut all = Traffic::default();
        for one in self.targets.values() {
            all.calls += one.calls;
            all.answered += one.answered;
            all.remembered += one.remembered;
            all.usage += one.usage;
            all.cost += one.cost;
            all.took += one.took;
            for (fault, count) in &one.faults {
                *all.faults.entry(*fault).or_default() += count;
            }
        }
        all
    }
}

impl Watch for Live {
    fn on_call(&self, target: &str, call: &Call<'_>) {
        let mut state = self.look();
        if !state.targets.contains_key(target) {
            state.targets.insert(target.to_string(), Traffic::default());
        }
        let traffic = state.targets.get_mut(target).expect("it was put there just now");
        match call {
            Call::Started => traffic.calls += 1,
            Call::Answered { usage, cost, took } => {
                traffic.answered += 1;
                traffic.usage += *usage;
                traffic.cost += cost.unwrap_or(0.0);
                traffic.took += *took;
            }
            Call::Remembered { usage, cost } => {
                traffic.remembered += 1;
                traffic.usage += *usage;
                traffic.cost += cost.unwrap_or(0.0);
            }
            Call::Failed { fault, message, again } => {
                *traffic.faults.entry(*fault).or_default() += 1;
                let then = match again {
                    Some(time) => format!("; again in {:.1} s", time.as_secs_f64()),
                    None => "; given up".to_string(),
                };
                let text = format!("{target}: {fault}: {message}{then}");
                traffic.trouble = Some(text.clone());
                state.say(&text);
            }
        }
    }
}

/// Tells a [`Live`] what happens.
pub struct LiveObserver(Live);

impl Observer for LiveObserver {
    fn on_sweep_started(&mut self, all: usize, skipped: usize) {
        let mut state = self.0.look();
        (state.all, state.skipped) = (state.all + all, state.skipped + skipped);
    }

    fn on_doubts(&mut self, doubts: &[Doubt]) {
        let mut state = self.0.look();
        for Doubt { key, why } in doubts {
            state.say(&format!("played again: {key}: {why}"));
        }
        state.doubts.extend_from_slice(doubts);
    }

    fn on_episode_started(&mut self, key: &str) {
        self.0.look().running.insert(key.to_string(), Instant::now());
    }

    fn on_episode_finished(&mut self, line: &EpisodeLine, _: &Record) {
        let mut state = self.0.look();
        state.running.remove(&line.key);
        state.done += 1;
        state.successes += usize::from(line.score.success);
        state.missing += usize::from(!line.score.counts());
        let (ending, reward) = (&line.score.ending.word, line.score.reward);
        let how = if line.score.success { "success" } else { ending };
        // An agent without a model plays thousands a second; only their troubles are worth a line.
        if line.score.model.is_some() {
            state.say(&format!("{}: {how}, reward {reward:.3}, {} steps", line.key, line.score.steps));
        }
    }

    fn on_episode_failed(&mut self, failure: &Failure) {
        let mut state = self.0.look();
        state.running.remove(&failure.key);
        state.failed += 1;
        state.say(&format!("{}: failed: {}", failure.key, failure.problem));
    }

    fn on_episode_held(&mut self, key: &str, steps: u32) {
        let mut state = self.0.look();
        state.running.remove(key);
        state.say(&format!("{key}: left after {steps} steps"));
    }
}
