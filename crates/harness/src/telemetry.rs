//! What the instruments showed during an episode, beside the untouched twin and the twin
//! that nothing hit. A record is played again for it: none of this is stored.

use std::sync::Arc;

use serde::Serialize;
use world::{Noise, Span, Time, World};

use crate::episode::{Episode, EpisodeOptions};
use crate::error::Error;
use crate::record::Header;
use crate::record::{Record, RecordError};
use crate::replay::{self, wait_until};
use crate::scenario::{Scenario, ScenarioCache, WINDOW};
use crate::task::Task;

/// Series begin so long before the onset, so that one sees what is usual.
const BEFORE: Span = Span::mins(5);

/// All series of an episode, from some minutes before the onset to the end of the verification window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Telemetry {
    /// World time of the onset, in milliseconds, as all times here.
    pub onset: u64,
    /// When the alert paged.
    pub paged: u64,
    /// When the agent took over.
    pub begin: u64,
    /// When the episode ended.
    pub ended: u64,
    /// When the verification window ended.
    pub verified: u64,
    /// From when on no error rate and no latency differed from the healthy twin's any more.
    pub recovered: Option<u64>,
    /// When the samples were taken.
    pub times: Vec<u64>,
    /// One entry per service.
    pub services: Vec<ServiceSeries>,
}

/// The series of one service.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServiceSeries {
    /// Its name.
    pub name: String,
    /// One entry per metric.
    pub metrics: Vec<MetricSeries>,
}

/// One metric over time, in three courses of events; `None` where a scrape was lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricSeries {
    /// Its name.
    pub name: &'static str,
    /// Its unit, as written behind a value.
    pub unit: &'static str,
    /// What it tells of.
    pub aspect: Aspect,
    /// The mean over the healthy past.
    pub usual: f64,
    /// How far from the usual still means nothing.
    pub slack: f64,
    /// In the episode.
    pub episode: Vec<Option<f64>>,
    /// Without any action.
    pub untouched: Vec<Option<f64>>,
    /// Had nothing broken.
    pub healthy: Vec<Option<f64>>,
}

/// What a metric tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// What fails.
    Errors,
    /// What takes time.
    Latency,
    /// What arrives.
    Load,
    /// What there is to serve it with.
    Capacity,
}

/// Plays a record again and reads the instruments of all three worlds.
pub fn telemetry(record: &Record, task: &Arc<Task>, scenarios: &ScenarioCache) -> Result<Telemetry, Error> {
    let header = record.header().ok_or_else(|| RecordError::Replay("the record has no header".to_string()))?;
    replay::fits(header, &task.digest)?;
    let scenario = scenarios.get(task, header.seed, Noise(header.noise))?;
    let (world, ended) = play(record, header, &scenario)?;
    let (untouched, healthy) = (scenario.at_page().clone(), scenario.before_it_broke());
    let courses = [world, untouched, healthy].map(|mut course| {
        // In the ticks of play: in longer ones courses that differ would be scraped at other times.
        course.run_until(ended + WINDOW);
        course
    });
    Ok(read(&scenario, ended, &courses))
}

/// The world at the end of the episode.
fn play(record: &Record, header: &Header, scenario: &Arc<Scenario>) -> Result<(World, Time), Error> {
    let tools = header.tools.parse().map_err(|e: faces::UnknownToolSet| RecordError::Replay(e.to_string()))?;
    let mut episode = Episode::start(scenario, EpisodeOptions { tools, ..EpisodeOptions::default() });
    for step in record.steps() {
        wait_until(&mut episode, step.time);
        episode.step(&step.text);
    }
    Ok((episode.world().clone(), episode.clock()))
}

fn read(scenario: &Scenario, ended: Time, courses: &[World; 3]) -> Telemetry {
    let window = (scenario.onset().back(BEFORE), ended + WINDOW);
    let services: Vec<ServiceSeries> =
        (0..courses[0].plan().services.len()).map(|service| service_series(service, window, courses)).collect();
    let times = times(window, &courses[0]);
    Telemetry {
        onset: scenario.onset().0,
        paged: scenario.page().time.0,
        begin: scenario.begin().0,
        ended: ended.0,
        verified: window.1.0,
        recovered: recovered(&times, scenario.begin().0, &services),
        services,
        times,
    }
}

fn times((from, to): (Time, Time), world: &World) -> Vec<u64> {
    let mut times: Vec<u64> = world.history().newest_first(from, to).map(|row| row.time.0).collect();
    times.reverse();
    times
}

