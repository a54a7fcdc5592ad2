//! Keeps sealed records in the folder of a run, on a thread of its own. A client is told that its episode is over when
//! the record is written, so that a server that is killed has lost nothing that it acknowledged.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use doors::session::Keep;
use harness::record::Event;
use harness::sweep::{self, EPISODES, EpisodeLine, record_path};
use harness::{Record, Referee, sha256};
use report::{RunFacts, Summary};

use crate::say;
use record::folder::{self, Index, RunFolder, RunSettings};

/// So many records may wait for the disk.
const WAITING: usize = 4096;
/// So many are written before the settings are looked at again.
const BATCH: usize = 256;
/// Several programs may write to one folder, each for a moment.
const TURN: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Records that could not be written are tried again after this time.
const TRY_AGAIN: Duration = Duration::from_millis(500);
/// The disk is waited for so often: what is written outlives the program at once, and a power failure takes at most this.
const SYNC: Duration = Duration::from_secs(1);
/// When the server stops, they are tried so often.
const LAST_TRIES: usize = 20;

/// What keeps records, until it is closed.
pub struct Keeper {
    records: SyncSender<Sealed>,
    stuck: Arc<AtomicBool>,
    thread: JoinHandle<anyhow::Result<KeptCount>>,
}

/// A record on its way to the disk.
struct Sealed {
    record: Record,
    /// Who waits for it hears that it is written, or that it cannot be for now: either way this is dropped.
    waits: Option<SyncSender<()>>,
}

/// What was kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KeptCount {
    /// Episodes whose record is there.
    pub episodes: usize,
    /// Episodes whose record could not be written.
    pub lost: usize,
}

impl Keeper {
    /// Opens the folder; what an earlier server left in it is added to.
    pub fn open(path: &Path, settings: RunSettings, fresh: bool) -> anyhow::Result<Keeper> {
        let shelf = Shelf::open(path, settings, fresh)?;
        let (records, waiting) = sync_channel(WAITING);
        let stuck = Arc::new(AtomicBool::new(false));
        let told = stuck.clone();
        let thread = thread::Builder::new().name("keeper".to_string()).spawn(move || shelf.fill(&waiting, &told))?;
        Ok(Keeper { records, stuck, thread })
    }

    /// Whether nothing can be kept at the moment: then no new episode may begin.
    pub fn stuck(&self) -> Arc<AtomicBool> {
        self.stuck.clone()
    }

    /// Where players go that are over: the referee opens them, and their records are kept. After the
    /// close there is none to be opened.
    pub fn inlet(&self, referee: Referee) -> Keep {
        let records = self.records.clone();
        Box::new(move |player| {
            let (waits, written) = sync_channel(1);
            let sealed = Sealed { record: referee.finish(player), waits: Some(waits) };
            if records.send(sealed).is_ok() {
                let _ = written.recv();
            }
        })
    }

    /// Waits until all is written. Every inlet must be gone.
    pub fn close(self) -> anyhow::Result<KeptCount> {
        drop(self.records);
        self.thread.join().map_err(|_| anyhow!("the records could not be kept; the message above says why"))?
    }
}

/// Waits for its turn and keeps these records.
pub fn keep_all(path: &Path, settings: &RunSettings, records: Vec<Record>) -> anyhow::Result<KeptCount> {
    let begin = Instant::now();
    let mut shelf = loop {
        match Shelf::open(path, settings.clone(), false) {
            Err(_) if begin.elapsed() < TURN && folder::is_run(path) => thread::sleep(LOOK_AGAIN),
            opened => break opened?,
        }
    };
    shelf.put(records)?;
    shelf.close()
}

/// The folder while it is written to.
struct Shelf {
    path: PathBuf,
    folder: RunFolder,
    settings: RunSettings,
    index: Index,
    /// How often each task was played under each seed by each agent.
    played: BTreeMap<String, u32>,
    /// The places of the seeds in the settings.
    seeds: BTreeMap<u64, u32>,
    /// How many agents, seeds and repeats the settings on disk have.
    written: (usize, usize, u32),
    /// When the disk was last waited for.
    synced: Instant,
    kept: KeptCount,
}

