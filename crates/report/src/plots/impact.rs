//! What users felt, compared with the same incident without any action.

use super::figure::{ReportFigure, labels, of_estimates, words};
use super::panels::{Mark, Panel, panels};
use super::scale::Axis;
use crate::facts::Facts;
use crate::tables::Form;

const LEAD: &str = "Harm avoided is the share of failed and slow requests that the same incident would have cost \
                    without any action; below zero the agent made it worse. The grey bar is that incident left alone.";

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "User impact";
    let columns = [
        ("harm_avoided", "Harm avoided", Form::Percent),
        ("mean_impact", "Requests harmed per episode", Form::Count),
        ("mean_impact_untouched", "Without any action", Form::Count),
    ];
    let table = of_estimates("impact", title, facts, &columns);
    let ends = |key: &'static str| {
        let own = facts.agents.iter().filter_map(move |agent| agent.estimate(key));
        own.flat_map(|found| found.interval.map_or([found.value; 3], |(low, high)| [low, found.value, high]))
    };
    let avoided =
        Axis::around("share of the harm", Form::Percent, ends("harm_avoided").map(|v| v.max(-1.0)).chain([1.0]));
    let requests =
        Axis::around("requests per episode", Form::Count, ends("mean_impact").chain(ends("mean_impact_untouched")));
    let impact = facts.agents.iter().map(|agent| Mark {
        estimate: agent.estimate("mean_impact"),
        reference: agent.estimate("mean_impact_untouched").map(|found| found.value),
    });
    let both = [
        Panel {
            title: "Harm avoided".into(),
            axis: avoided,
            marks: facts.agents.iter().map(|agent| Mark::of(agent.estimate("harm_avoided"))).collect(),
        },
        Panel { title: "Failed and slow requests".into(), axis: requests, marks: impact.collect() },
    ];
    let key = "the same incidents without any action";
    let chart = panels("impact", title, &words(LEAD, &table), &labels(facts), &both, key);
    let is_known = facts.agents.iter().any(|agent| agent.estimate("harm_avoided").is_some());
    is_known.then(|| ReportFigure::new(title, LEAD, chart, table))
}
