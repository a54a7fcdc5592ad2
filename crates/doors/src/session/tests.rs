//! The table without any socket: caps, idle time, sealing, and no client in another's episode. Tests are referees.
#![allow(clippy::disallowed_types)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use faces::ToolSet;
use harness::Noise;

use super::*;
use crate::test_support::{SOLUTION, task};
use harness::Referee;
use harness::Scenario;
use harness::catalogue::CatalogueSettings;
use harness::replay::replay;
use harness::{Episode, EpisodeOptions};
use record::Record;
use record::{AgentFault, EndReason};

type Kept = Arc<Mutex<Vec<Record>>>;

const LIMITS: Limits = Limits { sessions: 3, idle: Duration::from_secs(60) };

fn sessions(limits: Limits, pace: &str) -> (Sessions, Kept) {
    let (referee, kept) = (Referee::new(), Kept::default());
    let catalogue = Catalogue::new(vec![task()], 1, settings(false), &referee);
    (Sessions::new(catalogue, limits, Pace::parse(pace).expect("a pace"), keep(&referee, &kept)), kept)
}

fn settings(rewards: bool) -> CatalogueSettings {
    CatalogueSettings {
        suite: "selection".to_string(),
        tools: ToolSet::CLASSIC,
        noise: Noise(1),
        agent: "serve".to_string(),
        named: false,
        rewards,
        incidents: 2,
        clients: false,
        plan: None,
    }
}

fn keep(referee: &Referee, kept: &Kept) -> Keep {
    let (referee, sink) = (referee.clone(), kept.clone());
    Box::new(move |player| sink.lock().expect("no test panics here").push(referee.finish(player)))
}

