//! `power`: before a run, how small a difference it can show.

use std::path::PathBuf;

use anyhow::bail;
use clap::ValueHint;
use harness::suites;
use report::stats::{self, Design, Pilot};
use serde_json::json;

use crate::episodes;
use crate::exit::CommandOutcome;
use crate::pick::{self, TaskLibrary};
use crate::say;
use crate::sheet;

const EXAMPLES: &str = "\
Examples:
  sre-zero power --suite srezero-40 --episodes 5 --baseline 0.5        what such a run can show
  sre-zero power --episodes 5 --baseline 0.5 --effect 0.1              will it show ten points?
  sre-zero power --tasks 200 --families 50 --effect 0.1                a suite that does not exist yet
  sre-zero power --from runs/PILOT --effect 0.05                       learn from a run you have
  sre-zero power --from runs/PILOT --agents 6                          six agents, each against each

An agent's results within a task family are alike (--icc), so ten episodes tell less than ten
independent ones. Two agents on the same incidents are alike too (--correlation), which helps: their
difference is sharper than their rates.";

/// Arguments of `power`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The suite that will be run: it brings its tasks and their families [default: srezero-40]
    #[arg(long, value_name = "SUITE", value_parser = pick::suite_names(), conflicts_with_all = ["tasks", "families", "from"])]
    suite: Option<String>,
    /// Tasks [default: those of the suite, or of --from]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tasks: Option<u32>,
    /// Task families, the clusters, taken as equally large [default: one for each of --tasks]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    families: Option<u32>,
    /// Episodes of each task and agent
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    episodes: u32,
    /// The success rate of the agent that is known [default: 0.5, or the mean of --from]
    #[arg(long, value_name = "RATE", value_parser = share)]
    baseline: Option<f64>,
    /// The gain to be shown: tells the power, and the run that it takes
    #[arg(long, value_name = "GAIN", value_parser = share)]
    effect: Option<f64>,
    /// How alike results within a family are, from 0 to 1 [default: 0.2, or that of --from]
    #[arg(long, value_name = "R", value_parser = share)]
    icc: Option<f64>,
    /// How alike two agents are on the same incident, from 0 to 1 [default: 0.3, or that of --from]
    #[arg(long, value_name = "R", value_parser = share)]
    correlation: Option<f64>,
    /// How many agents are compared, each with each; the level is divided by the number of comparisons
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=1000))]
    agents: u32,
    /// The wanted chance of showing a difference that is there
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = share)]
    power: f64,
    /// Learn correlations, families and the baseline from an earlier run
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    from: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("a number from 0 to 1, not `{text}`"))?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err(format!("a number from 0 to 1, not {number}")) }
}

/// Prints what a run can show.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let pilot = args.from.as_ref().map(|folder| -> anyhow::Result<Pilot> {
        let found = episodes::read(folder)?;
        let scores: Vec<_> = found.lines.iter().map(|line| &line.score).collect();
        if scores.iter().all(|score| !score.counts()) {
            bail!("{} has no episode that counts", folder.display());
        }
        Ok(stats::pilot(&scores))
    });
    let pilot = pilot.transpose()?;
    let design = design(args, pilot.as_ref())?;
    say::print(&if args.json {
        as_json(args, &design, pilot.as_ref())?
    } else {
        as_text(args, &design, pilot.as_ref())
    })?;
    Ok(CommandOutcome::Fine)
}

/// What is said counts; what is not comes from the pilot, or else is a guess.
fn design(args: &Args, pilot: Option<&Pilot>) -> anyhow::Result<Design> {
    let guess = Design::default();
    let tasks = args.tasks.or(pilot.map(|pilot| pilot.tasks)).unwrap_or(guess.tasks);
    // More tasks than the pilot had are taken to bring families in proportion.
    let scaled = |pilot: &Pilot| (tasks * pilot.families).div_ceil(pilot.tasks.max(1));
    let families = args.families.or(pilot.map(scaled)).unwrap_or(tasks);
    if families > tasks {
        bail!("--families {families}: there are {tasks} tasks only, and each is in one family");
    }
    if families < 2 {
        bail!("with one family there is no telling how families differ; plan for more tasks");
    }
    let mean = |pilot: &Pilot| pilot.baselines.values().sum::<f64>() / pilot.baselines.len() as f64;
    let baseline = args.baseline.or(pilot.map(mean)).unwrap_or(guess.baseline);
    if args.effect.is_some_and(|effect| baseline + effect > 1.0) {
        bail!("--effect {}: no rate is above 1, and the baseline is {baseline:.2}", args.effect.unwrap_or_default());
    }
    let icc = args.icc.or(pilot.and_then(|pilot| pilot.icc)).unwrap_or(guess.icc);
    let pair_icc = args.icc.or(pilot.and_then(|pilot| pilot.icc_of_differences)).unwrap_or(icc);
    let correlation = args.correlation.or(pilot.and_then(|pilot| pilot.correlation)).unwrap_or(guess.correlation);
    let comparisons = f64::from(args.agents) * f64::from(args.agents - 1) / 2.0;
    let alpha = guess.alpha / comparisons;
    let (episodes, power) = (args.episodes, args.power);
    let plain = Design { families, tasks, episodes, baseline, icc, pair_icc, correlation, alpha, power, ..guess };
    Ok(match (args.tasks, args.families, pilot) {
        // More or fewer tasks than the pilot had: families as unlike as there.
        (_, None, Some(pilot)) => {
            let like = plain.with_sizes(&pilot.sizes);
            Design { families, tasks, ..like }
        }
        (None, None, None) => plain.with_sizes(&suite_sizes(args.suite.as_deref().unwrap_or(suites::DEFAULT))?),
        _ => plain,
    })
}

