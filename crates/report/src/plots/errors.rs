//! What went wrong on the way: invalid actions, wrong changes, distractors, resolving too early.

use super::figure::{ReportFigure, labels, of_estimates, words};
use super::panels::{Mark, Panel, panels};
use super::scale::Axis;
use crate::facts::Facts;
use crate::tables::Form;

const LEAD: &str = "Lower is better. Invalid actions are a share of steps; the others are shares of counted episodes \
                    in which it happened at least once. A success may have errors on its way.";

const RATES: [(&str, &str, Form); 4] = [
    ("invalid_action_rate", "Invalid actions", Form::Percent),
    ("wrong_remediation_rate", "Wrong changes", Form::Percent),
    ("distractor_failure_rate", "Drawn by a distractor", Form::Percent),
    ("premature_resolution_rate", "Resolved too early", Form::Percent),
];

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Errors and invalid actions";
    let table = of_estimates("errors", title, facts, &RATES);
    // One scale for all, so that panels can be compared, and no longer than they need.
    let ends = facts.agents.iter().flat_map(|agent| RATES.iter().filter_map(|(key, ..)| agent.estimate(key)));
    let most = ends.map(|found| found.interval.map_or(found.value, |(_, high)| high)).fold(0.05, f64::max);
    let axis = Axis::around("share of episodes", Form::Percent, [most]);
    let panel = |(key, name, _): &(&str, &str, Form)| Panel {
        title: (*name).to_owned(),
        axis: match *key {
            "invalid_action_rate" => Axis { label: "share of steps".to_owned(), ..axis.clone() },
            _ => axis.clone(),
        },
        marks: facts.agents.iter().map(|agent| Mark::of(agent.estimate(key))).collect(),
    };
    let all: Vec<Panel> = RATES.iter().map(panel).collect();
    let chart = panels("errors", title, &words(LEAD, &table), &labels(facts), &all, "");
    Some(ReportFigure::new(title, LEAD, chart, table))
}
