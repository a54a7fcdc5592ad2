//! `inspect_metrics`: all metrics of a service, now, beside what they were and what they usually are.

use world::View;

use crate::args::Args;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Param, Run, SERVICE, Tool};

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
}

fn look(view: View<'_>, args: &Args) -> Reply {
    let service = args.service();
    let (name, metrics) = (view.name(service), view.plan().services[service].kind.metrics());
    let first = metrics.iter().map(|m| m.name.len()).max().unwrap_or(0) + 2;
    let mut sheet = Sheet::new(64 + metrics.len() * (first + 40));
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
    let mut facts = Vec::with_capacity(metrics.len());
    for reading in view.metrics(service) {
        let unit = reading.unit.text();
        sheet.put(reading.name).column(first).sample(reading.value, unit);
        sheet.column(first + 12).sample(reading.before, unit);
        sheet.column(first + 24).sample(Some(reading.usual), unit).line();
        // A lost sample shows nothing, and nothing is no evidence.
        if reading.value.is_some() {
            facts.push(Fact::new(FactKind::Metrics, name, reading.name, reading.unusual));
        }
    }
    Reply::show(sheet.done(), facts)
}
