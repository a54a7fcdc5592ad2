//! A problem as its file has it.

use serde::Deserialize;

use crate::vocabulary::{ProblemLayer, ProblemMode};

/// A problem file. What is left out is empty.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemFile {
    /// What is wrong, in a line.
    pub title: String,
    /// The applications that run, as folders of `applications`; commands are in the namespace of the first.
    pub applications: Vec<String>,
    /// Where the defect is.
    pub layer: ProblemLayer,
    /// How the failure comes about.
    pub mode: ProblemMode,
    /// The suites that list it.
    #[serde(default)]
    pub suites: Vec<String>,
    /// How long after the fault the agent is called, as `3m`.
    #[serde(default)]
    pub settle: Option<String>,
    /// Why a restart of everything is a true fix, where it is one.
    #[serde(default)]
    pub restart_is_right: Option<String>,
    /// Objects that a right mitigation may change beside those of the cause.
    #[serde(default)]
    pub may_change: Vec<String>,
    /// What was wrong with the problem as it was published.
    #[serde(default)]
    pub published_defect: Option<String>,
    /// What is set up while all is well.
    #[serde(default)]
    pub before: Vec<FaultStep>,
    /// What the fault does, in order.
    pub fault: Vec<FaultStep>,
    /// What keeps acting in the cluster.
    #[serde(default)]
    pub actor: Vec<RecurringActor>,
    /// What set it off, played again to see whether a mitigation lasts.
    #[serde(default)]
    pub trigger: Vec<FaultStep>,
    /// What is really wrong, the first cause first.
    pub cause: Vec<ProblemCause>,
    /// Other states in which the defect is gone: any one of them will do.
    #[serde(default)]
    pub gone: Vec<StateCondition>,
    /// What must hold beside the general conditions.
    #[serde(default)]
    pub condition: Vec<StateCondition>,
    /// How a diagnosis in words is read.
    pub diagnosis: DiagnosisWords,
    /// Commands that mitigate it.
    pub solution: ScriptedSolution,
    /// Other right mitigations.
    #[serde(default)]
    pub right: Vec<MitigationCase>,
    /// Mitigations that are wrong or harmful.
    #[serde(default)]
    pub wrong: Vec<MitigationCase>,
}

/// One thing that is done to a site: exactly one of a command line, a manifest or a change.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultStep {
    /// How long after the step before.
    #[serde(default)]
    pub after: Option<String>,
    /// A command line at a terminal with kubectl.
    #[serde(default)]
    pub run: Option<String>,
    /// Manifests that are applied.
    #[serde(default)]
    pub apply: Option<String>,
    /// The namespace of manifests that name none, if it is not the first application's.
    #[serde(default)]
    pub namespace: Option<String>,
    /// What no command could do: to a node, a disk, a link, the load, a registry.
    #[serde(default)]
    pub change: Option<toml::Table>,
    /// A certificate in a Secret.
    #[serde(default)]
    pub tls: Option<toml::Table>,
}

/// Something in the cluster that keeps acting: a job on a schedule, a controller.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecurringActor {
    /// The workload that acts: a CronJob acts with each of its jobs, a Deployment while it is ready.
    pub of: String,
    /// The workload's namespace, if it is not the first application's.
    #[serde(default)]
    pub namespace: Option<String>,
    /// How often a Deployment acts.
    #[serde(default)]
    pub every: Option<String>,
    /// As whom; an administrator unless it is said.
    #[serde(default, rename = "as")]
    pub user: Option<String>,
    /// What it does, as a command line.
    pub run: String,
}

/// What is really wrong.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemCause {
    /// The component at fault.
    pub component: String,
    /// The kind of cause, one of [`crate::CAUSE_KINDS`].
    pub kind: String,
    /// The object, as `deployment/geo`.
    pub object: String,
    /// The object's namespace, if it is not the first application's.
    #[serde(default)]
    pub namespace: Option<String>,
    /// The field of it; empty if it is the object itself.
    #[serde(default)]
    pub field: String,
    /// What is wrong there, in words.
    pub about: String,
    /// A command whose output tells the state, where no field does.
    #[serde(default)]
    pub state: Option<String>,
}

/// A condition on the state of an object.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateCondition {
    /// The object, as `deployment/geo`.
    pub object: String,
    /// Its namespace, if it is not the first application's.
    #[serde(default)]
    pub namespace: Option<String>,
    /// The field; the whole object if it is left out.
    #[serde(default)]
    pub field: String,
    /// `present`, `absent`, or the value; as among alternatives and left out: other than while it was broken.
    #[serde(default)]
    pub is: Option<String>,
    /// The least that a number may be.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// A text that the field holds somewhere.
    #[serde(default)]
    pub contains: Option<String>,
    /// `trigger`: looked at after the trigger was played again.
    #[serde(default)]
    pub after: Option<String>,
    /// What it is for, in words.
    #[serde(default)]
    pub about: String,
}

/// How a diagnosis in words is read.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiagnosisWords {
    /// Groups of words: a right diagnosis has at least one of each.
    pub words: Vec<Vec<String>>,
}

/// Commands that mitigate it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedSolution {
    /// Command lines, one after the other.
    pub commands: Vec<String>,
}

/// A mitigation that the verdict is tested with.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MitigationCase {
    /// What it does, in a few words.
    pub name: String,
    /// Command lines, one after the other.
    pub commands: Vec<String>,
}
