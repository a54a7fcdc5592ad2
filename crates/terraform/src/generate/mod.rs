//! Tasks without end: a seed gives a request, its requirements, a reference answer, and wrong answers that each break one of them.
//!
//! A task is put together from parts (a network, a bucket, a cluster, ...). A part adds sentences, variables, configuration,
//! requirements, and for each requirement an edit that breaks it. Nothing is believed: the tests apply references and
//! mutants to the simulated cloud and compare the verdicts.
//!
//! To make choices from the same model: [`generate`] gives a configuration that satisfies its requirements,
//! [`GeneratedTask::mutants`] names what can be broken, [`GeneratedTask::variant`] gives the configuration with any
//! combination of them broken, and [`GeneratedTask::rewrite`] gives equivalent texts with other names and another order.

mod aws_access;
mod aws_compute;
mod aws_network;
mod aws_storage;
mod azure;
mod google;
mod kubernetes;
mod sketch;

use crate::config::SourceFiles;
use crate::draws::SeededDraws;
use crate::task::TerraformTask;

use sketch::TaskSketch;

/// Where a generated task comes from: a cloud and an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum TaskFamily {
    AwsNetwork,
    AwsCompute,
    AwsAccess,
    AwsStorage,
    AwsKubernetes,
    GoogleNetwork,
    GoogleCompute,
    GoogleStorage,
    GoogleKubernetes,
    AzureNetwork,
    AzureCompute,
    AzureStorage,
    AzureKubernetes,
}

impl TaskFamily {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::AwsNetwork,
        Self::AwsCompute,
        Self::AwsAccess,
        Self::AwsStorage,
        Self::AwsKubernetes,
        Self::GoogleNetwork,
        Self::GoogleCompute,
        Self::GoogleStorage,
        Self::GoogleKubernetes,
        Self::AzureNetwork,
        Self::AzureCompute,
        Self::AzureStorage,
        Self::AzureKubernetes,
    ];

    /// Its name, such as `aws-network`.
    pub fn name(self) -> &'static str {
        match self {
            Self::AwsNetwork => "aws-network",
            Self::AwsCompute => "aws-compute",
            Self::AwsAccess => "aws-access",
            Self::AwsStorage => "aws-storage",
            Self::AwsKubernetes => "aws-kubernetes",
            Self::GoogleNetwork => "google-network",
            Self::GoogleCompute => "google-compute",
            Self::GoogleStorage => "google-storage",
            Self::GoogleKubernetes => "google-kubernetes",
            Self::AzureNetwork => "azure-network",
            Self::AzureCompute => "azure-compute",
            Self::AzureStorage => "azure-storage",
            Self::AzureKubernetes => "azure-kubernetes",
        }
    }

    fn draw(self, sketch: &mut TaskSketch, draws: &mut SeededDraws) {
        match self {
            Self::AwsNetwork => aws_network::draw(sketch, draws),
            Self::AwsCompute => aws_compute::draw(sketch, draws),
            Self::AwsAccess => aws_access::draw(sketch, draws),
            Self::AwsStorage => aws_storage::draw(sketch, draws),
            Self::AwsKubernetes => kubernetes::aws(sketch, draws),
            Self::GoogleNetwork => google::network(sketch, draws),
            Self::GoogleCompute => google::compute(sketch, draws),
            Self::GoogleStorage => google::storage(sketch, draws),
            Self::GoogleKubernetes => kubernetes::google(sketch, draws),
            Self::AzureNetwork => azure::network(sketch, draws),
            Self::AzureCompute => azure::compute(sketch, draws),
            Self::AzureStorage => azure::storage(sketch, draws),
            Self::AzureKubernetes => kubernetes::azure(sketch, draws),
        }
    }
}

/// A generated task with its answers.
#[derive(Debug, Clone)]
pub struct GeneratedTask {
    /// The task itself.
    pub task: TerraformTask,
    /// Its family.
    pub family: TaskFamily,
    /// Its seed.
    pub seed: u64,
    sketch: TaskSketch,
}

/// A way to get a generated task wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskMutant {
    /// A short name.
    pub name: String,
    /// The requirement, or the category of the stage, that it breaks.
    pub breaks: String,
    /// What is done, in a few words.
    pub how: String,
    edits: Vec<(String, String)>,
}

/// Makes the task of a family and a seed.
pub fn generate(family: TaskFamily, seed: u64) -> GeneratedTask {
    let mut draws = SeededDraws::new(seed, family.name());
    let mut sketch = TaskSketch::default();
    family.draw(&mut sketch, &mut draws);
    sketch.finish(&mut draws);
    let task = sketch.task(&format!("{}_{seed}", family.name().replace('-', "_")));
    GeneratedTask { task, family, seed, sketch }
}

/// Makes a task of any family.
pub fn generate_any(seed: u64) -> GeneratedTask {
    generate(*SeededDraws::new(seed, "family").pick(&TaskFamily::ALL), seed)
}

impl GeneratedTask {
    /// The reference answer.
    pub fn reference(&self) -> SourceFiles {
        self.sketch.files(&[], None)
    }

    /// The ways to get it wrong.
    pub fn mutants(&self) -> &[TaskMutant] {
        self.sketch.mutants()
    }

    /// The reference with all of these ways of getting it wrong applied. None where two of them touch the same text.
    pub fn variant(&self, mutants: &[&TaskMutant]) -> Option<SourceFiles> {
        let edits: Vec<(String, String)> = mutants.iter().flat_map(|m| m.edits.iter().cloned()).collect();
        self.sketch.try_files(&edits, None)
    }

    /// An equivalent answer: other local names, another order. The same may be done to a variant.
    pub fn rewrite(&self, mutants: &[&TaskMutant], style: u64) -> Option<SourceFiles> {
        let edits: Vec<(String, String)> = mutants.iter().flat_map(|m| m.edits.iter().cloned()).collect();
        self.sketch.try_files(&edits, Some(style))
    }

    /// Files as a reply: one labelled block each.
    pub fn reply(files: &SourceFiles) -> String {
        files.iter().map(|(name, text)| format!("### {name}\n\n```hcl\n{text}```\n\n")).collect()
    }
}
