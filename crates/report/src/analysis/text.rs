//! The failure analysis as text.

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

use super::category::Category;
use super::tally::{Analysis, GroupAnalysis};

/// A column: its heading, and what stands in it.
type AnalysisColumn = (&'static str, fn(&GroupAnalysis) -> String);

const COLUMNS: [AnalysisColumn; 6] = [
    ("first sign", |tally| steps(tally.mean_evidence_step())),
    ("after", |tally| tally.mean_evidence_minutes().map_or("-".into(), |minutes| format!("{minutes:.1} min"))),
    ("wrong turn", |tally| steps(tally.mean_wrong_turn_step())),
    ("unused", |tally| tally.evidence_unused.to_string()),
    ("recovered", |tally| format!("{}/{}", tally.recovered, tally.wrong_fixes)),
    ("reads/write", |tally| tally.tools.read_write_ratio().map_or("-".into(), |ratio| format!("{ratio:.1}"))),
];

/// The analysis of a run as a table, one row per agent. Categories without an episode are left out.
pub fn table(analysis: &Analysis) -> String {
    rows("agent", analysis.agents.iter().map(|(name, agent)| (name.clone(), &agent.all)))
}

/// The analysis of some groups as a table, one row each.
pub fn rows<'a>(heading: &str, groups: impl IntoIterator<Item = (String, &'a GroupAnalysis)>) -> String {
    let groups: Vec<(String, &GroupAnalysis)> = groups.into_iter().collect();
    let met = |category: &Category| groups.iter().any(|(_, tally)| tally.count(*category) > 0);
    let categories: Vec<Category> = Category::ALL.into_iter().filter(met).collect();
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    let headings = categories.iter().map(|category| category.name());
    table.set_header([heading].into_iter().chain(headings).chain(COLUMNS.map(|(heading, _)| heading)));
    for (name, tally) in &groups {
        let counts = categories.iter().map(|category| tally.count(*category).to_string());
        table.add_row([name.clone()].into_iter().chain(counts).chain(COLUMNS.map(|(_, cell)| cell(tally))));
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1)).set_cell_alignment(if at == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.trim_fmt() + "\n"
}

fn steps(mean: Option<f64>) -> String {
    mean.map_or("-".into(), |step| format!("step {step:.1}"))
}
