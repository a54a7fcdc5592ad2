//! A sweep as it runs: how far it is, how fast, and what came of it so far. All of it is read from the
//! run's folder, so that the sweep needs to know of no viewer.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use harness::sweep::EpisodeLine;
use record::folder::{keys_below, live_keys};
use serde::Serialize;

use super::ask::ViewRefusal;
use super::filter::outcome;
use super::library::StoredRun;

/// Speed is measured over this time.
const LOOKED_BACK: Duration = Duration::from_secs(60);
/// The latest episodes that are told.
const LATEST: usize = 12;
const LOCK: &str = ".lock";
const FAILURES: &str = "failures.jsonl";
const EXCHANGES: &str = "exchanges";

/// How fast runs went while they were watched.
#[derive(Default)]
pub struct RunWatch {
    seen: Mutex<BTreeMap<String, VecDeque<(Instant, usize)>>>,
}

/// How a run stands.
#[derive(Debug, Serialize)]
pub struct LiveProgress {
    run: String,
    /// Whether a program is writing to it.
    running: bool,
    done: usize,
    /// How many it will be; `None` if the folder does not say.
    all: Option<usize>,
    successes: usize,
    missing: usize,
    failed: usize,
    /// Episodes whose talk with a provider has begun and that are not finished.
    begun: usize,
    per_minute: Option<f64>,
    seconds_left: Option<f64>,
    /// What the finished episodes used of models; `None` if none was asked.
    tokens: Option<u64>,
    /// The same in US dollars; `None` if a price is not known.
    cost_usd: Option<f64>,
    /// Why episodes have no result, with how many.
    troubles: BTreeMap<String, usize>,
    agents: BTreeMap<String, LiveCounts>,
    latest: Vec<Latest>,
    /// Episodes that can be looked at while they are played.
    under_way: Vec<String>,
}

/// How an agent stands in a run.
#[derive(Debug, Default, Serialize)]
pub struct LiveCounts {
    done: usize,
    all: Option<usize>,
    successes: usize,
    missing: usize,
}

/// An episode that has just finished.
#[derive(Debug, Serialize)]
struct Latest {
    key: String,
    success: &'static str,
    failure: &'static str,
    reward: f64,
    steps: u32,
}

impl RunWatch {
    /// How a run stands now.
    pub fn progress(&self, run: &StoredRun) -> Result<LiveProgress, ViewRefusal> {
        let (all, each) = expected(run);
        let index = run.index()?;
        let (done, running) = (index.lines.len(), is_locked(&run.path));
        let per_minute = self.speed(&run.id, done).filter(|_| running);
        let left = all.map(|all| all.saturating_sub(done));
        let count = |what: &str| index.lines.iter().filter(|line| outcome(line) == what).count();
        Ok(LiveProgress {
            run: run.id.clone(),
            running,
            done,
            all,
            successes: count("yes"),
            missing: count("missing"),
            failed: lines_of(&run.path.join(FAILURES)),
            begun: begun(&run.path.join(EXCHANGES), |key| index.find(key).is_some()),
            seconds_left: per_minute.filter(|speed| *speed > 0.0).zip(left).map(|(speed, n)| n as f64 * 60.0 / speed),
            per_minute,
            tokens: tokens(&index.lines),
            cost_usd: cost(&index.lines),
            troubles: troubles(&index.lines),
            agents: tallies(&index.lines, each),
            latest: index.lines.iter().rev().take(LATEST).map(latest).collect(),
            under_way: live_keys(&run.path).into_iter().filter(|key| index.find(key).is_none()).collect(),
        })
    }

    fn speed(&self, run: &str, done: usize) -> Option<f64> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let samples = seen.entry(run.to_string()).or_default();
        samples.push_back((Instant::now(), done));
        while samples.len() > 2 && samples[0].0.elapsed() > LOOKED_BACK {
            samples.pop_front();
        }
        speed(samples.iter().map(|(at, done)| (at.duration_since(samples[0].0).as_secs_f64(), *done)))
    }
}

/// Episodes per minute, from samples of (seconds, episodes done).
fn speed(samples: impl Iterator<Item = (f64, usize)>) -> Option<f64> {
    let samples: Vec<(f64, usize)> = samples.collect();
    let (first, last) = (samples.first()?, samples.last()?);
    let (time, done) = (last.0 - first.0, last.1.saturating_sub(first.1));
    (time >= 1.0).then(|| done as f64 * 60.0 / time)
}

