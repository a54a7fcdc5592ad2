//! All that is no symptom as marks: words for what is one of several, and logarithms for numbers.

use super::seen::{Seen, role};

/// What is taken into account besides the page and the budget.
#[derive(Clone, Copy, Debug)]
pub struct MarkKinds {
    /// Switches, paths and hosts.
    pub settings: bool,
    /// Numbers that are set.
    pub numbers: bool,
    /// The change history.
    pub changes: bool,
}

/// What was found.
pub struct IncidentMarks {
    /// Words, each at most once.
    pub marks: Vec<String>,
    /// Logarithms of what is set, in the order of services and keys.
    pub numbers: Vec<f64>,
}

/// The marks of an incident.
pub fn signs(seen: &Seen, with: MarkKinds) -> IncidentMarks {
    let mut marks = vec![format!("page {}", seen.rule()), format!("budget {}", seen.steps)];
    let mut numbers = Vec::new();
    for (at, own) in seen.config.iter().enumerate() {
        for (key, value) in own.iter().flatten() {
            match value.parse::<f64>() {
                Ok(number) if with.numbers => numbers.push(libm::log(number.max(0.0) + 0.5)),
                Err(_) if with.settings => marks.push(format!("{} {key} {value}", seen.role(at))),
                _ => {}
            }
            if with.changes {
                marks.push(format!("change {} {key} {}", seen.role(at), last_change(seen, at, key)));
            }
        }
    }
    if with.changes {
        for at in 0..seen.services.len() {
            let deploys = seen.rows.iter().filter(|row| row.service == seen.services[at] && row.setting().is_none());
            marks.push(format!("deploys {} {}", seen.role(at), deploys.count().min(2)));
        }
        let last = seen.rows.last().map(|row| (role(&row.service), row.setting().map_or("", |(key, _)| key)));
        marks.push(format!("last {last:?}"));
        marks.push(format!("changes {}", seen.rows.len() / 3));
    }
    IncidentMarks { marks, numbers }
}

/// How a key was last changed: not at all, up, down, or to a value.
fn last_change(seen: &Seen, at: usize, key: &str) -> String {
    let own = |row: &&crate::exploits::history::HistoryRow| {
        row.service == seen.services[at] && row.setting().is_some_and(|(of, _)| of == key)
    };
    let Some((_, from, to)) = seen.rows.iter().rev().find(own).and_then(|row| row.push()) else {
        return "-".to_string();
    };
    match (from.parse::<f64>(), to.parse::<f64>()) {
        (Ok(from), Ok(to)) => if to > from { "up" } else { "down" }.to_string(),
        _ => to.to_string(),
    }
}
