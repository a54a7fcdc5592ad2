//! All programs of a cluster, and everything that is around them.

mod chatter;
mod exec;
mod hardware;
mod life;
mod operator;
mod programs;
mod report;
mod review;
mod task;

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::{Cluster, ContainerRun, Stamp, StoreChange};

use crate::catalogue::AppCatalogue;
use crate::ground::Ground;
use crate::instance::InstanceKey;
use crate::pages::{Finding, Pager};
use crate::physics::Flow;
use crate::plan::Plan;
use crate::reach::Instances;
use crate::route::{RouteHistory, RouteSample};
use crate::scatter::mix;
use crate::stores::DataStore;
use crate::words::moved;

/// The programs in the containers of a cluster: a plain value that is cheap to clone.
///
/// It implements [`cluster::Programs`], so whatever advances the cluster lets its applications live.
#[derive(Clone, Debug)]
pub struct Fleet {
    catalogue: Arc<AppCatalogue>,
    instances: Arc<Instances>,
    /// Stores by the volume or container in which their state lives.
    stores: Arc<BTreeMap<Arc<str>, StoreCell>>,
    ground: Arc<Ground>,
    plan: Arc<Plan>,
    flow: Arc<Flow>,
    /// The revision of the cluster that the plan has seen, and whether a program has changed since.
    seen: u64,
    is_stale: bool,
    routes: Arc<BTreeMap<(Arc<str>, usize), RouteHistory>>,
    pager: Arc<Pager>,
    /// The versions of the objects that an operator has dealt with.
    operated: Arc<str>,
    /// Resources that an operator cannot bring about, by namespace and name, and why.
    unreconciled: Arc<BTreeMap<(String, String), String>>,
}

/// A store's state, shared with clones of the fleet until one of them changes it.
#[derive(Debug)]
struct StoreCell(Box<dyn DataStore>);

impl Clone for StoreCell {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

impl Fleet {
    /// The programs of a cluster in which nothing runs yet.
    pub fn new(catalogue: Arc<AppCatalogue>) -> Self {
        Self {
            catalogue,
            instances: Arc::default(),
            stores: Arc::default(),
            ground: Arc::default(),
            plan: Arc::default(),
            flow: Arc::default(),
            seen: 0,
            is_stale: true,
            routes: Arc::default(),
            pager: Arc::default(),
            operated: "".into(),
            unreconciled: Arc::default(),
        }
    }

    /// What it can run.
    pub fn catalogue(&self) -> &Arc<AppCatalogue> {
        &self.catalogue
    }

    pub(crate) fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Changes what programs stand on.
    pub(crate) fn change_ground(&mut self, change: impl FnOnce(&mut Ground)) {
        change(Arc::make_mut(&mut self.ground));
        self.is_stale = true;
    }

    /// One second of everything.
    fn live(&mut self, cluster: &mut Cluster, now: Stamp) {
        let has_news = self.notice(cluster);
        self.follow_lives(cluster, now, has_news);
        self.follow_flags(cluster, has_news);
        self.operate(cluster, now);
        self.read_disks(cluster, now);
        self.suffer_memory(cluster, now);
        self.watch_disks(cluster, now);
        if has_news || self.is_stale {
            self.is_stale = false;
            self.count_connections();
            let plan = Plan::build(cluster, &self.instances, &self.ground, &self.catalogue, now);
            self.flow = Arc::new(Flow::carried(&plan, &self.plan, &self.flow));
            self.plan = Arc::new(plan);
        }
        self.let_stores_live(cluster, now);
        self.let_requests_flow(now);
        self.count_memory(cluster, now);
        self.keep_routes(now);
        self.tell_success(now);
        self.tell_work(now);
        if now.secs() % 5 == 0 {
            let own = self.findings();
            Arc::make_mut(&mut self.pager).look(cluster, &self.catalogue, &self.routes, own, now);
        }
    }