/// How many episodes a run will have, and how many of them each agent.
fn expected(run: &StoredRun) -> (Option<usize>, BTreeMap<String, usize>) {
    let Some(settings) = run.settings() else { return Default::default() };
    // A person plays what they like.
    if settings.agents.iter().any(|agent| agent.starts_with(super::human::PREFIX)) {
        return Default::default();
    }
    let each = settings.tasks.len() * settings.seeds.len() * settings.repeats.max(1) as usize;
    let agents = settings.agents.len().max(1);
    let share = settings.shard.map_or(each, |shard| each.div_ceil(shard.of.max(1)));
    let all = settings.shard.map_or(each * agents, |shard| (each * agents).div_ceil(shard.of.max(1)));
    (Some(all), settings.agents.into_iter().map(|agent| (agent, share)).collect())
}

fn tallies(lines: &[EpisodeLine], each: BTreeMap<String, usize>) -> BTreeMap<String, LiveCounts> {
    let begin = |(agent, all)| (agent, LiveCounts { all: Some(all), ..LiveCounts::default() });
    let mut agents: BTreeMap<String, LiveCounts> = each.into_iter().map(begin).collect();
    for line in lines {
        let tally = agents.entry(line.score.agent.to_string()).or_default();
        tally.done += 1;
        tally.successes += usize::from(outcome(line) == "yes");
        tally.missing += usize::from(outcome(line) == "missing");
    }
    agents
}

fn tokens(lines: &[EpisodeLine]) -> Option<u64> {
    lines.iter().filter_map(|line| line.score.usage).map(|usage| usage.total()).reduce(u64::saturating_add)
}

fn cost(lines: &[EpisodeLine]) -> Option<f64> {
    let asked = lines.iter().filter(|line| line.score.usage.is_some());
    asked.map(|line| line.score.cost_usd).reduce(|sum, one| Some(sum? + one?)).flatten()
}

fn troubles(lines: &[EpisodeLine]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for line in lines.iter().filter(|line| !line.score.counts()) {
        *found.entry(line.score.ending.word.to_string()).or_default() += 1;
    }
    found
}

fn latest(line: &EpisodeLine) -> Latest {
    Latest {
        key: line.key.clone(),
        success: outcome(line),
        failure: line.score.failure_mode.name(),
        reward: line.score.reward,
        steps: line.score.steps,
    }
}

/// Whether the lock is held. An empty file is asked for nothing: a run that is about to begin
/// must not find the lock taken by a viewer.
fn is_locked(folder: &Path) -> bool {
    let path = folder.join(LOCK);
    if !fs::metadata(&path).is_ok_and(|about| about.len() > 0) {
        return false;
    }
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn lines_of(path: &Path) -> usize {
    fs::read(path).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
}

/// Exchange logs of episodes that are not finished.
fn begun(folder: &Path, is_done: impl Fn(&str) -> bool) -> usize {
    keys_below(folder).iter().filter(|key| !is_done(key)).count()
}

#[cfg(test)]
mod tests {
    use super::super::library::Library;
    use super::super::stage::{Folder, line};
    use super::*;
    use record::Usage;
    use record::folder::FolderLock;

    #[test]
    fn speed_is_what_was_done_over_the_time_watched() {
        let of = |samples: &[(f64, usize)]| speed(samples.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(0.0, 5)]), None);
        assert_eq!(of(&[(0.0, 5), (0.2, 9)]), None);
        assert_eq!(of(&[(0.0, 5), (30.0, 65)]), Some(120.0));
        assert_eq!(of(&[(0.0, 65), (30.0, 5)]), Some(0.0));
    }

    #[test]
    fn spend_is_summed_and_is_unknown_where_a_price_is() {
        let mut lines = vec![line("a", 0), line("a", 1), line("b", 0)];
        assert_eq!((tokens(&lines), cost(&lines)), (None, None));
        for (at, price) in [(0, 0.5), (1, 0.25)] {
            lines[at].score.usage = Some(Usage { input: 10, output: 5, ..Usage::default() });
            lines[at].score.cost_usd = Some(price);
        }
        assert_eq!((tokens(&lines), cost(&lines)), (Some(30), Some(0.75)));
        lines[1].score.cost_usd = None;
        assert_eq!((tokens(&lines), cost(&lines)), (Some(30), None));
    }

    #[test]
    fn a_run_is_running_while_its_folder_is_locked() {
        let folder = Folder::new("live");
        folder.run("run", &[line("a", 0), line("a", 1), line("b", 0)]);
        let exchanges = folder.path.join("run/exchanges/b/other");
        fs::create_dir_all(&exchanges).expect("it can be made");
        fs::write(exchanges.join("7.jsonl"), "").expect("it can be written");
        let library = Library::new(&folder.path);
        let run = library.run("run").expect("it is there");
        let watch = RunWatch::default();
        let progress = || watch.progress(&run).expect("it can be read");
        assert!(!progress().running);
        let lock = FolderLock::take(&run.path).expect("it is free");
        let now = progress();
        assert!(now.running && now.done == 3 && now.begun == 1 && now.all.is_none());
        assert_eq!((now.agents["a"].done, now.agents["b"].done), (2, 1));
        drop(lock);
        assert!(!progress().running);
    }
}
