//! `report`: reads the folders of runs and writes a page, tables and plots.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueHint;
use harness::WORLD_VERSION;
use questions::{audit, shipped};
use record::EpisodeLine;
use record::folder::run_folders;
use report::analysis::Autopsy;
use report::facts::{AskedRules, EpisodeSource};
use report::page::Report;

use crate::episodes;
use crate::exit::CommandOutcome;
use crate::png;
use crate::question_files;
use crate::say;

/// So many agents without a rank are told one by one.
const TOLD: usize = 5;

const EXAMPLES: &str = "\
Examples:
  sre-zero report runs/RUN                   write runs/RUN/report/index.html and more beside it
  sre-zero report runs/A runs/B --out both   put two runs together
  sre-zero report runs/SWEEP                 all parts of a sweep
  sre-zero report runs/RUN runs/mine         yourself beside the agents, after
                                             `sre-zero play TASK --out runs/mine`
  sre-zero report runs/RUN --columns headline=agent,marks,success_rate
                                             a table for a paper with three columns

It writes index.html (one page that needs no other file), report.md, report.json, tables/ (CSV,
LaTeX, JSON, Markdown) and plots/ (SVG and PNG). Agents with too few episodes that count are shown
and not ranked. Runs of other world or suite versions, noise or tools are told apart, never pooled.";

/// Arguments of `report`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folders of runs, or of sweeps
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    folders: Vec<PathBuf>,
    /// Where to write; by default `report` in the first folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Audit these questions, so that the report says how far agents stand above shortcuts on them; the
    /// suite `skills` needs none
    #[arg(long, value_name = "FILE,..", value_delimiter = ',', value_hint = ValueHint::FilePath)]
    questions: Vec<PathBuf>,
    /// Give the files of a table these columns alone, in this order: TABLE=COLUMN,..; may be given again for another
    /// table. tables/TABLE.json names the columns
    #[arg(long, value_name = "TABLE=COLUMN,..", value_parser = columns)]
    columns: Vec<(String, Vec<String>)>,
    /// Leave out the PNG plots
    #[arg(long)]
    no_png: bool,
}

/// Writes the report.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let folders = args.folders.iter().flat_map(|folder| run_folders(folder));
    let own = own_shortcuts(&args.questions)?;
    let sources = folders.map(|folder| read(&folder, &own)).collect::<anyhow::Result<Vec<EpisodeSource>>>()?;
    let mut report = Report::of(&sources, WORLD_VERSION)?;
    for (table, columns) in &args.columns {
        report.choose(table, columns).map_err(anyhow::Error::msg).context("--columns")?;
    }
    let out = args.out.clone().unwrap_or_else(|| args.folders[0].join("report"));
    refuse_strangers(&out)?;
    for file in report.files() {
        write(&out.join(&file.path), file.text.as_bytes())?;
    }
    let painted = if args.no_png { None } else { pngs(&report, &out)? };
    say::print(&format!("{}\n", out.join("index.html").display()))?;
    say::note(&told(&report, painted));
    let sound = sources.iter().all(|source| source.damaged.is_empty() && source.corrected == 0);
    Ok(if sound { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

/// `headline=agent,marks`.
fn columns(text: &str) -> Result<(String, Vec<String>), String> {
    let (table, keys) =
        text.split_once('=').ok_or("write TABLE=COLUMN,.. such as headline=agent,marks,success_rate")?;
    let keys: Vec<String> = keys.split(',').map(|key| key.trim().to_string()).collect();
    Ok((table.trim().to_string(), keys))
}

/// The episodes of a folder, with what their records say beyond the scores.
fn read(folder: &Path, own: &BTreeMap<String, f64>) -> anyhow::Result<EpisodeSource> {
    let found = episodes::read_with(folder, |record, score| Autopsy::graded(record, score).ok())?;
    let keys = found.lines.iter().map(|line| line.key.clone());
    let autopsies = keys.zip(found.found).filter_map(|(key, autopsy)| Some((key, autopsy?))).collect();
    let asked = found.settings.as_ref().map(|s| AskedRules { noise: s.noise, tools: s.tools.clone() });
    let ours = |line: &EpisodeLine| shipped::carried().iter().any(|question| question.id == line.score.task);
    let shipped = found.lines.iter().find(|line| line.score.question.is_some()).is_some_and(ours);
    Ok(EpisodeSource {
        shortcuts: if shipped { shipped::shortcuts().clone() } else { own.clone() },
        name: folder.display().to_string(),
        lines: found.lines,
        asked,
        planned: found.settings.map(|settings| settings.planned()).unwrap_or_default(),
        autopsies,
        damaged: found.left_out,
        unproven: found.unproven,
        corrected: found.corrected,
    })
}

/// What the best shortcuts reach on the user's own questions, by family.
fn own_shortcuts(files: &[PathBuf]) -> anyhow::Result<BTreeMap<String, f64>> {
    if files.is_empty() {
        return Ok(BTreeMap::new());
    }
    let questions = question_files::sound(files)?;
    Ok(audit::audit(&questions).by_family(&questions))
}

/// A page that is not ours is not overwritten.
fn refuse_strangers(out: &Path) -> anyhow::Result<()> {
    if out.exists() && !out.is_dir() {
        bail!("{} is a file, not a folder; choose another --out", out.display());
    }
    let page = out.join("index.html");
    if page.exists() && !out.join("report.json").exists() {
        bail!("{} is not a page of ours; choose another --out", page.display());
    }
    Ok(())
}

/// A report can be written again at any time, so it need not survive the machine: waiting for the disk
/// would take longer than all else.
fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}; choose another --out", folder.display()))?;
    fs::write(path, bytes).with_context(|| format!("cannot write {}; choose another --out", path.display()))
}

/// Writes the plots as PNG; `None` if this program cannot.
fn pngs(report: &Report, out: &Path) -> anyhow::Result<Option<usize>> {
    let Some(painter) = png::Painter::new() else { return Ok(None) };
    for figure in &report.figures {
        let bytes = painter.paint(&figure.chart.file()).with_context(|| format!("the plot `{}`", figure.id))?;
        write(&out.join("plots").join(format!("{}.png", figure.id)), &bytes)?;
    }
    Ok(Some(report.figures.len()))
}

fn told(report: &Report, painted: Option<usize>) -> String {
    let refused: Vec<&String> = report.facts.agents.iter().filter_map(|agent| agent.refused.as_ref()).collect();
    let mut lines: Vec<String> = refused.iter().take(TOLD).map(|why| format!("{why}.")).collect();
    if refused.len() > TOLD {
        lines.push(format!("{} more are not ranked; the page says why.", refused.len() - TOLD));
    }
    let episodes: u32 = report.facts.sources.iter().map(|source| source.episodes).sum();
    let plots = report.figures.len();
    let png = if painted.is_some() { "SVG and PNG" } else { "SVG" };
    lines.push(format!(
        "{}, {}, {plots} plots as {png}.",
        say::count(episodes as usize, "episode"),
        say::count(report.facts.agents.len(), "agent")
    ));
    lines.join("\n")
}
