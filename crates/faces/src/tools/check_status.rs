//! `check_status`: what a service says of itself, its instances, and its alerts.

use world::View;
use world::telemetry::health::Health;

use crate::args::ToolArgs;
use crate::learn::{ReplyNotes, ReplyReader, ShownReply};
use crate::param::Param;
use crate::params::SERVICE;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Run, Tool};

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

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&READER)
    }
}

fn look(view: View<'_>, args: &ToolArgs) -> Reply {
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

/// What the page says of the service, its instances and their nodes, and which alerts can be silenced.
static READER: ReplyReader = ReplyReader {
    service: &[
        "seen:status",
        "status:healthy",
        "status:degraded",
        "status:down",
        "status:instances_up",
        "status:firing_alerts",
        "status:notes",
        "status:clock_off",
        "status:busy_node",
        "status:back_off",
    ],
    incident: &[],
    read,
};

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    let (Some(service), text) = (shown.service, shown.text) else { return };
    let first = text.lines().next().unwrap_or_default();
    let flag = |holds: bool| f64::from(u8::from(holds));
    notes.put(service, "seen:status", shown.when);
    for (name, words) in
        [("status:healthy", " is healthy "), ("status:degraded", " is degraded "), ("status:down", " is down ")]
    {
        notes.put(service, name, flag(first.contains(words)));
    }
    let (mut part, mut up, mut instances, mut remarks, mut firing) = ("", 0.0, 0.0, 0.0, 0.0);
    for line in text.lines().skip(1) {
        match (line.strip_prefix("  "), part) {
            (None, _) => part = line,
            (Some(line), "instances") => {
                instances += 1.0;
                up += flag(line.contains(": running"));
            }
            (Some(_), "notes") => remarks += 1.0,
            (Some("none"), _) => {}
            (Some(alert), _) => {
                firing += 1.0;
                notes.show("alert", alert);
            }
        }
    }
    notes.put(service, "status:instances_up", up / f64::max(instances, 1.0));
    notes.put(service, "status:notes", remarks / 4.0);
    notes.put(service, "status:firing_alerts", firing / 4.0);
    for (name, words) in [
        ("status:clock_off", ", clock off by"),
        ("status:busy_node", ", node is busy"),
        ("status:back_off", ": back-off"),
    ] {
        notes.put(service, name, flag(text.contains(words)));
    }
}
