//! The shapes of worlds that one generator draws from, and what is held back for testing.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use world::faults::{self, Cure, Fault, FaultArgs};
use world::{Blueprint, Noise, Seed, Span, Spec, World};

use super::capacity;
use super::dice::GeneratorDice;
use super::domains::{self, Domain};
use super::options::GeneratorOptions;
use super::topology::{self, Topology, USUALLY_MOST};
use super::words::Sayings;
use crate::difficulty::watched;
use crate::memory::Example;
use crate::scenario::healthy_day;
use crate::task::held_out::family_is_held_out;
use crate::task::{BlankWorld, Split};

/// How many shapes a generator has.
pub(super) const SHAPES: usize = 128;
/// How often another outline is tried before one is used twice.
const TRIES: u64 = 24;
/// So many candidates of a number share a shape of a large world.
const CANDIDATES: u64 = 20;
/// How many healthy days are kept of each shape.
pub(super) const DAYS: u64 = 8;
/// Half of all faults end with a restart. If half of all incidents did, restarting would be a policy: they are drawn
/// so many times where the others are drawn so many.
const RESTARTS: u64 = 18;
const OTHERS: u64 = 100;
/// A shape must be well for so long, under each of these seeds.
const LONG: Span = Span::mins(75);
const SEEDS: [u64; 2] = [0, 1];
/// Large worlds are relieved so often, ...
const RELIEVED: usize = 12;
/// ... the first few times by more workers and then by fewer users, ...
const STAFFED: usize = 4;
const FEWER: f64 = 0.6;
/// ... until no more than this share of what may go wrong does, ...
const ROOM: f64 = 0.7;
/// ... as seen in ticks of this length.
const GLANCE: Span = Span::mins(1);
/// A world of few tiers is clearly well if no more than this share of what may go wrong does in such ticks.
const CLEARLY: f64 = 0.5;

/// A world that incidents happen in.
pub(super) struct WorldShape {
    pub spec: Arc<Spec>,
    pub outline: String,
    /// The name of its domain.
    pub domain: &'static str,
    pub plan: Arc<Blueprint>,
    /// Faults that fit, with their sites and how likely each is drawn.
    pub fits: Vec<Fit>,
    /// Those that its generator draws for each split.
    drawn: [OnceLock<Vec<Fit>>; Split::ALL.len()],
    /// The split that it is for.
    pub split: Split,
    days: Vec<OnceLock<World>>,
    past: OnceLock<Vec<Example>>,
    blank: OnceLock<BlankWorld>,
}

/// Where a fault fits.
pub(super) struct Fit {
    pub fault: &'static dyn Fault,
    pub sites: Vec<FaultArgs>,
    /// Faults with many faces are drawn more often.
    pub weight: u64,
}

impl WorldShape {
    /// A healthy world before an onset; the same day is simulated once.
    pub fn day(&self, day: u64) -> &World {
        self.days[day as usize].get_or_init(|| healthy_day(&self.plan, Seed(day), Noise(0)))
    }

    /// What solutions in its worlds are checked against.
    pub fn blank(&self) -> &BlankWorld {
        self.blank.get_or_init(|| BlankWorld::new(&self.plan))
    }

    /// The faults that its generator draws for a split, found once.
    pub fn drawn(&self, split: Split, find: impl FnOnce() -> Vec<Fit>) -> &[Fit] {
        self.drawn[split as usize].get_or_init(find)
    }

    /// Other incidents of the shape, lived through once.
    pub fn past(&self, live: impl FnOnce() -> Vec<Example>) -> &[Example] {
        self.past.get_or_init(live)
    }
}

/// A shape that may be drawn: `None` once it turned out not to be well.
struct Place {
    drawn: Drawn,
    split: Split,
    shape: OnceLock<Option<Arc<WorldShape>>>,
}

