//! `inspect_metrics`: all metrics of a service, now, beside what they were and what they usually are.

use world::View;

use crate::args::ToolArgs;
use crate::learn::{MetricLine, ReplyNotes, ReplyReader, ShownReply, columns, number};
use crate::param::Param;
use crate::params::SERVICE;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Glance, Run, Tool};

/// The tool.
pub struct InspectMetrics;

impl Tool for InspectMetrics {
    fn name(&self) -> &'static str {
        "inspect_metrics"
    }

    fn signature(&self) -> &'static str {
        "inspect_metrics(service)"
    }

    fn about(&self) -> &'static str {
        "current metrics of a service, each with its value ten minutes ago and its usual value"
    }

    fn params(&self) -> &'static [Param] {
        &[SERVICE]
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }

    fn glance(&self) -> Option<Glance> {
        Some(|view, args, _| {
            let metrics = view.metrics_now(args.service());
            metrics.map(|(metric, _, is_clear)| fact(view, args, metric, is_clear)).collect()
        })
    }

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&READER)
    }
}

fn look(view: View<'_>, args: &ToolArgs) -> Reply {
    let service = args.service();
    let (name, metrics) = (view.name(service), view.metric_names(service));
    let count = metrics.len();
    let first = metrics.map(str::len).max().unwrap_or(0) + 2;
    let mut sheet = Sheet::new(64 + count * (first + 40));
    sheet.put(name).put(" metrics at ").time(view.now()).line();
    sheet
        .put("metric")
        .column(first)
        .put("now")
        .column(first + 12)
        .put("10 min ago")
        .column(first + 24)
        .put("usual")
        .line();
    let mut facts = Vec::with_capacity(count);
    for reading in view.metrics(service) {
        let unit = reading.unit.text();
        sheet.put(reading.name).column(first).sample(reading.value, unit);
        sheet.column(first + 12).sample(reading.before, unit);
        sheet.column(first + 24).sample(Some(reading.usual), unit).line();
        // A lost sample shows nothing, and nothing is no evidence.
        if reading.value.is_some() {
            facts.push(fact(view, args, reading.name, reading.unusual));
        }
    }
    Reply::show(sheet.done(), facts)
}

fn fact(view: View<'_>, args: &ToolArgs, metric: &'static str, unusual: bool) -> Fact {
    Fact::new(FactKind::Metrics, view.name(args.service()), metric, unusual)
}

/// How far each metric is from where it was and where it usually is.
static READER: ReplyReader = ReplyReader { service: &["seen:metrics", "metrics:no_data"], incident: &[], read };

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    let Some(service) = shown.service else { return };
    notes.put(service, "seen:metrics", shown.when);
    let (mut lost, mut all) = (0.0, 0.0);
    for line in shown.text.lines().skip(2) {
        let mut cells = columns(line);
        let Some(name) = cells.next() else { continue };
        let [now, before, usual] = [(); 3].map(|()| cells.next().and_then(number));
        if notes.metric(service, name, MetricLine { now, before, usual }) {
            all += 1.0;
            lost += f64::from(u8::from(now.is_none()));
        }
    }
    notes.put(service, "metrics:no_data", lost / f64::max(all, 1.0));
}