impl Shelf {
    fn open(path: &Path, mut settings: RunSettings, fresh: bool) -> anyhow::Result<Shelf> {
        let before = if fresh { None } else { folder::read_settings(path, "choose another --out")? };
        if let Some(before) = before {
            settings.agents = before.agents;
            settings.seeds = before.seeds;
            settings.repeats = before.repeats;
        }
        let folder = RunFolder::open(path, &settings, fresh)?;
        let place = path.join(EPISODES);
        let found = if place.exists() { sweep::read_lines(path)?.lines } else { Vec::new() };
        let mut played = BTreeMap::new();
        for line in found {
            let count = played.entry(key(&line.score.agent, &line.score.task, line.score.seed)).or_insert(0);
            *count = (*count).max(line.score.repeat + 1);
        }
        let index = Index::open(path)?;
        let written = (settings.agents.len(), settings.seeds.len(), settings.repeats);
        let seeds = settings.seeds.iter().zip(0..).map(|(seed, at)| (*seed, at)).collect();
        Ok(Shelf {
            path: path.to_path_buf(),
            folder,
            settings,
            index,
            played,
            seeds,
            written,
            synced: Instant::now(),
            kept: KeptCount::default(),
        })
    }

    /// Keeps what comes until no sender is left. What cannot be written waits and is tried again: an error never
    /// ends this, or every later record would be dropped.
    fn fill(mut self, waiting: &Receiver<Sealed>, stuck: &AtomicBool) -> anyhow::Result<KeptCount> {
        let (mut held, mut tries) = (VecDeque::new(), 0);
        loop {
            let first = if held.is_empty() {
                waiting.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                waiting.recv_timeout(TRY_AGAIN)
            };
            let over = matches!(first, Err(RecvTimeoutError::Disconnected));
            for mut sealed in first.into_iter().chain(waiting.try_iter().take(BATCH)) {
                self.number(&mut sealed.record);
                held.push_back(sealed);
            }
            let written = self.write_all(&mut held);
            // No client waits for a disk that takes nothing.
            held.iter_mut().for_each(|sealed| drop(sealed.waits.take()));
            self.tell(written, stuck);
            tries += usize::from(over);
            if over && (held.is_empty() || tries > LAST_TRIES) {
                self.kept.lost += held.len();
                return self.close();
            }
            if over {
                thread::sleep(TRY_AGAIN);
            }
        }
    }

    /// Says when writing fails and when it works again, once each.
    fn tell(&self, written: anyhow::Result<()>, stuck: &AtomicBool) {
        match written {
            Err(error) if !stuck.swap(true, Ordering::Relaxed) => {
                say::note(&format!("{error:#}; what is sealed waits, and no episode begins until it can be kept"));
            }
            Ok(()) if stuck.swap(false, Ordering::Relaxed) => say::note("records can be kept again"),
            _ => {}
        }
    }

    /// Keeps these records now.
    fn put(&mut self, mut records: Vec<Record>) -> anyhow::Result<()> {
        records.iter_mut().for_each(|record| self.number(record));
        let mut held = records.into_iter().map(|record| Sealed { record, waits: None }).collect();
        self.write_all(&mut held)?;
        Ok(self.index.sync()?)
    }

