//! Many tasks at once, on several threads. The result does not depend on their number.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use super::{Certified, Generator, Rejection, Trial, TriedBy, Uncertified};
use crate::stop::Stop;
use crate::task::Task;
use world::spec::{CallSpec, Spec};

/// A certified task.
pub struct Made {
    /// The task.
    pub task: Arc<Task>,
    /// Which candidate of its number it is, from 0.
    pub attempt: u32,
    /// The family of its fault.
    pub family: &'static str,
    /// The fault.
    pub fault: &'static str,
    /// The domain of its world.
    pub domain: &'static str,
    /// The outline of its world's call graph.
    pub outline: String,
    /// How many services its world has.
    pub services: usize,
    /// Its file.
    pub text: String,
}

/// What came of making many.
pub struct Batch {
    /// The tasks, by number.
    pub made: Vec<Made>,
    /// Candidates that were thrown away, by reason.
    pub rejected: BTreeMap<Rejection, usize>,
}

impl Batch {
    /// The share of candidates that became tasks.
    pub fn acceptance(&self) -> f64 {
        let rejected: usize = self.rejected.values().sum();
        self.made.len() as f64 / (self.made.len() + rejected).max(1) as f64
    }

    /// What is asked for in the worlds: different routes by method and path, and different operations by name.
    pub fn asked(&self) -> (usize, usize) {
        let (mut routes, mut operations) = (BTreeSet::new(), BTreeSet::new());
        for made in &self.made {
            asked_in(&made.task.spec, &mut routes, &mut operations);
        }
        (routes.len(), operations.len())
    }

    /// How many different things `of` finds among the tasks.
    pub fn different<'a>(&'a self, of: impl Fn(&'a Made) -> &'a str) -> usize {
        self.made.iter().map(of).collect::<BTreeSet<_>>().len()
    }
}

/// What is heard of a batch while it is made.
pub enum BatchNews<'a> {
    /// What is done with a candidate now: in large worlds, where each part takes a while.
    Trying(&'static str),
    /// A candidate was thrown away, and why.
    Rejected(Rejection),
    /// A task was certified.
    Made(&'a Made),
}

/// What a thread tells: what it does, of a candidate that was thrown away, or what came of a number: a task, or nothing after so many
/// candidates, or nothing because it was asked to stop.
enum Told {
    Trying(&'static str),
    Rejected(usize, Rejection),
    Made(usize, Box<Made>),
    GaveUp(usize),
}

impl Generator {
    /// Makes and certifies the tasks of the numbers below `count`, until `stop` is asked for: then the batch has what was
    /// certified by then. `seen` hears of each candidate as it is thrown away and of each task as it is made.
    pub fn batch(
        &self,
        count: usize,
        jobs: usize,
        by: TriedBy<'_>,
        stop: &Stop,
        mut seen: impl FnMut(BatchNews<'_>),
    ) -> Result<Batch, String> {
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, told) = mpsc::channel();
        let mut rejected: BTreeMap<usize, Vec<Rejection>> = BTreeMap::new();
        let mut made: BTreeMap<usize, Made> = BTreeMap::new();
        let mut barren: Option<usize> = None;
        std::thread::scope(|threads| {
            for _ in 0..jobs.clamp(1, count.max(1)) {
                let (sender, next, failed) = (sender.clone(), &next, &failed);
                threads.spawn(move || {
                    while !failed.load(Ordering::Relaxed) && !stop.is_asked() {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            return;
                        }
                        let tell = |told: Told| sender.send(told).expect("the receiver waits for all of them");
                        let trying = |what| {
                            if self.pool.is_large() {
                                tell(Told::Trying(what));
                            }
                        };
                        let trial = Trial { stop, tell: &trying };
                        match self.certified(number as u64, by, &trial, |why| tell(Told::Rejected(number, why))) {
                            Ok(certified) => tell(Told::Made(number, Box::new(made_of(&certified)))),
                            Err(Uncertified::Stopped) => return,
                            Err(Uncertified::Barren) => {
                                failed.store(true, Ordering::Relaxed);
                                tell(Told::GaveUp(number));
                            }
                        }
                    }
                });
            }
            drop(sender);
            for told in told.iter() {
                match told {
                    Told::Trying(what) => seen(BatchNews::Trying(what)),
                    Told::Rejected(number, why) => {
                        seen(BatchNews::Rejected(why));
                        rejected.entry(number).or_default().push(why);
                    }
                    Told::Made(number, one) => {
                        seen(BatchNews::Made(&one));
                        made.insert(number, *one);
                    }
                    Told::GaveUp(number) => barren = Some(barren.map_or(number, |other| other.min(number))),
                }
            }
        });
        if let Some(number) = barren {
            return Err(self.gave_up(number, rejected.get(&number).map_or(&[], Vec::as_slice)));
        }
        let mut counts = BTreeMap::new();
        let of_made = rejected.iter().filter(|(number, _)| made.contains_key(number));
        of_made.flat_map(|(_, why)| why).for_each(|why| *counts.entry(*why).or_default() += 1);
        Ok(Batch { made: made.into_values().collect(), rejected: counts })
    }

    fn gave_up(&self, number: usize, why: &[Rejection]) -> String {
        let mut counts: BTreeMap<Rejection, usize> = BTreeMap::new();
        why.iter().for_each(|w| *counts.entry(w).or_default() += 1);
        let reasons: Vec<String> = counts.iter().map(|(why, n)| format!("{n} {why}")).collect();
        format!("number {number}: {} ({})", self.barren(), reasons.join(", "))
    }
}

/// Adds the routes and the operations of a world.
pub(super) fn asked_in<'s>(spec: &'s Spec, routes: &mut BTreeSet<&'s str>, operations: &mut BTreeSet<&'s str>) {
    fn add<'s>(call: &'s CallSpec, operations: &mut BTreeSet<&'s str>) {
        operations.insert(&call.op.name);
        call.calls.iter().chain(&call.on_miss).for_each(|c| add(c, operations));
    }
    for route in spec.apps.iter().flat_map(|a| &a.routes) {
        if route.rps > 0.0 {
            routes.insert(&route.entry.op.name);
        }
        add(&route.entry, operations);
    }
}

fn made_of(certified: &Certified) -> Made {
    let Certified { task, shape, family, attempt, .. } = certified;
    Made {
        text: super::file(task, &shape.spec),
        fault: task.faults.first().map_or("", |f| f.fault.name()),
        domain: shape.domain,
        outline: shape.outline.clone(),
        services: shape.plan.services.len(),
        task: task.clone(),
        attempt: *attempt,
        family,
    }
}
