//! The fleet as the cluster's programs: what kubelets, clients and probes get from containers.

use std::sync::Arc;
use std::time::Duration;

use cluster::{
    CallFigures, Cluster, ContainerRun, ExecCall, ExecEnd, HttpAnswer, Launch, LogRecord, PortAnswer, ProbeAnswer,
    ProbeCheck, Programs, Pull, ResourceUse, ReviewAnswer, Stamp, answer_http,
};

use super::{Fleet, StoreCell, key_of};
use crate::catalogue::{ImageMatch, generic_program, split_image};
use crate::change::RegistryState;
use crate::instance::{Instance, Phase};
use crate::journal::{ContainerLog, EdgeFigures};
use crate::scatter::{mix, stir};
use crate::spec::{ContainerProgram, ImageSpec, WireProtocol};

/// How often programs live.
const SECOND: Duration = Duration::from_secs(1);

impl Programs for Fleet {
    fn pull(&mut self, _now: Stamp, _node: &str, image: &str) -> Pull {
        let size = match self.image(image) {
            ImageMatch::Known(spec, _) if spec.size_mb > 0 => spec.size_mb * 1_000_000 + stir(image) % 1_000_000,
            ImageMatch::Known(..) | ImageMatch::Named => 60_000_000 + stir(image) % 40_000_000,
            missing => return Pull::Failed { message: not_found(image, &missing), takes: Duration::from_millis(900) },
        };
        Pull::Found { size, takes: Duration::from_millis(300 + size / 120_000) }
    }

    fn start(&mut self, now: Stamp, container: &ContainerRun) -> Launch {
        let (name, program, version) = match self.program_of(container) {
            Ok(found) => found,
            Err(message) => return Launch::Fails { message },
        };
        let key = key_of(container);
        let log = self.instances.get(&key).filter(|old| old.run.pod_uid == container.pod_uid);
        let log = log.map_or_else(ContainerLog::default, |old| old.log.clone());
        let delay = Duration::from_secs_f64(program.starts_in.max(0.0) + super::task::pause_of(container));
        let instance = Instance {
            run: container.clone(),
            name,
            program: program.clone(),
            version,
            phase: Phase::Launching { until: now.after(delay) },
            settings: Arc::default(),
            ports: Vec::new(),
            store: None,
            cpu_limit: None,
            queue: 0.0,
            wait: 0.0,
            cpu: 0.0,
            crowding: 1.0,
            throttled: 0.0,
            turned_away: 0.0,
            memory: program.memory_mb * 0.4 * f64::from(1 << 20),
            leaked: 0.0,
            warmth: 0.0,
            ends: None,
            certificate: None,
            unhealthy: false,
            log,
        };
        Arc::make_mut(&mut self.instances).insert(key, Arc::new(instance));
        self.is_stale = true;
        match program.ends {
            Some((after, code)) => {
                Launch::Ends { after: Duration::from_secs_f64(after), exit: cluster::ContainerExit::with(code) }
            }
            None => Launch::Runs,
        }
    }

