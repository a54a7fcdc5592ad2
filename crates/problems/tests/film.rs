//! A played problem before a camera: its pictures show what its cluster was like at every moment.

use std::sync::Arc;

use harness::{Challenge, EpisodeOptions, Noise, Playable};
use problems::{ClusterFilm, ClusterPicture, ClusterProblem, ProblemChallenge, Stages};
use record::{Event, Step};

const PROBLEM: &str = "wrong_service_selector_hotel_reservation";

/// A problem played as its solution has it, with looks in between; its steps and when it ended.
fn played(problem: &Arc<ClusterProblem>, noise: u8) -> (Vec<Step>, u64) {
    let challenge = ProblemChallenge::new(problem, Stages::default());
    let begun = challenge.start(3, Noise(noise), EpisodeOptions::default());
    let mut episode: Box<dyn Playable> = begun.expect("it can be played");
    let (_, key) = episode.answer();
    for line in
        ["kubectl get pods", "promql(up)", "wait(60)"].into_iter().chain(key.solution.iter().map(String::as_str))
    {
        if episode.ending().is_none() {
            episode.step(line, None);
        }
    }
    let record = episode.finish();
    assert!(record.seal().is_some_and(|seal| seal.mitigated));
    let steps = record.events.iter().filter_map(|event| match event {
        Event::Stepped(step) => Some((**step).clone()),
        _ => None,
    });
    let ended = record.events.iter().find_map(|event| match event {
        Event::Ended { time, .. } => Some(*time),
        _ => None,
    });
    (steps.collect(), ended.expect("it ended"))
}

fn pictures(film: &ClusterFilm) -> Vec<(i64, Arc<ClusterPicture>)> {
    film.pictures().map(|(time, picture)| (time, picture.clone())).collect()
}

#[test]
fn a_film_shows_the_trouble_and_how_it_ended() {
    let problem = problems::find(PROBLEM).expect("it is carried");
    let (steps, ended) = played(problem, 0);
    let mut film = ClusterFilm::begin(problem, 3, 0, None).expect("it can be filmed");
    film.follow(&steps);
    film.pass_to(ended + 60_000);
    let first = film.pictures().next().expect("there is a picture");
    assert!(first.0 < film.paged(), "it begins before the page");
    assert_eq!((first.1.troubled(), first.1.failing() < 0.01), (0, true), "all was well at first");
    let (_, paged) = film.at(film.paged()).expect("there is a picture of the page");
    assert!(paged.calls.iter().any(|call| call.failing > 0.5), "calls fail at the page: {:?}", paged.calls);
    let (time, last) = film.at(i64::MAX).expect("there is a last picture");
    assert!(time >= ended as i64 && last.failing() < 0.01, "nothing fails in the end: {}", last.failing());
    assert!(last.pods.len() > 10 && last.nodes.len() > 2);
    let times: Vec<i64> = film.pictures().map(|(time, _)| time).collect();
    assert!(
        times.windows(2).all(|two| two[0] < two[1] && two[1] - two[0] <= 6_000),
        "there is a picture of any moment"
    );
    let told: Vec<i64> = film.events().map(|(time, _)| time).collect();
    assert!(!told.is_empty());
}

#[test]
fn what_is_followed_step_by_step_gives_the_same_pictures() {
    let problem = problems::find(PROBLEM).expect("it is carried");
    for noise in [0, 2] {
        let (steps, ended) = played(problem, noise);
        let begin = || ClusterFilm::begin(problem, 3, noise, None).expect("it can be filmed");
        let (mut whole, mut live) = (begin(), begin());
        whole.follow(&steps);
        whole.pass_to(ended);
        for known in 0..=steps.len() {
            live.follow(&steps[..known]);
        }
        live.pass_to(ended);
        assert_eq!(pictures(&whole), pictures(&live), "noise {noise}");
    }
}
