//! Setting a problem up for clients with a clock of their own: its past is as long as wanted, and it pages when it shall.

use std::sync::Arc;

use apps::Site;
use cluster::Stamp;
use record::LiveTimes;

use crate::acting::{ActorBook, Watchers};
use crate::perform::pass;
use crate::problem::ClusterProblem;
use crate::scene::{ProblemScene, SceneError, deployed_at};

/// A watched site with the applications of a problem, before the fault.
#[derive(Clone, Debug)]
pub struct LiveStaging {
    problem: Arc<ClusterProblem>,
    seed: u64,
    start: Stamp,
    site: Site,
    actors: ActorBook,
}

impl LiveStaging {
    /// Deploys the applications at a moment and watches them from then on.
    pub fn deploy(problem: &Arc<ClusterProblem>, seed: u64, start: Stamp) -> Result<LiveStaging, SceneError> {
        let site = deployed_at(&problem.file.applications, seed, start)?;
        let actors = ActorBook::default().watched_by(Watchers::servers(site.cluster.now()));
        Ok(LiveStaging { problem: problem.clone(), seed, start, site, actors })
    }

    /// The time there.
    pub fn now(&self) -> Stamp {
        self.site.cluster.now()
    }

    /// Lets time pass without a fault.
    pub fn advance(&mut self, to: Stamp) {
        let now = self.now();
        if to > now {
            pass(&mut self.site, &mut self.actors, to.since(now));
        }
    }

    /// Lets the fault happen now: the scene at its page.
    pub fn page(self) -> Result<ProblemScene, SceneError> {
        let fault = self.now();
        let mut scene = ProblemScene::set_up(&self.problem, self.seed, self.site, self.actors.watchers)?;
        scene.live = Some(LiveTimes { start: self.start.0, fault: fault.0 });
        Ok(scene)
    }

    /// Sets up again what was set up at these times.
    pub fn again(problem: &Arc<ClusterProblem>, seed: u64, times: LiveTimes) -> Result<ProblemScene, SceneError> {
        let mut staging = LiveStaging::deploy(problem, seed, Stamp(times.start))?;
        staging.advance(Stamp(times.fault));
        staging.page()
    }
}
