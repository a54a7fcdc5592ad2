//! Passing disturbances: the same for twins, and no verdict because of them.

use std::sync::Arc;

use harness::{EpisodeOptions, Playable};
use problems::{ProblemEpisode, ProblemScene, SiteShelf, Stages, find};
use record::{Event, Record, Seal};

/// Problems of several layers, each quick to set up.
const IDS: [&str; 3] = ["network_policy_block", "scale_pod_zero_social_net", "misconfig_app_hotel_res"];

fn seal(record: &Record) -> &Seal {
    let sealed = record.events.iter().find_map(|event| match event {
        Event::Sealed(seal) => Some(seal),
        _ => None,
    });
    sealed.expect("a finished record is sealed")
}

/// Waits ten minutes among the disturbances, then does what solves it, or nothing.
fn played(scene: &Arc<ProblemScene>, noise: u8, solved: bool) -> Record {
    let stages = Stages { diagnosis: false, mitigation: true };
    let mut episode = Box::new(ProblemEpisode::start(scene, stages, EpisodeOptions::default()).with_noise(noise));
    episode.step("wait(600)", None);
    for line in scene.problem.file.solution.commands.iter().filter(|_| solved) {
        episode.step(line, None);
    }
    episode.step("submit()", None);
    episode.finish()
}

#[test]
fn no_verdict_changes_because_of_noise_alone() {
    let shelf = SiteShelf::default();
    for id in IDS {
        let scene = shelf.scene(find(id).expect("it is carried"), 0).expect("it can be set up");
        for solved in [true, false] {
            let (quiet, noisy) = (played(&scene, 0, solved), played(&scene, 2, solved));
            assert_eq!((seal(&quiet).mitigated, seal(&noisy).mitigated), (solved, solved), "{id}: {:?}", seal(&noisy));
            assert_ne!(seal(&quiet).world_digest, seal(&noisy).world_digest, "{id}: the noise does something");
        }
    }
}

#[test]
fn twins_have_the_same_noise() {
    let shelf = SiteShelf::default();
    let scene = shelf.scene(find(IDS[0]).expect("it is carried"), 0).expect("it can be set up");
    assert_eq!(played(&scene, 2, true).events, played(&scene, 2, true).events);
}
