//! Logs, and streams that the server carries: exec, attach, port-forward, proxy.

use serde_json::Value;

use super::{ApiBody, ApiRequest, ApiResponse, ApiTarget};
use crate::program::{ContainerRun, LogRecord, Programs};
use crate::resource::Resource;
use crate::status::ApiError;
use crate::time::Stamp;
use crate::{Cluster, json};

/// A stream to a container that the API has allowed; the server upgrades the connection and carries the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamRequest {
    /// What kind of stream.
    pub kind: StreamKind,
    /// The namespace of the pod, or of the service behind a proxy.
    pub namespace: String,
    /// The name of the pod, node or service.
    pub name: String,
    /// The node of the pod.
    pub node: String,
    /// The container; empty for port-forward and proxy.
    pub container: String,
    /// Whether the container runs. If not, the kubelet says so only after the connection is there.
    pub is_running: bool,
}

/// The kinds of streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// A command in a container.
    Exec {
        /// The command and its arguments.
        command: Vec<String>,
        /// Whether the client sends input, wants output and wants errors, and whether there is a terminal.
        streams: [bool; 4],
    },
    /// The main process of a container: input, output, errors, terminal.
    Attach([bool; 4]),
    /// Connections to ports of a pod.
    PortForward(Vec<u16>),
    /// One HTTP request to this path of a pod, service or node.
    Proxy(String),
}

/// A log that is followed.
#[derive(Clone, Debug)]
pub struct LogHandle {
    run: ContainerRun,
    options: LogOptions,
    told: usize,
    is_done: bool,
}

impl LogHandle {
    /// Whether the container has ended and all of its log was told.
    pub fn is_done(&self) -> bool {
        self.is_done
    }
}

#[derive(Clone, Debug, Default)]
struct LogOptions {
    since: Option<Stamp>,
    tail: Option<usize>,
    limit: Option<usize>,
    timestamps: bool,
}

impl Cluster {
    pub(super) fn log(
        &self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Resource,
    ) -> Result<ApiResponse, ApiError> {
        let pod = self.find(resource, &target.namespace, &target.name)?;
        let container = container_of(&pod, request.query("container"))?;
        let options = self.log_options(request)?;
        if json::text(&pod, "spec.nodeName").is_empty() {
            return Ok(ApiResponse { status: 204, headers: Vec::new(), body: ApiBody::Bytes(Vec::new()) });
        }
        self.check_kubelet(&pod, &format!("/containerLogs/{}/{}/{container}", target.namespace, target.name))?;
        let attempt = attempt(&pod, &container, request.flag("previous"))?;
        let run = self.container_run(&pod, &container, attempt);
        if request.flag("follow") {
            let handle = LogHandle { run, options, told: 0, is_done: false };
            let headers = vec![("Content-Type", "text/plain".to_string())];
            return Ok(ApiResponse { status: 200, headers, body: ApiBody::Log(Box::new(handle)) });
        }
        let records = programs.log(self.now, &run);
        Ok(ApiResponse::bytes(200, "text/plain", options.print(&records)))
    }

    /// What a followed log has to tell since the last time. The first call tells what the options ask for.
    pub fn poll_log(&self, programs: &mut dyn Programs, handle: &mut LogHandle) -> Vec<u8> {
        if handle.is_done {
            return Vec::new();
        }
        let records = programs.log(self.now, &handle.run);
        let first = handle.told == 0;
        let fresh = &records[handle.told.min(records.len())..];
        let follow = LogOptions { since: None, tail: None, ..handle.options.clone() };
        let out = if first { handle.options.print(fresh) } else { follow.print(fresh) };
        handle.told = records.len();
        let pod = self.store.get("pods", &handle.run.namespace, &handle.run.pod);
        let is_current = pod.filter(|pod| json::text(pod, "metadata.uid") == handle.run.pod_uid).is_some_and(|pod| {
            let status = status_of(pod, &handle.run.name);
            let runs =
                status.is_some_and(|status| status.get("state").is_some_and(|state| state.get("running").is_some()));
            runs && status.and_then(|status| json::int(status, "restartCount")) == Some(handle.run.attempt.into())
        });
        handle.is_done = !is_current;
        out
    }

