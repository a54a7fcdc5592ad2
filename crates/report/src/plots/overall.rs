//! Marks and success with their intervals: what a reader asks for first.

use super::figure::{ReportFigure, labels, of_estimates, words};
use super::panels::{Mark, Panel, panels};
use super::scale::Axis;
use crate::facts::Facts;
use crate::tables::Form;

const LEAD: &str = "Points are estimates, bars their 95 % intervals with task families of one service as clusters. A \
                    hollow mark is an agent that is not ranked, because too few of its episodes count.";

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Overall marks and success";
    let columns = [("marks", "Marks (0 to 100)", Form::Decimals(1)), ("success_rate", "Success rate", Form::Percent)];
    let table = of_estimates("overall", title, facts, &columns);
    let marks = |key: &str| facts.agents.iter().map(|agent| Mark::of(agent.estimate(key))).collect();
    let axis = Axis { label: "marks, 0 to 100".into(), form: Form::Decimals(1), low: 0.0, high: 100.0 };
    let both = [
        Panel { title: "Marks".into(), axis, marks: marks("marks") },
        Panel {
            title: "Success rate".into(),
            axis: Axis::shares("share of counted episodes"),
            marks: marks("success_rate"),
        },
    ];
    let chart = panels("overall", title, &words(LEAD, &table), &labels(facts), &both, "");
    Some(ReportFigure::new(title, LEAD, chart, table))
}
