//! The leaderboard: each agent's figures over the episodes that a filter leaves, with intervals.

use std::collections::BTreeMap;

use harness::grade::columns::{self, MetricColumn};
use harness::grade::{Metrics, Score};
use harness::record::BlindCeiling;
use report::clusters;
use report::stats::{self, Entrant, Interval, RankedAgent};
use serde::Serialize;

use super::filter::EpisodeRow;

/// One agent's figures.
#[derive(Debug, Serialize)]
pub struct LeaderboardRow {
    agent: String,
    /// Shared by those who cannot be told apart; `None` if too little was measured.
    rank: Option<u32>,
    /// Why there is no rank.
    unranked: Option<String>,
    coverage: f64,
    /// Episodes that count, and those whose provider failed.
    episodes: u32,
    missing: u32,
    runs: Vec<String>,
    success: Option<Interval>,
    /// The part of what the best blind agent leaves over; `None` where none was played.
    above_blind: Option<f64>,
    /// Whether it is the best of those that look at no symptom.
    blind_ceiling: bool,
    /// The metrics of [`columns`], in their order.
    figures: Vec<BoardFigure>,
    /// By difficulty and by family: successes and episodes.
    groups: BTreeMap<&'static str, BTreeMap<String, (u32, u32)>>,
    failures: BTreeMap<&'static str, u32>,
    /// What its models read and wrote, in all episodes; `None` if none was asked.
    tokens: Option<u64>,
    /// The same in US dollars; `None` if a price is not known.
    cost_usd: Option<f64>,
}

/// A metric over an agent's episodes, with its interval where reports give one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BoardFigure {
    value: Option<f64>,
    interval: Option<Interval>,
}

/// The metrics of the leaderboard, from the left: those of the table at the end of a run, for what was played. Success
/// has a column of its own.
pub fn columns(rows: &[EpisodeRow<'_>]) -> Vec<&'static MetricColumn> {
    let questions = rows.iter().any(|row| row.line.score.question.is_some());
    let incidents = rows.iter().any(|row| row.line.score.question.is_none());
    let in_clusters = clusters::is_all(rows.iter().map(|row| &row.line.score));
    let is_measured = |column: &&MetricColumn| !in_clusters || clusters::measures(column);
    let of_these =
        columns::ALL.iter().copied().filter(|column| column.is_shown(questions, incidents)).filter(is_measured);
    let mut placed: Vec<(u8, &MetricColumn)> =
        of_these.filter_map(|column| Some((column.terminal?.0, column))).filter(|(_, c)| c.name != SUCCESS).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, column)| column).collect()
}

/// The metric that agents are ranked by.
const SUCCESS: &str = "success_rate";

/// All agents, the best first, those that are not ranked last.
pub fn board(rows: &[EpisodeRow<'_>]) -> Vec<LeaderboardRow> {
    let mut agents: BTreeMap<&str, Vec<EpisodeRow<'_>>> = BTreeMap::new();
    for row in rows {
        agents.entry(&row.line.score.agent).or_default().push(*row);
    }
    let entrants: Vec<Entrant<'_>> = agents.iter().map(|(agent, rows)| entrant(agent, rows)).collect();
    let ranking = stats::rank(&entrants, stats::THRESHOLD);
    let columns = columns(rows);
    let placed = |standing: RankedAgent| place(&agents[&*standing.agent], standing, &columns);
    let mut rows: Vec<LeaderboardRow> = ranking.standings.into_iter().map(placed).collect();
    let rates = rows.iter().filter_map(|row| Some((&*row.agent, row.success?.point)));
    if let Some(ceiling) = BlindCeiling::of("", rates) {
        for row in &mut rows {
            row.above_blind = row.success.and_then(|success| ceiling.skill(success.point));
            row.blind_ceiling = row.agent == ceiling.agent;
        }
    }
    rows
}

/// Each episode once: two runs may hold the same one, and it must not weigh double. One with a result goes before one
/// without.
pub fn once<'a>(rows: &[EpisodeRow<'a>]) -> Vec<EpisodeRow<'a>> {
    let mut found: BTreeMap<_, EpisodeRow<'a>> = BTreeMap::new();
    for row in rows {
        let line = row.line;
        let versions = (line.world_version, line.suite_version);
        let same = (line.key.as_str(), line.task_digest.as_str(), versions, line.noise, line.tools.as_str());
        let kept = found.entry(same).or_insert(*row);
        if !kept.line.score.counts() && line.score.counts() {
            *kept = *row;
        }
    }
    found.into_values().collect()
}

fn entrant<'a>(agent: &str, rows: &[EpisodeRow<'a>]) -> Entrant<'a> {
    Entrant { agent: agent.to_string(), scores: rows.iter().map(|row| &row.line.score).collect(), planned: None }
}

