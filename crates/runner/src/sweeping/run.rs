//! Playing what is wanted: part by part, with everything that watches and stops it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::client::{Meter, Spent};
use anyhow::bail;
use harness::sweep::{self, EPISODES, EpisodeLine, Failure, How, Plan, SweepOutcome};
use harness::{MemorySource, Stop, StopReason};
use report::{RunFacts, Summary};

use super::flags::RunFlags;
use super::live::Live;
use super::log::RunLog;
use super::outcome::{RunOutcome, is_unmeasured, never_acted};
use super::part::{RunRequest, SweepPart};
use super::pause::{Watchman, on_interrupt};
use super::run_agents::{ModelSettings, RunAgents};
use super::screen::{self, About, Screen};
use super::ticker::Ticker;
use super::{estimate, partial};
use crate::say;
use record::folder::{Again, PARTIAL, Partial, RunFolder, is_same, make};

/// So many providers are quoted at the end.
const TOLD: usize = 5;

/// Plays everything, then prints the tables and where things are.
pub fn run(request: &RunRequest, flags: &RunFlags, models: ModelSettings) -> anyhow::Result<RunOutcome> {
    if flags.tui {
        screen::check()?;
    }
    let stop = Stop::default();
    let agents = RunAgents::gather(request, flags, models, &stop)?;
    request.limit(agents.kinds().len())?;
    if flags.dry_run {
        return estimate::tell(request, flags, &agents);
    }
    check_replay(flags, &root(request, flags, &agents))?;
    let under_way = RunUnderWay::set(request, flags, agents, stop)?;
    let mut outcome = RunOutcome::Fine;
    for (at, part) in request.parts.iter().enumerate() {
        under_way.live.expect(under_way.episodes(&request.parts[at + 1..]));
        outcome = outcome.max(under_way.play(part)?);
        if let Some(why) = under_way.stop.why() {
            let left = request.parts.len() - at - 1;
            return Ok(if left == 0 { outcome } else { under_way.leave(left, why, outcome) });
        }
    }
    Ok(outcome)
}

/// A sweep with everything that it needs.
struct RunUnderWay<'a> {
    request: &'a RunRequest,
    flags: &'a RunFlags,
    agents: RunAgents,
    stop: Stop,
    live: Live,
    meter: Arc<Meter>,
    _watchman: Watchman,
}

