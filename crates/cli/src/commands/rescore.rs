//! `rescore`: grades stored records again. Nothing is simulated, so a change of grading shows at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueHint;
use harness::suites::SUITE_VERSION;
use harness::sweep::{self, EPISODES, EpisodeLine};
use harness::{Record, write_whole};
use report::{Run, Summary};
use serde_json::Value;

use crate::exit::Outcome;
use crate::say;

/// So many changes are told one by one.
const TOLD: usize = 20;

const EXAMPLES: &str = "\
Examples:
  sre-zero rescore runs/RUN           grade a run again and write its summary.json anew
  sre-zero rescore runs/RUN --json    print the summary for other programs

It ends with 1 if a record is not the one that the run wrote.";

/// Arguments of `rescore`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder of a run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Print the summary as JSON instead of the table
    #[arg(long)]
    json: bool,
}

/// Grades all records of a folder.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let folder = &args.folder;
    let lines = grade(folder)?;
    let index = folder.join(EPISODES);
    let before = if index.exists() { sweep::read_lines(folder)? } else { Vec::new() };
    let summary = Summary::of(what_was_run(&lines)?, lines.iter().map(|line| &line.score));
    if index.exists() && before != lines {
        let text: Vec<String> = lines.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        write_whole(&index, (text.join("\n") + "\n").as_bytes())?;
    }
    let before: Index<'_> = before.iter().map(|line| (&*line.key, line)).collect();
    write_whole(&folder.join("summary.json"), summary.to_json().as_bytes())?;
    say::print(&if args.json { summary.to_json() } else { report::table(&summary) })?;
    say::note(&changes(&before, &lines));
    let altered = altered(&before, &lines);
    altered.iter().for_each(|key| say::note(&format!("not the record that the run wrote: {key}")));
    Ok(if altered.is_empty() { Outcome::Fine } else { Outcome::Failed })
}

/// A line for each record, by key.
fn grade(folder: &Path) -> anyhow::Result<Vec<EpisodeLine>> {
    let records = folder.join("records");
    let mut files = Vec::new();
    walk(&records, &mut files)?;
    if files.is_empty() {
        bail!("there is no record in {}; give the folder of a run", records.display());
    }
    let mut lines = files.iter().map(|file| line(&records, file)).collect::<anyhow::Result<Vec<_>>>()?;
    lines.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(lines)
}

fn line(records: &Path, file: &Path) -> anyhow::Result<EpisodeLine> {
    let record = Record::read(file)?;
    let header = record.header().with_context(|| format!("{}: it has no header", file.display()))?;
    let name = file.strip_prefix(records).unwrap_or(file).with_extension("");
    Ok(EpisodeLine {
        key: name.to_string_lossy().replace('\\', "/"),
        digest: record.digest(),
        task_digest: header.task.digest.clone(),
        world_version: header.world_version,
        suite_version: header.suite_version,
        noise: header.noise,
        tools: header.tools.clone(),
        score: record.score().with_context(|| file.display().to_string())?,
    })
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let unread = || format!("cannot read the folder {}; give the folder of a run", folder.display());
    for entry in fs::read_dir(folder).with_context(unread)? {
        let path = entry.with_context(unread)?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}

fn what_was_run(lines: &[EpisodeLine]) -> anyhow::Result<Run> {
    let world_version = lines[0].world_version;
    if let Some(other) = lines.iter().find(|line| line.world_version != world_version) {
        let (first, other_version) = (&lines[0].key, other.world_version);
        bail!(
            "{first} is of world version {world_version}, {} of {other_version}: they cannot be summed up",
            other.key
        );
    }
    // An episode's seed is that of the run plus its number.
    let seed = lines.iter().map(|line| line.score.seed.saturating_sub(u64::from(line.score.episode))).min();
    Ok(Run { world_version, suite_version: SUITE_VERSION, seed: seed.unwrap_or(0), digest: sweep::digest(lines) })
}

/// The lines of a run, by key.
type Index<'a> = BTreeMap<&'a str, &'a EpisodeLine>;

/// Keys of records whose text is no longer what the run noted.
fn altered(before: &Index<'_>, now: &[EpisodeLine]) -> Vec<String> {
    let other = |line: &&EpisodeLine| before.get(&*line.key).is_some_and(|old| old.digest != line.digest);
    now.iter().filter(other).map(|line| line.key.clone()).collect()
}

fn changes(before: &Index<'_>, now: &[EpisodeLine]) -> String {
    let graded = format!("{} graded", say::count(now.len(), "record"));
    let known: Vec<_> = now.iter().filter_map(|line| Some((*before.get(&*line.key)?, line))).collect();
    let changed: Vec<String> = known.iter().filter_map(|(old, new)| change(old, new)).collect();
    let fresh = now.len() - known.len();
    let added = if fresh > 0 { format!(", {fresh} for the first time") } else { String::new() };
    match changed.len() {
        0 => format!("{graded}{added}; no score changed"),
        n => {
            let more = if n > TOLD { format!("\nand {} more", n - TOLD) } else { String::new() };
            let told = &changed[..n.min(TOLD)];
            format!("{graded}{added}; {} changed:\n{}{more}", say::count(n, "score"), told.join("\n"))
        }
    }
}

fn change(old: &EpisodeLine, new: &EpisodeLine) -> Option<String> {
    let json = |line: &EpisodeLine| serde_json::to_value(&line.score).unwrap_or(Value::Null);
    let (was, is) = (json(old), json(new));
    let fields = is.as_object()?.iter().filter(|(name, value)| was.get(name) != Some(value));
    let shown = |name: &str| was.get(name).map_or("nothing".to_string(), Value::to_string);
    let parts: Vec<String> = fields.map(|(name, value)| format!("{name} {} -> {value}", shown(name))).collect();
    (!parts.is_empty()).then(|| format!("  {}: {}", new.key, parts.join(", ")))
}
