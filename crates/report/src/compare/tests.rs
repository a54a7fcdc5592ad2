//! Comparisons of made-up sides.

use record::EndReason;
use record::EpisodeLine;

use super::*;
use crate::stage;

/// One side from the successes of each family: `a:110` is three episodes of a task in family `a`.
fn side(name: &str, families: &str) -> Vec<EpisodeLine> {
    let mut lines = Vec::new();
    for (family, marks) in families.split_whitespace().filter_map(|part| part.split_once(':')) {
        lines.extend(marks.chars().enumerate().map(|(seed, mark)| line(name, family, seed as u64, mark)));
    }
    lines
}

fn line(agent: &str, family: &str, seed: u64, mark: char) -> EpisodeLine {
    let template = stage::scores().remove(0);
    let end = if mark == 'x' { EndReason::ProviderFailed } else { template.end };
    let score = Score {
        agent: agent.into(),
        task: format!("task-{family}").into(),
        family: family.into(),
        component: "cache".into(),
        seed,
        end,
        success: mark == '1',
        ..template
    };
    EpisodeLine {
        key: format!("{agent}/task-{family}/{seed}"),
        digest: "d".into(),
        task_digest: format!("file of {family}").into(),
        world_version: 1,
        suite_version: 1,
        noise: 0,
        tools: "classic".into(),
        score,
    }
}

fn compared(one: &[EpisodeLine], other: &[EpisodeLine]) -> Result<Comparison, Incomparable> {
    let side = |name: &str, lines: &'static [EpisodeLine]| Side {
        name: name.into(),
        lines: lines.iter().collect(),
        planned: None,
    };
    // Sides borrow their lines; a test may leave them behind.
    compare(&side("A", one.to_vec().leak()), &side("B", other.to_vec().leak()))
}

#[test]
fn a_clear_difference_is_told() {
    let one = side("A", "a:11111 b:11110 c:11011 d:11111 e:10111 f:11111 g:11111 h:11101");
    let other = side("B", "a:00010 b:00100 c:00001 d:01000 e:00000 f:10100 g:00001 h:00010");
    let found = compared(&one, &other).expect("they can be compared");
    assert_eq!(found.verdict.better.as_deref(), Some("A"), "{}", found.verdict.sentence);
    assert_eq!((found.mcnemar.first_only, found.mcnemar.second_only), (29, 1));
    assert_eq!(found.flips.len(), 30);
    assert_eq!((found.what_if.enough, found.what_if.turning_families.len()), (None, 0));
    let turned = compared(&other, &one).expect("they can be compared");
    assert_eq!(turned.verdict.better.as_deref(), Some("B"));
    assert_eq!(turned.difference.interval.point, -found.difference.interval.point);
}

#[test]
fn nothing_is_compared_with_training() {
    let one = side("A", "a:11111 b:11110");
    let mut other = side("B", "a:00010 b:00100");
    other[0].score.rewards = true;
    let refused = compared(&one, &other).expect_err("rewards were shown").to_string();
    assert!(refused.starts_with("B was shown rewards while it played"), "{refused}");
}

#[test]
fn one_family_does_not_make_a_difference() {
    let one = side("A", "a:1111111111 b:1010101010 c:0101010101 d:1100110011 e:0011001100 f:1010101010");
    let other = side("B", "a:0000000000 b:1010101010 c:0101010101 d:1100110011 e:0011001100 f:1010101010");
    let found = compared(&one, &other).expect("they can be compared");
    assert_eq!(found.verdict.better, None, "{}", found.verdict.sentence);
    assert!(found.mcnemar.p_exact < 0.01, "the test that knows no families is fooled");
    assert!(found.verdict.caveats[0].starts_with("McNemar's test alone"), "{:?}", found.verdict.caveats);
    let enough = found.what_if.enough.expect("there is a difference to be shown");
    assert_eq!(enough.episodes, None, "more of the same families never shows it");
    assert!(enough.tasks > 6);
}

#[test]
fn dropping_a_family_is_tried() {
    let one = side("A", "a:11111 b:11110 c:11011 d:11111 e:10111 f:11111 g:11111 z:00000");
    let other = side("B", "a:01010 b:10100 c:01001 d:01011 e:00110 f:10101 g:01101 z:11111");
    let found = compared(&one, &other).expect("they can be compared");
    assert_eq!((found.verdict.better, found.what_if.turning_families), (None, vec!["z of cache".to_owned()]));
}

#[test]
fn what_is_not_common_is_said() {
    let one = side("A", "a:111 b:111 c:11x");
    let other = side("B", "b:0001 c:000 d:0");
    let found = compared(&one, &other).expect("they can be compared");
    let expect = Common { pairs: 5, tasks: 2, provider_failed: 1, only_first: 3, only_second: 2 };
    assert_eq!(found.common, expect);
    assert!(text(&found).contains("left out: 3 that only A played, 2 that only B played, 1 that a provider failed in"));
}

#[test]
fn a_side_that_was_hardly_measured_gets_no_verdict() {
    let one = side("A", "a:11111 b:11111 c:11111 d:11111");
    let other = side("B", "a:00xxx b:00xxx c:00xxx d:00xxx");
    let found = compared(&one, &other).expect("they can be compared");
    assert_eq!(found.verdict.better, None);
    assert!(found.verdict.sentence.contains("a coverage of 40 % is below 90 %"), "{}", found.verdict.sentence);
}

#[test]
fn different_incidents_are_refused() {
    let check = |change: fn(&mut EpisodeLine), expect: &str| {
        let one = side("A", "a:11 b:11");
        let mut other = side("B", "a:00 b:00");
        other.iter_mut().for_each(change);
        let refused = compared(&one, &other).map_or_else(|why| why.to_string(), |_| "compared".to_owned());
        assert!(refused.contains(expect), "{refused}");
    };
    check(|line| line.world_version = 2, "the world version is 1 on one side and 2 on the other, in 4 common pairs");
    check(|line| line.suite_version = 2, "the suite version is 1");
    check(|line| line.noise = 2, "noise is 0 on one side and 2");
    check(|line| line.tools = "full".into(), "the tool set is classic");
    check(|line| line.task_digest = "another".into(), "the task file is task-a (file of )");
    check(|line| line.score.seed += 10, "no task and seed in common");
    check(|line| line.score.end = EndReason::ProviderFailed, "in every common pair a provider failed");
    check(|line| line.score.suite = "another name".into(), "compared");
}

#[test]
fn the_same_behaviour_is_no_difference() {
    let one = side("A", "a:111 b:000 c:110");
    let found = compared(&one, &one).expect("they can be compared");
    assert_eq!((found.verdict.better.as_deref(), found.difference.p, found.flips.len()), (None, 1.0, 0));
    assert!(text(&found).contains("They succeed and fail on the same incidents."));
}
