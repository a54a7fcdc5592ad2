//! What a tool is: a name, typed parameters, a cost in simulated time, and a function.

use world::{Operator, Span, View};

use crate::args::Args;
use crate::reply::Reply;

/// Something that an agent may do. One file each in `tools/`.
pub trait Tool: Sync {
    /// Its name, as an agent writes it.
    fn name(&self) -> &'static str;
    /// How it is called: `inspect_config(service[, key])`.
    fn signature(&self) -> &'static str;
    /// What it is for, in one line.
    fn about(&self) -> &'static str;
    /// Its parameters, in order; a key stands behind its service and a value behind its key.
    fn params(&self) -> &'static [Param];
    /// Simulated time that it costs; a look takes half a minute unless a tool says otherwise.
    fn takes(&self) -> Span {
        Span::secs(30)
    }
    /// What it does.
    fn run(&self) -> Run;
}

/// What a tool does. A tool that reads gets a [`View`]: it cannot change anything, by type.
#[derive(Clone, Copy)]
pub enum Run {
    /// Reads.
    Look(fn(View<'_>, &Args) -> Reply),
    /// Changes something.
    Act(fn(&mut Operator<'_>, &Args) -> Reply),
    /// Ends the episode.
    End(fn(&Args) -> Reply),
}

/// One parameter of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// Whether it may be left out.
    pub optional: bool,
}

/// What a parameter takes. Everything but words and prose is checked against the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The name of a service.
    Service,
    /// The name of a configuration key of the service named before.
    Key,
    /// A value of the key named before.
    Setting,
    /// The name of a metric of the service named before.
    Metric,
    /// The name of a route.
    Route,
    /// The name of an alert rule.
    Alert,
    /// The number of a change.
    Change,
    /// A log level.
    Level,
    /// A whole number within bounds, both included.
    Whole {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// A few words to look for.
    Words,
    /// Free text for people.
    Prose,
}

impl Takes {
    /// Whether any text will do, so that `a: b` may be text and no named argument.
    pub(crate) fn free(self) -> bool {
        matches!(self, Takes::Setting | Takes::Words | Takes::Prose)
    }
}

impl Param {
    /// One that must be given.
    pub const fn needed(name: &'static str, takes: Takes) -> Param {
        Param { name, takes, optional: false }
    }

    /// One that may be left out.
    pub const fn optional(name: &'static str, takes: Takes) -> Param {
        Param { name, takes, optional: true }
    }
}

/// The service, which most tools take first.
pub(crate) const SERVICE: Param = Param::needed("service", Takes::Service);
