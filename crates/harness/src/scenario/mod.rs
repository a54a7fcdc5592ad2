//! A task under one seed, up to the page and beyond: what all episodes on it share.

mod briefing;
mod cache;
mod change_history;
pub(crate) mod timeline;
mod twins;
pub(crate) mod verdict;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use faces::{Reply, ToolSet};
use world::faults::Act;
use world::rng::Stream;
use world::{Blueprint, Build, Change, Filed, Mutation, Noise, Page, SCRAPE, Seed, Span, TICK, Time, World};

use crate::brief::{AnswerKey, Brief};
use crate::record::grade::{Scorer, right_answers};
use crate::record::sha256;
use crate::record::{TaskCard, UserImpact};
use crate::task::answer::{self, Entry};
use crate::task::{EarlierResponse, PlannedFault, Task, TaskDraft, acts};

pub use cache::ScenarioCache;
use change_history::Peace;
pub(crate) use change_history::round;
use timeline::Timeline;
pub(crate) use twins::harm;
use twins::{HealthyTwin, untouched};

/// What an action costs at most, usually. Courses are made as long as that; one that turns out too short is
/// followed for longer.
pub(crate) const USUAL_COST: Span = Span::secs(60);
/// Incidents begin at whole multiples of this.
const ONSET_GRID: Span = Span::secs(15);
/// How long the world runs on after the episode before it is judged.
pub const WINDOW: Span = Span::mins(10);
/// How long after their last act those who were there before hand over: half of this to so many times as long.
const HANDOVER: Span = Span::mins(1);
pub(crate) const LATEST_HANDOVER: u64 = 7;
/// How much sooner or later than written they acted, ...
const WHEN: (f64, f64) = (0.8, 1.7);
/// ... but so long after they were paged at least: half of this to so many times as long.
const REACTION: Span = Span::mins(1);
const SLOWEST: u64 = 4;
/// The first tick in which it is tried out roughly whether faults page.
const TRIED_IN: Span = Span::secs(30);

/// A prepared incident.
pub struct Scenario {
    task: Arc<Task>,
    card: Arc<TaskCard>,
    /// What scores an episode, before its first step.
    scorer: Scorer,
    seed: u64,
    /// Which draw of the situation it is.
    number: u32,
    noise: Noise,
    incident: String,
    onset: Time,
    page: Page,
    /// When the agent takes over.
    begin: Time,
    /// What each of the task's faults did.
    acts: Vec<Vec<Act>>,
    /// Settings that have to do with what it did or with what ends it.
    related: BTreeSet<(usize, usize)>,
    /// The healthy twin at the onset, for those who look at it.
    healthy: OnceLock<World>,
    felt_before: UserImpact,
    /// What happens from the page on without any action.
    untouched: Arc<Timeline>,
    /// What users felt in it up to the end of the window of the longest episode.
    untouched_felt: OnceLock<UserImpact>,
    twin: HealthyTwin,
    /// What an agent is told, by its set of tools.
    briefs: Mutex<Vec<Arc<Brief>>>,
}

impl Scenario {
    /// The incident that was staged for a task; only what breaks must be the same in both.
    pub(crate) fn of(task: &Arc<Task>, seed: u64, number: u32, staged: Staged) -> Scenario {
        let Staged { noise, onset, page, felt_before, faulty, acts } = staged;
        let begin = faulty.now();
        assert!(onset <= page.time && page.time <= begin, "what breaks pages, and then an agent takes over");
        let is_fixed = verdict::is_fixed(task, &acts, &faulty);
        let untouched = Timeline::new(faulty, last_end(task, begin), Reply::default(), is_fixed);
        let card = Arc::new(task.card());
        Scenario {
            scorer: Scorer::sharing(&card),
            card,
            incident: incident(seed),
            related: related(task, &acts),
            acts,
            felt_before,
            untouched: Arc::new(untouched),
            untouched_felt: OnceLock::new(),
            twin: HealthyTwin::default(),
            briefs: Mutex::default(),
            task: task.clone(),
            seed,
            number,
            noise,
            onset,
            page,
            begin,
            healthy: OnceLock::new(),
        }
    }

    /// The task.
    pub fn task(&self) -> &Arc<Task> {
        &self.task
    }

