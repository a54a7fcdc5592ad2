//! Programs with those that keep acting: jobs on a schedule and controllers that a problem brings with it.
//!
//! An actor is a workload of the cluster. It acts only while that workload does: a CronJob with each of its jobs, a Deployment
//! while a replica is ready. So one who suspends, deletes or mends the workload has dealt with the actor.

use std::collections::BTreeSet;
use std::time::Duration;

use apps::{Fleet, Site};
use cluster::api::User;
use cluster::{
    CallFigures, Cluster, ContainerRun, ExecCall, ExecEnd, Launch, LogRecord, PortAnswer, ProbeAnswer, ProbeCheck,
    Programs, Pull, ResourceUse, ReviewAnswer, Stamp, Toolbox, json,
};
use exporters::{ClusterCamera, Observatory};
use kubectl::Terminal;
use serde_json::Value;

use crate::file::RecurringActor;
use crate::noise::PassingNoise;
use crate::place::ObjectPlace;
use crate::span;

/// What watches a cluster, if anything does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watchers {
    /// Prometheus, Loki, Jaeger and Alertmanager.
    pub(crate) observatory: Option<Box<Observatory>>,
    /// Pictures for people.
    pub(crate) camera: Option<Box<ClusterCamera>>,
}

impl Watchers {
    /// The four servers, which know nothing before this moment.
    pub(crate) fn servers(now: Stamp) -> Watchers {
        Watchers { observatory: Some(Box::new(Observatory::new(now))), camera: None }
    }

    /// A camera.
    pub(crate) fn camera() -> Watchers {
        Watchers { observatory: None, camera: Some(Box::default()) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.observatory.is_none() && self.camera.is_none()
    }
}

/// The actors of a problem and what they remember; and what watches the cluster meanwhile, if anything does.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActorBook {
    actors: Vec<ActorState>,
    pub(crate) watchers: Watchers,
    /// Passing disturbances, where they were asked for.
    pub(crate) noise: Option<PassingNoise>,
}

#[derive(Clone, Debug)]
struct ActorState {
    place: ObjectPlace,
    every: Duration,
    terminal: Terminal,
    line: String,
    /// The jobs that have acted.
    done: BTreeSet<String>,
    next: Option<Stamp>,
}

impl ActorBook {
    /// The actors of a problem in a namespace. What names no known kind never acts.
    pub(crate) fn new(actors: &[RecurringActor], namespace: &str) -> ActorBook {
        let state = |actor: &RecurringActor| {
            let own = actor.namespace.as_deref().unwrap_or(namespace);
            let user = actor.user.as_deref().map_or_else(root, account);
            let every = actor.every.as_deref().and_then(|text| span::parse(text).ok());
            Some(ActorState {
                place: ObjectPlace::read(&actor.of, own)?,
                every: every.unwrap_or(USUAL_PAUSE),
                terminal: Terminal::new(user).in_namespace(namespace).costing(Duration::ZERO),
                line: actor.run.clone(),
                done: BTreeSet::new(),
                next: None,
            })
        };
        ActorBook { actors: actors.iter().filter_map(state).collect(), ..ActorBook::default() }
    }

    /// The same actors, watched.
    pub(crate) fn watched_by(self, watchers: Watchers) -> ActorBook {
        ActorBook { watchers, ..self }
    }

    /// The same actors, watched by nothing.
    pub(crate) fn unwatched(&self) -> ActorBook {
        ActorBook { actors: self.actors.clone(), noise: self.noise.clone(), ..ActorBook::default() }
    }

    /// What watches the cluster, at the present moment.
    pub(crate) fn observatory(&mut self, now: Stamp) -> Option<&mut Observatory> {
        let observatory = self.watchers.observatory.as_mut()?;
        observatory.set_time(now);
        Some(observatory)
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watchers.observatory.is_some()
    }

    /// Whether pictures are taken: only these are looked at then, not what was answered.
    pub(crate) fn is_filmed(&self) -> bool {
        self.watchers.camera.is_some()
    }

    /// A picture of this very moment, where pictures are taken.
    pub(crate) fn look(&mut self, site: &Site) {
        if let Some(camera) = &mut self.watchers.camera {
            camera.look(&site.cluster, &site.fleet);
        }
    }

    fn act(&mut self, cluster: &mut Cluster, fleet: &mut Fleet, now: Stamp) {
        for actor in &mut self.actors {
            if actor.is_due(cluster, now) {
                actor.terminal.run(cluster, fleet, &actor.line);
            }
        }
        if let Some(observatory) = &mut self.watchers.observatory {
            observatory.look_if_due(cluster, fleet);
        }
        if let Some(camera) = &mut self.watchers.camera {
            camera.look_if_due(cluster, fleet);
        }
    }
}

/// How often a controller acts if its file does not say.
const USUAL_PAUSE: Duration = Duration::from_secs(10);

/// Who may do everything.
pub(crate) fn root() -> User {
    User::new("kubernetes-admin", &["system:masters"])
}

