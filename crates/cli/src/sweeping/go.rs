//! Playing what is wanted: part by part, with everything that watches and stops it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::client::{Meter, Spent};
use anyhow::bail;
use harness::sweep::{self, EPISODES, EpisodeLine, Failure, How, Outcome as Swept, Plan};
use harness::{Stop, StopReason};
use report::{RunFacts, Summary};

use super::conduct::Conduct;
use super::crew::{Crew, Lines};
use super::live::Live;
use super::log::Log;
use super::part::{Part, Wanted};
use super::pause::{Watchman, on_interrupt};
use super::screen::{self, About, Screen};
use super::ticker::Ticker;
use super::{estimate, partial};
use crate::exit::Outcome;
use crate::say;
use record::folder::{Again, PARTIAL, Partial, RunFolder, is_same, make};

/// Plays everything, then prints the tables and where things are.
pub fn go(wanted: &Wanted, conduct: &Conduct, lines: Lines) -> anyhow::Result<Outcome> {
    if conduct.tui {
        screen::check()?;
    }
    let stop = Stop::default();
    let crew = Crew::gather(wanted, conduct, lines, &stop)?;
    wanted.limit(crew.kinds().len())?;
    if conduct.dry_run {
        return estimate::tell(wanted, conduct, &crew);
    }
    check_replay(conduct, &root(wanted, conduct, &crew))?;
    let stage = Stage::set(wanted, conduct, crew, stop)?;
    let mut outcome = Outcome::Fine;
    for (at, part) in wanted.parts.iter().enumerate() {
        stage.live.expect(stage.episodes(&wanted.parts[at + 1..]));
        outcome = outcome.max(stage.play(part)?);
        if let Some(why) = stage.stop.why() {
            let left = wanted.parts.len() - at - 1;
            return Ok(if left == 0 { outcome } else { stage.leave(left, why, outcome) });
        }
    }
    Ok(outcome)
}

/// A sweep with everything that it needs.
struct Stage<'a> {
    wanted: &'a Wanted,
    conduct: &'a Conduct,
    crew: Crew,
    stop: Stop,
    live: Live,
    meter: Arc<Meter>,
    _watchman: Watchman,
}

