//! `judge`: a model marks the replies of a run, for the families that were published with a judge.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::ValueHint;
use harness::{Challenge, JudgedReply, Noise, OneStepChallenge, ToolSet, read_text};
use problems::JudgedDiagnosis;
use questions::{Question, shipped};
use record::Record;
use record::folder::{record_files, run_folders};
use runner::{RunFlags, RunRequest, SamplingArgs, SweepPart, seeds};

use crate::exit::CommandOutcome;
use crate::question_files;

/// What records call the suite of a judge's run.
const SUITE: &str = "judgements";
/// The profile that judges: every profile asks a question the same way.
const PROFILE: &str = "tools";

const EXAMPLES: &str = "\
Examples:
  sre-zero judge runs/RUN --models openai/MODEL --out judged   mark what was written in a run
  sre-zero judge runs/RUN --models openai/MODEL --out again --replay judged
                                                               the same from its recording, nothing is called
  sre-zero report judged                                       the marks by family, as `Published scoring`

The judge is an agent: its run is recorded, resumed, capped and reported like any other. Only families whose published
scoring is a judge's are marked: masked changes, descriptions, and diagnoses of problems in a cluster, which are asked about with
nine questions on place, mechanism and scope. Ours needs no judge and stays beside it. A model is not asked about what it wrote
itself, unless --own says so.";

/// Arguments of `judge`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder of a run of questions
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    run: PathBuf,
    /// The judges, as provider/model, with commas between them
    #[arg(long, visible_alias = "judge", value_name = "P/M,..", value_delimiter = ',', required = true)]
    models: Vec<String>,
    /// Look for the questions in these files of your own first
    #[arg(long, value_name = "FILE,..", value_delimiter = ',', value_hint = ValueHint::FilePath)]
    questions: Vec<PathBuf>,
    /// Let a model judge what it wrote itself
    #[arg(long)]
    own: bool,
    /// How it goes about it.
    #[command(flatten)]
    flags: RunFlags,
    /// How models are asked.
    #[command(flatten)]
    sampling: SamplingArgs,
}

/// Asks the judges, then prints the table and where things are.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let challenges = judgements(&args.run, &args.questions)?;
    if !args.own {
        not_its_own(&args.run, &args.models)?;
    }
    let part = SweepPart { suite: SUITE.to_string(), challenges, remembered: Vec::new(), noise: Noise(0) };
    let request = RunRequest {
        // A prompt of the user's own judges in place of ours.
        agents: if args.sampling.prompt.is_empty() { vec![PROFILE.to_string()] } else { Vec::new() },
        models: args.models.clone(),
        seeds: seeds(0, 1)?,
        repeats: 1,
        tools: ToolSet::CLASSIC,
        parts: vec![part],
        own: None,
    };
    Ok(runner::run(&request, &args.flags, args.sampling.model_settings()?)?.into())
}

/// What judges are asked about the records of a run.
pub fn judgements(folder: &Path, files: &[PathBuf]) -> anyhow::Result<Vec<Arc<dyn Challenge>>> {
    if !folder.is_dir() {
        bail!("{} is not a folder; give the folder of a run, such as runs/RUN", folder.display());
    }
    let own = question_files::sound(files)?;
    let known: BTreeMap<&str, &Question> =
        shipped::carried().iter().chain(&own).map(|question| (question.id.as_str(), question)).collect();
    let mut found: Vec<Arc<dyn Challenge>> = Vec::new();
    for run in run_folders(folder) {
        for file in record_files(&run)? {
            let text = read_text(&file.path, "read the record", "run the episode again")?;
            let record = Record::parse(&file.path, &text)?;
            let question = record.header().and_then(|header| known.get(header.task.id.as_str()));
            let judgement = question.and_then(|question| JudgedReply::of(&record, question));
            let problem = record.header().and_then(|header| problems::find(&header.task.id));
            let diagnosis = problem.and_then(|problem| JudgedDiagnosis::of(&record, problem));
            found.extend(diagnosis.map(|one| Arc::new(OneStepChallenge::new(Arc::new(one))) as Arc<dyn Challenge>));
            found.extend(judgement.map(|one| Arc::new(OneStepChallenge::new(Arc::new(one))) as Arc<dyn Challenge>));
        }
    }
    if found.is_empty() {
        bail!(
            "nothing in {} needs a judge: masked changes, descriptions and diagnoses in a cluster do",
            folder.display()
        );
    }
    Ok(found)
}

/// Refuses a judge that is one of the models that are judged.
fn not_its_own(folder: &Path, judges: &[String]) -> anyhow::Result<()> {
    for run in run_folders(folder) {
        for file in record_files(&run)? {
            let text = read_text(&file.path, "read the record", "run the episode again")?;
            let record = Record::parse(&file.path, &text)?;
            let Some(model) = record.header().and_then(|header| header.model.as_ref()) else { continue };
            let name = format!("{}/{}", model.provider, model.model);
            if judges.contains(&name) {
                bail!("{name} would judge what it wrote itself; choose another judge, or say --own");
            }
        }
    }
    Ok(())
}
