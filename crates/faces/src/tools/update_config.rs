//! `update_config`: gives a key another value.

use world::{Operator, Span};

use crate::args::ToolArgs;
use crate::learn::{Choices, SETTINGS};
use crate::param::Param;
use crate::params::{KEY, SERVICE, SETTING};
use crate::reply::{Reply, Touch};
use crate::tool::{Run, Tool};

/// The tool.
pub struct UpdateConfig;

impl Tool for UpdateConfig {
    fn name(&self) -> &'static str {
        "update_config"
    }

    fn signature(&self) -> &'static str {
        "update_config(service, key, value)"
    }

    fn about(&self) -> &'static str {
        "set a configuration key of a service; the change is rolled out, not instant"
    }

    fn params(&self) -> &'static [Param] {
        const { &[SERVICE, Param::needed("key", KEY), Param::needed("value", SETTING)] }
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

    fn choices(&self) -> &'static dyn Choices {
        SETTINGS
    }
}

fn act(operator: &mut Operator<'_>, args: &ToolArgs) -> Reply {
    let (service, key, to) = (args.service(), args.text("key"), args.text("value"));
    let name = String::from(&**operator.view().name(service));
    let from =
        operator.view().config(service).find(|s| s.key.name == key).map_or(String::new(), |s| s.value.to_string());
    match operator.set_config(service, key, to) {
        Ok(text) if from == to => Reply::say(text),
        Ok(text) => {
            let touch = Touch::Config { service: name, key: key.to_string(), from, to: to.to_string() };
            Reply { touched: vec![touch], ..Reply::say(text) }
        }
        Err(refusal) => Reply::say(refusal),
    }
}
