//! From a container onto its node: chroot into the node's files, nsenter into its processes.

use super::{ContainerTool, ContainerToolCall, Since};
use crate::exec::ContainerHost;
use crate::json;
use crate::program::ExecCall;

pub(super) const TOOLS: &[(&str, Since, ContainerTool)] =
    &[("chroot", Since::Small, chroot), ("nsenter", Since::Small, nsenter)];

fn chroot(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let [root, command @ ..] = call.words else { return call.fail("missing operand") };
    let root = root.trim_end_matches('/').to_string();
    if !root.is_empty() && !has_root_at(machine, &root) {
        return call.fail(&format!("cannot change root directory to '{root}': No such file or directory"));
    }
    on_node(machine, command.to_vec(), call)
}

fn nsenter(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let is_first = call
        .words
        .windows(2)
        .any(|pair| matches!(pair, [flag, one] if one == "1" && matches!(flag.as_str(), "-t" | "--target")))
        || call.words.iter().any(|word| matches!(word.as_str(), "-t1" | "--target=1"));
    if !is_first || !json::flag(machine.pod, "spec.hostPID") {
        return call.fail("cannot open /proc/1/ns/ns: Permission denied");
    }
    let mut words =
        call.words.iter().skip_while(|word| word.starts_with('-') || word.parse::<u32>().is_ok()).peekable();
    if words.peek().is_some_and(|word| *word == "--") {
        words.next();
    }
    let command: Vec<String> = words.cloned().collect();
    on_node(machine, command, call)
}

/// Whether the container has all files of its node at a path.
fn has_root_at(machine: &ContainerHost<'_>, path: &str) -> bool {
    let container = json::list(machine.pod, "spec.containers")
        .iter()
        .chain(json::list(machine.pod, "spec.initContainers"))
        .find(|container| json::text(container, "name") == machine.run.name);
    let mut mounts = container.map_or(&[][..], |container| json::list(container, "volumeMounts")).iter();
    mounts.any(|mount| {
        let mut volumes = json::list(machine.pod, "spec.volumes").iter();
        let volume = volumes.find(|volume| json::text(volume, "name") == json::text(mount, "name"));
        json::text(mount, "mountPath").trim_end_matches('/') == path
            && volume.is_some_and(|volume| json::text(volume, "hostPath.path") == "/")
    })
}

fn on_node(machine: &mut ContainerHost<'_>, command: Vec<String>, call: &mut ContainerToolCall<'_>) -> i32 {
    let command = if command.is_empty() { vec!["sh".to_string()] } else { command };
    let asked = ExecCall { command, input: call.input.to_vec(), terminal: false };
    match machine.programs.on_node(machine.cluster, &machine.run.node, &asked) {
        Some(end) => {
            call.output.stdout.extend(end.stdout);
            call.output.stderr.extend(end.stderr);
            machine.takes += end.takes;
            end.code
        }
        None => call.fail("failed to run command: Operation not permitted"),
    }
}
