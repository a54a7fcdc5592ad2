//! `rescore`: grades stored records again. Nothing is simulated, so a change of grading shows at once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueHint;
use record::folder::{
    Damage, EPISODES, FolderLock, Lines, RECORDS, RecordFile, RunSettings, SUMMARY, read_lines, read_settings,
    record_files, write_lines,
};
use record::{EpisodeLine, write_whole};
use report::{RunFacts, Summary};
use serde_json::Value;

use crate::exit::CommandOutcome;
use crate::say;

/// So many changes are told one by one.
const TOLD: usize = 20;

const EXAMPLES: &str = "\
Examples:
  sre-zero rescore runs/RUN           grade a run again and write its summary.json anew
  sre-zero rescore runs/RUN --json    print the summary for other programs

It ends with 1 and writes nothing if a record is missing, is not the one that the run wrote, or
belongs to another run.";

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

/// Grades all records of a folder. Unless all is as the run left it, nothing is written.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let folder = &args.folder;
    let settings = read_settings(folder, "give the folder of a run")?;
    let _lock = settings.as_ref().map(|_| FolderLock::take(folder)).transpose()?;
    let index = folder.join(EPISODES);
    let before = if index.exists() { read_lines(folder)? } else { Lines::default() };
    for Damage { line, problem } in &before.damaged {
        say::note(&format!("left out: {}: line {line}: {problem}", index.display()));
    }
    let before = before.lines;
    let known: Index<'_> = before.iter().map(|line| (&*line.key, line)).collect();
    let graded = grade(folder, &known)?;
    let doubts = doubts(settings.as_ref(), &known, &graded);
    if !doubts.is_empty() {
        refuse(folder, &doubts);
        return Ok(CommandOutcome::Failed);
    }
    let lines: Vec<EpisodeLine> = graded.into_iter().map(|file| EpisodeLine { key: file.place, ..file.line }).collect();
    let summary = Summary::of(what_was_run(settings.as_ref(), &lines)?, lines.iter().map(|line| &line.score));
    if index.exists() && before != lines {
        write_lines(folder, &lines)?;
    }
    write_whole(&folder.join(SUMMARY), summary.to_json().as_bytes())?;
    say::print(&if args.json { summary.to_json() } else { report::table(&summary) })?;
    say::note(&changes(&known, &lines));
    Ok(CommandOutcome::Fine)
}

/// A record, graded.
struct Graded {
    /// Its place below `records/`, which should be its key.
    place: String,
    line: EpisodeLine,
}

/// All records of a folder, by place.
fn grade(folder: &Path, known: &Index<'_>) -> anyhow::Result<Vec<Graded>> {
    let records = folder.join(RECORDS);
    let files = if records.exists() || known.is_empty() {
        record_files(folder).context("give the folder of a run")?
    } else {
        vec![]
    };
    if files.is_empty() && known.is_empty() {
        bail!("there is no record in {}; give the folder of a run", records.display());
    }
    let grade = |file: RecordFile| Ok(Graded { line: EpisodeLine::read(&file.path)?, place: file.place });
    files.into_iter().map(grade).collect()
}

/// What is not as the run left it.
fn doubts(settings: Option<&RunSettings>, known: &Index<'_>, graded: &[Graded]) -> Vec<String> {
    let found: BTreeSet<&str> = graded.iter().map(|file| &*file.place).collect();
    let missing = known.keys().filter(|key| !found.contains(*key)).map(|key| format!("the record is missing: {key}"));
    let foreign = |file: &Graded| {
        let Graded { place, line } = file;
        if *place != line.key && !(known.is_empty() && repeats(place, &line.key)) {
            return Some(format!("not in its place, move it away: {place}: it is the record of {}", line.key));
        }
        if known.get(&**place).is_some_and(|old| old.digest != line.digest) {
            return Some(format!("not the record that the run wrote: {place}"));
        }
        let why = settings?.excludes(line)?;
        Some(format!("not a record of this run, move it away: {place}: {why}"))
    };
    missing.chain(graded.iter().filter_map(foreign)).collect()
}

/// Playing a task again gives `0-2` beside `0`.
fn repeats(place: &str, key: &str) -> bool {
    let number = place.strip_prefix(key).and_then(|rest| rest.strip_prefix('-'));
    number.is_some_and(|n| n.parse::<u32>().is_ok())
}

fn refuse(folder: &Path, doubts: &[String]) {
    doubts.iter().take(TOLD).for_each(|doubt| say::note(doubt));
    if doubts.len() > TOLD {
        say::note(&format!("and {} more", doubts.len() - TOLD));
    }
    say::note(&format!(
        "Nothing was written to {}. The `sre-zero run` command that made it plays missing and altered episodes again.",
        folder.display()
    ));
}

fn what_was_run(settings: Option<&RunSettings>, lines: &[EpisodeLine]) -> anyhow::Result<RunFacts> {
    let world_version = lines[0].world_version;
    if let Some(other) = lines.iter().find(|line| line.world_version != world_version) {
        let (first, other_version) = (&lines[0].key, other.world_version);
        bail!(
            "{first} is of world version {world_version}, {} of {other_version}: they cannot be summed up",
            other.key
        );
    }
    // An episode's seed is that of the run plus its number.
    let first = |line: &EpisodeLine| line.score.seed.saturating_sub(u64::from(line.score.episode));
    let seed = settings.and_then(|settings| settings.seeds.first().copied()).or_else(|| lines.iter().map(first).min());
    Ok(RunFacts::of(seed.unwrap_or(0), lines))
}

/// The lines of a run, by key.
type Index<'a> = BTreeMap<&'a str, &'a EpisodeLine>;

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
