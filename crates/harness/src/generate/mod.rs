//! Incidents without end: a seeded generator of tasks.
//!
//! A task's number decides everything about it: the world's shape, the fault, its place and size, what
//! else happened, and what a solution looks like. What shows the cause is found by looking at the
//! broken world, never made up. Candidates that are no fair incident are thrown away and counted.

mod batch;
mod capacity;
mod dice;
mod domains;
mod draft;
mod looking;
mod manifest;
mod options;
mod pool;
mod routes;
#[cfg(test)]
mod tests;
mod text;
pub mod thousand;
mod topology;
mod words;

use std::sync::Arc;

use world::{Noise, Seed};

pub use batch::{Batch, BatchNews, Made};
pub use draft::Rejection;
pub use manifest::manifest;
pub use options::GeneratorOptions;
pub use text::file;

use crate::agent::AgentKind;
use crate::check;
use crate::difficulty::Figures;
use crate::record::sha256;
use crate::scenario::Scenario;
use crate::stop::Stop;
use crate::task::{Split, Task};
use dice::GeneratorDice;
use draft::Draft;
use pool::{ShapePool, WorldShape};

/// The version of what the generator makes: a change that moves its tasks raises it.
pub const GENERATOR_VERSION: u32 = 3;

/// So many candidates are tried for one task.
const ATTEMPTS: u32 = 200;
/// Seeds under which a task is certified and the responder by rules is tried.
const SEEDS: [u64; 3] = [0, 1, 2];

/// Makes tasks by number. The same seed and options give the same tasks.
pub struct Generator {
    seed: u64,
    options: GeneratorOptions,
    pool: ShapePool,
    /// What the digests of its tasks begin with.
    name: String,
}

/// Who tries a candidate before it is a task.
#[derive(Clone, Copy)]
pub struct TriedBy<'a> {
    /// A responder by rules: how it fares is a part of how hard a task is.
    pub responder: &'a dyn AgentKind,
    /// Agents that look at no symptom and remember: none of them may know a task again.
    pub blind: &'a [&'a dyn AgentKind],
}

/// A candidate being tried: who may end that, and who hears how far it is.
struct Trial<'a> {
    stop: &'a Stop,
    tell: &'a dyn Fn(&'static str),
}

impl Trial<'_> {
    /// The next part of a trial begins, unless it was asked to stop.
    fn begins(&self, what: &'static str) -> Result<(), Rejection> {
        (self.tell)(what);
        self.stop.goes_on()
    }
}

/// A task that has been certified, and what it took.
struct Certified {
    pub task: Arc<Task>,
    pub shape: Arc<WorldShape>,
    pub family: &'static str,
    pub attempt: u32,
}

/// Why a number has no task.
enum Uncertified {
    /// None of its candidates is a fair incident.
    Barren,
    /// It was asked to stop.
    Stopped,
}

impl Generator {
    /// A generator. Nothing is simulated yet.
    pub fn new(seed: u64, options: GeneratorOptions) -> Generator {
        let name = format!("generated {GENERATOR_VERSION}/{seed}/{}", options.text());
        Generator { pool: ShapePool::new(Seed(seed).derive("generator"), &options), seed, options, name }
    }

    /// Its seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// What it was asked for.
    pub fn options(&self) -> &GeneratorOptions {
        &self.options
    }

    /// The families that tasks of a split are drawn from, and how many shapes of worlds there are for it.
    pub fn drawn_from(&self, split: Split) -> (Vec<String>, usize) {
        (self.pool.families(split), self.pool.outlines(split).len())
    }

    /// The task of that number, for training: certified lightly, under one seed: it pages, it does not go
    /// away within some minutes, and its evidence is really shown.
    pub fn task(&self, number: u64) -> Result<Arc<Task>, String> {
        self.start(number).map(|scenario| scenario.task().clone())
    }

    /// The same, ready to be played.
    pub fn start(&self, number: u64) -> Result<Arc<Scenario>, String> {
        let found = (0..ATTEMPTS).find_map(|attempt| self.light(number, attempt).ok());
        found.ok_or_else(|| format!("number {number}: {}", self.barren()))
    }

    /// The task that an attempt at a number makes, if it makes one. Nothing is proved of it.
    pub fn rebuild(&self, number: u64, attempt: u32) -> Result<Arc<Task>, Rejection> {
        let draft = self.draft(number, attempt)?;
        let staged = draft.stage()?;
        let (task, figures) = draft.finish(&staged, &self.pool.sayings)?;
        Ok(Arc::new(task.measured(figures.difficulty(), None)))
    }

