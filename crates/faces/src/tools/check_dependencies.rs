//! `check_dependencies`: how a service sees those that it calls.

use world::View;

use crate::args::Args;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Param, Run, SERVICE, Tool};

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
}

/// From this share of failed calls on, a dependency is worth a second look.
const FAILING: f64 = 0.01;

fn look(view: View<'_>, args: &Args) -> Reply {
    let (name, all) = (view.name(args.service()), view.dependencies(args.service()));
    let mut sheet = Sheet::new(128 + all.len() * 96);
    sheet.put(name).put(" calls, at ").time(view.now()).line();
    if all.is_empty() {
        sheet.put("no other service").line();
    } else {
        sheet.put("service").column(18).put("rate").column(28).put("errors").column(38).put("p95").column(50);
        sheet.put("most frequent error").line();
    }
    let mut facts = Vec::with_capacity(all.len());
    for dependency in &all {
        let to = view.name(dependency.to);
        sheet.put(to).column(18).figure(dependency.rate).put("/s").column(28).percent(dependency.error_rate);
        sheet.column(38).figure(dependency.p95_ms).put("ms").column(50).put(dependency.worst.unwrap_or("-")).line();
        facts.push(Fact::new(FactKind::Dependency, name, to.to_string(), dependency.error_rate >= FAILING));
    }
    Reply::show(sheet.done(), facts)
}
