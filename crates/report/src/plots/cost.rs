//! Cost against success: in money where prices are known, else in steps.

use super::figure::{ReportFigure, labels, words};
use super::scale::Axis;
use super::scatter::{Point, scatter};
use crate::facts::{AgentFacts, Facts};
use crate::tables::{Cell, Column, Estimate, Form, Table};

const MONEY: &str = "Up and left is better. Money is what the providers charge for the tokens of an average counted \
                     episode; an agent without a model pays no provider and stands at zero.";
const STEPS: &str = "Up and left is better. No agent here has a model with a known price, so cost is counted in steps \
                     per episode.";

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Cost against success";
    let priced = facts.agents.iter().any(|agent| price(agent).is_some());
    let cost =
        |agent: &AgentFacts| if priced { price(agent).or_else(|| free(agent)) } else { agent.estimate("mean_steps") };
    let table = table(title, facts, priced);
    let labels = labels(facts);
    let points: Vec<Point<'_>> = facts
        .agents
        .iter()
        .enumerate()
        .filter_map(|(at, agent)| {
            Some(Point { label: &labels[at], x: cost(agent)?, y: agent.estimate("success_rate")? })
        })
        .collect();
    let most = points.iter().flat_map(|point| [point.x.value, point.x.interval.map_or(0.0, |ends| ends.1)]);
    let (lead, label, form) = if priced {
        (MONEY, "US dollars per episode", Form::Decimals(4))
    } else {
        (STEPS, "steps per episode", Form::Decimals(2))
    };
    let x = Axis::around(label, form, most);
    let y = Axis::shares("success rate (share of counted episodes)");
    let chart = scatter("cost", title, &words(lead, &table), (&x, &y), &points);
    (!points.is_empty()).then(|| ReportFigure::new(title, lead, chart, table))
}

/// Whether no other agent succeeds as often for less, or more often for as much: the Pareto front.
fn front(facts: &Facts, agent: &AgentFacts, priced: bool) -> &'static str {
    let at = |agent: &AgentFacts| {
        let cost = if priced { price(agent).or_else(|| free(agent)) } else { agent.estimate("mean_steps") };
        Some((cost?.value, agent.estimate("success_rate")?.value))
    };
    let Some((cost, success)) = at(agent) else { return "" };
    let beats = |(other_cost, other_success): (f64, f64)| {
        other_cost <= cost && other_success >= success && (other_cost, other_success) != (cost, success)
    };
    if facts.agents.iter().filter_map(at).any(beats) { "no" } else { "yes" }
}

fn price(agent: &AgentFacts) -> Option<Estimate> {
    agent.usage.and_then(|usage| usage.cost_usd)
}

/// An agent that asks no model costs nothing; one whose price is unknown has no place in the chart.
fn free(agent: &AgentFacts) -> Option<Estimate> {
    agent.usage.is_none().then(Estimate::default)
}

fn table(title: &str, facts: &Facts, priced: bool) -> Table {
    let mut columns = vec![
        Column::words("agent", "Agent"),
        Column::percent("success_rate", "Success rate"),
        Column::decimals("mean_steps", "Steps per episode", 2),
        Column::words("on_front", "Not beaten by a cheaper one"),
    ];
    if priced || facts.agents.iter().any(|agent| agent.usage.is_some()) {
        columns.extend([
            Column::decimals("model_calls", "Model calls per episode", 1),
            Column::count("input_tokens", "Tokens in per episode"),
            Column::count("output_tokens", "Tokens out per episode"),
            Column::decimals("cost_usd", "USD per episode", 4),
            Column::decimals("cost_per_success_usd", "USD per success", 4),
            Column::decimals("cost_in_all_usd", "USD in all", 2),
        ]);
    }
    let wide = columns.len() > 4;
    let mut table = Table::new("cost", title, columns);
    for agent in &facts.agents {
        let mut row = vec![
            Cell::Words(agent.agent.clone()),
            Cell::estimate(agent.estimate("success_rate")),
            Cell::estimate(agent.estimate("mean_steps")),
            Cell::Words(front(facts, agent, priced).to_owned()),
        ];
        if wide {
            let usage = agent.usage;
            row.extend([
                Cell::maybe(usage.map(|usage| usage.calls)),
                Cell::maybe(usage.map(|usage| usage.input_tokens)),
                Cell::maybe(usage.map(|usage| usage.output_tokens)),
                Cell::estimate(price(agent)),
                Cell::maybe(usage.and_then(|usage| usage.cost_per_success)),
                Cell::maybe(usage.and_then(|usage| usage.cost_in_all)),
            ]);
        }
        table.push(row);
    }
    table
}
