//! Problems in a cluster, by layer, mode of failure and application: how often they were diagnosed, mitigated and both, and how fast.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};
use record::StageScore;
use record::grade::Score;

/// The table of the scores that have stages; nothing if none has.
pub fn stage_table<'a>(scores: impl IntoIterator<Item = &'a Score>) -> Option<String> {
    let mut rows: BTreeMap<(&str, u8, &str), Vec<&StageScore>> = BTreeMap::new();
    for score in scores.into_iter().filter(|score| score.counts()) {
        let Some(stages) = &score.stages else { continue };
        for (place, name) in [(0, "all"), (1, stages.layer.as_str()), (2, stages.mode.as_str())] {
            rows.entry((&score.agent, place, name)).or_default().push(stages);
        }
        for name in &stages.applications {
            rows.entry((&score.agent, 3, name)).or_default().push(stages);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let heading =
        ["agent", "problems", "episodes", "diagnosed", "mitigated", "both", "TTD", "TTM", "P(mitigated | diagnosed)"];
    table.set_header(heading).add_rows(rows.iter().map(|(key, stages)| row(key, stages)));
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2)).set_cell_alignment(if at < 2 { CellAlignment::Left } else { CellAlignment::Right });
    }
    let table: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let all = rows.iter().filter(|((_, place, _), _)| *place == 0);
    Some(table + &all.map(|((agent, ..), stages)| uses(agent, stages)).collect::<String>())
}

/// What an agent asked for in an episode, by kind, the most frequent first.
fn uses(agent: &str, stages: &[&StageScore]) -> String {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for (kind, count) in stages.iter().flat_map(|one| &one.uses) {
        *counts.entry(kind).or_default() += count;
    }
    let mut counts: Vec<(&str, u32)> = counts.into_iter().collect();
    counts.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
    let mean = |count: u32| f64::from(count) / stages.len() as f64;
    let told: Vec<String> = counts.iter().map(|(kind, count)| format!("{kind} {:.1}", mean(*count))).collect();
    if told.is_empty() { String::new() } else { format!("{agent} used per episode: {}\n", told.join(", ")) }
}

fn row((agent, _, name): &(&str, u8, &str), stages: &[&StageScore]) -> Vec<String> {
    let (diagnosed, mitigated) = (|one: &&StageScore| one.diagnosed == Some(true), |one: &&StageScore| one.mitigated);
    let count = |holds: &dyn Fn(&&StageScore) -> bool| stages.iter().filter(|one| holds(one)).count();
    let both = count(&|one| diagnosed(one) && mitigated(one));
    let share = |part: usize, whole: usize| match whole {
        0 => "-".to_string(),
        whole => format!("{:.0} %", 100.0 * part as f64 / whole as f64),
    };
    let mean = |value: &dyn Fn(&StageScore) -> Option<f64>| {
        let values: Vec<f64> = stages.iter().filter_map(|one| value(one)).collect();
        if values.is_empty() {
            "-".to_string()
        } else {
            format!("{:.1} min", values.iter().sum::<f64>() / values.len() as f64)
        }
    };
    vec![
        agent.to_string(),
        name.to_string(),
        stages.len().to_string(),
        share(count(&diagnosed), stages.len()),
        share(count(&mitigated), stages.len()),
        share(both, stages.len()),
        mean(&|one| one.minutes_to_diagnosis),
        mean(&|one| one.minutes_to_mitigation),
        share(both, count(&diagnosed)),
    ]
}
