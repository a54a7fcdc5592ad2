//! A stored or running episode played again before a camera: any moment of it can be looked at.

use std::sync::Arc;

use cluster::Stamp;
use exporters::{ClusterPicture, EventPicture};
use harness::{EpisodeOptions, Playable, Span};
use record::{LiveTimes, Step};

use crate::acting::Watchers;
use crate::play::ProblemEpisode;
use crate::problem::ClusterProblem;
use crate::scene::{ProblemScene, SceneError, deployed};
use crate::stages::Stages;
use crate::staging::LiveStaging;

/// An episode in pictures. Its times are milliseconds since the fault, as in records; what was before has negative ones.
pub struct ClusterFilm {
    episode: ProblemEpisode,
    followed: usize,
}

impl ClusterFilm {
    /// The problem of an episode from before the fault to the page; where clients with a clock of their own played it, the page.
    pub fn begin(
        problem: &Arc<ClusterProblem>,
        seed: u64,
        noise: u8,
        live: Option<LiveTimes>,
    ) -> Result<ClusterFilm, SceneError> {
        let scene = match live {
            Some(times) => LiveStaging::again(problem, seed, times)?,
            None => ProblemScene::prepare(problem, seed, deployed(&problem.file.applications, seed)?)?,
        };
        let scene = Arc::new(scene);
        let mut episode = ProblemEpisode::start(&scene, Stages::default(), EpisodeOptions::default());
        match live {
            // The four servers are not asked again: pictures show the cluster, not what was answered.
            Some(_) => episode.actors.watchers = Watchers::camera(),
            None => episode.actors = scene.filmed_actors(),
        }
        let mut film = ClusterFilm { episode: episode.with_noise(noise), followed: 0 };
        film.look();
        Ok(film)
    }

    /// Does what was done since it was last followed. `steps` are all steps so far.
    pub fn follow(&mut self, steps: &[Step]) {
        for step in steps.iter().skip(self.followed) {
            self.pass_to(step.time);
            self.episode.step(&step.text, None);
            self.look();
        }
        self.followed = self.followed.max(steps.len());
    }

    /// Lets time pass until then.
    pub fn pass_to(&mut self, millis: u64) {
        let missing = millis.saturating_sub(self.episode.now());
        if missing > 0 {
            self.episode.pass(Span(missing));
        }
        self.look();
    }

    fn look(&mut self) {
        self.episode.actors.look(&self.episode.site);
    }

    /// When the agent was called.
    pub fn paged(&self) -> i64 {
        self.millis(self.episode.scene.broken.cluster.now())
    }

    /// Every picture with its time, the oldest first.
    pub fn pictures(&self) -> impl Iterator<Item = (i64, &Arc<ClusterPicture>)> {
        let camera = self.episode.actors.watchers.camera.iter();
        camera.flat_map(|camera| camera.pictures()).map(|(time, picture)| (self.millis(*time), picture))
    }

    /// The picture of a moment, with the time at which it was taken.
    pub fn at(&self, millis: i64) -> Option<(i64, &Arc<ClusterPicture>)> {
        let moment = Stamp(self.episode.scene.onset.0.saturating_add(millis.saturating_mul(1000)));
        let (time, picture) = self.episode.actors.watchers.camera.as_ref()?.at(moment)?;
        Some((self.millis(time), picture))
    }

    /// Every event with its time, in order.
    pub fn events(&self) -> impl Iterator<Item = (i64, &Arc<EventPicture>)> {
        let camera = self.episode.actors.watchers.camera.iter();
        camera.flat_map(|camera| camera.events()).map(|event| (self.millis(Stamp(event.at)), event))
    }

    fn millis(&self, time: Stamp) -> i64 {
        (time.0 - self.episode.scene.onset.0).div_euclid(1000)
    }
}
