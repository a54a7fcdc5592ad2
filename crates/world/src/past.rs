//! The healthy past before a world is handed over: a function of its plan, its seed and its load, worked out where it
//! is read. Nothing has broken yet, so every stretch of it can be had from a settled world without those before it.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::band::Band;
use crate::baseline::Baseline;
use crate::blueprint::Blueprint;
use crate::history::{HealthyPast, History, Row, Scrape};
use crate::impact::RouteImpact;
use crate::noise::Noise;
use crate::rng::Seed;
use crate::time::{SCRAPE, Span, TICK, Time};
use crate::world::{World, morning};

/// How much of a healthy past a world has at least.
const PAST: Span = Span::mins(65);
/// The last of it is really run through, so that nothing that follows depends on how the rest is worked out.
const RUN_IN: Span = Span::secs(15);
/// A new world settles in so many long ticks: each takes what is held and what waits five sixths of the way.
const SETTLING_TICKS: u64 = 6;
/// Few tiers settle in fewer, and are run in by ticks of a scrape.
const FEW_SETTLING_TICKS: u64 = 4;
const SETTLING_TICK: Span = Span::secs(60);

/// Rows that are worked out at once.
const STRETCH: usize = 8;
/// How long a settled world takes to get used to the load of another time.
const ADAPTS: Span = Span::secs(60);
/// What is usual is learnt from so many samples, so far apart.
const SAMPLES: u64 = 5;
const APART: Span = Span::mins(13);

/// The past of one world; shared by all its clones.
pub(crate) struct Past {
    /// A world to which nothing has happened yet, at the end of the past: all that is read begins with it.
    settled: World,
    begin: Time,
    rows: usize,
    stretches: OnceLock<Box<[Stretch]>>,
    baseline: OnceLock<Baseline>,
}

/// Some scrapes, one after another, once one of them was read.
type Stretch = OnceLock<Box<[Arc<Scrape>]>>;

impl World {
    /// A healthy world with an hour of past, at a time of day that the seed picks.
    pub fn healthy(plan: &Arc<Blueprint>, seed: Seed, noise: Noise) -> World {
        World::healthy_after(plan, seed, noise, Span::ZERO)
    }

    /// The same world some time later, to which nothing has happened meanwhile.
    pub fn healthy_after(plan: &Arc<Blueprint>, seed: Seed, noise: Noise, later: Span) -> World {
        World::settled(plan, seed, noise, later).with_past()
    }

    /// The same world shortly before that, settled under the load of the time and without a past: enough to try out what would
    /// page in it.
    pub fn settled(plan: &Arc<Blueprint>, seed: Seed, noise: Noise, later: Span) -> World {
        let at = (morning(seed) + PAST + later).back(RUN_IN);
        let mut world = World::new(plan, seed, noise);
        let ticks = if plan.is_deep() { SETTLING_TICKS } else { FEW_SETTLING_TICKS };
        for left in (0..ticks).rev() {
            world.adapt(at.back(Span(left * SETTLING_TICK.0)), SETTLING_TICK);
        }
        world.impact.routes.fill(RouteImpact::default());
        world.next_scrape = at + SCRAPE;
        world
    }

    /// A settled world a moment later, with an hour of past.
    pub fn with_past(self) -> World {
        let begin = morning(self.seed);
        let history = History::after(Arc::new(Past::new(self.clone(), begin)));
        self.run_in(history)
    }

    /// The world as it was at that moment, with the same past: to which nothing has happened, whatever happened since.
    pub fn as_it_was(&self) -> World {
        let past = self.history.past().and_then(|past| past.as_any().downcast_ref::<Past>());
        let settled = &past.expect("a world that was healthy has a past").settled;
        settled.clone().run_in(self.history.anew())
    }

    fn run_in(self, history: History) -> World {
        let now = self.now + RUN_IN;
        let mut world = World { history, ..self };
        world.run_in_ticks(now, if world.plan.is_deep() { TICK } else { SCRAPE });
        world.paging = true;
        world
    }
}

impl Past {
    /// The past from `begin` up to the time of a world that has settled and has none.
    pub fn new(settled: World, begin: Time) -> Past {
        let rows = (settled.now().since(begin).0 / SCRAPE.0) as usize;
        Past { settled, begin, rows, stretches: OnceLock::new(), baseline: OnceLock::new() }
    }

    fn stretch(&self, number: usize) -> Box<[Arc<Scrape>]> {
        let first = number * STRETCH;
        let mut world = self.settled.clone();
        world.adapt(self.time(first).back(SCRAPE), ADAPTS);
        (first..self.rows.min(first + STRETCH)).map(|index| world.sample_at(self.time(index), SCRAPE)).collect()
    }

    /// When a row was scraped.
    fn time(&self, index: usize) -> Time {
        self.begin + Span((index as u64 + 1) * SCRAPE.0)
    }
}

impl HealthyPast for Past {
    fn len(&self) -> usize {
        self.rows
    }

    fn end(&self) -> Option<Time> {
        self.rows.checked_sub(1).map(|last| self.time(last))
    }

    fn row(&self, index: usize) -> Row<'_> {
        assert!(index < self.rows, "the past has {} rows", self.rows);
        let empty = || (0..self.rows.div_ceil(STRETCH)).map(|_| OnceLock::new()).collect();
        let stretch = &self.stretches.get_or_init(empty)[index / STRETCH];
        stretch.get_or_init(|| self.stretch(index / STRETCH))[index % STRETCH].row()
    }

    fn between(&self, from: Time, to: Time) -> Range<usize> {
        let until = |time: Time| (time.since(self.begin).0 / SCRAPE.0).min(self.rows as u64) as usize;
        until(from)..until(to)
    }

    fn usual(&self, service: usize) -> &[Band] {
        let plan = self.settled.plan();
        let baseline = self.baseline.get_or_init(|| {
            let mut world = self.settled.clone();
            let end = self.settled.now();
            let rows = (0..SAMPLES).rev().map(|n| world.sample_at(end.back(Span(n * APART.0)), ADAPTS));
            Baseline::new(rows.collect(), plan.services.len())
        });
        baseline.of(service, &plan.services[service])
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn bytes(&self) -> usize {
        let stretches = self.stretches.get().into_iter().flatten().filter_map(OnceLock::get);
        stretches.flatten().map(|scrape| scrape.bytes()).sum::<usize>() + self.baseline.get().map_or(0, Baseline::bytes)
    }
}
