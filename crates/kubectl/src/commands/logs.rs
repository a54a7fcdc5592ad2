//! `kubectl logs`.

use cluster::api::{ApiBody, ApiRequest, HttpMethod, LogHandle};
use serde_json::Value;

use super::Outcome;
use super::exec::{containers, default_container};
use crate::client::with_query;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "all-containers all-pods c|container= f|follow ignore-errors insecure-skip-tls-verify-backend limit-bytes=i \
    max-log-requests=i pod-running-timeout=d prefix p|previous l|selector= since=d since-time= tail=i timestamps";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let mut words = call.flags.words.clone();
    let selector = call.flags.text("selector").to_string();
    if words.is_empty() && selector.is_empty() {
        return Err(Failure::new(
            "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples",
        ));
    }
    if !words.is_empty() && !selector.is_empty() {
        return Err(Failure::new("only a selector (-l) or a POD name is allowed"));
    }
    if call.flags.value("since").is_some() && call.flags.value("since-time").is_some() {
        return Err(Failure::new("at most one of `sinceTime` or `sinceSeconds` may be specified"));
    }
    if words.len() == 2 {
        let container = words.pop().unwrap_or_default();
        if call.flags.value("container").is_some() {
            return Err(Failure::new("only one of -c or an inline [CONTAINER] arg is allowed"));
        }
        call.flags.set("container", &container);
    }
    if words.len() > 1 {
        return Err(Failure::new(
            "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples",
        ));
    }
    if call.flags.has("all-containers") && call.flags.value("container").is_some() {
        return Err(Failure::new("--all-containers=true should not be specified with container name "));
    }
    let pods = pods(call, words.first().map(String::as_str), &selector)?;
    let sources = sources(call, &pods)?;
    let follows = call.flags.has("follow");
    let most = call.flags.number("max-log-requests").unwrap_or(5);
    if follows && sources.len() as i64 > most {
        return Err(Failure::new(format!(
            "you are attempting to follow {} log streams, but maximum allowed concurrency is {most}, use --max-log-requests to increase the limit",
            sources.len()
        )));
    }
    if follows { follow(call, &sources) } else { once(call, &sources) }
}

/// A log: its pod, its container.
struct Source {
    namespace: String,
    pod: String,
    container: String,
}

/// The pods that a word or a selector means.
fn pods(call: &mut Kubectl<'_, '_>, word: Option<&str>, selector: &str) -> Result<Vec<Value>, Failure> {
    let kind = call.kind("pods")?;
    let namespace = call.namespace();
    let Some(word) = word else {
        let found = call.list(&kind, &namespace, selector, "")?;
        if found.is_empty() {
            call.warn(format!("No resources found in {namespace} namespace."));
        }
        if call.flags.value("tail").is_none() {
            call.flags.set("tail", "10");
        }
        return Ok(found);
    };
    let bare = word.strip_prefix("pod/").or_else(|| word.strip_prefix("pods/")).or_else(|| word.strip_prefix("po/"));
    let name = if word.contains('/') { bare } else { Some(word) };
    let Some(name) = name else {
        let all = call.flags.has("all-pods");
        let (mut found, _) = super::exec::pods_of(call, word)?;
        if found.is_empty() {
            return Err(Failure::new("timed out waiting for the condition"));
        }
        if found.len() > 1 && !all {
            call.warn(format!("Found {} pods, using pod/{}", found.len(), json::text(&found[0], "metadata.name")));
        }
        if !all {
            found.truncate(1);
        }
        return Ok(found);
    };
    let found = call.object(&kind, &namespace, name).map_err(|failure| match failure.is_not_found() {
        true => Failure::new(format!(
            "error from server (NotFound): {} in namespace {}",
            failure.message(),
            quote(&namespace)
        )),
        false => failure,
    })?;
    Ok(vec![found])
}

