//! Problems that are served for agents with clients of their own, and played as ever by all others.

use std::sync::Arc;

use harness::{Challenge, EpisodeOptions, Error, Noise, Playable};
use problems::{ClusterProblem, ProblemChallenge, ProblemEpisode, Stages};

use crate::serving::ServedEpisode;
use crate::setup::set_up;

/// Minutes of metrics, logs and traces from before the page.
const HISTORY: i64 = 60;

/// A problem that agents can be set to, with clients of their own or without.
pub struct ServedChallenge {
    problem: Arc<ClusterProblem>,
    stages: Stages,
    /// The same for agents without clients.
    plain: Arc<dyn Challenge>,
}

impl ServedChallenge {
    /// These problems.
    pub fn all(problems: &[Arc<ClusterProblem>], stages: Stages) -> Vec<Arc<dyn Challenge>> {
        let plain = ProblemChallenge::all(problems, stages);
        let served = |(problem, plain): (&Arc<ClusterProblem>, Arc<dyn Challenge>)| {
            Arc::new(ServedChallenge { problem: problem.clone(), stages, plain }) as Arc<dyn Challenge>
        };
        problems.iter().zip(plain).map(served).collect()
    }
}

impl Challenge for ServedChallenge {
    fn id(&self) -> &str {
        self.plain.id()
    }

    fn digest(&self) -> &str {
        self.plain.digest()
    }

    fn has_onlookers(&self) -> bool {
        self.plain.has_onlookers()
    }

    fn start(&self, seed: u64, noise: Noise, options: EpisodeOptions) -> Result<Box<dyn Playable>, Error> {
        if !options.clients {
            return self.plain.start(seed, noise, options);
        }
        let unplayable = |problem: String| Error::Scenario { task: self.problem.id.clone(), seed, problem };
        let scene = set_up(&self.problem, seed, HISTORY).map_err(|why| unplayable(why.to_string()))?;
        let episode = ProblemEpisode::start(&Arc::new(scene), self.stages, options).with_noise(noise.0);
        let served = ServedEpisode::open(episode).map_err(|why| unplayable(format!("it cannot be served: {why}")))?;
        Ok(Box::new(served))
    }
}
