//! Arguments that `serve` and `mcp` share: what is played, and how.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueHint;
use conductor::ServedChallenge;
use doors::session::Pace;
use harness::catalogue::{self, CatalogueSettings, PairingPlan};
use harness::suites;
use harness::sweep::{add_challenge, add_task, base_settings};
use harness::{Challenge, Noise, Referee, Task, ToolSet};
use problems::{ProblemChallenge, Stages};
use record::RunSettings;
use record::folder::{PlayPlan, SELECTION, is_run, read_lines};

use crate::like::LikeRun;
use crate::pick::{self, TaskLibrary};

/// What is played, and how.
#[derive(clap::Args)]
pub struct Offered {
    /// The suite [default: srezero-40]
    #[arg(long, value_name = "SUITE", value_parser = pick::suite_names(), conflicts_with = "tasks")]
    suite: Option<String>,
    /// Only these tasks: ids, task files or folders, with commas between them
    #[arg(long, visible_alias = "task", value_name = "ID,..", value_delimiter = ',')]
    tasks: Vec<String>,
    /// Hand out the tasks and seeds of this run, so that every episode has its pair: suite, tools and noise are the run's
    #[arg(long, value_name = "RUN", value_hint = ValueHint::DirPath, conflicts_with_all = ["suite", "tasks", "seed", "tools", "noise"])]
    like: Option<PathBuf>,
    /// Take the tasks from this folder of your own
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
    /// The seed of the first episode for which a client names none; the next takes the next
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = pick::seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// The tools at hand: classic (the eight published actions) or full
    #[arg(long, value_name = "SET", default_value_t = ToolSet::CLASSIC)]
    tools: ToolSet,
    /// How imperfect the telemetry is, from 0 (clean) to 3
    #[arg(long, value_name = "0..3", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3))]
    noise: u8,
    /// The agent's name in records, unless a client gives its own
    #[arg(long, value_name = "NAME", default_value = "serve", value_parser = name)]
    agent: String,
    /// How time passes: with each action, or as many times as fast as the client's own (10x)
    #[arg(long, value_name = "action|Nx", default_value = "action", value_parser = Pace::parse)]
    pub pace: Pace,
}

/// Tasks, and how their episodes are played.
pub struct Offer {
    tasks: Vec<Arc<Task>>,
    /// Problems in a cluster.
    problems: Vec<Arc<dyn Challenge>>,
    seed: u64,
    settings: CatalogueSettings,
}

/// What a server adds to that.
#[derive(Clone, Copy, Default)]
pub struct Extras {
    /// List tasks by their published ids.
    pub named: bool,
    /// Show rewards, for those who train.
    pub rewards: bool,
    /// How many different incidents may be in memory at a time.
    pub incidents: usize,
    /// Serve problems in a cluster for kubectl and other clients too.
    pub clients: bool,
}

impl Offer {
    /// What the doors get of it; `referee` opens the players that come back.
    pub fn catalogue(self, referee: &Referee) -> catalogue::Catalogue {
        let tasks = catalogue::Catalogue::new(self.tasks, self.seed, self.settings, referee);
        tasks.with_others(self.problems, ProblemChallenge::TOOLS)
    }
}

impl Offered {
    /// The tasks and how they are played.
    pub fn offer(&self, extras: Extras, out: Option<&Path>) -> anyhow::Result<Offer> {
        let catalogue = TaskLibrary::open(self.task_dir.as_deref())?;
        if let Some(run) = &self.like {
            return self.like(run, &catalogue, extras, out);
        }
        let default = self.task_dir.is_none().then_some(suites::DEFAULT);
        let suite = self.suite.as_deref().or(default);
        let problems = pick::problems(self.suite.as_deref(), &self.tasks)?;
        let tasks = match &problems {
            Some(_) => Vec::new(),
            None if self.tasks.is_empty() => catalogue.suite(suite)?,
            None => catalogue.named(&self.tasks)?,
        };
        let problems = ServedChallenge::all(&problems.unwrap_or_default(), Stages::default());
        // A part of a suite, or tasks of the user's, must not pass for the suite.
        let whole = self.tasks.is_empty() && self.task_dir.is_none();
        let Extras { named, rewards, incidents, clients } = extras;
        let settings = CatalogueSettings {
            suite: suite.filter(|_| whole).unwrap_or(SELECTION).to_string(),
            tools: self.tools,
            noise: Noise(self.noise),
            agent: self.agent.clone(),
            named,
            rewards,
            incidents,
            clients,
            plan: None,
        };
        Ok(Offer { tasks, problems, seed: self.seed, settings })
    }

    /// The seed of a single episode; a plan has seeds of its own.
    pub fn first_seed(&self) -> Option<u64> {
        self.like.is_none().then_some(self.seed)
    }

    /// The incidents of a run, and what of them stands in the folder of records already.
    fn like(&self, run: &Path, tasks: &TaskLibrary, extras: Extras, out: Option<&Path>) -> anyhow::Result<Offer> {
        let like = LikeRun::read(run, tasks)?;
        let lines = match out.filter(|out| is_run(out)) {
            Some(out) => read_lines(out)?.lines,
            None => Vec::new(),
        };
        let begun =
            lines.into_iter().map(|line| (line.score.agent.into(), line.score.task.into(), line.score.seed)).collect();
        let Extras { named, rewards, incidents, clients } = extras;
        let settings = CatalogueSettings {
            suite: like.settings.suite.clone(),
            tools: like.settings.tools.parse()?,
            noise: Noise(like.settings.noise),
            agent: self.agent.clone(),
            named,
            rewards,
            incidents,
            clients,
            plan: Some(PairingPlan { plan: PlayPlan::of(&like.settings), begun }),
        };
        Ok(Offer { tasks: like.tasks, problems: Vec::new(), seed: 0, settings })
    }
}

/// What the folder of a server says of its run; agents and seeds are added as they come.
pub fn settings(offer: &Offer) -> RunSettings {
    let CatalogueSettings { suite, noise, tools, .. } = &offer.settings;
    let mut settings = RunSettings { open_ended: true, ..base_settings(suite, *noise, *tools) };
    offer.tasks.iter().for_each(|task| add_task(&mut settings, task, *noise, *tools));
    offer.problems.iter().for_each(|problem| add_challenge(&mut settings, &**problem, *noise, *tools));
    settings
}

/// A name becomes part of a path.
pub fn name(text: &str) -> Result<String, String> {
    let good = |c: char| c.is_ascii_alphanumeric() || "-_.@".contains(c);
    if text.is_empty() || text.starts_with('.') || !text.chars().all(good) {
        return Err("a name has letters, digits, -, _, . and @ only, and starts with no dot".to_string());
    }
    Ok(text.to_string())
}
