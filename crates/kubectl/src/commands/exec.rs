//! `kubectl exec` and `attach`, and how commands find a pod and a container.

use cluster::api::{ApiBody, ApiRequest, HttpMethod};
use serde_json::Value;
use shell::Output;

use super::Outcome;
use crate::client::with_query;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "c|container= f|filename= pod-running-timeout=d q|quiet i|stdin t|tty";
pub(super) const ATTACH_FLAGS: &str = "c|container= pod-running-timeout=d q|quiet i|stdin t|tty";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    let (targets, command) = match call.flags.dash {
        Some(at) => words.split_at(at),
        None => words.split_at(words.len().min(1)),
    };
    let Some(target) = targets.first() else {
        return Err(Failure::new("pod, type/name or --filename must be specified"));
    };
    if call.flags.dash.is_none() && !command.is_empty() {
        return Err(Failure::new(
            "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\nSee 'kubectl exec -h' for help and examples",
        ));
    }
    if command.is_empty() {
        return Err(Failure::new("you must specify at least one command for the container"));
    }
    let pod = pod_of(call, target)?;
    let phase = json::text(&pod, "status.phase");
    if matches!(phase, "Succeeded" | "Failed") {
        return Err(Failure::new(format!("cannot exec into a container in a completed pod; current phase is {phase}")));
    }
    let container = match call.flags.value("container").filter(|name| !name.is_empty()) {
        Some(name) => {
            let name = name.to_string();
            if !containers(&pod).iter().any(|container| json::text(container, "name") == name) {
                return Err(Failure::Status(Box::new(serde_json::json!({
                    "kind": "Status", "reason": "BadRequest", "code": 400,
                    "message": format!("container {name} is not valid for pod {}", json::text(&pod, "metadata.name")),
                }))));
            }
            name
        }
        None => default_container(call, &pod),
    };
    if call.flags.has("tty") && call.input.is_empty() {
        call.warn("Unable to use a TTY - input is not a terminal or the right kind of file");
    }
    let (namespace, name) =
        (json::text(&pod, "metadata.namespace").to_string(), json::text(&pod, "metadata.name").to_string());
    let input = if call.flags.has("stdin") { call.input } else { "" };
    let ran = in_container(call, &namespace, &name, &container, command, input)?;
    call.out.push_str(&ran.stdout);
    call.err.push_str(&ran.stderr);
    match ran.code {
        0 => Ok(()),
        code => Err(Failure::Verbatim(format!("command terminated with exit code {code}"), code)),
    }
}

/// Runs a command in a container.
pub(super) fn in_container(
    call: &mut Kubectl<'_, '_>,
    namespace: &str,
    pod: &str,
    container: &str,
    command: &[String],
    input: &str,
) -> Result<Output, Failure> {
    let (stdout, stderr, code) = bytes_in_container(call, namespace, pod, container, command, input.as_bytes())?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Output { stdout: text(stdout), stderr: text(stderr), code })
}

/// What a command printed, what it complained about, and its exit code.
type Ended = (Vec<u8>, Vec<u8>, i32);

/// Runs a command in a container, bytes in and out.
pub(super) fn bytes_in_container(
    call: &mut Kubectl<'_, '_>,
    namespace: &str,
    pod: &str,
    container: &str,
    command: &[String],
    input: &[u8],
) -> Result<Ended, Failure> {
    let kind = call.kind("pods")?;
    let mut query: Vec<(&str, &str)> = command.iter().map(|word| ("command", word.as_str())).collect();
    let has_empty = command.iter().any(String::is_empty);
    let tty = call.flags.has("tty");
    query.extend([("container", container), ("stdout", "true"), ("stdin", if input.is_empty() { "" } else { "true" })]);
    query.push(if tty { ("tty", "true") } else { ("stderr", "true") });
    let path = with_query(&format!("{}/exec", kind.object_path(namespace, pod)), &query);
    let request = ApiRequest::new(HttpMethod::Get, &path).header("upgrade", "websocket");
    let ApiBody::Stream(mut stream) = call.open(request)? else {
        return Err(Failure::new("the server does not run commands"));
    };
    // Empty words do not survive a query without values.
    if has_empty && let cluster::api::StreamKind::Exec { command: words, .. } = &mut stream.kind {
        *words = command.to_vec();
    }
    match call.desk.cluster.exec(call.desk.programs, &stream, input) {
        Ok(end) => Ok((end.stdout, end.stderr, end.code)),
        Err(why) => Err(Failure::new(format!("Internal error occurred: {why}"))),
    }
}

