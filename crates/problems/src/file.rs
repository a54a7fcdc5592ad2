//! A problem as its file has it.

use serde::{Deserialize, Serialize};

use crate::vocabulary::{ProblemLayer, ProblemMode};

/// A problem file. What is left out is empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<String>,
    /// Of a generated one: `train`, or `test` if its application or a fault in it is held back; `test` if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// How hard it was found to be: `easy`, `medium` or `hard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    /// How long after the fault the agent is called, as `3m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle: Option<String>,
    /// Why a restart of everything is a true fix, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart_is_right: Option<String>,
    /// Objects that a right mitigation may change beside those of the cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_change: Vec<String>,
    /// What was wrong with the problem as it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_defect: Option<String>,
    /// What is set up while all is well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<FaultStep>,
    /// What the fault does, in order.
    pub fault: Vec<FaultStep>,
    /// What keeps acting in the cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actor: Vec<RecurringActor>,
    /// What set it off, played again to see whether a mitigation lasts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trigger: Vec<FaultStep>,
    /// What is really wrong, the first cause first.
    pub cause: Vec<ProblemCause>,
    /// Other states in which the defect is gone: any one of them will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<StateCondition>,
    /// What must hold beside the general conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub condition: Vec<StateCondition>,
    /// How a diagnosis in words is read.
    pub diagnosis: DiagnosisWords,
    /// Commands that mitigate it.
    pub solution: ScriptedSolution,
    /// Other right mitigations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub right: Vec<MitigationCase>,
    /// Mitigations that are wrong or harmful.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<MitigationCase>,
}

/// One thing that is done to a site: exactly one of a command line, a manifest or a change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultStep {
    /// How long after the step before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// A command line at a terminal with kubectl.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Manifests that are applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<String>,
    /// The namespace of manifests that name none, if it is not the first application's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What no command could do: to a node, a disk, a link, the load, a registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<toml::Table>,
    /// A certificate in a Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<toml::Table>,
}

/// Something in the cluster that keeps acting: a job on a schedule, a controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecurringActor {
    /// The workload that acts: a CronJob acts with each of its jobs, a Deployment while it is ready.
    pub of: String,
    /// The workload's namespace, if it is not the first application's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// How often a Deployment acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// As whom; an administrator unless it is said.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// What it does, as a command line.
    pub run: String,
}

/// What is really wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemCause {
    /// The component at fault.
    pub component: String,
    /// The kind of cause, one of [`crate::CAUSE_KINDS`].
    pub kind: String,
    /// The object, as `deployment/geo`.
    pub object: String,
    /// The object's namespace, if it is not the first application's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The field of it; empty if it is the object itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// What is wrong there, in words.
    pub about: String,
    /// A command whose output tells the state, where no field does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// A text that this output must hold again, where being otherwise than broken is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<String>,
}

/// A condition on the state of an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateCondition {
    /// The object, as `deployment/geo`.
    pub object: String,
    /// Its namespace, if it is not the first application's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The field; the whole object if it is left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// `present`, `absent`, or the value; as among alternatives and left out: other than while it was broken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<String>,
    /// The least that a number may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// A text that the field holds somewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// `trigger`: looked at after the trigger was played again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// What it is for, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
}

/// How a diagnosis in words is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiagnosisWords {
    /// Groups of words: a right diagnosis has at least one of each.
    pub words: Vec<Vec<String>>,
}

/// Commands that mitigate it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedSolution {
    /// Command lines, one after the other.
    pub commands: Vec<String>,
}

/// A mitigation that the verdict is tested with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MitigationCase {
    /// What it does, in a few words.
    pub name: String,
    /// Command lines, one after the other.
    pub commands: Vec<String>,
}
