//! From the text of a reply to the board: one reader per tool.

use super::board::Board;
use super::layout::{Layout, Own, Whole};
use super::sheet::{columns, distance, number, share};
use crate::record::{FactKind, Step};
use world::config::{Key, KeyType};

/// Takes in a reply. `when` is the share of the budget that was used by then, so that a learner can
/// tell old news from fresh.
pub(super) fn read(board: &mut Board, step: &Step, when: f64) {
    let service = step.args.get("service").and_then(|name| board.find(name));
    match (step.tool.as_str(), service) {
        ("inspect_logs" | "search_logs", Some(service)) => logs(board, service, step, when),
        ("inspect_metrics", Some(service)) => metrics(board, service, &step.observation, when),
        ("query_metrics", Some(service)) => series(board, service, step),
        ("check_status", Some(service)) => status(board, service, &step.observation, when),
        ("inspect_config", Some(service)) => config(board, service, &step.observation, when),
        ("check_dependencies", Some(service)) => dependencies(board, service, &step.observation, when),
        ("check_routes", _) => routes(board, &step.observation),
        ("list_alerts", _) => alerts(board, &step.observation),
        ("list_changes", _) => changes(board, &step.observation),
        ("list_traces", _) => traces(board, step),
        _ => {}
    }
}

fn logs(board: &mut Board, service: usize, step: &Step, when: f64) {
    const FULL: f64 = 15.0;
    let mut counts = [0.0; 3];
    for line in step.observation.lines().skip(1) {
        // The time of day stands before the level.
        match line.as_bytes().get(9) {
            Some(b'I') => counts[0] += 1.0,
            Some(b'W') => counts[1] += 1.0,
            Some(b'E') => counts[2] += 1.0,
            _ => {}
        }
    }
    board.put(service, Own::SeenLogs, when);
    for (feature, count) in [Own::LinesInfo, Own::LinesWarn, Own::LinesError].into_iter().zip(counts) {
        board.put(service, feature, count / FULL);
    }
    let layout = Layout::get();
    let row = board.row(service);
    row[layout.all_templates()].fill(0.0);
    for fact in step.facts.iter().filter(|fact| fact.kind == FactKind::Logs) {
        if let Some(at) = layout.template(&fact.item) {
            row[at] = 1.0;
        }
    }
}

fn metrics(board: &mut Board, service: usize, text: &str, when: f64) {
    board.put(service, Own::SeenMetrics, when);
    let (mut lost, mut all) = (0.0, 0.0);
    for line in text.lines().skip(2) {
        let mut cells = columns(line);
        let Some(series) = cells.next().and_then(|name| Layout::get().metric(name)) else { continue };
        let [now, before, usual] = [(); 3].map(|()| cells.next().and_then(number));
        all += 1.0;
        lost += f64::from(u8::from(now.is_none()));
        let far = |from: Option<f64>| now.zip(from).map_or(0.0, |(now, from)| distance(now, from, series.slack));
        let row = board.row(service);
        (row[series.column], row[series.column + 1]) = (far(usual), far(before));
        board.show_metric(service, series.rank);
    }
    board.put(service, Own::NoData, lost / f64::max(all, 1.0));
}

fn series(board: &mut Board, service: usize, step: &Step) {
    let metric = step.args.get("metric").and_then(|name| Layout::get().metric(name));
    let line = step.observation.lines().nth(1).unwrap_or_default();
    let after = |word: &str| line.split(word).nth(1).and_then(number);
    if let (Some(series), Some(now), Some(usual)) = (metric, after("now "), after("usual ")) {
        board.row(service)[series.column] = distance(now, usual, series.slack);
    }
}

fn status(board: &mut Board, service: usize, text: &str, when: f64) {
    let first = text.lines().next().unwrap_or_default();
    board.put(service, Own::SeenStatus, when);
    for (feature, word) in [(Own::Healthy, " is healthy "), (Own::Degraded, " is degraded "), (Own::Down, " is down ")]
    {
        board.put(service, feature, f64::from(u8::from(first.contains(word))));
    }
    let (mut part, mut up, mut instances, mut notes, mut firing) = ("", 0.0, 0.0, 0.0, 0.0);
    for line in text.lines().skip(1) {
        match (line.strip_prefix("  "), part) {
            (None, _) => part = line,
            (Some(line), "instances") => {
                instances += 1.0;
                up += f64::from(u8::from(line.contains(": running")));
            }
            (Some(_), "notes") => notes += 1.0,
            (Some("none"), _) => {}
            (Some(alert), _) => {
                firing += 1.0;
                board.show_alert(alert);
            }
        }
    }
    board.put(service, Own::InstancesUp, up / f64::max(instances, 1.0));
    board.put(service, Own::Notes, notes / 4.0);
    board.put(service, Own::Firing, firing / 4.0);
    for (feature, words) in
        [(Own::ClockOff, ", clock off by"), (Own::BusyNode, ", node is busy"), (Own::BackOff, ": back-off")]
    {
        board.put(service, feature, f64::from(u8::from(text.contains(words))));
    }
}

