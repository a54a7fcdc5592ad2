//! The table at the end of a run. Plain text: no colour carries meaning.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use record::BlindCeiling;
use record::grade::columns::{self, MetricColumn, MetricUnit};

use crate::summary::{AgentSummary, Summary};

/// A terminal that is not wide still shows the whole table.
const WIDTH: u16 = 120;

/// A longer name is broken, and so is one for which the figures leave no room.
const NAME: usize = 28;

/// With less room than this names would be in shreds.
const LEAST_NAME: usize = 16;

/// Blanks between two columns.
const GAP: usize = 2;

/// Shown only where something is missing.
const COVERAGE: &str = "coverage";

/// Shown only where a blind agent was played, behind the success rate.
const SKILL: &str = "above blind";
/// The place of that column among the metrics.
const SKILL_AT: usize = 2;

/// A column of the table: the metric, its heading and its form.
type TerminalColumn = (&'static MetricColumn, &'static str, MetricUnit);

/// The metrics of the table, from the left: those of questions where there are questions, those of incidents where there
/// are incidents.
fn metrics(summary: &Summary) -> Vec<TerminalColumn> {
    let questions = summary.agents.iter().any(|agent| agent.metrics.questions > 0);
    let incidents = summary.agents.iter().any(|agent| !agent.metrics.is_of_questions());
    let placed =
        |column: &&'static MetricColumn| column.terminal.map(|(place, name, unit)| (place, *column, name, unit));
    let of_these = columns::ALL.iter().filter(|column| column.is_shown(questions, incidents));
    let mut found: Vec<_> = of_these.filter_map(placed).collect();
    found.sort_by_key(|(place, ..)| *place);
    found.into_iter().map(|(_, column, name, unit)| (column, name, unit)).collect()
}

/// The table of a run, the best agent first, with a line on what was left out.
pub fn table(summary: &Summary) -> String {
    let mut agents: Vec<&AgentSummary> = summary.agents.iter().collect();
    let worth = |agent: &AgentSummary| (agent.metrics.marks, agent.metrics.success_rate);
    agents.sort_by(|one, other| {
        let ((marks, success), (other_marks, other_success)) = (worth(one), worth(other));
        other_marks.total_cmp(&marks).then(other_success.total_cmp(&success)).then(one.agent.cmp(&other.agent))
    });
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    let missing = agents.iter().any(|agent| agent.metrics.provider_failures > 0);
    let coverage = missing.then_some(COVERAGE);
    let has_ceiling = !summary.blind_ceilings.is_empty();
    let metrics = metrics(summary);
    let mut names: Vec<&str> = metrics.iter().map(|(_, name, _)| *name).collect();
    if has_ceiling {
        names.insert(SKILL_AT, SKILL);
    }
    let heads: Vec<&str> = ["agent"].into_iter().chain(coverage).chain(names).collect();
    let ceilings = summary.blind_ceilings.iter().filter_map(|ceiling| ceiling_row(ceiling, summary, &metrics, missing));
    let mut rows: Vec<Vec<String>> = agents.iter().map(|agent| row(agent, &metrics, missing, has_ceiling)).collect();
    rows.extend(ceilings);
    let room = name_room(&heads, &rows);
    rows.iter_mut().for_each(|cells| cells[0] = broken(&cells[0], room));
    table.set_header(heads).add_rows(rows);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1)).set_cell_alignment(if at == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    let notes: String = agents.iter().filter_map(|agent| note(agent)).collect();
    format!("{}\n{notes}", table.trim_fmt())
}

/// An agent whose provider failed every time has no figures.
fn row(agent: &AgentSummary, metrics: &[TerminalColumn], missing: bool, has_ceiling: bool) -> Vec<String> {
    let coverage = missing.then(|| MetricUnit::Share.show(agent.metrics.coverage));
    let cell = |(column, _, unit): &TerminalColumn| {
        let value = column.of(&agent.metrics).filter(|_| agent.metrics.episodes > 0);
        shown(value, |value| unit.show(value))
    };
    let mut cells: Vec<String> = metrics.iter().map(cell).collect();
    if has_ceiling {
        cells.insert(SKILL_AT, shown(agent.skill_above_blind, |skill| format!("{skill:.2}")));
    }
    [agent.agent.clone()].into_iter().chain(coverage).chain(cells).collect()
}

/// How much room the figures leave for names.
fn name_room(heads: &[&str], rows: &[Vec<String>]) -> usize {
    let width =
        |at: usize| rows.iter().map(|cells| &*cells[at]).chain([heads[at]]).map(|text| text.chars().count()).max();
    let figures: usize = (1..heads.len()).map(|at| width(at).unwrap_or(0) + GAP).sum();
    usize::from(WIDTH).saturating_sub(figures).clamp(LEAST_NAME, NAME)
}

/// A name in lines that end behind a separator, where it has one.
fn broken(name: &str, room: usize) -> String {
    let mut lines = vec![String::new()];
    for part in name.split_inclusive(['@', '/', '_', '-', ' ']) {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.chars().count() + part.chars().count() > room {
            lines.push(part.to_owned());
        } else {
            last.push_str(part);
        }
    }
    lines.join("\n")
}

/// The best blind agent once more, as what the others stand above.
fn ceiling_row(
    ceiling: &BlindCeiling,
    summary: &Summary,
    metrics: &[TerminalColumn],
    missing: bool,
) -> Option<Vec<String>> {
    let best = summary.agents.iter().find(|a| a.agent == ceiling.agent && a.suite == ceiling.suite)?;
    let mut cells = row(best, metrics, missing, true);
    let suites = summary.blind_ceilings.len();
    let suite = if suites > 1 { format!(", {}", ceiling.suite) } else { String::new() };
    cells[0] = format!("blind ceiling ({}{suite})", ceiling.agent);
    Some(cells)
}

/// What the columns do not say: how much is missing, and what was paid.
fn note(agent: &AgentSummary) -> Option<String> {
    let metrics = &agent.metrics;
    let mut said = Vec::new();
    if metrics.provider_failures > 0 {
        let faults = metrics.endings.iter().filter_map(|(name, n)| Some((name.strip_prefix("provider/")?, n)));
        let faults: Vec<String> = faults.map(|(name, n)| format!("{name} {n}")).collect();
        let (counted, all) = (metrics.episodes, metrics.attempted);
        let share = MetricUnit::Share.show(metrics.coverage);
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

    #[test]
    fn a_long_name_is_broken_behind_its_separators() {
        expect![[r#"
            guided_open_source@
            rehearsal/llama-4-maverick-
            17b-128e-instruct-random-2"#]]
        .assert_eq(&broken("guided_open_source@rehearsal/llama-4-maverick-17b-128e-instruct-random-2", NAME));
        assert_eq!(broken("runbook", NAME), "runbook");
    }

    /// With coverage and a blind ceiling there are eleven columns.
    #[test]
    fn a_name_is_broken_by_the_room_that_the_figures_leave() {
        let mut scores = scores();
        scores.iter_mut().for_each(|score| score.agent = "guided@rehearsal/runbook".into());
        let mut summary = Summary::of(run(), &scores);
        let best = &summary.agents[0];
        summary.blind_ceilings =
            vec![BlindCeiling { agent: best.agent.clone(), suite: best.suite.clone(), ..BlindCeiling::default() }];
        let text = table(&summary);
        assert!(text.contains("\nguided@rehearsal/ ") && text.contains("\nrunbook"), "{text}");
    }
}