impl<'a> Stage<'a> {
    fn set(wanted: &'a Wanted, conduct: &'a Conduct, crew: Crew, stop: Stop) -> anyhow::Result<Stage<'a>> {
        let folder = root(wanted, conduct, &crew);
        let log = match (&conduct.log_file, crew.has_models() || crew.has_programs()) {
            (Some(path), _) => Some(Log::open(path)?),
            (None, true) => {
                make(&folder)?;
                Some(Log::open(&folder.join("run.log"))?)
            }
            (None, false) => None,
        };
        let live = Live::new(log);
        let before = wanted.parts.iter().map(|part| spent(&folder_of(wanted, part, &folder), conduct));
        let before = before.fold(Spent::default(), add);
        let meter = Arc::new(Meter::new(conduct.calls.caps(), before, &stop));
        crew.connect(&meter, &live);
        on_interrupt(&stop);
        let watchman = Watchman::new(conduct.pause_file.as_deref(), &stop);
        Ok(Stage { wanted, conduct, crew, stop, live, meter, _watchman: watchman })
    }

    /// Whole parts are still to be played.
    fn leave(&self, parts: usize, why: &StopReason, last: Outcome) -> Outcome {
        let left = format!("{} of the sweep not begun", say::count(parts, "part"));
        // A part that was left in its middle has said why, and how to go on.
        let text = match last {
            Outcome::Paused | Outcome::Interrupted => left,
            _ => format!("stopped: {why}. {left}. Go on with:\n  {}", partial::command()),
        };
        say::note(&text);
        last.max(stopped(why))
    }

    /// How many episodes some parts have.
    fn episodes(&self, parts: &[Part]) -> usize {
        let tasks: usize = parts.iter().map(|part| part.challenges.len()).sum();
        let all = tasks * self.wanted.seeds.len() * self.wanted.repeats as usize * self.crew.kinds().len();
        all / self.conduct.shard.map_or(1, |shard| shard.of)
    }

    fn play(&self, part: &Part) -> anyhow::Result<Outcome> {
        let mut plan = self.plan(part);
        let settings = plan.settings();
        let path = folder_of(self.wanted, part, &root(self.wanted, self.conduct, &self.crew));
        let folder = RunFolder::open(&path, &settings, self.conduct.fresh)?;
        plan.how.out = Some(path.clone());
        say::note(&format!("Results go to {}; interrupt at will, the same command goes on.", path.display()));
        let swept = self.sweep(&plan, &path)?;
        let summary = summary(&plan, &swept);
        let why = self.stop.why().filter(|_| swept.open > 0);
        match why {
            Some(why) => partial(&why.to_string(), &swept, &summary, &partial::command())?.write(&path)?,
            None => folder.finish(&settings, &summary.to_json())?,
        }
        self.tell(&path, &swept, &summary, why)?;
        Ok(match why {
            Some(why) => stopped(why),
            // A run in which nothing was measured is no success.
            None if !swept.lines.is_empty() && swept.lines.iter().all(|line| !line.score.counts()) => Outcome::Failed,
            None if swept.failures.is_empty() => Outcome::Fine,
            None => Outcome::Failed,
        })
    }

    fn sweep(&self, plan: &Plan<'_>, folder: &Path) -> anyhow::Result<Swept> {
        let mut observer = self.live.observer();
        if let Some(screen) = self.screen(plan, folder) {
            let swept = sweep::run(plan, &mut [&mut observer]);
            screen.close();
            return Ok(swept?);
        }
        let ticker = Ticker::new(&self.live);
        let swept = sweep::run(plan, &mut [&mut observer]);
        ticker.finish();
        Ok(swept?)
    }

    fn screen(&self, plan: &Plan<'_>, folder: &Path) -> Option<Screen> {
        let about = || About::new(plan, folder, self.conduct.calls.caps(), &self.meter);
        self.conduct.tui.then(|| Screen::open(&self.live, &self.stop, about()))?
    }

    fn plan(&self, part: &Part) -> Plan<'_> {
        let Conduct { from_step, retry_failed, shard, ref replay, .. } = *self.conduct;
        let again = Again { from_step, retry_failed };
        let replay = replay.as_ref().map(|folder| folder_of(self.wanted, part, folder));
        let (jobs, stop) = (self.crew.jobs(self.conduct.jobs), self.stop.clone());
        Plan {
            agents: self.crew.kinds(),
            challenges: part.challenges.clone(),
            suite: part.suite.clone(),
            seeds: self.wanted.seeds.clone(),
            repeats: self.wanted.repeats,
            noise: part.noise,
            tools: self.wanted.tools,
            how: How { jobs, out: None, stop, replay, again, shard },
        }
    }

    fn tell(&self, path: &Path, swept: &Swept, summary: &Summary, why: Option<&StopReason>) -> anyhow::Result<()> {
        let played = swept.lines.len() - swept.skipped;
        let found = match swept.skipped {
            0 => String::new(),
            n => format!(" ({n} were there already, --fresh plays them again)"),
        };
        let files = if why.is_some() { PARTIAL } else { "summary.json" };
        let places = format!(
            "{} played{found}. In {}: {files}, episodes.jsonl, records/\n",
            say::count(played, "episode"),
            path.display()
        );
        if self.conduct.json && why.is_none() {
            say::print(&summary.to_json())?;
            say::note(places.trim_end());
        } else {
            let table = if swept.lines.is_empty() { String::new() } else { report::table(summary) };
            say::print(&(table + &places))?;
        }
        self.tell_troubles(swept, why);
        Ok(())
    }

    fn tell_troubles(&self, swept: &Swept, why: Option<&StopReason>) {
        let own = self.wanted.own.as_ref().map_or(String::new(), |folder| format!(" --task-dir {}", folder.display()));
        for Failure { key, problem, replay } in &swept.failures {
            say::note(&format!("failed: {key}: {problem}\n  see it again: {replay}{own}"));
        }
        let missing = swept.lines.iter().filter(|line| !line.score.counts()).count();
        if missing > 0 && why.is_none() {
            say::note(&format!(
                "{} ended on a provider, which counts as missing data; --retry-failed plays them again",
                say::count(missing, "episode")
            ));
        }
        if let Some(why) = why {
            let (open, begun) = (say::count(swept.open, "episode"), swept.held.len());
            let command = partial::command();
            self.live.say(&format!("stopped: {why}"));
            let first = why.advice();
            say::note(&format!("stopped: {why}. {open} left, {begun} of them begun. {first}:\n  {command}"));
        }
        let spent = self.meter.spent();
        if spent.unpriced > 0 {
            say::note("the price of some models is not known: cost is too low; add them with --prices FILE");
        }
    }
}

