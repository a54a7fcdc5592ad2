//! A container as its program sees it: image, command, environment, ports.

use serde_json::Value;

use crate::program::{ContainerRun, Programs, ResourceUse};
use crate::quantity::Quantity;
use crate::{Cluster, base64, json, meta};

impl Cluster {
    /// The containers of a pod that were started, each in its present or last attempt.
    pub fn container_runs(&self, namespace: &str, pod: &str) -> Vec<ContainerRun> {
        let Some(pod) = self.store.get("pods", namespace, pod) else { return Vec::new() };
        let lists = ["status.initContainerStatuses", "status.containerStatuses", "status.ephemeralContainerStatuses"];
        let started = lists
            .iter()
            .flat_map(|path| json::list(pod, path))
            .filter(|status| !json::text(status, "containerID").is_empty());
        let run = |status: &Value| {
            let attempt = json::int(status, "restartCount").and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
            self.container_run(pod, json::text(status, "name"), attempt)
        };
        started.map(run).collect()
    }

    /// One attempt at running a container of a pod.
    pub(crate) fn container_run(&self, pod: &Value, name: &str, attempt: u32) -> ContainerRun {
        let lists = ["spec.containers", "spec.initContainers", "spec.ephemeralContainers"];
        let container = lists.iter().flat_map(|path| json::list(pod, path)).find(|c| json::text(c, "name") == name);
        let container = container.unwrap_or(&Value::Null);
        let words = |path: &str| json::list(container, path).iter().filter_map(Value::as_str).map(Into::into).collect();
        let limit = json::text(container, "resources.limits.memory");
        let ports = json::list(container, "ports").iter().filter_map(|port| json::int(port, "containerPort"));
        ContainerRun {
            namespace: json::text(pod, "metadata.namespace").into(),
            pod: json::text(pod, "metadata.name").into(),
            pod_uid: json::text(pod, "metadata.uid").into(),
            name: name.into(),
            attempt,
            node: json::text(pod, "spec.nodeName").into(),
            pod_ip: json::text(pod, "status.podIP").into(),
            image: json::text(container, "image").into(),
            command: words("command"),
            args: words("args"),
            env: self.environment(pod, container).unwrap_or_default(),
            ports: ports.filter_map(|port| u16::try_from(port).ok()).collect(),
            memory_limit: Quantity::parse(limit).map(Quantity::whole),
        }
    }

    /// The environment of a container; the error is what the kubelet says when a reference leads nowhere.
    pub(crate) fn environment(&self, pod: &Value, container: &Value) -> Result<Vec<(String, String)>, String> {
        let namespace = json::text(pod, "metadata.namespace");
        let mut env: Vec<(String, String)> = Vec::new();
        for source in json::list(container, "envFrom") {
            let prefix = json::text(source, "prefix");
            for (field, resource, word) in
                [("configMapRef", "configmaps", "configmap"), ("secretRef", "secrets", "secret")]
            {
                let Some(reference) = source.get(field) else { continue };
                let name = json::text(reference, "name");
                let Some(object) = self.store.get(resource, namespace, name) else {
                    if json::flag(reference, "optional") {
                        continue;
                    }
                    return Err(format!("{word} {name:?} not found"));
                };
                for (key, value) in json::entries(object, "data") {
                    put(&mut env, format!("{prefix}{key}"), plain(resource, value));
                }
            }
        }
        for variable in json::list(container, "env") {
            let name = json::text(variable, "name").to_string();
            let value = match variable.get("valueFrom") {
                None => Some(expand(json::text(variable, "value"), &env)),
                Some(source) => self.value_from(pod, container, source)?,
            };
            if let Some(value) = value {
                put(&mut env, name, value);
            }
        }
        Ok(env)
    }

    fn value_from(&self, pod: &Value, container: &Value, source: &Value) -> Result<Option<String>, String> {
        let namespace = json::text(pod, "metadata.namespace");
        for (field, resource, word, shown) in [
            ("configMapKeyRef", "configmaps", "configmap", "ConfigMap"),
            ("secretKeyRef", "secrets", "secret", "Secret"),
        ] {
            let Some(reference) = source.get(field) else { continue };
            let (name, key) = (json::text(reference, "name"), json::text(reference, "key"));
            let is_optional = json::flag(reference, "optional");
            let Some(object) = self.store.get(resource, namespace, name) else {
                return if is_optional { Ok(None) } else { Err(format!("{word} {name:?} not found")) };
            };
            return match object.get("data").and_then(|data| data.get(key)) {
                Some(value) => Ok(Some(plain(resource, value))),
                None if is_optional => Ok(None),
                None => Err(format!("couldn't find key {key} in {shown} {namespace}/{name}")),
            };
        }
        if let Some(path) = source.get("fieldRef").map(|reference| json::text(reference, "fieldPath")) {
            return Ok(Some(field(pod, path)));
        }
        let reference = json::at(source, "resourceFieldRef");
        let wanted = json::text(reference, "resource");
        let (kind, name) = wanted.split_once('.').unwrap_or_default();
        let amount = json::at(container, "resources").get(kind).and_then(|map| map.get(name)).and_then(Value::as_str);
        let amount = amount.and_then(Quantity::parse).unwrap_or(Quantity::ZERO);
        Ok(Some(amount.whole().to_string()))
    }

    /// Cpu and memory of the containers of a pod that have run long enough to be measured.
    pub(crate) fn pod_usage(&self, programs: &mut dyn Programs, pod: &Value) -> Vec<(String, ResourceUse)> {
        if self.is_kubelet_down(json::text(pod, "spec.nodeName")) {
            return Vec::new();
        }
        let mut used = Vec::new();
        for status in json::list(pod, "status.containerStatuses") {
            let Some(since) = meta::stamp(status, "state.running.startedAt") else { continue };
            if self.now.since(since).as_secs() < 15 {
                continue;
            }
            let name = json::text(status, "name");
            let attempt = json::int(status, "restartCount").unwrap_or(0) as u32;
            let run = self.container_run(pod, name, attempt);
            used.push((name.to_string(), programs.usage(self.now, &run)));
        }
        used
    }
}

/// The value of a field of a pod, as the downward API gives it.
pub(crate) fn field(pod: &Value, path: &str) -> String {
    if let Some((map, key)) = path.split_once("['") {
        let key = key.trim_end_matches("']");
        return json::at(pod, map).get(key).and_then(Value::as_str).unwrap_or_default().into();
    }
    match json::at(pod, path) {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The last of several equal names wins.
fn put(env: &mut Vec<(String, String)>, name: String, value: String) {
    env.retain(|(own, _)| *own != name);
    env.push((name, value));
}

fn plain(resource: &str, value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    match resource {
        "secrets" => String::from_utf8_lossy(&base64::decode(text).unwrap_or_default()).into_owned(),
        _ => text.into(),
    }
}

/// Replaces `$(NAME)` by what was set before it; `$$` is a dollar.
fn expand(text: &str, env: &[(String, String)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let name = rest.strip_prefix("$(").and_then(|after| after.split_once(')')).map(|(name, _)| name);
        let known = name.and_then(|name| env.iter().find(|(own, _)| own == name));
        if let Some((name, value)) = known {
            out.push_str(value);
            rest = &rest[name.len() + 3..];
        } else if rest.starts_with("$$") {
            out.push('$');
            rest = &rest[2..];
        } else {
            out.push('$');
            rest = &rest[1..];
        }
    }
    out + rest
}
