//! The table without any socket: caps, idle time, sealing, and nobody in another's episode.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use faces::ToolSet;
use world::Noise;

use super::*;
use crate::record::{AgentFault, EndReason};
use crate::rehearsal::{SOLUTION, task};
use crate::replay::replay;

type Kept = Arc<Mutex<Vec<Record>>>;

const LIMITS: Limits = Limits { sessions: 3, incidents: 2, idle: Duration::from_secs(60) };

fn sessions(limits: Limits, pace: &str) -> (Sessions, Kept) {
    let offer = Offer {
        tasks: vec![task()],
        suite: "selection".to_string(),
        tools: ToolSet::Classic,
        noise: Noise(1),
        agent: "serve".to_string(),
        named: false,
        next_seed: 1.into(),
    };
    let kept = Kept::default();
    let sink = kept.clone();
    let keep = Box::new(move |record| sink.lock().expect("nobody panics").push(record));
    (Sessions::new(offer, limits, Pace::parse(pace).expect("a pace"), keep), kept)
}

fn id(n: u8) -> SessionId {
    SessionId([n; 16])
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn seeded(seed: u64) -> Order {
    Order { seed: Some(seed), ..Order::default() }
}

fn ends(kept: &Kept) -> Vec<Option<EndReason>> {
    kept.lock().expect("nobody panics").iter().map(Record::end).collect()
}

fn step(sessions: &Sessions, n: u8, now: u64, text: &str) -> Result<Sight, Refusal> {
    sessions.with(id(n), at(now), |session| session.step(text))?
}

#[test]
fn an_episode_is_played_and_kept() {
    let (sessions, kept) = sessions(LIMITS, "action");
    let sight = sessions.open_with(id(1), seeded(1), at(0)).expect("there is room");
    assert!(sight.observation.starts_with("INC-"));
    for call in SOLUTION {
        assert!(kept.lock().expect("nobody panics").is_empty());
        step(&sessions, 1, 1, call).expect("it is live");
    }
    let last = sessions.with(id(1), at(2), |s| s.sight()).expect("it is there").expect("it has an episode");
    assert!(last.is_terminated() && !last.is_truncated() && last.total > 0.9, "{last:?}");
    let after = step(&sessions, 1, 3, "check_status(cache)").expect("it answers");
    assert_eq!((after.observation.as_str(), after.reward, after.step), ("The episode is over.", 0.0, 4));
    let records = kept.lock().expect("nobody panics");
    assert_eq!(records.len(), 1);
    assert!(replay(&records[0], &task()).expect("it can be replayed").is_same());
}

#[test]
fn caps_hold_and_what_is_over_makes_room() {
    let (sessions, _) = sessions(LIMITS, "action");
    for n in 1..=3 {
        sessions.open_with(id(n), seeded(1), at(0)).expect("there is room");
    }
    assert_eq!(sessions.open(id(4), at(0)), Err(Refusal::Full(3)));
    step(&sessions, 2, 0, "escalate(enough)").expect("it is live");
    sessions.open(id(4), at(0)).expect("one is over");
    assert_eq!(step(&sessions, 2, 0, "x").err(), Some(Refusal::UnknownSession));
    assert_eq!(step(&sessions, 4, 0, "x").err(), Some(Refusal::NoEpisode));
    assert_eq!(sessions.count(), (3, 3));
    sessions.open(id(5), at(59)).expect_err("all of them are in use");
    sessions.open(id(5), at(60)).expect("they were idle for too long");
    assert_eq!(sessions.count(), (1, 3));
}

#[test]
fn incidents_are_shared_and_counted() {
    let (sessions, _) = sessions(Limits { sessions: 9, ..LIMITS }, "action");
    for (n, seed) in [(1, 1), (2, 1), (3, 2), (4, 2)] {
        sessions.open_with(id(n), seeded(seed), at(0)).expect("there is room");
    }
    assert_eq!(sessions.open_with(id(5), seeded(3), at(0)).err(), Some(Refusal::TooManyIncidents(2)));
    assert_eq!(sessions.count().0, 4, "a session that cannot start is not left behind");
    for n in [3, 4] {
        sessions.close(id(n), at(0)).expect("it is there");
    }
    sessions.open_with(id(5), seeded(3), at(0)).expect("nobody plays the second any more");
}

#[test]
fn who_is_idle_gives_up_and_who_is_not_does_not() {
    let (sessions, kept) = sessions(LIMITS, "action");
    for n in [1, 2] {
        sessions.open_with(id(n), seeded(1), at(0)).expect("there is room");
    }
    step(&sessions, 1, 30, "check_status(cache)").expect("it is live");
    assert_eq!(sessions.reap(at(59)), 0);
    assert_eq!(sessions.reap(at(60)), 1);
    assert_eq!(step(&sessions, 2, 61, "x").err(), Some(Refusal::UnknownSession));
    sessions.close_all(at(62));
    assert_eq!(ends(&kept), [Some(EndReason::GaveUp); 2]);
    assert_eq!(sessions.count().0, 0);
}

#[test]
fn a_reset_seals_what_was_going_on() {
    let (sessions, kept) = sessions(LIMITS, "action");
    sessions.open_with(id(1), seeded(1), at(0)).expect("there is room");
    let again = sessions.start(id(1), seeded(1), at(1)).expect("it is there");
    assert_eq!((again.step, ends(&kept).len()), (0, 1));
    sessions.close(id(1), at(2)).expect("it is there");
    assert_eq!(ends(&kept).len(), 2);
    assert_eq!(sessions.close(id(1), at(2)).err(), Some(Refusal::UnknownSession));
}

/// Ten times as fast: six seconds of a client are a minute, and the record says so and replays.
#[test]
fn a_paced_record_replays_to_the_same_digest() {
    let (sessions, kept) = sessions(LIMITS, "10x");
    sessions.open_with(id(1), seeded(1), at(0)).expect("there is room");
    for (n, call) in SOLUTION.iter().enumerate() {
        step(&sessions, 1, 7 * (n as u64 + 1), call).expect("it is live");
    }
    let records = kept.lock().expect("nobody panics");
    let gaps: Vec<u64> = records[0]
        .steps()
        .scan(None, |before: &mut Option<u64>, step| {
            let gap = before.map(|end| step.time - end);
            *before = Some(step.time + step.took);
            Some(gap.unwrap_or(0) / 1000)
        })
        .collect();
    assert_eq!(gaps, [0, 75, 75, 60], "70 s each, in whole quarters of a minute");
    assert!(replay(&records[0], &task()).expect("it can be replayed").is_same());
}

#[test]
fn seeds_that_nobody_names_are_counted_up() {
    let (sessions, kept) = sessions(LIMITS, "action");
    for n in [1, 2] {
        sessions.open_with(id(n), Order::default(), at(0)).expect("there is room");
    }
    sessions.close_all(at(0));
    let seeds: Vec<u64> = kept.lock().expect("nobody panics").iter().filter_map(|r| Some(r.header()?.seed)).collect();
    assert_eq!(seeds, [1, 2]);
}

#[test]
fn tasks_are_addressed_without_naming_them() {
    let (sessions, _) = sessions(LIMITS, "action");
    let shown = serde_json::to_string(&sessions.offer().list()).expect("plain data");
    assert_eq!(shown, r#"[{"id":"task-01","index":0,"difficulty":"easy","split":"train","max_steps":8}]"#);
    let check = |order: Order, expect: Result<(), &str>| {
        let found = sessions.offer().pick(&order).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(found, expect.map_err(str::to_string));
    };
    let task = |name: &str| Order { task: Some(name.to_string()), ..Order::default() };
    check(task("task-01"), Ok(()));
    check(task("gone"), Ok(()));
    check(task("task-1"), Err("there is no task `task-1`; GET /tasks lists them"));
    check(task("task-00"), Err("there is no task `task-00`; GET /tasks lists them"));
    check(task("../gone"), Err("there is no task `../gone`; GET /tasks lists them"));
    check(Order { index: Some(0), ..Order::default() }, Ok(()));
    check(Order { index: Some(1), ..Order::default() }, Err("there is no task 1; there are 1, counted from 0"));
    let test = Order { split: Some("test".to_string()), ..Order::default() };
    check(test, Err("there is no task 0; there are 0, counted from 0"));
    check(Order { index: Some(0), ..task("gone") }, Err("give `task_id` or `index`, not both"));
}

#[test]
fn an_episode_from_elsewhere_goes_on_here_and_its_program_may_fail() {
    let (sessions, kept) = sessions(LIMITS, "action");
    let scenario = Arc::new(Scenario::prepare(&task(), 1, Noise(1)).expect("it can be played"));
    let mut alone = Episode::start(&scenario, EpisodeOptions::default());
    sessions.adopt(id(1), alone.clone(), at(0)).expect("there is room");
    step(&sessions, 1, 1, "check_status(cache)").expect("it is live");
    sessions.with(id(1), at(2), |session| session.fail(AgentFault::TimedOut)).expect("it is there");
    // What is over stays as it is.
    sessions.with(id(1), at(3), |session| session.fail(AgentFault::Crashed)).expect("it is there");
    alone.step("check_status(cache)");
    alone.end_on_fault(AgentFault::TimedOut);
    let records = kept.lock().expect("nobody panics");
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].end(), records[0].fault()), (Some(EndReason::GaveUp), Some(AgentFault::TimedOut)));
    assert_eq!(records[0].digest(), alone.finish().digest());
    assert!(replay(&records[0], &task()).expect("it can be replayed").is_same());
}
