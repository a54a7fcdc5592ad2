//! What a world is made of, as plain data: services of known kinds, the applications on them, their
//! routes as trees of calls. How a service behaves is the business of its kind.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A whole world before it runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// How many machines the instances are spread over.
    pub nodes: usize,
    /// The services.
    pub services: Vec<ServiceSpec>,
    /// The applications that run on them.
    pub apps: Vec<AppSpec>,
    /// Alerts that open a ticket instead of paging, as `service/rule` or `service` for all of its rules.
    #[serde(default)]
    pub tickets: Vec<String>,
    /// Whether an application pages for all of its objectives in one, and its routes open tickets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_apps_page: bool,
    /// The teams that change things, as many as [`crate::faults::TEAMS`] has; none where they are called as there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<String>,
    /// What builds bring, as many as [`crate::faults::BUILDS`] has; none where it is what is said there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builds: Vec<String>,
}

/// The name of a key or a parameter, or a value: words of a kind's own, or whatever a file says.
pub type SpecText = Cow<'static, str>;

/// One service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceSpec {
    /// Its name, unique in the world.
    pub name: String,
    /// The name of its kind: one of [`crate::services::ALL`].
    pub kind: String,
    /// How many instances it has.
    pub instances: usize,
    /// Values that differ from the kind's defaults.
    #[serde(default)]
    pub config: BTreeMap<SpecText, SpecText>,
    /// Physical parameters that differ from the kind's own: cores, working set, ...
    #[serde(default)]
    pub params: BTreeMap<SpecText, f64>,
    /// What is said here for words of the shop that the kind's keys, metrics and lines have, such as `orders`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, String>,
}

/// One application: a set of routes with objectives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppSpec {
    /// Its name.
    pub name: String,
    /// What users can ask of it.
    pub routes: Vec<RouteSpec>,
    /// How what they ask moves with time.
    #[serde(default, skip_serializing_if = "LoadShape::is_usual")]
    pub load: LoadShape,
}

/// How load moves: with the day, by itself, on the clock, and with what failed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LoadShape {
    /// How far the day's peak is above its mean.
    pub day: f64,
    /// How far load wanders within minutes.
    pub wander: f64,
    /// How far it jumps from one moment to the next.
    pub jitter: f64,
    /// Every so many seconds a burst begins; 0 for none.
    pub burst_every_s: u64,
    /// How long a burst lasts, in seconds.
    pub burst_s: u64,
    /// How much more is asked in a burst, as a share.
    pub burst: f64,
    /// After how many seconds those who send a failed request again do so, on average.
    pub again_s: f64,
    /// How often one request is sent at most, its first time included, and then it counts as one; 0 where a share of what
    /// fails is sent again as its route says, and each time counts for itself.
    pub tries: usize,
}

impl Default for LoadShape {
    fn default() -> LoadShape {
        LoadShape {
            day: 0.04,
            wander: 0.03,
            jitter: 0.01,
            burst_every_s: 0,
            burst_s: 0,
            burst: 0.0,
            again_s: 20.0,
            tries: 0,
        }
    }
}

impl LoadShape {
    /// Whether it is that of the shop.
    pub fn is_usual(&self) -> bool {
        *self == LoadShape::default()
    }

    /// The factor of bursts at a time, in seconds.
    pub(crate) fn burst_at(&self, secs: u64) -> f64 {
        let is_on = self.burst_every_s > 0 && secs % self.burst_every_s < self.burst_s;
        if is_on { 1.0 + self.burst } else { 1.0 }
    }
}

/// One way into an application, and what it promises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteSpec {
    /// Its name, unique in the world.
    pub name: String,
    /// Requests per second at the usual load; 0 where `entry` is fed by a queue's messages.
    pub rps: f64,
    /// A request slower than this counts as slow.
    pub slow_ms: f64,
    /// How long a user waits before giving up.
    pub patience_ms: f64,
    /// The share of requests that may fail or be slow.
    pub allowed: f64,
    /// The share of failed requests that users send again.
    #[serde(default)]
    pub user_retry: f64,
    /// The first call of the tree.
    pub entry: CallSpec,
}

/// One call of a route's tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallSpec {
    /// The service called.
    pub to: Arc<str>,
    /// What is asked of it.
    pub op: Op,
    /// How often, for each time that the caller runs.
    pub times: f64,
    /// What the callee calls in turn, one after another.
    #[serde(default)]
    pub calls: Vec<CallSpec>,
    /// What the *caller* calls when this one finds nothing (a cache miss) or fails.
    #[serde(default)]
    pub on_miss: Vec<CallSpec>,
}

/// What one call costs the service that answers it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Op {
    /// Its name in traces and logs.
    pub name: Arc<str>,
    /// Work at the callee, in milliseconds of one server.
    pub work_ms: f64,
    /// Time for which a slot is held without work (a transaction waiting for its client).
    pub hold_ms: f64,
    /// Coefficient of variation of the work.
    pub spread: f64,
    /// Whether it changes data.
    pub write: bool,
    /// The configuration key of the index it needs, if any.
    pub index: Option<Arc<str>>,
    /// For a cache: the share of lookups that could be answered at best.
    pub hit: f64,
}

/// Where a service is found in the company's network.
pub(crate) fn host(service: &str) -> String {
    format!("{}.internal", service.replace('_', "-"))
}

impl CallSpec {
    /// How many calls it is, with all that follow from it.
    pub(crate) fn count(&self) -> usize {
        1 + self.calls.iter().chain(&self.on_miss).map(CallSpec::count).sum::<usize>()
    }

    /// Whether something holds of it or of a call that follows from it.
    pub fn any(&self, holds: &dyn Fn(&CallSpec) -> bool) -> bool {
        holds(self) || self.calls.iter().chain(&self.on_miss).any(|c| c.any(holds))
    }

    /// Does something with it and with every call that follows from it.
    pub fn each(&mut self, act: &mut dyn FnMut(&mut CallSpec)) {
        act(self);
        self.calls.iter_mut().chain(&mut self.on_miss).for_each(|c| c.each(act));
    }

    pub(crate) fn rename(&mut self, renamed: &dyn Fn(&str) -> String) {
        self.to = renamed(&self.to).into();
        self.calls.iter_mut().chain(&mut self.on_miss).for_each(|c| c.rename(renamed));
    }
}

impl Spec {
    /// The routes of all applications.
    pub(crate) fn routes(&self) -> impl Iterator<Item = &RouteSpec> {
        self.apps.iter().flat_map(|a| &a.routes)
    }

    /// The service of that name.
    pub fn service_mut(&mut self, name: &str) -> Option<&mut ServiceSpec> {
        self.services.iter_mut().find(|s| s.name == name)
    }

    /// Makes each request of a route larger: so many times the calls, and as much more time allowed.
    /// False if there is no such route.
    pub fn enlarge(&mut self, route: &str, factor: f64) -> bool {
        let Some(route) = self.route_mut(route) else { return false };
        route.slow_ms *= factor;
        route.patience_ms *= factor;
        let inner = route.entry.calls.iter_mut().flat_map(|c| &mut c.calls);
        inner.for_each(|c| c.times *= factor);
        true
    }

    /// The route of that name.
    pub fn route_mut(&mut self, name: &str) -> Option<&mut RouteSpec> {
        self.apps.iter_mut().flat_map(|a| &mut a.routes).find(|r| r.name == name)
    }
}
