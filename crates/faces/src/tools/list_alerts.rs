//! `list_alerts`: what fires, and what is about to.

use world::View;

use crate::args::ToolArgs;
use crate::learn::{ReplyNotes, ReplyReader, ShownReply, columns};
use crate::param::Param;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::{Sheet, behind};
use crate::tool::{Run, Tool};

/// The tool.
pub struct ListAlerts;

impl Tool for ListAlerts {
    fn name(&self) -> &'static str {
        "list_alerts"
    }

    fn signature(&self) -> &'static str {
        "list_alerts()"
    }

    fn about(&self) -> &'static str {
        "alerts that fire or are pending, of services and of routes' objectives"
    }

    fn params(&self) -> &'static [Param] {
        &[]
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&READER)
    }
}

fn look(view: View<'_>, _: &ToolArgs) -> Reply {
    let alerts = view.alerts();
    let mut sheet = Sheet::new(64 + alerts.len() * 140);
    sheet.put("alerts at ").time(view.now()).line();
    if alerts.is_empty() {
        sheet.put("none").line();
    }
    let at = 31 + behind(35, alerts.iter().map(|alert| &*alert.name));
    let mut facts = Vec::with_capacity(alerts.len());
    for alert in &alerts {
        match alert.firing {
            Some(since) => sheet.put("firing since ").time(since),
            None => sheet.put("pending"),
        };
        sheet.column(23).put(if alert.pages { "page" } else { "ticket" }).column(31).put(&alert.name).column(at);
        sheet.put(&alert.text).put(if alert.silenced { " (silenced)" } else { "" }).line();
        facts.push(Fact::new(FactKind::Alert, &alert.owner, alert.name.to_string(), alert.firing.is_some()));
    }
    Reply::show(sheet.done(), facts)
}

/// How much fires, where, and what can be silenced.
static READER: ReplyReader = ReplyReader { service: &[FIRING], incident: &["alerts:firing", "alerts:paging"], read };

const FIRING: &str = "alerts:firing";

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    (0..notes.services()).for_each(|service| notes.put(service, FIRING, 0.0));
    let (mut firing, mut paging) = (0.0, 0.0);
    for line in shown.text.lines().skip(1) {
        let mut cells = columns(line);
        let (Some(state), Some(pages), Some(name)) = (cells.next(), cells.next(), cells.next()) else { continue };
        notes.show("alert", name);
        if !state.starts_with("firing") {
            continue;
        }
        firing += 1.0;
        paging += f64::from(u8::from(pages == "page"));
        if let Some(service) = name.split('/').next().and_then(|owner| notes.find(owner)) {
            notes.add(service, FIRING, 0.25);
        }
    }
    notes.set("alerts:firing", firing / 10.0);
    notes.set("alerts:paging", paging / 10.0);
}
