//! The one vocabulary of change. Faults, the world's own controllers and an operator's actions all
//! compile to these; each is a change of state, never a flag that the physics looks at.

use serde::{Deserialize, Serialize};

use crate::config::Value;
use crate::fleet::{Instance, InstanceId};
use crate::instruments::Series;
use crate::links::Paths;
use crate::process::Process;
use crate::release::Build;
use crate::service_state::ServiceState;
use crate::settings::RevisionId;
use crate::time::{Span, Time};

/// A change of the world's state. Applying one gives its inverse, so undo(do(m)) is the identity; memory that a
/// process loses with [`Mutation::Start`] and [`Mutation::Leave`] is the one thing that nothing brings back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mutation {
    /// A configuration key is given another value, which reaches the service with its next rollout.
    Config {
        /// Index of the service.
        service: usize,
        /// Index of the key among the kind's keys.
        key: usize,
        /// The wanted value.
        value: Value,
        /// When it was asked for.
        since: Time,
    },
    /// A key will take a value by itself at some time: certificates and tokens run out.
    Expiry {
        /// Index of the service.
        service: usize,
        /// Index of the key.
        key: usize,
        /// When; [`Time::NEVER`] for not at all.
        at: Time,
    },
    /// A service is given another build, which is rolled out by restarting its instances.
    Build {
        /// Index of the service.
        service: usize,
        /// The wanted build.
        build: Build,
        /// When it was asked for.
        since: Time,
    },
    /// The instances that follow the template get a value of a key: the end of a rollout.
    Rollout {
        /// Index of the service.
        service: usize,
        /// Index of the key.
        key: usize,
        /// The value that runs from now on.
        value: Value,
        /// Now.
        at: Time,
    },
    /// A revision of a service's settings is made, changed or ended: what instances may run with besides what the
    /// template rolls out.
    Revision {
        /// Index of the service.
        service: usize,
        /// Which; never that of the template.
        revision: RevisionId,
        /// A value for each of the kind's keys; `None` ends it, once no instance runs with it.
        values: Option<Vec<Value>>,
    },
    /// An instance runs with a revision from now on.
    Adopt {
        /// The instance.
        instance: InstanceId,
        /// The revision, which exists.
        revision: RevisionId,
    },
    /// The running service gets a build: the end of a deployment.
    Deploy {
        /// Index of the service.
        service: usize,
        /// The build that runs from now on.
        build: Build,
    },
    /// A process is put into a state. One of an instance that is gone stays gone.
    Process {
        /// The instance.
        instance: InstanceId,
        /// The state.
        process: Process,
    },
    /// A process comes up on a node, fresh, with new connections and nothing in memory. Taking that back brings
    /// the old process, not what it had in memory.
    Start {
        /// The instance.
        instance: InstanceId,
        /// Index of the node.
        node: usize,
        /// Now.
        at: Time,
    },
    /// An instance joins its service.
    Join {
        /// The instance, with an id that no other has had: see [`crate::fleet::Fleet::new_instance`].
        instance: Instance,
    },
    /// An instance leaves its service for good, with what it had in memory.
    Leave {
        /// The instance.
        instance: InstanceId,
    },
    /// A route's load is scaled.
    Load {
        /// Index of the route.
        route: usize,
        /// The factor; 1 is the usual load.
        factor: f64,
    },
    /// The link from one service to another gets slower or loses calls.
    Link {
        /// Index of the caller.
        from: usize,
        /// Index of the callee.
        to: usize,
        /// Extra delay in seconds.
        delay: f64,
        /// Share of calls lost.
        loss: f64,
        /// Share of calls that go to an address where nothing listens.
        gone: f64,
        /// The caller's instances whose connections take this path.
        paths: Paths,
    },
    /// One aspect of a service's own state is changed.
    State {
        /// Index of the service.
        service: usize,
        /// The aspect and its state.
        state: ServiceState,
    },
    /// A service is given a part of its machines only.
    Quota {
        /// Index of the service.
        service: usize,
        /// The share of the usual; 1 is all.
        share: f64,
    },
    /// A series is scraped differently.
    Series {
        /// Index of the service.
        service: usize,
        /// Index of the metric among the kind's metrics.
        metric: usize,
        /// How.
        series: Series,
    },
    /// The logs of a service arrive later.
    LogDelay {
        /// Index of the service.
        service: usize,
        /// By how much.
        by: Span,
    },
    /// A machine runs slower by a factor.
    Slowdown {
        /// Index of the node.
        node: usize,
        /// The factor; 1 is full speed.
        factor: f64,
    },
    /// An alert is silenced, or no longer.
    Silence {
        /// Index of the alert.
        alert: usize,
        /// Whether it is silenced.
        on: bool,
    },
    /// Several at once, applied in order.
    All(Vec<Mutation>),
}

impl Mutation {
    /// What changes nothing.
    pub const NOTHING: Mutation = Mutation::All(Vec::new());

    /// The service to which it gives other machines, if it does.
    pub fn resizes(&self) -> Option<usize> {
        match self {
            Mutation::Quota { service, .. } => Some(*service),
            Mutation::All(all) => all.iter().find_map(Mutation::resizes),
            _ => None,
        }
    }

    /// The settings that it spoils, as service and key.
    pub fn settings(&self) -> Vec<(usize, usize)> {
        match self {
            Mutation::Config { service, key, .. } | Mutation::Expiry { service, key, .. } => vec![(*service, *key)],
            Mutation::All(all) => all.iter().flat_map(Mutation::settings).collect(),
            _ => Vec::new(),
        }
    }
}
