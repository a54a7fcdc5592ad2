//! `restart_service`: all instances, one after another.

use world::{Operator, Span};

use crate::args::ToolArgs;
use crate::param::Param;
use crate::params::SERVICE;
use crate::reply::{Reply, Touch};
use crate::tool::{Run, Tool};

/// The tool.
pub struct RestartService;

impl Tool for RestartService {
    fn name(&self) -> &'static str {
        "restart_service"
    }

    fn signature(&self) -> &'static str {
        "restart_service(service)"
    }

    fn about(&self) -> &'static str {
        "restart all instances of a service; it comes back cold and drops what was in flight"
    }

    fn params(&self) -> &'static [Param] {
        &[SERVICE]
    }

    fn cost(&self) -> Span {
        Span::secs(60)
    }

    fn run(&self) -> Run {
        Run::Act(act)
    }

    fn is_all_or_nothing(&self) -> bool {
        true
    }
}

fn act(operator: &mut Operator<'_>, args: &ToolArgs) -> Reply {
    let service = String::from(&**operator.view().name(args.service()));
    let text = operator.restart(args.service());
    Reply { touched: vec![Touch::Restart { service }], ..Reply::say(text) }
}