    fn light(&self, number: u64, attempt: u32) -> Result<Arc<Scenario>, Rejection> {
        let draft = self.draft(number, attempt)?;
        let draft_day = draft.day;
        // Why a candidate was thrown away is told to no one here, so what is known before anything breaks is asked first.
        draft.cause(&self.pool.sayings)?;
        let staged = draft.try_stage()?;
        let (task, figures) = draft.finish(&staged, &self.pool.sayings)?;
        let task = Arc::new(task.measured(figures.difficulty(), Some(figures)));
        Ok(Arc::new(Scenario::of(&task, draft_day, 0, staged)))
    }

    fn draft(&self, number: u64, attempt: u32) -> Result<Draft, Rejection> {
        let place = number * u64::from(ATTEMPTS) + u64::from(attempt);
        let dice = GeneratorDice::new(Seed(self.seed).derive("candidate"), "draft", place);
        let id = format!("gen_{}_{number:06}", self.seed);
        let (split, domain) = (split(number), domain(self.seed, number));
        let mut draft = match self.pool.shared(Seed(self.seed), place, split, domain) {
            Some(shape) => Draft::of(&shape, &self.pool, dice, id, split)?,
            None => Draft::draw(&self.pool, dice, id, (split, domain))?,
        };
        draft.task.digest = sha256(format!("{}/{number}/{attempt}", self.name).as_bytes());
        Ok(draft)
    }

    /// The first candidate of a number that earns all certificates. `rejected` hears of those before it.
    fn certified(
        &self,
        number: u64,
        by: TriedBy<'_>,
        trial: &Trial<'_>,
        rejected: impl Fn(Rejection),
    ) -> Result<Certified, Uncertified> {
        for attempt in 0..ATTEMPTS {
            let tried = trial.stop.goes_on().and_then(|()| self.certify(number, attempt, by, trial));
            match tried {
                Ok((task, shape, family)) => return Ok(Certified { task, shape, family, attempt }),
                Err(_) if trial.stop.is_asked() => return Err(Uncertified::Stopped),
                Err(why) => rejected(why),
            }
        }
        Err(Uncertified::Barren)
    }

    /// Cheap questions first: most candidates that fail do so before they have cost much.
    fn certify(
        &self,
        number: u64,
        attempt: u32,
        by: TriedBy<'_>,
        trial: &Trial<'_>,
    ) -> Result<(Arc<Task>, Arc<WorldShape>, &'static str), Rejection> {
        trial.begins("a world is made, and a fault planted in it")?;
        let draft = self.draft(number, attempt)?;
        let (shape, family) = (draft.shape.clone(), draft.family.text());
        let staged = draft.try_stage()?;
        let (task, _) = draft.finish(&staged, &self.pool.sayings)?;
        let task = Arc::new(task);
        trial.begins("its situations are drawn under three seeds")?;
        let prepare = |seed: &u64| Scenario::try_prepare_until(&task, *seed, Noise(0), trial.stop).map(Arc::new);
        let scenarios = SEEDS.iter().map(prepare).collect::<Result<Vec<_>, _>>().map_err(|_| "no alert pages")?;
        if !by.blind.is_empty() {
            let past = || looking::past(&self.pool, &shape, Seed(self.seed), trial);
            let past = shape.past(past);
            trial.begins("agents that look at no symptom play it")?;
            looking::needs_looking(&task, &scenarios, past, by.blind, trial.stop)?;
        }
        trial.begins("a responder by rules plays it")?;
        let figures = Figures::met(&task, &scenarios, by.responder);
        if !self.options.wants(figures.difficulty()) {
            return Err("outside the band of difficulty");
        }
        trial.begins("its certificates are proved")?;
        scenarios.iter().try_for_each(|scenario| check::prove(scenario, trial.stop))?;
        let task = Task::clone(&task).measured(figures.difficulty(), Some(figures));
        Ok((Arc::new(task), shape, family))
    }

    fn barren(&self) -> String {
        format!("no fair incident among {ATTEMPTS} candidates; ask for more families, services or difficulties")
    }
}

/// Seven of ten are to learn from, one to choose by, two to report.
fn split(number: u64) -> Split {
    match number % 10 {
        7 => Split::Dev,
        8 | 9 => Split::Test,
        _ => Split::Train,
    }
}

/// The domain of a number: of each eight numbers in a row every one has another.
fn domain(seed: u64, number: u64) -> &'static str {
    let count = domains::ALL.len() as u64;
    let mut dice = GeneratorDice::new(Seed(seed).derive("domain"), "turn", number / count);
    let mut left: Vec<usize> = (0..domains::ALL.len()).collect();
    let mut turn = || left.swap_remove(dice.roll().below(left.len() as u64) as usize);
    (0..number % count).for_each(|_| {
        turn();
    });
    &domains::ALL[turn()].name
}
