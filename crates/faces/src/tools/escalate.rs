//! `escalate`: hands the incident to another engineer.

use world::Span;

use crate::args::ToolArgs;
use crate::learn::{Always, Choices};
use crate::param::Param;
use crate::params::PROSE;
use crate::reply::{End, Reply};
use crate::tool::{Run, Tool};

/// The tool.
pub struct Escalate;

impl Tool for Escalate {
    fn name(&self) -> &'static str {
        "escalate"
    }

    fn signature(&self) -> &'static str {
        "escalate(reason)"
    }

    fn about(&self) -> &'static str {
        "hand the incident over to another engineer and say why; this is final"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::needed("reason", PROSE)] }
    }

    fn cost(&self) -> Span {
        Span::ZERO
    }

    fn run(&self) -> Run {
        Run::End(end)
    }

    fn choices(&self) -> &'static dyn Choices {
        &Always("reason=\"it needs another pair of eyes\"")
    }
}

fn end(args: &ToolArgs) -> Reply {
    let end = End::Escalate { reason: args.text("reason").to_string() };
    Reply { end: Some(end), ..Reply::say("The incident is handed over to the next engineer on call.") }
}
