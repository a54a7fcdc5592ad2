//! How long it takes: the share of episodes that were resolved by each minute.

use super::figure::{ReportFigure, labels, words};
use super::scale::Axis;
use super::steps::{Curve, steps};
use crate::facts::Facts;
use crate::tables::{Cell, Column, Form, Table};

const LEAD: &str = "A curve rises by one step with each success and ends at the success rate: an incident that was not \
                    resolved never comes. Steeper and higher is better. Time is simulated, from the page.";

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Time to resolution";
    let columns = vec![
        Column::words("agent", "Agent"),
        Column::count("successes", "Successes"),
        Column::count("counted", "Counted"),
        Column::decimals("fastest_minutes", "Fastest (min)", 1),
        Column::decimals("median_minutes", "Median (min)", 1),
        Column::decimals("p90_minutes", "90th percentile (min)", 1),
        Column::decimals("mean_minutes", "Mean (min)", 1),
    ];
    let mut table = Table::new("time", title, columns);
    for agent in &facts.agents {
        let at = |p: f64| crate::stats::bootstrap::quantile(&agent.minutes, p);
        table.push(vec![
            Cell::Words(agent.agent.clone()),
            (agent.minutes.len() as u32).into(),
            agent.coverage.counted.into(),
            Cell::maybe(agent.minutes.first().copied()),
            Cell::maybe(at(0.5)),
            Cell::maybe(at(0.9)),
            Cell::estimate(agent.estimate("mean_minutes_to_resolution")),
        ]);
    }
    let labels = labels(facts);
    let curve = |(at, agent): (usize, &crate::facts::AgentFacts)| {
        let step = 1.0 / f64::from(agent.coverage.counted.max(1));
        (agent.coverage.counted > 0).then_some((at, step))
    };
    let counted: Vec<(usize, f64)> = facts.agents.iter().enumerate().filter_map(curve).collect();
    let curves: Vec<Curve<'_>> = counted
        .iter()
        .map(|(at, step)| Curve { label: &labels[*at], times: &facts.agents[*at].minutes, step: *step })
        .collect();
    let longest = facts.agents.iter().flat_map(|agent| agent.minutes.last().copied());
    let x = Axis::around("simulated minutes since the page", Form::Decimals(1), longest);
    let y = Axis::shares("resolved so far (share of counted episodes)");
    let chart = steps("time", title, &words(LEAD, &table), (&x, &y), &curves);
    facts.agents.iter().any(|agent| !agent.minutes.is_empty()).then(|| ReportFigure::new(title, LEAD, chart, table))
}