fn sources(call: &mut Kubectl<'_, '_>, pods: &[Value]) -> Result<Vec<Source>, Failure> {
    let mut all = Vec::new();
    for pod in pods {
        let (namespace, name) =
            (json::text(pod, "metadata.namespace").to_string(), json::text(pod, "metadata.name").to_string());
        let known: Vec<String> =
            containers(pod).iter().map(|container| json::text(container, "name").to_string()).collect();
        let wanted: Vec<String> = if call.flags.has("all-containers") {
            let lists = ["spec.initContainers", "spec.containers", "spec.ephemeralContainers"];
            lists
                .iter()
                .flat_map(|path| json::list(pod, path))
                .map(|container| json::text(container, "name").to_string())
                .collect()
        } else if let Some(container) = call.flags.value("container").filter(|name| !name.is_empty()) {
            if !known.iter().any(|name| name == container) {
                return Err(Failure::new(format!("container {container} is not valid for pod {name}")));
            }
            vec![container.to_string()]
        } else {
            vec![default_container(call, pod)]
        };
        all.extend(wanted.into_iter().map(|container| Source {
            namespace: namespace.clone(),
            pod: name.clone(),
            container,
        }));
    }
    Ok(all)
}

fn path(call: &mut Kubectl<'_, '_>, source: &Source) -> Result<String, Failure> {
    let kind = call.kind("pods")?;
    let seconds =
        call.flags.span("since").map(|span| span.as_secs_f64().ceil().max(1.0).to_string()).unwrap_or_default();
    let flag = |name: &str| if call.flags.has(name) { "true" } else { "" };
    let tail = call.flags.value("tail").filter(|tail| *tail != "-1").unwrap_or_default();
    let limit = call.flags.value("limit-bytes").filter(|limit| *limit != "0").unwrap_or_default();
    Ok(with_query(
        &format!("{}/log", kind.object_path(&source.namespace, &source.pod)),
        &[
            ("container", &source.container),
            ("follow", flag("follow")),
            ("previous", flag("previous")),
            ("sinceSeconds", &seconds),
            ("sinceTime", call.flags.text("since-time")),
            ("tailLines", tail),
            ("limitBytes", limit),
            ("timestamps", flag("timestamps")),
        ],
    ))
}

fn print(call: &mut Kubectl<'_, '_>, source: &Source, text: &str) {
    if !call.flags.has("prefix") {
        call.out.push_str(text);
        return;
    }
    for line in text.split_inclusive('\n') {
        call.out.push_str(&format!("[pod/{}/{}] {line}", source.pod, source.container));
    }
}

fn once(call: &mut Kubectl<'_, '_>, sources: &[Source]) -> Outcome {
    for source in sources {
        let path = path(call, source)?;
        match call.get_text(&path) {
            Ok(text) => print(call, source, &text),
            Err(failure) if call.flags.has("ignore-errors") => {
                call.out.push_str(&format!("error: {}\n", failure.message()))
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

fn follow(call: &mut Kubectl<'_, '_>, sources: &[Source]) -> Outcome {
    let mut open: Vec<(&Source, Box<LogHandle>)> = Vec::new();
    for source in sources {
        let path = path(call, source)?;
        match call.open(ApiRequest::new(HttpMethod::Get, &path))? {
            ApiBody::Log(handle) => open.push((source, handle)),
            ApiBody::Bytes(bytes) => print(call, source, &String::from_utf8_lossy(&bytes)),
            _ => return Err(Failure::new("the server does not follow this log")),
        }
    }
    let end = call.patience();
    loop {
        for (source, handle) in &mut open {
            let told = call.desk.cluster.poll_log(call.desk.programs, handle);
            print(call, source, &String::from_utf8_lossy(&told));
        }
        open.retain(|(_, handle)| !handle.is_done());
        if open.is_empty() {
            return Ok(());
        }
        if !call.step(end) {
            return Err(call.stopped());
        }
    }
}
