//! Statistics of made-up scores.

use record::EndReason;
use record::grade::Score;
use record::grade::columns;

use super::bootstrap::{self, Resampling};
use super::*;
use crate::stage;

/// Scores of one agent: `a:110x` is a task in family `a` under four seeds, the last of which the
/// provider failed.
fn scores(agent: &str, families: &str) -> Vec<Score> {
    let mut found = Vec::new();
    for (family, marks) in families.split_whitespace().filter_map(|part| part.split_once(':')) {
        found.extend(marks.chars().enumerate().map(|(seed, mark)| score(agent, family, seed as u64, mark)));
    }
    found
}

fn score(agent: &str, family: &str, seed: u64, mark: char) -> Score {
    let template = stage::scores().remove(0);
    Score {
        agent: agent.into(),
        task: format!("task-{family}").into(),
        family: family.into(),
        component: "cache".into(),
        seed,
        end: if mark == 'x' { EndReason::ProviderFailed } else { template.end },
        success: mark == '1',
        reward: if mark == '1' { 0.9 } else { 0.2 },
        ..template
    }
}

fn entrant<'a>(scores: &'a [Score], planned: Option<u32>) -> Entrant<'a> {
    Entrant { agent: scores[0].agent.to_string(), scores: scores.iter().collect(), planned }
}

const GOOD: &str = "a:11111 b:11110 c:11011 d:11111 e:10111 f:11111 g:11111 h:11101";
const ALSO_GOOD: &str = "a:11110 b:11111 c:11011 d:11101 e:11111 f:11111 g:10111 h:11111";
const POOR: &str = "a:00010 b:00100 c:00001 d:01000 e:00000 f:10100 g:00001 h:00010";

#[test]
fn a_figure_stands_within_its_interval() {
    let scores = scores("A", "a:11100 b:11010 c:00100 d:11111x");
    let rate = rate(&scores, |score| score.success).expect("episodes count");
    assert_eq!((rate.episodes, rate.families, rate.method), (20, 4, Method::ClusterWilson));
    assert_eq!(rate.point, 12.0 / 20.0);
    for interval in [
        Some(rate),
        share(&scores, |score| Some(score.reward)),
        mean(&scores, |score| Some(score.reward)),
        figure(&scores, |scores| Some(scores.iter().map(|score| score.reward).sum::<f64>() / scores.len() as f64)),
    ] {
        let interval = interval.expect("episodes count");
        assert!(interval.low < interval.point && interval.point < interval.high, "{interval:?}");
    }
    assert_eq!(self::rate(&[], |score: &Score| score.success), None);
}

#[test]
fn bounds_are_kept_where_there_are_any() {
    let scores = scores("A", "a:11110 b:11111 c:11111 d:10111");
    let marks =
        |scores: &[&Score]| Some(scores.iter().map(|score| 100.0 * score.reward).sum::<f64>() / scores.len() as f64);
    let found = bounded_figure(&scores, (0.0, 90.0), marks).expect("episodes count");
    assert!(found.low < found.point && found.point < found.high && found.high <= 90.0, "{found:?}");
    let free = figure(&scores, marks).expect("episodes count");
    assert!(found.high < free.high && found.low < free.low, "it leans away from the bound: {found:?} {free:?}");
    let half_open = bounded_figure(&scores, (f64::NEG_INFINITY, 90.0), marks).expect("episodes count");
    assert_eq!(half_open, free, "a bound at infinity is none");
    let no_share = share(&scores, |score| Some(score.reward - 5.0)).expect("episodes count");
    assert_eq!(no_share.method, Method::ClusterStudent);
}

