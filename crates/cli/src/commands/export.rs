//! `export`: stored episodes in the formats of others. Records are read one by one and never changed.

mod shelf;
mod stock;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser};
use harness::Split;
use report::export::{self, Export, ExportFilter, Format, LeftOut, Only};

use crate::exit::CommandOutcome;
use crate::progress::Progress;
use crate::say;
use shelf::Disk;
use stock::{Item, Stock};

/// So many records that cannot be used are told one by one.
const TOLD: usize = 20;

const EXAMPLES: &str = "\
Examples:
  sre-zero export --format inspect runs/RUN    logs for `inspect view`
  sre-zero export --format atif runs/RUN       trajectories for Harbor
  sre-zero export --format chat runs/RUN --out sft.jsonl
  sre-zero export --format chat --split all --min-reward 0.8 runs/A runs/B --out data
  sre-zero export --format parquet runs/RUN    tables for pandas, polars or DuckDB

The same records give the same bytes on every machine and on every day. Records that cannot be read
are told and left out; the command then ends with 1.";

/// Arguments of `export`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The format
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    format: String,
    /// The folders of runs, or single records
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::AnyPath)]
    runs: Vec<PathBuf>,
    /// A folder for the files, or the file where there is one only [default: exports/FORMAT in the run's folder]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    out: Option<PathBuf>,
    /// By how they went: success, failure or all [default: all; success for chat]
    #[arg(long, value_name = "WHICH")]
    only: Option<Only>,
    /// By the split of their task: train, dev, test or all [default: all; train for chat]
    #[arg(long, value_name = "SPLIT", value_parser = ["train", "dev", "test", "all"])]
    split: Option<String>,
    /// Only episodes of these agents; `react` stands for `react@PROVIDER/MODEL` too
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    agents: Vec<String>,
    /// Only episodes with at least this reward, from 0 to 1
    #[arg(long, value_name = "REWARD", value_parser = reward)]
    min_reward: Option<f64>,
    /// Write over files of an earlier export
    #[arg(long)]
    force: bool,
}

/// Exports what is wanted, and says what was left out and why.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let Some(format) = export::find(&args.format) else { bail!("there is no format `{}`", args.format) };
    let export = format.start()?;
    let mut stock = Stock::open(&args.runs)?;
    choose_agents(&mut stock, &args.agents)?;
    let out = out(args)?;
    let mut disk = Disk::new(&out, format.extension(), args.force)?;
    let mut tale = Tale { damaged: std::mem::take(&mut stock.damaged), ..Tale::default() };
    write(format, export, &filter(args, format), stock.items, &mut disk, &mut tale)?;
    let files = disk.keep().with_context(|| format!("cannot finish the export in {}", out.display()))?;
    tale.tell(&out, &files)
}

/// What happened to the episodes.
#[derive(Default)]
struct Tale {
    written: usize,
    twice: usize,
    left_out: BTreeMap<LeftOut, usize>,
    damaged: Vec<String>,
}

fn write(
    format: &dyn Format,
    mut export: Box<dyn Export>,
    filter: &ExportFilter,
    items: Vec<Item>,
    disk: &mut Disk,
    tale: &mut Tale,
) -> anyhow::Result<()> {
    let mut progress = Progress::new("episodes", items.len());
    let mut seen = BTreeSet::new();
    for item in items {
        let entry = match item.read() {
            Ok(entry) => entry,
            Err(problem) => {
                progress.step(false);
                tale.damaged.push(problem);
                continue;
            }
        };
        progress.step(true);
        if !seen.insert(entry.digest.clone()) {
            tale.twice += 1;
        } else if let Some(why) = filter.leaves_out(&entry.score, format.takes_provider_failures()) {
            *tale.left_out.entry(why).or_default() += 1;
        } else {
            export.add(&entry, disk)?;
            tale.written += 1;
        }
    }
    progress.finish();
    Ok(export.finish(disk)?)
}

impl Tale {
    fn tell(&self, out: &Path, files: &[PathBuf]) -> anyhow::Result<CommandOutcome> {
        for problem in self.damaged.iter().take(TOLD) {
            say::note(&format!("left out: {problem}"));
        }
        if self.damaged.len() > TOLD {
            say::note(&format!("and {} more that cannot be used", self.damaged.len() - TOLD));
        }
        for why in LeftOut::ALL {
            if let Some(n) = self.left_out.get(&why) {
                say::note(&format!("left out: {} {why}", say::count(*n, "episode")));
            }
        }
        if self.twice > 0 {
            say::note(&format!("left out: {} that came twice", say::count(self.twice, "episode")));
        }
        if self.written == 0 {
            bail!("no episode is left to export; nothing was written to {}", out.display());
        }
        let episodes = say::count(self.written, "episode");
        say::print(&match files {
            [file] => format!("{episodes} exported to {}{}\n", file.display(), lines(file, self.written)),
            _ => format!("{episodes} exported to {} in {}\n", say::count(files.len(), "file"), out.display()),
        })?;
        Ok(if self.damaged.is_empty() { CommandOutcome::Fine } else { CommandOutcome::Failed })
    }
}

/// How many lines a file has, where that is not one for each episode: a pair is made of two.
fn lines(file: &Path, episodes: usize) -> String {
    let text = Some(file).filter(|file| file.extension().is_some_and(|end| end == "jsonl")).map(fs::read);
    let lines = text.and_then(Result::ok).map(|bytes| bytes.iter().filter(|byte| **byte == b'\n').count());
    lines
        .filter(|lines| *lines != episodes)
        .map_or_else(String::new, |lines| format!(" as {}", say::count(lines, "line")))
}

fn out(args: &Args) -> anyhow::Result<PathBuf> {
    match (&args.out, &args.runs[..]) {
        (Some(out), _) => Ok(out.clone()),
        (None, [run]) if run.is_dir() => Ok(run.join("exports").join(&args.format)),
        _ => bail!("say with --out where the export goes; only that of one whole run has a place of its own"),
    }
}

fn filter(args: &Args, format: &dyn Format) -> ExportFilter {
    let usual = format.usual();
    let split = match args.split.as_deref() {
        Some(name) => Split::ALL.into_iter().find(|split| split.text() == name),
        None => usual.split,
    };
    ExportFilter { only: args.only.unwrap_or(usual.only), split, min_reward: args.min_reward }
}

fn choose_agents(stock: &mut Stock, wanted: &[String]) -> anyhow::Result<()> {
    let is = |agent: &str, name: &str| agent == name || agent.strip_prefix(name).is_some_and(|r| r.starts_with('@'));
    let agents: BTreeSet<&str> = stock.items.iter().map(|item| &*item.place.group.agent).collect();
    if let Some(name) = wanted.iter().find(|name| !agents.iter().any(|agent| is(agent, name))) {
        let known: Vec<&str> = agents.into_iter().collect();
        bail!("no episode is of the agent `{name}`; there are {}", known.join(", "));
    }
    if !wanted.is_empty() {
        stock.items.retain(|item| wanted.iter().any(|name| is(&item.place.group.agent, name)));
    }
    Ok(())
}

fn format_names() -> PossibleValuesParser {
    export::ALL.iter().map(|format| PossibleValue::new(format.name()).help(format.about())).into()
}

fn reward(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a reward is a number from 0 to 1".to_string())
}