fn id(n: u8) -> SessionId {
    SessionId([n; 16])
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn seeded(seed: u64) -> StartRequest {
    StartRequest { seed: Some(seed), ..StartRequest::default() }
}

fn ends(kept: &Kept) -> Vec<Option<EndReason>> {
    kept.lock().expect("no thread panics").iter().map(Record::end).collect()
}

fn step(sessions: &Sessions, n: u8, now: u64, text: &str) -> Result<ClientView, Refusal> {
    sessions.with(id(n), at(now), |session| session.step(text))?
}

#[test]
fn an_episode_is_played_and_kept() {
    let (sessions, kept) = sessions(LIMITS, "action");
    let view = sessions.open_with(id(1), seeded(1), at(0)).expect("there is room");
    assert!(view.observation.starts_with("INC-"));
    for call in SOLUTION {
        assert!(kept.lock().expect("no thread panics").is_empty());
        step(&sessions, 1, 1, call).expect("it is live");
    }
    let last = sessions.with(id(1), at(2), |s| s.view()).expect("it is there").expect("it has an episode");
    assert!(last.is_terminated() && !last.is_truncated() && last.rewards.is_none(), "{last:?}");
    let after = step(&sessions, 1, 3, "check_status(cache)").expect("it answers");
    assert_eq!((after.observation.as_str(), after.step), ("The episode is over.", 4));
    let records = kept.lock().expect("no thread panics");
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

/// More incidents than should be in memory: those that wait rest, and no client can tell.
#[test]
fn sessions_beyond_the_room_for_incidents_rest_and_go_on() {
    let play = |room: usize| {
        let (referee, kept) = (Referee::new(), Kept::default());
        let catalogue = CatalogueSettings { incidents: room, ..settings(false) };
        let catalogue = Catalogue::new(vec![task()], 1, catalogue, &referee);
        let limits = Limits { sessions: 9, ..LIMITS };
        let sessions = Sessions::new(catalogue, limits, Pace::PER_ACTION, keep(&referee, &kept));
        for (n, seed) in [(1, 1), (2, 1), (3, 2), (4, 3), (5, 4)] {
            sessions.open_with(id(n), seeded(seed), at(u64::from(n))).expect("there is room");
        }
        let mut crowded = sessions.catalogue().is_crowded();
        for (step_of, call) in SOLUTION.iter().enumerate() {
            for n in 1..=5 {
                step(&sessions, n, 10 * (1 + step_of as u64) + u64::from(n), call).expect("it is live");
                crowded |= sessions.catalogue().is_crowded();
            }
        }
        assert!(!crowded, "what waits makes room");
        let records = kept.lock().expect("no thread panics");
        records.iter().map(Record::digest).collect::<Vec<String>>()
    };
    let all = play(9);
    assert_eq!(all.len(), 5);
    assert_eq!(play(2), all);
    assert_eq!(play(1), all);
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
    let records = kept.lock().expect("no thread panics");
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
        sessions.open_with(id(n), StartRequest::default(), at(0)).expect("there is room");
    }
    sessions.close_all(at(0));
    let seeds: Vec<u64> =
        kept.lock().expect("no thread panics").iter().filter_map(|r| Some(r.header()?.seed)).collect();
    assert_eq!(seeds, [1, 2]);
}

/// Trainers are told what each step is worth, and the record says so; others are told nothing.
#[test]
fn rewards_are_shown_to_trainers_and_the_record_says_so() {
    let (referee, kept) = (Referee::new(), Kept::default());
    let catalogue = Catalogue::new(vec![task()], 1, settings(true), &referee);
    let table = Sessions::new(catalogue, LIMITS, Pace::PER_ACTION, keep(&referee, &kept));
    let table = table.for_trainers(referee.trainer());
    table.open_with(id(1), seeded(1), at(0)).expect("there is room");
    let total = SOLUTION.iter().filter_map(|call| step(&table, 1, 1, call).expect("it is live").reward()).sum::<f64>();
    let last = table.with(id(1), at(2), |s| s.view()).expect("it is there").expect("it has an episode");
    assert!(total > 0.9 && last.total_reward() == Some(total), "{last:?}");
    let after = step(&table, 1, 3, "check_status(cache)").expect("it answers");
    assert_eq!((after.reward(), after.total_reward()), (Some(0.0), Some(total)));
    assert!(kept.lock().expect("no test panics here")[0].header().is_some_and(|header| header.rewards));
    let (measured, kept) = sessions(LIMITS, "action");
    measured.open_with(id(1), seeded(1), at(0)).expect("there is room");
    assert_eq!(step(&measured, 1, 1, SOLUTION[0]).expect("it is live").rewards, None);
    measured.close_all(at(2));
    assert!(kept.lock().expect("no test panics here")[0].header().is_some_and(|header| !header.rewards));
}

#[test]
fn an_episode_from_elsewhere_goes_on_here_and_its_program_may_fail() {
    let scenario = Arc::new(Scenario::prepare(&task(), 1, Noise(1)).expect("it can be played"));
    let mut alone = Episode::start(&scenario, EpisodeOptions::default());
    let (referee, adopted) = (Referee::new(), Kept::default());
    let catalogue = Catalogue::new(Vec::new(), 1, settings(false), &referee);
    let sessions = Sessions::new(catalogue, LIMITS, Pace::PER_ACTION, keep(&referee, &adopted));
    sessions.adopt(id(1), referee.seat(alone.clone()), at(0)).expect("there is room");
    step(&sessions, 1, 1, "check_status(cache)").expect("it is live");
    sessions.with(id(1), at(2), |session| session.fail(AgentFault::TimedOut)).expect("it is there");
    // What is over stays as it is.
    sessions.with(id(1), at(3), |session| session.fail(AgentFault::Crashed)).expect("it is there");
    alone.step("check_status(cache)");
    alone.end_on_fault(AgentFault::TimedOut);
    let records = adopted.lock().expect("no thread panics");
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].end(), records[0].fault()), (Some(EndReason::GaveUp), Some(AgentFault::TimedOut)));
    assert_eq!(records[0].digest(), alone.finish().digest());
    assert!(replay(&records[0], &task()).expect("it can be replayed").is_same());
}
