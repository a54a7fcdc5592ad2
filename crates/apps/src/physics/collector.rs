//! What garbage collection costs: by how often it is told to run, and by how little room a heap has left.

use crate::instance::Instance;
use crate::spec::Language;

const MEGABYTE: f64 = 1_048_576.0;

/// How many times more processor time a program takes because of its garbage collector. A heap that is nearly full is
/// collected all the time: what waits in it makes the program slower, so more waits in it.
pub(super) fn collector_factor(instance: &Instance) -> f64 {
    // About half of what an idle program has in memory is no heap.
    let base = instance.program.memory_mb * MEGABYTE;
    let live = (instance.memory - base / 2.0).max(base / 8.0);
    match instance.program.language {
        Language::Go => go(instance.setting("GOGC"), room(instance.setting("GOMEMLIMIT"), live)),
        Language::Java => {
            let options = ["JAVA_TOOL_OPTIONS", "JAVA_OPTS", "_JAVA_OPTIONS"].map(|name| instance.setting(name));
            java(options.iter().flat_map(|words| words.split_whitespace()).find_map(|word| {
                let most = word.strip_prefix("-Xmx")?;
                room(most, live)
            }))
        }
        _ => 1.0,
    }
}

/// The room that a limit leaves beside what is live, in percent of that; nothing without a limit.
fn room(limit: &str, live: f64) -> Option<f64> {
    bytes(limit).map(|limit| (100.0 * (limit - live) / live).max(0.1))
}

/// Go collects when the heap has grown by `GOGC` percent, or meets its limit. For the sake of a limit it spends at most half of
/// its time.
fn go(percent: &str, room: Option<f64>) -> f64 {
    let cost = |percent: f64| 1.0 + 0.06 * (100.0 / percent - 1.0).clamp(0.0, 60.0);
    let told = percent.parse::<f64>().ok().filter(|percent| *percent > 0.0);
    let by_limit = room.filter(|room| *room < told.unwrap_or(100.0)).map_or(1.0, |room| cost(room).min(2.0));
    told.map_or(1.0, cost).max(by_limit)
}

/// Java does hardly anything else when there is no room left.
fn java(room: Option<f64>) -> f64 {
    room.map_or(1.0, |room| 1.0 + 0.06 * (100.0 / room - 1.0).clamp(0.0, 300.0))
}

/// `512m`, `64MiB`, `2g` in bytes.
fn bytes(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits.parse().ok()?;
    let unit = match text[digits.len()..].chars().next().map(|c| c.to_ascii_lowercase()) {
        Some('k') => 1024.0,
        Some('m') => MEGABYTE,
        Some('g') => 1024.0 * MEGABYTE,
        _ => 1.0,
    };
    Some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_each_runtime_writes_them() {
        for (text, expect) in
            [("64MiB", Some(64.0)), ("512m", Some(512.0)), ("2g", Some(2048.0)), ("", None), ("off", None)]
        {
            assert_eq!(bytes(text), expect.map(|count| count * MEGABYTE), "{text}");
        }
        assert_eq!(bytes("4096"), Some(4096.0));
    }

    #[test]
    fn a_heap_costs_more_the_fuller_it_is() {
        let at = |live: f64| go("", room("64MiB", live * MEGABYTE));
        assert_eq!(at(10.0), 1.0, "room for more than it would grow by");
        let costs = [40.0, 50.0, 60.0, 63.0, 70.0].map(at);
        assert!(costs.windows(2).all(|two| two[0] <= two[1]), "{costs:?}");
        assert_eq!(at(70.0), 2.0, "half of the time at most");
        let java_at = |live: f64| java(room("64m", live * MEGABYTE));
        assert!(java_at(20.0) == 1.0 && java_at(60.0) > 1.5 && java_at(64.0) > 10.0);
    }

    #[test]
    fn a_collector_that_runs_all_the_time_costs_as_before() {
        assert_eq!(go("100", None), 1.0);
        assert_eq!(go("", None), 1.0);
        assert!((go("1", None) - 4.6).abs() < 1e-9);
        assert_eq!(go("off", None), 1.0);
    }
}
