//! What breaks in a situation: the faults of the task, as bad as this place makes them, with values of its own.

use world::config::{Bad, KeyType};
use world::faults::{FaultArgs, Severity};
use world::growth::Growth;
use world::rng::Stream;
use world::{Blueprint, Value};

use super::places::{self, Place};
use crate::task::{FixCheck, PlannedFault, Task};

/// How far from what is written a pushed number is, and how far into its range a severity moves.
const PUSH: (f64, f64) = (0.85, 1.1);
/// How much of the way to what would do a pushed number may go: the nearer, the milder.
const MILDEST: f64 = 0.8;
const SEVERITY: (f64, f64) = (-0.08, 0.12);

/// By how much a count is larger in a place.
type Grows = fn(&Growth) -> f64;

/// Arguments that are counts, by fault: what they grow with.
const COUNTS: &[(&str, &str, Grows)] = &[
    ("connection_storm", "clients", |by| by.size),
    ("redelivery_burst", "messages", |by| by.size),
    ("connection_leak", "per_s", |by| by.size * (0.77 + 0.23 * by.linger)),
    ("disk_growth", "gb_per_min", |by| by.data),
];

/// The faults of a task in a place, as far from what is written as `reach` says, and with so much of the mildness that is drawn
/// for them.
pub(super) fn draw(
    task: &Task,
    plan: &Blueprint,
    place: &Place,
    growth: &Growth,
    draws: Stream,
    (reach, mildness): (f64, f64),
) -> Result<Vec<PlannedFault>, String> {
    let one = |(n, fault): (usize, &PlannedFault)| {
        let draws = draws.within(n as u64);
        let mut args = fault.args.clone();
        if args.0.contains_key("value") {
            push(&mut args, task, plan, place, draws, (reach, mildness));
        }
        for (name, arg, by) in COUNTS {
            if *name == fault.fault.name() {
                let usual = fault.fault.severity().map_or(1.0, |s| s.mild);
                let written = args.0.get(*arg).and_then(|text| text.parse().ok()).unwrap_or(usual);
                args.0.insert((*arg).to_string(), short(written * by(growth)));
            }
        }
        if let Some(severity) = fault.fault.severity().filter(|s| !COUNTS.iter().any(|c| c.1 == s.arg)) {
            worsen(&mut args, severity, draws, reach);
        }
        let fits = fault.fault.plan(&args, plan, world::Seed(0)).map(|_| ());
        fits.map_err(|e| e.to_string())?;
        Ok(PlannedFault { args, ..fault.clone() })
    };
    task.faults.iter().enumerate().map(one).collect()
}

/// The value that is pushed: what the place needs, times what was written of it.
fn push(
    args: &mut FaultArgs,
    task: &Task,
    plan: &Blueprint,
    place: &Place,
    draws: Stream,
    (reach, mildness): (f64, f64),
) -> Option<()> {
    let service = plan.service(args.0.get("service")?)?;
    let info = &plan.services[service];
    let key = info.key(args.0.get("key")?)?;
    let (key_info, text) = (&info.kind.keys()[key], args.0.get("value")?.clone());
    let value = match key_info.takes {
        KeyType::Bool => return None,
        KeyType::Path | KeyType::Host => {
            let quirk = info.kind.quirks().iter().find(|q| q.key == key_info.name)?;
            if reach < 0.2 { text } else { draws.at(0).pick(quirk.values).to_string() }
        }
        KeyType::Int { max, .. } => {
            let written: f64 = text.parse().ok()?;
            let healthy = task.plan.services[service].config[key].int();
            let far = 1.0 + reach * (draws.at(0).between(PUSH.0, PUSH.1) - 1.0);
            let milder = milder(task, (service, key), written, mildness * reach * draws.at(2).unit());
            let number = match key_info.bad() {
                // A share is pushed far to one side; a count that is 1 cannot be less.
                Some(Bad::Is(_)) if written > healthy => (written * far * milder).min(max as f64),
                Some(Bad::Is(_)) => written * milder,
                _ => written * place.needs(service, key) * far * milder,
            };
            places::within(key_info, number).to_string()
        }
    };
    args.0.insert("value".to_string(), value);
    Some(())
}

/// How much milder than written a push is: anything between what was written and nearly what would end it.
fn milder(task: &Task, (service, key): (usize, usize), written: f64, by: f64) -> f64 {
    let enough = task.conditions.iter().find_map(|condition| match condition {
        FixCheck::Config { service: s, key: k, value: Value::Int(n), .. } if (*s, *k) == (service, key) => {
            Some(*n as f64)
        }
        _ => None,
    });
    enough.map_or(1.0, |enough| libm::pow(enough / written, MILDEST * by))
}

/// Moves a severity within the range in which it makes sense, if it lies there.
fn worsen(args: &mut FaultArgs, severity: Severity, draws: Stream, reach: f64) -> Option<()> {
    let Severity { arg, mild, severe } = severity;
    let written: f64 = args.0.get(arg)?.parse().ok()?;
    let (low, high) = (mild.min(severe), mild.max(severe));
    if (low..=high).contains(&written) {
        let moved = written + (severe - mild) * reach * draws.at(1).between(SEVERITY.0, SEVERITY.1);
        args.0.insert(arg.to_string(), short(moved.clamp(low, high)));
    }
    Some(())
}

/// A number in few digits.
fn short(number: f64) -> String {
    let digits = if number.abs() >= 100.0 {
        0
    } else if number.abs() >= 10.0 {
        1
    } else {
        3
    };
    format!("{number:.digits$}")
}
