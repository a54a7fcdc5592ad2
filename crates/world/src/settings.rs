//! A configuration key of a running service: what is wanted, what runs, and what ran before.

use crate::config::Value;
use crate::time::Time;

/// One key. What is wanted is the service's template; what runs is what its instances were given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub wanted: Value,
    pub running: Value,
    /// What ran before, and until when: lines that were written then say so.
    pub former: (Value, Time),
    pub since: Time,
    pub expires: Time,
}

impl Setting {
    /// A key that has always had this value.
    pub fn new(value: &Value) -> Setting {
        Setting {
            wanted: value.clone(),
            running: value.clone(),
            former: (value.clone(), Time(0)),
            since: Time(0),
            expires: Time::NEVER,
        }
    }

    /// Lets another value run from some time on; gives the old one.
    pub fn run(&mut self, value: Value, at: Time) -> Value {
        let old = std::mem::replace(&mut self.running, value);
        self.former = (old.clone(), at);
        old
    }

    /// What ran at some time.
    pub fn at(&self, time: Time) -> &Value {
        if time < self.former.1 { &self.former.0 } else { &self.running }
    }

    /// Whether what should run differs from what runs.
    pub fn moves(&self) -> bool {
        self.wanted != self.running
    }
}
