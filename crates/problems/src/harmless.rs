//! Harmless changes after the fault, drawn by the seed: what was changed last is not what broke it.
//!
//! Each is a real change of a Deployment that the fault did not touch, and is made only if its rollout comes through on the
//! broken site; that it harms nothing by itself is part of the certificate `healthy`.

use std::time::Duration;

use apps::Site;
use cluster::{Stored, json};
use world::Seed;

use crate::acting::ActorBook;
use crate::perform::{administrator, command, pass};
use crate::problem::ClusterProblem;

/// A harmless change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HarmlessChange {
    /// The namespace of the Deployment.
    pub(crate) namespace: String,
    /// The Deployment.
    pub(crate) name: String,
    /// The command line that changed it.
    pub(crate) line: String,
}

/// How many there are after a fault.
const CHANGES: usize = 2;
/// How long a rollout has to come through.
const ROLLED: Duration = Duration::from_secs(45);
/// So many Deployments are tried for each.
const TRIED: usize = 3;
/// What teams change and what does nothing.
const LINES: &[&str] = &[
    "kubectl set env deployment/{} BUILD_CHANNEL=stable-{n}",
    "kubectl set env deployment/{} CHANGE_TICKET=OPS-{n}",
    "kubectl set env deployment/{} ON_CALL_ROTATION=team-{n}",
];

/// Makes the changes on a site that is broken, and says which. Time passes.
pub(crate) fn make(
    problem: &ClusterProblem,
    seed: u64,
    healthy: &Site,
    site: &mut Site,
    actors: &mut ActorBook,
) -> Vec<HarmlessChange> {
    let mut made: Vec<HarmlessChange> = Vec::new();
    let mut rest = candidates(problem, seed, healthy, site).into_iter();
    for number in 0..CHANGES {
        for (namespace, name) in rest.by_ref().take(TRIED) {
            let draw = Seed(seed).derive(&format!("change after the fault {number} {name}")).0;
            let line = LINES[draw as usize % LINES.len()];
            let line = line.replace("{}", &name).replace("{n}", &(100 + draw % 900).to_string());
            let (mut tried, mut acting) = (site.clone(), actors.clone());
            let done = command(&mut tried, &mut acting, &mut administrator(&namespace), &line);
            pass(&mut tried, &mut acting, ROLLED);
            let rolled = tried.cluster.object("deployments.apps", &namespace, &name).is_some_and(is_rolled_out);
            if done.is_ok() && rolled {
                (*site, *actors) = (tried, acting);
                made.push(HarmlessChange { namespace, name, line });
                break;
            }
        }
    }
    made
}

/// Deployments of the applications that are as they were before the fault and that its file does not speak of, in an order
/// drawn by the seed.
fn candidates(problem: &ClusterProblem, seed: u64, healthy: &Site, site: &Site) -> Vec<(String, String)> {
    let spoken_of = spoken_of(problem);
    let is_free = |deployment: &&Stored| {
        let (namespace, name) = (json::text(deployment, "metadata.namespace"), json::text(deployment, "metadata.name"));
        let before = healthy.cluster.object("deployments.apps", namespace, name);
        let same = before.is_some_and(|before| json::at(before, "spec") == json::at(deployment, "spec"));
        let plain = json::list(deployment, "spec.template.spec.volumes").is_empty() && name != "load-generator";
        same && plain && is_rolled_out(deployment) && !spoken_of.contains(name)
    };
    let mut found = Vec::new();
    for namespace in &problem.file.applications {
        let all = site.cluster.objects("deployments.apps", Some(namespace)).filter(is_free);
        found.extend(all.map(|deployment| {
            let name = json::text(deployment, "metadata.name").to_string();
            (Seed(seed).derive(&format!("changed after the fault {namespace} {name}")).0, namespace.clone(), name)
        }));
    }
    found.sort();
    found.into_iter().map(|(_, namespace, name)| (namespace, name)).collect()
}

/// All that a problem's file says of its fault, as one text.
fn spoken_of(problem: &ClusterProblem) -> String {
    let file = &problem.file;
    let steps = file.before.iter().chain(&file.fault).chain(&file.trigger);
    let steps = steps.map(|step| {
        format!("{} {} {:?}", step.run.as_deref().unwrap_or(""), step.apply.as_deref().unwrap_or(""), step.change)
    });
    let causes = file.cause.iter().map(|cause| format!("{} {}", cause.component, cause.object));
    let rest = file.actor.iter().map(|actor| actor.run.clone()).chain(file.solution.commands.iter().cloned());
    steps.chain(causes).chain(rest).collect::<Vec<_>>().join("\n")
}

fn is_rolled_out(deployment: &Stored) -> bool {
    let count = |path: &str| json::int(deployment, path).unwrap_or(0);
    let wanted = json::int(deployment, "spec.replicas").unwrap_or(1);
    wanted > 0
        && count("status.observedGeneration") >= count("metadata.generation")
        && count("status.updatedReplicas") >= wanted
        && count("status.readyReplicas") >= wanted
        && count("status.unavailableReplicas") == 0
        && count("status.replicas") == wanted
}
