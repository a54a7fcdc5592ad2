//! `kubectl run`.

use serde_json::{Map, Value, json as tree};
use shell::Host;

use super::Outcome;
use crate::client::with_query;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "allow-missing-template-keys annotations=* attach cascade?background command dry-run?unchanged env=* expose \
    field-manager= force grace-period=i image= image-pull-policy= l|labels= leave-stdin-open o|output= override-type= overrides= \
    pod-running-timeout=d port= privileged q|quiet restart= rm save-config show-managed-fields i|stdin template= timeout=d t|tty wait";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    let before = call.flags.dash.unwrap_or(words.len());
    let [name, extra @ ..] = &words[..] else {
        return Err(Failure::new("NAME is required for run\nSee 'kubectl run -h' for help and examples"));
    };
    if before == 0 {
        return Err(Failure::new("NAME is required for run\nSee 'kubectl run -h' for help and examples"));
    }
    let image = call.flags.text("image").to_string();
    if image.is_empty() {
        return Err(Failure::new("required flag(s) \"image\" not set"));
    }
    let attaches = call.flags.has("attach") || call.flags.has("stdin") || call.flags.has("tty");
    if call.flags.has("rm") && !attaches {
        return Err(Failure::new(
            "--rm should only be used for attached containers\nSee 'kubectl run -h' for help and examples",
        ));
    }
    let pod = pod(call, name, &image, extra)?;
    let shown = format!("pod/{name}");
    if call.dry_run()? == "client" {
        return call.tell(&shown, &pod, "created");
    }
    let query = call.dry_query()?;
    let namespace = call.namespace();
    let kind = call.kind("pods")?;
    let manager = super::label::manager(call, "kubectl-run");
    let made =
        call.create(&with_query(&kind.path(&namespace), &[("dryRun", query), ("fieldManager", &manager)]), &pod)?;
    if attaches && query.is_empty() {
        return attached(call, name, &namespace);
    }
    if call.flags.has("expose") {
        let port: i64 =
            call.flags.text("port").parse().map_err(|_| Failure::new("--port must be set when exposing a service"))?;
        let service = tree!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"selector": json::at(&pod, "metadata.labels"), "ports": [{"port": port, "protocol": "TCP", "targetPort": port}]}});
        let services = call.kind("services")?;
        let service = call.create(&services.path(&namespace), &service)?;
        call.tell(&format!("service/{name}"), &service, "created")?;
    }
    call.tell(&shown, &made, "created")
}

fn pod(call: &Kubectl<'_, '_>, name: &str, image: &str, extra: &[String]) -> Result<Value, Failure> {
    let flags = &call.flags;
    let mut container = tree!({"name": name, "image": image, "resources": {}});
    let environment: Result<Vec<Value>, Failure> = flags
        .values("env")
        .into_iter()
        .map(|pair| match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => Ok(tree!({"name": key, "value": value})),
            _ => Err(Failure::new(format!("invalid env: {pair}"))),
        })
        .collect();
    let environment = environment?;
    if !environment.is_empty() {
        container["env"] = environment.into();
    }
    if let Some(port) = flags.value("port").filter(|port| !port.is_empty()) {
        let port: u16 = port
            .parse()
            .map_err(|_| Failure::new(format!("strconv.ParseInt: parsing {}: invalid syntax", quote(port))))?;
        container["ports"] = tree!([{"containerPort": port}]);
    }
    if !extra.is_empty() {
        container[if flags.has("command") { "command" } else { "args" }] = extra.to_vec().into();
    }
    if flags.has("stdin") {
        container["stdin"] = true.into();
        container["stdinOnce"] = true.into();
    }
    if flags.has("tty") {
        container["tty"] = true.into();
    }
    if let Some(policy) = flags.value("image-pull-policy") {
        container["imagePullPolicy"] = policy.into();
    }
    if flags.has("privileged") {
        container["securityContext"] = tree!({"privileged": true});
    }
    let restart = match flags.value("restart").unwrap_or("Always") {
        known @ ("Always" | "OnFailure" | "Never") => known,
        other => return Err(Failure::new(format!("invalid restart policy: {other}"))),
    };
    let labels = match flags.value("labels") {
        Some(text) => super::create::pairs(text)?,
        None => tree!({"run": name}),
    };
    let mut pod = tree!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "creationTimestamp": null, "labels": labels},
        "spec": {"containers": [container], "restartPolicy": restart, "dnsPolicy": "ClusterFirst"},
        "status": {},
    });
    let annotations = flags.values("annotations").join(",");
    if !annotations.is_empty() {
        pod["metadata"]["annotations"] = super::create::pairs(&annotations)?;
    }
    if call.flags.value("namespace").is_some() {
        json::set(&mut pod, "metadata.namespace", call.namespace());
    }
    if let Some(text) = flags.value("overrides").filter(|text| !text.is_empty()) {
        let overrides: Value =
            serde_json::from_str(text).map_err(|error| Failure::new(format!("Invalid JSON Patch: {error}")))?;
        merge(&mut pod, &overrides);
    }
    Ok(pod)
}