    fn log_options(&self, request: &ApiRequest) -> Result<LogOptions, ApiError> {
        let number = |name: &str| -> Result<Option<i64>, ApiError> {
            match request.query(name) {
                "" => Ok(None),
                text => match text.parse::<i64>() {
                    Ok(number) if number >= 0 => Ok(Some(number)),
                    Ok(number) => {
                        let why = "must be greater than or equal to 0";
                        let error = crate::status::FieldError::invalid(name, number, why);
                        Err(ApiError::invalid_kind("PodLogOptions", "", "", vec![error]))
                    }
                    Err(_) => Err(ApiError::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax"))),
                },
            }
        };
        let since = match number("sinceSeconds")? {
            Some(seconds) => Some(Stamp(self.now.0.saturating_sub(seconds.saturating_mul(1_000_000)))),
            None => Stamp::parse(request.query("sinceTime")),
        };
        Ok(LogOptions {
            since,
            tail: number("tailLines")?.map(|n| n as usize),
            limit: number("limitBytes")?.map(|n| n as usize),
            timestamps: request.flag("timestamps"),
        })
    }

    pub(super) fn stream(
        &self,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Resource,
    ) -> Result<ApiResponse, ApiError> {
        if target.subresource == "proxy" {
            return self.proxied(target, resource);
        }
        let pod = self.find(resource, &target.namespace, &target.name)?;
        let upgrades = !request.header_value("upgrade").is_empty();
        let node = json::text(&pod, "spec.nodeName").to_string();
        let wants = |name: &str| request.flag(name);
        let streams = [wants("stdin"), wants("stdout"), wants("stderr"), wants("tty")];
        let kind = match target.subresource.as_str() {
            "exec" => StreamKind::Exec { command: request.queries("command").map(Into::into).collect(), streams },
            "attach" => StreamKind::Attach(streams),
            _ => StreamKind::PortForward(request.queries("ports").filter_map(|port| port.parse().ok()).collect()),
        };
        let is_forward = matches!(kind, StreamKind::PortForward(_));
        let container = if is_forward { String::new() } else { container_of(&pod, request.query("container"))? };
        if node.is_empty() {
            let name = &target.name;
            return Err(ApiError::bad_request(format!("pod {name} does not have a host assigned")));
        }
        if !upgrades {
            return Err(ApiError::bad_request("Upgrade request required"));
        }
        if let Err(error) = self.check_kubelet(&pod, "") {
            let why = error.message.rsplit("\": ").next().unwrap_or_default();
            return Err(ApiError::unexplained(format!("error dialing backend: {why}")));
        }
        let is_running = is_forward || is_running(&pod, &container);
        let (namespace, name) = (target.namespace.clone(), target.name.clone());
        let stream = StreamRequest { kind, namespace, name, node, container, is_running };
        Ok(ApiResponse { status: 101, headers: Vec::new(), body: ApiBody::Stream(Box::new(stream)) })
    }

    fn proxied(&self, target: &ApiTarget, resource: &Resource) -> Result<ApiResponse, ApiError> {
        // `http:name:port` and `name:port` name the same object as `name`.
        let bare = target.name.trim_start_matches("http:").trim_start_matches("https:");
        let bare = bare.split(':').next().unwrap_or_default();
        let object = self.find(resource, &target.namespace, bare)?;
        let node = if resource.plural == "nodes" { bare } else { json::text(&object, "spec.nodeName") };
        let stream = StreamRequest {
            kind: StreamKind::Proxy(format!("/{}", target.rest)),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            node: node.into(),
            container: String::new(),
            is_running: true,
        };
        Ok(ApiResponse { status: 200, headers: Vec::new(), body: ApiBody::Stream(Box::new(stream)) })
    }

    /// Refuses as the API does when the kubelet of a pod's node does not answer.
    fn check_kubelet(&self, pod: &Value, path: &str) -> Result<(), ApiError> {
        let node = json::text(pod, "spec.nodeName");
        let object = self.store.get("nodes", "", node);
        if object.is_some() && !self.is_kubelet_down(node) {
            return Ok(());
        }
        let addresses = object.map(|node| json::list(node, "status.addresses")).unwrap_or_default();
        let address = addresses.first().map_or("0.0.0.0", |address| json::text(address, "address"));
        let message =
            format!("Get \"https://{address}:10250{path}\": dial tcp {address}:10250: connect: connection refused");
        Err(ApiError::unexplained(message))
    }
}

impl LogOptions {
    fn print(&self, records: &[LogRecord]) -> Vec<u8> {
        let kept: Vec<_> = records.iter().filter(|record| self.since.is_none_or(|since| record.at >= since)).collect();
        let skipped = self.tail.map_or(0, |tail| kept.len().saturating_sub(tail));
        let mut out = Vec::new();
        for record in &kept[skipped..] {
            if self.timestamps {
                out.extend_from_slice(nano_time(record).as_bytes());
                out.push(b' ');
            }
            out.extend_from_slice(record.line.as_bytes());
            out.push(b'\n');
        }
        out.truncate(self.limit.unwrap_or(usize::MAX));
        out
    }
}

/// When a runtime wrote a line, in nanoseconds: what is below a microsecond follows from the line.
fn nano_time(record: &LogRecord) -> String {
    let micro = record.at.rfc3339_micro();
    let below = record
        .line
        .bytes()
        .fold(record.at.0 as u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{}{:03}Z", micro.trim_end_matches('Z'), (below >> 20) % 1000)
}

/// All containers of a pod: init containers first, as messages list them.
pub(crate) fn container_names(pod: &Value) -> Vec<&str> {
    let lists = ["spec.initContainers", "spec.containers", "spec.ephemeralContainers"];
    lists.iter().flat_map(|path| json::list(pod, path)).map(|container| json::text(container, "name")).collect()
}

fn container_of(pod: &Value, wanted: &str) -> Result<String, ApiError> {
    let name = json::text(pod, "metadata.name");
    let all = container_names(pod);
    if !wanted.is_empty() {
        return match all.contains(&wanted) {
            true => Ok(wanted.into()),
            false => Err(ApiError::bad_request(format!("container {wanted} is not valid for pod {name}"))),
        };
    }
    match json::list(pod, "spec.containers") {
        [only] if all.len() == 1 => Ok(json::text(only, "name").into()),
        _ => {
            let message =
                format!("a container name must be specified for pod {name}, choose one of: [{}]", all.join(" "));
            Err(ApiError::bad_request(message))
        }
    }
}

/// The status of a container, whichever list it stands in.
pub(crate) fn status_of<'a>(pod: &'a Value, container: &str) -> Option<&'a Value> {
    let lists = ["status.containerStatuses", "status.initContainerStatuses", "status.ephemeralContainerStatuses"];
    lists.iter().flat_map(|path| json::list(pod, path)).find(|status| json::text(status, "name") == container)
}

