//! The rules of the policies as laws, over random schedules of latencies and failures, in virtual time.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;

use super::policy::{Adaptive, Policy, Published};
use super::rate_limit::{Admission, CallEnding, MARGIN, RateLimit};

/// What was seen from outside: when calls started and how they ended, in order.
#[derive(Default)]
struct Diary {
    starts: Vec<Duration>,
    /// When a call ended, and how.
    ends: Vec<(Duration, CallEnding)>,
    most_in_flight: usize,
}

/// Many workers that want to call as soon as they may. Each call takes its time and then ends as told.
fn simulate(policy: Policy, workers: usize, calls: &[(u64, CallEnding)]) -> Diary {
    let mut gate = RateLimit::new(policy);
    let mut diary = Diary::default();
    let mut next = calls.iter();
    // What will happen: at which time, in which order, to which worker; `None` means that it wants to start.
    let mut agenda: BTreeSet<(Duration, usize, usize)> = BTreeSet::new();
    let mut ends: Vec<Option<CallEnding>> = vec![None; workers];
    let (mut order, mut waiting, mut in_flight) = (0, Vec::new(), 0_usize);
    for worker in 0..workers {
        agenda.insert((Duration::ZERO, worker, worker));
    }
    while let Some((now, _, worker)) = agenda.pop_first() {
        order += 1;
        if let Some(outcome) = ends[worker].take() {
            in_flight -= 1;
            gate.done(now, outcome);
            diary.ends.push((now, outcome));
            for other in waiting.drain(..) {
                agenda.insert((now, workers + order, other));
            }
        }
        match gate.ask(now) {
            Admission::Wait(until) => {
                assert!(until > now, "a gate that is open must not say wait");
                agenda.insert((until, workers + order, worker));
            }
            Admission::Busy => {
                assert!(in_flight > 0, "busy with nothing");
                waiting.push(worker);
            }
            Admission::Go => {
                let Some((takes, outcome)) = next.next() else { break };
                diary.starts.push(now);
                in_flight += 1;
                diary.most_in_flight = diary.most_in_flight.max(in_flight);
                ends[worker] = Some(*outcome);
                agenda.insert((now + Duration::from_millis(*takes), workers + order, worker));
            }
        }
    }
    diary
}

fn calls() -> impl Strategy<Value = Vec<(u64, CallEnding)>> {
    let hold = prop_oneof![Just(None), (1_u64..90_000).prop_map(|ms| Some(Duration::from_millis(ms)))];
    let outcome = prop_oneof![
        3 => hold.clone().prop_map(|hold| CallEnding::Answered { hold }),
        2 => hold.prop_map(|hold| CallEnding::Refused { hold }),
        2 => Just(CallEnding::Failed),
    ];
    prop::collection::vec((0_u64..120_000, outcome), 1..120)
}

fn published() -> impl Strategy<Value = Published> {
    (0_u64..20_000, 1_u32..8, 1_u64..90_000, 0_u32..5, 1_u64..90_000).prop_map(|(interval, n, window, k, pause)| {
        let ms = Duration::from_millis;
        Published { min_interval: ms(interval), window_calls: n, window: ms(window), pause_after: k, pause: ms(pause) }
    })
}

/// When the rule wants a pause, by its words alone: at every K-th failure since the last answer or pause.
/// Also wherever a provider that refuses says for how long. From when, until when.
fn pauses(rule: &Published, ends: &[(Duration, CallEnding)]) -> Vec<(Duration, Duration)> {
    let (mut row, mut found) = (0, Vec::new());
    for (at, ending) in ends {
        row = if matches!(ending, CallEnding::Answered { .. }) { 0 } else { row + 1 };
        if let CallEnding::Refused { hold: Some(hold) } = ending {
            found.push((*at, *at + *hold));
        }
        if rule.pause_after > 0 && row == rule.pause_after {
            row = 0;
            found.push((*at, *at + rule.pause));
        }
    }
    found
}

fn workers() -> impl Strategy<Value = usize> {
    prop_oneof![Just(1_usize), Just(32), 2_usize..32]
}

