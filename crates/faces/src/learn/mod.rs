//! Tools for learners that read and act by numbers. A tool may say which numbers its reply holds and what can be
//! picked for its arguments; one that says nothing is still there, and its reply is one that no number tells of.

mod cells;
mod choices;

use std::borrow::Cow;
use std::collections::BTreeMap;

use world::Key;

use crate::reply::Fact;

pub use cells::{columns, number, share};
pub use choices::{Always, METRICS, NO_CHOICE, OneOf, SETTINGS, SHOWN_ALERT, SHOWN_CHANGE, SHOWN_ROUTE};

/// How the reply of a tool is read into numbers.
pub struct ReplyReader {
    /// Names of the numbers that it has for a service.
    pub service: &'static [&'static str],
    /// Names of the numbers that it has for the incident.
    pub incident: &'static [&'static str],
    /// Reads it.
    pub read: fn(&ShownReply<'_>, &mut dyn ReplyNotes),
}

/// A reply, as a reader is handed it.
pub struct ShownReply<'a> {
    /// What was shown.
    pub text: &'a str,
    /// What the text shows.
    pub facts: &'a [Fact],
    /// The arguments of the call.
    pub args: &'a BTreeMap<String, String>,
    /// The service of the call, if it named one.
    pub service: Option<usize>,
    /// The share of the budget that was used by then: it tells old news from fresh.
    pub when: f64,
}

/// Where a reader puts what it reads. Numbers lie between -1 and 1; what lies beyond is cut off.
pub trait ReplyNotes {
    /// How many services there are.
    fn services(&self) -> usize;
    /// The service of that name.
    fn find(&self, service: &str) -> Option<usize>;
    /// A number of a service, under a name that the reader lists.
    fn put(&mut self, service: usize, name: &'static str, value: f64);
    /// Adds to such a number.
    fn add(&mut self, service: usize, name: &'static str, value: f64);
    /// A number of the incident, under a name that the reader lists.
    fn set(&mut self, name: &'static str, value: f64);
    /// A line of a metrics page; whether there is such a metric.
    fn metric(&mut self, service: usize, name: &str, line: MetricLine) -> bool;
    /// How far a metric is from its usual value.
    fn distance(&mut self, service: usize, name: &str, now: f64, usual: f64);
    /// The value of a configuration key.
    fn setting(&mut self, service: usize, key: &str, value: &str);
    /// The sorts of log lines that were shown, and no others.
    fn templates(&mut self, service: usize, names: &mut dyn Iterator<Item = &str>);
    /// The name of something that can be picked from now on: `change`, `alert`, `route`.
    fn show(&mut self, what: &'static str, name: &str);
}

/// One metric as a page shows it; nothing where there is no data.
#[derive(Clone, Copy, Debug)]
pub struct MetricLine {
    /// Its value.
    pub now: Option<f64>,
    /// Its value a while ago.
    pub before: Option<f64>,
    /// Its usual value.
    pub usual: Option<f64>,
}

/// What a learner can pick for the arguments of a tool behind the service.
pub trait Choices: Sync {
    /// The names of all choices, in any world. One without a name if there is nothing to pick.
    fn names(&self, all: &Vocabulary) -> Vec<String>;
    /// The arguments of a choice, as they are written in a call. What was not shown gets a name that nothing has,
    /// so that the world refuses it as it refuses any other slip.
    fn args(&self, service: usize, choice: usize, known: &dyn KnownToLearner) -> String;
    /// Marks the choices that lead to a valid call on a service.
    fn mark(&self, _service: usize, _known: &dyn KnownToLearner, out: &mut [u8]) {
        out.fill(1);
    }
    /// Whether what was read opens choices.
    fn opens(&self) -> bool {
        false
    }
    /// Whether the choice is made for a service although the call names none.
    fn is_about_service(&self) -> bool {
        false
    }
}

/// What a learner has been shown so far.
pub trait KnownToLearner {
    /// All names that choices are made of.
    fn vocabulary(&self) -> &Vocabulary;
    /// The name of a service; one that nothing has for a position beyond the last.
    fn service_name(&self, at: usize) -> Cow<'_, str>;
    /// The settings of a service.
    fn settings(&self, service: usize) -> &[ShownSetting];
    /// What a key of a service takes, as its manual says.
    fn key(&self, service: usize, name: &str) -> Option<&'static Key>;
    /// 1 for each metric of a service that was shown, in the order of the vocabulary; none for a service beyond the last.
    fn metrics(&self, service: usize) -> &[u8];
    /// The names of what was shown, the latest last.
    fn shown(&self, what: &str) -> &[String];
    /// What the learner itself has done, in words.
    fn deeds(&self) -> &[String];
}

/// A setting that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownSetting {
    /// The key.
    pub key: &'static str,
    /// The position of the key in the vocabulary.
    pub rank: usize,
    /// Its value.
    pub value: String,
}

/// All names that choices are made of, in every world, in the order of their names.
pub struct Vocabulary {
    /// Configuration keys.
    pub keys: Vec<&'static str>,
    /// Metrics.
    pub metrics: Vec<&'static str>,
    /// Mechanisms of faults: a name, and how it is said.
    pub mechanisms: Vec<(&'static str, &'static str)>,
}
