//! `query_metrics`: one metric over a window, as a picture and as numbers.

use std::fmt::Write;

use world::{Span, Time, View};

use crate::args::ToolArgs;
use crate::learn::{ReplyNotes, ReplyReader, ShownReply, number};
use crate::param::Param;
use crate::params::{METRIC, SERVICE, Whole};
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Run, Tool};

/// The tool.
pub struct QueryMetrics;

impl Tool for QueryMetrics {
    fn name(&self) -> &'static str {
        "query_metrics"
    }

    fn signature(&self) -> &'static str {
        "query_metrics(service, metric[, minutes])"
    }

    fn about(&self) -> &'static str {
        "one metric of a service over the last minutes: least, greatest, latest, and its course"
    }

    fn params(&self) -> &'static [Param] {
        const MINUTES: &Whole = &Whole { min: 1, max: 120 };
        const { &[SERVICE, Param::needed("metric", METRIC), Param::optional("minutes", MINUTES)] }
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&READER)
    }
}

/// Columns of the picture, and how many of them are also given as numbers.
const COLUMNS: usize = 36;
const POINTS: usize = 9;

type Sample = (Time, Option<f64>);

fn look(view: View<'_>, args: &ToolArgs) -> Reply {
    let (service, metric, now) = (args.service(), args.text("metric"), view.now());
    let (name, minutes) = (view.name(service), args.whole("minutes", 30));
    let samples = view.series(service, metric, now.back(Span::mins(minutes)), now).unwrap_or_default();
    let reading = view.metrics(service).find(|r| r.name == metric);
    let unit = reading.map_or("", |r| r.unit.text());
    let mut sheet = Sheet::new(640);
    let _ = write!(sheet, "{name} {metric} at {now}, last {minutes} min, {} samples", samples.len());
    sheet.line();
    let known = || samples.iter().filter_map(|s| s.1);
    let (low, high) = known().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    sheet.put("now ").sample(samples.last().and_then(|s| s.1), unit).put("   min ").sample(Some(low), unit);
    sheet.put("   max ").sample(Some(high), unit).put("   usual ").sample(reading.map(|r| r.usual), unit).line();
    let course = thinned(&samples, COLUMNS);
    if !course.is_empty() {
        let picture: String = course.iter().map(|s| bar(s.1, low, high)).collect();
        sheet.put("course  ").put(&picture).line();
    }
    for (time, value) in thinned(&course, POINTS) {
        sheet.time(time).put("  ").sample(value, unit).line();
    }
    let telling = known().any(|v| view.unusual(service, metric, v));
    let facts = if known().next().is_some() {
        vec![Fact::new(FactKind::Metrics, name, metric.to_string(), telling)]
    } else {
        vec![]
    };
    Reply::show(sheet.done(), facts)
}

/// At most so many samples, evenly chosen, the latest always among them.
fn thinned(samples: &[Sample], most: usize) -> Vec<Sample> {
    let n = samples.len();
    if n <= most {
        return samples.to_vec();
    }
    (1..=most).map(|k| samples[k * n / most - 1]).collect()
}

fn bar(value: Option<f64>, low: f64, high: f64) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    match value {
        None => '·',
        Some(value) => {
            let range = (high - low).max(1e-12);
            BARS[(((value - low) / range * 7.0).round() as usize).min(7)]
        }
    }
}

/// How far the metric is from where it usually is.
static READER: ReplyReader = ReplyReader { service: &[], incident: &[], read };

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    let line = shown.text.lines().nth(1).unwrap_or_default();
    let after = |word: &str| line.split(word).nth(1).and_then(number);
    let metric = shown.args.get("metric");
    if let (Some(service), Some(metric), Some(now), Some(usual)) =
        (shown.service, metric, after("now "), after("usual "))
    {
        notes.distance(service, metric, now, usual);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_keeps_its_latest_sample_and_its_gaps() {
        let sample = |n: u64| (Time(n), (n % 7 != 3).then_some(n as f64));
        let samples: Vec<Sample> = (0..100).map(sample).collect();
        let course = thinned(&samples, 36);
        assert_eq!((course.len(), course[35]), (36, samples[99]));
        let shown: String = course.iter().map(|s| bar(s.1, 0.0, 99.0)).collect();
        assert_eq!(shown.chars().count(), 36);
        assert!(shown.ends_with('█') && shown.contains('·') && shown.starts_with('▁'), "{shown}");
        assert_eq!(thinned(&samples[..5], 36).len(), 5);
        assert_eq!(bar(Some(4.0), 4.0, 4.0), '▁');
    }
}
