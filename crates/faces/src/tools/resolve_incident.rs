//! `resolve_incident`: says that it is over, and what it was.

use world::Span;

use crate::args::Args;
use crate::reply::{End, Reply};
use crate::tool::{Param, Run, Takes, Tool};

/// The tool.
pub struct ResolveIncident;

impl Tool for ResolveIncident {
    fn name(&self) -> &'static str {
        "resolve_incident"
    }

    fn signature(&self) -> &'static str {
        "resolve_incident(root_cause, fix)"
    }

    fn about(&self) -> &'static str {
        "close the incident: what was wrong and what ended it; this is final"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::needed("root_cause", Takes::Prose), Param::needed("fix", Takes::Prose)] }
    }

    fn takes(&self) -> Span {
        Span::ZERO
    }

    fn run(&self) -> Run {
        Run::End(end)
    }
}

fn end(args: &Args) -> Reply {
    let end = End::Resolve { root_cause: args.text("root_cause").to_string(), fix: args.text("fix").to_string() };
    Reply { end: Some(end), ..Reply::say("The incident is closed; its services stay under watch.") }
}
