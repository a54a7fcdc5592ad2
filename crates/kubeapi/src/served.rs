//! What a host serves: a cluster, what runs in it and what watches it. Every touch of a client passes here, so that one who
//! keeps a record of a session sees all of them.

use std::any::Any;
use std::collections::BTreeMap;

use cluster::api::{ApiRequest, ApiResponse, LogHandle, StreamRequest};
use cluster::exec::{CommandOutput, ContainerCommand};
use cluster::{Cluster, ContainerExit, PortAnswer, Programs, Stamp};
use exporters::{ObservabilityServer, Observatory};
use telemetry::{TelemetryRequest, TelemetryResponse};

/// A cluster that clients talk to. Its owner finds it again behind a host as what it is.
pub trait ServedCluster: Any + Send {
    /// The cluster, to be looked at.
    fn cluster(&self) -> &Cluster;
    /// Lets time pass until then.
    fn advance(&mut self, to: Stamp);
    /// When there is something to do next.
    fn next_due(&mut self) -> Option<Stamp>;
    /// Answers a request to the API.
    fn call(&mut self, request: &ApiRequest) -> ApiResponse;
    /// Begins a command in a container and gives its number.
    fn begin_command(&mut self, asked: &StreamRequest) -> Result<u64, String>;
    /// Hands input to a command; `is_all` says that no more comes.
    fn feed_command(&mut self, command: u64, input: &[u8], is_all: bool) -> CommandOutput;
    /// The command that a client talks to which attaches to a container; nothing if it only sees what the container prints.
    fn main_process(&mut self, asked: &StreamRequest) -> Option<StreamRequest> {
        self.cluster().attached_shell(asked)
    }
    /// Says that the main process of a container has ended, because its client left it.
    fn end_container(&mut self, namespace: &str, pod: &str, container: &str, code: i32);
    /// Sends bytes to a port of a pod; nothing if nothing listens there.
    fn talk_to(&mut self, namespace: &str, pod: &str, port: u16, bytes: &[u8]) -> Option<PortAnswer>;
    /// What is new in a log that is followed.
    fn poll_log(&mut self, log: &mut LogHandle) -> Vec<u8>;
    /// Answers a request to one of the servers that watch the cluster; nothing if it is not watched.
    fn observe(&mut self, server: ObservabilityServer, request: &TelemetryRequest) -> Option<TelemetryResponse>;
}

/// A cluster with any programs, watched or not, of which no record is kept.
pub struct WatchedCluster {
    cluster: Cluster,
    programs: Box<dyn Programs + Send>,
    observatory: Option<Observatory>,
    commands: BTreeMap<u64, ContainerCommand>,
    begun: u64,
}

impl WatchedCluster {
    /// A cluster, what runs in it, and what watches it.
    pub fn new(cluster: Cluster, programs: Box<dyn Programs + Send>, observatory: Option<Observatory>) -> Self {
        Self { cluster, programs, observatory, commands: BTreeMap::new(), begun: 0 }
    }
}

impl ServedCluster for WatchedCluster {
    fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    fn advance(&mut self, to: Stamp) {
        match &mut self.observatory {
            Some(observatory) => observatory.advance(&mut self.cluster, &mut *self.programs, to),
            None => self.cluster.advance(&mut *self.programs, to),
        }
    }

    fn next_due(&mut self) -> Option<Stamp> {
        let look = self.observatory.as_ref().map(Observatory::next_look);
        self.cluster.next_due().into_iter().chain(look).min()
    }

    fn call(&mut self, request: &ApiRequest) -> ApiResponse {
        self.cluster.call(&mut *self.programs, request)
    }

    fn begin_command(&mut self, asked: &StreamRequest) -> Result<u64, String> {
        let command = self.cluster.begin_command(&mut *self.programs, asked)?;
        self.begun += 1;
        self.commands.insert(self.begun, command);
        Ok(self.begun)
    }

    fn feed_command(&mut self, command: u64, input: &[u8], is_all: bool) -> CommandOutput {
        let Some(running) = self.commands.get_mut(&command) else {
            return CommandOutput { exit: Some(0), ..CommandOutput::default() };
        };
        let output = self.cluster.feed_command(&mut *self.programs, running, input, is_all);
        if output.exit.is_some() {
            self.commands.remove(&command);
        }
        output
    }

    fn main_process(&mut self, asked: &StreamRequest) -> Option<StreamRequest> {
        self.cluster.attached_shell(asked).or_else(|| self.cluster.attached_tool(&*self.programs, asked))
    }

    fn end_container(&mut self, namespace: &str, pod: &str, container: &str, code: i32) {
        self.cluster.container_ended(namespace, pod, container, ContainerExit::with(code));
    }

    fn talk_to(&mut self, namespace: &str, pod: &str, port: u16, bytes: &[u8]) -> Option<PortAnswer> {
        self.cluster.talk_to(&mut *self.programs, namespace, pod, port, bytes)
    }

    fn poll_log(&mut self, log: &mut LogHandle) -> Vec<u8> {
        self.cluster.poll_log(&mut *self.programs, log)
    }

    fn observe(&mut self, server: ObservabilityServer, request: &TelemetryRequest) -> Option<TelemetryResponse> {
        Some(self.observatory.as_mut()?.answer(server, request))
    }
}
