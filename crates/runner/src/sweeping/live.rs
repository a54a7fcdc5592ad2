//! The state of a sweep while it runs: what the progress line, the full-screen view and the log show.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime};

use agents::client::{CallEvent, CallObserver};
use harness::sweep::{Doubt, EpisodeLine, Failure, Observer};
use harness::{ProviderFault, Record, Usage};

use super::log::{self, RunLog};

/// So many of the last messages are kept for the full-screen view.
const TAIL: usize = 1000;

/// A sweep while it runs, shared by all that look at it.
#[derive(Clone)]
pub struct Live(Arc<Mutex<LiveState>>);

/// How far a sweep is.
pub struct LiveState {
    /// When it began.
    pub began: Instant,
    /// Episodes of the plan.
    pub all: usize,
    /// Of those, found finished.
    pub skipped: usize,
    /// How many of how many finished episodes were held against their records, before the sweep begins.
    pub checked: (usize, usize),
    /// Those of the parts that have begun.
    begun: usize,
    /// Those of the parts that are still to come.
    ahead: usize,
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
    pub tail: VecDeque<LiveEvent>,
    /// How many messages there were.
    pub said: u64,
    log: Option<RunLog>,
}

/// A message, with the time of day in UTC as the log has it. It is shared: the view copies all of them ten times a second.
#[cfg_attr(not(feature = "tui"), expect(dead_code, reason = "only the view reads it"))]
#[derive(Clone, Debug)]
pub struct LiveEvent {
    /// `12:00:00`.
    pub at: Arc<str>,
    /// What was said, in one line.
    pub text: Arc<str>,
}

/// What went over the line to one target, and what came of it.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Calls that were started.
    pub calls: u64,
    /// Calls that were answered.
    pub answered: u64,
    /// Answers that were found in exchange logs.
    pub remembered: u64,
    /// Tokens.
    pub usage: Usage,
    /// US dollars, as far as prices are known.
    pub cost: f64,
    /// How long the answers took, all together.
    pub took: Duration,
    /// How long the slowest answer took.
    pub slowest: Duration,
    /// Failed calls, by how they failed.
    pub faults: BTreeMap<ProviderFault, u64>,
    /// The last thing that went wrong.
    pub trouble: Option<Arc<str>>,
    /// The last thing that went wrong for good, so that an episode ended on it.
    pub lost: Option<Arc<str>>,
    /// Episodes that were played to their end.
    pub episodes: usize,
    /// Of those, how many were a success.
    pub successes: usize,
    /// Of those, how many ended on their provider.
    pub missing: usize,
}

impl Live {
    /// A sweep that is about to begin; messages go to the log too, if there is one.
    pub fn new(log: Option<RunLog>) -> Live {
        Live(Arc::new(Mutex::new(LiveState {
            began: Instant::now(),
            all: 0,
            begun: 0,
            ahead: 0,
            skipped: 0,
            checked: (0, 0),
            done: 0,
            successes: 0,
            missing: 0,
            failed: 0,
            running: BTreeMap::new(),
            targets: BTreeMap::new(),
            doubts: Vec::new(),
            tail: VecDeque::new(),
            said: 0,
            log,
        })))
    }

    /// Says how many episodes come after the part that begins next.
    pub fn expect(&self, ahead: usize) {
        self.look().ahead = ahead;
    }

    /// A look at it.
    pub fn look(&self) -> MutexGuard<'_, LiveState> {
        self.0.lock().expect("no thread panics while looking")
    }

    /// Watches the sweep and keeps this up to date.
    pub fn observer(&self) -> LiveObserver {
        LiveObserver(self.clone())
    }

    /// Keeps a message.
    pub fn say(&self, text: &str) {
        self.look().say(text);
    }
}

impl LiveState {
    fn say(&mut self, text: &str) {
        // What a provider says may hold anything: nothing of it may move the terminal's cursor.
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let stamp = log::stamp(now);
        if let Some(log) = &mut self.log {
            log.write(&stamp, &text);
        }
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(LiveEvent { at: stamp[11..19].into(), text: text.into() });
        self.said += 1;
    }

    fn target(&mut self, name: &str) -> &mut Traffic {
        if !self.targets.contains_key(name) {
            self.targets.insert(name.to_string(), Traffic::default());
        }
        self.targets.get_mut(name).expect("it was put there just now")
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
            all.add(one);
        }
        all
    }
}

impl Traffic {
    fn add(&mut self, one: &Traffic) {
        self.calls += one.calls;
        self.answered += one.answered;
        self.remembered += one.remembered;
        self.usage += one.usage;
        self.cost += one.cost;
        self.took += one.took;
        self.slowest = self.slowest.max(one.slowest);
        for (fault, count) in &one.faults {
            *self.faults.entry(*fault).or_default() += count;
        }
        self.episodes += one.episodes;
        self.successes += one.successes;
        self.missing += one.missing;
    }
}

impl CallObserver for Live {
    fn on_call(&self, target: &str, call: &CallEvent<'_>) {
        let mut state = self.look();
        let traffic = state.target(target);
        match call {
            CallEvent::Started => traffic.calls += 1,
            CallEvent::Answered { usage, cost, took } => {
                traffic.answered += 1;
                traffic.usage += *usage;
                traffic.cost += cost.unwrap_or(0.0);
                traffic.took += *took;
                traffic.slowest = traffic.slowest.max(*took);
            }
            CallEvent::Remembered { usage, cost } => {
                traffic.remembered += 1;
                traffic.usage += *usage;
                traffic.cost += cost.unwrap_or(0.0);
            }
            CallEvent::Failed { fault, message, again } => {
                *traffic.faults.entry(*fault).or_default() += 1;
                let then = match again {
                    Some(time) => format!("; again in {:.1} s", time.as_secs_f64()),
                    None => "; given up".to_string(),
                };
                let text = format!("{target}: {fault}: {message}{then}");
                traffic.trouble = Some(format!("{fault}: {message}").into());
                if again.is_none() {
                    traffic.lost = traffic.trouble.clone();
                }
                state.say(&text);
            }
        }
    }
}

/// Tells a [`Live`] what happens.
pub struct LiveObserver(Live);

impl Observer for LiveObserver {
    fn on_checked(&mut self, done: usize, all: usize) {
        self.0.look().checked = (done, all);
    }

    fn on_sweep_started(&mut self, all: usize, skipped: usize) {
        let mut state = self.0.look();
        state.begun += all;
        state.skipped += skipped;
        state.all = state.begun + state.ahead;
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
        if let Some(model) = &line.score.model {
            let traffic = state.target(model);
            traffic.episodes += 1;
            traffic.successes += usize::from(line.score.success);
            traffic.missing += usize::from(!line.score.counts());
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
