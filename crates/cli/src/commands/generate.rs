//! `generate`: tasks without end. Same arguments, same bytes.

mod cluster;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use agents::runbook::Runbook;
use anyhow::{Context, bail};
use clap::ValueHint;
use harness::generate::{Batch, BatchNews, Generator, GeneratorOptions, TriedBy, manifest};
use harness::{Difficulty, Split, Stop, StopReason, write_whole};
use runner::jobs;

use crate::exit::CommandOutcome;
use crate::progress::Progress;
use crate::{say, sheet};

const MANIFEST: &str = "manifest.json";

/// Worlds with so many services take a while before anything is heard of them.
const LARGE: usize = 500;

const EXAMPLES: &str = "\
Examples:
  sre-zero generate --count 100 --seed 7 --out tasks-7        a hundred tasks of all kinds
  sre-zero generate --count 20 --seed 1 --families build,network --out faults
  sre-zero generate --count 20 --seed 1 --difficulty hard --services 5..12 --out hard
  sre-zero generate --world kubernetes --count 100 --seed 7 --out problems-7
                                                              problems in a cluster
  sre-zero run --task-dir tasks-7 --agents runbook            play them
  sre-zero check tasks-7/gen_7_000000.toml                    prove one of them again

Each task is proved to be fair before it is written, as `sre-zero check` does it; candidates that
are not fair are counted by reason. The same arguments write the same bytes, whatever the number
of jobs.

Written to the folder:
  gen_SEED_NUMBER.toml    one task each: world, fault, evidence, fix, solution, measured difficulty
  manifest.json           what was asked for, what was thrown away, and which families and shapes of
                          worlds are held back for the split `test`";

/// Arguments of `generate`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// How many tasks
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    /// The seed: another one gives other tasks
    #[arg(long, value_name = "S")]
    seed: u64,
    /// Only faults of these families, with commas between them
    #[arg(long, value_name = "F,..", value_delimiter = ',')]
    families: Vec<String>,
    /// A band of measured difficulty: easy, medium, hard or from..to
    #[arg(long, value_name = "A..B")]
    difficulty: Option<String>,
    /// How many services the worlds have, from..to: 3 to 5000 [default: 3..50]
    #[arg(long, value_name = "A..B")]
    services: Option<String>,
    /// What breaks: `services`, or `kubernetes` for problems in a cluster
    #[arg(long, value_name = "WORLD", default_value = "services", value_parser = ["services", "kubernetes"])]
    world: String,
    /// Prove every pair of a fault and a place in a cluster alone, however many there are
    #[arg(long, conflicts_with_all = ["families", "difficulty", "services"])]
    every_pair: bool,
    /// The folder to write to; it must be empty or not there yet
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// How many candidates are tried at a time; changes no result [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

/// Makes the tasks, writes them, and tells what was thrown away.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let options = GeneratorOptions::parse(&args.families, args.difficulty.as_deref(), args.services.as_deref())
        .map_err(anyhow::Error::msg)?;
    if args.world == "kubernetes" {
        if !args.families.is_empty() || args.difficulty.is_some() || args.services.is_some() {
            bail!("--families, --difficulty and --services are about the world of services");
        }
        make_room(&args.out)?;
        return cluster::run(args.count as usize, args.seed, &args.out, jobs(args.jobs), args.every_pair);
    }
    if args.every_pair {
        bail!("--every-pair is about the world kubernetes");
    }
    make_room(&args.out)?;
    let began = Instant::now();
    if options.services.1 >= LARGE {
        say::note(&format!(
            "In a world of {} services other incidents are lived through before its first candidate is tried: that may take minutes.",
            options.services.1
        ));
    }
    let generator = Generator::new(args.seed, options);
    let by = TriedBy { responder: &Runbook, blind: agents::blind::WITH_MEMORY };
    let stop = stop_on_interrupt()?;
    let (mut progress, mut tried, mut unwritten) =
        (Progress::new("tasks", args.count as usize), Trials::default(), None);
    let batch = generator.batch(args.count as usize, jobs(args.jobs), by, &stop, |news| match news {
        BatchNews::Trying(what) => progress.note(&tried.trying(what)),
        BatchNews::Rejected(why) => progress.note(&tried.rejected(why)),
        BatchNews::Made(made) => {
            // What is certified is kept at once, whatever comes after it.
            let path = args.out.join(format!("{}.toml", made.task.id));
            unwritten = unwritten.take().or(write_whole(&path, made.text.as_bytes()).err());
            if unwritten.is_some() {
                stop.ask(StopReason::Unwritable(String::new()));
            }
            tried.made();
            progress.step(true);
        }
    });
    progress.finish();
    if let Some(error) = unwritten {
        return Err(error.into());
    }
    let batch = batch.map_err(anyhow::Error::msg)?;
    write_whole(&args.out.join(MANIFEST), manifest(&generator, &batch).as_bytes())?;
    say::print(&told(&generator, &batch, &args.out))?;
    say::note(&took(&batch, began.elapsed()));
    if stop.is_asked() {
        say::note(&format!("stopped with {} of {} tasks; what was certified is kept", batch.made.len(), args.count));
        return Ok(CommandOutcome::Interrupted);
    }
    Ok(CommandOutcome::Fine)
}

