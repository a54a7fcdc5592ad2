//! `rollback_change`: takes an entry of the change history back.

use world::{Operator, Span, View};

use crate::args::ToolArgs;
use crate::param::Param;
use crate::params::CHANGE;
use crate::reply::{Reply, Touch};
use crate::tool::{Run, Tool};

/// The tool.
pub struct RollbackChange;

impl Tool for RollbackChange {
    fn name(&self) -> &'static str {
        "rollback_change"
    }

    fn signature(&self) -> &'static str {
        "rollback_change(id)"
    }

    fn about(&self) -> &'static str {
        "take a change back, by its id in the change history; rolled out, not instant"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::needed("id", CHANGE)] }
    }

    fn cost(&self) -> Span {
        Span::secs(60)
    }

    fn run(&self) -> Run {
        Run::Act(act)
    }
}

fn act(operator: &mut Operator<'_>, args: &ToolArgs) -> Reply {
    let before = settings(operator.view());
    let id = args.whole("id", 0) as u32;
    match operator.roll_back(id) {
        Ok(done) => {
            let view = operator.view();
            let more = done.beyond_settings.then(|| Touch::Rollback { service: view.name(done.service).to_string() });
            Reply { touched: differences(&before, view).into_iter().chain(more).collect(), ..Reply::say(done.text) }
        }
        Err(refusal) => Reply::say(refusal),
    }
}

/// All configuration of the world, in order.
fn settings(view: View<'_>) -> Vec<String> {
    let services = 0..view.services().len();
    services.flat_map(|s| view.config(s).map(|c| c.value.to_string())).collect()
}

/// What differs from `before`: an undo does not say in words what it touches.
fn differences(before: &[String], view: View<'_>) -> Vec<Touch> {
    let services = 0..view.services().len();
    let after = services.flat_map(|s| view.config(s).map(move |c| (s, c)));
    let touch = |(from, (service, config)): (&String, (usize, world::telemetry::health::ConfigView<'_>))| {
        let to = config.value.to_string();
        let service = view.name(service).to_string();
        (*from != to).then(|| Touch::Config { service, key: config.key.name.to_string(), from: from.clone(), to })
    };
    before.iter().zip(after).filter_map(touch).collect()
}
