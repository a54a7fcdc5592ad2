//! Passing disturbances while a problem is played: on a schedule drawn by the seed, each ends by itself.
//!
//! They make what is seen noisier and touch no grading: a verdict ends those that are under way and lets none begin. Twins with
//! the same seed have the same ones at the same times.

use std::time::Duration;

use apps::{Site, SiteChange};
use cluster::api::User;
use cluster::{Stamp, Stored, json};
use kubectl::Terminal;
use world::Seed;

/// How long after the call the first ones come, and how often others follow.
const FIRST: Duration = Duration::from_secs(60);
const EVERY: Duration = Duration::from_secs(300);
/// How long most of them last.
const LASTING: Duration = Duration::from_secs(120);
/// How long a pod fails.
const FAILING: Duration = Duration::from_secs(45);
/// The kinds of disturbance.
const KINDS: u64 = 6;

/// The disturbances of an episode.
#[derive(Clone, Debug)]
pub(crate) struct PassingNoise {
    seed: u64,
    /// How many come at a time.
    level: u8,
    namespace: String,
    next: Stamp,
    round: u64,
    under_way: Vec<(Stamp, NoiseEnd)>,
}

/// What ends a disturbance.
#[derive(Clone, Debug)]
enum NoiseEnd {
    Change(SiteChange),
    Line(String),
}

impl PassingNoise {
    /// Disturbances of an application from now on.
    pub(crate) fn new(seed: u64, level: u8, namespace: &str, now: Stamp) -> PassingNoise {
        let namespace = namespace.to_string();
        PassingNoise { seed, level, namespace, next: now.after(FIRST), round: 0, under_way: Vec::new() }
    }

    /// When something begins or ends next.
    pub(crate) fn due(&self) -> Stamp {
        self.under_way.iter().map(|(end, _)| *end).chain([self.next]).min().expect("there is always a next one")
    }

    /// Begins and ends what is due.
    pub(crate) fn pass(&mut self, site: &mut Site) {
        let now = site.cluster.now();
        let ended = |(end, _): &(Stamp, NoiseEnd)| *end <= now;
        let over: Vec<NoiseEnd> = self.under_way.iter().filter(|one| ended(one)).map(|(_, end)| end.clone()).collect();
        self.under_way.retain(|one| !ended(one));
        over.into_iter().for_each(|end| self.end(site, end));
        if self.next <= now {
            for number in 0..u64::from(self.level.min(2)) {
                self.begin(site, number);
            }
            (self.round, self.next) = (self.round + 1, self.next.after(EVERY));
        }
    }

    /// Ends everything that is under way.
    pub(crate) fn stop(mut self, site: &mut Site) {
        for (_, end) in std::mem::take(&mut self.under_way) {
            self.end(site, end);
        }
    }

    fn draw(&self, number: u64, what: &str) -> usize {
        Seed(self.seed).derive(&format!("noise {} {number} {what}", self.round)).0 as usize
    }

    fn begin(&mut self, site: &mut Site, number: u64) {
        let pods = self.pods(site);
        let Some(pod) = pods.get(self.draw(number, "pod") % pods.len().max(1)).cloned() else { return };
        let nodes: Vec<String> =
            site.cluster.objects("nodes", None).map(|node| json::text(node, "metadata.name").to_string()).collect();
        let Some(node) = nodes.get(self.draw(number, "node") % nodes.len().max(1)).cloned() else { return };
        let now = site.cluster.now();
        let to = format!("{}/{pod}", self.namespace);
        let link = |delay_ms, jitter_ms, loss, partition| SiteChange::Link {
            from: "*".to_string(),
            to: to.clone(),
            delay_ms,
            jitter_ms,
            loss,
            partition,
        };
        let whole = link(0.0, 0.0, 0.0, false);
        let (change, end, lasting) = match self.draw(number, "kind") as u64 % KINDS {
            0 => return self.line(site, &format!("kubectl delete pod {pod} --wait=false")),
            1 => (link(0.0, 0.0, 0.0, true), whole, FAILING),
            2 => (link(500.0, 200.0, 0.0, false), whole, LASTING),
            3 => (link(0.0, 0.0, 0.5, false), whole, LASTING),
            4 => {
                let stress = |cores| SiteChange::CpuStress { node: node.clone(), cores };
                (stress(4.0), stress(0.0), LASTING)
            }
            _ => {
                let taint = format!("kubectl taint node {node} node.kubernetes.io/memory-pressure");
                self.line(site, &format!("{taint}=:NoSchedule"));
                self.under_way.push((now.after(LASTING), NoiseEnd::Line(format!("{taint}-"))));
                return;
            }
        };
        if site.change(&change).is_ok() {
            self.under_way.push((now.after(lasting), NoiseEnd::Change(end)));
        }
    }

    fn end(&self, site: &mut Site, end: NoiseEnd) {
        match end {
            // What was there to be ended may have been ended by the agent.
            NoiseEnd::Change(change) => drop(site.change(&change)),
            NoiseEnd::Line(line) => self.line(site, &line),
        }
    }

    fn line(&self, site: &mut Site, line: &str) {
        let user = User::new("system:node-problem-detector", &["system:masters"]);
        let mut terminal = Terminal::new(user).in_namespace(&self.namespace).costing(Duration::ZERO);
        let (cluster, fleet) = site.parts();
        terminal.run(cluster, fleet, line);
    }

    /// Ready pods of the application that keep nothing on a disk, in order.
    fn pods(&self, site: &Site) -> Vec<String> {
        let is_plain = |pod: &&Stored| {
            let keeps = json::list(pod, "spec.volumes")
                .iter()
                .any(|one| !json::text(one, "persistentVolumeClaim.claimName").is_empty());
            let ready = json::list(pod, "status.conditions")
                .iter()
                .any(|one| json::text(one, "type") == "Ready" && json::text(one, "status") == "True");
            let store = ["mongo", "mysql", "postgres", "kafka", "redis", "valkey", "rabbit", "memcached"];
            let name = json::text(pod, "metadata.name");
            ready && !keeps && !store.iter().any(|kind| name.contains(kind))
        };
        let pods = site.cluster.objects("pods", Some(&self.namespace)).filter(is_plain);
        pods.map(|pod| json::text(pod, "metadata.name").to_string()).collect()
    }
}
