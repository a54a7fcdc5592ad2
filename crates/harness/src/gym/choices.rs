//! The further choice that some tools take, and how each is written out.

use faces::Tool;
use world::config::KeyType;

use super::actions::Move;
use super::board::Board;
use super::layout::Layout;
use crate::grade::concepts::{self, Concept};

/// The tool that closes an incident.
pub(super) const RESOLVE: &str = "resolve_incident";

/// How many of the changes, alerts and routes that were shown can be picked, the latest first.
const SHOWN: usize = 8;

/// Ways to give a setting another value. A learner picks a direction, not a number.
const WAYS: [&str; 6] = ["default", "half", "double", "tenth", "tenfold", "toggle"];

/// The levels that logs can be searched by.
const LEVELS: [&str; 2] = ["warn", "error"];

/// The names of a tool's choices.
pub(super) fn of(tool: &dyn Tool) -> Vec<String> {
    let shown = |what: &str| (0..SHOWN).map(|n| format!("{what} {n}")).collect();
    let layout = Layout::get();
    match tool.name() {
        RESOLVE => concepts::ALL.iter().map(|concept| concept.name.to_string()).collect(),
        "update_config" => layout.keys().flat_map(|key| WAYS.map(|way| format!("{key} {way}"))).collect(),
        "query_metrics" => layout.metrics().map(str::to_string).collect(),
        "search_logs" => LEVELS.map(str::to_string).to_vec(),
        "rollback_change" => shown("change"),
        "silence_alert" => shown("alert"),
        "list_traces" => shown("route"),
        _ => vec![String::new()],
    }
}

/// Whether what was read opens choices of a tool.
pub(super) fn opens(tool: &dyn Tool) -> bool {
    let names = ["update_config", "query_metrics", "rollback_change", "silence_alert", "list_traces"];
    names.contains(&tool.name())
}

/// Marks the choices of a tool that lead to a valid call on this service.
pub(super) fn mask(tool: &dyn Tool, service: usize, board: &Board, out: &mut [u8]) {
    let first = |count: usize, out: &mut [u8]| {
        let count = count.min(out.len());
        out[..count].fill(1);
    };
    match tool.name() {
        "update_config" => {
            for (setting, _) in board.settings(service) {
                let takes = board.key(service, setting.name).map(|key| key.takes);
                let ways = &mut out[setting.rank * WAYS.len()..(setting.rank + 1) * WAYS.len()];
                ways.iter_mut().zip(WAYS).for_each(|(cell, way)| *cell = u8::from(takes.is_some_and(|t| fits(way, t))));
            }
        }
        "query_metrics" => {
            out.fill(0);
            out.iter_mut().zip(board.metrics(service)).for_each(|(cell, shown)| *cell = *shown);
        }
        "rollback_change" => first(board.changes().len(), out),
        "silence_alert" => first(board.alerts().len(), out),
        "list_traces" => first(board.routes().len(), out),
        _ => out.fill(1),
    }
}

/// The text of an action. What was not shown gets a name that nothing has, so that the world refuses
/// it as it refuses any other slip.
pub(super) fn render(tool: &dyn Tool, action: Move, board: &Board) -> String {
    let name = tool.name();
    let service = board.service(action.service);
    match name {
        RESOLVE => resolve(&service, action.arg, board),
        "update_config" => {
            let (at, way) = (action.arg / WAYS.len(), action.arg % WAYS.len());
            let key = Layout::get().keys().nth(at).unwrap_or("NO_SUCH_KEY");
            let shown = board.settings(action.service).iter().find(|(shown, _)| shown.name == key);
            let value = shown.and_then(|(_, value)| other(board, action.service, key, value, way));
            format!("update_config({service}, {key}, {})", value.unwrap_or_else(|| WAYS[way].to_string()))
        }
        "query_metrics" => {
            format!("query_metrics({service}, {})", Layout::get().metrics().nth(action.arg).unwrap_or("no_such_metric"))
        }
        "search_logs" => format!("search_logs({service}, {})", LEVELS.get(action.arg).unwrap_or(&"no_such_level")),
        "rollback_change" => one(name, latest(board.changes(), action.arg), "change", action.arg),
        "silence_alert" => one(name, latest(board.alerts(), action.arg), "alert", action.arg),
        "list_traces" => one(name, board.routes().get(action.arg), "route", action.arg),
        "escalate" => "escalate(reason=\"it needs another pair of eyes\")".to_string(),
        _ if tool.params().first().is_some_and(|param| !param.optional) => call(name, &service),
        _ => call(name, ""),
    }
}

fn call(tool: &str, arg: &str) -> String {
    let mut out = String::with_capacity(tool.len() + arg.len() + 2);
    out.push_str(tool);
    out.push('(');
    out.push_str(arg);
    out.push(')');
    out
}

fn one(tool: &str, shown: Option<&String>, what: &str, at: usize) -> String {
    match shown {
        Some(name) => call(tool, name),
        None => format!("{tool}({what}_{at})"),
    }
}

fn latest(shown: &[String], nth: usize) -> Option<&String> {
    shown.iter().rev().nth(nth)
}

/// The standard words for a diagnosis: the service, the mechanism, and what was done.
fn resolve(service: &str, concept: usize, board: &Board) -> String {
    let cause = concepts::ALL.get(concept).map_or("unknown", says);
    let fix = match board.deeds() {
        [] => "nothing was changed".to_string(),
        deeds => deeds.join(", then "),
    };
    format!("resolve_incident(root_cause=\"{service}: {cause}\", fix=\"{fix}\")")
}

/// How a mechanism is said: by its key where it has one, else by its first plain phrase.
fn says(concept: &'static Concept) -> &'static str {
    let plain = |phrase: &&str| !phrase.contains("..");
    concept.keys.first().copied().or_else(|| concept.phrases().find(plain)).unwrap_or(concept.name)
}

/// Whether a setting of this type can be changed in this way.
fn fits(way: &str, takes: KeyType) -> bool {
    match takes {
        KeyType::Int { .. } => way != "toggle",
        KeyType::Bool => way == "toggle" || way == "default",
        KeyType::Path | KeyType::Host => way == "default",
    }
}

/// The value that a setting gets, if there is such a way to change it.
fn other(board: &Board, service: usize, key: &str, value: &str, way: usize) -> Option<String> {
    let key = board.key(service, key).filter(|key| fits(WAYS[way], key.takes))?;
    match (WAYS[way], key.takes) {
        ("default", _) => Some(key.default.to_string()),
        ("toggle", KeyType::Bool) => Some(if value == "true" { "false" } else { "true" }.to_string()),
        (_, KeyType::Int { min, max, .. }) => {
            let value: i64 = value.parse().ok()?;
            let scaled = match WAYS[way] {
                "half" => value / 2,
                "double" => value.saturating_mul(2),
                "tenth" => value / 10,
                "tenfold" => value.saturating_mul(10),
                _ => return None,
            };
            Some(scaled.clamp(min, max).to_string())
        }
        _ => None,
    }
}
