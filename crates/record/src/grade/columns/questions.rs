//! What only questions have: the published scoring beside ours, and how replies could be read.

use super::{AppliesTo, Better, EpisodeColumn, MetricColumn, MetricUnit, Over, PageTable, ValueOf};
use crate::grade::score::Score;
use crate::question::ReplyReading;

const ASKED: MetricColumn = MetricColumn { applies: AppliesTo::Questions, ..MetricColumn::HIDDEN };

pub(super) const PUBLISHED_SCORE: MetricColumn = MetricColumn {
    name: "published_score",
    about: "the mean of the published scoring, over the questions whose family has one that needs no judge",
    unit: MetricUnit::Share,
    over: Over::Share(published),
    episode: Some(EpisodeColumn {
        name: "published",
        about: "the published scoring of a question",
        unit: MetricUnit::Share,
        value: ValueOf::Score(published),
    }),
    has_interval: true,
    terminal: Some((4, "published", MetricUnit::Decimals(2))),
    page: Some((PageTable::Headline, "Published scoring")),
    ..ASKED
};

pub(super) const ANSWERED_RATE: MetricColumn = MetricColumn {
    name: "answered_rate",
    about: "the share of questions with a reply in which an answer could be read",
    unit: MetricUnit::Share,
    over: Over::Share(|score| read_as(score, ReplyReading::Answered)),
    has_interval: true,
    terminal: Some((5, "answered", MetricUnit::Decimals(2))),
    page: Some((PageTable::Headline, "Answered")),
    ..ASKED
};

pub(super) const REFUSED_RATE: MetricColumn = MetricColumn {
    name: "refused_rate",
    about: "the share of questions that the model declined to answer",
    unit: MetricUnit::Share,
    better: Better::Lower,
    over: Over::Share(|score| read_as(score, ReplyReading::Refused)),
    ..ASKED
};

pub(super) const TRUNCATED_RATE: MetricColumn = MetricColumn {
    name: "truncated_rate",
    about: "the share of questions whose reply ended before its answer",
    unit: MetricUnit::Share,
    better: Better::Lower,
    over: Over::Share(|score| read_as(score, ReplyReading::Truncated)),
    ..ASKED
};

fn published(score: &Score) -> Option<f64> {
    score.question.as_ref()?.published
}

fn read_as(score: &Score, reading: ReplyReading) -> Option<f64> {
    Some(if score.question.as_ref()?.reading == reading { 1.0 } else { 0.0 })
}
