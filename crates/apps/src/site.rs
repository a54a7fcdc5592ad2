//! A cluster with its applications: deployed, advanced, changed, looked at.

use std::sync::Arc;

use cluster::{Cluster, ClusterOptions, NodeOptions, Programs, Stamp, json};

use crate::catalogue::{AppCatalogue, CatalogueError};
use crate::fleet::Fleet;
use crate::manifest::{self, ManifestRefusal};
use crate::pages::{PagingAlert, WINDOW};
use crate::route::RouteWindow;

/// A cluster and its programs: a plain value that is cheap to clone and continues identically from a clone.
#[derive(Clone, Debug)]
pub struct Site {
    /// The objects, controllers, kubelets, names and routes.
    pub cluster: Cluster,
    /// What runs in the containers.
    pub fleet: Fleet,
    applications: Vec<String>,
}

/// What a site begins with.
#[derive(Clone, Debug)]
pub struct SiteOptions {
    /// The applications, by the names of their folders.
    pub applications: Vec<String>,
    /// Names, ids and jitter follow from it.
    pub seed: u64,
    /// How many workers, each with 8 cores and 16 GB; a control plane comes besides.
    pub nodes: usize,
    /// When it begins.
    pub start: Stamp,
    /// Seconds for which users have been there when it is handed over.
    pub warm_seconds: i64,
    /// What can be run; the shipped programs and applications if there is none.
    pub catalogue: Option<Arc<AppCatalogue>>,
}

impl Default for SiteOptions {
    fn default() -> Self {
        Self {
            applications: Vec::new(),
            seed: 0,
            nodes: 3,
            start: ClusterOptions::default().start,
            warm_seconds: 120,
            catalogue: None,
        }
    }
}

/// Why a site could not be deployed.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum SiteError {
    /// There is no such application.
    #[error("there is no application {name:?}; there are: {known}")]
    NoSuchApplication {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A file is wrong.
    #[error(transparent)]
    AppCatalogue(#[from] CatalogueError),
    /// The cluster refused a manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestRefusal),
    /// Something did not become ready.
    #[error("not ready after {minutes} minutes: {pods}{last_words}")]
    NotReady {
        /// How long it was waited for.
        minutes: i64,
        /// The pods.
        pods: String,
        /// What those of them printed last that do not stay up, a line each.
        last_words: String,
    },
}

/// How a route fares.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteStanding {
    /// The application.
    pub application: String,
    /// The route: `GET /hotels`.
    pub route: String,
    /// Requests per second.
    pub rate: f64,
    /// The share of requests that succeed.
    pub success: f64,
    /// Milliseconds that half of the requests take.
    pub p50_ms: f64,
    /// Milliseconds that 95 of 100 requests take.
    pub p95_ms: f64,
    /// Milliseconds that 99 of 100 requests take.
    pub p99_ms: f64,
    /// The main reason of failures; empty if there are none.
    pub reason: String,
    /// The least share that must succeed, and the most milliseconds for 95 of 100.
    pub objective: (f64, f64),
    /// Whether it held over the last minute.
    pub held: bool,
}

/// The longest that a deployment may take.
const LONGEST_MINUTES: i64 = 20;
/// So many lines are told of what does not stay up.
const LAST_LINES: usize = 3;

impl Site {
    /// Applies the manifests of applications and lets time pass until all is ready and users have been there for a while.
    pub fn deploy(options: &SiteOptions) -> Result<Self, SiteError> {
        let catalogue = options.catalogue.clone().unwrap_or_else(AppCatalogue::shipped);
        let mut site = Self::empty(options, catalogue.clone());
        let mut wanted = Vec::new();
        for name in &options.applications {
            with_needs(&catalogue, name, &mut wanted)?;
        }
        for name in wanted {
            for (file, text) in catalogue.manifests(&name) {
                let file = format!("{name}/{file}");
                manifest::apply(&mut site.cluster, &mut site.fleet, &file, text)?;
            }
            site.applications.push(name);
        }
        site.wait_until_ready()?;
        site.advance(site.cluster.now().after_secs(options.warm_seconds));
        Ok(site)
    }

    /// A cluster without any application.
    pub fn empty(options: &SiteOptions, catalogue: Arc<AppCatalogue>) -> Self {
        let mut nodes = vec![NodeOptions { is_control_plane: true, ..NodeOptions::worker("control-plane", 0) }];
        nodes.extend((1..=options.nodes).map(|number| NodeOptions::worker(&format!("worker-{number}"), number)));
        let cluster = ClusterOptions { seed: options.seed, start: options.start, nodes, ..ClusterOptions::default() };
        Self { cluster: Cluster::new(&cluster), fleet: Fleet::new(catalogue), applications: Vec::new() }
    }

    /// Lets time pass until then.
    pub fn advance(&mut self, to: Stamp) {
        self.cluster.advance(&mut self.fleet, to);
    }

    /// Both parts at once, for what takes a cluster and its programs.
    pub fn parts(&mut self) -> (&mut Cluster, &mut Fleet) {
        (&mut self.cluster, &mut self.fleet)
    }

    /// The applications that were deployed, in order.
    pub fn applications(&self) -> &[String] {
        &self.applications
    }

