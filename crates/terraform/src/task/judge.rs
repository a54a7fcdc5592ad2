//! The verdict on a reply.

use std::collections::BTreeMap;

use super::lifecycle::{LifecycleRun, LifecycleStage, StageOutcome, StageReport};
use super::{TaskRequirement, TerraformTask};
use crate::config::SourceFiles;
use crate::datum::Datum;
use crate::engine::VariableValues;
use crate::eval::constant;
use crate::extract::{Extraction, extract};
use crate::questions::Applied;

/// What a reply is worth, stage by stage and requirement by requirement.
#[derive(Debug, Clone, PartialEq)]
pub struct TerraformVerdict {
    /// The task.
    pub task: String,
    /// All nine stages, in order.
    pub stages: Vec<StageReport>,
    /// All requirements; empty where nothing was applied.
    pub checks: Vec<CheckReport>,
    /// The first stage that failed.
    pub category: Option<LifecycleStage>,
    /// Whether every stage passed.
    pub passed: bool,
    /// From 0 to 1: the share of stages that passed, the requirements counting by their share. 1 means passed.
    pub score: f64,
    /// How the reply was read.
    pub extraction: Extraction,
}

/// One requirement, decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// Its name.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Whether it holds.
    pub passed: bool,
    /// What was found instead.
    pub found: String,
}

pub(super) fn reply(task: &TerraformTask, reply: &str) -> TerraformVerdict {
    match extract(reply) {
        Extraction::Found { files: found, layout, ambiguous, truncated } => {
            let mut verdict = files(task, &found);
            verdict.extraction = Extraction::Found { files: found, layout, ambiguous, truncated };
            verdict
        }
        Extraction::Unparsed(why) => {
            let failed = BTreeMap::from([(LifecycleStage::Extract, vec![why.to_string()])]);
            verdict(task, &failed, LifecycleStage::Extract, Vec::new(), Extraction::Unparsed(why))
        }
    }
}

pub(super) fn files(task: &TerraformTask, files: &SourceFiles) -> TerraformVerdict {
    let values: VariableValues = task.variables.iter().map(|v| (v.name.clone(), v.value.clone())).collect();
    let mut run = LifecycleRun::start(files, &values);
    let mut checks = Vec::new();
    if run.is_applied() {
        checks = requirements(task, &run, &values);
        checks.push(file_set(task, files));
        checks.extend(defaults(task, &run));
        checks.extend(other_values(task, &run, &checks));
        if checks.iter().any(|c| !c.passed) {
            let wrong = checks.iter().filter(|c| !c.passed).map(|c| format!("{}: {}", c.name, c.found));
            run.failed.insert(LifecycleStage::Checks, wrong.collect());
        }
        run.finish(&values);
    }
    let extraction = Extraction::Found {
        files: files.clone(),
        layout: crate::extract::ReplyLayout::Bare,
        ambiguous: Vec::new(),
        truncated: false,
    };
    let (failed, reached) = (run.failed, run.reached);
    verdict(task, &failed, reached, checks, extraction)
}

fn report(requirement: &TaskRequirement, held: Result<(), String>) -> CheckReport {
    let (name, text) = (requirement.name.clone(), requirement.text.clone());
    CheckReport { name, text, passed: held.is_ok(), found: held.err().unwrap_or_default() }
}

fn check(name: &str, text: &str, wrong: Vec<String>) -> CheckReport {
    CheckReport { name: name.to_owned(), text: text.to_owned(), passed: wrong.is_empty(), found: wrong.join("; ") }
}

fn requirements(task: &TerraformTask, run: &LifecycleRun, values: &VariableValues) -> Vec<CheckReport> {
    let applied = Applied { cloud: &run.cloud, outputs: &run.outputs, variables: values };
    let mut made: Vec<CheckReport> = task.requirements.iter().map(|r| report(r, applied.holds(&r.test))).collect();
    let missing = task.outputs.iter().filter(|(name, _)| run.outputs.get(name).is_none_or(Datum::is_null));
    let missing = missing.map(|(name, _)| format!("there is no output {name}")).collect();
    made.push(check("outputs", "Every output that is asked for is given.", missing));
    if !task.tags.is_empty() {
        let wanted = Datum::map(task.tags.iter().map(|(k, v)| (k.clone(), Datum::text(v.clone()))));
        let test = applied.untagged(&wanted);
        made.push(check("tags", "Everything that can carry tags is tagged.", test));
    }
    made
}