/// Everything that decides about a topology, which is built where it is needed: a large one is large.
struct Drawn {
    seed: Seed,
    number: u64,
    domain: &'static Domain,
    /// The fewest and the most services.
    services: (usize, usize),
    outline: String,
}

impl Drawn {
    fn new(seed: Seed, number: u64, domain: &'static Domain, services: (usize, usize)) -> Drawn {
        let mut drawn = Drawn { seed, number, domain, services, outline: String::new() };
        let (mut dice, services) = drawn.dice();
        drawn.outline = topology::outline(&mut dice, domain, services);
        drawn
    }

    /// The dice that it is built with, and how many services it has.
    fn dice(&self) -> (GeneratorDice, usize) {
        let (fewest, most) = self.services;
        let mut dice = GeneratorDice::new(self.seed, "shape", self.number);
        // Small worlds are drawn more often than large ones.
        let far = dice.roll().unit();
        let services = fewest + ((most - fewest + 1) as f64 * far * far) as usize;
        (dice, services.min(most))
    }

    fn build(&self) -> Topology {
        let (mut dice, services) = self.dice();
        topology::build(&mut dice, self.domain, services)
    }
}

/// All shapes of a generator. Each is compiled when it is first drawn.
pub(super) struct ShapePool {
    shapes: Vec<Place>,
    families: Vec<String>,
    /// What its causes are called.
    pub sayings: Sayings,
    /// Whether every shape is larger than usual.
    is_large: bool,
}

impl ShapePool {
    pub fn new(seed: Seed, options: &GeneratorOptions) -> ShapePool {
        let mut outlines: Vec<String> = Vec::new();
        let mut shapes = Vec::new();
        for number in 0..SHAPES as u64 {
            let drawn = fresh(seed, number, domain_of(seed, number), options.services, &outlines);
            if !outlines.contains(&drawn.outline) {
                outlines.push(drawn.outline.clone());
            }
            shapes.push(drawn);
        }
        let split = |outline: &String| split_of(outlines.iter().position(|o| o == outline).unwrap_or_default());
        let place = |drawn: Drawn| Place { split: split(&drawn.outline), drawn, shape: OnceLock::new() };
        let shapes = shapes.into_iter().map(place).collect();
        let (families, is_large) = (options.families.clone(), options.services.0 > USUALLY_MOST);
        ShapePool { shapes, families, sayings: Sayings::default(), is_large }
    }

    /// Whether every shape is larger than usual, so that each part of a trial takes a while.
    pub fn is_large(&self) -> bool {
        self.is_large
    }

    /// The families that tasks of a split are drawn from. Those for testing have causes that the others never have.
    pub fn families(&self, split: Split) -> Vec<String> {
        let has_cause = |family: &&String| split != Split::Test || family_is_held_out(family);
        let own: Vec<String> = self.families.iter().filter(has_cause).cloned().collect();
        if own.is_empty() { self.families.clone() } else { own }
    }

    /// Outlines by split.
    pub fn outlines(&self, split: Split) -> BTreeSet<&str> {
        self.shapes.iter().filter(|s| s.split == split).map(|s| s.drawn.outline.as_str()).collect()
    }

    /// A shape for the candidates of a number, which share it for a while: to make a large world well and to remember what else
    /// happened in it takes longer than to try a candidate. `None` where that is not so.
    pub fn shared(&self, seed: Seed, place: u64, split: Split, domain: &str) -> Option<Arc<WorldShape>> {
        if !self.is_large {
            return None;
        }
        let mut dice = GeneratorDice::new(seed, "large shape", place / CANDIDATES);
        let of_split = || self.shapes.iter().filter(|place| place.split == split);
        let own: Vec<&Place> = of_split().filter(|place| place.drawn.domain.name == *domain).collect();
        let all: Vec<&Place> = of_split().collect();
        dice.pick(if own.is_empty() { &all } else { &own }).shape()
    }