/// How many tasks each family of a suite has.
fn suite_sizes(suite: &str) -> anyhow::Result<Vec<u32>> {
    let tasks = TaskLibrary::open(None)?.suite(Some(suite))?;
    Ok(stats::sizes(tasks.iter().map(|task| ((task.families().join("+"), task.component.clone()), task.id.clone()))))
}

fn as_json(args: &Args, design: &Design, pilot: Option<&Pilot>) -> anyhow::Result<String> {
    let effect = args.effect.map(|effect| {
        json!({
            "effect": effect,
            "power": design.power_of(effect),
            "power_unpaired": design.unpaired_power_of(effect),
            "episodes_needed": design.episodes_for(effect),
            "tasks_needed": design.tasks_for(effect),
        })
    });
    let value = json!({
        "design": design,
        "pilot": pilot,
        "effective_episodes": design.effective_episodes(),
        "half_width": design.half_width(),
        "detectable": design.detectable(),
        "detectable_unpaired": design.unpaired_detectable(),
        "effect": effect,
    });
    Ok(serde_json::to_string_pretty(&report::rounded(value))? + "\n")
}

fn as_text(args: &Args, design: &Design, pilot: Option<&Pilot>) -> String {
    let learnt = args.from.as_ref().zip(pilot).map_or(String::new(), |(folder, pilot)| {
        format!(
            "From {}: {} in {}.\n",
            folder.display(),
            say::count(pilot.episodes as usize, "episode"),
            clusters(pilot.families)
        )
    });
    let Design { tasks, episodes, families, .. } = *design;
    let plan = format!(
        "{} x {} = {} of each agent, in {}; as many as {:.0} independent ones.\n",
        say::count(tasks as usize, "task"),
        say::count(episodes as usize, "episode"),
        design.all_episodes(),
        clusters(families),
        design.effective_episodes()
    );
    let taken = format!(
        "Taken: success {:.2}, correlation {:.2} within a family (differences {:.2}) and {:.2} between agents; level {:.4}.\n\n",
        design.baseline, design.icc, design.pair_icc, design.correlation, design.alpha
    );
    format!("{learnt}{plan}{taken}{}", answers(args, design))
}

fn answers(args: &Args, design: &Design) -> String {
    let points =
        |gain: Option<f64>| gain.map_or("none: even 1.00 would not stand out".to_owned(), |gain| format!("{gain:+.3}"));
    let mut rows = vec![
        ["interval of one rate".to_owned(), format!("± {:.3}", design.half_width())],
        [format!("smallest gain shown with power {:.2}, in pairs", design.power), points(design.detectable())],
        ["the same without pairs".to_owned(), points(design.unpaired_detectable())],
    ];
    if let Some(effect) = args.effect {
        let needed = |n: Option<u32>, what: &str| n.map_or(format!("no number of {what} is enough"), |n| n.to_string());
        rows.push([format!("power to show {effect:+.3}, in pairs"), format!("{:.2}", design.power_of(effect))]);
        rows.push(["the same without pairs".to_owned(), format!("{:.2}", design.unpaired_power_of(effect))]);
        rows.push([
            format!("episodes of each task for power {:.2}", design.power),
            needed(design.episodes_for(effect), "episodes"),
        ]);
        rows.push([format!("or tasks, with {} each", design.episodes), needed(design.tasks_for(effect), "tasks")]);
    }
    sheet::wide(["", ""], rows).trim_start_matches('\n').to_owned()
}

fn clusters(n: u32) -> String {
    if n == 1 { "1 family".to_owned() } else { format!("{n} families") }
}
