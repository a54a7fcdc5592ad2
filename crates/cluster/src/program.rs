//! What containers do: asked of a trait, because the cluster knows no physics.

mod plain;
mod port;

use std::time::Duration;

use serde_json::{Value, json};

use crate::Cluster;
use crate::time::Stamp;
pub use plain::PlainPrograms;
pub use port::{HttpAnswer, HttpAsk, PortAnswer, answer_http};

/// The programs in the containers of a cluster.
///
/// The cluster decides which containers exist, where, with which settings and for how long; everything that happens
/// inside them is asked here. All answers must follow from what the implementor holds and from the arguments, so that
/// the same calls give the same cluster.
pub trait Programs {
    /// What a registry answers when a node asks for an image.
    fn pull(&mut self, now: Stamp, node: &str, image: &str) -> Pull;

    /// A container starts. Called once per attempt.
    fn start(&mut self, now: Stamp, container: &ContainerRun) -> Launch;

    /// A running container is probed.
    fn probe(&mut self, now: Stamp, container: &ContainerRun, probe: &ProbeCheck) -> ProbeAnswer;

    /// A container is asked to stop and has this much time: when it ends and with which code.
    fn stop(&mut self, now: Stamp, container: &ContainerRun, grace: Duration) -> (Duration, i32);

    /// How much cpu and memory a running container uses.
    fn usage(&mut self, now: Stamp, container: &ContainerRun) -> ResourceUse;

    /// What a container has printed, oldest first. The attempt tells present and previous instances apart.
    fn log(&mut self, now: Stamp, container: &ContainerRun) -> Vec<LogRecord>;

    /// Runs a command in a running container, as `exec` does. `None` if the container has no such program.
    ///
    /// The cluster is there to be asked where a client's connection leads.
    fn exec(&mut self, _cluster: &Cluster, _container: &ContainerRun, _call: &ExecCall) -> Option<ExecEnd> {
        None
    }

    /// Whether a container has a program of this name for [`Programs::exec`]. Asked before a command begins, because a
    /// command must not run twice.
    fn has_command(&self, _container: &ContainerRun, _name: &str) -> bool {
        false
    }

    /// Runs a command on a node itself, as root: from a container that has the node's files, or over SSH. Nothing if nodes
    /// have no shell.
    fn on_node(&mut self, _cluster: &mut Cluster, _node: &str, _call: &ExecCall) -> Option<ExecEnd> {
        None
    }

    /// How often programs live by themselves; `None` if they only answer.
    fn tick_every(&self) -> Option<Duration> {
        None
    }

    /// Time has reached a multiple of [`Programs::tick_every`]: requests flow, containers run out of memory, stores fill.
    fn tick(&mut self, _cluster: &mut Cluster, _now: Stamp) {}

    /// What a container has printed after a moment, oldest first.
    fn log_since(&mut self, now: Stamp, container: &ContainerRun, since: Stamp) -> Vec<LogRecord> {
        self.log(now, container).into_iter().filter(|record| record.at > since).collect()
    }

    /// The calls between programs at the present moment; nothing if programs call nothing.
    fn calls(&self) -> Vec<CallFigures> {
        Vec::new()
    }

    /// What a program that is an admission webhook answers to an `AdmissionReview`; nothing if it is no webhook. A program
    /// without a say of its own allows everything at once.
    fn review(&mut self, _now: Stamp, _container: &ContainerRun, _review: &Value) -> Option<ReviewAnswer> {
        Some(ReviewAnswer::allowed())
    }

    /// Whether something in a running container listens on a port.
    fn listens(&mut self, _now: Stamp, container: &ContainerRun, port: u16) -> bool {
        container.ports.contains(&port)
    }

    /// What a program answers on a connection to one of its ports, given the bytes that it has not dealt with yet.
    fn answer(&mut self, _now: Stamp, container: &ContainerRun, _port: u16, bytes: &[u8]) -> PortAnswer {
        answer_http(bytes, |ask| port::greeting(container, ask, 200))
    }

    /// The files that an image brings beside those that every container has: path and content.
    fn files(&mut self, _container: &ContainerRun) -> Vec<(String, Vec<u8>)> {
        Vec::new()
    }

    /// Whether containers do what their commands say, as far as a shell and tools can, without a client that asks for it.
    fn runs_entrypoints(&self) -> bool {
        false
    }

    /// Which programs an image has for a shell.
    fn toolbox(&self, container: &ContainerRun) -> Toolbox {
        Toolbox::of_image(&container.image)
    }
}

/// What the calls of one operation by a program come to at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct CallFigures {
    /// The service that calls.
    pub caller: String,
    /// The operation in which it does.
    pub within: String,
    /// The service that is called.
    pub target: String,
    /// The operation that is asked for.
    pub operation: String,
    /// Calls per second.
    pub rate: f64,
    /// The share of calls that fail.
    pub failing: f64,
    /// The main reason of failures; empty if there are none.
    pub reason: String,
    /// Milliseconds that 50, 95 and 99 of 100 calls take at most.
    pub latency_ms: (f64, f64, f64),
}

/// What an admission webhook answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewAnswer {
    /// The `response` of the review: `allowed`, and `status`, `patch` or `warnings` where it has some.
    pub response: Value,
    /// How long it took.
    pub takes: Duration,
}