#[test]
fn near_one_a_worse_result_has_no_tighter_interval() {
    let all = |failures: usize| {
        let mut left = failures;
        let family = |name: char, left: &mut usize| {
            let took = (*left).min(20);
            *left -= took;
            format!("{name}:{}{}", "0".repeat(took), "1".repeat(20 - took))
        };
        let text: Vec<String> = "abcdefghij".chars().map(|name| family(name, &mut left)).collect();
        let scores = scores("A", &text.join(" "));
        rate(&scores, |score| score.success).expect("episodes count")
    };
    let perfect = all(0);
    assert_eq!((perfect.point, perfect.high, perfect.method), (1.0, 1.0, Method::FamiliesAgree));
    assert!(perfect.low > 0.84 && perfect.low < 0.93, "200 of 200: {perfect:?}");
    let lows: Vec<f64> = (0..6).map(|failures| all(failures).low).collect();
    assert!(lows.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9), "{lows:?}");
}

#[test]
fn a_rank_does_not_move_because_others_came() {
    let (good, poor) = (scores("good", GOOD), scores("poor", POOR));
    let rank_of = |entrants: &[Entrant<'_>]| {
        rank(entrants, THRESHOLD).standings.into_iter().find(|one| one.agent == "poor").and_then(|one| one.rank)
    };
    let alone = rank_of(&[entrant(&good, None), entrant(&poor, None)]);
    let copies: Vec<Vec<Score>> = (0..10).map(|n| scores(&format!("copy{n}"), POOR)).collect();
    let mut company = vec![entrant(&good, None), entrant(&poor, None)];
    company.extend(copies.iter().map(|copy| entrant(copy, None)));
    assert_eq!((alone, rank_of(&company)), (Some(2), Some(2)));
}

#[test]
fn who_cannot_be_told_apart_shares_a_rank() {
    let (good, also, poor) = (scores("good", GOOD), scores("also", ALSO_GOOD), scores("poor", POOR));
    let ranking = rank(&[entrant(&poor, None), entrant(&good, None), entrant(&also, None)], THRESHOLD);
    let ranks: Vec<(&str, Option<u32>)> =
        ranking.standings.iter().map(|standing| (&*standing.agent, standing.rank)).collect();
    assert_eq!(ranks, [("also", Some(1)), ("good", Some(1)), ("poor", Some(3))]);
    assert_eq!(ranking.contests.len(), 3);
    assert!(ranking.contests.iter().all(|contest| contest.pairs == 40));
}

#[test]
fn who_was_hardly_measured_is_not_ranked() {
    let (good, failing) = (scores("good", GOOD), scores("failing", "a:11xxx b:11xxx c:11xxx d:11xxx e:11xxx"));
    let ranking = rank(&[entrant(&failing, None), entrant(&good, Some(40))], THRESHOLD);
    let last = &ranking.standings[1];
    assert_eq!((ranking.standings[0].rank, last.rank, last.coverage.share), (Some(1), None, 0.4));
    let why = "failing is not ranked: only 10 of 25 planned episodes count (its provider failed in 15): a coverage of \
               40 % is below 90 %, and what is left may not be a fair sample";
    assert_eq!(last.refused.as_deref(), Some(why));
    assert!(ranking.contests.is_empty(), "an agent that is not ranked is compared with none");
    let unfinished = rank(&[entrant(&good, Some(100))], THRESHOLD);
    let why = unfinished.standings[0].refused.as_deref().unwrap_or_default();
    assert!(why.contains("only 40 of 100 planned episodes count (60 were not played)"), "{why}");
}

#[test]
fn who_played_few_of_the_tasks_is_not_ranked() {
    let (good, visitor) = (scores("good", GOOD), scores("visitor", "a:0"));
    let ranking = rank(&[entrant(&visitor, None), entrant(&good, None)], THRESHOLD);
    assert_eq!((&*ranking.standings[1].agent, ranking.standings[1].rank), ("visitor", None));
    let why = ranking.standings[1].refused.as_deref().unwrap_or_default();
    assert!(why.starts_with("visitor is not ranked: it played 1 of the "), "{why}");
}