/// A service account as the API server knows it, with its groups.
fn account(name: &str) -> User {
    let namespace = name.split(':').nth(2).unwrap_or_default();
    let groups = [
        "system:serviceaccounts".to_string(),
        format!("system:serviceaccounts:{namespace}"),
        "system:authenticated".to_string(),
    ];
    User { name: name.to_string(), groups: groups.to_vec(), ..User::default() }
}

impl ActorState {
    fn is_due(&mut self, cluster: &Cluster, now: Stamp) -> bool {
        if self.place.resource == "cronjobs.batch" { self.has_new_job(cluster) } else { self.is_ready(cluster, now) }
    }

    /// Whether a job of the CronJob has a pod that ran since the last look.
    fn has_new_job(&mut self, cluster: &Cluster) -> bool {
        let is_own = |job: &&cluster::Stored| {
            let owner = json::list(job, "metadata.ownerReferences").first();
            owner.is_some_and(|owner| json::text(owner, "name") == self.place.name)
        };
        let jobs = cluster.objects("jobs.batch", Some(&self.place.namespace)).filter(is_own);
        let ran = jobs.filter(|job| {
            json::int(job, "status.active").unwrap_or(0) > 0 || json::int(job, "status.succeeded").unwrap_or(0) > 0
        });
        let uids: Vec<String> = ran.map(|job| json::text(job, "metadata.uid").to_string()).collect();
        // Only the newest of those that come to light at once acts: it does what the others would have done.
        let before = self.done.len();
        self.done.extend(uids);
        self.done.len() > before
    }

    fn is_ready(&mut self, cluster: &Cluster, now: Stamp) -> bool {
        if self.next.is_some_and(|next| now < next) {
            return false;
        }
        self.next = Some(now.after(self.every));
        let ready = |object: &cluster::Stored| json::int(object, "status.readyReplicas").unwrap_or(0) > 0;
        self.place.find(cluster).is_some_and(ready)
    }
}

/// A fleet and its actors, as the cluster asks programs.
pub(crate) struct ActingPrograms<'a> {
    pub(crate) fleet: &'a mut Fleet,
    pub(crate) actors: &'a mut ActorBook,
}

impl Programs for ActingPrograms<'_> {
    fn pull(&mut self, now: Stamp, node: &str, image: &str) -> Pull {
        self.fleet.pull(now, node, image)
    }

    fn start(&mut self, now: Stamp, container: &ContainerRun) -> Launch {
        self.fleet.start(now, container)
    }

    fn probe(&mut self, now: Stamp, container: &ContainerRun, probe: &ProbeCheck) -> ProbeAnswer {
        self.fleet.probe(now, container, probe)
    }

    fn stop(&mut self, now: Stamp, container: &ContainerRun, grace: Duration) -> (Duration, i32) {
        self.fleet.stop(now, container, grace)
    }

    fn usage(&mut self, now: Stamp, container: &ContainerRun) -> ResourceUse {
        self.fleet.usage(now, container)
    }

    fn log(&mut self, now: Stamp, container: &ContainerRun) -> Vec<LogRecord> {
        self.fleet.log(now, container)
    }

    fn log_since(&mut self, now: Stamp, container: &ContainerRun, since: Stamp) -> Vec<LogRecord> {
        self.fleet.log_since(now, container, since)
    }

    fn calls(&self) -> Vec<CallFigures> {
        self.fleet.calls()
    }

    fn exec(&mut self, cluster: &Cluster, container: &ContainerRun, call: &ExecCall) -> Option<ExecEnd> {
        self.fleet.exec(cluster, container, call)
    }

    fn on_node(&mut self, cluster: &mut Cluster, node: &str, call: &ExecCall) -> Option<ExecEnd> {
        self.fleet.on_node(cluster, node, call)
    }

    fn has_command(&self, container: &ContainerRun, name: &str) -> bool {
        self.fleet.has_command(container, name)
    }

    fn tick_every(&self) -> Option<Duration> {
        self.fleet.tick_every()
    }

    fn tick(&mut self, cluster: &mut Cluster, now: Stamp) {
        self.fleet.tick(cluster, now);
        self.actors.act(cluster, self.fleet, now);
    }

    fn review(&mut self, now: Stamp, container: &ContainerRun, review: &Value) -> Option<ReviewAnswer> {
        self.fleet.review(now, container, review)
    }

    fn listens(&mut self, now: Stamp, container: &ContainerRun, port: u16) -> bool {
        self.fleet.listens(now, container, port)
    }

    fn answer(&mut self, now: Stamp, container: &ContainerRun, port: u16, bytes: &[u8]) -> PortAnswer {
        self.fleet.answer(now, container, port, bytes)
    }

    fn files(&mut self, container: &ContainerRun) -> Vec<(String, Vec<u8>)> {
        self.fleet.files(container)
    }

    fn toolbox(&self, container: &ContainerRun) -> Toolbox {
        self.fleet.toolbox(container)
    }
}