/// Has Ctrl-C stop before the next part of a trial; once more ends the program at once, and what was certified is kept as well.
fn stop_on_interrupt() -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let asked = stop.clone();
    ctrlc::set_handler(move || {
        if asked.is_asked() {
            std::process::exit(130);
        }
        say::note("stopping within seconds, what was certified is kept; Ctrl-C again leaves at once");
        asked.ask(StopReason::Interrupted);
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

/// How many candidates were tried, and why most of them were thrown away.
#[derive(Default)]
struct Trials {
    made: usize,
    rejected: BTreeMap<&'static str, usize>,
}

impl Trials {
    fn made(&mut self) {
        self.made += 1;
    }

    /// What is said while one is tried.
    fn trying(&self, what: &str) -> String {
        format!("candidate {}: {what}; {}", self.made + self.thrown() + 1, self.so_far())
    }

    /// One more was thrown away; gives what is said of all so far.
    fn rejected(&mut self, why: &'static str) -> String {
        *self.rejected.entry(why).or_default() += 1;
        self.so_far()
    }

    fn thrown(&self) -> usize {
        self.rejected.values().sum()
    }

    fn so_far(&self) -> String {
        let thrown = self.thrown();
        let most = self.rejected.iter().max_by_key(|(_, n)| **n);
        let most = most.map_or(String::new(), |(why, n)| format!(", {n} because {why}"));
        format!("{} candidates tried, {thrown} thrown away{most}", self.made + thrown)
    }
}

/// The folder, empty: what an earlier request left there would look like a part of this one.
fn make_room(folder: &Path) -> anyhow::Result<()> {
    let problem = || format!("cannot use the folder {}", folder.display());
    match fs::read_dir(folder).map(Iterator::count) {
        Ok(1..) => {
            bail!("{} is not empty; choose another --out, or empty it", folder.display())
        }
        Ok(0) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir_all(folder).with_context(problem),
        Err(error) => Err(error).with_context(problem),
    }
}

fn told(generator: &Generator, batch: &Batch, folder: &Path) -> String {
    let (made, rejected) = (batch.made.len(), batch.rejected.values().sum::<usize>());
    let mut out = String::new();
    let percent = 100.0 * batch.acceptance();
    put(&mut out, &format!("{made} of {} candidates certified ({percent:.0}%)", made + rejected));
    let mut reasons: Vec<(&&str, &usize)> = batch.rejected.iter().collect();
    reasons.sort_by_key(|(why, n)| (std::cmp::Reverse(**n), **why));
    let rows = reasons.iter().map(|(why, n)| [n.to_string(), why.to_string()]);
    if rejected > 0 {
        out += &sheet::wide(["rejected", "because"], rows);
    }
    put(
        &mut out,
        &format!(
            "{} faults of {} families, {} shapes of worlds with {} to {} services",
            batch.different(|m| m.fault),
            batch.different(|m| m.family),
            batch.different(|m| &m.outline),
            batch.made.iter().map(|m| m.services).min().unwrap_or_default(),
            batch.made.iter().map(|m| m.services).max().unwrap_or_default(),
        ),
    );
    let (routes, operations) = batch.asked();
    let domains = batch.different(|m| m.domain);
    put(&mut out, &format!("{domains} domains with {routes} routes and {operations} operations"));
    let count = |name: &str, n: usize| format!("{name} {n}");
    let difficulties =
        Difficulty::ALL.map(|d| count(d.text(), batch.made.iter().filter(|m| m.task.difficulty == d).count()));
    let splits = Split::ALL.map(|s| count(s.text(), batch.made.iter().filter(|m| m.task.split == s).count()));
    put(&mut out, &format!("difficulty: {}; split: {}", difficulties.join(", "), splits.join(", ")));
    let (families, shapes) = generator.drawn_from(Split::Test);
    put(
        &mut out,
        &format!("held back for the split test: the families {} and {shapes} shapes of worlds", families.join(", ")),
    );
    put(&mut out, &format!("In {}: {made} task files, {MANIFEST}", folder.display()));
    out
}

fn took(batch: &Batch, took: Duration) -> String {
    let secs = took.as_secs_f64();
    let made = batch.made.len() as f64;
    if made > 0.0 && made < secs {
        return format!("{secs:.1} s, {:.1} s for each certified task", secs / made);
    }
    format!("{secs:.1} s, {:.0} certified tasks per second", made / secs.max(1e-9))
}

fn put(out: &mut String, line: &str) {
    writeln!(out, "{line}").expect("a string takes everything");
}