#[test]
fn repetitions_and_seeds_are_told_apart() {
    let cell = |task: &'static str, values: &[f64]| (task, values.to_vec());
    // All of the variance between tasks, then between seeds, then between repetitions.
    let by_task =
        nested([cell("a", &[1.0, 1.0]), cell("a", &[1.0, 1.0]), cell("b", &[0.0, 0.0]), cell("b", &[0.0, 0.0])]);
    let by_task = by_task.expect("two tasks");
    assert_eq!((by_task.task, by_task.seed, by_task.sampling), (0.5, Some(0.0), 0.0));
    let by_seed =
        nested([cell("a", &[1.0, 1.0]), cell("a", &[0.0, 0.0]), cell("b", &[1.0, 1.0]), cell("b", &[0.0, 0.0])]);
    let by_seed = by_seed.expect("two tasks");
    assert_eq!((by_seed.task, by_seed.seed, by_seed.sampling), (0.0, Some(0.5), 0.0));
    let by_dice =
        nested([cell("a", &[1.0, 0.0]), cell("a", &[1.0, 0.0]), cell("b", &[1.0, 0.0]), cell("b", &[1.0, 0.0])]);
    let by_dice = by_dice.expect("two tasks");
    assert_eq!((by_dice.task, by_dice.seed, by_dice.sampling), (0.0, Some(0.0), 0.5));
    let once = nested([cell("a", &[1.0]), cell("a", &[0.0]), cell("b", &[1.0]), cell("b", &[0.0])]).expect("two tasks");
    assert_eq!((once.seed, once.sampling), (None, 0.5), "one repetition cannot tell the seed from the dice");
    assert_eq!(nested([cell("a", &[1.0])]), None);
}

#[test]
fn the_parts_of_the_variance_are_found_again() {
    let normal = |stream: u64, place: u64| {
        dist::normal_quantile(draw::Draws::new(5, stream).unit(place).clamp(1e-12, 1.0 - 1e-12))
    };
    let names: Vec<String> = (0..300).map(|task| format!("{task:03}")).collect();
    let cells = (0..300u64).flat_map(|task| {
        let name = names[task as usize].as_str();
        (0..4 + task % 3).map(move |seed| {
            let at = task * 100 + seed;
            let value = |repeat: u64| 3.0 * normal(0, task) + 2.0 * normal(1, at) + normal(2, at * 10 + repeat);
            (name, (0..2 + at % 2).map(value).collect())
        })
    });
    let found = nested(cells).expect("many tasks");
    let near = |found: f64, truth: f64| (found / truth - 1.0).abs() < 0.15;
    assert!(near(found.task, 9.0) && near(found.seed.unwrap_or(0.0), 4.0) && near(found.sampling, 1.0), "{found:?}");
}

#[test]
fn a_pilot_is_learnt_from() {
    let (one, other) = (scores("A", "a:1111 b:0000 c:1111 d:0000"), scores("B", "a:1111 b:0000 c:1110 d:0001"));
    let all: Vec<&Score> = one.iter().chain(&other).collect();
    let found = pilot(&all);
    assert_eq!((found.families, found.tasks, found.episodes), (4, 4, 32));
    assert_eq!(found.baselines["A"], 0.5);
    assert!(found.icc.is_some_and(|icc| icc > 0.7), "{found:?}");
    assert!(found.correlation.is_some_and(|alike| alike > 0.7), "{found:?}");
    assert!(found.icc_of_differences.is_some_and(|icc| icc < 0.2), "what families share cancels in pairs: {found:?}");
}

#[test]
fn reliability_is_over_tasks() {
    let found = reliability(&scores("A", "a:1111 b:1100 c:0000 d:1"), 2).expect("tasks with two attempts");
    assert_eq!(found.left_out, 1);
    // C(2,2)/C(4,2) is 1/6 for the second task.
    assert!((found.all.point - (1.0 + 1.0 / 6.0) / 3.0).abs() < 1e-12);
    assert!((found.at_least_one.point - (1.0 + 5.0 / 6.0) / 3.0).abs() < 1e-12);
    assert_eq!(reliability(&scores("A", "a:1"), 2), None);
}

