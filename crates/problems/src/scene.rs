//! A problem under a seed: the site while all was well, and at the moment at which an agent is called.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use apps::{Site, SiteError, SiteOptions};
use cluster::Stamp;
use record::LiveTimes;
use thiserror::Error;

use crate::acting::{ActorBook, Watchers};
use crate::defect::Defects;
use crate::furnish::furnish;
use crate::harmless::{self, HarmlessChange};
use crate::perform::{StepRefusal, administrator, pass, perform};
use crate::problem::ClusterProblem;

/// A problem that is ready to be played.
#[derive(Clone, Debug)]
pub struct ProblemScene {
    /// The problem.
    pub problem: Arc<ClusterProblem>,
    /// The seed.
    pub seed: u64,
    /// The site just before the fault.
    pub healthy: Site,
    /// The site when the agent is called.
    pub broken: Site,
    /// When the fault began.
    pub onset: Stamp,
    pub(crate) actors: ActorBook,
    pub(crate) defects: Defects,
    /// What was changed after the fault and harms nothing.
    pub(crate) harmless: Vec<HarmlessChange>,
    /// When it was set up, if clients with a clock of their own play it.
    pub(crate) live: Option<LiveTimes>,
    /// The site before anything was done for the problem.
    deployed: Site,
    /// The actors at the page, watched since then; made when it is first asked for, because watching takes time.
    watched: OnceLock<ActorBook>,
}

/// Why a problem cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SceneError {
    /// Its applications cannot be deployed.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// A step could not be done.
    #[error(transparent)]
    Step(#[from] StepRefusal),
}

/// How long what is set up before the fault has to come to rest.
const REST: Duration = Duration::from_secs(90);
/// How often it is looked whether something pages.
const LOOK: Duration = Duration::from_secs(15);

/// A site with applications and with what any cluster in use has, under a seed.
pub fn deployed(applications: &[String], seed: u64) -> Result<Site, SceneError> {
    deployed_at(applications, seed, SiteOptions::default().start)
}

/// The same, deployed at a moment.
pub(crate) fn deployed_at(applications: &[String], seed: u64, start: Stamp) -> Result<Site, SceneError> {
    let options = SiteOptions { applications: applications.to_vec(), seed, start, ..SiteOptions::default() };
    let mut site = Site::deploy(&options)?;
    furnish(&mut site, applications, seed)?;
    Ok(site)
}

impl ProblemScene {
    /// Sets a problem up on a site that was deployed for it.
    pub fn prepare(problem: &Arc<ClusterProblem>, seed: u64, site: Site) -> Result<ProblemScene, SceneError> {
        ProblemScene::set_up(problem, seed, site, Watchers::default())
    }

    /// The same, watched by what is given.
    pub(crate) fn set_up(
        problem: &Arc<ClusterProblem>,
        seed: u64,
        mut site: Site,
        watchers: Watchers,
    ) -> Result<ProblemScene, SceneError> {
        let (deployed, is_watched) = (site.clone(), !watchers.is_empty());
        let namespace = problem.namespace().to_string();
        let mut terminal = administrator(&namespace);
        let mut actors = ActorBook::new(&problem.file.actor, &namespace).watched_by(watchers);
        actors.look(&site);
        if !problem.file.before.is_empty() {
            perform(&mut site, &mut actors, &mut terminal, &namespace, &problem.file.before)?;
            pass(&mut site, &mut actors, REST);
        }
        actors.look(&site);
        let (healthy, onset) = (site.clone(), site.cluster.now());
        perform(&mut site, &mut actors, &mut terminal, &namespace, &problem.file.fault)?;
        let latest = site.cluster.now().after(problem.settle);
        pass(&mut site, &mut actors, LOOK);
        let harmless = harmless::make(problem, seed, &healthy, &mut site, &mut actors);
        while site.cluster.now() < latest {
            pass(&mut site, &mut actors, LOOK);
        }
        let defects = Defects::of(problem, &mut site.clone(), &mut actors.unwatched());
        let (plain, watched) = (actors.unwatched(), OnceLock::new());
        if is_watched {
            // It is empty, so that this is taken.
            let _ = watched.set(actors);
        }
        let problem = problem.clone();
        Ok(ProblemScene {
            problem,
            seed,
            healthy,
            broken: site,
            onset,
            actors: plain,
            defects,
            harmless,
            live: None,
            deployed,
            watched,
        })
    }

    /// The actors at the page with what has watched the cluster since its applications were deployed.
    pub(crate) fn watched_actors(&self) -> ActorBook {
        let watch = || self.again_with(Watchers::servers(self.deployed.cluster.now()));
        self.watched.get_or_init(watch).clone()
    }

    /// The actors at the page with a camera that has run since then.
    pub(crate) fn filmed_actors(&self) -> ActorBook {
        self.again_with(Watchers::camera())
    }

    fn again_with(&self, watchers: Watchers) -> ActorBook {
        let again = ProblemScene::set_up(&self.problem, self.seed, self.deployed.clone(), watchers);
        let again = again.expect("what was set up once can be set up again");
        assert_eq!(again.broken.digest(), self.broken.digest(), "looking changes nothing");
        again.watched.into_inner().expect("it was watched")
    }
}
