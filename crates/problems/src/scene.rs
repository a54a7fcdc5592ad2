//! A problem under a seed: the site while all was well, and at the moment at which an agent is called.

use std::sync::Arc;
use std::time::Duration;

use apps::{Site, SiteError, SiteOptions};
use cluster::Stamp;
use thiserror::Error;

use crate::acting::ActorBook;
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
    let options = SiteOptions { applications: applications.to_vec(), seed, ..SiteOptions::default() };
    let mut site = Site::deploy(&options)?;
    furnish(&mut site, applications, seed)?;
    Ok(site)
}

impl ProblemScene {
    /// Sets a problem up on a site that was deployed for it.
    pub fn prepare(problem: &Arc<ClusterProblem>, seed: u64, mut site: Site) -> Result<ProblemScene, SceneError> {
        let namespace = problem.namespace().to_string();
        let mut terminal = administrator(&namespace);
        let mut actors = ActorBook::new(&problem.file.actor, &namespace);
        if !problem.file.before.is_empty() {
            perform(&mut site, &mut actors, &mut terminal, &namespace, &problem.file.before)?;
            pass(&mut site, &mut actors, REST);
        }
        let (healthy, onset) = (site.clone(), site.cluster.now());
        perform(&mut site, &mut actors, &mut terminal, &namespace, &problem.file.fault)?;
        let latest = site.cluster.now().after(problem.settle);
        pass(&mut site, &mut actors, LOOK);
        let harmless = harmless::make(problem, seed, &healthy, &mut site, &mut actors);
        while site.cluster.now() < latest {
            pass(&mut site, &mut actors, LOOK);
        }
        let defects = Defects::of(problem, &mut site.clone(), &mut actors.clone());
        Ok(ProblemScene { problem: problem.clone(), seed, healthy, broken: site, onset, actors, defects, harmless })
    }
}