    /// Writes as many as can be written, the settings first, so that every record in the folder is one of its run.
    fn write_all(&mut self, held: &mut VecDeque<Sealed>) -> anyhow::Result<()> {
        if held.is_empty() {
            return Ok(());
        }
        let now = (self.settings.agents.len(), self.settings.seeds.len(), self.settings.repeats);
        if self.written != now {
            self.folder.write_settings(&self.settings)?;
            self.written = now;
        }
        while let Some(sealed) = held.front() {
            self.write(&sealed.record)?;
            self.kept.episodes += 1;
            held.pop_front();
        }
        if self.synced.elapsed() >= SYNC {
            self.index.sync()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Gives a record its place among the others: which seed it is, and the how-manieth time.
    fn number(&mut self, record: &mut Record) {
        let Some(Event::Started(header)) = record.events.first_mut() else { return };
        let count = self.played.entry(key(&header.agent, &header.task.id, header.seed)).or_insert(0);
        header.repeat = *count;
        *count += 1;
        self.settings.repeats = self.settings.repeats.max(*count);
        if !self.settings.agents.contains(&header.agent) {
            self.settings.agents.push(header.agent.clone());
        }
        let seeds = &mut self.settings.seeds;
        header.episode = *self.seeds.entry(header.seed).or_insert_with(|| {
            seeds.push(header.seed);
            seeds.len() as u32 - 1
        });
    }

    /// First the record, then its line, so that a line means that the record is there.
    fn write(&mut self, record: &Record) -> anyhow::Result<()> {
        let text = record.text();
        let header = record.header().context("the record has no header")?;
        let line = EpisodeLine::of(record, header, sha256(text.as_bytes()))?;
        write_quick(&record_path(&self.path, &line.key), text.as_bytes())?;
        Ok(self.index.add(&line)?)
    }

    /// Sums up what is in the folder.
    fn close(self) -> anyhow::Result<KeptCount> {
        self.index.sync()?;
        let lines = sweep::read_lines(&self.path)?.lines;
        if !lines.is_empty() {
            let first = self.settings.seeds.first().copied().unwrap_or(0);
            let summary = Summary::of(RunFacts::of(first, &lines), lines.iter().map(|line| &line.score));
            self.folder.finish(&self.settings, &summary.to_json())?;
        }
        Ok(self.kept)
    }
}

/// Whole or not at all, as everywhere, but without waiting for the disk each time: a server may seal a
/// thousand episodes a second. What a power failure takes, the line's digest tells.
fn write_quick(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let unwritable = || format!("cannot write {}", path.display());
    let beside = path.with_extension("jsonl.tmp");
    let first = fs::write(&beside, bytes);
    if first.is_err() {
        // Most often the folder of this agent and task is not there yet.
        fs::create_dir_all(path.parent().unwrap_or(path)).with_context(unwritable)?;
        fs::write(&beside, bytes).with_context(unwritable)?;
    }
    fs::rename(&beside, path).with_context(unwritable)
}

fn key(agent: &str, task: &str, seed: u64) -> String {
    format!("{agent}/{task}/{seed}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::sweep::base_settings;
    use harness::{Episode, EpisodeOptions, Noise, Scenario, ToolSet, tasks};

    /// A real episode on the first of the tasks.
    fn played(calls: &[&str]) -> Record {
        let task = tasks::embedded()[0].task().expect("the tasks are valid");
        let scenario = Arc::new(Scenario::prepare(&task, 0, Noise(0)).expect("it pages"));
        let options = EpisodeOptions { agent: "test".into(), suite: "selection".into(), ..EpisodeOptions::default() };
        let mut episode = Episode::start(&scenario, options);
        for call in calls {
            episode.step(call);
        }
        episode.finish()
    }

    #[test]
    fn what_cannot_be_written_waits_and_nothing_is_lost() {
        let folder = std::env::temp_dir().join(format!("sre-zero-keeper-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let settings = base_settings("selection", Noise(0), ToolSet::default());
        let keeper = Keeper::open(&folder, settings, false).expect("it is empty");
        // A file stands where the records go: every write fails.
        fs::write(folder.join("records"), "").expect("it can be written");
        let stuck = keeper.stuck();
        let send = |calls: &[&str]| keeper.records.send(Sealed { record: played(calls), waits: None });
        send(&[]).expect("the keeper listens");
        while !stuck.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        send(&["check_status(cache)"]).expect("it goes on listening");
        fs::remove_file(folder.join("records")).expect("it was there");
        let kept = keeper.close().expect("it can be summed up");
        assert_eq!(kept, KeptCount { episodes: 2, lost: 0 });
        assert_eq!(sweep::read_lines(&folder).expect("it can be read").lines.len(), 2);
        assert!(!stuck.load(Ordering::Relaxed));
        fs::remove_dir_all(&folder).expect("it was there");
    }
}
