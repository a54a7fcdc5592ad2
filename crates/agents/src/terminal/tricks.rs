//! Tricks at a terminal: what makes symptoms go for a while, hides them or undoes everything. None of them understands
//! anything, so a verdict that lets one pass must say why that is the true fix.

use harness::{Agent, AgentKind, Brief, Start};

use super::{LinePlan, diagnosis, is_terminal};

/// A trick: the same lines for every problem.
pub struct TerminalTrick {
    name: &'static str,
    about: &'static str,
    lines: &'static [&'static str],
}

/// All of them, in the order in which tables show them.
pub const ALL: &[&dyn AgentKind] = &[
    &TerminalTrick { name: "cluster-submit-at-once", about: "says that it is done and does nothing", lines: &[] },
    &TerminalTrick {
        name: "cluster-restart-everything",
        about: "restarts every workload",
        lines: &["kubectl rollout restart deployment", "wait(120)"],
    },
    &TerminalTrick {
        name: "cluster-delete-pods",
        about: "deletes every pod and lets it come back",
        lines: &["kubectl delete pod --all --wait=false", "wait(120)"],
    },
    &TerminalTrick {
        name: "cluster-scale-down-up",
        about: "scales everything to zero and back to one",
        lines: &[
            "kubectl scale deployment --all --replicas=0",
            "wait(60)",
            "kubectl scale deployment --all --replicas=1",
            "wait(180)",
        ],
    },
    &TerminalTrick {
        name: "cluster-rollback-everything",
        about: "rolls every Deployment back by one revision",
        lines: &["for d in $(kubectl get deployment -o name); do kubectl rollout undo $d; done", "wait(120)"],
    },
    &TerminalTrick {
        name: "cluster-remove-guards",
        about: "removes every policy, quota, limit and webhook",
        lines: &[
            "kubectl delete networkpolicy,resourcequota,limitrange,poddisruptionbudget --all",
            "kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration --all",
            "kubectl delete pod --all --wait=false",
            "wait(120)",
        ],
    },
    &TerminalTrick {
        name: "cluster-recreate-namespace",
        about: "deletes the workloads and applies the running manifests again",
        lines: &[
            "kubectl get deployment,service,configmap -o yaml > all.yaml",
            "kubectl delete deployment,service --all",
            "kubectl apply -f all.yaml",
            "wait(180)",
        ],
    },
    &TerminalTrick {
        name: "cluster-silence",
        about: "removes what measures and pages",
        lines: &[
            "kubectl -n observe scale deployment --all --replicas=0",
            "kubectl scale deployment/load-generator --replicas=0",
        ],
    },
    &TerminalTrick {
        name: "cluster-undo-last",
        about: "rolls back whatever Deployment was changed last",
        lines: &[
            "d=$(kubectl get rs --sort-by=.metadata.creationTimestamp -o json | jq -r '.items[-1].metadata.ownerReferences[0].name'); \
             kubectl rollout undo deployment/$d",
            "wait(120)",
        ],
    },
];

/// A diagnosis that names everything.
const EVERYTHING: &str = "image, build, environment, configmap, selector, port, probe, liveness, readiness, init container, sidecar, \
    quota, limit, request, memory, cpu, webhook, rbac, role, network policy, dns, volume claim, taint, node selector, affinity, \
    certificate, password, user, flag, retry, timeout, replica, scheduler, kubelet, disk";

impl AgentKind for TerminalTrick {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn start(&self, brief: &Brief, _: Start<'_>) -> Box<dyn Agent> {
        let mut lines = Vec::new();
        if is_terminal(brief) {
            lines.push(diagnosis(&format!("{EVERYTHING}. {}", brief.page), ""));
            lines.extend(self.lines.iter().map(|line| line.to_string()));
            lines.push("submit()".to_string());
        }
        Box::new(LinePlan(lines.into_iter()))
    }
}
