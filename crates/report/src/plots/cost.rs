//! Cost against success: in money where models are paid for, else in tokens, else in steps.

use super::figure::{ReportFigure, labels, words};
use super::scale::Axis;
use super::scatter::{Point, scatter};
use crate::facts::{AgentFacts, Facts};
use crate::tables::{Cell, Column, Estimate, Form, Table};

const MONEY: &str = "Up and left is better. Money is what the providers charge for the tokens of an average counted \
                     episode; an agent without a model pays no provider and stands at zero.";
const STEPS: &str = "Up and left is better. No agent here has a model with a known price, so cost is counted in steps \
                     per episode.";

const TOKENS: &str = "Up and left is better. No model here is paid for, so cost is counted in tokens per episode, read and \
                      written; an agent without a model stands at zero.";

/// What cost is counted in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CostUnit {
    /// US dollars.
    Money,
    /// Tokens read and written.
    Tokens,
    /// Steps.
    Steps,
}

impl CostUnit {
    /// Money if any is paid; a price of zero tells no agents apart.
    fn of(facts: &Facts) -> CostUnit {
        let any = |holds: fn(&AgentFacts) -> bool| facts.agents.iter().any(holds);
        if any(|agent| price(agent).is_some_and(|price| price.value > 0.0)) {
            CostUnit::Money
        } else if any(|agent| price(agent).is_some()) {
            CostUnit::Tokens
        } else {
            CostUnit::Steps
        }
    }

    fn cost(self, agent: &AgentFacts) -> Option<Estimate> {
        let tokens = || agent.usage.map(|usage| usage.input_tokens + usage.output_tokens);
        match self {
            CostUnit::Money => price(agent).or_else(|| free(agent)),
            CostUnit::Tokens => tokens().map(|value| Estimate { value, interval: None }).or_else(|| free(agent)),
            CostUnit::Steps => agent.estimate("mean_steps"),
        }
    }

    fn words(self) -> (&'static str, &'static str, Form) {
        match self {
            CostUnit::Money => (MONEY, "US dollars per episode", Form::Decimals(4)),
            CostUnit::Tokens => (TOKENS, "tokens per episode", Form::Decimals(0)),
            CostUnit::Steps => (STEPS, "steps per episode", Form::Decimals(2)),
        }
    }
}

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Cost against success";
    let unit = CostUnit::of(facts);
    let table = table(title, facts, unit);
    let labels = labels(facts);
    let points: Vec<Point<'_>> = facts
        .agents
        .iter()
        .enumerate()
        .filter_map(|(at, agent)| {
            Some(Point { label: &labels[at], x: unit.cost(agent)?, y: agent.estimate("success_rate")? })
        })
        .collect();
    let most = points.iter().flat_map(|point| [point.x.value, point.x.interval.map_or(0.0, |ends| ends.1)]);
    let (lead, label, form) = unit.words();
    let x = Axis::around(label, form, most);
    let y = Axis::shares("success rate (share of counted episodes)");
    let chart = scatter("cost", title, &words(lead, &table), (&x, &y), &points);
    (!points.is_empty()).then(|| ReportFigure::new(title, lead, chart, table))
}

/// Whether no other agent succeeds as often for less, or more often for as much: the Pareto front.
fn front(facts: &Facts, agent: &AgentFacts, unit: CostUnit) -> &'static str {
    let at = |agent: &AgentFacts| Some((unit.cost(agent)?.value, agent.estimate("success_rate")?.value));
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

fn table(title: &str, facts: &Facts, unit: CostUnit) -> Table {
    let mut columns = vec![
        Column::words("agent", "Agent"),
        Column::percent("success_rate", "Success rate"),
        Column::decimals("mean_steps", "Steps per episode", 2),
        Column::words("on_front", "Not beaten by a cheaper one"),
    ];
    if unit != CostUnit::Steps || facts.agents.iter().any(|agent| agent.usage.is_some()) {
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
            Cell::Words(front(facts, agent, unit).to_owned()),
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