    /// What grading needs of the task.
    pub fn card(&self) -> &Arc<TaskCard> {
        &self.card
    }

    /// What scores an episode of it.
    pub(crate) fn scorer(&self) -> Scorer {
        self.scorer.clone()
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Which draw of the situation it is.
    pub fn number(&self) -> u32 {
        self.number
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

    /// When the agent takes over: at the page, or after those who were there before.
    pub fn begin(&self) -> Time {
        self.begin
    }

    /// The world when the agent takes over. Truth: for certificates and charts, never for agents.
    pub fn at_page(&self) -> &World {
        self.untouched.at(self.begin)
    }

    /// What only agents that play the answer may see.
    pub fn answer_key(&self) -> AnswerKey {
        AnswerKey { solution: self.solution(), distractors: self.task.distractors.clone() }
    }

    /// The task's solution with the numbers that changes have under this seed.
    pub fn solution(&self) -> Vec<String> {
        let number = |entry: Entry<'_>| {
            let service = entry.service(&self.task.plan)?;
            let own =
                |c: &Change| self.task.responders.iter().any(|r| r.service == c.service && *r.summary == *c.summary);
            let meant = |c: &&Arc<Change>| {
                c.service == service && !c.innocent && own(c) == matches!(entry, Entry::Responder(_))
            };
            let found = self.at_page().changes().iter().rev().find(meant);
            // A number that no change has is refused by the tool, which says so.
            Ok(found.map_or(0, |c| c.id))
        };
        let now = |service: &str, key: &str, number: Option<i64>| {
            number.map(|n| n.to_string()).or_else(|| Some(self.at_page().setting(service, key)?.to_string()))
        };
        let filled = |text: &String| {
            let text = answer::settings(text, now);
            answer::fill(&text, number).unwrap_or(text)
        };
        self.task.solution.iter().map(filled).map(|call| self.with_causes(call)).collect()
    }

    /// A resolution that says the causes exactly as well.
    fn with_causes(&self, call: String) -> String {
        match call.strip_prefix("resolve_incident(").and_then(|rest| rest.trim_end().strip_suffix(')')) {
            Some(inside) if !inside.contains("causes=") => {
                let causes = record::causes_text(&right_answers(&self.card));
                format!("resolve_incident({}, causes=\"{causes}\")", inside.trim_end())
            }
            _ => call,
        }
    }

    /// The healthy twin at the onset. Truth, as well.
    pub fn healthy(&self) -> &World {
        self.healthy.get_or_init(|| self.before_it_broke())
    }

    /// The same for one who lets time pass in it. Most incidents are never compared with it, so it is made again.
    pub(crate) fn before_it_broke(&self) -> World {
        let mut healthy = self.at_page().as_it_was();
        assert_eq!(healthy.now(), self.onset, "it broke at once");
        healthy.share_harmless(self.at_page());
        healthy
    }

    /// What an agent is told at the start.
    pub fn brief(&self, tools: ToolSet) -> Arc<Brief> {
        let tools = tools.or_needed(self.task.tools);
        // A panic elsewhere leaves the list as it is: at worst a brief is written again.
        let mut briefs = self.briefs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = briefs.iter().find(|brief| brief.toolset == tools) {
            return known.clone();
        }
        let brief = Arc::new(briefing::write(self, tools));
        briefs.push(brief.clone());
        brief
    }

    /// The same incident, without the knowledge of what the faults did.
    #[cfg(test)]
    pub(crate) fn without_acts(self) -> Scenario {
        Scenario { acts: vec![Vec::new(); self.acts.len()], ..self }
    }

    /// What each of the task's faults did.
    pub(crate) fn acts(&self) -> &[Vec<Act>] {
        &self.acts
    }

    /// Settings that have to do with what its faults did or with what ends them.
    pub(crate) fn related(&self) -> &BTreeSet<(usize, usize)> {
        &self.related
    }

    pub(crate) fn felt_before(&self) -> UserImpact {
        self.felt_before
    }

    pub(crate) fn untouched(&self) -> &Arc<Timeline> {
        &self.untouched
    }

    /// What users felt until the end of the verification window of an episode that ended then, had no action been taken and had
    /// nothing broken.
    pub(crate) fn twins_felt(&self, end: Time) -> (UserImpact, UserImpact) {
        let untouched = match end {
            usual if usual == self.last_end() => *self.untouched_felt.get_or_init(|| untouched(self, usual)),
            late => untouched(self, late),
        };
        (untouched, self.twin.felt(self, end + WINDOW))
    }

    /// The latest time at which an episode is counted to end: harm is felt up to the end of its window, no matter when.
    pub(crate) fn last_end(&self) -> Time {
        last_end(&self.task, self.begin)
    }

    /// Lets time pass for a world of this incident when no agent is there to see it.
    fn pass_unwatched(&self, world: &mut World, end: Time) {
        if is_delicate(&self.task, self.noise) { world.run_until(end) } else { world.run_unwatched(end) }
    }

    /// Services in the order in which they began to differ from the healthy twin, the cause first.
    pub(crate) fn chain(&self) -> Vec<String> {
        self.twin.chain(self)
    }
}

/// Does what earlier responders did after the page, in ticks of some length; gives the time from which the agent can take over, which
/// is at most so many times [`HANDOVER`] later.
fn respond(world: &mut World, task: &TaskDraft, (onset, tick, latest): (Time, Span, u64), draws: Stream) -> Time {
    let paged = world.now();
    let sooner = Span(REACTION.0 * (1 + draws.at(2).below(2 * SLOWEST)) / 2 / SCRAPE.0 * SCRAPE.0);
    let mut last = paged;
    for (n, responder) in task.responders.iter().enumerate() {
        let draws = draws.within(n as u64);
        let after = Span((responder.after.0 as f64 * draws.at(0).between(WHEN.0, WHEN.1)) as u64 / SCRAPE.0 * SCRAPE.0);
        // One thing at a time, and written down at any second before it was seen to.
        last = (onset + after).max(last + if n == 0 { sooner } else { SCRAPE });
        let at = last.back(Span(draws.at(2).below(SCRAPE.0)));
        world.run_in_ticks(last, tick);
        let EarlierResponse { service, summary, .. } = responder;
        let author = task.plan.team(change_history::responder(draws.within(1)));
        match &responder.set {
            Some((key, value)) => {
                let mutation =
                    Mutation::Config { service: *service, key: *key, value: value.clone(), since: world.now() };
                let filed = Filed { author: author.into(), service: *service, summary: summary.as_str().into(), at };
                world.change_filed(&filed, &mutation);
            }
            None => {
                world.operator().restart(*service);
            }
        }
    }
    match task.responders.is_empty() {
        true => paged,
        false => last + Span(HANDOVER.0 * (1 + draws.at(1).below(2 * latest)) / 2),
    }
}

fn last_end(task: &TaskDraft, begin: Time) -> Time {
    begin + Span(u64::from(task.steps) * USUAL_COST.0)
}

/// An incident up to the moment at which an agent takes over.
pub(crate) struct Staged {
    pub noise: Noise,
    pub onset: Time,
    pub page: Page,
    pub felt_before: UserImpact,
    pub faulty: World,
    pub acts: Vec<Vec<Act>>,
}

impl Staged {
    /// Breaks a healthy world at its present time and runs it until the page. `own` picks what else happened.
    pub fn new(task: &TaskDraft, own: Seed, healthy: World, patience: Span) -> Result<Staged, String> {
        Staged::begin(task, own, healthy, patience, (TICK, LATEST_HANDOVER))
    }

