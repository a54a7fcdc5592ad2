//! A problem for clients with connections of their own: what they do is done at their time, recorded, and can be replayed.

use std::time::Duration;

use cluster::api::{ApiRequest, ApiResponse, LogHandle, StreamKind, StreamRequest};
use cluster::exec::CommandOutput;
use cluster::{Cluster, ContainerExit, PortAnswer, Stamp};
use exporters::ObservabilityServer;
use harness::Playable;
use record::Step;
use record::folder::LiveEpisode;
use telemetry::{TelemetryRequest, TelemetryResponse};

use crate::acting::ActingPrograms;
use crate::client::{ClientBytes, ClientTouch, clipped, request_of, shown_response};
use crate::perform::pass;
use crate::play::ProblemEpisode;

/// What a touch came to.
enum TouchAnswer {
    Response(ApiResponse),
    Begun(Result<u64, String>),
    Output(CommandOutput),
    Bytes(Option<PortAnswer>),
    Telemetry(Option<TelemetryResponse>),
}

impl ProblemEpisode {
    /// The cluster, to be looked at.
    pub fn cluster(&self) -> &Cluster {
        &self.site.cluster
    }

    /// What is played, for those who look on.
    pub fn about(&self) -> LiveEpisode {
        LiveEpisode {
            task: self.scene.problem.id.clone(),
            digest: self.scene.problem.digest.clone(),
            seed: self.scene.seed,
            noise: 0,
            agent: self.agent().to_string(),
            live: self.scene.live,
        }
    }

    /// Lets time pass until then, by whole milliseconds since the fault: records count these.
    pub fn advance_to(&mut self, to: Stamp) {
        let wanted = to.since(self.scene.onset).as_millis() as u64;
        let missing = wanted.saturating_sub(self.now());
        if missing > 0 && to > self.scene.onset {
            pass(&mut self.site, &mut self.actors, Duration::from_millis(missing));
        }
    }