impl<'a> RunUnderWay<'a> {
    fn set(
        request: &'a RunRequest,
        flags: &'a RunFlags,
        agents: RunAgents,
        stop: Stop,
    ) -> anyhow::Result<RunUnderWay<'a>> {
        let folder = root(request, flags, &agents);
        let log = match (&flags.log_file, agents.has_models() || agents.has_programs()) {
            (Some(path), _) => Some(RunLog::open(path)?),
            (None, true) => {
                make(&folder)?;
                Some(RunLog::open(&folder.join("run.log"))?)
            }
            (None, false) => None,
        };
        let live = Live::new(log);
        let before = request.parts.iter().map(|part| spent(&folder_of(request, part, &folder), flags));
        let before = before.fold(Spent::default(), add);
        let meter = Arc::new(Meter::new(flags.calls.caps(), before, &stop));
        agents.connect(&meter, &live);
        on_interrupt(&stop);
        let watchman = Watchman::new(flags.pause_file.as_deref(), &stop);
        Ok(RunUnderWay { request, flags, agents, stop, live, meter, _watchman: watchman })
    }

    /// Whole parts are still to be played.
    fn leave(&self, parts: usize, why: &StopReason, last: RunOutcome) -> RunOutcome {
        let left = format!("{} of the sweep not begun", say::count(parts, "part"));
        // A part that was left in its middle has said why, and how to go on.
        let text = match last {
            RunOutcome::Paused | RunOutcome::Interrupted => left,
            _ => format!("stopped: {why}. {left}. Continue with:\n  {}", partial::command()),
        };
        say::note(&text);
        last.max(stopped(why))
    }

    /// How many episodes some parts have.
    fn episodes(&self, parts: &[SweepPart]) -> usize {
        let tasks: usize = parts.iter().map(|part| part.challenges.len()).sum();
        let all = tasks * self.request.seeds.len() * self.request.repeats as usize * self.agents.kinds().len();
        all / self.flags.shard.map_or(1, |shard| shard.of)
    }

    fn play(&self, part: &SweepPart) -> anyhow::Result<RunOutcome> {
        let mut plan = self.plan(part);
        let settings = plan.settings();
        let path = folder_of(self.request, part, &root(self.request, self.flags, &self.agents));
        let folder = RunFolder::open(&path, &settings, self.flags.fresh)?;
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
        self.flags.gate.write_junit(&swept.lines)?;
        let refusals = if why.is_none() { self.flags.gate.refusals(&summary) } else { Vec::new() };
        refusals.iter().for_each(|refusal| say::note(&format!("gate: {refusal}")));
        Ok(match why {
            Some(why) => stopped(why),
            // A run in which nothing was measured is no success.
            None if is_unmeasured(&swept.lines) => RunOutcome::Failed,
            None if swept.failures.is_empty() && refusals.is_empty() => RunOutcome::Fine,
            None => RunOutcome::Failed,
        })
    }

    fn sweep(&self, plan: &Plan<'_>, folder: &Path) -> anyhow::Result<SweepOutcome> {
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
        let about = || About::new(plan, folder, self.flags.calls.caps(), &self.meter);
        self.flags.tui.then(|| Screen::open(&self.live, &self.stop, about()))?
    }

    fn plan(&self, part: &SweepPart) -> Plan<'_> {
        let RunFlags { from_step, retry_failed, shard, ref replay, .. } = *self.flags;
        let again = Again { from_step, retry_failed };
        let replay = replay.as_ref().map(|folder| folder_of(self.request, part, folder));
        let (jobs, stop) = (self.agents.jobs(self.flags.jobs), self.stop.clone());
        Plan {
            agents: self.agents.kinds(),
            challenges: part.challenges.clone(),
            suite: part.suite.clone(),
            seeds: self.request.seeds.clone(),
            repeats: self.request.repeats,
            noise: part.noise,
            tools: self.request.tools,
            memory: MemorySource::of(part.remembered.clone()),
            how: How { jobs, out: None, stop, replay, again, shard },
        }
    }

    fn tell(
        &self,
        path: &Path,
        swept: &SweepOutcome,
        summary: &Summary,
        why: Option<&StopReason>,
    ) -> anyhow::Result<()> {
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
        if self.flags.json && why.is_none() {
            say::print(&summary.to_json())?;
            say::note(places.trim_end());
        } else {
            let table = if swept.lines.is_empty() { String::new() } else { report::table(summary) };
            let stages = report::stage_table(swept.lines.iter().map(|line| &line.score)).unwrap_or_default();
            say::print(&(table + &stages + &places))?;
        }
        self.tell_troubles(swept, why);
        Ok(())
    }

    /// What providers said last before an episode ended on them.
    fn tell_words(&self) {
        let state = self.live.look();
        let lost: Vec<_> = state.targets.iter().filter_map(|(name, one)| Some((name, one.lost.clone()?))).collect();
        for (target, words) in lost.iter().take(TOLD) {
            say::note(&format!("{target} said last: {words}"));
        }
        if lost.len() > TOLD {
            say::note(&format!("{} more said something; run.log has it", lost.len() - TOLD));
        }
    }

    fn tell_troubles(&self, swept: &SweepOutcome, why: Option<&StopReason>) {
        let own = self.request.own.as_ref().map_or(String::new(), |folder| format!(" --task-dir {}", folder.display()));
        for Failure { key, problem, replay } in &swept.failures {
            say::note(&format!("failed: {key}: {problem}\n  see it again: {replay}{own}"));
        }
        for agent in never_acted(&swept.lines) {
            say::note(&format!("{agent} crashed before its first action in every episode; run.log has its words"));
        }
        let missing = swept.lines.iter().filter(|line| !line.score.counts()).count();
        if missing > 0 && why.is_none() {
            say::note(&format!(
                "{} ended on a provider, which counts as missing data; --retry-failed plays them again",
                say::count(missing, "episode")
            ));
            self.tell_words();
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
fn check_replay(flags: &RunFlags, root: &Path) -> anyhow::Result<()> {
    match &flags.replay {
        Some(recording) if !recording.is_dir() => {
            bail!("--replay {}: there is no such folder; give the folder of a run with models", recording.display())
        }
        Some(recording) if flags.fresh && is_same(recording, root) => bail!(
            "--fresh would remove the recording in {} before it is read; choose another --out",
            recording.display()
        ),
        _ => Ok(()),
    }
}

/// How a run ends that was stopped.
fn stopped(why: &StopReason) -> RunOutcome {
    match why {
        StopReason::Interrupted => RunOutcome::Interrupted,
        StopReason::Unwritable(_) => RunOutcome::Failed,
        _ => RunOutcome::Paused,
    }
}

/// The folder of the whole sweep.
fn root(request: &RunRequest, flags: &RunFlags, agents: &RunAgents) -> PathBuf {
    flags.out.clone().unwrap_or_else(|| {
        let part = &request.parts[0];
        let plan = Plan {
            agents: agents.kinds(),
            challenges: part.challenges.clone(),
            suite: if request.parts.len() > 1 { "sweep".to_string() } else { part.suite.clone() },
            seeds: request.seeds.clone(),
            repeats: request.repeats,
            noise: part.noise,
            tools: request.tools,
            memory: MemorySource::default(),
            how: How { shard: flags.shard, ..How::default() },
        };
        Path::new("runs").join(plan.settings().folder_name())
    })
}

/// The folder of a part: a sweep of one part has no folders in it.
fn folder_of(request: &RunRequest, part: &SweepPart, root: &Path) -> PathBuf {
    if request.parts.len() > 1 { part.folder(root) } else { root.to_path_buf() }
}

/// What the episodes used that are finished and will not be played again.
fn spent(folder: &Path, flags: &RunFlags) -> Spent {
    let mut spent = Spent::default();
    let again = flags.fresh || flags.from_step.is_some();
    if again || !folder.join(EPISODES).exists() {
        return spent;
    }
    let keeps = |line: &EpisodeLine| line.score.counts() || !flags.retry_failed;
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
fn partial<'a>(
    why: &'a str,
    swept: &'a SweepOutcome,
    summary: &Summary,
    go_on: &'a str,
) -> anyhow::Result<Partial<'a>> {
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

fn summary(plan: &Plan<'_>, swept: &SweepOutcome) -> Summary {
    Summary::of(RunFacts::of(plan.seeds[0], &swept.lines), swept.lines.iter().map(|line| &line.score))
}
