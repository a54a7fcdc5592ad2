//! The healthy past is worked out where it is read, and no reader can tell.

mod common;

use common::{plant, shop, wait};
use world::{Span, Time, World};

fn cells(world: &World, index: usize) -> Vec<u32> {
    world.history().row(index).cells().iter().map(|cell| cell.to_bits()).collect()
}

#[test]
fn every_row_is_the_same_whatever_was_read_before() {
    let (upwards, downwards) = (shop(3), shop(3));
    let rows = upwards.history().len();
    assert!(rows > 200, "an hour of rows, not {rows}");
    let up: Vec<_> = (0..rows).map(|at| cells(&upwards, at)).collect();
    let mut down: Vec<_> = (0..rows).rev().map(|at| cells(&downwards, at)).collect();
    down.reverse();
    assert_eq!(up, down);
}

#[test]
fn clones_and_later_worlds_have_the_same_past() {
    let mut world = shop(4);
    let (twin, before) = (world.clone(), cells(&world, 17));
    plant(&mut world, "crash service=cache");
    wait(&mut world, 9);
    assert_eq!((cells(&world, 17), cells(&twin, 17)), (before.clone(), before));
}

#[test]
fn rows_come_at_even_steps_up_to_the_present() {
    let mut world = shop(5);
    wait(&mut world, 2);
    let times: Vec<Time> = (0..world.history().len()).map(|at| world.history().row(at).time).collect();
    assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) == Span::secs(15)), "{times:?}");
    assert_eq!(times.last(), Some(&world.now()));
}

/// What is worked out and what is run through are one series: no metric steps at the seam beyond what it does anyway.
#[test]
fn no_series_tells_where_the_past_ends() {
    for seed in 0..8 {
        let mut world = shop(seed);
        wait(&mut world, 8);
        let (plan, rows) = (world.plan().clone(), world.history().len());
        let seam = rows - 8 * 4 - 2;
        for service in &plan.services {
            for (metric, column) in service.kind.metrics().iter().zip(service.metrics.clone()) {
                let at = |row: usize| f64::from(world.history().row(row).cell(column));
                let steps: Vec<f64> = (seam - 40..seam + 24).map(|row| (at(row) - at(row - 1)).abs()).collect();
                let mut usual: Vec<f64> = steps.clone();
                usual.remove(40);
                let most = usual.into_iter().fold(0.0, f64::max);
                let (step, least) = (steps[40], 1e-3 * at(seam).abs() + 0.01 * metric.slack);
                assert!(
                    step <= 2.0 * most + least,
                    "seed {seed}: {}/{} steps by {step} at the seam, otherwise by {most}",
                    service.name,
                    metric.name
                );
            }
        }
    }
}

#[test]
fn what_is_usual_is_what_the_past_shows() {
    let world = shop(6);
    let plan = world.plan().clone();
    let past: Vec<_> = world.history().newest_first(Time(0), world.now()).collect();
    for (at, service) in plan.services.iter().enumerate() {
        let metrics = service.kind.metrics().iter().zip(service.metrics.clone());
        for ((metric, column), band) in metrics.zip(world.usual(at)) {
            let mean = past.iter().map(|row| f64::from(row.cell(column))).sum::<f64>() / past.len() as f64;
            assert!((mean - band.usual).abs() <= band.slack, "{}/{}: {mean}, {band:?}", service.name, metric.name);
        }
    }
}
