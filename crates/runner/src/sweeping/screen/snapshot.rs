//! One look at a sweep: all that the view shows, copied, so that the sweep never waits for the drawing.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use agents::client::{Caps, Spent};

use super::About;
use crate::sweeping::live::{LiveEvent, LiveState, Traffic};

/// What the view shows.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// What runs.
    pub what: String,
    /// Where results go.
    pub folder: PathBuf,
    /// Since it began.
    pub elapsed: Duration,
    /// How long the rest will take, if that can be judged.
    pub left: Option<Duration>,
    /// Episodes of the plan.
    pub all: usize,
    /// Found finished.
    pub skipped: usize,
    /// Played to their end.
    pub done: usize,
    /// Of those, how many were a success.
    pub successes: usize,
    /// Of those, how many ended on their provider.
    pub missing: usize,
    /// Could not be played.
    pub failed: usize,
    /// Episodes being played with their age, the oldest first.
    pub running: Vec<(String, Duration)>,
    /// By target, written `provider/model`.
    pub targets: Vec<(String, Traffic)>,
    /// All targets together.
    pub sum: Traffic,
    /// When it is enough, and what counts towards that.
    pub caps: (Caps, Spent),
    /// The last messages.
    pub tail: Vec<LiveEvent>,
    /// How many messages there were; the last of the tail is the last of them.
    pub said: u64,
    /// Why the run is stopping, if it is.
    pub stopping: Option<String>,
    /// What was told to the person since the view is open.
    pub note: Option<String>,
}

impl Snapshot {
    /// Looks at a sweep. This is all that happens while the sweep is held up.
    pub fn of(state: &LiveState, now: Instant) -> Snapshot {
        let age = |began: &Instant| now.saturating_duration_since(*began);
        Snapshot {
            elapsed: age(&state.began),
            left: state.left().filter(|_| state.over() < state.all),
            all: state.all,
            skipped: state.skipped,
            done: state.done,
            successes: state.successes,
            missing: state.missing,
            failed: state.failed,
            running: state.running.iter().map(|(key, began)| (key.clone(), age(began))).collect(),
            targets: state.targets.iter().map(|(name, traffic)| (name.clone(), traffic.clone())).collect(),
            sum: state.traffic(),
            tail: state.tail.iter().cloned().collect(),
            said: state.said,
            ..Snapshot::default()
        }
    }

    /// Adds what is known without the sweep.
    pub fn with(mut self, about: &About, stopping: Option<&str>, note: Option<String>) -> Snapshot {
        self.running.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        (self.what, self.folder) = (about.what.clone(), about.folder.clone());
        self.caps = (about.caps, about.used());
        (self.stopping, self.note) = (stopping.map(str::to_string), note);
        self
    }

    /// Episodes that are over, however.
    pub fn over(&self) -> usize {
        self.skipped + self.done + self.failed
    }

    /// The number of the first message of the tail.
    pub fn first(&self) -> u64 {
        self.said - self.tail.len() as u64
    }
}

impl Traffic {
    /// Calls that failed.
    pub fn failures(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Calls that are neither answered nor failed.
    pub fn in_flight(&self) -> u64 {
        self.calls.saturating_sub(self.answered + self.failures())
    }

    /// How long an answer took in the mean.
    pub fn mean(&self) -> Option<Duration> {
        (self.answered > 0).then(|| self.took.div_f64(self.answered as f64))
    }
}

#[cfg(test)]
mod tests {
    use agents::client::{CallEvent, CallObserver};
    use expect_test::{Expect, expect};
    use harness::sweep::Observer;
    use harness::{ProviderFault, Usage};

    use super::*;
    use crate::sweeping::live::Live;

    fn check(calls: &[CallEvent<'_>], expect: Expect) {
        let live = Live::new(None);
        live.observer().on_sweep_started(10, 4);
        live.observer().on_episode_started("react@here/calm/disk/7");
        calls.iter().for_each(|call| live.on_call("here/calm", call));
        let seen = Snapshot::of(&live.look(), Instant::now());
        let (over, running, sum) = (seen.over(), seen.running.len(), &seen.sum);
        let (flight, failed, mean) = (sum.in_flight(), sum.failures(), sum.mean());
        let said: Vec<&str> = seen.tail.iter().map(|said| &*said.text).collect();
        let text = format!("{over} of {}, {running} running; {flight} in flight, {failed} failed, {mean:?}", seen.all);
        expect.assert_eq(&format!("{text}; from {}: {said:?}", seen.first()));
    }

    #[test]
    fn a_look_tells_what_became_of_calls() {
        let usage = Usage::default();
        let answer = |ms| CallEvent::Answered { usage, cost: None, took: Duration::from_millis(ms) };
        let fault = ProviderFault::RateLimit;
        let failure = CallEvent::Failed { fault, message: "slow\u{1b}[2J down", again: Some(Duration::from_secs(2)) };
        check(&[], expect!["4 of 10, 1 running; 0 in flight, 0 failed, None; from 0: []"]);
        check(
            &[CallEvent::Started, CallEvent::Started, answer(300)],
            expect!["4 of 10, 1 running; 1 in flight, 0 failed, Some(300ms); from 0: []"],
        );
        check(
            &[CallEvent::Started, answer(300), CallEvent::Started, answer(500)],
            expect!["4 of 10, 1 running; 0 in flight, 0 failed, Some(400ms); from 0: []"],
        );
        check(
            &[CallEvent::Started, failure],
            expect![[
                r#"4 of 10, 1 running; 0 in flight, 1 failed, None; from 0: ["here/calm: rate_limit: slow [2J down; again in 2.0 s"]"#
            ]],
        );
        check(
            &[CallEvent::Remembered { usage, cost: None }],
            expect!["4 of 10, 1 running; 0 in flight, 0 failed, None; from 0: []"],
        );
    }
}
