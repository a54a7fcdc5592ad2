//! `runbook` at a terminal: looks at pods, events, endpoints and recent changes, then acts on the first sign that a general
//! rule knows. No rule is about a problem; each is one that an operator's handbook has.

use harness::{Agent, Move, Turn};

use super::diagnosis;

/// What it looks at, in order.
const LOOKS: &[&str] = &[
    "kubectl get pods --no-headers | grep -vE ' (Running|Completed) ' ; kubectl get pods --no-headers | grep -E ' 0/[0-9]+ | 1/2 '",
    "kubectl get events --sort-by=.lastTimestamp | grep Warning | tail -30",
    "kubectl get deployments --no-headers",
    "kubectl get endpoints --no-headers | grep '<none>'",
    "kubectl get rs --sort-by=.metadata.creationTimestamp --no-headers | tail -3",
    "kubectl get networkpolicy,resourcequota --no-headers",
];

/// Signs in pods and events, with the kind of cause that they stand for and what an operator does about it. `{d}` is the
/// Deployment at fault.
const RULES: &[(&str, &str, &[&str])] = &[
    (
        "violates PodSecurity",
        "pod_security",
        &[
            "kubectl label namespace $(kubectl config view --minify -o jsonpath='{..namespace}') pod-security.kubernetes.io/enforce-",
        ],
    ),
    (
        "failed calling webhook",
        "webhook",
        &[
            "for w in $(kubectl get validatingwebhookconfiguration,mutatingwebhookconfiguration -o name); do kubectl get $w -o yaml | grep -q 'failurePolicy: Fail' && kubectl delete $w; done",
        ],
    ),
    (
        "failed quota",
        "quota",
        &[
            "for q in $(kubectl get quota -o name); do kubectl get $q -o yaml | grep -q 'memory' && kubectl delete $q; done",
        ],
    ),
    (
        "exceeded quota",
        "quota",
        &[
            "for q in $(kubectl get quota -o name); do kubectl get $q -o yaml | grep -q 'memory' && kubectl delete $q; done",
        ],
    ),
    ("ImagePullBackOff", "missing_image", &["kubectl rollout undo deployment/{d}"]),
    ("ErrImagePull", "missing_image", &["kubectl rollout undo deployment/{d}"]),
    ("OOMKilled", "resource_limit", &["kubectl set resources deployment/{d} --limits=memory=512Mi"]),
    ("Insufficient memory", "resource_request", &["kubectl set resources deployment/{d} --requests=memory=64Mi"]),
    ("free ports", "host_port", &["kubectl rollout undo deployment/{d}"]),
    ("untolerated taint {sre", "taint", &["kubectl taint node --all sre-fault-"]),
    ("node affinity/selector", "unschedulable", &["kubectl rollout undo deployment/{d}"]),
    ("persistentvolumeclaim", "volume_claim", &["kubectl rollout undo deployment/{d}"]),
    ("anti-affinity", "anti_affinity", &["kubectl rollout undo deployment/{d}"]),
    ("Liveness probe failed", "wrong_probe", &["kubectl rollout undo deployment/{d}"]),
    ("Readiness probe failed", "wrong_probe", &["kubectl rollout undo deployment/{d}"]),
    ("Init:", "init_container", &["kubectl rollout undo deployment/{d}"]),
    ("configmap", "missing_object", &["kubectl rollout undo deployment/{d}"]),
    ("CrashLoopBackOff", "wrong_image", &["kubectl rollout undo deployment/{d}"]),
];

/// An agent that follows rules.
#[derive(Default)]
pub(crate) struct RunbookAtTerminal {
    seen: Vec<String>,
    plan: Option<std::vec::IntoIter<String>>,
}

impl Agent for RunbookAtTerminal {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        if let Some(plan) = &mut self.plan {
            return plan.next().into();
        }
        if turn.step > 1 {
            self.seen.push(turn.observation.to_string());
        }
        if let Some(line) = LOOKS.get(self.seen.len()) {
            return line.to_string().into();
        }
        let mut plan = self.decide().into_iter();
        let first = plan.next();
        self.plan = Some(plan);
        first.into()
    }
}