    /// A shape for a split, of a domain if it has one that is healthy; `None` if the one that was drawn is not.
    pub fn draw(&self, dice: &mut GeneratorDice, split: Split, domain: &str) -> Option<Arc<WorldShape>> {
        let of_split = || self.shapes.iter().filter(|place| place.split == split);
        let own: Vec<&Place> = of_split().filter(|place| place.drawn.domain.name == *domain).collect();
        if own.iter().any(|place| place.is_well()) {
            return dice.pick(&own).shape();
        }
        let (of_split, all): (Vec<&Place>, Vec<&Place>) = (of_split().collect(), self.shapes.iter().collect());
        dice.pick(if of_split.is_empty() { &all } else { &of_split }).shape()
    }
}

#[cfg(test)]
impl ShapePool {
    /// The shapes that are not well, with what is wrong with them.
    pub fn unwell(&self) -> Vec<String> {
        let wrong = |place: &Place| {
            if place.shape().is_some() {
                return None;
            }
            let mut spec = place.drawn.build().spec;
            capacity::tune(&mut spec);
            let plan = Arc::new(Blueprint::compile(&spec).expect("generated worlds are worlds"));
            let mut world = World::healthy(&plan, Seed(SEEDS[0]), Noise(0));
            world.run_until(world.now() + LONG);
            let page = world.page().map(|page| plan.alerts[page.alert].name());
            let slow: Vec<String> =
                world.objectives(Span::mins(30)).iter().filter(|o| !o.holds()).map(|o| format!("{o:?}")).collect();
            Some(format!("{} {}: {page:?} {slow:?}", place.drawn.domain.name, place.drawn.outline))
        };
        self.shapes.iter().filter_map(wrong).collect()
    }
}

impl Place {
    fn shape(&self) -> Option<Arc<WorldShape>> {
        self.compiled().clone()
    }

    fn is_well(&self) -> bool {
        self.compiled().is_some()
    }

    fn compiled(&self) -> &Option<Arc<WorldShape>> {
        self.shape.get_or_init(|| compile(self.drawn.build(), self.split))
    }
}

/// The domain of the shape of a number: each as often as any other, in each split too.
fn domain_of(seed: Seed, number: u64) -> &'static Domain {
    let all = domains::ALL.len() as u64;
    let first = seed.stream("domains").at(0).below(all);
    &domains::ALL[((first + number + number / all) % all) as usize]
}

/// A topology whose outline is new, if that can be had.
fn fresh(seed: Seed, number: u64, domain: &'static Domain, services: (usize, usize), known: &[String]) -> Drawn {
    let mut all = (0..TRIES).map(|attempt| Drawn::new(seed, number * TRIES + attempt, domain, services));
    let last = all.next().expect("there is a first attempt");
    if !known.contains(&last.outline) {
        return last;
    }
    all.find(|drawn| !known.contains(&drawn.outline)).unwrap_or(last)
}

/// Every fourth outline is for testing alone, every eighth for choosing.
fn split_of(number: usize) -> Split {
    match number % 8 {
        3 | 7 => Split::Test,
        5 => Split::Dev,
        _ => Split::Train,
    }
}

