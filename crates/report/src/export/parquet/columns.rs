//! The columns of the two tables. A new one is one line.

use record::Step;
use record::grade::columns::{self, EpisodeColumn, ValueOf};

use super::table::{ColumnKind, ParquetCell};
use crate::export::{ExportEpisode, json};

/// A column: its name, what it holds, and where that comes from.
pub struct ParquetColumn<Of> {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: ColumnKind,
    /// Its value in a row.
    pub of: Of,
}

type OfEpisode = fn(&ExportEpisode) -> ParquetCell;
type OfStep = fn(&ExportEpisode, &Step) -> ParquetCell;

const fn text<Of>(name: &'static str, of: Of) -> ParquetColumn<Of> {
    ParquetColumn { name, kind: ColumnKind::Text, of }
}

const fn whole<Of>(name: &'static str, of: Of) -> ParquetColumn<Of> {
    ParquetColumn { name, kind: ColumnKind::Whole, of }
}

const fn real<Of>(name: &'static str, of: Of) -> ParquetColumn<Of> {
    ParquetColumn { name, kind: ColumnKind::Real, of }
}

const fn truth<Of>(name: &'static str, of: Of) -> ParquetColumn<Of> {
    ParquetColumn { name, kind: ColumnKind::Truth, of }
}

fn t(value: impl AsRef<str>) -> ParquetCell {
    ParquetCell::Text(Some(value.as_ref().to_string()))
}

/// The name that a value has in records.
fn word(value: impl serde::Serialize) -> ParquetCell {
    ParquetCell::Text(Some(json(&value).trim_matches('"').to_string()))
}

fn n(value: impl Into<u64>) -> ParquetCell {
    ParquetCell::Whole(Some(value.into()))
}

fn r(value: f64) -> ParquetCell {
    ParquetCell::Real(Some(value))
}

fn b(value: bool) -> ParquetCell {
    ParquetCell::Truth(Some(value))
}

/// Of an episode.
pub const EPISODES: &[ParquetColumn<OfEpisode>] = &[
    text("key", |e| t(e.key())),
    text("digest", |e| t(&e.digest)),
    text("agent", |e| t(&e.score.agent)),
    text("model", |e| ParquetCell::Text(e.score.model.as_ref().map(String::from))),
    text("prompt", |e| ParquetCell::Text(e.header().model.as_ref().map(|card| card.prompt.clone()))),
    text("suite", |e| t(&e.score.suite)),
    text("task", |e| t(&e.score.task)),
    text("task_digest", |e| t(&e.header().task.digest)),
    text("family", |e| t(&e.score.family)),
    text("component", |e| t(&e.score.component)),
    text("difficulty", |e| t(&e.score.difficulty)),
    text("split", |e| t(&e.score.split)),
    text("fault", |e| ParquetCell::Text(e.seal().map(|seal| seal.fault.clone()))),
    whole("seed", |e| n(e.score.seed)),
    whole("episode", |e| n(e.score.episode)),
    whole("repeat", |e| n(e.score.repeat)),
    whole("noise", |e| n(e.header().noise)),
    text("tools", |e| t(&e.header().tools)),
    text("incident", |e| t(&e.header().incident)),
    whole("record_version", |e| n(e.header().record_version)),
    whole("world_version", |e| n(e.header().world_version)),
    whole("suite_version", |e| n(e.header().suite_version)),
    text("brief", |e| t(e.page().1)),
    whole("paged_ms", |e| n(e.page().0)),
    whole("ended_ms", |e| n(e.ended())),
    text("end", |e| word(e.score.end)),
    text("ending_class", |e| word(e.score.ending.class)),
    text("ending", |e| t(&e.score.ending.word)),
    text("failure_mode", |e| word(e.score.failure_mode)),
    truth("counts", |e| b(e.score.counts())),
    truth("success", |e| b(e.score.success)),
    real("reward", |e| r(e.score.reward)),
    real("coverage", |e| r(e.score.parts.coverage)),
    truth("root_cause", |e| b(e.score.parts.root_cause)),
    truth("remediation", |e| b(e.score.parts.remediation)),
    truth("resolution", |e| b(e.score.parts.resolution)),
    real("efficiency", |e| r(e.score.parts.efficiency)),
    whole("penalty_hundredths", |e| n(e.score.parts.penalty)),
    whole("steps", |e| n(e.score.steps)),
    whole("budget", |e| n(e.score.budget)),
    whole("invalid_actions", |e| n(e.score.invalid_actions)),
    whole("right_remediations", |e| n(e.score.right_remediations)),
    whole("wrong_remediations", |e| n(e.score.wrong_remediations)),
    whole("undone_remediations", |e| n(e.score.undone_remediations)),
    whole("distractor_remediations", |e| n(e.score.distractor_remediations)),
    truth("has_distractors", |e| b(e.score.has_distractors)),
    truth("premature_resolution", |e| b(e.score.premature_resolution)),
    truth("fix_identified", |e| b(e.score.fix_identified)),
    truth("correct_service", |e| b(e.score.correct_service)),
    real("minutes_to_resolution", |e| ParquetCell::Real(e.score.minutes_to_resolution)),
    real("impact", |e| r(e.score.impact)),
    real("impact_untouched", |e| r(e.score.impact_untouched)),
    real("harm_avoided", |e| ParquetCell::Real(e.score.harm_avoided)),
    truth("recovery_undone", |e| ParquetCell::Truth(e.score.recovery.and_then(|recovery| recovery.undone))),
    truth("recovery_resolved", |e| ParquetCell::Truth(e.score.recovery.map(|recovery| recovery.resolved))),
    whole("recovery_steps", |e| {
        ParquetCell::Whole(e.score.recovery.and_then(|recovery| recovery.steps).map(u64::from))
    }),
    real("remediation_specificity", |e| ParquetCell::Real(e.score.remediation_specificity)),
    whole("model_calls", |e| n(e.score.model_calls)),
    whole("input_tokens", |e| ParquetCell::Whole(e.score.usage.map(|usage| usage.input))),
    whole("output_tokens", |e| ParquetCell::Whole(e.score.usage.map(|usage| usage.output))),
    whole("reasoning_tokens", |e| ParquetCell::Whole(e.score.usage.map(|usage| usage.reasoning))),
    whole("cached_tokens", |e| ParquetCell::Whole(e.score.usage.map(|usage| usage.cached))),
    real("cost_usd", |e| ParquetCell::Real(e.score.cost_usd)),
];

