//! Settings that look odd and do no harm where nothing depends on them: each kind knows which of its own can be like that,
//! and what a place is like where they are.

use std::collections::BTreeMap;

use super::{Params, Role};
use crate::spec::{ServiceSpec, Spec};

/// A setting with a value that would hurt in most places.
#[derive(Clone, Copy)]
pub struct Quirk {
    /// The key.
    pub key: &'static str,
    /// Values that look odd.
    pub values: &'static [&'static str],
    /// What makes them harmless.
    pub settle: Settle,
    /// What decides instead of it in such a place; none where it does what it says, and nothing depends on that.
    pub overruled: Option<Overruled>,
}

/// What a place is like where a setting does no harm.
#[derive(Clone, Copy)]
pub enum Settle {
    /// The service itself is like this.
    Own(fn(&mut ServiceSpec)),
    /// All services of a kind are.
    All(&'static str, fn(&mut ServiceSpec)),
    /// No statement needs the index that the key is about.
    NoIndex,
}

/// Something about a place that decides instead of a setting. Its status page says so: a switch that stands one way while
/// the place works the other way would be a lie.
#[derive(Clone, Copy, Debug)]
pub struct Overruled {
    /// The parameter of the service that says so, and its value there.
    pub by: (&'static str, f64),
    /// What it is, as the status page says it: one thing may overrule several settings.
    pub cause: &'static str,
    /// What it does, as the status page says it.
    pub effect: &'static str,
    /// What it must call for that to matter.
    pub calling: Option<Role>,
}

impl Quirk {
    /// A setting that does what it says, where nothing depends on it.
    pub(crate) const fn idle(key: &'static str, values: &'static [&'static str], settle: Settle) -> Quirk {
        Quirk { key, values, settle, overruled: None }
    }

    /// What else decides in a service with these parameters, which calls services with these roles, if anything does.
    pub(crate) fn decider(&self, params: &Params, calls: &[Role]) -> Option<Overruled> {
        let overruled = self.overruled?;
        let (name, is) = overruled.by;
        let matters = overruled.calling.is_none_or(|role| calls.contains(&role));
        (matters && params.get(name) == Some(&is)).then_some(overruled)
    }
}

/// Makes settings of a place harmless, each of the service at that position: all at once, because some of that concerns every call,
/// and a place may have thousands.
pub fn settle(spec: &mut Spec, odd: &[(usize, &Quirk)]) {
    let mut all: BTreeMap<(&str, &str), fn(&mut ServiceSpec)> = BTreeMap::new();
    let mut unneeded: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (at, quirk) in odd {
        match quirk.settle {
            Settle::Own(change) => change(&mut spec.services[*at]),
            Settle::All(kind, change) => {
                all.insert((kind, quirk.key), change);
            }
            Settle::NoIndex => {
                unneeded.entry(spec.services[*at].name.clone()).or_default().push(quirk.key);
            }
        }
    }
    for ((kind, _), change) in all {
        spec.services.iter_mut().filter(|service| service.kind == kind).for_each(change);
    }
    if unneeded.is_empty() {
        return;
    }
    for route in spec.apps.iter_mut().flat_map(|a| &mut a.routes) {
        route.entry.each(&mut |call| {
            let is_unneeded = |index: &str| unneeded.get(&*call.to).is_some_and(|keys| keys.contains(&index));
            if call.op.index.as_deref().is_some_and(is_unneeded) {
                call.op.index = None;
            }
        });
    }
}
