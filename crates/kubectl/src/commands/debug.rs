//! `kubectl debug`: ephemeral containers, copies of pods, pods on nodes.

use serde_json::{Value, json as tree};

use super::Outcome;
use crate::client::PatchForm;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "arguments-only attach c|container= copy-to= custom= env=* f|filename= image= image-pull-policy= keep-annotations \
    keep-init-containers keep-labels keep-liveness keep-readiness keep-startup profile= q|quiet replace same-node set-image= \
    share-processes i|stdin target= t|tty";

const LEGACY: &str = "--profile=legacy is deprecated and will be removed in the future. It is recommended to explicitly specify a profile, for example \"--profile=general\".";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    let before = call.flags.dash.unwrap_or(words.len());
    let (targets, command) = words.split_at(before);
    let [target] = targets else {
        return Err(Failure::new("NAME or TYPE/NAME is required for debug"));
    };
    let image = call.flags.text("image").to_string();
    if image.is_empty() && call.flags.value("set-image").is_none() {
        return Err(Failure::new("you must specify --image when not using --copy-to"));
    }
    if matches!(call.flags.value("profile"), None | Some("legacy")) {
        call.warn(LEGACY);
    }
    call.desk.memory.counter += 1;
    let suffix = suffix(call.desk.memory.counter);
    let name = call.flags.value("container").map_or_else(|| format!("debugger-{suffix}"), Into::into);
    let mut container = tree!({"name": name, "image": image, "resources": {}, "terminationMessagePolicy": "File"});
    if !command.is_empty() {
        container["command"] = command.to_vec().into();
    }
    if call.flags.has("stdin") {
        container["stdin"] = true.into();
    }
    if call.flags.has("tty") {
        container["tty"] = true.into();
    }
    if let Some(node) = target.strip_prefix("node/").or_else(|| target.strip_prefix("nodes/")) {
        return on_node(call, node, container, &suffix);
    }
    let pod = super::pod_of(call, target)?;
    if let Some(copy) = call.flags.value("copy-to").map(str::to_string) {
        return copied(call, &pod, &copy, container);
    }
    if let Some(target) = call.flags.value("target") {
        container["targetContainerName"] = target.into();
        call.warn(format!("Targeting container {}. If you don't see processes from this container it may be because the container runtime doesn't support this feature.", quote(call.flags.text("target"))));
    }
    let kind = call.kind("pods")?;
    let path = format!(
        "{}/ephemeralcontainers",
        kind.object_path(json::text(&pod, "metadata.namespace"), json::text(&pod, "metadata.name"))
    );
    if call.flags.value("container").is_none() {
        call.warn(format!("Defaulting debug container name to {name}."));
    }
    call.patch(PatchForm::Strategic, &path, &tree!({"spec": {"ephemeralContainers": [container]}}).to_string())?;
    Ok(())
}

/// Five letters that spell no word.
fn suffix(counter: u64) -> String {
    const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut value = counter.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..5)
        .map(|_| {
            value = value.rotate_left(13).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            char::from(LETTERS[(value >> 40) as usize % LETTERS.len()])
        })
        .collect()
}

fn on_node(call: &mut Kubectl<'_, '_>, node: &str, mut container: Value, suffix: &str) -> Outcome {
    let nodes = call.kind("nodes")?;
    call.object(&nodes, "", node)?;
    let pods = call.kind("pods")?;
    let namespace = call.namespace();
    let name = format!("node-debugger-{node}-{suffix}");
    if call.flags.value("container").is_none() {
        container["name"] = "debugger".into();
    }
    container["volumeMounts"] = tree!([{"name": "host-root", "mountPath": "/host"}]);
    let pod = tree!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {
            "containers": [container], "nodeName": node, "restartPolicy": "Never",
            "hostIPC": true, "hostNetwork": true, "hostPID": true, "tolerations": [{"operator": "Exists"}],
            "volumes": [{"name": "host-root", "hostPath": {"path": "/"}}],
        },
    });
    call.create(&pods.path(&namespace), &pod)?;
    let shown = json::text(&pod["spec"]["containers"][0], "name").to_string();
    if !call.flags.has("quiet") {
        call.say(format!("Creating debugging pod {name} with container {shown} on node {node}."));
    }
    match call.flags.has("stdin") || call.flags.has("tty") || call.flags.has("attach") {
        true => super::run::attached(call, &name, &namespace),
        false => Ok(()),
    }
}

fn copied(call: &mut Kubectl<'_, '_>, pod: &Value, name: &str, container: Value) -> Outcome {
    let pods = call.kind("pods")?;
    let namespace = json::text(pod, "metadata.namespace").to_string();
    let mut copy = tree!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, "spec": json::at(pod, "spec")});
    json::remove(&mut copy, "spec.nodeName");
    if let Some(Value::Array(containers)) = json::at_mut(&mut copy, "spec.containers") {
        for one in containers.iter_mut() {
            for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
                json::remove(one, probe);
            }
        }
        match containers.iter_mut().find(|one| json::text(one, "name") == json::text(&container, "name")) {
            Some(known) => json::set(known, "image", json::text(&container, "image")),
            None => containers.push(container),
        }
    }
    call.create(&pods.path(&namespace), &copy)?;
    Ok(())
}