/// Merges a JSON tree into another; null removes.
pub(super) fn merge(into: &mut Value, from: &Value) {
    let Value::Object(from) = from else {
        *into = from.clone();
        return;
    };
    if !into.is_object() {
        *into = Value::Object(Map::new());
    }
    let into = json::map_mut(into);
    for (key, value) in from {
        match value {
            Value::Null => drop(into.remove(key)),
            value => merge(into.entry(key.clone()).or_insert(Value::Null), value),
        }
    }
}

/// Waits for the pod, shows what it prints, and removes it if that was asked.
pub(super) fn attached(call: &mut Kubectl<'_, '_>, name: &str, namespace: &str) -> Outcome {
    let kind = call.kind("pods")?;
    let span = call.flags.span("pod-running-timeout").unwrap_or(std::time::Duration::from_secs(60));
    let end = call.desk.now().saturating_add(span.as_micros() as i64);
    let mut pod;
    loop {
        pod = call.object(&kind, namespace, name)?;
        if matches!(json::text(&pod, "status.phase"), "Running" | "Succeeded" | "Failed") {
            break;
        }
        if !call.step(end) {
            let removed = remove(call, name, namespace);
            return removed.and(Err(Failure::new("timed out waiting for the condition")));
        }
    }
    let container = json::list(&pod, "spec.containers").first().map_or("", |c| json::text(c, "name")).to_string();
    let shell = cluster::exec::open_shell(&pod, &container);
    if json::text(&pod, "status.phase") == "Running" && (shell.is_some() || !call.input.is_empty()) {
        let ran = super::exec::in_container(call, namespace, name, &container, &["sh".into()], call.input)?;
        call.out.push_str(&ran.stdout);
        call.err.push_str(&ran.stderr);
        // The shell has read all of its input and ends, and its container with it.
        if shell.is_some() {
            let exit = cluster::ContainerExit::with(ran.code);
            call.desk.cluster.container_ended(namespace, name, &container, exit);
        }
        remove(call, name, namespace)?;
        return match ran.code {
            0 => Ok(()),
            code => Err(terminated(namespace, name, code)),
        };
    }
    // The terminal shows what the container prints until it ends.
    let end = call.patience();
    while json::text(&pod, "status.phase") == "Running" && call.step(end) {
        pod = call.object(&kind, namespace, name)?;
        let is_over = json::list(&pod, "status.containerStatuses").iter().any(|status| {
            json::at(status, "state.terminated").is_object() || json::at(status, "lastState.terminated").is_object()
        });
        if is_over {
            break;
        }
    }
    let path = format!("{}/log?container={container}", kind.object_path(namespace, name));
    let log = call.get_text(&path)?;
    call.out.push_str(&log);
    let ended = json::list(&pod, "status.containerStatuses")
        .first()
        .and_then(|status| json::int(status, "state.terminated.exitCode"))
        .unwrap_or(0);
    remove(call, name, namespace)?;
    match ended {
        0 => Ok(()),
        code => Err(terminated(namespace, name, code as i32)),
    }
}

fn terminated(namespace: &str, name: &str, code: i32) -> Failure {
    Failure::Verbatim(format!("pod {namespace}/{name} terminated (Error)"), code)
}

fn remove(call: &mut Kubectl<'_, '_>, name: &str, namespace: &str) -> Outcome {
    if !call.flags.has("rm") {
        return Ok(());
    }
    let kind = call.kind("pods")?;
    call.delete(&kind.object_path(namespace, name), &tree!({"propagationPolicy": "Background"}))?;
    call.say(format!("pod {} deleted", quote(name)));
    Ok(())
}