    /// The same for one of many draws, of which the way to the page was never seen: time passes in ticks of a scrape, but where
    /// telemetry is imperfect, where something keeps itself alive from tick to tick, and behind many tiers, which tip over.
    pub fn drawn(task: &TaskDraft, own: Seed, healthy: World, patience: Span, handover: u64) -> Result<Staged, String> {
        let tick = drawn_tick(task, healthy.noise());
        Staged::begin(task, own, healthy, patience, (tick, handover))
    }

    fn begin(
        task: &TaskDraft,
        own: Seed,
        healthy: World,
        patience: Span,
        (tick, handover): (Span, u64),
    ) -> Result<Staged, String> {
        let (onset, felt_before, noise) = (healthy.now(), harm(&healthy), healthy.noise());
        let draws = own.stream("changes");
        if let Some(page) = healthy.page() {
            return Err(format!("it pages before anything broke: {}", healthy.view().page_text(page)));
        }
        let mut acts = task.acts(own.derive("fault"));
        let written = if task.needs_changes() { 1.0 } else { change_history::mentioned(&task.plan, draws.within(1)) };
        change_history::file(&task.plan, &mut acts, draws, onset, written);
        let mut faulty = healthy;
        acts.iter().for_each(|own| faulty.plant(own, onset));
        let silent = || format!("no alert pages within {patience} of the onset; make the fault worse");
        let page = faulty.run_to_page_in_ticks(onset + patience, tick).ok_or_else(silent)?;
        let busy = respond(&mut faulty, task, (onset, tick, handover), draws.within(3));
        faulty.run_in_ticks(busy, tick);
        for (n, decoy) in task.decoys.iter().enumerate() {
            let filed = decoy.filed(onset, draws.within(2).at(n as u64));
            let build = Build { older: true, ..Build::CLEAN };
            let undo = Mutation::Build { service: decoy.service, build, since: Time(0) };
            faulty.note_harmless(&filed, undo);
        }
        let spoilt = acts.iter().flatten().flat_map(|act| act.mutation.settings());
        let spoilt: BTreeSet<(usize, usize)> = task.spoilt().into_iter().chain(spoilt).collect();
        let tried = (!task.responders.is_empty()).then_some((page.time, busy));
        let resized = acts.iter().flatten().filter_map(|act| act.mutation.resizes()).collect();
        let (plan, conditions) = (faulty.plan().clone(), task.conditions.clone());
        let peace = Peace { plan, draws, onset, tried, spoilt, resized, conditions };
        faulty.remember_harmless(move || peace.changes());
        Ok(Staged { noise, onset, page, felt_before, faulty, acts })
    }
}

/// A healthy world at the moment before something breaks.
pub(crate) fn healthy_day(plan: &Arc<Blueprint>, seed: Seed, noise: Noise) -> World {
    settled_day(plan, seed, noise).with_past()
}

/// The same world shortly before, without a past.
pub(crate) fn settled_day(plan: &Arc<Blueprint>, seed: Seed, noise: Noise) -> World {
    World::settled(plan, seed, noise, quiet(seed))
}

/// For how long a world is healthy after its past, before something breaks.
fn quiet(seed: Seed) -> Span {
    Span(ONSET_GRID.0 * (8 + seed.stream("onset").at(0).below(17)))
}

/// Whether long ticks would not tell: passing disturbances and some faults come and go, and loops keep themselves alive from tick to
/// tick.
pub(crate) fn is_delicate(task: &TaskDraft, noise: Noise) -> bool {
    noise != Noise(0) || task.is_loop() || task.is_fitful()
}

/// The ticks in which one of many draws is staged and looked at. What is delicate passes in those of play: in longer ones a loop
/// dies that lasts in play. So does what is behind many tiers, which tip over in longer ones.
pub(crate) fn drawn_tick(task: &TaskDraft, noise: Noise) -> Span {
    if task.plan.is_deep() || is_delicate(task, noise) { TICK } else { SCRAPE }
}

/// What faults will probably make of a world that has settled when they page, if they do: tried out roughly and in long ticks. What
/// others did about it is left out, so nothing can be told of tasks with earlier responders.
pub(crate) fn tried(faults: &[PlannedFault], settled: &World, own: Seed, patience: Span) -> Option<World> {
    let (mut world, onset) = (settled.clone(), settled.now());
    for acts in acts(faults, settled.plan(), own.derive("fault")) {
        world.plant(&acts, onset);
    }
    world.tried(onset + patience, TRIED_IN)
}

/// Settings that have to do with what a task's faults did or with what ends them.
fn related(task: &TaskDraft, acts: &[Vec<Act>]) -> BTreeSet<(usize, usize)> {
    let spoilt = acts.iter().flatten().flat_map(|a| a.mutation.settings());
    task.related().into_iter().chain(spoilt).collect()
}

/// `INC-7F3A21`: the same for all tasks under one seed, so it tells nothing of them.
fn incident(seed: u64) -> String {
    let hash = sha256(format!("incident/{seed}").as_bytes());
    format!("INC-{}", hash[..6].to_ascii_uppercase())
}
