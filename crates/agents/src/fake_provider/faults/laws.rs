//! Laws of the schedule, for any seed and any requests.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{FailureKind, FailureProfile, Fate, Schedule};

fn profile(name: &str) -> FailureProfile {
    FailureProfile::named(name).expect("it has that name")
}

/// What each request meets when they are sent in some order, each as often as it stands there.
fn played(schedule: &Schedule, order: &[usize]) -> BTreeMap<usize, Vec<Option<FailureKind>>> {
    let mut met: BTreeMap<usize, Vec<Option<FailureKind>>> = BTreeMap::new();
    for request in order {
        let before = met.entry(*request).or_default();
        before.push(schedule.fault("m", &format!("{request:064x}"), before.len() as u32));
    }
    met
}

proptest! {
    #[test]
    fn the_order_of_requests_changes_nothing(
        seed: u64,
        (order, shuffled) in prop::collection::vec(0usize..12, 0..80).prop_flat_map(|order| (Just(order.clone()), Just(order).prop_shuffle())),
    ) {
        let schedule = Schedule::new(profile("storm"), seed);
        prop_assert_eq!(played(&schedule, &order), played(&schedule, &shuffled));
    }

    #[test]
    fn what_is_struck_is_answered_within_the_bound(seed: u64, body in "[0-9a-f]{64}", name in prop::sample::select(vec!["light", "heavy", "storm"])) {
        let schedule = Schedule::new(profile(name), seed);
        let fate = schedule.fate("m", &body);
        let fails: Vec<Option<FailureKind>> = (0..12).map(|seen| schedule.fault("m", &body, seen)).collect();
        match fate {
            Fate::Served => prop_assert!(fails.iter().all(Option::is_none)),
            Fate::Struck(times) => {
                prop_assert!((1..=schedule.profile().in_a_row).contains(&times));
                prop_assert!(fails[..times as usize].iter().all(|kind| kind.is_some_and(FailureKind::passes)));
                prop_assert!(fails[times as usize..].iter().all(Option::is_none));
            }
            Fate::Lost => prop_assert!(fails.iter().all(|kind| kind.is_some_and(FailureKind::passes))),
            Fate::Refused(kind) => prop_assert!(!kind.passes() && fails.iter().all(|one| *one == Some(kind))),
        }
    }

    #[test]
    fn latency_is_around_its_mean(seed: u64, mean in 0u32..100_000, body: String) {
        let schedule = Schedule::new(profile("none"), seed);
        let took = schedule.latency(mean, "m", &body);
        prop_assert!((mean / 2..=mean / 2 + mean).contains(&took));
        prop_assert_eq!(took, schedule.latency(mean, "m", &body));
    }
}

#[test]
fn shares_are_as_the_profile_says() {
    let schedule = Schedule::new(profile("storm"), 7);
    let fates: Vec<Fate> = (0..20_000).map(|n| schedule.fate("m", &format!("{n:064x}"))).collect();
    let share = |is: fn(&Fate) -> bool| fates.iter().filter(|fate| is(fate)).count();
    assert!((9_500..10_500).contains(&share(|fate| matches!(fate, Fate::Struck(_)))));
    assert!((130..280).contains(&share(|fate| matches!(fate, Fate::Lost))));
    assert!((130..280).contains(&share(|fate| matches!(fate, Fate::Refused(_)))));
}

#[test]
fn every_kind_with_a_weight_is_drawn_and_no_other() {
    for name in FailureProfile::names() {
        let schedule = Schedule::new(profile(name), 3);
        let faults = (0..20_000).filter_map(|n| schedule.fault("m", &format!("{n:064x}"), 0));
        let mut drawn: Vec<FailureKind> = faults.collect();
        drawn.sort_unstable();
        drawn.dedup();
        let weighed: Vec<FailureKind> = schedule.profile().weights.keys().copied().collect();
        assert_eq!(drawn, weighed, "{name}");
    }
}

#[test]
fn seed_and_model_change_the_schedule() {
    let fates = |seed, model: &str| {
        let schedule = Schedule::new(profile("heavy"), seed);
        (0..50).map(|n| schedule.fate(model, &format!("{n:064x}"))).collect::<Vec<_>>()
    };
    assert_eq!(fates(1, "a"), fates(1, "a"));
    assert_ne!(fates(1, "a"), fates(2, "a"));
    assert_ne!(fates(1, "a"), fates(1, "b"));
}
