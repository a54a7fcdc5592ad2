//! The record: an episode is its event stream. Scores, tables, pages and exports are readers of it;
//! a stored record can be scored again without being simulated again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cause::CauseCard;
use crate::check::Check;
use crate::facts::{Fact, Touch};
use crate::model::{ModelCard, ModelTurn, ProviderFault};
use crate::problem::{ProblemCard, StageVerdict};
use crate::question::{QuestionCard, QuestionVerdict};

/// The version of the record's format.
pub const RECORD_VERSION: u32 = 3;

/// One event; a record is a list of these, one JSON object per line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The first line.
    Started(Box<Header>),
    /// The on-call engineer was paged.
    Paged {
        /// World time in milliseconds.
        time: u64,
        /// What the agent was told at the start.
        brief: String,
    },
    /// The agent did something, or tried to.
    Stepped(Box<Step>),
    /// The episode ended.
    Ended {
        /// World time in milliseconds.
        time: u64,
        /// Why.
        reason: EndReason,
        /// How the provider failed, if it was that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<ProviderFault>,
        /// How the agent's own program failed, if it was that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<AgentFault>,
    },
    /// The last line: what really happened, sealed after the verification window.
    Sealed(Box<Seal>),
}

/// What was run. Everything that replay, grading and exports need stands here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`RECORD_VERSION`] at the time of writing.
    pub record_version: u32,
    /// The version of the world's behaviour.
    pub world_version: u32,
    /// The version of the tasks and their grading.
    pub suite_version: u32,
    /// The suite that the run asked for.
    pub suite: String,
    /// What grading needs of the task.
    pub task: TaskCard,
    /// The world's seed.
    pub seed: u64,
    /// Which draw of the situation under that seed it was; records of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub situation: Option<u32>,
    /// The noise dial, 0 to 3.
    pub noise: u8,
    /// The name of the set of tools: `classic` or `full`.
    pub tools: String,
    /// The tools of that set, as they were.
    pub toolbox: Arc<[ToolCard]>,
    /// The services that the player was told of.
    pub services: Vec<String>,
    /// What it was played on.
    pub backend: String,
    /// Whether the player was shown rewards. They give the answer away, so such an episode is for training and is never
    /// ranked beside others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewards: bool,
    /// The agent's name.
    pub agent: String,
    /// Which of the run's seeds this is, from 0.
    pub episode: u32,
    /// Which repetition of the same task under the same seed this is, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeat: u32,
    /// The opaque id that the agent saw.
    pub incident: String,
    /// The model behind the agent, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelCard>,
    /// The version in which it was written, if it was lifted from an older one.
    #[serde(skip)]
    pub lifted_from: Option<u32>,
}

/// Where incidents are played that are simulated.
pub const SIMULATOR: &str = "simulator";

/// A tool, as models are told of tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCard {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// The JSON Schema of its arguments; a `service` is one of the header's.
    pub parameters: Value,
}

/// What grading needs of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskCard {
    /// The task's id.
    pub id: String,
    /// A digest of the task file, so that a replay knows it has the same task.
    pub digest: String,
    /// `easy`, `medium` or `hard`.
    pub difficulty: String,
    /// `train`, `dev` or `test`.
    pub split: String,
    /// What kind of thing breaks; several kinds are joined by `+`. Tasks of one family are alike, so
    /// statistics take them as a cluster.
    pub family: String,
    /// The step budget.
    pub steps: u32,
    /// Facts that count as evidence, as `kind:subject[:item]`; older records name the tool that shows them.
    pub evidence: Vec<String>,
    /// What ends the incident, one condition per entry; all must hold.
    pub fix: Vec<Fix>,
    /// Settings that may end it in another way, as `service.KEY`: levers on a loop that outlives its trigger.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levers: Vec<String>,
    /// Services whose remediation is a distraction.
    pub distractors: Vec<String>,
    /// The service at fault.
    pub component: String,
    /// What people call it, where the catalogue of components does not know services of its kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Concepts that a right diagnosis names (see the diagnosis grader).
    pub concepts: Vec<String>,
    /// The other causes that a right diagnosis names, if several things broke.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<CauseCard>,
    /// What else there is to say of it, if it is a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionCard>,
    /// What else there is to say of it, if it is a problem in a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<ProblemCard>,
}

/// One condition on the world's state that must hold for the incident to be over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a fix is written { restart = \"service\" }, { config = \"service.KEY\", is = \">= n\" } or \
                 { rolled_back = \"service\" }"
)]
pub enum Fix {
    /// A configuration key compares with a value.
    Config {
        /// `service.KEY`.
        config: String,
        /// `>= n`, `<= n` or `= v`.
        is: String,
    },
    /// The service was restarted after the onset and runs.
    Restart {
        /// The service.
        restart: String,
    },
    /// The service runs a build that was good before.
    RolledBack {
        /// The service.
        rolled_back: String,
    },
}