fn is_running(pod: &Value, container: &str) -> bool {
    status_of(pod, container).is_some_and(|status| !json::at(status, "state.running").is_null())
}

/// Which attempt's log is meant; refused if there is none.
fn attempt(pod: &Value, container: &str, previous: bool) -> Result<u32, ApiError> {
    let name = json::text(pod, "metadata.name");
    let status = status_of(pod, container);
    let restarts = status.and_then(|status| json::int(status, "restartCount")).unwrap_or(0) as u32;
    let has = |path: &str| status.is_some_and(|status| !json::at(status, path).is_null());
    if previous {
        if !has("lastState.terminated") {
            let message = format!("previous terminated container {container:?} in pod {name:?} not found");
            return Err(ApiError::bad_request(message));
        }
        // While it waits to be restarted, the latest instance is the previous one.
        return Ok(if has("state.waiting") { restarts } else { restarts.saturating_sub(1) });
    }
    if has("state.running") || has("state.terminated") || has("lastState.terminated") {
        return Ok(restarts);
    }
    let reason = status.map_or("", |status| json::text(status, "state.waiting.reason"));
    let why = match reason {
        "ImagePullBackOff" => "trying and failing to pull image",
        "ErrImagePull" => "image can't be pulled",
        "" => "ContainerCreating",
        other => other,
    };
    Err(ApiError::bad_request(format!("container {container:?} in pod {name:?} is waiting to start: {why}")))
}
