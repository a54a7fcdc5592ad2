//! A request for a Terraform configuration as a challenge of one step: the reply's files are evaluated, planned, applied,
//! checked, planned again and destroyed in a simulated cloud.

use std::collections::BTreeMap;
use std::sync::Arc;

use terraform::TERRAFORM_VERSION;
use terraform::extract::{Extraction, Unparsed};
use terraform::generate::{GeneratedTask, TaskFamily, generate};
use terraform::task::{LifecycleStage, ShippedTask, StageOutcome, TerraformTask, TerraformVerdict};

use crate::brief::Messages;
use crate::one_step::OneStep;
use crate::record::{Check, LifecycleVerdict, QuestionCard, QuestionVerdict, ReplyReading, sha256};

/// What a model is told beside the request.
const SYSTEM: &str =
    "You write Terraform. Answer with code blocks only, one per file, each labelled with the file's name.";
/// So many errors of a stage are kept, each so long: a reply can cause any number of them.
const ERRORS_KEPT: usize = 12;
const ERROR_LENGTH: usize = 400;

/// A request for a configuration.
pub struct ConfigurationRequest {
    id: String,
    digest: String,
    family: String,
    clusters: BTreeMap<String, String>,
    source: RequestSource,
}

enum RequestSource {
    /// The same request under every seed.
    Published { task: Arc<TerraformTask>, solution: &'static str },
    /// Another request under each seed.
    Generated(TaskFamily),
}

impl ConfigurationRequest {
    /// A shipped request.
    pub fn published(shipped: &ShippedTask) -> ConfigurationRequest {
        ConfigurationRequest {
            id: format!("terraform-{}", shipped.id.replace('_', "-")),
            digest: sha256(shipped.text.as_bytes()),
            family: "terraform".to_string(),
            clusters: BTreeMap::from([("template".to_string(), shipped.id.to_string())]),
            source: RequestSource::Published { task: Arc::new(shipped.task()), solution: shipped.solution },
        }
    }

    /// The requests of a cloud and an area, one for each seed.
    pub fn generated(family: TaskFamily) -> ConfigurationRequest {
        let id = format!("terraform-{}", family.name());
        ConfigurationRequest {
            digest: sha256(format!("{id} drawn by version {TERRAFORM_VERSION}").as_bytes()),
            family: id.clone(),
            id,
            clusters: BTreeMap::from([("template".to_string(), family.name().to_string())]),
            source: RequestSource::Generated(family),
        }
    }

    fn task(&self, seed: u64) -> Arc<TerraformTask> {
        match &self.source {
            RequestSource::Published { task, .. } => task.clone(),
            RequestSource::Generated(family) => Arc::new(generate(*family, seed).task),
        }
    }
}

impl OneStep for ConfigurationRequest {
    fn id(&self) -> &str {
        &self.id
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn family(&self) -> &str {
        &self.family
    }

    fn card(&self) -> QuestionCard {
        QuestionCard { version: TERRAFORM_VERSION, clusters: self.clusters.clone() }
    }

    fn kind(&self) -> &'static str {
        "terraform"
    }

    fn messages(&self, seed: u64) -> Messages {
        Messages { system: SYSTEM.to_string(), user: self.task(seed).prompt() }
    }

    fn grade(&self, reply: &str, cut: bool, seed: u64) -> QuestionVerdict {
        verdict(&self.task(seed).judge(reply), cut)
    }

    fn solution(&self, seed: u64) -> Option<String> {
        Some(match &self.source {
            RequestSource::Published { solution, .. } => (*solution).to_string(),
            RequestSource::Generated(family) => GeneratedTask::reply(&generate(*family, seed).reference()),
        })
    }
}

fn verdict(found: &TerraformVerdict, cut: bool) -> QuestionVerdict {
    let reading = reading(found, cut);
    let reached = found.stages.iter().filter(|stage| stage.outcome != StageOutcome::Skipped);
    let stages = reached.map(|stage| Check {
        name: stage.stage.name().to_string(),
        ok: stage.outcome == StageOutcome::Passed,
        found: told(&stage.errors),
    });
    let requirements = found.checks.iter().map(|check| Check {
        name: check.name.clone(),
        ok: check.passed,
        found: shortened(if check.passed { "" } else { &check.found }),
    });
    QuestionVerdict {
        answer: match &found.extraction {
            Extraction::Found { files, .. } => files.keys().cloned().collect::<Vec<_>>().join(", "),
            Extraction::Unparsed(_) => String::new(),
        },
        correct: found.passed,
        score: if reading == ReplyReading::Answered { found.score } else { 0.0 },
        lifecycle: Some(LifecycleVerdict {
            category: found.category.map(|stage| stage.name().to_string()),
            stages: stages.collect(),
            requirements: requirements.collect(),
        }),
        ..QuestionVerdict::unread(reading)
    }
}

/// A reply that was cut off and cannot be read for it is told apart from one that is wrong.
fn reading(found: &TerraformVerdict, cut: bool) -> ReplyReading {
    let unreadable = matches!(found.category, Some(LifecycleStage::Extract | LifecycleStage::Syntax));
    match found.extraction {
        Extraction::Found { truncated, .. } if (truncated || cut) && unreadable => ReplyReading::Truncated,
        Extraction::Found { .. } => ReplyReading::Answered,
        Extraction::Unparsed(Unparsed::Refused) => ReplyReading::Refused,
        Extraction::Unparsed(_) if cut => ReplyReading::Truncated,
        Extraction::Unparsed(_) => ReplyReading::Unparsed,
    }
}

fn told(errors: &[String]) -> String {
    let mut lines: Vec<String> = errors.iter().take(ERRORS_KEPT).map(|error| shortened(error)).collect();
    if errors.len() > ERRORS_KEPT {
        lines.push(format!("and {} more", errors.len() - ERRORS_KEPT));
    }
    lines.join("\n")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(ERROR_LENGTH) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}