/// Metrics that are read from the record and have no column above.
pub fn metrics() -> impl Iterator<Item = &'static EpisodeColumn> {
    columns::of_episodes().map(|(_, column)| column).filter(|column| matches!(column.value, ValueOf::Record(_)))
}

/// The value of such a metric.
pub fn metric(column: &EpisodeColumn, entry: &ExportEpisode) -> ParquetCell {
    ParquetCell::Real(column.of(&entry.score))
}

/// Of a step. `digest` finds its episode even where several runs played the same one.
pub const STEPS: &[ParquetColumn<OfStep>] = &[
    text("key", |e, _| t(e.key())),
    text("digest", |e, _| t(&e.digest)),
    text("agent", |e, _| t(&e.score.agent)),
    text("task", |e, _| t(&e.score.task)),
    whole("seed", |e, _| n(e.score.seed)),
    whole("repeat", |e, _| n(e.score.repeat)),
    whole("step", |_, s| n(s.index)),
    whole("time_ms", |_, s| n(s.time)),
    whole("took_ms", |_, s| n(s.took)),
    text("text", |_, s| t(&s.text)),
    text("call", |_, s| ParquetCell::Text(s.call.clone())),
    text("tool", |_, s| t(&s.tool)),
    text("args", |_, s| t(json(&s.args))),
    text("observation", |_, s| t(&s.observation)),
    text("invalid", |_, s| ParquetCell::Text(s.invalid.clone())),
    text("facts", |_, s| t(json(&s.facts))),
    text("touched", |_, s| t(json(&s.touched))),
    truth("fixed", |_, s| b(s.fixed)),
    real("reward", |_, s| r(s.reward)),
    whole("model_calls", |_, s| ParquetCell::Whole(s.model.as_ref().map(|turn| turn.calls.into()))),
    text("output", |_, s| ParquetCell::Text(s.model.as_ref().map(|turn| turn.output.clone()))),
    text("reasoning", |_, s| ParquetCell::Text(s.model.as_ref().and_then(|turn| turn.reasoning.clone()))),
    whole("input_tokens", |_, s| ParquetCell::Whole(s.model.as_ref().map(|turn| turn.usage.input))),
    whole("output_tokens", |_, s| ParquetCell::Whole(s.model.as_ref().map(|turn| turn.usage.output))),
    whole("reasoning_tokens", |_, s| ParquetCell::Whole(s.model.as_ref().map(|turn| turn.usage.reasoning))),
    whole("cached_tokens", |_, s| ParquetCell::Whole(s.model.as_ref().map(|turn| turn.usage.cached))),
    real("cost_usd", |_, s| ParquetCell::Real(s.model.as_ref().and_then(|turn| turn.cost_usd))),
];
