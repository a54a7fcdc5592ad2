//! `report`: reads the folders of runs and writes a page, tables and plots.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::thread;

use anyhow::{Context, bail};
use clap::ValueHint;
use harness::Record;
use harness::sweep::{EPISODES, EpisodeLine, Shard, record_path};
use report::analysis::Autopsy;
use report::facts::{AskedRules, EpisodeSource};
use report::page::Report;

use crate::exit::Outcome;
use crate::folder::read_settings;
use crate::png;
use crate::say;
use crate::settings::Settings;

const ADVICE: &str = "give the folder of a run, such as runs/RUN";

/// So many damaged lines, and so many agents without a rank, are told one by one.
const TOLD: usize = 5;

const EXAMPLES: &str = "\
Examples:
  sre-zero report runs/RUN                   write runs/RUN/report/index.html and more beside it
  sre-zero report runs/A runs/B --out both   put two runs together
  sre-zero report runs/SWEEP                 all parts of a sweep
  sre-zero report runs/RUN runs/mine         yourself beside the agents, after
                                             `sre-zero play TASK --out runs/mine`

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
    /// Leave out the PNG plots
    #[arg(long)]
    no_png: bool,
}

/// Writes the report.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let folders = args.folders.iter().flat_map(|folder| parts(folder));
    let sources = folders.map(|folder| read(&folder)).collect::<anyhow::Result<Vec<EpisodeSource>>>()?;
    sources.iter().for_each(tell_damaged);
    let report = Report::of(&sources)?;
    let out = args.out.clone().unwrap_or_else(|| args.folders[0].join("report"));
    refuse_strangers(&out)?;
    for file in report.files() {
        write(&out.join(&file.path), file.text.as_bytes())?;
    }
    let painted = if args.no_png { None } else { pngs(&report, &out)? };
    say::print(&format!("{}\n", out.join("index.html").display()))?;
    say::note(&told(&report, painted));
    Ok(Outcome::Fine)
}

/// The runs in the folder of a sweep, or the folder itself.
fn parts(folder: &Path) -> Vec<PathBuf> {
    let own = [EPISODES, "records"].iter().any(|name| folder.join(name).exists());
    let inside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs: Vec<PathBuf> = inside.filter(|path| path.join(EPISODES).is_file()).collect();
    runs.sort();
    if own || runs.is_empty() { vec![folder.to_path_buf()] } else { runs }
}

/// The episodes of a folder: those that its index lists, or those of its records if it has no index.
fn read(folder: &Path) -> anyhow::Result<EpisodeSource> {
    let name = folder.display().to_string();
    let index = folder.join(EPISODES);
    if !folder.is_dir() {
        bail!("{name} is not a folder; {ADVICE}");
    }
    if index.exists() {
        let bytes = fs::read(&index).with_context(|| format!("cannot read {}", index.display()))?;
        let mut source = EpisodeSource::parse(&name, &bytes);
        if let Some(settings) = settings(folder) {
            source.planned = planned(&settings);
            source.asked = Some(AskedRules { noise: settings.noise, tools: settings.tools });
        }
        source.autopsies = autopsies(folder, &source.lines);
        return Ok(source);
    }
    let records = folder.join("records");
    if !records.is_dir() {
        bail!("{name} holds neither `{EPISODES}` nor `records/`; {ADVICE}");
    }
    let mut source = EpisodeSource { name, ..EpisodeSource::default() };
    let mut files = Vec::new();
    walk(&records, &mut files)?;
    for file in files {
        // Whoever plays a task again gets a place of its own, which tells the episodes apart.
        let place = file.strip_prefix(&records).unwrap_or(&file).with_extension("");
        match EpisodeLine::read(&file) {
            Ok(line) => source.lines.push(EpisodeLine { key: place.to_string_lossy().replace('\\', "/"), ..line }),
            Err(error) => source.damaged.push(error.to_string()),
        }
    }
    source.autopsies = autopsies(folder, &source.lines);
    Ok(source)
}

/// What the records say beyond the scores. A record that is missing or damaged is only missed here: its
/// line has its score.
fn autopsies(folder: &Path, lines: &[EpisodeLine]) -> BTreeMap<String, Autopsy> {
    let examine = |line: &EpisodeLine| {
        // Keys come from a file: one that climbs out of the folder is not followed.
        let inside = Path::new(&line.key).components().all(|part| matches!(part, Component::Normal(_)));
        let record = inside.then(|| Record::read(&record_path(folder, &line.key)).ok()).flatten()?;
        Some((line.key.clone(), Autopsy::of(&record).ok()?))
    };
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let share = lines.len().div_ceil(jobs).max(1);
    thread::scope(|threads| {
        let read = |some| threads.spawn(move || some_of(some, examine));
        let workers: Vec<_> = lines.chunks(share).map(read).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    })
}

fn some_of<T>(lines: &[EpisodeLine], examine: impl Fn(&EpisodeLine) -> Option<T>) -> Vec<T> {
    lines.iter().filter_map(examine).collect()
}

/// What the run was asked to do; settings that cannot be read cost the plan, not the report.
fn settings(folder: &Path) -> Option<Settings> {
    read_settings(folder, "what was played is taken as planned").unwrap_or_else(|error| {
        say::note(&error.to_string());
        None
    })
}

/// How many episodes each agent was to play.
fn planned(settings: &Settings) -> BTreeMap<String, u32> {
    let each = settings.tasks.len() * settings.seeds.len() * settings.repeats.max(1) as usize;
    let agents = settings.agents.len();
    let Shard { index, of } = settings.shard.unwrap_or(Shard { index: 1, of: 1 });
    // The jobs of a run are numbered with the agents innermost.
    let own = |agent: usize| (0..each).filter(|job| (job * agents + agent) % of == index - 1).count() as u32;
    settings.agents.iter().enumerate().map(|(at, agent)| (agent.clone(), own(at))).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let unread = || format!("cannot read the folder {}; {ADVICE}", folder.display());
    let entries = fs::read_dir(folder).with_context(unread)?;
    let mut paths =
        entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>().with_context(unread)?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}

fn tell_damaged(source: &EpisodeSource) {
    for line in source.damaged.iter().take(TOLD) {
        say::note(&format!("{}: left out: {line}", source.name));
    }
    if source.damaged.len() > TOLD {
        say::note(&format!("{}: left out: {} more", source.name, source.damaged.len() - TOLD));
    }
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
