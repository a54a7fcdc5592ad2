//! `check_status`: what a service says of itself, its instances, and its alerts.

use world::View;
use world::telemetry::health::Health;

use crate::args::Args;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Param, Run, SERVICE, Tool};

/// The tool.
pub struct CheckStatus;

impl Tool for CheckStatus {
    fn name(&self) -> &'static str {
        "check_status"
    }

    fn signature(&self) -> &'static str {
        "check_status(service)"
    }

    fn about(&self) -> &'static str {
        "the status page of a service: health, instances, firing alerts"
    }

    fn params(&self) -> &'static [Param] {
        &[SERVICE]
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }
}

fn look(view: View<'_>, args: &Args) -> Reply {
    let (name, status) = (view.name(args.service()), view.status(args.service()));
    let mut sheet = Sheet::new(512);
    sheet.put(name).put(" is ").put(status.health.text()).put(" at ").time(view.now()).line();
    sheet.put("instances").line();
    for instance in &status.instances {
        sheet.put("  ").put(instance).line();
    }
    if !status.notes.is_empty() {
        sheet.put("notes").line();
    }
    for note in &status.notes {
        sheet.put("  ").put(note).line();
    }
    sheet.put("firing alerts").line();
    for alert in &status.firing {
        sheet.put("  ").put(alert).line();
    }
    if status.firing.is_empty() {
        sheet.put("  none").line();
    }
    let mut facts = vec![Fact::new(FactKind::Status, name, "health", status.health != Health::Healthy)];
    facts.extend(status.firing.iter().map(|alert| Fact::new(FactKind::Alert, name, alert.to_string(), true)));
    Reply::show(sheet.done(), facts)
}