    fn probe(&mut self, _now: Stamp, container: &ContainerRun, probe: &ProbeCheck) -> ProbeAnswer {
        let instance = self.instance(container);
        let listens = |port: u16| instance.and_then(|instance| instance.listens_on(port));
        match probe {
            ProbeCheck::Http { scheme, host, port, path, timeout } => {
                let url = format!("{}://{host}:{port}{path}", scheme.to_lowercase());
                let Some(wire) = listens(*port) else {
                    let why = format!("dial tcp {host}:{port}: connect: connection refused");
                    return ProbeAnswer::Bad(format!("Get {url:?}: {why}"));
                };
                match instance {
                    Some(instance) if instance.wait > timeout.as_secs_f64() => {
                        let why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
                        ProbeAnswer::Bad(format!("Get {url:?}: {why}"))
                    }
                    Some(instance) => http_probe(instance, wire, path, &url),
                    None => ProbeAnswer::Bad(String::new()),
                }
            }
            ProbeCheck::Tcp { host, port, .. } => match listens(*port) {
                Some(_) => ProbeAnswer::Good,
                None => ProbeAnswer::Bad(format!("dial tcp {host}:{port}: connect: connection refused")),
            },
            ProbeCheck::Grpc { port, timeout, .. } => match (listens(*port), self.is_unhealthy(container)) {
                (Some(WireProtocol::Grpc), false) => ProbeAnswer::Good,
                (Some(WireProtocol::Grpc), true) => {
                    ProbeAnswer::Bad("service unhealthy (responded with \"NOT_SERVING\")".into())
                }
                _ => ProbeAnswer::Bad(format!(
                    "timeout: failed to connect service \"{}:{port}\" within {}s: context deadline exceeded",
                    container.pod_ip,
                    timeout.as_secs()
                )),
            },
            ProbeCheck::Exec { command, .. } => match instance.is_some_and(Instance::is_serving) {
                _ if command.first().is_some_and(|word| word == "false") => ProbeAnswer::Bad(String::new()),
                true => ProbeAnswer::Good,
                false => ProbeAnswer::Bad(String::new()),
            },
        }
    }

    fn stop(&mut self, _now: Stamp, container: &ContainerRun, grace: Duration) -> (Duration, i32) {
        let key = key_of(container);
        if self.instance(container).is_some() {
            self.instance_mut(&key).phase = Phase::Over;
            self.is_stale = true;
            self.hang_up(&container.pod_ip);
        }
        let wanted = Duration::from_millis(300);
        if wanted <= grace { (wanted, 0) } else { (grace, 137) }
    }

    fn usage(&mut self, _now: Stamp, container: &ContainerRun) -> ResourceUse {
        let Some(instance) = self.instance(container) else { return ResourceUse::default() };
        let stored = instance.store.as_ref().and_then(|place| self.stores.get(place)).map_or(0, |s| s.0.memory());
        // No two processes of a program are of quite the same size.
        let draw = mix(stir(&container.pod_uid) ^ stir(&container.name)) % 1000;
        let spared = 0.08 * instance.program.memory_mb * f64::from(1 << 20) * draw as f64 / 1000.0;
        let memory = (instance.memory - spared).max(0.0) as i64 + stored;
        ResourceUse { cpu_milli: (instance.cpu * 1000.0) as i64, memory }
    }

    fn log(&mut self, _now: Stamp, container: &ContainerRun) -> Vec<LogRecord> {
        let own = self.instances.get(&key_of(container)).filter(|own| own.run.pod_uid == container.pod_uid);
        own.map_or_else(Vec::new, |own| own.log.of(container.attempt))
    }

    fn calls(&self) -> Vec<CallFigures> {
        let told = |edge: EdgeFigures| {
            // Services are known by the first part of their address.
            let host = edge.to.split([':', '.']).next().unwrap_or_default().to_string();
            CallFigures {
                caller: edge.from.2,
                within: edge.within,
                target: host,
                operation: edge.operation,
                rate: edge.rate,
                failing: edge.fails.clamp(0.0, 1.0),
                reason: edge.reason.to_string(),
                latency_ms: edge.latency_ms,
            }
        };
        self.edges().into_iter().map(told).collect()
    }

    fn exec(&mut self, cluster: &Cluster, container: &ContainerRun, call: &ExecCall) -> Option<ExecEnd> {
        self.run_client(cluster, container, call)
    }

    fn on_node(&mut self, cluster: &mut Cluster, node: &str, call: &ExecCall) -> Option<ExecEnd> {
        self.command_on_node(cluster, node, call)
    }

    fn has_command(&self, container: &ContainerRun, name: &str) -> bool {
        self.has_client(container, name)
    }

    fn runs_entrypoints(&self) -> bool {
        true
    }