fn service_series(service: usize, (from, to): (Time, Time), courses: &[World; 3]) -> ServiceSeries {
    let info = &courses[0].plan().services[service];
    let metric = |(metric, band): (&world::services::Metric, world::Band)| {
        let samples = |world: &World| {
            let samples = world.view().series(service, metric.name, from, to).unwrap_or_default();
            samples.into_iter().map(|(_, value)| value.map(shortened)).collect()
        };
        MetricSeries {
            name: metric.name,
            unit: metric.unit.text(),
            aspect: aspect(metric),
            usual: shortened(band.usual),
            slack: shortened(band.slack),
            episode: samples(&courses[0]),
            untouched: samples(&courses[1]),
            healthy: samples(&courses[2]),
        }
    };
    ServiceSeries {
        name: info.name.to_string(),
        metrics: info.kind.metrics().iter().zip(courses[0].usual(service)).map(metric).collect(),
    }
}

fn aspect(metric: &world::services::Metric) -> Aspect {
    use world::services::Unit::{Count, Millis, PerMinute, PerSecond, Percent, Ratio};
    match metric.unit {
        Millis => Aspect::Latency,
        PerSecond | PerMinute => Aspect::Load,
        Ratio if !metric.better_high => Aspect::Errors,
        Ratio | Percent | Count => Aspect::Capacity,
    }
}

/// The first sample after which users' troubles were over for good.
fn recovered(times: &[u64], begin: u64, services: &[ServiceSeries]) -> Option<u64> {
    let felt = |m: &&MetricSeries| matches!(m.aspect, Aspect::Errors | Aspect::Latency);
    let metrics: Vec<&MetricSeries> = services.iter().flat_map(|s| &s.metrics).filter(felt).collect();
    let differs = |at: usize| {
        let apart = |m: &&MetricSeries| match (m.episode.get(at), m.healthy.get(at)) {
            (Some(Some(one)), Some(Some(other))) => (one - other).abs() > m.slack,
            _ => false,
        };
        metrics.iter().any(apart)
    };
    let last_bad = (0..times.len()).rev().find(|at| differs(*at))?;
    times.get(last_bad + 1).copied().filter(|time| *time > begin)
}

/// Four digits are more than a chart can show.
fn shortened(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::task;

    fn of(calls: &[&str]) -> Telemetry {
        let cache = ScenarioCache::new(1);
        let scenario = cache.get(&task(), 1, Noise(0)).expect("it pages");
        let mut episode = Episode::start(&scenario, EpisodeOptions::default());
        for call in calls {
            episode.step(call);
        }
        telemetry(&episode.finish(), &task(), &cache).expect("it plays again")
    }

    #[test]
    fn an_episode_that_did_nothing_is_the_untouched_twin() {
        let found = of(&["check_status(cache)"]);
        assert!(found.onset < found.paged && found.paged <= found.begin && found.ended < found.verified);
        for metric in found.services.iter().flat_map(|s| &s.metrics) {
            assert_eq!(metric.episode, metric.untouched, "{}", metric.name);
            assert_eq!(metric.episode.len(), found.times.len());
            assert_eq!(metric.healthy.len(), found.times.len());
        }
        assert_eq!(found.recovered, None);
    }

    #[test]
    fn a_solved_episode_recovers_after_it_began() {
        let cache = ScenarioCache::new(1);
        let scenario = cache.get(&task(), 1, Noise(0)).expect("it pages");
        let solution = scenario.solution();
        let found = of(&solution.iter().map(String::as_str).collect::<Vec<_>>());
        let recovered = found.recovered.expect("the fix works");
        assert!(found.begin < recovered && recovered <= found.verified, "{recovered}");
        let moved = found.services.iter().flat_map(|s| &s.metrics).any(|m| m.episode != m.untouched);
        assert!(moved, "the fix shows");
    }

    #[test]
    fn a_record_of_another_task_file_is_refused() {
        let cache = ScenarioCache::new(1);
        let scenario = cache.get(&task(), 1, Noise(0)).expect("it pages");
        let record = Episode::start(&scenario, EpisodeOptions::default()).finish();
        let other = Arc::new(task().with(|task| task.digest = "another".into()));
        let error = telemetry(&record, &other, &cache).expect_err("it is another file").to_string();
        assert!(error.contains("has changed since the record was written"), "{error}");
    }
}
