//! Accuracy on questions: all of them, the general choices, the Terraform choices, Terraform to write.

use super::figure::{ReportFigure, labels, words};
use super::panels::{Mark, Panel, panels};
use super::scale::Axis;
use crate::facts::{AgentFacts, Facts};
use crate::tables::{Cell, Column, Estimate, Table};

const LEAD: &str = "The share of questions that were answered rightly, with 95 % intervals clustered by template or commit. \
                    The table by family says how much of it a shortcut reaches that understands nothing.";

/// A panel: its name, and the families in it.
type SkillGroup = (&'static str, fn(&str) -> bool);

const GROUPS: [SkillGroup; 3] = [
    ("changes", |family| !is_terraform(family)),
    ("Terraform choices", |family| is_terraform(family) && !family.starts_with("terraform")),
    ("Terraform written", |family| family.starts_with("terraform")),
];

fn is_terraform(family: &str) -> bool {
    ["azure-", "gcp-", "terraform"].iter().any(|start| family.starts_with(start))
        || ["iam", "s3-security", "vpc-nat"].contains(&family)
}

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Questions answered rightly";
    if !facts.has_questions() {
        return None;
    }
    let shown: Vec<SkillGroup> =
        GROUPS.into_iter().filter(|(_, of)| facts.agents.iter().any(|agent| mean(agent, *of).is_some())).collect();
    let mut columns = vec![Column::words("agent", "Agent"), Column::percent("all", "All")];
    columns.extend(shown.iter().map(|(name, _)| Column::percent(&name.replace(' ', "_").to_lowercase(), name)));
    let mut table = Table::new("questions", title, columns);
    for agent in &facts.agents {
        let mut row = vec![Cell::Words(agent.agent.clone()), Cell::estimate(agent.estimate("success_rate"))];
        row.extend(shown.iter().map(|(_, of)| Cell::estimate(mean(agent, *of))));
        table.push(row);
    }
    let panel = |(name, of): &SkillGroup| Panel {
        title: (*name).to_owned(),
        axis: Axis::shares("share right"),
        marks: facts.agents.iter().map(|agent| Mark::of(mean(agent, *of))).collect(),
    };
    let all: Vec<Panel> = shown.iter().map(panel).collect();
    let chart = panels("questions", title, &words(LEAD, &table), &labels(facts), &all, "");
    (!all.is_empty()).then(|| ReportFigure::new(title, LEAD, chart, table))
}

/// The mean over families, each by its number of replies; the interval is that of a sum of independent families.
fn mean(agent: &AgentFacts, of: fn(&str) -> bool) -> Option<Estimate> {
    let skills = &agent.questions.as_ref()?.skills;
    let found: Vec<(f64, Estimate)> = skills
        .iter()
        .filter(|(family, _)| of(family))
        .filter_map(|(_, skill)| Some((f64::from(skill.counted), skill.accuracy?)))
        .collect();
    let all: f64 = found.iter().map(|(n, _)| n).sum();
    if all == 0.0 {
        return None;
    }
    let value = found.iter().map(|(n, estimate)| n * estimate.value).sum::<f64>() / all;
    let half = |end: fn((f64, f64)) -> f64| {
        let squares = found.iter().map(|(n, estimate)| {
            let away = estimate.interval.map_or(0.0, end) - estimate.value;
            (n / all * away) * (n / all * away)
        });
        libm::sqrt(squares.sum())
    };
    let interval = found.iter().all(|(_, estimate)| estimate.interval.is_some());
    let interval = interval.then(|| ((value - half(|ends| ends.0)).max(0.0), (value + half(|ends| ends.1)).min(1.0)));
    Some(Estimate { value, interval })
}
