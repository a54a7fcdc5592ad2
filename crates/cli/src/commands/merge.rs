//! `merge`: puts the shards of a run together, as if one machine had played it all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueHint;
use harness::sweep::{self, EPISODES, EpisodeLine, exchange_path, record_path};
use harness::write_whole;
use report::{RunFacts, Summary};

use crate::exit::Outcome;
use crate::folder::{Folder, is_run, is_same, read_settings};
use crate::say;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  sre-zero run --models P/M --agents react --shard 1/2 --out part1     on one machine
  sre-zero run --models P/M --agents react --shard 2/2 --out part2     on another
  sre-zero merge part1 part2 --out whole                               then, anywhere

The summary is the one that a single machine would have written, to the byte. Folders of a sweep
with several parts are merged part by part. What is missing is told; the command without --shard
and with --out whole plays it.";

const ADVICE: &str = "give the folders of a run's shards";

/// Arguments of `merge`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folders of the shards
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    folders: Vec<PathBuf>,
    /// Where the whole run goes
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Start over: remove what is in that folder
    #[arg(long)]
    fresh: bool,
}

/// Merges runs, or sweeps part by part.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    // Records would be copied onto themselves, and --fresh would remove what is to be read.
    if let Some(folder) = args.folders.iter().find(|folder| is_same(folder, &args.out)) {
        bail!("--out {} is one of the folders to merge; choose another --out", folder.display());
    }
    if args.folders.iter().all(|folder| is_run(folder)) {
        return merge(&args.folders, &args.out, args.fresh);
    }
    let mut outcome = Outcome::Fine;
    let names = parts(&args.folders)?;
    for name in &names {
        let shards: Vec<PathBuf> = args.folders.iter().map(|folder| folder.join(name)).filter(|f| is_run(f)).collect();
        outcome = outcome.max(merge(&shards, &args.out.join(name), args.fresh)?);
    }
    Ok(outcome)
}

/// The names of the runs in the folders of sweeps.
fn parts(folders: &[PathBuf]) -> anyhow::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for folder in folders {
        if is_run(folder) {
            let other = folders.iter().find(|folder| !is_run(folder)).map_or(Path::new("another"), |path| path);
            bail!("{} is the folder of a run and {} is not; {ADVICE}", folder.display(), other.display());
        }
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}; {ADVICE}", folder.display()))?;
        let runs = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_run(path));
        let found: Vec<String> = runs.filter_map(|path| Some(path.file_name()?.to_str()?.to_string())).collect();
        if found.is_empty() {
            bail!("{} is neither the folder of a run nor that of a sweep; {ADVICE}", folder.display());
        }
        names.extend(found);
    }
    Ok(names)
}

fn merge(shards: &[PathBuf], out: &Path, fresh: bool) -> anyhow::Result<Outcome> {
    let settings = settings(shards)?;
    let lines = lines(shards, &settings)?;
    let folder = Folder::open(out, &settings, fresh)?;
    for (from, line) in lines.values() {
        copy(&record_path(from, &line.key), &record_path(out, &line.key))?;
        let exchanges = exchange_path(from, &line.key);
        if exchanges.exists() {
            copy(&exchanges, &exchange_path(out, &line.key))?;
        }
    }
    let lines: Vec<EpisodeLine> = lines.into_values().map(|(_, line)| line).collect();
    let text: String =
        lines.iter().map(|line| serde_json::to_string(line).expect("lines are plain data") + "\n").collect();
    write_whole(&out.join(EPISODES), text.as_bytes())?;
    let first = settings.seeds.first().copied().unwrap_or(0);
    let summary = Summary::of(RunFacts::of(first, &lines), lines.iter().map(|line| &line.score));
    let missing = planned(&settings) - lines.len().min(planned(&settings));
    say::print(&report::table(&summary))?;
    let (count, from) = (say::count(lines.len(), "episode"), say::count(shards.len(), "folder"));
    if missing > 0 {
        say::note(&format!(
            "{count} from {from} in {}; {missing} are missing and there is no summary yet: merge the other shards too, or \
             play them with the run's command, without --shard and with --out {}",
            out.display(),
            out.display()
        ));
        return Ok(Outcome::Failed);
    }
    folder.write_summary(&summary.to_json())?;
    say::note(&format!("{count} from {from} in {}", out.display()));
    Ok(Outcome::Fine)
}

/// How many episodes the whole run has.
fn planned(settings: &Settings) -> usize {
    settings.agents.len() * settings.tasks.len() * settings.seeds.len() * settings.repeats.max(1) as usize
}

/// The settings that all shards share.
fn settings(shards: &[PathBuf]) -> anyhow::Result<Settings> {
    let mut whole: Option<Settings> = None;
    for shard in shards {
        let Some(mut found) = read_settings(shard, ADVICE)? else {
            bail!("{} is not the folder of a run; {ADVICE}", shard.display());
        };
        found.shard = None;
        let differs = whole.as_ref().and_then(|whole| whole.difference(&found).or_else(|| found.difference(whole)));
        if let Some(why) = differs {
            bail!("{} and {} are not of the same run: {why}", shards[0].display(), shard.display());
        }
        whole = Some(found);
    }
    whole.context(ADVICE)
}

type Found<'a> = BTreeMap<String, (&'a Path, EpisodeLine)>;

fn lines<'a>(shards: &'a [PathBuf], settings: &Settings) -> anyhow::Result<Found<'a>> {
    let mut all: Found<'a> = BTreeMap::new();
    for shard in shards.iter().filter(|shard| shard.join(EPISODES).exists()) {
        let found = sweep::read_lines(shard)?;
        for damage in &found.damaged {
            let path = shard.join(EPISODES);
            say::note(&format!("left out: {}: line {}: {}", path.display(), damage.line, damage.problem));
        }
        for line in found.lines {
            if let Some(why) = settings.excludes(&line) {
                bail!("{}: {}: {why}", shard.display(), line.key);
            }
            match all.get(&line.key) {
                Some((other, known)) if known.digest != line.digest => bail!(
                    "{} was played in {} and in {}, with different results; remove one of them",
                    line.key,
                    other.display(),
                    shard.display()
                ),
                Some(_) => {}
                None => drop(all.insert(line.key.clone(), (shard, line))),
            }
        }
    }
    Ok(all)
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if let Some(folder) = to.parent() {
        crate::folder::make(folder)?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}