impl RunbookAtTerminal {
    fn decide(&self) -> Vec<String> {
        let look = |at: usize| self.seen.get(at).map_or("", String::as_str);
        let (pods, events) = (look(0), look(1));
        let signs = format!("{pods}\n{events}");
        let rule = RULES.iter().find(|(sign, ..)| signs.contains(sign));
        let named = rule.and_then(|(sign, ..)| signs.lines().find(|line| line.contains(sign))).and_then(component);
        let (name, kind, lines): (String, &str, Vec<String>) =
            match (rule, named.or_else(|| pods.lines().find_map(component))) {
                (Some((_, kind, lines)), Some(name)) => {
                    (name, kind, lines.iter().map(|line| line.to_string()).collect())
                }
                _ => self.without_pods(),
            };
        let what = kind.replace('_', " ");
        let mut plan = vec![diagnosis(&format!("{name}: {what}"), &format!("{name}/{kind}"))];
        plan.extend(lines.iter().map(|line| line.replace("{d}", &name)));
        plan.extend(["wait(90)".to_string(), "submit()".to_string()]);
        plan
    }

    /// All pods run: a Service without endpoints, a Deployment without replicas, a policy, or else the last change.
    fn without_pods(&self) -> (String, &'static str, Vec<String>) {
        let look = |at: usize| self.seen.get(at).map_or("", String::as_str);
        let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_string();
        if let Some(name) = look(2).lines().find(|line| line.contains(" 0/0 ")).map(first) {
            let line = format!("kubectl scale deployment/{name} --replicas=1");
            return (name, "scaled_to_zero", vec![line]);
        }
        if let Some(name) = look(3).lines().find(|line| line.contains("<none>")).map(first) {
            let line = "s=$(kubectl get deployment {d} -o jsonpath='{.spec.selector.matchLabels}'); kubectl patch service {d} \
                        --type=json -p=\"[{\\\"op\\\":\\\"replace\\\",\\\"path\\\":\\\"/spec/selector\\\",\\\"value\\\":$s}]\"";
            return (name, "wrong_selector", vec![line.to_string()]);
        }
        if let Some(policy) =
            look(5).lines().map(first).find(|name| name.contains("networkpolicy") && name.contains("deny"))
        {
            let name = policy.rsplit('-').next().unwrap_or_default().to_string();
            return (name, "network_policy", vec![format!("kubectl delete {policy}")]);
        }
        let last = look(4).lines().next_back().map(first).unwrap_or_default();
        let name = last.rsplit_once('-').map_or(last.as_str(), |(name, _)| name).to_string();
        (name, "wrong_env", vec!["kubectl rollout undo deployment/{d}".to_string()])
    }
}

/// The Deployment that a line of pods or events is about.
fn component(line: &str) -> Option<String> {
    let words = line.split_whitespace().map(|word| word.trim_start_matches("pod/").trim_start_matches("replicaset/"));
    let is_id = |part: &str| part.len() >= 5 && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    words.into_iter().find_map(|word| {
        let (rest, last) = word.rsplit_once('-')?;
        match rest.rsplit_once('-') {
            Some((name, hash))
                if is_id(hash) && last.len() == 5 && is_id(last) && hash.bytes().any(|b| b.is_ascii_digit()) =>
            {
                Some(name.to_string())
            }
            _ if last.len() >= 8 && is_id(last) && last.bytes().any(|b| b.is_ascii_digit()) => Some(rest.to_string()),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_read_from_lines() {
        let check = |line: &str, expect: Option<&str>| assert_eq!(component(line).as_deref(), expect, "{line}");
        check("geo-76c959767d-h8qng   0/1   CrashLoopBackOff   4   2m", Some("geo"));
        check("2m  Warning  FailedCreate  replicaset/mongodb-geo-56f797cf45  Error creating", Some("mongodb-geo"));
        check("No resources found", None);
    }
}