fn file_set(task: &TerraformTask, files: &SourceFiles) -> CheckReport {
    let missing = task.files.iter().filter(|f| !files.contains_key(*f)).map(|f| format!("{f} is missing"));
    let extra = files
        .keys()
        .filter(|f| f.ends_with(".tf") && !task.files.contains(f))
        .map(|f| format!("{f} was not asked for"));
    let wrong = if task.files.is_empty() { Vec::new() } else { missing.chain(extra).collect() };
    check("files", "The reply consists of the files that are asked for.", wrong)
}

fn defaults(task: &TerraformTask, run: &LifecycleRun) -> Option<CheckReport> {
    let root = &run.project()?.config().modules[0];
    let wrong = task.variables.iter().filter_map(|v| {
        let default = root.variables.get(&v.name)?.default.as_ref().and_then(|d| constant(d).ok());
        let same = default.is_some_and(|d| v.takes.convert(d).is_ok_and(|d| d.same(&v.value)));
        (!same).then(|| format!("{} has another default, or none", v.name))
    });
    let wrong: Vec<String> = wrong.collect();
    task.defaults.then(|| check("defaults", "Every variable has its default.", wrong))
}

/// A second run with other values: what is written as a constant does not follow them.
fn other_values(task: &TerraformTask, run: &LifecycleRun, first: &[CheckReport]) -> Option<CheckReport> {
    let values: VariableValues = task.variables.iter().map(|v| (v.name.clone(), v.other.clone())).collect();
    if task.variables.iter().all(|v| v.value == v.other) {
        return None;
    }
    let run = run.again(&values)?;
    let mut wrong: Vec<String> = run.failed.values().flatten().cloned().collect();
    if run.is_applied() {
        // What is wrong with the first values already is said there.
        let before = |name: &str| first.iter().any(|c| c.name == name && !c.passed);
        let late = requirements(task, &run, &values).into_iter().filter(|c| !c.passed && !before(&c.name));
        wrong.extend(late.map(|c| format!("{}: {}", c.name, c.found)));
    }
    Some(check("variables", "With other values of the variables, the requirements hold too.", wrong))
}

fn verdict(
    task: &TerraformTask,
    failed: &BTreeMap<LifecycleStage, Vec<String>>,
    reached: LifecycleStage,
    checks: Vec<CheckReport>,
    extraction: Extraction,
) -> TerraformVerdict {
    let stages: Vec<StageReport> = LifecycleStage::ALL
        .into_iter()
        .map(|stage| {
            let errors = failed.get(&stage).cloned().unwrap_or_default();
            let outcome = match (errors.is_empty(), stage <= reached) {
                (false, _) => StageOutcome::Failed,
                (true, true) => StageOutcome::Passed,
                (true, false) => StageOutcome::Skipped,
            };
            StageReport { stage, outcome, errors }
        })
        .collect();
    let passed = stages.iter().all(|s| s.outcome == StageOutcome::Passed);
    let score = if passed { 1.0 } else { score(&stages, &checks) };
    let category = failed.keys().next().copied();
    TerraformVerdict { task: task.id.clone(), stages, checks, category, passed, score, extraction }
}

#[allow(clippy::cast_precision_loss)]
fn score(stages: &[StageReport], checks: &[CheckReport]) -> f64 {
    let held = checks.iter().filter(|c| c.passed).count();
    let points = stages.iter().map(|s| match s.outcome {
        StageOutcome::Passed => 1.0,
        StageOutcome::Failed if s.stage == LifecycleStage::Checks => held as f64 / checks.len().max(1) as f64,
        _ => 0.0,
    });
    points.sum::<f64>() / stages.len() as f64
}
