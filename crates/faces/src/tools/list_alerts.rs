//! `list_alerts`: what fires, and what is about to.

use world::View;

use crate::args::Args;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Param, Run, Tool};

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
}

fn look(view: View<'_>, _: &Args) -> Reply {
    let alerts = view.alerts();
    let mut sheet = Sheet::new(64 + alerts.len() * 140);
    sheet.put("alerts at ").time(view.now()).line();
    if alerts.is_empty() {
        sheet.put("none").line();
    }
    let mut facts = Vec::with_capacity(alerts.len());
    for alert in &alerts {
        match alert.firing {
            Some(since) => sheet.put("firing since ").time(since),
            None => sheet.put("pending"),
        };
        sheet.column(23).put(if alert.pages { "page" } else { "ticket" }).column(31).put(&alert.name).column(66);
        sheet.put(&alert.text).put(if alert.silenced { " (silenced)" } else { "" }).line();
        facts.push(Fact::new(FactKind::Alert, &alert.owner, alert.name.to_string(), alert.firing.is_some()));
    }
    Reply::show(sheet.done(), facts)
}