/// The earliest time at which the rule, read as written, lets the next call start.
fn allowed(rule: &Published, starts: &[Duration], pauses: &[(Duration, Duration)]) -> Duration {
    let interval = starts.last().map_or(Duration::ZERO, |last| *last + rule.min_interval);
    let n = rule.window_calls as usize;
    let window = starts.len().checked_sub(n).map_or(Duration::ZERO, |at| starts[at] + rule.window + MARGIN);
    let pause = pauses.iter().map(|(_, until)| *until).max().unwrap_or(Duration::ZERO);
    interval.max(window).max(pause)
}

proptest! {
    #[test]
    fn the_published_rule_is_kept(rule in published(), workers in workers(), calls in calls()) {
        let diary = simulate(Policy::Published(rule), workers, &calls);
        let starts = &diary.starts;
        for pair in starts.windows(2) {
            prop_assert!(pair[1] - pair[0] >= rule.min_interval, "{pair:?} are too near");
        }
        for many in starts.windows(rule.window_calls as usize + 1) {
            prop_assert!(many[many.len() - 1] - many[0] >= rule.window + MARGIN, "{many:?} are in one window");
        }
        for (from, until) in pauses(&rule, &diary.ends) {
            let within = starts.iter().find(|at| **at > from && **at < until);
            prop_assert!(within.is_none(), "a start at {within:?} in the pause from {from:?} to {until:?}");
        }
    }

    #[test]
    fn the_published_rule_holds_no_call_up_for_longer(rule in published(), calls in calls()) {
        // One worker: when it is free, the next start is as early as the rule allows, to the millisecond.
        let diary = simulate(Policy::Published(rule), 1, &calls);
        for (number, start) in diary.starts.iter().enumerate().skip(1) {
            let (free, _) = diary.ends[number - 1];
            let pauses = pauses(&rule, &diary.ends[..number]);
            let earliest = allowed(&rule, &diary.starts[..number], &pauses).max(free);
            prop_assert!(*start <= earliest + Duration::from_millis(1), "{start:?} could have been {earliest:?}");
        }
    }

    #[test]
    fn the_adaptive_rule_keeps_its_bounds(most in 1_u32..40, start in 1_u32..10, workers in workers(), calls in calls()) {
        let rule = Adaptive { start: start.min(most), most, ..Adaptive::default() };
        let diary = simulate(Policy::Adaptive(rule), workers, &calls);
        prop_assert!(diary.most_in_flight <= most as usize);
        prop_assert_eq!(diary.starts.len(), calls.len(), "a call is left waiting");
    }

    #[test]
    fn a_provider_that_wants_a_rest_gets_it(seconds in 1_u64..300, refused: bool) {
        let mut gate = RateLimit::new(Policy::Adaptive(Adaptive::default()));
        let (now, hold) = (Duration::from_secs(10), Some(Duration::from_secs(seconds)));
        prop_assert_eq!(gate.ask(now), Admission::Go);
        gate.done(now, if refused { CallEnding::Refused { hold } } else { CallEnding::Answered { hold } });
        let until = now + Duration::from_secs(seconds);
        prop_assert_eq!(gate.ask(now), Admission::Wait(until));
        prop_assert_eq!(gate.ask(until), Admission::Go);
    }
}

#[test]
fn the_adaptive_limit_grows_with_answers_and_shrinks_once_a_burst() {
    let mut gate = RateLimit::new(Policy::Adaptive(Adaptive { start: 10, most: 12, ..Adaptive::default() }));
    let at = Duration::from_secs;
    let end = |gate: &mut RateLimit, now, outcome| {
        assert_eq!(gate.ask(now), Admission::Go);
        gate.done(now, outcome);
        gate.limit()
    };
    for _ in 0..11 {
        end(&mut gate, at(0), CallEnding::Answered { hold: None });
    }
    assert_eq!(gate.limit(), Some(11));
    for _ in 0..100 {
        end(&mut gate, at(0), CallEnding::Answered { hold: None });
    }
    assert_eq!(gate.limit(), Some(12));
    assert_eq!(end(&mut gate, at(1), CallEnding::Refused { hold: None }), Some(8));
    assert_eq!(end(&mut gate, at(2), CallEnding::Refused { hold: None }), Some(8), "the same burst");
    assert_eq!(end(&mut gate, at(3), CallEnding::Failed), Some(8), "that is no refusal");
    assert_eq!(end(&mut gate, at(12), CallEnding::Refused { hold: None }), Some(5));
}