/// A recording must be there, and still be there when it is read.
fn check_replay(conduct: &Conduct, root: &Path) -> anyhow::Result<()> {
    match &conduct.replay {
        Some(recording) if !recording.is_dir() => {
            bail!("--replay {}: there is no such folder; give the folder of a run with models", recording.display())
        }
        Some(recording) if conduct.fresh && is_same(recording, root) => bail!(
            "--fresh would remove the recording in {} before it is read; choose another --out",
            recording.display()
        ),
        _ => Ok(()),
    }
}

/// How a run ends that was stopped.
fn stopped(why: &StopReason) -> Outcome {
    match why {
        StopReason::Interrupted => Outcome::Interrupted,
        StopReason::Unwritable(_) => Outcome::Failed,
        _ => Outcome::Paused,
    }
}

/// The folder of the whole sweep.
fn root(wanted: &Wanted, conduct: &Conduct, crew: &Crew) -> PathBuf {
    conduct.out.clone().unwrap_or_else(|| {
        let part = &wanted.parts[0];
        let plan = Plan {
            agents: crew.kinds(),
            challenges: part.challenges.clone(),
            suite: if wanted.parts.len() > 1 { "sweep".to_string() } else { part.suite.clone() },
            seeds: wanted.seeds.clone(),
            repeats: wanted.repeats,
            noise: part.noise,
            tools: wanted.tools,
            how: How { shard: conduct.shard, ..How::default() },
        };
        Path::new("runs").join(plan.settings().folder_name())
    })
}

/// The folder of a part: a sweep of one part has no folders in it.
fn folder_of(wanted: &Wanted, part: &Part, root: &Path) -> PathBuf {
    if wanted.parts.len() > 1 { part.folder(root) } else { root.to_path_buf() }
}

/// What the episodes used that are finished and will not be played again.
fn spent(folder: &Path, conduct: &Conduct) -> Spent {
    let mut spent = Spent::default();
    let again = conduct.fresh || conduct.from_step.is_some();
    if again || !folder.join(EPISODES).exists() {
        return spent;
    }
    let keeps = |line: &EpisodeLine| line.score.counts() || !conduct.retry_failed;
    // A folder that cannot be read stops the run a little later, with its reason.
    for line in sweep::read_lines(folder).unwrap_or_default().lines.iter().filter(|line| keeps(line)) {
        spent.calls += u64::from(line.score.model_calls);
        if let Some(usage) = line.score.usage {
            spent.pay(usage, line.score.cost_usd);
        }
    }
    spent
}

fn add(mut all: Spent, one: Spent) -> Spent {
    all.calls += one.calls;
    all.usage += one.usage;
    all.cost += one.cost;
    all.unpriced += one.unpriced;
    all
}

/// How far a stopped run came.
fn partial<'a>(why: &'a str, swept: &'a Swept, summary: &Summary, go_on: &'a str) -> anyhow::Result<Partial<'a>> {
    Ok(Partial {
        stopped: why,
        finished: swept.lines.len(),
        failed: swept.failures.len(),
        open: swept.open,
        begun: &swept.held,
        go_on,
        so_far: serde_json::from_str(&summary.to_json())?,
    })
}

fn summary(plan: &Plan<'_>, swept: &Swept) -> Summary {
    Summary::of(RunFacts::of(plan.seeds[0], &swept.lines), swept.lines.iter().map(|line| &line.score))
}
