//! `merge`: puts the shards of a run together, as if one machine had played it all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueHint;
use record::EpisodeLine;
use record::folder::{
    EPISODES, RunFolder, RunSettings, exchange_path, is_run, is_same, make, read_settings, record_path, write_lines,
};
use report::{RunFacts, Summary};

use crate::exit::CommandOutcome;
use crate::{episodes, say};

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
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    // Records would be copied onto themselves, and --fresh would remove what is to be read.
    if let Some(folder) = args.folders.iter().find(|folder| is_same(folder, &args.out)) {
        bail!("--out {} is one of the folders to merge; choose another --out", folder.display());
    }
    if args.folders.iter().all(|folder| is_run(folder)) {
        return merge(&args.folders, &args.out, args.fresh);
    }
    let mut outcome = CommandOutcome::Fine;
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

fn merge(shards: &[PathBuf], out: &Path, fresh: bool) -> anyhow::Result<CommandOutcome> {
    let settings = settings(shards)?;
    let (lines, sound) = lines(shards, &settings)?;
    let folder = RunFolder::open(out, &settings, fresh)?;
    for (from, line) in lines.values() {
        copy(&record_path(from, &line.key), &record_path(out, &line.key))?;
        let exchanges = exchange_path(from, &line.key);
        if exchanges.exists() {
            copy(&exchanges, &exchange_path(out, &line.key))?;
        }
    }
    let lines: Vec<EpisodeLine> = lines.into_values().map(|(_, line)| line).collect();
    write_lines(out, &lines)?;
    let first = settings.seeds.first().copied().unwrap_or(0);
    let summary = Summary::of(RunFacts::of(first, &lines), lines.iter().map(|line| &line.score));
    let planned: u32 = settings.planned().values().sum();
    let missing = (planned as usize).saturating_sub(lines.len());
    say::print(&report::table(&summary))?;
    let (count, from) = (say::count(lines.len(), "episode"), say::count(shards.len(), "folder"));
    if missing > 0 {
        say::note(&format!(
            "{count} from {from} in {}; {missing} are missing and there is no summary yet: merge the other shards too, or \
             play them with the run's command, without --shard and with --out {}",
            out.display(),
            out.display()
        ));
        return Ok(CommandOutcome::Failed);
    }
    folder.finish(&settings, &summary.to_json())?;
    say::note(&format!("{count} from {from} in {}", out.display()));
    Ok(if sound { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

/// The settings that all shards share.
fn settings(shards: &[PathBuf]) -> anyhow::Result<RunSettings> {
    let mut whole: Option<RunSettings> = None;
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

/// The episodes of all shards, and whether every line said what its record says.
fn lines<'a>(shards: &'a [PathBuf], settings: &RunSettings) -> anyhow::Result<(Found<'a>, bool)> {
    let (mut all, mut sound): (Found<'a>, bool) = (BTreeMap::new(), true);
    for shard in shards.iter().filter(|shard| shard.join(EPISODES).exists()) {
        let found = episodes::read(shard)?;
        if found.unproven > 0 {
            bail!("{}: {} records are missing; merge folders with their records/", shard.display(), found.unproven);
        }
        sound &= found.is_sound();
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
    Ok((all, sound))
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if let Some(folder) = to.parent() {
        make(folder)?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}
