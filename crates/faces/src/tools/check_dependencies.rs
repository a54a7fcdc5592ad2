//! `check_dependencies`: how a service sees those that it calls.

use world::View;

use crate::args::ToolArgs;
use crate::learn::{ReplyNotes, ReplyReader, ShownReply, columns, share};
use crate::param::Param;
use crate::params::SERVICE;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::{Sheet, behind};
use crate::tool::{Run, Tool};

/// The tool.
pub struct CheckDependencies;

impl Tool for CheckDependencies {
    fn name(&self) -> &'static str {
        "check_dependencies"
    }

    fn signature(&self) -> &'static str {
        "check_dependencies(service)"
    }

    fn about(&self) -> &'static str {
        "the services that a service calls, as it sees them: rate, errors, latency"
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

/// From this share of failed calls on, a dependency is worth a second look.
const FAILING: f64 = 0.01;

fn look(view: View<'_>, args: &ToolArgs) -> Reply {
    let (name, all) = (view.name(args.service()), view.dependencies(args.service()));
    let mut sheet = Sheet::new(128 + all.len() * 96);
    sheet.put(name).put(" calls, at ").time(view.now()).line();
    let at = behind(18, all.iter().map(|dependency| &**view.name(dependency.to)));
    if all.is_empty() {
        sheet.put("no other service").line();
    } else {
        sheet.put("service").column(at).put("rate").column(at + 10).put("errors").column(at + 20).put("p95");
        sheet.column(at + 32).put("most frequent error").line();
    }
    let mut facts = Vec::with_capacity(all.len());
    for dependency in &all {
        let to = view.name(dependency.to);
        sheet.put(to).column(at).figure(dependency.rate).put("/s").column(at + 10).percent(dependency.error_rate);
        sheet.column(at + 20).figure(dependency.p95_ms).put("ms").column(at + 32);
        sheet.put(dependency.worst.unwrap_or("-")).line();
        facts.push(Fact::new(FactKind::Dependency, name, to.to_string(), dependency.error_rate >= FAILING));
    }
    Reply::show(sheet.done(), facts)
}

/// The worst share of failing calls, from here and to each that is called.
static READER: ReplyReader = ReplyReader {
    service: &["seen:dependencies", "dependencies:worst_error_share", "called:worst_error_share"],
    incident: &[],
    read,
};

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    let Some(service) = shown.service else { return };
    notes.put(service, "seen:dependencies", shown.when);
    let mut worst: f64 = 0.0;
    for line in shown.text.lines().skip(2) {
        let mut cells = columns(line);
        let (Some(name), Some(_), Some(errors)) = (cells.next(), cells.next(), cells.next()) else { continue };
        let Some(errors) = share(errors) else { continue };
        worst = worst.max(errors);
        if let Some(callee) = notes.find(name) {
            notes.put(callee, "called:worst_error_share", errors);
        }
    }
    notes.put(service, "dependencies:worst_error_share", worst);
}