    fn wait_until_ready(&mut self) -> Result<(), SiteError> {
        let end = self.cluster.now().after_secs(LONGEST_MINUTES * 60);
        let mut calm = 0;
        loop {
            self.advance(self.cluster.now().after_secs(5));
            let waiting = self.not_ready();
            // What crashes is ready for a moment after every start.
            calm = if waiting.is_empty() { calm + 1 } else { 0 };
            if calm == 4 {
                return Ok(());
            }
            if self.cluster.now() >= end {
                let (pods, last_words) = (waiting.join(", "), self.last_words());
                return Err(SiteError::NotReady { minutes: LONGEST_MINUTES, pods, last_words });
            }
        }
    }

    /// The pods and workloads that are not ready, and why, as tables show it.
    pub fn not_ready(&self) -> Vec<String> {
        let mut waiting = Vec::new();
        for pod in self.cluster.objects("pods", None) {
            let mut conditions = json::list(pod, "status.conditions").iter();
            let is_ready = conditions.any(|c| json::text(c, "type") == "Ready" && json::text(c, "status") == "True");
            if !is_ready && json::text(pod, "status.phase") != "Succeeded" {
                let name = json::text(pod, "metadata.name");
                let place = json::text(pod, "metadata.namespace");
                waiting.push(format!("{place}/{name} ({})", cluster::api::pod_status(pod)));
            }
        }
        for resource in ["deployments.apps", "statefulsets.apps"] {
            for object in self.cluster.objects(resource, None) {
                let wanted = json::int(object, "spec.replicas").unwrap_or(1);
                let ready = json::int(object, "status.readyReplicas").unwrap_or(0);
                if ready < wanted {
                    let name = json::text(object, "metadata.name");
                    let place = json::text(object, "metadata.namespace");
                    waiting.push(format!("{place}/{name} ({ready}/{wanted})"));
                }
            }
        }
        waiting
    }

    /// The last lines of every container that ended and is not ready.
    fn last_words(&self) -> String {
        let mut words = String::new();
        for pod in self.cluster.objects("pods", None) {
            let (space, name) = (json::text(pod, "metadata.namespace"), json::text(pod, "metadata.name"));
            let lists = ["status.initContainerStatuses", "status.containerStatuses"];
            let statuses = lists.iter().flat_map(|list| json::list(pod, list));
            let ended = statuses.filter(|status| {
                let has_ended = ["state", "lastState"].iter().any(|state| status[state].get("terminated").is_some());
                has_ended && !json::flag(status, "ready")
            });
            for container in ended.map(|status| json::text(status, "name")) {
                let all = self.fleet.log_lines(Some(space), Stamp(0));
                let own: Vec<_> = all.iter().filter(|line| line.pod == name && line.container == container).collect();
                for line in &own[own.len().saturating_sub(LAST_LINES)..] {
                    words.push_str(&format!("\n  {space}/{name} {container}: {}", line.line));
                }
            }
        }
        words
    }

    /// How every route of every application has fared over the last minute.
    pub fn routes(&self) -> Vec<RouteStanding> {
        self.routes_over(WINDOW)
    }

    /// How every route has fared over the last seconds, at most fifteen minutes.
    pub fn routes_over(&self, seconds: i64) -> Vec<RouteStanding> {
        let catalogue = self.fleet.catalogue();
        let specs = self.applications.iter().filter_map(|name| catalogue.application(name));
        let mut all = Vec::new();
        for spec in specs {
            for (number, route) in spec.routes.iter().enumerate() {
                let history = self.fleet.route_history(&spec.name, number);
                let after = self.cluster.now().secs() - seconds;
                let window = history.map(|history| RouteWindow::of(history, after)).unwrap_or_default();
                let objective = (route.objective.success, route.objective.p95_ms);
                let asked = window.seconds > 0 && window.rate > 0.0;
                all.push(RouteStanding {
                    application: spec.name.clone(),
                    route: route.name.clone(),
                    rate: window.rate,
                    success: window.success,
                    p50_ms: window.p50 * 1000.0,
                    p95_ms: window.p95 * 1000.0,
                    p99_ms: window.p99 * 1000.0,
                    reason: window.reason.into(),
                    objective,
                    held: asked && window.success >= objective.0 && window.p95 * 1000.0 <= objective.1,
                });
            }
        }
        all
    }

    /// What pages now.
    pub fn alerts(&self) -> Vec<PagingAlert> {
        self.fleet.alerts()
    }

    /// A number that two sites share if, and hardly ever unless, they are in the same state.
    pub fn digest(&self) -> u64 {
        self.cluster.digest().rotate_left(17) ^ self.fleet.digest()
    }

    /// The programs as a trait object, for callers that take any.
    pub fn programs(&mut self) -> &mut dyn Programs {
        &mut self.fleet
    }
}

/// An application after all that it needs.
fn with_needs(catalogue: &AppCatalogue, name: &str, wanted: &mut Vec<String>) -> Result<(), SiteError> {
    if wanted.iter().any(|own| own == name) {
        return Ok(());
    }
    let Some(spec) = catalogue.application(name) else {
        let known = catalogue.applications().collect::<Vec<_>>().join(", ");
        return Err(SiteError::NoSuchApplication { name: name.into(), known });
    };
    for need in &spec.needs {
        with_needs(catalogue, need, wanted)?;
    }
    wanted.push(name.into());
    Ok(())
}