fn config(board: &mut Board, service: usize, text: &str, when: f64) {
    board.put(service, Own::SeenConfig, when);
    for line in text.lines().skip(1) {
        let mut cells = columns(line);
        let (Some(name), Some(value)) = (cells.next(), cells.next()) else { continue };
        let Some(setting) = Layout::get().key(name) else { continue };
        if let Some(key) = board.key(service, name) {
            board.row(service)[setting.column] = from_default(key, value);
        }
        board.show_setting(service, setting, value);
    }
    board.put(service, Own::RollingOut, f64::from(u8::from(text.contains("; rollout in progress"))));
}

/// How far a value is from the one in the manual: 0 if it is the same.
fn from_default(key: &Key, value: &str) -> f32 {
    match (key.takes, value.parse::<f64>(), key.default.parse::<f64>()) {
        (KeyType::Int { .. }, Ok(value), Ok(usual)) => distance(value, usual, 0.0001),
        _ if value == key.default => 0.0,
        _ => 1.0,
    }
}

fn dependencies(board: &mut Board, service: usize, text: &str, when: f64) {
    board.put(service, Own::SeenDependencies, when);
    let mut worst: f64 = 0.0;
    for line in text.lines().skip(2) {
        let mut cells = columns(line);
        let (Some(name), Some(_), Some(errors)) = (cells.next(), cells.next(), cells.next()) else { continue };
        let Some(errors) = share(errors) else { continue };
        worst = worst.max(errors);
        if let Some(callee) = board.find(name) {
            board.put(callee, Own::CalledFails, errors);
        }
    }
    board.put(service, Own::CallsFail, worst);
}

fn routes(board: &mut Board, text: &str) {
    let (mut worst_failed, mut worst_slow, mut out, mut all) = (0.0f64, 0.0f64, 0.0, 0.0);
    for line in text.lines().skip(2) {
        let mut cells = columns(line);
        let Some(name) = cells.next() else { continue };
        board.show_route(name);
        let [_, failed, slow, allowed] = [(); 4].map(|()| cells.next().and_then(share).unwrap_or(0.0));
        (worst_failed, worst_slow) = (worst_failed.max(failed), worst_slow.max(slow));
        out += f64::from(u8::from(failed + slow > allowed));
        all += 1.0;
    }
    board.set(Whole::RoutesFailed, worst_failed);
    board.set(Whole::RoutesSlow, worst_slow);
    board.set(Whole::RoutesOut, out / f64::max(all, 1.0));
}

fn alerts(board: &mut Board, text: &str) {
    (0..board.services()).for_each(|service| board.put(service, Own::Alerts, 0.0));
    let (mut firing, mut paging) = (0.0, 0.0);
    for line in text.lines().skip(1) {
        let mut cells = columns(line);
        let (Some(state), Some(pages), Some(name)) = (cells.next(), cells.next(), cells.next()) else { continue };
        board.show_alert(name);
        if !state.starts_with("firing") {
            continue;
        }
        firing += 1.0;
        paging += f64::from(u8::from(pages == "page"));
        if let Some(service) = name.split('/').next().and_then(|owner| board.find(owner)) {
            let feature = &mut board.row(service)[Own::Alerts as usize];
            *feature = (*feature + 0.25).min(1.0);
        }
    }
    board.set(Whole::AlertsFiring, firing / 10.0);
    board.set(Whole::AlertsPaging, paging / 10.0);
}

fn changes(board: &mut Board, text: &str) {
    for service in 0..board.services() {
        board.put(service, Own::Changes, 0.0);
        board.put(service, Own::ChangedLast, 0.0);
    }
    let (mut shown, mut last) = (0.0, None);
    for line in text.lines().skip(2) {
        let mut cells = columns(line);
        let (Some(id), Some(_), Some(name)) = (cells.next(), cells.next(), cells.next()) else { continue };
        board.show_change(id);
        shown += 1.0;
        if let Some(service) = board.find(name) {
            let feature = &mut board.row(service)[Own::Changes as usize];
            *feature = (*feature + 0.1).min(1.0);
            last = Some(service);
        }
    }
    if let Some(service) = last {
        board.put(service, Own::ChangedLast, 1.0);
    }
    board.set(Whole::ChangesShown, shown / 20.0);
}

/// A step of a request that failed says so in the text.
fn traces(board: &mut Board, step: &Step) {
    (0..board.services()).for_each(|service| board.put(service, Own::TraceErrors, 0.0));
    for fact in step.facts.iter().filter(|fact| fact.kind == FactKind::Trace && fact.telling) {
        if let Some(service) = board.find(&fact.service) {
            let feature = &mut board.row(service)[Own::TraceErrors as usize];
            *feature = (*feature + 0.25).min(1.0);
        }
    }
}
