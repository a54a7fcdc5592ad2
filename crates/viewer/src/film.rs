//! The cluster of an episode in pictures: the episode is played again before a camera, and any moment can be asked for.
//! Episodes under way are followed as their steps come in.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use harness::suites::SUITE_VERSION;
use harness::{Record, WORLD_VERSION};
use problems::{ClusterFilm, ClusterPicture};
use record::folder::{LiveEpisode, read_live};
use record::{Event, Step};
use serde_json::{Value, json};

use super::ask::ViewRefusal;
use super::library::StoredRun;

/// So many films are kept: a person looks at one or two.
const KEPT: usize = 4;
/// The latest events that are told.
const MOST_EVENTS: usize = 2000;
/// As much of an answer stands beside the cluster; all of it stands in the record.
const LONGEST: usize = 6000;

/// The films that were made.
#[derive(Default)]
pub struct FilmShelf {
    films: Mutex<VecDeque<(FilmOf, SharedFilm)>>,
}

/// Which episode a film is of.
type FilmOf = (String, String, LiveEpisode);

/// A film, once it is made, that several may look at.
type SharedFilm = Arc<Mutex<Option<ClusterFilm>>>;

/// What is known of an episode: what is played, its steps so far, and when it ended, if it has.
struct Course {
    about: LiveEpisode,
    steps: Vec<Step>,
    ended: Option<u64>,
}

impl FilmShelf {
    /// The whole film without its pictures: what was typed, what was told, and how many pods were in trouble when.
    pub fn film(&self, run: &StoredRun, key: &str) -> Result<Value, ViewRefusal> {
        let course = course(run, key)?;
        self.with(run, key, &course, |film| {
            let moments: Vec<_> = film.pictures().collect();
            let events: Vec<Value> =
                film.events().map(|(time, event)| json!({ "time": time, "event": event })).collect();
            json!({
                "run": run.id,
                "key": key,
                "agent": course.about.agent,
                "task": course.about.task,
                "under_way": course.ended.is_none(),
                "paged": film.paged(),
                "ended": course.ended,
                "edges": edges(&moments),
                "times": moments.iter().map(|(time, _)| *time).collect::<Vec<_>>(),
                "troubled": moments.iter().map(|(_, picture)| picture.troubled()).collect::<Vec<_>>(),
                "failing": moments.iter().map(|(_, picture)| short(picture.failing())).collect::<Vec<_>>(),
                "steps": course.steps.iter().map(typed).collect::<Vec<_>>(),
                "events": &events[events.len().saturating_sub(MOST_EVENTS)..],
            })
        })
    }

    /// The cluster at a moment.
    pub fn at(&self, run: &StoredRun, key: &str, moment: i64) -> Result<Value, ViewRefusal> {
        let picture = self.with(run, key, &course(run, key)?, |film| {
            film.at(moment).map(|(time, picture)| json!({ "time": time, "picture": **picture }))
        })?;
        picture.ok_or_else(|| ViewRefusal::missing("there is no picture of that moment"))
    }

    fn with<T>(
        &self,
        run: &StoredRun,
        key: &str,
        course: &Course,
        look: impl FnOnce(&ClusterFilm) -> T,
    ) -> Result<T, ViewRefusal> {
        let slot = self.slot((run.id.clone(), key.to_string(), course.about.clone()));
        // One film is made once, however many ask for it; others are looked at meanwhile.
        let mut film = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if film.is_none() {
            *film = Some(begin(&course.about)?);
        }
        let film = film.as_mut().expect("it was made if it was not there");
        film.follow(&course.steps);
        if let Some(ended) = course.ended {
            film.pass_to(ended);
        }
        Ok(look(film))
    }

    fn slot(&self, of: FilmOf) -> Arc<Mutex<Option<ClusterFilm>>> {
        let mut films = self.films.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, film)) = films.iter().find(|(known, _)| *known == of) {
            return film.clone();
        }
        let film = Arc::default();
        films.push_front((of, Arc::clone(&film)));
        films.truncate(KEPT);
        film
    }
}

fn begin(about: &LiveEpisode) -> Result<ClusterFilm, ViewRefusal> {
    let none = || ViewRefusal::failed(format!("`{}` is no problem in a cluster that this program has", about.task));
    let problem = problems::find(&about.task).ok_or_else(none)?;
    if problem.digest != about.digest {
        let why = format!("the problem `{}` has changed since the episode was played; run it again", about.task);
        return Err(ViewRefusal::failed(why));
    }
    ClusterFilm::begin(problem, about.seed, about.noise, about.live).map_err(ViewRefusal::failed)
}

/// From the record of an episode that is over, or from the steps of one that is under way.
fn course(run: &StoredRun, key: &str) -> Result<Course, ViewRefusal> {
    let is_over = run.index()?.find(key).is_some();
    match is_over {
        true => recorded(run, key),
        false => {
            let (about, steps) = read_live(&run.live(key)?)
                .ok_or_else(|| ViewRefusal::missing(format!("`{key}` has not begun yet, or is over just now")))?;
            Ok(Course { about, steps, ended: None })
        }
    }
}

fn recorded(run: &StoredRun, key: &str) -> Result<Course, ViewRefusal> {
    let (_, path, text) = run.record(key)?;
    let record = Record::parse(&path, &text).map_err(ViewRefusal::failed)?;
    let header = record.header().ok_or_else(|| ViewRefusal::failed("the record has no header; run it again"))?;
    let (then, now) = ((header.world_version, header.suite_version), (WORLD_VERSION, SUITE_VERSION));
    if then != now {
        return Err(ViewRefusal::failed("the episode was played with another version of the program; run it again"));
    }
    let about = LiveEpisode {
        task: header.task.id.clone(),
        digest: header.task.digest.clone(),
        seed: header.seed,
        noise: header.noise,
        agent: header.agent.clone(),
        live: header.task.problem.as_ref().and_then(|card| card.live),
    };
    let (mut steps, mut ended) = (Vec::new(), None);
    for event in record.events {
        match event {
            Event::Stepped(step) => steps.push(*step),
            Event::Ended { time, .. } => ended = Some(time),
            _ => {}
        }
    }
    Ok(Course { about, steps, ended })
}

/// A step as it stands beside the cluster.
fn typed(step: &Step) -> Value {
    let end = step.observation.char_indices().nth(LONGEST).map_or(step.observation.len(), |(at, _)| at);
    json!({
        "index": step.index,
        "time": step.time,
        "took": step.took,
        "text": step.call.as_ref().unwrap_or(&step.text),
        "tool": step.tool,
        "invalid": step.invalid.is_some(),
        "observation": &step.observation[..end],
        "is_cut": end < step.observation.len(),
    })
}

/// Everyone who called anyone at any moment: places on a map stay where they are.
fn edges<'f>(moments: &[(i64, &'f Arc<ClusterPicture>)]) -> BTreeSet<(&'f str, &'f str)> {
    let calls = moments.iter().flat_map(|(_, picture)| &picture.calls);
    calls.map(|call| (call.from.as_str(), call.to.as_str())).collect()
}

fn short(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}