pub(super) fn attach(call: &mut Kubectl<'_, '_>) -> Outcome {
    let Some(target) = call.flags.words.first().cloned() else {
        return Err(Failure::new("at least 1 argument is required for attach"));
    };
    let pod = pod_of(call, &target)?;
    let container = match call.flags.value("container") {
        Some(name) => name.to_string(),
        None => default_container(call, &pod),
    };
    let phase = json::text(&pod, "status.phase");
    if matches!(phase, "Succeeded" | "Failed") {
        return Err(Failure::new(format!("cannot attach a container in a completed pod; current phase is {phase}")));
    }
    call.warn("If you don't see a command prompt, try pressing enter.");
    let (namespace, name) = (json::text(&pod, "metadata.namespace"), json::text(&pod, "metadata.name"));
    let kind = call.kind("pods")?;
    let path = with_query(
        &format!("{}/log", kind.object_path(namespace, name)),
        &[("container", &container), ("follow", "true"), ("tailLines", "0")],
    );
    let ApiBody::Log(mut handle) = call.open(ApiRequest::new(HttpMethod::Get, &path))? else { return Ok(()) };
    let end = call.patience();
    loop {
        let told = call.desk.cluster.poll_log(call.desk.programs, &mut handle);
        call.out.push_str(&String::from_utf8_lossy(&told));
        if handle.is_done() {
            return Ok(());
        }
        if !call.step(end) {
            return Err(call.stopped());
        }
    }
}

/// The containers of a pod: main ones, ephemeral ones, those that run first.
pub(super) fn containers(pod: &Value) -> Vec<&Value> {
    ["spec.containers", "spec.ephemeralContainers", "spec.initContainers"]
        .iter()
        .flat_map(|path| json::list(pod, path))
        .collect()
}

/// The container that is meant if none is named; told if there are several.
pub(super) fn default_container(call: &mut Kubectl<'_, '_>, pod: &Value) -> String {
    let annotated =
        json::at(pod, "metadata.annotations").get("kubectl.kubernetes.io/default-container").and_then(Value::as_str);
    if let Some(name) = annotated.filter(|name| containers(pod).iter().any(|c| json::text(c, "name") == *name)) {
        return name.into();
    }
    let first = json::list(pod, "spec.containers").first().map_or("", |container| json::text(container, "name"));
    let names = |path: &str, suffix: &str| {
        json::list(pod, path).iter().map(|c| format!("{}{suffix}", json::text(c, "name"))).collect::<Vec<_>>()
    };
    let all = [
        names("spec.containers", ""),
        names("spec.ephemeralContainers", " (ephem)"),
        names("spec.initContainers", " (init)"),
    ]
    .concat();
    if all.len() > 1 && !call.flags.has("quiet") {
        call.warn(format!("Defaulted container {} out of: {}", quote(first), all.join(", ")));
    }
    first.into()
}

/// The pod that a word means: `web-0`, `pod/web-0`, `deploy/web`, `svc/web`.
pub(crate) fn pod_of(call: &mut Kubectl<'_, '_>, word: &str) -> Result<Value, Failure> {
    let namespace = call.namespace();
    let kind = call.kind("pods")?;
    let name = match word.split_once('/') {
        None => Some(word),
        Some(("pod" | "pods" | "po", name)) => Some(name),
        Some(_) => None,
    };
    if let Some(name) = name {
        return call.object(&kind, &namespace, name);
    }
    let (found, what) = pods_of(call, word)?;
    match found.into_iter().next() {
        Some(pod) => Ok(pod),
        None => Err(Failure::new(format!("timed out waiting for the condition: {what} has no pods"))),
    }
}

/// The pods of a workload or a Service, best first.
pub(super) fn pods_of(call: &mut Kubectl<'_, '_>, word: &str) -> Result<(Vec<Value>, String), Failure> {
    let targets = call.targets(&[word.to_string()])?;
    let (found, failures) = call.found(&targets);
    Failure::all(failures)?;
    let Some(one) = found.into_iter().next() else { return Err(Failure::new(format!("{word} is not there"))) };
    let selector = match one.kind.kind.as_str() {
        "Service" | "ReplicationController" => json::at(&one.object, "spec.selector").clone(),
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" => {
            json::at(&one.object, "spec.selector").clone()
        }
        "Pod" => return Ok((vec![one.object.clone()], one.shown())),
        other => {
            return Err(Failure::new(format!(
                "cannot get the logs from *unstructured {other}: selector for {other} not implemented"
            )));
        }
    };
    let selector = match one.kind.kind.as_str() {
        "Service" | "ReplicationController" => crate::describe::labels_selector(&selector),
        _ => crate::describe::selector(&selector),
    };
    if selector.is_empty() {
        return Err(Failure::new(format!("invalid service '{}': Service is defined without a selector", one.name)));
    }
    let kind = call.kind("pods")?;
    let mut pods = call.list(&kind, &one.namespace, &selector, "")?;
    pods.sort_by_key(rank);
    Ok((pods, one.shown()))
}

/// Running before pending, ready before not, older before younger.
fn rank(pod: &Value) -> (bool, u8, bool, i64, String) {
    let phase = match json::text(pod, "status.phase") {
        "Running" => 0,
        "Unknown" => 1,
        "Pending" => 2,
        _ => 3,
    };
    let is_ready = json::list(pod, "status.conditions")
        .iter()
        .any(|c| json::text(c, "type") == "Ready" && json::text(c, "status") == "True");
    let restarts = json::list(pod, "status.containerStatuses")
        .iter()
        .filter_map(|s| json::int(s, "restartCount"))
        .max()
        .unwrap_or(0);
    let made = json::text(pod, "metadata.creationTimestamp").to_string();
    (json::text(pod, "spec.nodeName").is_empty(), phase, !is_ready, -restarts, made)
}