    fn listens(&mut self, _now: Stamp, container: &ContainerRun, port: u16) -> bool {
        self.instance(container).is_some_and(|instance| instance.listens_on(port).is_some())
    }

    fn answer(&mut self, now: Stamp, container: &ContainerRun, port: u16, bytes: &[u8]) -> PortAnswer {
        if self.instance(container).is_none() {
            return PortAnswer::default();
        }
        let Some(instance) = self.instances.get(&key_of(container)).cloned() else { return PortAnswer::default() };
        if instance.listens_on(port) == Some(WireProtocol::Http) {
            return answer_http(bytes, |ask| {
                let by_store = self.store_of(&instance).and_then(|store| store.0.asked(ask, now));
                by_store.unwrap_or_else(|| self.answer_request(&instance, ask))
            });
        }
        let text = String::from_utf8_lossy(bytes);
        let said = self.store_of(&instance).filter(|_| !bytes.is_empty()).and_then(|store| store.0.typed(&text, now));
        PortAnswer { consumed: bytes.len(), reply: said.unwrap_or_default().into_bytes(), closes: !bytes.is_empty() }
    }

    fn review(&mut self, _now: Stamp, container: &ContainerRun, review: &serde_json::Value) -> Option<ReviewAnswer> {
        Some(self.instance(container).map_or_else(ReviewAnswer::allowed, |own| super::review::answer(own, review)))
    }

    fn files(&mut self, container: &ContainerRun) -> Vec<(String, Vec<u8>)> {
        match self.image(&container.image) {
            ImageMatch::Known(image, _) => {
                image.files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
            }
            _ => Vec::new(),
        }
    }

    fn tick_every(&self) -> Option<Duration> {
        Some(SECOND)
    }

    fn tick(&mut self, cluster: &mut Cluster, now: Stamp) {
        self.live(cluster, now);
    }
}

impl Fleet {
    /// The program in a container, if it is this attempt at it.
    pub(super) fn instance(&self, container: &ContainerRun) -> Option<&Instance> {
        let own = self.instances.get(&key_of(container))?;
        (own.run.pod_uid == container.pod_uid && own.run.attempt == container.attempt).then_some(&**own)
    }

    /// The store whose server an instance is.
    fn store_of(&mut self, instance: &Instance) -> Option<&mut StoreCell> {
        let place = instance.store.as_ref()?;
        Arc::make_mut(&mut self.stores).get_mut(place)
    }

    /// What an image reference leads to, as registries are now.
    pub(super) fn image(&self, reference: &str) -> ImageMatch {
        let (name, tag) = split_image(reference);
        let whole = format!("{name}:{tag}");
        let state = self.ground().registry.get(&whole).or_else(|| self.ground().registry.get(&name));
        match state {
            Some(RegistryState::Missing) => ImageMatch::NoSuchTag,
            Some(RegistryState::Is(other)) => self.catalogue.image(other),
            _ => self.catalogue.image(reference),
        }
    }

    fn program_of(&self, container: &ContainerRun) -> Result<(Arc<str>, Arc<ContainerProgram>, String), String> {
        let short = |name: &str| name.rsplit('/').next().unwrap_or(name).to_string();
        match self.image(&container.image) {
            ImageMatch::Known(image, version) => {
                let name = program_name(&image, container)?;
                let program = self.catalogue.program(&name).cloned().unwrap_or_else(generic_program);
                Ok((short(&name).as_str().into(), program, version))
            }
            _ => Ok((container.name.as_str().into(), generic_program(), split_image(&container.image).1)),
        }
    }

    fn is_unhealthy(&self, container: &ContainerRun) -> bool {
        self.instance(container).is_some_and(|instance| {
            let stored = instance.store.as_ref().and_then(|place| self.stores.get(place));
            instance.unhealthy || stored.is_some_and(|store| !store.0.is_healthy())
        })
    }

