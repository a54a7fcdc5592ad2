//! Diagnosis and mitigation of problems in a cluster, with their intervals.

use super::figure::{ReportFigure, labels, of_estimates, words};
use super::panels::{Mark, Panel, panels};
use super::scale::Axis;
use crate::facts::Facts;
use crate::tables::Form;

const LEAD: &str = "Shares of counted episodes, with 95 % intervals. Diagnosed means that the cause was named; mitigated, that the checks of \
                    the problem hold when the agent says that it is done. A hollow mark is an agent that is not ranked, because too few of its \
                    episodes count.";

/// The stages: the metric and its name.
const STAGES: [(&str, &str); 2] = [("root_cause_identification_rate", "Diagnosed"), ("success_rate", "Mitigated")];

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Diagnosis and mitigation";
    let table = of_estimates("stages", title, facts, &STAGES.map(|(key, name)| (key, name, Form::Percent)));
    let panel = |(key, name): (&str, &str)| Panel {
        title: name.into(),
        axis: Axis::shares("share of counted episodes"),
        marks: facts.agents.iter().map(|agent| Mark::of(agent.estimate(key))).collect(),
    };
    let chart = panels("stages", title, &words(LEAD, &table), &labels(facts), &STAGES.map(panel), "");
    Some(ReportFigure::new(title, LEAD, chart, table))
}
