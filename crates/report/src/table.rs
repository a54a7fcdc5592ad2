//! The table at the end of a run. Plain text: no colour carries meaning.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use crate::summary::{AgentSummary, Summary};

/// A terminal that is not wide still shows the whole table.
const WIDTH: u16 = 120;

/// Shown only where something is missing.
const COVERAGE: &str = "coverage";

/// A column: its heading, and what stands in it.
type SummaryColumn = (&'static str, fn(&AgentSummary) -> String);

const COLUMNS: [SummaryColumn; 10] = [
    ("agent", |agent| agent.agent.clone()),
    (COVERAGE, |agent| percent(agent.metrics.coverage)),
    ("marks", |agent| format!("{:.1}", agent.metrics.marks)),
    ("success", |agent| format!("{:.2}", agent.metrics.success_rate)),
    ("reward", |agent| format!("{:.3}", agent.metrics.mean_reward)),
    ("evidence", |agent| format!("{:.2}", agent.metrics.evidence_coverage)),
    ("invalid", |agent| format!("{:.2}", agent.metrics.invalid_action_rate)),
    ("steps", |agent| format!("{:.2}", agent.metrics.mean_steps)),
    ("resolved in", |agent| shown(agent.metrics.mean_minutes_to_resolution, |minutes| format!("{minutes:.1} min"))),
    ("harm avoided", |agent| shown(agent.metrics.harm_avoided, percent)),
];

/// The table of a run, the best agent first, with a line on what was left out.
pub fn table(summary: &Summary) -> String {
    let mut agents: Vec<&AgentSummary> = summary.agents.iter().collect();
    agents.sort_by(|one, other| other.metrics.marks.total_cmp(&one.metrics.marks).then(one.agent.cmp(&other.agent)));
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    let missing = agents.iter().any(|agent| agent.metrics.provider_failures > 0);
    let columns: Vec<SummaryColumn> =
        COLUMNS.into_iter().filter(|(heading, _)| missing || *heading != COVERAGE).collect();
    table.set_header(columns.iter().map(|(heading, _)| *heading));
    table.add_rows(agents.iter().map(|agent| row(agent, &columns)));
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1)).set_cell_alignment(if at == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    let notes: String = agents.iter().filter_map(|agent| note(agent)).collect();
    format!("{}\n{notes}", table.trim_fmt())
}

/// An agent whose provider failed every time has no figures.
fn row(agent: &AgentSummary, columns: &[SummaryColumn]) -> Vec<String> {
    let known = |heading: &str| agent.metrics.episodes > 0 || ["agent", COVERAGE].contains(&heading);
    columns.iter().map(|(heading, cell)| if known(heading) { cell(agent) } else { "-".to_owned() }).collect()
}

/// What the columns do not say: how much is missing, and what was paid.
fn note(agent: &AgentSummary) -> Option<String> {
    let metrics = &agent.metrics;
    let mut said = Vec::new();
    if metrics.provider_failures > 0 {
        let faults = metrics.endings.iter().filter_map(|(name, n)| Some((name.strip_prefix("provider/")?, n)));
        let faults: Vec<String> = faults.map(|(name, n)| format!("{name} {n}")).collect();
        let (counted, all) = (metrics.episodes, metrics.attempted);
        let share = percent(metrics.coverage);
        let why = faults.join(", ");
        said.push(format!(
            "coverage {share}: {counted} of {all} episodes count, the provider failed the others ({why})"
        ));
    }
    if metrics.model_calls > 0 {
        let cost = shown(metrics.cost_usd, |usd| format!("${usd:.2}"));
        let cost = if cost == "-" { "price not known".to_owned() } else { cost };
        said.push(format!("{} calls, {} tokens, {cost}", metrics.model_calls, metrics.usage.total()));
    }
    (!said.is_empty()).then(|| format!("{}: {}\n", agent.agent, said.join("; ")))
}

fn shown(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

/// Whole percents, without a sign on zero.
fn percent(share: f64) -> String {
    format!("{:.0} %", (share * 100.0).round() + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{run, scores};
    use expect_test::expect;

    #[test]
    fn the_best_agent_stands_first() {
        expect![[r#"
            agent   coverage  marks  success  reward  evidence  invalid  steps  resolved in  harm avoided
            ──────────────────────────────────────────────────────────────────────────────────────────────
            steady     100 %   79.2     1.00   0.225      1.00     0.00   2.00      2.5 min          78 %
            idle        50 %   25.0     0.00   0.000      1.00     0.00   1.00            -           0 %
            idle: coverage 50 %: 1 of 2 episodes count, the provider failed the others (unknown 1)
        "#]]
        .assert_eq(&table(&Summary::of(run(), &scores())));
    }

    #[test]
    fn a_long_name_stays_within_the_width() {
        let mut scores = scores();
        scores[0].agent =
            "a-provider/with-a-model-of-a-very-long-name-indeed-2026-11-15 (prompted in many words)".into();
        let text = table(&Summary::of(run(), &scores));
        assert!(text.lines().all(|line| line.chars().count() <= usize::from(WIDTH)), "{text}");
    }
}
