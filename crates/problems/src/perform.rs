//! Doing what steps say: command lines, manifests, changes of the ground.

use std::time::Duration;

use apps::{Site, SiteChange};
use cluster::{ServingCertificate, json};
use kubectl::Terminal;
use thiserror::Error;

use crate::acting::{ActingPrograms, ActorBook, root};
use crate::file::FaultStep;
use crate::span;

/// What stands for a worker: `@node:0` is the first.
const NODE: &str = "@node:";
/// What stands for the node on which a workload runs: `@node-of:deployment/geo`.
const NODE_OF: &str = "@node-of:";

/// A step that could not be done.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{step}`: {problem}")]
pub struct StepRefusal {
    /// The step, as its file has it.
    pub step: String,
    /// What was wrong.
    pub problem: String,
}

/// A terminal of an administrator in a namespace, whose commands cost the cluster little time.
pub(crate) fn administrator(namespace: &str) -> Terminal {
    Terminal::new(root()).in_namespace(namespace)
}

/// Does steps one after the other, with the actors that there are.
pub(crate) fn perform(
    site: &mut Site,
    actors: &mut ActorBook,
    terminal: &mut Terminal,
    namespace: &str,
    steps: &[FaultStep],
) -> Result<(), StepRefusal> {
    for step in steps {
        let wait = step.after.as_deref().map_or(Ok(Duration::ZERO), span::parse);
        pass(site, actors, wait.expect("checked when it was read"));
        one(site, actors, terminal, namespace, step)?;
    }
    Ok(())
}

/// Lets time pass, with the actors that there are.
pub(crate) fn pass(site: &mut Site, actors: &mut ActorBook, time: Duration) {
    let until = site.cluster.now().after(time);
    loop {
        let due = actors.noise.as_ref().map_or(until, |noise| noise.due().min(until)).max(site.cluster.now());
        let (cluster, fleet) = site.parts();
        cluster.advance(&mut ActingPrograms { fleet, actors }, due);
        let Some(noise) = &mut actors.noise else { return };
        noise.pass(site);
        if due >= until {
            return;
        }
    }
}

fn one(
    site: &mut Site,
    actors: &mut ActorBook,
    terminal: &mut Terminal,
    namespace: &str,
    step: &FaultStep,
) -> Result<(), StepRefusal> {
    let refusal = |step: &str, problem: String| StepRefusal { step: step.to_string(), problem };
    if let Some(line) = &step.run {
        return command(site, actors, terminal, &filled(site, namespace, line)).map(|_| ());
    }
    if let Some(manifest) = &step.apply {
        let mut own = administrator(step.namespace.as_deref().unwrap_or(namespace));
        own.put_file(APPLIED, &filled(site, namespace, manifest));
        return command(site, actors, &mut own, &format!("kubectl apply -f {APPLIED}")).map(|_| ());
    }
    if let Some(table) = &step.tls {
        return certified(site, actors, terminal, table);
    }
    let table = step.change.as_ref().expect("checked when it was read");
    let text = filled(site, namespace, &toml::to_string(table).unwrap_or_default());
    let change: SiteChange = toml::from_str(&text).map_err(|error| refusal(&text, error.to_string()))?;
    site.change(&change).map_err(|error| refusal(&text, error.to_string()))
}

/// Puts a certificate into a Secret: for `host`, valid for 90 days up to `not_after`, which may lie in the past as `-24h`.
fn certified(
    site: &mut Site,
    actors: &mut ActorBook,
    terminal: &mut Terminal,
    table: &toml::Table,
) -> Result<(), StepRefusal> {
    let text = |name: &str| table.get(name).and_then(toml::Value::as_str).unwrap_or_default();
    let refusal = |problem: String| StepRefusal { step: table.to_string(), problem };
    let (is_past, span) = text("not_after").strip_prefix('-').map_or((false, text("not_after")), |span| (true, span));
    let span = span::parse(span).map_err(refusal)?.as_secs() as i64;
    let until = site.cluster.now().after_secs(if is_past { -span } else { span });
    let own = ServingCertificate { host: text("host").into(), from: until.after_secs(-VALID), until };
    terminal.put_file("tls.crt", &own.pem());
    terminal.put_file("tls.key", "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n");
    let line = format!(
        "kubectl create secret tls {} --cert=tls.crt --key=tls.key --dry-run=client -o yaml | kubectl apply -f -",
        text("secret")
    );
    command(site, actors, terminal, &line).map(|_| ())
}

/// Seconds for which a certificate is valid.
const VALID: i64 = 90 * 86_400;

/// Where a manifest lies that is applied.
const APPLIED: &str = "manifest.yaml";

/// Runs a command line and gives what it printed; one that fails is refused with what it complained about.
pub(crate) fn command(
    site: &mut Site,
    actors: &mut ActorBook,
    terminal: &mut Terminal,
    line: &str,
) -> Result<String, StepRefusal> {
    let (cluster, fleet) = site.parts();
    let output = terminal.run(cluster, &mut ActingPrograms { fleet, actors }, line);
    match output.code {
        0 => Ok(output.stdout),
        _ => Err(StepRefusal { step: line.to_string(), problem: output.stderr.trim_end().to_string() }),
    }
}

/// A text with the names of nodes in the place of what stands for them.
fn filled(site: &Site, namespace: &str, text: &str) -> String {
    let mut text = text.to_string();
    while let Some(at) = text.find(NODE_OF) {
        let rest = &text[at + NODE_OF.len()..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '/' || c == '-')).unwrap_or(rest.len());
        let node = node_of(site, namespace, &rest[..end]);
        text = format!("{}{node}{}", &text[..at], &rest[end..]);
    }
    for (number, name) in workers(site).iter().enumerate() {
        text = text.replace(&format!("{NODE}{number}"), name);
    }
    text
}

/// The names of the workers, in order.
pub(crate) fn workers(site: &Site) -> Vec<String> {
    let is_worker = |node: &&cluster::Stored| json::list(node, "spec.taints").is_empty() || !is_control_plane(node);
    let nodes = site.cluster.objects("nodes", None).filter(is_worker);
    nodes.map(|node| json::text(node, "metadata.name").to_string()).collect()
}

fn is_control_plane(node: &cluster::Stored) -> bool {
    crate::place::field(node, "metadata.labels.node-role\\.kubernetes\\.io/control-plane").is_some()
}

/// The node on which the first pod of a workload runs, such as `deployment/geo`.
fn node_of(site: &Site, namespace: &str, workload: &str) -> String {
    let name = workload.split_once('/').map_or(workload, |(_, name)| name);
    let mut pods = site.cluster.objects("pods", Some(namespace));
    let own = pods.find(|pod| {
        let pod = json::text(pod, "metadata.name");
        pod.strip_prefix(name).is_some_and(|rest| rest.starts_with('-') && rest.matches('-').count() == 2)
    });
    own.map(|pod| json::text(pod, "spec.nodeName").to_string()).unwrap_or_default()
}
