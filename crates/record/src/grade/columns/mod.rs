//! Metrics, each as one value: its name, how it is computed, how it is shown, what it means. Tables, pages, intervals,
//! exports, the viewer and the documents are made from [`ALL`]. To add one, write a file beside this one and list it.

mod beyond;
mod outcome;
mod published;
mod questions;

use super::metrics::Metrics;
use super::score::{EpisodeStory, Score};

/// All metrics, in the order in which they are listed.
pub const ALL: &[&MetricColumn] = &[
    &published::MARKS,
    &published::SUCCESS_RATE,
    &published::MEAN_REWARD,
    &published::EVIDENCE_COVERAGE,
    &outcome::HEALED_RATE,
    &outcome::CLEAN_RATE,
    &outcome::EVIDENCE_BEFORE_FIX,
    &published::ROOT_CAUSE_RATE,
    &outcome::CAUSES_IDENTIFIED,
    &published::FIX_RATE,
    &published::CORRECT_SERVICE_RATE,
    &published::CORRECT_REMEDIATION_RATE,
    &published::REMEDIATION_PRECISION,
    &beyond::REMEDIATION_SPECIFICITY,
    &beyond::DISTRACTOR_ROBUSTNESS,
    &beyond::RECOVERY_RATE,
    &beyond::UNDO_RATE,
    &beyond::MEAN_RECOVERY_STEPS,
    &beyond::STEP_EFFICIENCY,
    &published::MEAN_STEPS,
    &published::WRONG_REMEDIATION_RATE,
    &published::DISTRACTOR_FAILURE_RATE,
    &published::PREMATURE_RESOLUTION_RATE,
    &published::INVALID_ACTION_RATE,
    &beyond::MEAN_IMPACT,
    &beyond::MEAN_IMPACT_UNTOUCHED,
    &beyond::HARM_AVOIDED,
    &beyond::MEAN_MINUTES,
    &questions::PUBLISHED_SCORE,
    &questions::ANSWERED_RATE,
    &questions::REFUSED_RATE,
    &questions::TRUNCATED_RATE,
];

/// One metric.
pub struct MetricColumn {
    /// Its name in files.
    pub name: &'static str,
    /// What it is, in one sentence without a full stop.
    pub about: &'static str,
    /// The form of its numbers.
    pub unit: MetricUnit,
    /// Which way is better.
    pub better: Better,
    /// How the episodes that count are summed up.
    pub over: Over,
    /// What it is measured on.
    pub applies: AppliesTo,
    /// Where summaries keep it.
    pub kept: SummaryPlace,
    /// Its value in one episode, for tables of episodes.
    pub episode: Option<EpisodeColumn>,
    /// Whether reports give an interval for it.
    pub has_interval: bool,
    /// Whether most of it is had by success alone, so that it cannot be surer than that.
    pub rests_on_success: bool,
    /// Its column in the table at the end of a run: its place from the left, its heading and its form.
    pub terminal: Option<(u8, &'static str, MetricUnit)>,
    /// Its column in a table of the report: the table and the heading.
    pub page: Option<(PageTable, &'static str)>,
    /// The heading of its column in the viewer's list of episodes.
    pub viewer: Option<&'static str>,
}

/// What a metric is measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppliesTo {
    /// Incidents alone.
    Incidents,
    /// Questions alone.
    Questions,
    /// Both.
    Both,
}

/// Where summaries keep a metric.
#[derive(Clone, Copy)]
pub enum SummaryPlace {
    /// In a field of [`Metrics`].
    Field(fn(&Metrics) -> Option<f64>),
    /// Under its name.
    Named,
    /// Only reports compute it.
    Nowhere,
}

/// A metric in one episode.
#[derive(Clone, Copy)]
pub struct EpisodeColumn {
    /// Its name in tables of episodes.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The form of its numbers.
    pub unit: MetricUnit,
    /// Its value; `None` if there was nothing to measure.
    pub value: ValueOf,
}

/// Where the value of one episode comes from.
#[derive(Clone, Copy)]
pub enum ValueOf {
    /// From the score.
    Score(fn(&Score) -> Option<f64>),
    /// From the record; the score keeps it under the episode column's name.
    Record(fn(&EpisodeStory<'_>) -> Option<f64>),
}

/// How the numbers of a metric are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricUnit {
    /// A share, from 0 to 1.
    Share,
    /// A number with so many decimals.
    Decimals(usize),
    /// Simulated minutes.
    Minutes,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More.
    Higher,
    /// Less.
    Lower,
}

/// How many episodes are summed up to one number.
#[derive(Clone, Copy)]
pub enum Over {
    /// The share of the episodes in which something holds.
    Rate(fn(&Score) -> bool),
    /// The mean of values between 0 and 1.
    Share(fn(&Score) -> Option<f64>),
    /// The mean of values that are not below 0.
    Mean(fn(&Score) -> Option<f64>),
    /// A figure of all episodes together, with what bounds it.
    Figure(fn(&[&Score]) -> Option<f64>, (f64, f64)),
}

/// A table of the report that metrics stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTable {
    /// The headline.
    Headline,
    /// Diagnosis, remediation and recovery.
    Diagnosis,
}

impl MetricColumn {
    /// What the others begin with: shown nowhere but in files.
    pub const HIDDEN: MetricColumn = MetricColumn {
        name: "",
        about: "",
        unit: MetricUnit::Decimals(2),
        better: Better::Higher,
        over: Over::Mean(|_| None),
        applies: AppliesTo::Incidents,
        kept: SummaryPlace::Named,
        episode: None,
        has_interval: false,
        rests_on_success: false,
        terminal: None,
        page: None,
        viewer: None,
    };