    fn answer_request(&self, instance: &Instance, ask: &cluster::HttpAsk) -> HttpAnswer {
        let path = ask.path.split('?').next().unwrap_or_default();
        let wanted = format!("HTTP {} {path}", ask.method);
        let flow = self.flow_of(instance, &wanted);
        let (status, body) = match flow {
            Some(flow) if flow.fails > 0.5 => (500, flow.why.as_deref().unwrap_or("Internal Server Error").to_string()),
            Some(_) => (200, format!("{{\"path\": {path:?}, \"pod\": {:?}}}\n", instance.run.pod)),
            None => match instance.program.paths.get(path) {
                Some(status) => (*status, "ok\n".into()),
                None if instance.program.answers_any_path => {
                    (200, format!("{path} answered by {}\n", instance.run.pod))
                }
                None => (404, "404 page not found\n".into()),
            },
        };
        HttpAnswer { status, content_type: "text/plain; charset=utf-8".into(), body: body.into_bytes() }
    }
}

/// Which of the programs of an image a container runs; the error is the runtime's.
fn program_name(image: &ImageSpec, container: &ContainerRun) -> Result<String, String> {
    let words: Vec<&String> = container.command.iter().chain(&container.args).collect();
    let Some(first) = words.first() else { return Ok(image.program.clone()) };
    let short = |word: &str| word.rsplit('/').next().unwrap_or(word).to_string();
    // The first word that names a program: `geo`, or `serve geo`.
    if let Some(program) = words.iter().take(2).find_map(|word| image.binaries.get(&short(word))) {
        return Ok(program.clone());
    }
    // A shell runs what stands in its script.
    if matches!(short(first).as_str(), "sh" | "bash" | "ash") {
        let script = words.get(2).or(words.get(1)).map_or("", |script| script.as_str());
        let is_word = |word: &str| image.binaries.get(&short(word.trim_matches(['"', '\'', ';'])));
        let named = script.split_whitespace().find_map(is_word);
        return Ok(named.unwrap_or(&image.program).clone());
    }
    if container.command.is_empty() || image.has_shell || image.binaries.is_empty() {
        return Ok(image.program.clone());
    }
    Err(format!(
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: \
         unable to start container process: error during container init: exec: {first:?}: executable file not found in \
         $PATH: unknown"
    ))
}

fn http_probe(instance: &Instance, wire: WireProtocol, path: &str, url: &str) -> ProbeAnswer {
    if wire != WireProtocol::Http {
        let why = "net/http: HTTP/1.x transport connection broken: malformed HTTP response";
        return ProbeAnswer::Bad(format!("Get {url:?}: {why} \"\\x00\\x00\\x06\\x04\""));
    }
    let plain = path.split('?').next().unwrap_or_default();
    let status = match instance.program.paths.get(plain) {
        Some(status) => *status,
        None if instance.program.answers_any_path => 200,
        None if instance.program.operations.iter().any(|own| own.name == format!("HTTP GET {plain}")) => 200,
        None => 404,
    };
    match status {
        200..400 => ProbeAnswer::Good,
        status => ProbeAnswer::Bad(format!("HTTP probe failed with statuscode: {status}")),
    }
}

fn not_found(image: &str, missing: &ImageMatch) -> String {
    let (name, tag) = split_image(image);
    let is_short = !name.contains('/');
    let has_host = name.split('/').next().is_some_and(|first| first.contains(['.', ':']));
    let full = match (is_short, has_host) {
        (true, _) => format!("docker.io/library/{name}:{tag}"),
        (false, false) => format!("docker.io/{name}:{tag}"),
        (false, true) => format!("{name}:{tag}"),
    };
    let start = format!("failed to pull and unpack image \"{full}\": failed to resolve reference \"{full}\"");
    match missing {
        ImageMatch::NoSuchTag => format!("rpc error: code = NotFound desc = {start}: {full}: not found"),
        _ => format!(
            "{start}: pull access denied, repository does not exist or may require authorization: server message: \
             insufficient_scope: authorization failed"
        ),
    }
}