fn place(rows: &[EpisodeRow<'_>], standing: RankedAgent, columns: &[&MetricColumn]) -> LeaderboardRow {
    let scores: Vec<&Score> = rows.iter().map(|row| &row.line.score).collect();
    let metrics = Metrics::of(scores.iter().copied());
    let mut runs: Vec<String> = rows.iter().map(|row| row.run.to_string()).collect();
    runs.sort();
    runs.dedup();
    LeaderboardRow {
        agent: standing.agent,
        rank: standing.rank,
        unranked: standing.refused,
        coverage: standing.coverage.share,
        episodes: metrics.episodes,
        missing: metrics.provider_failures,
        runs,
        success: standing.success,
        above_blind: None,
        blind_ceiling: false,
        figures: columns.iter().map(|column| figure(column, &metrics, &scores)).collect(),
        groups: BTreeMap::from([
            ("difficulty", grouped(&scores, |score| &score.difficulty)),
            ("family", grouped(&scores, |score| &score.family)),
        ]),
        failures: failures(&scores),
        tokens: (metrics.model_calls > 0).then(|| metrics.usage.total()),
        cost_usd: metrics.cost_usd,
    }
}

/// A metric over the episodes that it tells something of.
fn figure(column: &MetricColumn, metrics: &Metrics, scores: &[&Score]) -> BoardFigure {
    let told = clusters::measured(column, scores);
    let own = (told.len() < scores.len()).then(|| Metrics::of(told.iter().copied()));
    let metrics = own.as_ref().unwrap_or(metrics);
    let value = column.of(metrics).filter(|_| metrics.episodes > 0);
    let interval = if column.has_interval && value.is_some() { stats::estimate(column, &told) } else { None };
    BoardFigure { value, interval }
}

/// Of each group the successes and the episodes.
fn grouped(scores: &[&Score], group: impl Fn(&Score) -> &str) -> BTreeMap<String, (u32, u32)> {
    let mut found: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for score in scores.iter().filter(|score| score.counts()) {
        let entry = found.entry(group(score).to_string()).or_default();
        *entry = (entry.0 + u32::from(score.success), entry.1 + 1);
    }
    found
}

fn failures(scores: &[&Score]) -> BTreeMap<&'static str, u32> {
    let mut found = BTreeMap::new();
    for score in scores {
        *found.entry(score.failure_mode.name()).or_default() += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::stage::line;
    use super::*;
    use harness::record::EndReason;
    use harness::sweep::EpisodeLine;

    #[test]
    fn missing_episodes_are_in_no_rate_and_the_best_comes_first() {
        let mut lines: Vec<EpisodeLine> = (0..4).map(|n| line(if n < 2 { "idle" } else { "steady" }, n)).collect();
        lines[1].score.end = EndReason::ProviderFailed;
        lines[2].score.success = true;
        let rows: Vec<EpisodeRow<'_>> = lines.iter().map(|line| EpisodeRow { run: "nightly", line }).collect();
        let places = board(&rows);
        assert_eq!(places.iter().map(|p| &*p.agent).collect::<Vec<_>>(), ["steady", "idle"]);
        assert_eq!((places[1].episodes, places[1].missing), (1, 1));
        let names: Vec<&str> = columns(&rows).iter().map(|column| column.name).collect();
        assert!(names.contains(&"mean_reward") && !names.contains(&SUCCESS), "{names:?}");
        assert!(places.iter().all(|place| place.figures.len() == names.len()));
        let success = places[0].success.expect("there are episodes");
        assert!(success.point == 0.5 && success.low < 0.5 && success.high > 0.5, "{success:?}");
    }

    #[test]
    fn intervals_stay_within_the_bounds_of_their_figure() {
        let mut lines: Vec<EpisodeLine> = (0..4).map(|n| line("idle", n)).collect();
        for (n, line) in lines.iter_mut().enumerate() {
            line.score.family = format!("family-{n}").into();
            line.score.reward = if n == 0 { 1.0 } else { 0.0 };
            (line.score.steps, line.score.invalid_actions) = (4, if n == 0 { 4 } else { 0 });
        }
        let rows: Vec<EpisodeRow<'_>> = lines.iter().map(|line| EpisodeRow { run: "nightly", line }).collect();
        let columns = columns(&rows);
        let places = board(&rows);
        for name in ["mean_reward", "invalid_action_rate"] {
            let at = columns.iter().position(|column| column.name == name).expect("it is a column");
            let interval = places[0].figures[at].interval.expect("reports give one");
            assert_eq!(Some(interval.point), places[0].figures[at].value, "{name}: of the same figure");
            assert!(interval.low >= 0.0 && interval.high <= 1.0, "{name}: {interval:?}");
        }
        assert_eq!((places[0].tokens, places[0].cost_usd), (None, None), "no model was asked");
    }

    #[test]
    fn an_episode_that_two_runs_hold_counts_once_and_with_its_result() {
        let (mut failed, played, noisy) = (line("steady", 1), line("steady", 1), line("steady", 1));
        failed.score.end = EndReason::ProviderFailed;
        let noisy = EpisodeLine { noise: 2, ..noisy };
        let lines = [("a", &failed), ("b", &played), ("c", &played), ("d", &noisy)];
        let rows: Vec<EpisodeRow<'_>> = lines.iter().map(|&(run, line)| EpisodeRow { run, line }).collect();
        assert_eq!(once(&rows).iter().map(|row| row.run).collect::<Vec<_>>(), ["b", "d"]);
    }
}
