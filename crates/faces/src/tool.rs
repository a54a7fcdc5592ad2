//! What a tool is: a name, typed parameters, an effect, a cost in simulated time, and a function. All that anything
//! else says of a tool is made from this.

use world::{Operator, Span, Time, View};

use crate::args::ToolArgs;
use crate::learn::{Choices, NO_CHOICE, ReplyReader};
use crate::param::Param;
use crate::reply::{Fact, Reply};

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
    /// Simulated time that it costs, any time; a look takes half a minute unless a tool says otherwise.
    fn cost(&self) -> Span {
        Span::secs(30)
    }
    /// What it does.
    fn run(&self) -> Run;

    /// What kind of thing it does.
    fn effect(&self) -> Effect {
        match self.run() {
            Run::Look(_) => Effect::Look,
            Run::Act(_) => Effect::Act,
            Run::End(_) => Effect::End,
        }
    }

    /// Whether it can mend something: an act that only quiets an alarm cannot.
    fn mends(&self) -> bool {
        self.effect() == Effect::Act
    }

    /// Whether an act of it that touched nothing has left everything as it was, so that no copy is needed to try it on.
    fn is_all_or_nothing(&self) -> bool {
        false
    }

    /// A quicker way to facts that its reply shows for certain, and still will some minutes later, for those who read no reply: there
    /// may be more.
    fn glance(&self) -> Option<Glance> {
        None
    }

    /// How its reply is read into numbers, for learners.
    fn reader(&self) -> Option<&'static ReplyReader> {
        None
    }

    /// What a learner picks for its arguments behind the service: usually what its first needed parameter gives.
    fn choices(&self) -> &'static dyn Choices {
        let needed = self.params().iter().find(|param| !param.optional && !param.kind.is_service());
        needed.and_then(|param| param.kind.choices()).unwrap_or(NO_CHOICE)
    }
}

/// Facts that a look shows for certain, told from what was scraped after some time.
pub type Glance = fn(View<'_>, &ToolArgs, Time) -> Vec<Fact>;

/// What a tool does. A tool that reads gets a [`View`]: it cannot change anything, by type.
#[derive(Clone, Copy)]
pub enum Run {
    /// Reads.
    Look(fn(View<'_>, &ToolArgs) -> Reply),
    /// Changes something.
    Act(fn(&mut Operator<'_>, &ToolArgs) -> Reply),
    /// Ends the episode.
    End(fn(&ToolArgs) -> Reply),
}

/// What kind of thing a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It reads.
    Look,
    /// It changes something.
    Act,
    /// It ends the episode.
    End,
}

impl Effect {
    /// In one lower-case word.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Look => "look",
            Effect::Act => "act",
            Effect::End => "end",
        }
    }
}
