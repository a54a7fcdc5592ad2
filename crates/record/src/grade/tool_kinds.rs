//! What an agent asked of a cluster, by kind: verbs of kubectl, commands in containers, metrics, logs, traces and alerts.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::Step;

/// How often each kind was used. The requests of one command of kubectl count once.
pub(super) fn tool_kinds(steps: &[&Step]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    let mut sessions = BTreeSet::new();
    for step in steps.iter().filter(|step| step.invalid.is_none()) {
        let is_known = session(&step.text).is_some_and(|session| !sessions.insert(session));
        if let Some(kind) = kind(step).filter(|_| !is_known) {
            *counts.entry(kind).or_default() += 1;
        }
    }
    counts
}

/// The command of kubectl that a request of a real client belongs to.
fn session(text: &str) -> Option<&str> {
    let rest = text.split_once("\"kubectl-session\",\"")?.1;
    rest.split('"').next()
}

fn kind(step: &Step) -> Option<String> {
    if let Some(kind) = step.args.get("kind") {
        return Some(kind.clone());
    }
    let call = step.call.as_deref().unwrap_or(&step.text);
    match step.tool.as_str() {
        "kubectl" | "exec_kubectl_cmd_safely" => Some(format!("kubectl {}", verb(call)?)),
        "rollback_command" => Some("rollback".to_string()),
        "promql" | "logql" | "traces" | "alerts" | "api" | "port_forward" => Some(step.tool.clone()),
        "exec" if call.starts_with("exec ") => Some("kubectl exec".to_string()),
        _ => None,
    }
}

/// The first verb of kubectl in a command line or behind a request.
fn verb(call: &str) -> Option<&str> {
    let mut words = call.split(|c: char| c.is_whitespace() || "\"'()`;|".contains(c)).filter(|word| !word.is_empty());
    words.find(|word| *word == "kubectl")?;
    loop {
        match words.next()? {
            // A call such as kubectl("kubectl get pods") names it twice.
            "kubectl" => {}
            "-n" | "--namespace" | "--context" | "--kubeconfig" => drop(words.next()),
            option if option.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_by_kind() {
        let step = |tool: &str, text: &str, call: &str| Step {
            tool: tool.into(),
            text: text.into(),
            call: Some(call.into()),
            ..Step::default()
        };
        let check = |steps: &[Step], expect: &[(&str, u32)]| {
            let found = tool_kinds(&steps.iter().collect::<Vec<_>>());
            let found: Vec<(&str, u32)> = found.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
            assert_eq!(found, expect);
        };
        let line = |line: &str| step("kubectl", line, line);
        check(&[line("kubectl get pods | grep x"), line("kubectl(\"kubectl get svc\")")], &[("kubectl get", 2)]);
        check(&[line("for d in a b; do kubectl -n x rollout undo $d; done")], &[("kubectl rollout", 1)]);
        let live = "{\"headers\":[[\"kubectl-session\",\"1\"]]}";
        let request = step("kubectl", live, "GET /api/v1/pods  # kubectl describe");
        check(&[request.clone(), request], &[("kubectl describe", 1)]);
        check(&[step("promql", "promql(up)", "promql(up)")], &[("promql", 1)]);
        check(&[step("wait", "wait(1)", "wait(1)")], &[]);
    }
}
