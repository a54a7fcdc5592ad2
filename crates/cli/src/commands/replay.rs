//! `replay`: the same task, seed and calls must give the same record, to the byte; of one episode or of a whole run.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, bail};
use clap::ValueHint;
use harness::replay::{self, Replay};
use harness::{Challenge, skills};
use problems::ProblemChallenge;
use record::ProblemCard;
use record::folder::{RecordFile, record_files, run_folders};
use record::{Record, read_text, sha256};

use crate::commands::judge;
use crate::exit::CommandOutcome;
use crate::pick::TaskLibrary;
use crate::{episodes, question_files, say, timeline};

/// So many records that differ are told one by one.
const TOLD: usize = 20;

const EXAMPLES: &str = "\
Examples:
  sre-zero replay runs/RUN/records/runbook/TASK/0.jsonl
  sre-zero replay one.jsonl --task-dir my-tasks    a record of a task of your own
  sre-zero replay runs/RUN --questions mine.jsonl  a run of questions of your own
  sre-zero replay runs/RUN                         prove a whole run, line by line and record by record

It prints what happened, then whether it happened again; it ends with 1 if it did not. What a model or a program wrote
cannot be proved, only what the world made of it.";

/// Arguments of `replay`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The record of an episode, or the folder of a run
    #[arg(value_name = "RECORD|DIR", value_hint = ValueHint::AnyPath)]
    record: PathBuf,
    /// Look for the task in this folder of your own first
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
    /// Look for the questions in these files of your own first
    #[arg(long, value_name = "FILE,..", value_delimiter = ',', value_hint = ValueHint::FilePath)]
    questions: Vec<PathBuf>,
    /// For the run of a judge: the folder of the run that was judged
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    judged: Option<PathBuf>,
}

/// Where what was played is looked up.
struct PlayedThings {
    tasks: TaskLibrary,
    questions: Vec<Arc<dyn Challenge>>,
}

impl PlayedThings {
    fn question(&self, id: &str, problem: Option<&ProblemCard>) -> Option<Arc<dyn Challenge>> {
        let live = problem.and_then(|card| card.live);
        let problem = || problems::find(id).map(|one| ProblemChallenge::again(one, live));
        self.questions.iter().find(|one| one.id() == id).cloned().or_else(|| skills::find(id)).or_else(problem)
    }
}

/// Prints the timeline and compares, or proves a whole run.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let played = PlayedThings {
        tasks: TaskLibrary::open(args.task_dir.as_deref())?,
        questions: match &args.judged {
            Some(folder) => judge::judgements(folder, &args.questions)?,
            None => skills::of_questions(question_files::sound(&args.questions)?),
        },
    };
    if args.record.is_dir() {
        let mut outcome = CommandOutcome::Fine;
        for folder in run_folders(&args.record) {
            outcome = outcome.max(whole(&folder, &played)?);
        }
        return Ok(outcome);
    }
    let (stored, replayed) = again(&args.record, &played)?;
    say::print(&(timeline::text(&stored) + &verdict(&stored, &replayed)))?;
    Ok(if is_proved(&stored, &replayed) { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

/// Plays the record in a file again.
fn again(path: &Path, played: &PlayedThings) -> anyhow::Result<(Record, Replay)> {
    let text = read_text(path, "read the record", "run the episode again")?;
    let stored = Record::parse(path, &text)?;
    let place = || path.display().to_string();
    let id = stored.header().map(|h| h.task.id.clone()).unwrap_or_default();
    let is_question =
        stored.header().is_some_and(|header| header.task.question.is_some() || header.task.problem.is_some());
    if is_question {
        let card = stored.header().and_then(|header| header.task.problem.as_ref());
        let challenge = played.question(&id, card).with_context(|| {
            format!(
                "{}: its question is not among those of the program; say where it is with --questions or --judged",
                place()
            )
        })?;
        let again = replay::replay_question(&stored, &*challenge).with_context(place)?;
        return Ok((stored, Replay { stored: sha256(text.as_bytes()), ..again }));
    }
    let task = played.tasks.one(&id);
    let task =
        task.with_context(|| format!("{}: its task is not built in; say where it is with --task-dir", place()))?;
    // To the byte: the file counts, not what was understood of it.
    let replayed = Replay { stored: sha256(text.as_bytes()), ..replay::replay(&stored, &task).with_context(place)? };
    Ok((stored, replayed))
}

/// A record of an older version has another text, so its events are compared.
fn is_proved(stored: &Record, replay: &Replay) -> bool {
    match stored.header().and_then(|header| header.lifted_from) {
        None => replay.is_same(),
        Some(_) => replay.difference.is_none(),
    }
}

/// Proves a run: each line by its record, each record by playing it again.
fn whole(folder: &Path, played: &PlayedThings) -> anyhow::Result<CommandOutcome> {
    let listed = episodes::read(folder)?;
    let files = record_files(folder)?;
    if files.is_empty() {
        bail!("there is no record in {}; give the folder of a run", folder.display());
    }
    let wrong = prove(&files, played);
    wrong.iter().take(TOLD).for_each(|problem| say::note(problem));
    if wrong.len() > TOLD {
        say::note(&format!("and {} more", wrong.len() - TOLD));
    }
    let (all, proved) = (say::count(files.len(), "record"), files.len() - wrong.len());
    let sound = wrong.is_empty() && listed.is_sound() && listed.unproven == 0;
    let lines = if sound { "all lines say what they say" } else { "the messages say what is not as it was" };
    say::print(&format!("{}: {proved} of {all} played again to the same; {lines}\n", folder.display()))?;
    Ok(if sound { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

/// What is wrong with records, found on all cores.
fn prove(files: &[RecordFile], played: &PlayedThings) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            match again(&file.path, played) {
                Ok((stored, replay)) if is_proved(&stored, &replay) => {}
                Ok((stored, replay)) => wrong.push(format!("{}: {}", file.place, verdict(&stored, &replay).trim_end())),
                Err(error) => wrong.push(format!("{error:#}")),
            }
        }
        wrong
    };
    let jobs = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    thread::scope(|threads| {
        let others: Vec<_> =
            (1..jobs).filter_map(|_| thread::Builder::new().spawn_scoped(threads, work).ok()).collect();
        let mut wrong = work();
        others.into_iter().for_each(|other| wrong.extend(other.join().unwrap_or_default()));
        wrong.sort();
        wrong
    })
}

fn verdict(stored: &Record, replay: &Replay) -> String {
    let lifted = stored.header().and_then(|header| header.lifted_from);
    match (&replay.difference, lifted) {
        _ if replay.is_same() => format!("replayed: the same digest, {}\n", replay.stored),
        (None, Some(version)) => {
            format!(
                "replayed: the same events, recorded in version {version}; the file's digest is {}\n",
                replay.stored
            )
        }
        (Some(at), _) => format!(
            "replayed: it differs at {}, in `{}`\n  stored   {}\n  replayed {}\n",
            at.place, at.field, at.stored, at.again
        ),
        (None, None) => format!(
            "replayed: the same events, written otherwise\n  stored   {}\n  replayed {}\n",
            replay.stored, replay.again
        ),
    }
}
