//! Is the power that we promise the power that runs have? Synthetic comparisons tell.

use report::stats::draw::Draws;
use report::stats::{Clusters, Design, clustered, dist};

/// Comparisons for each design: their share is known to a percent and a half.
const RUNS: u64 = 1000;

/// The share of synthetic runs in which a gain of this size is shown, with normal differences that have
/// the design's variance and correlation.
fn simulated(design: &Design, sizes: &[u32], effect: f64) -> f64 {
    let (one, other) = (design.baseline, design.baseline + effect);
    let spread = |rate: f64| rate * (1.0 - rate);
    let variance = spread(one) + spread(other) - 2.0 * design.correlation * (spread(one) * spread(other)).sqrt();
    let (family, own) = ((variance * design.pair_icc).sqrt(), (variance * (1.0 - design.pair_icc)).sqrt());
    let shown = (0..RUNS).filter(|run| {
        let values = sizes.iter().zip(0u64..).flat_map(|(size, at)| {
            let draws = Draws::new(*run, at);
            let normal = move |place| dist::normal_quantile(draws.unit(place).clamp(1e-12, 1.0 - 1e-12));
            (1..=u64::from(size * design.episodes))
                .map(move |place| (at, effect + family * normal(0) + own * normal(place)))
        });
        clustered(&Clusters::of(values)).is_some_and(|found| found.p < design.alpha && found.interval.point > 0.0)
    });
    shown.count() as f64 / RUNS as f64
}

#[test]
fn promised_power_is_what_runs_have() {
    let guess = Design::default();
    for (design, effect) in [
        (guess, 0.157),
        (Design { families: 10, ..guess }, 0.25),
        (Design { pair_icc: 0.0, correlation: 0.6, ..guess }, 0.10),
        (Design { families: 20, episodes: 10, baseline: 0.8, ..guess }, 0.1),
    ] {
        let sizes = vec![design.tasks / design.families; design.families as usize];
        let (promised, found) = (design.power_of(effect), simulated(&design, &sizes, effect));
        assert!((promised - found).abs() < 0.045, "promised {promised}, found {found} for {effect} of {design:?}");
    }
}

/// The families of the shipped forty: a few large ones, many small ones. Promised as if all were of one size, the power was
/// 0.83 where 0.61 was true.
#[test]
fn power_is_not_promised_too_high_where_families_differ_in_size() {
    const SIZES: [u32; 12] = [1, 1, 1, 1, 2, 2, 2, 3, 4, 5, 7, 11];
    for (baseline, effect, icc) in [(0.6, 0.231, 0.11), (0.6, 0.15, 0.11), (0.5, 0.20, 0.11), (0.5, 0.25, 0.20)] {
        let design = Design { baseline, icc, pair_icc: icc, ..Design::default() }.with_sizes(&SIZES);
        let (promised, found) = (design.power_of(effect), simulated(&design, &SIZES, effect));
        assert!(promised < found + 0.06, "promised {promised}, found {found} for {effect} of {design:?}");
        assert!(promised > found - 0.15, "promised {promised}, found {found} for {effect} of {design:?}");
    }
}

#[test]
fn more_of_anything_shows_more() {
    let guess = Design::default();
    let shown = |design: Design| design.detectable().expect("something stands out");
    assert!(shown(Design { tasks: 80, families: 80, ..guess }) < shown(guess));
    assert!(shown(Design { episodes: 10, ..guess }) < shown(guess));
    assert!(shown(Design { pair_icc: 0.5, ..guess }) > shown(guess));
    assert!(shown(Design { correlation: 0.8, ..guess }) < shown(guess));
    assert!(shown(Design { alpha: 0.05 / 15.0, ..guess }) > shown(guess));
    let least = shown(guess);
    assert!((guess.power_of(least) - guess.power).abs() < 1e-9, "the smallest gain has just the wanted power");
    let tasks = guess.tasks_for(0.1).expect("enough tasks show it");
    let with = |tasks| Design { tasks, families: tasks, ..guess }.power_of(0.1);
    assert!(with(tasks) >= guess.power && with(tasks - 1) < guess.power, "no task too many: {tasks}");
    assert_eq!(guess.episodes_for(0.05), None, "forty families are too few, however often they are played");
    assert_eq!(Design { families: 2, tasks: 2, episodes: 1, baseline: 0.9, ..guess }.detectable(), None);
}