    /// The stage that is under way: `diagnosis`, `mitigation` or `done`.
    pub fn stage(&self) -> &'static str {
        match self.ending() {
            Some(_) => "done",
            None if self.awaits_diagnosis() => "diagnosis",
            None => "mitigation",
        }
    }

    /// The applications that run.
    pub fn applications(&self) -> &[String] {
        &self.scene.problem.file.applications
    }

    /// When there is something to do next.
    pub fn next_due(&mut self) -> Option<Stamp> {
        self.site.cluster.next_due()
    }

    /// Answers a request of a client to the API.
    pub fn client_request(&mut self, request: &ApiRequest) -> ApiResponse {
        match self.touch(&ClientTouch::of_request(request)) {
            TouchAnswer::Response(response) => response,
            _ => unreachable!("a request is answered with a response"),
        }
    }

    /// Begins a command of a client in a container, and gives its number.
    pub fn client_exec(&mut self, asked: &StreamRequest) -> Result<u64, String> {
        match self.touch(&ClientTouch::of_exec(asked)) {
            TouchAnswer::Begun(begun) => begun,
            _ => unreachable!("a command is begun or not"),
        }
    }

    /// Hands input to a command of a client.
    pub fn client_input(&mut self, command: u64, input: &[u8], end: bool) -> CommandOutput {
        match self.touch(&ClientTouch::Input { command, input: ClientBytes::of(input), end }) {
            TouchAnswer::Output(output) => output,
            _ => unreachable!("input is answered with output"),
        }
    }

    /// Notes that a client left the shell that a container is, which ends the container.
    pub fn client_left(&mut self, namespace: &str, pod: &str, container: &str, code: i32) {
        let [namespace, pod, container] = [namespace, pod, container].map(str::to_string);
        self.touch(&ClientTouch::Left { namespace, pod, container, code });
    }

    /// Sends bytes of a client to a port of a pod; nothing if nothing listens there.
    pub fn client_bytes(&mut self, namespace: &str, pod: &str, port: u16, bytes: &[u8]) -> Option<PortAnswer> {
        let (namespace, pod) = (namespace.to_string(), pod.to_string());
        match self.touch(&ClientTouch::Bytes { namespace, pod, port, bytes: ClientBytes::of(bytes) }) {
            TouchAnswer::Bytes(answer) => answer,
            _ => unreachable!("bytes are answered with bytes"),
        }
    }

    /// Answers a request of a client to one of those who watch the cluster.
    pub fn client_query(
        &mut self,
        server: ObservabilityServer,
        request: &TelemetryRequest,
    ) -> Option<TelemetryResponse> {
        match self.touch(&ClientTouch::of_query(server, request)) {
            TouchAnswer::Telemetry(response) => response,
            _ => unreachable!("a query is answered with a response"),
        }
    }

    /// What is new in a log that a client follows: a look, which needs no place in the record.
    pub fn client_log(&mut self, log: &mut LogHandle) -> Vec<u8> {
        let (cluster, fleet) = self.site.parts();
        cluster.poll_log(&mut ActingPrograms { fleet, actors: &mut self.actors }, log)
    }

    /// Does again what the text of a step says; whether it was a touch of a client.
    pub(crate) fn touch_again(&mut self, text: &str) -> bool {
        let touch = self.is_live().then(|| ClientTouch::read(text)).flatten();
        touch.map(|touch| self.touch(&touch)).is_some()
    }

    fn touch(&mut self, touch: &ClientTouch) -> TouchAnswer {
        let begin = self.now();
        let answer = self.carry_out_touch(touch);
        let step = Step {
            index: self.steps.len() as u32 + 1,
            time: begin,
            took: self.now() - begin,
            text: touch.text(),
            call: Some(touch.line()),
            tool: touch.tool().to_string(),
            observation: shown(&answer),
            ..Step::default()
        };
        self.steps.push(step);
        answer
    }

    fn carry_out_touch(&mut self, touch: &ClientTouch) -> TouchAnswer {
        let now = self.site.cluster.now();
        let (cluster, fleet) = self.site.parts();
        let programs = &mut ActingPrograms { fleet, actors: &mut self.actors };
        match touch {
            ClientTouch::Request { method, target, headers, body, user } => {
                let request = request_of(method, target, headers, body, user.as_ref());
                TouchAnswer::Response(cluster.call(programs, &request))
            }
            ClientTouch::Exec { namespace, pod, container, node, command, streams, running } => {
                let asked = StreamRequest {
                    kind: StreamKind::Exec { command: command.clone(), streams: *streams },
                    namespace: namespace.clone(),
                    name: pod.clone(),
                    node: node.clone(),
                    container: container.clone(),
                    is_running: *running,
                };
                let commands = &mut self.commands;
                TouchAnswer::Begun(cluster.begin_command(programs, &asked).map(|command| {
                    commands.begun += 1;
                    commands.running.insert(commands.begun, command);
                    commands.begun
                }))
            }
            ClientTouch::Input { command, input, end } => {
                let Some(running) = self.commands.running.get_mut(command) else {
                    return TouchAnswer::Output(CommandOutput { exit: Some(0), ..CommandOutput::default() });
                };
                let output = cluster.feed_command(programs, running, &input.bytes(), *end);
                if output.exit.is_some() {
                    self.commands.running.remove(command);
                }
                TouchAnswer::Output(output)
            }
            ClientTouch::Left { namespace, pod, container, code } => {
                cluster.container_ended(namespace, pod, container, ContainerExit::with(*code));
                TouchAnswer::Output(CommandOutput { exit: Some(*code), ..CommandOutput::default() })
            }
            ClientTouch::Bytes { namespace, pod, port, bytes } => {
                TouchAnswer::Bytes(cluster.talk_to(programs, namespace, pod, *port, &bytes.bytes()))
            }
            ClientTouch::Query { server, method, path, query, content_type, body } => {
                let request = TelemetryRequest {
                    method: method.clone(),
                    path: path.clone(),
                    query: query.clone(),
                    content_type: content_type.clone(),
                    body: body.bytes(),
                };
                let server = ObservabilityServer::ALL.into_iter().find(|known| known.name() == server);
                let asked = server.zip(self.actors.observatory(now));
                TouchAnswer::Telemetry(asked.map(|(server, observatory)| observatory.answer(server, &request)))
            }
        }
    }
}

/// What a client was answered, as the record keeps it.
fn shown(answer: &TouchAnswer) -> String {
    let text = |bytes: &[u8]| clipped(&String::from_utf8_lossy(bytes));
    match answer {
        TouchAnswer::Response(response) => shown_response(response),
        TouchAnswer::Begun(Ok(number)) => format!("command {number} has begun"),
        TouchAnswer::Begun(Err(why)) => why.clone(),
        TouchAnswer::Output(output) => {
            let exit = output.exit.map(|code| format!("[exit code {code}]")).unwrap_or_default();
            format!("{}{}{exit}", text(&output.stdout), text(&output.stderr))
        }
        TouchAnswer::Bytes(Some(answer)) => text(&answer.reply),
        TouchAnswer::Bytes(None) => "connection refused".to_string(),
        TouchAnswer::Telemetry(Some(response)) => format!("{} {}", response.status, clipped(&response.body_text())),
        TouchAnswer::Telemetry(None) => "not watched".to_string(),
    }
}
