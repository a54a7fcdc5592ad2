//! `resolve_incident`: says that it is over, and what it was.

use world::Span;

use crate::args::ToolArgs;
use crate::learn::{Choices, KnownToLearner, Vocabulary};
use crate::param::Param;
use crate::params::{CAUSES, PROSE};
use crate::reply::{End, Reply};
use crate::tool::{Run, Tool};

/// The tool.
pub struct ResolveIncident;

impl Tool for ResolveIncident {
    fn name(&self) -> &'static str {
        "resolve_incident"
    }

    fn signature(&self) -> &'static str {
        "resolve_incident(root_cause, fix[, causes])"
    }

    fn about(&self) -> &'static str {
        "close the incident: what was wrong and what ended it; causes says it exactly, as component/cause with low, high, a \
         key or an instance behind it, and decides where it is given; this is final"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::needed("root_cause", PROSE), Param::needed("fix", PROSE), Param::optional("causes", CAUSES)] }
    }

    fn cost(&self) -> Span {
        Span::ZERO
    }

    fn run(&self) -> Run {
        Run::End(end)
    }

    fn choices(&self) -> &'static dyn Choices {
        &Diagnosis
    }
}

fn end(args: &ToolArgs) -> Reply {
    let end = End::Resolve { root_cause: args.text("root_cause").to_string(), fix: args.text("fix").to_string() };
    Reply { end: Some(end), ..Reply::say("The incident is closed; its services stay under watch.") }
}

/// A mechanism, said of a service in the standard words, and what was done.
struct Diagnosis;

impl Choices for Diagnosis {
    fn names(&self, all: &Vocabulary) -> Vec<String> {
        all.mechanisms.iter().map(|(name, _)| name.to_string()).collect()
    }

    fn args(&self, service: usize, choice: usize, known: &dyn KnownToLearner) -> String {
        let (service, cause) = (known.service_name(service), known.vocabulary().mechanisms.get(choice));
        let answer = cause.map_or(String::new(), |(name, _)| format!(", causes=\"{service}/{name}\""));
        let cause = cause.map_or("unknown", |(_, said)| said);
        let fix = match known.deeds() {
            [] => "nothing was changed".to_string(),
            deeds => deeds.join(", then "),
        };
        format!("root_cause=\"{service}: {cause}\", fix=\"{fix}\"{answer}")
    }

    fn is_about_service(&self) -> bool {
        true
    }
}
