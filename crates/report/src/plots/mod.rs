//! Plots, as drawings of our own: a handful of chart forms, and one file per figure of the report.
//!
//! Colour is never the only carrier, and an episode whose provider failed is hatched, never coloured.
//! A figure is one file here and a line in [`FIGURES`].

mod chart;
mod cost;
mod difficulty;
mod errors;
mod evidence;
mod failures;
mod figure;
mod grid;
mod heatmap;
mod impact;
mod looks;
mod marks;
mod overall;
mod palette;
mod panels;
mod scale;
mod scatter;
mod skills;
mod stacks;
mod stages;
mod steps;
mod svg;
mod time;
mod tools;

pub use chart::Chart;
pub use figure::ReportFigure;

use crate::facts::Facts;

/// All figures, in the order of the report; each is left out where it has nothing to show.
const FIGURES: &[fn(&Facts) -> Option<ReportFigure>] = &[
    overall::figure,
    marks::figure,
    evidence::figure,
    difficulty::figure,
    heatmap::figure,
    failures::figure,
    errors::figure,
    tools::figure,
    time::figure,
    impact::figure,
    cost::figure,
];

/// Those of questions: their success by family and what it cost.
const OF_QUESTIONS: &[fn(&Facts) -> Option<ReportFigure>] = &[skills::figure, cost::figure];

/// Those of problems in a cluster, of which less is measured.
const OF_CLUSTERS: &[fn(&Facts) -> Option<ReportFigure>] =
    &[stages::figure, heatmap::figure, time::figure, cost::figure];

/// The figures of a report; incidents of the simulated world have most to show.
pub fn figures(facts: &Facts) -> Vec<ReportFigure> {
    let all = match (facts.has_incidents(), facts.is_of_clusters()) {
        (_, true) => OF_CLUSTERS,
        (true, false) => FIGURES,
        (false, false) => OF_QUESTIONS,
    };
    let besides = facts.has_incidents().then(|| skills::figure(facts)).flatten();
    all.iter().filter_map(|figure| figure(facts)).chain(besides).collect()
}

#[cfg(test)]
mod tests;