    /// Whether a table of what was played has a column for it.
    pub fn is_shown(&self, questions: bool, incidents: bool) -> bool {
        match self.applies {
            AppliesTo::Incidents => incidents || !questions,
            AppliesTo::Questions => questions,
            AppliesTo::Both => true,
        }
    }

    /// Its value in a summary.
    pub fn of(&self, metrics: &Metrics) -> Option<f64> {
        if self.applies == AppliesTo::Incidents && metrics.is_of_questions() {
            return None;
        }
        match self.kept {
            SummaryPlace::Field(field) => field(metrics),
            SummaryPlace::Named => metrics.more.get(self.name).copied().flatten(),
            SummaryPlace::Nowhere => None,
        }
    }

    /// Its value over many episodes.
    pub fn over(&self, scores: &[&Score]) -> Option<f64> {
        if self.applies == AppliesTo::Incidents && scores.iter().any(|score| score.question.is_some()) {
            let incidents: Vec<&Score> = scores.iter().copied().filter(|score| score.question.is_none()).collect();
            return if incidents.is_empty() { None } else { self.over(&incidents) };
        }
        let mean = |value: &dyn Fn(&Score) -> Option<f64>| super::metrics::mean_of(scores, value);
        match self.over {
            Over::Rate(holds) => mean(&|score| Some(if holds(score) { 1.0 } else { 0.0 })),
            Over::Share(value) | Over::Mean(value) => mean(&value),
            Over::Figure(figure, _) => figure(scores),
        }
    }
}

impl EpisodeColumn {
    /// Its value in an episode.
    pub fn of(&self, score: &Score) -> Option<f64> {
        match self.value {
            ValueOf::Score(of) => of(score),
            ValueOf::Record(_) => score.more.get(self.name),
        }
    }

    /// The value that a score keeps, for those that are read from the record.
    pub(super) fn measured(&self, story: &EpisodeStory<'_>) -> Option<f64> {
        match self.value {
            ValueOf::Score(_) => None,
            ValueOf::Record(of) => of(story),
        }
    }
}

impl MetricUnit {
    /// A value as plain text.
    pub fn show(self, value: f64) -> String {
        match self {
            // Whole percents, without a sign on zero.
            MetricUnit::Share => format!("{:.0} %", (value * 100.0).round() + 0.0),
            MetricUnit::Decimals(decimals) => format!("{value:.decimals$}"),
            MetricUnit::Minutes => format!("{value:.1} min"),
        }
    }

    /// In one word, for documents and for the viewer.
    pub fn word(self) -> &'static str {
        match self {
            MetricUnit::Share => "share",
            MetricUnit::Decimals(_) => "number",
            MetricUnit::Minutes => "minutes",
        }
    }
}

/// All that have a value in one episode.
pub fn of_episodes() -> impl Iterator<Item = (&'static MetricColumn, &'static EpisodeColumn)> {
    ALL.iter().filter_map(|column| Some((*column, column.episode.as_ref()?)))
}

/// The table of all metrics, as the documents have it.
pub fn document() -> String {
    let row = |column: &&MetricColumn| {
        let better = if column.better == Better::Higher { "higher" } else { "lower" };
        format!("| {} | {} | {better} | {} |\n", column.name, column.unit.word(), column.about)
    };
    let rows: String = ALL.iter().map(row).collect();
    format!("| name | unit | better | what it is |\n|---|---|---|---|\n{rows}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_given_once() {
        let names: BTreeSet<&str> = ALL.iter().map(|column| column.name).collect();
        assert_eq!(names.len(), ALL.len());
        let episodes: BTreeSet<&str> = of_episodes().map(|(_, column)| column.name).collect();
        assert_eq!(episodes.len(), of_episodes().count());
        assert!(ALL.iter().all(|column| column.about.len() > 10 && !column.about.ends_with('.')));
    }
}
