//! What a service should run with, and what its instances do run with. The service has a template; settings that
//! run belong to instances, and instances that run with the same are of one revision.

use serde::{Deserialize, Serialize};

use crate::config::Value;
use crate::time::Time;

/// One set of values of a service that instances run with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RevisionId(pub u32);

impl RevisionId {
    /// The one that every service has: rollouts of the template reach it, and all instances run with it at first.
    pub const TEMPLATE: RevisionId = RevisionId(0);
}

/// The settings of one service.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServiceSettings {
    pub template: Vec<Setting>,
    /// The template's own first. The others keep the values that they were made with.
    revisions: Vec<Revision>,
}

/// One key of a template: what is wanted, and since when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub wanted: Value,
    pub since: Time,
    pub expires: Time,
}

#[derive(Clone, Debug, PartialEq)]
struct Revision {
    id: RevisionId,
    values: Vec<RunningValue>,
}

#[derive(Clone, Debug, PartialEq)]
struct RunningValue {
    value: Value,
    /// What ran before, and until when: lines that were written then say so.
    former: (Value, Time),
}

impl RunningValue {
    /// One that has always run.
    fn new(value: Value) -> RunningValue {
        RunningValue { former: (value.clone(), Time(0)), value }
    }
}

impl ServiceSettings {
    /// Settings that have always been these.
    pub fn new(values: &[Value]) -> ServiceSettings {
        let setting = |v: &Value| Setting { wanted: v.clone(), since: Time(0), expires: Time::NEVER };
        let running = values.iter().cloned().map(RunningValue::new).collect();
        let revisions = vec![Revision { id: RevisionId::TEMPLATE, values: running }];
        ServiceSettings { template: values.iter().map(setting).collect(), revisions }
    }

    /// Lets another value of a key run from some time on where the template is followed; gives the old one.
    pub fn roll_out(&mut self, key: usize, value: Value, at: Time) -> Value {
        let running = &mut self.revisions[0].values[key];
        let old = std::mem::replace(&mut running.value, value);
        running.former = (old.clone(), at);
        old
    }

    /// Whether the wanted value of a key differs from what runs where the template is followed.
    pub fn moves(&self, key: usize) -> bool {
        self.template[key].wanted != self.revisions[0].values[key].value
    }

    /// Whether any does.
    pub fn any_moves(&self) -> bool {
        (0..self.template.len()).any(|key| self.moves(key))
    }

    pub fn has(&self, revision: RevisionId) -> bool {
        self.revisions.iter().any(|r| r.id == revision)
    }

    /// What instances of a revision run with, in the order of the kind's keys.
    pub fn running(&self, revision: RevisionId) -> impl Iterator<Item = &Value> {
        self.revision(revision).values.iter().map(|v| &v.value)
    }

    /// What they ran with at some time.
    pub fn at(&self, revision: RevisionId, key: usize, time: Time) -> &Value {
        let running = &self.revision(revision).values[key];
        if time < running.former.1 { &running.former.0 } else { &running.value }
    }

    /// Makes a revision, changes it, or with `None` ends it; gives what it was.
    pub fn set(&mut self, id: RevisionId, values: Option<&[Value]>) -> Option<Vec<Value>> {
        assert!(id != RevisionId::TEMPLATE, "what follows the template is changed by a rollout");
        assert!(values.is_none_or(|v| v.len() == self.template.len()), "a revision has a value for every key");
        let place = self.revisions.iter().position(|r| r.id == id);
        let old = place.map(|at| self.revisions.remove(at).values.into_iter().map(|v| v.value).collect());
        if let Some(values) = values {
            self.revisions.push(Revision { id, values: values.iter().cloned().map(RunningValue::new).collect() });
        }
        old
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        let running = self.revisions.iter().map(|r| size_of_val(r.values.as_slice())).sum::<usize>();
        size_of_val(self.template.as_slice()) + running
    }

    fn revision(&self, id: RevisionId) -> &Revision {
        self.revisions.iter().find(|r| r.id == id).expect("no revision ends while an instance runs with it")
    }
}
