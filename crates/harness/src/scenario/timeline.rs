//! One course of events: what became of an incident under certain acts at certain times. While an
//! agent only looks, its world *is* the untouched one; after an act it is the one that everybody gets
//! who does the same at the same time. So a course is simulated once, kept in snapshots, and shared.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use faces::{Reply, ToolArgs};
use world::{Operator, Span, TICK, Time, View, World};

use super::Scenario;
use super::verdict::{self, Judgement};

/// How many branches a scenario keeps: a few megabytes. Others live as long as their episode.
const BRANCHES_KEPT: usize = 16;

/// How many branches are remembered as having been taken once: what is not taken twice is not kept.
const BRANCHES_KNOWN: usize = 1024;

/// How many looks are remembered: below a megabyte if all of them are asked for again.
const LOOKS_KNOWN: usize = 512;

/// A course of events from some time on.
pub(crate) struct Timeline {
    begin: Time,
    end: Time,
    /// Whether the agent acted in it.
    touched: bool,
    /// The answer to the act that opened it; nothing for the untouched one.
    opening: Reply,
    is_fixed: bool,
    /// One slot per tick of the world; the first is filled from the beginning.
    snapshots: Vec<OnceLock<Box<World>>>,
    /// The same for verdicts, once the first is asked for.
    verdicts: OnceLock<Box<[OnceLock<Box<Judgement>>]>>,
    branches: Mutex<Branches>,
    looks: Mutex<Looks>,
}

/// Answers to looks by time and call: `None` for those that were asked for once, because what is not asked
/// for twice is not worth its memory.
type Looks = BTreeMap<(usize, u64), Option<(String, Arc<Reply>)>>;

/// Courses that lead on from one, by the time and the act.
#[derive(Default)]
struct Branches {
    known: BTreeMap<(Time, String), Option<Arc<Timeline>>>,
    kept: usize,
}

