//! Problems as challenges: what a sweep plays, resumes, replays and reports.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use apps::Site;
use harness::{Challenge, EpisodeOptions, Error, Noise, Playable, ToolSet};
use record::LiveTimes;

use crate::desk_tools::TOOLS;
use crate::play::ProblemEpisode;
use crate::problem::ClusterProblem;
use crate::scene::{ProblemScene, SceneError, deployed};
use crate::stages::Stages;
use crate::staging::LiveStaging;

/// Sites that were deployed, so that problems on the same applications under the same seed share one.
#[derive(Default)]
pub struct SiteShelf {
    sites: Mutex<BTreeMap<(Vec<String>, u64), Site>>,
    /// The scene that was set up last: the episodes on it follow each other.
    scenes: Mutex<Vec<Arc<ProblemScene>>>,
}

/// How many deployed sites and scenes are kept.
const SITES_KEPT: usize = 16;
const SCENES_KEPT: usize = 8;

impl SiteShelf {
    /// The site of a problem under a seed.
    pub fn site(&self, problem: &ClusterProblem, seed: u64) -> Result<Site, SceneError> {
        let key = (problem.file.applications.clone(), seed);
        let known = |sites: &BTreeMap<(Vec<String>, u64), Site>| sites.get(&key).cloned();
        if let Some(site) = known(&self.sites.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(site);
        }
        let site = deployed(&problem.file.applications, seed)?;
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= SITES_KEPT {
            sites.pop_first();
        }
        sites.insert(key, site.clone());
        Ok(site)
    }

    /// The scene of a problem under a seed.
    pub fn scene(&self, problem: &Arc<ClusterProblem>, seed: u64) -> Result<Arc<ProblemScene>, SceneError> {
        let is = |scene: &&Arc<ProblemScene>| scene.seed == seed && scene.problem.digest == problem.digest;
        if let Some(scene) = self.scenes.lock().unwrap_or_else(PoisonError::into_inner).iter().find(is) {
            return Ok(scene.clone());
        }
        let scene = Arc::new(ProblemScene::prepare(problem, seed, self.site(problem, seed)?)?);
        let mut scenes = self.scenes.lock().unwrap_or_else(PoisonError::into_inner);
        if scenes.len() >= SCENES_KEPT {
            scenes.remove(0);
        }
        scenes.push(scene.clone());
        Ok(scene)
    }
}

/// A problem that an agent can be set to.
pub struct ProblemChallenge {
    problem: Arc<ClusterProblem>,
    stages: Stages,
    shelf: Arc<SiteShelf>,
    live: Option<LiveTimes>,
}

impl ProblemChallenge {
    /// The tools of all problems.
    pub const TOOLS: ToolSet = TOOLS;

    /// One problem, on a shelf of its own.
    pub fn new(problem: &Arc<ClusterProblem>, stages: Stages) -> ProblemChallenge {
        ProblemChallenge { problem: problem.clone(), stages, shelf: Arc::default(), live: None }
    }

    /// These problems, on one shelf of sites.
    pub fn all(problems: &[Arc<ClusterProblem>], stages: Stages) -> Vec<Arc<dyn Challenge>> {
        let shelf = Arc::new(SiteShelf::default());
        let challenge = |problem: &Arc<ClusterProblem>| {
            Arc::new(ProblemChallenge { problem: problem.clone(), stages, shelf: shelf.clone(), live: None })
                as Arc<dyn Challenge>
        };
        problems.iter().map(challenge).collect()
    }

    /// A problem as a record of it has it: where clients with a clock of their own played it, it is set up at its times.
    pub fn again(problem: &Arc<ClusterProblem>, live: Option<LiveTimes>) -> Arc<dyn Challenge> {
        let (problem, shelf) = (problem.clone(), Arc::default());
        Arc::new(ProblemChallenge { problem, stages: Stages::default(), shelf, live })
    }

    fn scene(&self, seed: u64) -> Result<Arc<ProblemScene>, SceneError> {
        match self.live {
            Some(times) => LiveStaging::again(&self.problem, seed, times).map(Arc::new),
            None => self.shelf.scene(&self.problem, seed),
        }
    }
}

impl Challenge for ProblemChallenge {
    fn id(&self) -> &str {
        &self.problem.id
    }

    fn digest(&self) -> &str {
        &self.problem.digest
    }

    fn has_onlookers(&self) -> bool {
        true
    }

    fn start(&self, seed: u64, noise: Noise, options: EpisodeOptions) -> Result<Box<dyn Playable>, Error> {
        let scene = self.scene(seed);
        let unplayable =
            |why: SceneError| Error::Scenario { task: self.problem.id.clone(), seed, problem: why.to_string() };
        let scene = scene.map_err(unplayable)?;
        Ok(ProblemEpisode::start(&scene, self.stages, options).with_noise(noise.0).into())
    }
}
