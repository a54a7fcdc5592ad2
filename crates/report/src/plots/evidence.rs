//! Success against evidence: does an agent that looks at the right things also fix them?

use super::figure::{ReportFigure, labels, of_estimates, words};
use super::scale::Axis;
use super::scatter::{Point, scatter};
use crate::facts::Facts;
use crate::tables::Form;

const LEAD: &str = "Right is an agent that saw more of the evidence, up is one that resolved more incidents. Far right \
                    but low means seen and not understood; high but far left means guessed well.";

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Success against evidence coverage";
    let columns =
        [("evidence_coverage", "Evidence coverage", Form::Percent), ("success_rate", "Success rate", Form::Percent)];
    let table = of_estimates("evidence", title, facts, &columns);
    let labels = labels(facts);
    let point = |(at, agent): (usize, &crate::facts::AgentFacts)| {
        let (x, y) = (agent.estimate("evidence_coverage")?, agent.estimate("success_rate")?);
        Some(Point { label: &labels[at], x, y })
    };
    let points: Vec<Point<'_>> = facts.agents.iter().enumerate().filter_map(point).collect();
    let axes =
        (Axis::shares("evidence coverage (mean share seen)"), Axis::shares("success rate (share of counted episodes)"));
    let chart = scatter("evidence", title, &words(LEAD, &table), (&axes.0, &axes.1), &points);
    (!points.is_empty()).then(|| ReportFigure::new(title, LEAD, chart, table))
}
