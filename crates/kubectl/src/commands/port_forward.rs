//! `kubectl port-forward`: checks what the real one checks, and says what cannot be in process.

use super::Outcome;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    let [target, ports @ ..] = &words[..] else {
        return Err(Failure::new(
            "TYPE/NAME and list of ports are required for port-forward\nSee 'kubectl port-forward -h' for help and examples",
        ));
    };
    if ports.is_empty() {
        return Err(Failure::new(
            "TYPE/NAME and list of ports are required for port-forward\nSee 'kubectl port-forward -h' for help and examples",
        ));
    }
    let pod = super::pod_of(call, target)?;
    let phase = json::text(&pod, "status.phase");
    if phase != "Running" {
        return Err(Failure::new(format!("unable to forward port because pod is not running. Current status={phase}")));
    }
    for port in ports {
        let (local, remote) = port.split_once(':').unwrap_or((port, port));
        let (Ok(local), Ok(remote)) = (local.parse::<u16>(), remote.parse::<u16>()) else {
            return Err(Failure::new(format!(
                "error parsing local port {}: strconv.ParseUint: parsing {}: invalid syntax",
                quote(local),
                quote(local)
            )));
        };
        call.say(format!("Forwarding from 127.0.0.1:{local} -> {remote}"));
        call.say(format!("Forwarding from [::1]:{local} -> {remote}"));
    }
    // There is no socket to connect to: time passes as it would, and that is all.
    let end = call.patience();
    while call.step(end) {}
    let is_timeout = call.desk.deadline.is_some_and(|deadline| call.desk.cluster.now().0 >= deadline);
    if !is_timeout {
        call.warn("^C (nothing in process can connect to a forwarded port; reach a pod from inside: kubectl exec POD -- curl ...)");
    }
    Err(Failure::Silent(if is_timeout { 124 } else { 130 }))
}