/// One turn of the agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// From 1.
    pub index: u32,
    /// World time when the agent acted, in milliseconds.
    pub time: u64,
    /// Simulated time that it cost, in milliseconds.
    pub took: u64,
    /// What the agent wrote, to the letter.
    pub text: String,
    /// The call it was understood as, in canonical call syntax; `None` if invalid.
    pub call: Option<String>,
    /// The tool's name; empty if invalid.
    pub tool: String,
    /// The tool's arguments by name.
    pub args: BTreeMap<String, String>,
    /// What the agent was shown.
    pub observation: String,
    /// Why the action was invalid, if it was.
    pub invalid: Option<String>,
    /// What the observation really showed.
    pub facts: Vec<Fact>,
    /// What the action changed.
    pub touched: Vec<Touch>,
    /// Whether all conditions of the fix held after it.
    pub fixed: bool,
    /// Whether the world's state differed from the untouched twin's before the call, so that looking again can bring something new.
    pub changed_since_last: bool,
    /// The reward of this step, the change of the raw score.
    pub reward: f64,
    /// What was asked of a model for it, if one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelTurn>,
}

/// Whether a number is left out of a line.
pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_nothing(time: &u64) -> bool {
    *time == 0
}

/// Why an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The agent said that the incident is over.
    Resolved,
    /// A question was replied to.
    Answered,
    /// The agent handed over to another engineer.
    Escalated,
    /// The agent stopped answering.
    GaveUp,
    /// No step was left.
    BudgetSpent,
    /// The agent's provider failed; never scored as a failure of the agent.
    ProviderFailed,
}

/// How a program that is an agent failed. That is the agent's own doing: the episode counts, and was
/// given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentFault {
    /// It took too long over an action or over the whole episode.
    TimedOut,
    /// It ended by a signal or with an exit code other than 0.
    Crashed,
    /// It wrote more than will be read.
    Flooded,
}

impl AgentFault {
    /// Its name in records and tables.
    pub fn name(self) -> &'static str {
        match self {
            AgentFault::TimedOut => "timed_out",
            AgentFault::Crashed => "crashed",
            AgentFault::Flooded => "flooded",
        }
    }
}

/// What really happened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// Whether the world was mitigated after the verification window.
    pub mitigated: bool,
    /// Each part of that verdict, by name, with what was found.
    pub checks: Vec<Check>,
    /// World time of the onset, in milliseconds.
    pub onset: u64,
    /// World time of the page, in milliseconds.
    pub paged: u64,
    /// World time when the verification window ended, in milliseconds.
    pub verified: u64,
    /// World time up to which harm is counted, in milliseconds; in older records, where it is 0, the end of the window.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub horizon: u64,
    /// What users felt from the onset to that time.
    pub impact: UserImpact,
    /// The same over the same time, without any action.
    pub impact_untouched: UserImpact,
    /// The same over the same time, had nothing broken.
    pub impact_healthy: UserImpact,
    /// Services in the order in which they began to differ from the healthy twin, the cause first.
    pub chain: Vec<String>,
    /// What was broken, in words.
    pub fault: String,
    /// The world's digest at the end, in hexadecimal.
    pub world_digest: String,
    /// What came of the reply, if it was a question and there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionVerdict>,
    /// What came of the stages, if it was a problem in a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<StageVerdict>,
}

/// Harm to users over a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserImpact {
    /// Requests in all.
    pub requests: f64,
    /// Failed requests.
    pub failed: f64,
    /// Slow requests.
    pub slow: f64,
    /// Minutes out of objective, summed over routes.
    pub minutes_out: f64,
}

impl UserImpact {
    /// What came on top of what had been felt before.
    pub fn less(self, before: UserImpact) -> UserImpact {
        UserImpact {
            requests: self.requests - before.requests,
            failed: self.failed - before.failed,
            slow: self.slow - before.slow,
            minutes_out: self.minutes_out - before.minutes_out,
        }
    }

    /// What was felt on the way to a later time, `part` of the way there.
    pub fn towards(self, later: UserImpact, part: f64) -> UserImpact {
        let between = |one: f64, other: f64| one + (other - one) * part;
        UserImpact {
            requests: between(self.requests, later.requests),
            failed: between(self.failed, later.failed),
            slow: between(self.slow, later.slow),
            minutes_out: between(self.minutes_out, later.minutes_out),
        }
    }
}
