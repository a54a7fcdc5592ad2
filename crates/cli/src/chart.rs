//! A small chart for the terminal: how the telling series went, with and without a fix.

use std::fmt::Write;

use harness::{Span, Time, View};

const COLUMNS: usize = 60;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A series has recovered if it was usual all this long.
const RECOVERED: Span = Span::mins(3);

/// A stretch of simulated time, with moments in it that are marked.
pub struct Window {
    /// Where the chart begins.
    pub from: Time,
    /// Where it ends.
    pub to: Time,
    /// Moments, each with the letter and the word that stand for it.
    pub marks: Vec<(Time, char, &'static str)>,
}

type Samples = Vec<(Time, Option<f64>)>;

/// For each of these services its most telling series, in the untouched world and in the mended one.
pub fn draw(services: &[String], untouched: View<'_>, mended: View<'_>, window: &Window) -> String {
    let mut out = String::new();
    for name in services {
        let Some(service) = untouched.services().position(|service| service == name) else { continue };
        let Some((metric, unit)) = most_telling(service, untouched, mended, window) else { continue };
        let series = |view: View<'_>| view.series(service, metric, window.from, window.to).unwrap_or_default();
        let rows = [buckets(&series(untouched), window), buckets(&series(mended), window)];
        let (low, high) = range(rows.iter().flatten().flatten().copied());
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        put(&mut out, &format!("{name} {metric}, {} to {}{unit}", figure(low), figure(high)));
        put(&mut out, &format!("  untouched  {}", bars(&rows[0], low, high)));
        put(&mut out, &format!("  solved     {}", bars(&rows[1], low, high)));
    }
    if !out.is_empty() {
        put(&mut out, &format!("             {}", marks(window)));
    }
    out
}

/// The series that is unusual for longest without any action, and is usual again after the fix.
fn most_telling(
    service: usize,
    untouched: View<'_>,
    mended: View<'_>,
    window: &Window,
) -> Option<(&'static str, &'static str)> {
    let unusual = |view: View<'_>, metric: &str, from: Time| {
        let samples = view.series(service, metric, from, window.to).unwrap_or_default();
        samples.iter().filter_map(|s| s.1).filter(|v| view.unusual(service, metric, *v)).count()
    };
    let mut best = (0, None);
    for reading in untouched.metrics(service) {
        let seen = unusual(untouched, reading.name, window.from);
        let left = unusual(mended, reading.name, window.to.back(RECOVERED));
        let telling = seen.saturating_sub(left * seen.min(4));
        if telling > best.0 {
            best = (telling, Some((reading.name, reading.unit.text())));
        }
    }
    best.1
}

/// The mean of each column's samples; `None` where there is none.
fn buckets(samples: &Samples, window: &Window) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0u32); COLUMNS];
    for (time, value) in samples.iter().filter_map(|(time, value)| Some((time, (*value)?))) {
        let sum = &mut sums[column(*time, window)];
        *sum = (sum.0 + value, sum.1 + 1);
    }
    // Where scrapes are rarer than columns the last one holds.
    let mut last = None;
    let mean = |(sum, n): (f64, u32)| {
        last = if n > 0 { Some(sum / f64::from(n)) } else { last };
        last
    };
    sums.into_iter().map(mean).collect()
}

fn column(time: Time, window: &Window) -> usize {
    let (at, all) = (time.since(window.from).0, window.to.since(window.from).0.max(1));
    ((at * COLUMNS as u64 / all) as usize).min(COLUMNS - 1)
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

fn bars(values: &[Option<f64>], low: f64, high: f64) -> String {
    let height = |value: f64| ((value - low) / (high - low).max(1e-12) * 7.0).round() as usize;
    values.iter().map(|value| value.map_or(' ', |value| BARS[height(value).min(7)])).collect()
}

fn marks(window: &Window) -> String {
    let mut line = [' '; COLUMNS];
    for (time, letter, _) in &window.marks {
        line[column(*time, window)] = *letter;
    }
    let legend: Vec<String> =
        window.marks.iter().map(|(time, letter, word)| format!("{letter} {word} {time}")).collect();
    let line: String = line.iter().collect();
    format!("{}\n             {}", line.trim_end(), legend.join(", "))
}

fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        a if a >= 100.0 || a == 0.0 => 0,
        a if a >= 10.0 => 1,
        a if a >= 0.1 => 2,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

fn put(out: &mut String, line: &str) {
    writeln!(out, "{line}").expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_is_as_wide_as_the_chart_and_uses_the_whole_height() {
        let minute = |n: u64| Time(60_000 * n);
        let window = Window { from: minute(0), to: minute(30), marks: vec![(minute(15), 'p', "page")] };
        let samples: Samples = (1..=30).map(|n| (minute(n), (n != 7).then_some(n as f64))).collect();
        let row = buckets(&samples, &window);
        let shown = bars(&row, 1.0, 30.0);
        assert_eq!(shown.chars().count(), COLUMNS);
        assert!(shown.trim_start().starts_with('▁') && shown.ends_with('█'), "{shown}");
        assert_eq!(marks(&window), format!("{}p\n             p page 00:15:00", " ".repeat(COLUMNS / 2)));
    }
}