/// What a look shows.
pub(crate) type Look = fn(View<'_>, &ToolArgs) -> Reply;

/// What an act does.
pub(crate) type ToolAct = fn(&mut Operator<'_>, &ToolArgs) -> Reply;

impl Timeline {
    /// A course that begins with this world and is followed until `end`.
    pub fn new(world: World, end: Time, opening: Reply, is_fixed: bool) -> Timeline {
        let begin = world.now();
        let slots = ticks(begin, end) + 1;
        let snapshots: Vec<OnceLock<Box<World>>> = (0..slots).map(|_| OnceLock::new()).collect();
        snapshots[0].get_or_init(|| Box::new(world));
        Timeline {
            begin,
            end,
            touched: false,
            opening,
            is_fixed,
            snapshots,
            verdicts: OnceLock::new(),
            branches: Mutex::default(),
            looks: Mutex::default(),
        }
    }

    /// The same course from some time on, followed for longer: for those who take more time than
    /// their actions do.
    pub fn longer(&self, from: Time, end: Time) -> Timeline {
        let course = Timeline::new(self.at(from).clone(), end, self.opening.clone(), self.is_fixed);
        Timeline { touched: self.touched, ..course }
    }

    /// Until when it is followed.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Whether the agent acted in it.
    pub fn is_touched(&self) -> bool {
        self.touched
    }

    /// The answer to the act that opened it.
    pub fn opening(&self) -> &Reply {
        &self.opening
    }

    /// Whether all conditions of the fix held when it was opened.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// The world at some time: as it was at its last tick. So any time may be asked for, and it is the same
    /// world for all who ask within a tick, whatever they asked before.
    pub fn at(&self, time: Time) -> &World {
        let slot = self.slot(time);
        self.snapshots[slot].get_or_init(|| {
            let mut world = Box::new(self.latest(time).clone());
            world.run_until(self.tick(slot));
            world
        })
    }

    /// The world at the latest moment up to some time that was asked for.
    fn latest(&self, time: Time) -> &World {
        let known = self.snapshots[..=self.slot(time)].iter().rev().find_map(OnceLock::get);
        known.expect("the first one is set from the beginning")
    }

    /// What a look at some time shows; `name` tells it from others. Most agents ask the same of an
    /// incident that is untouched, so those answers are kept.
    pub fn look(&self, time: Time, name: &str, look: Look, args: &ToolArgs) -> Reply {
        if self.touched {
            return look(self.at(time).view(), args);
        }
        let key = (self.slot(time), fingerprint(name));
        let asked_before = match self.looks().get(&key) {
            Some(Some((same, kept))) if same == name => return Reply::clone(kept),
            found => found.is_some(),
        };
        let reply = look(self.at(time).view(), args);
        let mut looks = self.looks();
        if asked_before {
            looks.insert(key, Some((name.to_string(), Arc::new(reply.clone()))));
        } else if looks.len() < LOOKS_KNOWN {
            looks.insert(key, None);
        }
        reply
    }

    /// What became of the incident, had the episode ended at `end`.
    pub fn verdict(&self, scenario: &Scenario, end: Time) -> &Judgement {
        let slot = self.slot(end);
        let none = || self.snapshots.iter().map(|_| OnceLock::new()).collect();
        let judged = || Box::new(Judgement::of(scenario, self.at(end), self.touched));
        self.verdicts.get_or_init(none)[slot].get_or_init(judged)
    }

    /// Lets a course that is not shared go on in place, which saves a copy. What lies behind is lost.
    pub fn move_on(&mut self, time: Time) {
        let slot = self.slot(time);
        let latest = self.snapshots[..slot].iter_mut().rev().find_map(OnceLock::take);
        if let Some(mut world) = latest {
            world.run_until(self.tick(slot));
            self.snapshots[slot] = OnceLock::from(world);
        }
    }

    /// The course after an act, in place: for one that is not shared, and an act that leaves everything as it is where it
    /// touches nothing. Saves a copy; what lies behind is lost.
    pub fn act_in_place(
        &mut self,
        scenario: &Scenario,
        time: Time,
        act: ToolAct,
        args: &ToolArgs,
    ) -> Result<(), Reply> {
        self.move_on(time);
        let slot = self.slot(time);
        let mut world = self.snapshots[slot].take().expect("an unshared course has one world, which has just moved on");
        let reply = act(&mut world.operator(), args);
        if reply.touched.is_empty() {
            self.snapshots[slot] = OnceLock::from(world);
            return Err(reply);
        }
        self.is_fixed = verdict::is_fixed(scenario.task(), scenario.acts(), &world);
        (self.begin, self.touched, self.opening) = (world.now(), true, reply);
        self.snapshots.clear();
        self.snapshots.resize_with(ticks(self.begin, self.end) + 1, OnceLock::new);
        self.snapshots[0] = OnceLock::from(world);
        self.verdicts = OnceLock::new();
        (self.branches, self.looks) = (Mutex::default(), Mutex::default());
        Ok(())
    }

    /// The course after an act, which `name` tells from others. An act that touches nothing leaves
    /// the course as it was, and its answer comes alone.
    pub fn branch(
        &self,
        scenario: &Scenario,
        time: Time,
        name: &str,
        act: ToolAct,
        args: &ToolArgs,
    ) -> Result<Arc<Timeline>, Reply> {
        let key = (time, name.to_string());
        if let Some(Some(kept)) = self.branches().known.get(&key) {
            return Ok(kept.clone());
        }
        let mut world = self.at(time).clone();
        let reply = act(&mut world.operator(), args);
        if reply.touched.is_empty() {
            return Err(reply);
        }
        let is_fixed = verdict::is_fixed(scenario.task(), scenario.acts(), &world);
        let course = Timeline::new(world, self.end, reply, is_fixed);
        let branch = Arc::new(Timeline { touched: true, ..course });
        // Only first acts are common enough to be worth the memory.
        if std::ptr::eq(self, &**scenario.untouched()) {
            self.branches().note(key, &branch);
        }
        Ok(branch)
    }

    fn branches(&self) -> std::sync::MutexGuard<'_, Branches> {
        // A panic elsewhere leaves the map as it is: at worst a branch is simulated again.
        self.branches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn looks(&self) -> std::sync::MutexGuard<'_, Looks> {
        // As above: at worst an answer is written again.
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self, time: Time) -> usize {
        let slot = ticks(self.begin, time);
        assert!(slot < self.snapshots.len(), "{time} lies beyond the end of the course, {}", self.end);
        slot
    }

    /// The time of a slot.
    fn tick(&self, slot: usize) -> Time {
        self.begin + Span(slot as u64 * TICK.0)
    }
}

impl Branches {
    /// Remembers a branch that was taken once, and keeps one that is taken again.
    fn note(&mut self, key: (Time, String), branch: &Arc<Timeline>) {
        let known = self.known.len();
        match self.known.get_mut(&key) {
            Some(again) if again.is_none() && self.kept < BRANCHES_KEPT => {
                self.kept += 1;
                *again = Some(branch.clone());
            }
            None if known < BRANCHES_KNOWN => drop(self.known.insert(key, None)),
            _ => {}
        }
    }
}

/// How many whole ticks of the world lie between two times.
pub(crate) fn ticks(from: Time, to: Time) -> usize {
    (to.since(from).0 / TICK.0) as usize
}

/// A call as a number, FNV-1a; the whole name is compared as well.
fn fingerprint(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