impl ReviewAnswer {
    /// It allows the object as it is, at once.
    pub fn allowed() -> Self {
        Self { response: json!({"allowed": true}), takes: Duration::ZERO }
    }

    /// It refuses the object.
    pub fn denied(message: &str) -> Self {
        Self { response: json!({"allowed": false, "status": {"message": message}}), takes: Duration::ZERO }
    }

    /// It allows the object with these operations of a JSON patch.
    pub fn patched(operations: &Value) -> Self {
        let patch = crate::base64::encode(operations.to_string().as_bytes());
        let response = json!({"allowed": true, "patchType": "JSONPatch", "patch": patch});
        Self { response, takes: Duration::ZERO }
    }
}

/// A command for a running container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecCall {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// All of its input.
    pub input: Vec<u8>,
    /// Whether it has a terminal, so that output and errors are one stream.
    pub terminal: bool,
}

/// What a command in a container left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecEnd {
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: Vec<u8>,
    /// Its exit code.
    pub code: i32,
    /// How long it ran: a query that waits for a lock takes as long as its client waits.
    pub takes: Duration,
}

/// The programs that an image has beside its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolbox {
    /// Not even a shell.
    Nothing,
    /// What busybox has.
    Busybox,
    /// What images of a distribution have, with the tools that people install to look around.
    Distribution,
}

impl Toolbox {
    /// What an image of this name usually has.
    pub fn of_image(image: &str) -> Self {
        let is = |names: &[&str]| names.iter().any(|name| image.contains(name));
        match () {
            () if is(&["distroless", "scratch", "/pause", "pause:"]) => Self::Nothing,
            () if is(&["busybox", "alpine"]) => Self::Busybox,
            () => Self::Distribution,
        }
    }
}

/// One attempt at running one container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerRun {
    /// The namespace of its pod.
    pub namespace: String,
    /// The name of its pod.
    pub pod: String,
    /// The uid of its pod.
    pub pod_uid: String,
    /// Its name in the pod.
    pub name: String,
    /// 0 for the first start, one more with every restart.
    pub attempt: u32,
    /// Where it runs.
    pub node: String,
    /// The address of its pod.
    pub pod_ip: String,
    /// The image reference as the pod names it.
    pub image: String,
    /// The entrypoint, if the pod sets one.
    pub command: Vec<String>,
    /// The arguments, if the pod sets some.
    pub args: Vec<String>,
    /// The environment, with references resolved.
    pub env: Vec<(String, String)>,
    /// The ports that the pod declares.
    pub ports: Vec<u16>,
    /// The memory limit in bytes.
    pub memory_limit: Option<i64>,
}

/// What came of asking a registry for an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pull {
    /// It is there, this large, and the transfer takes this long.
    Found {
        /// Bytes.
        size: u64,
        /// How long the transfer takes.
        takes: Duration,
    },
    /// It cannot be had; the message is the runtime's.
    Failed {
        /// As the runtime words it.
        message: String,
        /// How long it took to find out.
        takes: Duration,
    },
}

/// What came of starting a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// It runs until it is stopped or [`crate::Cluster::container_ended`] says otherwise.
    Runs,
    /// It runs and ends by itself.
    Ends {
        /// How long it runs.
        after: Duration,
        /// How it ends.
        exit: ContainerExit,
    },
    /// The runtime could not start it; the message is the runtime's.
    Fails {
        /// As the runtime words it.
        message: String,
    },
}

/// How a container ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerExit {
    /// The exit code.
    pub code: i32,
    /// Killed for using more memory than it may.
    pub out_of_memory: bool,
    /// What it left in its termination log.
    pub message: String,
}

impl ContainerExit {
    /// It ended with a code.
    pub fn with(code: i32) -> Self {
        Self { code, out_of_memory: false, message: String::new() }
    }

    /// It used more memory than it may.
    pub fn out_of_memory() -> Self {
        Self { code: 137, out_of_memory: true, message: String::new() }
    }
}

/// A question that a kubelet asks a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeCheck {
    /// A GET to a path of a port.
    Http {
        /// `HTTP` or `HTTPS`.
        scheme: String,
        /// The host that is asked; the pod's address unless the probe says otherwise.
        host: String,
        /// The port.
        port: u16,
        /// The path.
        path: String,
        /// The time for an answer.
        timeout: Duration,
    },
    /// A connection to a port.
    Tcp {
        /// The host that is asked.
        host: String,
        /// The port.
        port: u16,
        /// The time for an answer.
        timeout: Duration,
    },
    /// The gRPC health service.
    Grpc {
        /// The port.
        port: u16,
        /// The service that is asked for.
        service: String,
        /// The time for an answer.
        timeout: Duration,
    },
    /// A command in the container.
    Exec {
        /// The command.
        command: Vec<String>,
        /// The time for an answer.
        timeout: Duration,
    },
}

/// What a probe got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeAnswer {
    /// A good answer.
    Good,
    /// A bad answer, worded as the kubelet words it: `HTTP probe failed with statuscode: 404`.
    Bad(String),
}

/// Cpu and memory in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceUse {
    /// Thousandths of a core.
    pub cpu_milli: i64,
    /// Bytes of the working set.
    pub memory: i64,
}

/// A line that a container printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// When.
    pub at: Stamp,
    /// What, without the end of the line.
    pub line: String,
}
