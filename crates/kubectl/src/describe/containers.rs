//! Containers in descriptions of pods and templates.

use serde_json::Value;

use super::{Page, long_time, or_none, truth};
use crate::json;

/// The containers of a pod or a template; templates have no statuses and stand deeper.
pub(super) fn containers(title: &str, list: &[Value], statuses: &[Value], pod: Option<&Value>, page: &mut Page) {
    let space = if pod.is_some() { "" } else { "  " };
    if list.is_empty() {
        return;
    }
    page.line(0, format!("{space}{title}:"));
    let name_space = if pod.is_some() { "" } else { " " };
    for container in list {
        let name = json::text(container, "name");
        let status = statuses.iter().find(|status| json::text(status, "name") == name);
        page.line(1, format!("{name_space}{name}:"));
        one(container, status, pod, page);
    }
}

fn one(container: &Value, status: Option<&Value>, pod: Option<&Value>, page: &mut Page) {
    if let Some(status) = status {
        page.line(2, format!("Container ID:\t{}", json::text(status, "containerID")));
    }
    page.line(2, format!("Image:\t{}", json::text(container, "image")));
    if let Some(status) = status {
        page.line(2, format!("Image ID:\t{}", json::text(status, "imageID")));
    }
    let ports = |field: &str| -> String {
        let all = json::list(container, "ports").iter();
        let protocol = |port: &Value| match json::text(port, "protocol") {
            "" => "TCP".to_string(),
            protocol => protocol.to_string(),
        };
        all.map(|port| format!("{}/{}", json::int(port, field).unwrap_or(0), protocol(port)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (port, host) = (ports("containerPort"), ports("hostPort"));
    page.line(2, format!("{}:\t{}", if port.contains(',') { "Ports" } else { "Port" }, or_none(&port)));
    page.line(2, format!("{}:\t{}", if host.contains(',') { "Host Ports" } else { "Host Port" }, or_none(&host)));
    for (title, field) in [("Command", "command"), ("Args", "args")] {
        let words = json::list(container, field);
        if !words.is_empty() {
            page.line(2, format!("{title}:"));
            words
                .iter()
                .flat_map(|word| word.as_str().unwrap_or_default().split('\n'))
                .for_each(|line| page.line(3, line));
        }
    }
    if let Some(status) = status {
        state("State", json::at(status, "state"), page);
        if json::at(status, "lastState.terminated").is_object() {
            state("Last State", json::at(status, "lastState"), page);
        }
        page.line(2, format!("Ready:\t{}", truth(json::flag(status, "ready"))));
        page.line(2, format!("Restart Count:\t{}", json::int(status, "restartCount").unwrap_or(0)));
    }
    resources(container, page);
    for (title, field) in [("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe")]
    {
        let probe = json::at(container, field);
        if probe.is_object() {
            page.line(2, format!("{title}:\t{}", probe_text(probe)));
        }
    }
    environment(container, pod, page);
    mounts(container, page);
}

fn state(title: &str, state: &Value, page: &mut Page) {
    if let Some(running) = state.get("running") {
        page.line(2, format!("{title}:\tRunning"));
        page.line(3, format!("Started:\t{}", long_time(running, "startedAt")));
    } else if let Some(ended) = state.get("terminated") {
        page.line(2, format!("{title}:\tTerminated"));
        for (name, field) in [("Reason", "reason"), ("Message", "message")] {
            let text = json::text(ended, field);
            if !text.is_empty() {
                page.line(3, format!("{name}:\t{text}"));
            }
        }
        page.line(3, format!("Exit Code:\t{}", json::int(ended, "exitCode").unwrap_or(0)));
        if let Some(signal) = json::int(ended, "signal").filter(|signal| *signal > 0) {
            page.line(3, format!("Signal:\t{signal}"));
        }
        page.line(3, format!("Started:\t{}", long_time(ended, "startedAt")));
        page.line(3, format!("Finished:\t{}", long_time(ended, "finishedAt")));
    } else {
        page.line(2, format!("{title}:\tWaiting"));
        let reason = json::text(state, "waiting.reason");
        if !reason.is_empty() {
            page.line(3, format!("Reason:\t{reason}"));
        }
    }
}

fn resources(container: &Value, page: &mut Page) {
    for (title, field) in [("Limits", "resources.limits"), ("Requests", "resources.requests")] {
        let mut all = json::entries(container, field).peekable();
        if all.peek().is_some() {
            page.line(2, format!("{title}:"));
            all.for_each(|(name, amount)| page.line(3, format!("{name}:\t{}", json::plain(amount))));
        }
    }
}

/// `http-get http://:http/ delay=0s timeout=1s period=5s #success=1 #failure=3`.
fn probe_text(probe: &Value) -> String {
    let number = |field: &str| json::int(probe, field).unwrap_or(0);
    let attributes = format!(
        "delay={}s timeout={}s period={}s #success={} #failure={}",
        number("initialDelaySeconds"),
        number("timeoutSeconds"),
        number("periodSeconds"),
        number("successThreshold"),
        number("failureThreshold")
    );
    if let Some(exec) = probe.get("exec") {
        return format!("exec {} {attributes}", crate::go::plain(json::at(exec, "command")));
    }
    if let Some(http) = probe.get("httpGet") {
        let scheme = json::text(http, "scheme").to_lowercase();
        let scheme = if scheme.is_empty() { "http".into() } else { scheme };
        let path = json::text(http, "path").trim_start_matches('/');
        return format!(
            "http-get {scheme}://{}:{}/{path} {attributes}",
            json::text(http, "host"),
            json::plain(json::at(http, "port"))
        );
    }
    if let Some(tcp) = probe.get("tcpSocket") {
        return format!("tcp-socket {}:{} {attributes}", json::text(tcp, "host"), json::plain(json::at(tcp, "port")));
    }
    if let Some(grpc) = probe.get("grpc") {
        return format!(
            "grpc <pod>:{} {} {attributes}",
            json::int(grpc, "port").unwrap_or(0),
            json::text(grpc, "service")
        );
    }
    format!("unknown {attributes}")
}

fn environment(container: &Value, pod: Option<&Value>, page: &mut Page) {
    let from = json::list(container, "envFrom");
    if !from.is_empty() {
        page.line(2, "Environment Variables from:");
        for source in from {
            let (kind, reference) = match source.get("configMapRef") {
                Some(reference) => ("ConfigMap", reference),
                None => ("Secret", json::at(source, "secretRef")),
            };
            let prefix = json::text(source, "prefix");
            let kind = if prefix.is_empty() { kind.to_string() } else { format!("{kind} with prefix '{prefix}'") };
            page.line(
                3,
                format!("{}\t{kind}\tOptional: {}", json::text(reference, "name"), json::flag(reference, "optional")),
            );
        }
    }
    let all = json::list(container, "env");
    page.line(2, if all.is_empty() { "Environment:\t<none>" } else { "Environment:" });
    for variable in all {
        let name = json::text(variable, "name");
        let source = json::at(variable, "valueFrom");
        if source.is_null() {
            for (at, line) in json::text(variable, "value").split('\n').enumerate() {
                let head = if at == 0 { format!("{name}:") } else { String::new() };
                page.line(3, format!("{head}\t{line}"));
            }
        } else if let Some(field) = source.get("fieldRef") {
            let path = json::text(field, "fieldPath");
            let value = pod.map(|pod| field_value(pod, path)).unwrap_or_default();
            let version = match json::text(field, "apiVersion") {
                "" => "v1",
                version => version,
            };
            page.line(3, format!("{name}:\t{value} ({version}:{path})"));
        } else if let Some(field) = source.get("resourceFieldRef") {
            let resource = json::text(field, "resource");
            let value = json::plain(json::at(container, &format!("resources.{resource}")));
            page.line(3, format!("{name}:\t{value} ({resource})"));
        } else if let Some(secret) = source.get("secretKeyRef") {
            let (key, of, optional) =
                (json::text(secret, "key"), json::text(secret, "name"), json::flag(secret, "optional"));
            page.line(3, format!("{name}:\t<set to the key '{key}' in secret '{of}'>\tOptional: {optional}"));
        } else if let Some(map) = source.get("configMapKeyRef") {
            let (key, of, optional) = (json::text(map, "key"), json::text(map, "name"), json::flag(map, "optional"));
            page.line(3, format!("{name}:\t<set to the key '{key}' of config map '{of}'>\tOptional: {optional}"));
        }
    }
}

/// The value of a field that a variable refers to: `metadata.name`, `metadata.labels['app']`.
fn field_value(pod: &Value, path: &str) -> String {
    match path.split_once("['") {
        Some((map, key)) => json::at(pod, map).get(key.trim_end_matches("']")).map(json::plain).unwrap_or_default(),
        None => json::plain(json::at(pod, path)),
    }
}

fn mounts(container: &Value, page: &mut Page) {
    let mut all: Vec<&Value> = json::list(container, "volumeMounts").iter().collect();
    all.sort_by_key(|mount| json::text(mount, "mountPath"));
    page.line(2, if all.is_empty() { "Mounts:\t<none>" } else { "Mounts:" });
    for mount in all {
        let mut flags = vec![if json::flag(mount, "readOnly") { "ro".to_string() } else { "rw".into() }];
        let sub = json::text(mount, "subPath");
        if !sub.is_empty() {
            flags.push(format!("path={}", crate::go::quote(sub)));
        }
        page.line(
            3,
            format!("{} from {} ({})", json::text(mount, "mountPath"), json::text(mount, "name"), flags.join(",")),
        );
    }
    let devices = json::list(container, "volumeDevices");
    if !devices.is_empty() {
        page.line(2, "Devices:");
        devices.iter().for_each(|device| {
            page.line(3, format!("{} from {}", json::text(device, "devicePath"), json::text(device, "name")))
        });
    }
}