#[test]
fn a_bootstrap_is_the_same_to_the_last_bit() {
    let families = [vec![0.91, 0.13, 0.77], vec![0.05, 0.21], vec![1.0, 0.84, 0.66, 0.1], vec![0.3, 0.7], vec![0.99]];
    let mean = |picked: &[&Vec<f64>]| {
        let all: Vec<f64> = picked.iter().flat_map(|family| family.iter().copied()).collect();
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    };
    let plan = Resampling { seed: 7, resamples: 999 };
    let found = bootstrap::bca(&families, mean, plan, LEVEL).expect("there are families");
    assert_eq!(found, bootstrap::bca(&families, mean, plan, LEVEL).expect("there are families"));
    let text = format!("{:016x} {:016x}", found.low.to_bits(), found.high.to_bits());
    expect_test::expect!["3fd3b2a1907f6e5c 3fe5dddddddddddd"].assert_eq(&text);
    let plain = bootstrap::percentile(&families, mean, plan, LEVEL).expect("there are families");
    assert!(plain.low < plain.point && plain.point < plain.high);
}

#[test]
fn a_lone_family_says_so() {
    let found = rate(&scores("A", "a:1101"), |score| score.success).expect("episodes count");
    assert_eq!((found.method, found.families), (Method::Wilson, 1));
    let naive = wilson(3, 4, LEVEL).expect("trials");
    assert_eq!((found.low, found.high), (naive.low, naive.high));
    let mean = mean(&scores("A", "a:1101"), |score| Some(score.reward)).expect("episodes count");
    assert_eq!(mean.method, Method::Student);
}

/// Twelve clusters of the sizes that the forty tasks have, five episodes each, of which the first `failed` fail.
fn forty(failed: usize) -> Vec<Score> {
    let sizes = [5, 20, 55, 30, 20, 35, 10, 5, 5, 5, 5, 5];
    let places = sizes.iter().enumerate().flat_map(|(at, size)| (0..*size).map(move |seed| (at, seed)));
    // One failure in each cluster before any has a second.
    let mut order: Vec<(usize, u64)> = places.clone().collect();
    order.sort_by_key(|(at, seed)| (*seed, *at));
    let fails = &order[..failed];
    places
        .map(|(at, seed)| score("A", &at.to_string(), seed, if fails.contains(&(at, seed)) { '0' } else { '1' }))
        .collect()
}

fn metric(name: &str, scores: &[Score]) -> Interval {
    let column = columns::ALL.iter().find(|column| column.name == name).expect("there is such a metric");
    estimate(column, &scores.iter().collect::<Vec<&Score>>()).expect("episodes count")
}

#[test]
fn marks_and_rewards_are_no_surer_than_success() {
    for (failed, all) in [(0, "succeed"), (200, "fail")] {
        let run = forty(failed);
        let (success, marks, reward) =
            (metric("success_rate", &run), metric("marks", &run), metric("mean_reward", &run));
        let unsure = success.high - success.low;
        assert!(unsure > 0.1, "where all {all} success is {success:?}");
        // Forty of a hundred marks are success, and ten more are efficiency at it; twenty-five are reward.
        assert!(marks.high - marks.low > 40.0 * unsure, "where all {all} marks are {marks:?}");
        assert!(reward.high - reward.low > 0.5 * unsure, "where all {all} the reward is {reward:?}");
        assert!(marks.holds(marks.point) && marks.low >= 0.0 && marks.high <= 100.0, "{marks:?}");
    }
}

#[test]
fn one_failure_more_buys_no_surer_marks() {
    let width = |failed| metric("marks", &forty(failed)).high - metric("marks", &forty(failed)).low;
    for failed in 1..=4 {
        assert!(width(0) <= width(failed) + 1e-9, "{failed}: {} and {}", width(0), width(failed));
    }
    // Where enough episodes differ, marks are what their own values say.
    let scores = forty(60);
    let all: Vec<&Score> = scores.iter().collect();
    let own = bounded_figure(all.iter().copied(), (0.0, 100.0), |scores| columns::ALL[0].over(scores));
    assert_eq!(Some(metric("marks", &scores)), own);
}
