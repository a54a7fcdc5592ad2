//! `silence_alert`: stops an alert from being heard, not what it is about.

use world::Operator;

use crate::args::ToolArgs;
use crate::param::Param;
use crate::params::ALERT;
use crate::reply::{Reply, Touch};
use crate::tool::{Run, Tool};

/// The tool.
pub struct SilenceAlert;

impl Tool for SilenceAlert {
    fn name(&self) -> &'static str {
        "silence_alert"
    }

    fn signature(&self) -> &'static str {
        "silence_alert(alert)"
    }

    fn about(&self) -> &'static str {
        "silence an alert, by its name such as `service/rule`; what it is about goes on"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::needed("alert", ALERT)] }
    }

    fn run(&self) -> Run {
        Run::Act(act)
    }

    fn is_all_or_nothing(&self) -> bool {
        true
    }

    fn mends(&self) -> bool {
        false
    }
}

fn act(operator: &mut Operator<'_>, args: &ToolArgs) -> Reply {
    let alert = args.text("alert");
    match operator.silence(alert) {
        Ok(text) => Reply { touched: vec![Touch::Silence { alert: alert.to_string() }], ..Reply::say(text) },
        Err(refusal) => Reply::say(refusal),
    }
}
