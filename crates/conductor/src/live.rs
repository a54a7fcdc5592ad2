//! A problem that is served: its cluster for clients, its stages, and its record once it is over.

use cluster::api::{ApiRequest, ApiResponse, LogHandle, StreamRequest};
use cluster::exec::CommandOutput;
use cluster::{Cluster, PortAnswer, Stamp};
use exporters::ObservabilityServer;
use faces::{Effect, ToolDoc, action_text};
use harness::{EarlyEnd, Playable};
use kubeapi::ServedCluster;
use problems::ProblemEpisode;
use record::folder::LiveEpisode;
use record::{AgentFault, Record, Step};
use serde_json::{Map, Value, json};
use telemetry::{TelemetryRequest, TelemetryResponse};

/// A problem that is served.
pub struct LiveProblem {
    episode: ProblemEpisode,
    record: Option<Record>,
}

impl LiveProblem {
    /// Serves an episode that was set up for clients with a clock of their own.
    pub fn new(episode: ProblemEpisode) -> LiveProblem {
        LiveProblem { episode, record: None }
    }

    /// What an agent is told.
    pub fn brief(&self) -> String {
        self.episode.brief().text.clone()
    }

    /// What is played, for those who look on.
    pub fn about(&self) -> LiveEpisode {
        self.episode.about()
    }

    /// What was done so far.
    pub fn steps(&self) -> &[Step] {
        self.episode.steps()
    }

    /// The stage, as agents ask for it: `diagnosis`, `mitigation` or `done`.
    pub fn stage(&self) -> &'static str {
        self.episode.stage()
    }

    /// The applications by the names of their namespaces, with what they are.
    pub fn applications(&self) -> Vec<(String, String, String)> {
        let catalogue = apps::AppCatalogue::shipped();
        let about = |name: &String| {
            let spec = catalogue.application(name);
            let (title, about) = spec.map(|spec| (spec.title.clone(), spec.about.clone())).unwrap_or_default();
            (name.clone(), title, about)
        };
        self.episode.applications().iter().map(about).collect()
    }

    /// Takes the answer of the present stage.
    pub fn submit(&mut self, answer: &str) {
        self.act(&json!({"action": "submit", "ans": answer}).to_string());
    }

    /// The tools that are offered over MCP: all but those for which a client's own clock stands.
    pub fn tools(&self) -> Vec<ToolDoc> {
        let all = self.episode.brief().toolset.docs(&[]);
        all.into_iter().filter(|tool| tool.name != "wait").collect()
    }

    /// Calls a tool: what it says, and whether the call was wrong.
    pub fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> (String, bool) {
        if self.record.is_some() {
            return ("The problem is over.".to_string(), false);
        }
        self.act(&action_text(tool, arguments));
        let last = self.episode.steps().last();
        last.map_or_else(Default::default, |step| (step.observation.clone(), step.invalid.is_some()))
    }

    /// Whether a tool only looks.
    pub fn only_looks(tool: &ToolDoc) -> bool {
        tool.effect == Effect::Look
    }

    /// Does what an agent wrote.
    pub(crate) fn act(&mut self, text: &str) {
        if self.record.is_none() {
            self.episode.step(text, None);
            self.seal();
        }
    }

    /// The record is made at the moment at which it ends; clients may go on looking.
    fn seal(&mut self) {
        if self.record.is_none() && self.episode.ending().is_some() {
            self.record = Some(Box::new(self.episode.clone()).finish());
        }
    }

    /// The episode itself. Truth: for the referee, never for agents.
    pub(crate) fn episode(&self) -> &ProblemEpisode {
        &self.episode
    }

    /// Ends it from outside.
    pub(crate) fn end(&mut self, why: EarlyEnd) {
        self.episode.end(why);
        self.seal();
    }

    /// The record; what has not ended was given up, or its program failed.
    pub fn finish(&mut self, fault: Option<AgentFault>) -> &Record {
        self.episode.end(fault.map_or(EarlyEnd::GaveUp, EarlyEnd::ProgramFailed));
        self.seal();
        self.record.as_ref().expect("what has ended is sealed")
    }
}

impl ServedCluster for LiveProblem {
    fn cluster(&self) -> &Cluster {
        self.episode.cluster()
    }

    fn advance(&mut self, to: Stamp) {
        self.episode.advance_to(to);
    }

    fn next_due(&mut self) -> Option<Stamp> {
        self.episode.next_due()
    }

    fn call(&mut self, request: &ApiRequest) -> ApiResponse {
        self.episode.client_request(request)
    }

    fn begin_command(&mut self, asked: &StreamRequest) -> Result<u64, String> {
        self.episode.client_exec(asked)
    }

    fn feed_command(&mut self, command: u64, input: &[u8], is_all: bool) -> CommandOutput {
        self.episode.client_input(command, input, is_all)
    }

    fn end_container(&mut self, namespace: &str, pod: &str, container: &str, code: i32) {
        self.episode.client_left(namespace, pod, container, code);
    }

    fn talk_to(&mut self, namespace: &str, pod: &str, port: u16, bytes: &[u8]) -> Option<PortAnswer> {
        self.episode.client_bytes(namespace, pod, port, bytes)
    }

    fn poll_log(&mut self, log: &mut LogHandle) -> Vec<u8> {
        self.episode.client_log(log)
    }

    fn observe(&mut self, server: ObservabilityServer, request: &TelemetryRequest) -> Option<TelemetryResponse> {
        self.episode.client_query(server, request)
    }
}