    /// Whether something was written since the last time that matters to programs.
    fn notice(&mut self, cluster: &Cluster) -> bool {
        if self.seen == cluster.revision() {
            return false;
        }
        const MATTERS: &[&str] = &[
            "pods",
            "services",
            "endpointslices.discovery.k8s.io",
            "networkpolicies.networking.k8s.io",
            "nodes",
            "configmaps",
            "secrets",
            "ingresses.networking.k8s.io",
        ];
        let news = cluster.changes_since(self.seen);
        let is_known = |change: &StoreChange| MATTERS.contains(&&*change.key.resource) && !change.is_heartbeat();
        let matters = news.is_none_or(|mut news| news.any(is_known));
        self.seen = cluster.revision();
        matters
    }

    fn let_stores_live(&mut self, cluster: &mut Cluster, now: Stamp) {
        if self.stores.is_empty() {
            return;
        }
        let stores = Arc::make_mut(&mut self.stores);
        let instances = Arc::make_mut(&mut self.instances);
        let mut ended = Vec::new();
        for (key, instance) in instances.iter_mut() {
            let Some(place) = instance.store.clone().filter(|_| instance.is_serving()) else { continue };
            let Some(store) = stores.get_mut(&place) else { continue };
            let lines = store.0.tick(now);
            if let Some(code) = store.0.ends() {
                ended.push((key.clone(), code));
            }
            if !lines.is_empty() {
                let instance = Arc::make_mut(instance);
                for line in lines {
                    let at = instance.moment(now);
                    instance.print(at, moved(&line, now, at));
                }
            }
        }
        for (key, code) in ended {
            self.end(cluster, &key, code);
        }
    }

    fn let_requests_flow(&mut self, now: Stamp) {
        let plan = self.plan.clone();
        let stores = Arc::make_mut(&mut self.stores);
        let instances = Arc::make_mut(&mut self.instances);
        let places: Vec<Option<Arc<str>>> = plan.programs(instances).map(|own| own.store.clone()).collect();
        let mut desk = |station: usize, ask: &crate::stores::StoreAsk| match places[station].as_ref() {
            Some(place) => match stores.get_mut(place) {
                Some(store) => store.0.serve(ask),
                None => crate::stores::StoreAnswer::Hangs,
            },
            None => crate::stores::StoreAnswer::Hangs,
        };
        let flow = Arc::make_mut(&mut self.flow);
        for (station, message) in flow.step(&plan, instances, &self.ground, now, &mut desk) {
            let draw = mix(now.0 as u64 ^ mix(station as u64));
            let program = self.instances.get(&plan.stations[station].key).map(|own| own.program.clone());
            let message = program.map_or(message.clone(), |own| chatter::with_ids(&own, &message, draw).into_owned());
            let message = self.with_client(station, chatter::filled(&message, draw));
            if let Some(instance) = Arc::make_mut(&mut self.instances).get_mut(&plan.stations[station].key) {
                Arc::make_mut(instance).say(now, crate::words::LogLevel::Error, &message);
            }
        }
    }

    /// What of the programs themselves is worth a page.
    fn findings(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for ((namespace, ..), own) in self.instances.iter().filter(|(_, own)| own.is_serving()) {
            let Some(store) = own.store.as_ref().and_then(|place| self.stores.get(place)) else { continue };
            let lags = store.0.lags();
            found.extend(lags.iter().filter_map(|(group, topic, lag)| Finding::lag(namespace, group, topic, *lag)));
        }
        let troubles = self.unreconciled.iter();
        found.extend(troubles.map(|((namespace, name), why)| Finding::reconcile(namespace, name, why)));
        found
    }

    fn keep_routes(&mut self, now: Stamp) {
        if self.plan.operations.iter().all(|operation| operation.route.is_none()) {
            return;
        }
        let routes = Arc::make_mut(&mut self.routes);
        for (operation, flow) in self.plan.operations.iter().zip(&self.flow.operations) {
            let Some((app, number)) = &operation.route else { continue };
            let sample = RouteSample {
                at: now.secs(),
                rate: flow.rate as f32,
                fails: flow.fails as f32,
                p50: flow.latency.p50 as f32,
                p95: flow.latency.p95 as f32,
                p99: flow.latency.p99 as f32,
                reason: flow.reason,
            };
            routes.entry((app.name.as_str().into(), *number)).or_default().push(sample);
        }
    }
}

/// Where a container stands.
pub(crate) fn key_of(run: &ContainerRun) -> InstanceKey {
    (run.namespace.as_str().into(), run.pod.as_str().into(), run.name.as_str().into())
}