/// Compiles a topology; `None` if its world is not well.
fn compile(topology: Topology, split: Split) -> Option<Arc<WorldShape>> {
    let Topology { mut spec, outline, domain } = topology;
    capacity::tune(&mut spec);
    if spec.services.len() > USUALLY_MOST {
        relieve(&mut spec);
    }
    let plan = Arc::new(Blueprint::compile(&spec).expect("generated worlds are worlds"));
    if !SEEDS.iter().all(|seed| is_well(&plan, *seed)) {
        return None;
    }
    let fit = |fault: &&'static dyn Fault| {
        let can_end = |site: &FaultArgs| !fault.cures(site, &plan).is_empty();
        let sites: Vec<FaultArgs> = fault.sites(&plan).into_iter().filter(can_end).collect();
        let faces: BTreeSet<&str> = sites.iter().map(|site| fault.concept(site)).collect();
        let is_restart = |site: &FaultArgs| matches!(fault.cures(site, &plan).first(), Some(Cure::Restart { .. }));
        let often = if sites.first().is_some_and(is_restart) { RESTARTS } else { OTHERS };
        let weight = often * (faces.len() as u64).clamp(1, 4);
        (!sites.is_empty()).then_some(Fit { fault: *fault, sites, weight })
    };
    Some(Arc::new(WorldShape {
        fits: faults::ALL.iter().filter_map(fit).collect(),
        drawn: Default::default(),
        spec: Arc::new(spec),
        outline,
        domain,
        split,
        past: OnceLock::new(),
        blank: OnceLock::new(),
        days: (0..DAYS).map(|_| OnceLock::new()).collect(),
        plan,
    }))
}

/// Gives more workers to servers that users wait for while nothing breaks, and fewer users to routes that more workers do not
/// help: their stores are as large as they can be. Of a thousand services a few are always short of room, and a world is well
/// only if all are.
fn relieve(spec: &mut Spec) {
    for round in 0..RELIEVED {
        let plan = Arc::new(Blueprint::compile(spec).expect("generated worlds are worlds"));
        let missed: BTreeSet<usize> = SEEDS.iter().flat_map(|seed| missed(&plan, *seed)).collect();
        if missed.is_empty() {
            return;
        }
        if round < STAFFED {
            let answer = plan.calls.iter().filter(|call| missed.contains(&call.route)).map(|call| call.service);
            capacity::enlarge(spec, &answer.collect());
        } else {
            let names: BTreeSet<&str> = fed(&plan, missed).iter().map(|route| &*plan.routes[*route].name).collect();
            let routes = spec.apps.iter_mut().flat_map(|app| &mut app.routes);
            routes.filter(|route| names.contains(route.name.as_str())).for_each(|route| route.rps *= FEWER);
        }
    }
}

/// Routes with those that send what starts them, where messages and not users do.
fn fed(plan: &Blueprint, routes: BTreeSet<usize>) -> BTreeSet<usize> {
    let started = routes.iter().map(|route| &plan.routes[*route]).filter(|route| route.asynchronous);
    let queues: BTreeSet<usize> = started.map(|route| plan.calls[route.entry].service).collect();
    let send = plan.calls.iter().filter(|call| queues.contains(&call.service)).map(|call| call.route);
    routes.iter().copied().chain(send).collect()
}

/// Routes whose objectives do not hold with room to spare on a healthy day, and those that pass what pages first.
fn missed(plan: &Arc<Blueprint>, seed: u64) -> Vec<usize> {
    let mut world = World::healthy(plan, Seed(seed), Noise(0)).sketch();
    world.run_in_ticks(world.now() + LONG, GLANCE);
    let paged = world.page().map(|page| watched(plan, page.alert));
    let pass = plan.calls.iter().filter(|call| Some(call.service) == paged).map(|call| call.route);
    let late = (0..).zip(world.objectives(LONG)).filter(|(_, o)| !o.holds_within(ROOM)).map(|(route, _)| route);
    late.chain(pass).collect()
}

/// Whether no alert pages and every objective holds while nothing breaks. Where a glance shows room to spare, it is so.
fn is_well(plan: &Arc<Blueprint>, seed: u64) -> bool {
    let mut world = World::healthy(plan, Seed(seed), Noise(0)).sketch();
    if !plan.is_deep() {
        let mut glance = world.clone();
        glance.run_in_ticks(glance.now() + LONG, GLANCE);
        if glance.page().is_none() && glance.objectives(LONG).iter().all(|o| o.holds_within(CLEARLY)) {
            return true;
        }
    }
    world.run_until_page(world.now() + LONG).is_none() && world.objectives(Span::mins(30)).iter().all(|o| o.holds())
}
