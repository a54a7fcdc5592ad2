//! A task under one seed, up to the page and beyond: what all episodes on it share.

use std::sync::{Arc, OnceLock};

use faces::{Reply, ToolSet};
use world::faults::Act;
use world::{Mutation, Noise, Page, Seed, Span, Time, Value, World};

use crate::agent::Brief;
use crate::brief;
use crate::bustle;
use crate::digest::sha256;
use crate::error::Error;
use crate::record::{Harm, TaskCard};
use crate::task::Task;
use crate::timeline::{QUANTUM, Timeline, quanta};
use crate::twins::{Twins, harm};

/// The most that one action costs.
pub(crate) const DEAREST: Span = Span::secs(60);
/// How long the world runs on after the episode before it is judged.
pub const WINDOW: Span = Span::mins(10);
/// A fault that pages nobody for so long is no incident.
const PATIENCE: Span = Span::hours(3);

/// A prepared incident.
pub struct Scenario {
    task: Arc<Task>,
    card: Arc<TaskCard>,
    seed: u64,
    noise: Noise,
    incident: String,
    onset: Time,
    page: Page,
    /// Settings that the fault spoils, with the spoilt value.
    spoilt: Vec<(usize, usize, Value)>,
    /// The healthy twin at the onset.
    healthy: World,
    felt_before: Harm,
    /// What happens from the page on if nobody acts.
    untouched: Arc<Timeline>,
    twins: OnceLock<Twins>,
    briefs: [OnceLock<Arc<Brief>>; 2],
}

impl Scenario {
    /// Builds a healthy world, plants the task's fault at a time that the seed picks, and runs until
    /// somebody is paged.
    pub fn prepare(task: &Arc<Task>, seed: u64, noise: Noise) -> Result<Scenario, Error> {
        let wrong = |problem| Error::Scenario { task: task.id.clone(), seed, problem };
        Scenario::try_prepare(task, seed, noise).map_err(wrong)
    }

    pub(crate) fn try_prepare(task: &Arc<Task>, seed: u64, noise: Noise) -> Result<Scenario, String> {
        let (healthy, acts) = eve(task, seed, noise);
        let onset = healthy.now();
        if let Some(page) = healthy.page() {
            return Err(format!("it pages before anything broke: {}", healthy.view().page_text(page)));
        }
        let mut faulty = healthy.clone();
        faulty.plant(&acts, onset);
        let page = faulty.run_until_page(onset + PATIENCE);
        let page =
            page.ok_or_else(|| format!("nobody is paged within {PATIENCE} of the onset; make the fault worse"))?;
        let is_fixed = task.conditions.iter().all(|c| c.holds(&faulty));
        let untouched = Timeline::new(faulty, last_end(task, page), Reply::default(), is_fixed);
        Ok(Scenario {
            card: Arc::new(task.card()),
            incident: incident(&task.digest, seed),
            spoilt: acts.iter().flat_map(|act| spoils(&act.mutation)).collect(),
            felt_before: harm(&healthy),
            untouched: Arc::new(untouched),
            twins: OnceLock::new(),
            briefs: Default::default(),
            task: task.clone(),
            seed,
            noise,
            onset,
            page,
            healthy,
        })
    }

    /// The task.
    pub fn task(&self) -> &Arc<Task> {
        &self.task
    }

    /// What grading needs of the task.
    pub fn card(&self) -> &Arc<TaskCard> {
        &self.card
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The noise dial.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// The opaque id that agents see.
    pub fn incident(&self) -> &str {
        &self.incident
    }

    /// When it began.
    pub fn onset(&self) -> Time {
        self.onset
    }

    /// The page.
    pub fn page(&self) -> Page {
        self.page
    }

    /// The world at the page. Truth: for certificates and charts, never for agents.
    pub fn at_page(&self) -> &World {
        self.untouched.at(self.page.time)
    }

    /// The healthy twin at the onset. Truth, as well.
    pub fn healthy(&self) -> &World {
        &self.healthy
    }

    /// What an agent is told at the start.
    pub fn brief(&self, tools: ToolSet) -> &Arc<Brief> {
        self.briefs[tools as usize].get_or_init(|| Arc::new(brief::write(self, tools)))
    }

    pub(crate) fn spoilt(&self) -> &[(usize, usize, Value)] {
        &self.spoilt
    }

    pub(crate) fn felt_before(&self) -> Harm {
        self.felt_before
    }

    pub(crate) fn untouched(&self) -> &Arc<Timeline> {
        &self.untouched
    }

    /// The latest time at which an episode can end.
    pub(crate) fn last_end(&self) -> Time {
        last_end(&self.task, self.page)
    }

    /// What the untouched and the healthy twin felt.
    pub(crate) fn twins(&self) -> &Twins {
        self.twins.get_or_init(|| Twins::run(self))
    }

    /// What the twins felt from the onset until some time after the page.
    pub(crate) fn twins_felt(&self, until: Time) -> (Harm, Harm) {
        self.twins().felt(quanta(self.page.time, until))
    }
}

fn last_end(task: &Task, page: Page) -> Time {
    page.time + Span(u64::from(task.steps) * DEAREST.0)
}

/// The healthy world at the moment before the onset, and what will then break it.
fn eve(task: &Task, seed: u64, noise: Noise) -> (World, Vec<Act>) {
    let seed = Seed(seed);
    let mut world = World::healthy(&task.plan, seed, noise);
    let onset = world.now() + Span(QUANTUM.0 * (8 + seed.stream("onset").at(0).below(17)));
    world.run_until(onset);
    for decoy in &task.decoys {
        // An innocent change can be taken back as any other; it just brings nothing.
        let undo = Some(Mutation::All(Vec::new()));
        world.note_change(&decoy.author, decoy.service, &decoy.summary, undo, false, onset.back(decoy.before));
    }
    bustle::add(&mut world, seed, onset);
    (world, task.acts(seed.derive("fault")))
}

/// The settings that a mutation spoils, and with what.
fn spoils(mutation: &Mutation) -> Vec<(usize, usize, Value)> {
    match mutation {
        Mutation::Config { service, key, value, .. } => vec![(*service, *key, value.clone())],
        Mutation::Expiry { service, key, .. } => vec![(*service, *key, Value::Bool(false))],
        Mutation::All(all) => all.iter().flat_map(spoils).collect(),
        _ => Vec::new(),
    }
}

/// `INC-7F3A21`: the same for the same incident, and it tells nothing.
fn incident(task_digest: &str, seed: u64) -> String {
    let hash = sha256(format!("{task_digest}/{seed}").as_bytes());
    format!("INC-{}", hash[..6].to_ascii_uppercase())
}
