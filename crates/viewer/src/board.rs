//! The leaderboard: each agent's figures over the episodes that a filter leaves, with intervals.

use std::collections::BTreeMap;

use harness::grade::{Metrics, Score};
use harness::record::BlindCeiling;
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
    reward: Option<Interval>,
    evidence: Option<Interval>,
    steps: f64,
    marks: f64,
    minutes: Option<f64>,
    harm_avoided: Option<f64>,
    invalid: f64,
    wrong: f64,
    by_difficulty: BTreeMap<String, (u32, u32)>,
    failures: BTreeMap<&'static str, u32>,
}

/// All agents, the best first, those that are not ranked last.
pub fn board(rows: &[EpisodeRow<'_>]) -> Vec<LeaderboardRow> {
    let mut agents: BTreeMap<&str, Vec<EpisodeRow<'_>>> = BTreeMap::new();
    for row in rows {
        agents.entry(&row.line.score.agent).or_default().push(*row);
    }
    let entrants: Vec<Entrant<'_>> = agents.iter().map(|(agent, rows)| entrant(agent, rows)).collect();
    let ranking = stats::rank(&entrants, stats::THRESHOLD);
    let mut rows: Vec<LeaderboardRow> =
        ranking.standings.into_iter().map(|standing| place(&agents[&*standing.agent], standing)).collect();
    let rates = rows.iter().filter_map(|row| Some((&*row.agent, row.success?.point)));
    if let Some(ceiling) = BlindCeiling::of("", rates) {
        for row in &mut rows {
            row.above_blind = row.success.and_then(|success| ceiling.skill(success.point));
            row.blind_ceiling = row.agent == ceiling.agent;
        }
    }
    rows
}

fn entrant<'a>(agent: &str, rows: &[EpisodeRow<'a>]) -> Entrant<'a> {
    Entrant { agent: agent.to_string(), scores: rows.iter().map(|row| &row.line.score).collect(), planned: None }
}

fn place(rows: &[EpisodeRow<'_>], standing: RankedAgent) -> LeaderboardRow {
    let scores: Vec<&Score> = rows.iter().map(|row| &row.line.score).collect();
    let all = || scores.iter().copied();
    let metrics = Metrics::of(all());
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
        reward: stats::mean(all(), |score| Some(score.reward)),
        evidence: stats::mean(all(), |score| Some(score.evidence_coverage)),
        steps: metrics.mean_steps,
        marks: metrics.marks,
        minutes: metrics.mean_minutes_to_resolution,
        harm_avoided: metrics.harm_avoided,
        invalid: metrics.invalid_action_rate,
        wrong: metrics.wrong_remediation_rate,
        by_difficulty: by_difficulty(&scores),
        failures: failures(&scores),
    }
}

/// Per difficulty the successes and the episodes.
fn by_difficulty(scores: &[&Score]) -> BTreeMap<String, (u32, u32)> {
    let mut found: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for score in scores.iter().filter(|score| score.counts()) {
        let entry = found.entry(score.difficulty.clone()).or_default();
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
        let success = places[0].success.expect("there are episodes");
        assert!(success.point == 0.5 && success.low < 0.5 && success.high > 0.5, "{success:?}");
    }
}
