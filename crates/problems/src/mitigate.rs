//! The verdict on command lines: what right and wrong mitigations of problem files are tested with.

use std::sync::Arc;
use std::time::Duration;

use harness::{EpisodeOptions, Playable};
use record::Check;

use crate::perform::pass;
use crate::play::ProblemEpisode;
use crate::scene::ProblemScene;
use crate::stages::Stages;
use crate::verdict::judge;

/// How long what was done has to take effect before it is submitted.
const SETTLED: Duration = Duration::from_secs(60);

/// Runs command lines as an agent would, one step each, and judges what they leave.
pub fn verdict_on(scene: &Arc<ProblemScene>, commands: &[String]) -> Vec<Check> {
    let stages = Stages { diagnosis: false, mitigation: true };
    let mut episode = ProblemEpisode::start(scene, stages, EpisodeOptions::default());
    for line in commands {
        episode.step(line, None);
    }
    let (mut site, mut actors) = episode.left();
    pass(&mut site, &mut actors, SETTLED);
    judge(scene, &site, &actors)
}
