//! The tables of questions: how replies were read, accuracy by family, the published columns, stages, items.

use std::collections::BTreeSet;

use crate::facts::{AgentFacts, Facts, QuestionFacts};
use crate::tables::{Cell, Column, Table};

/// The published headline is the plain mean over these: nine Terraform choices and one general one, each weighing the same.
const PUBLISHED: [&str; 10] = [
    "azure-compute",
    "azure-k8s",
    "azure-network",
    "gcp-compute",
    "gcp-network",
    "gcp-storage",
    "iam",
    "s3-security",
    "vpc-nat",
    "gmcq-easy",
];

/// All of them; none without questions.
pub(super) fn tables(facts: &Facts) -> Vec<Table> {
    let asked: Vec<(&AgentFacts, &QuestionFacts)> =
        facts.agents.iter().filter_map(|agent| Some((agent, agent.questions.as_ref()?))).collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let mut all = vec![skills(&asked), answers(&asked)];
    all.extend(leaderboard(&asked));
    all.extend(stages(&asked));
    all.push(items(facts));
    all
}

fn skills(asked: &[(&AgentFacts, &QuestionFacts)]) -> Table {
    let columns = vec![
        Column::words("family", "Family"),
        Column::words("agent", "Agent"),
        Column::percent("accuracy", "Right"),
        Column::decimals("score", "Our score", 3),
        Column::percent("published", "Published scoring"),
        Column::percent("shortcut", "Best shortcut"),
        Column::decimals("skill", "Skill above it", 2),
        Column::count("counted", "Counted"),
        Column::count("clusters", "Templates, commits"),
    ];
    let mut table =
        Table::new("skills", "Questions by family, with intervals clustered by template or commit", columns);
    let families: BTreeSet<&String> = asked.iter().flat_map(|(_, facts)| facts.skills.keys()).collect();
    for family in families {
        for (agent, facts) in asked {
            let Some(skill) = facts.skills.get(family) else { continue };
            table.push(vec![
                Cell::Words(family.clone()),
                Cell::Words(agent.agent.clone()),
                Cell::estimate(skill.accuracy),
                Cell::estimate(skill.score),
                Cell::estimate(skill.published),
                Cell::maybe(skill.shortcut),
                Cell::maybe(skill.skill),
                skill.counted.into(),
                skill.clusters.into(),
            ]);
        }
    }
    table
}

fn answers(asked: &[(&AgentFacts, &QuestionFacts)]) -> Table {
    let readings = ["answered", "unparsed", "refused", "truncated", "missing"];
    let mut columns = vec![Column::words("agent", "Agent")];
    columns.extend(readings.map(|reading| Column::count(reading, &format!("Replies {reading}"))));
    columns.extend([
        Column::count("permuted", "Questions asked in several orders"),
        Column::percent("agreement", "Same option in any order"),
        Column::percent("always_right", "Right in every order"),
    ]);
    let mut table = Table::new("answers", "How replies were read, and whether an option is meant or a letter", columns);
    for (agent, facts) in asked {
        let mut row = vec![Cell::Words(agent.agent.clone())];
        row.extend(readings.map(|reading| Cell::from(facts.readings.get(reading).copied().unwrap_or(0))));
        row.extend([facts.permuted.into(), Cell::maybe(facts.agreement), Cell::maybe(facts.always_right)]);
        table.push(row);
    }
    table
}

/// The columns of the published leaderboard; nothing unless an agent was asked all of its families.
fn leaderboard(asked: &[(&AgentFacts, &QuestionFacts)]) -> Option<Table> {
    let mut columns = vec![Column::words("agent", "Agent"), Column::percent("score", "Mean of the ten")];
    columns.extend(PUBLISHED.map(|family| Column::percent(family, family)));
    columns.extend([
        Column::decimals("cost_in_all_usd", "USD in all", 2),
        Column::decimals("cost_per_success_usd", "USD per right answer", 4),
    ]);
    let mut table =
        Table::new("leaderboard", "As the published leaderboard has it: its scoring, its plain mean", columns);
    for (agent, facts) in asked {
        let of = |family: &str| Some(facts.skills.get(family)?.published?.value);
        let Some(scores) = PUBLISHED.iter().map(|family| of(family)).collect::<Option<Vec<f64>>>() else { continue };
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let mut row = vec![Cell::Words(agent.agent.clone()), mean.into()];
        row.extend(scores.into_iter().map(Cell::from));
        row.push(Cell::maybe(agent.usage.and_then(|usage| usage.cost_in_all)));
        row.push(Cell::maybe(agent.usage.and_then(|usage| usage.cost_per_success)));
        table.push(row);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Where configurations fail first; nothing if none was asked for.
fn stages(asked: &[(&AgentFacts, &QuestionFacts)]) -> Option<Table> {
    const STAGES: [&str; 10] =
        ["passed", "EXTRACT", "SYNTAX", "INIT", "VALIDATE", "PLAN", "APPLY", "CHECKS", "IDEMPOTENCY", "DESTROY"];
    let mut columns = vec![Column::words("agent", "Agent")];
    columns.extend(STAGES.map(|stage| Column::count(&stage.to_lowercase(), stage)));
    let mut table = Table::new("stages", "Terraform: the stage that failed first", columns);
    for (agent, facts) in asked.iter().filter(|(_, facts)| !facts.stages.is_empty()) {
        let mut row = vec![Cell::Words(agent.agent.clone())];
        row.extend(STAGES.map(|stage| Cell::from(facts.stages.get(stage).copied().unwrap_or(0))));
        table.push(row);
    }
    (!table.rows.is_empty()).then_some(table)
}

fn items(facts: &Facts) -> Table {
    let columns = vec![
        Column::words("question", "Question"),
        Column::words("family", "Family"),
        Column::count("replies", "Replies"),
        Column::percent("right", "Right"),
        Column::decimals("discrimination", "Discrimination", 2),
    ];
    let mut table = Table::new("items", "Question by question: difficulty and discrimination", columns);
    for item in &facts.items {
        table.push(vec![
            Cell::Words(item.question.clone()),
            Cell::Words(item.family.clone()),
            item.replies.into(),
            item.right.into(),
            Cell::maybe(item.discrimination),
        ]);
    }
    table
}
