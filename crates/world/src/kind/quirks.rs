//! Settings that look odd and do no harm where nothing depends on them: each kind knows which of its own can be like that,
//! and what a place is like where they are.

use std::collections::BTreeMap;

use super::Role;
use crate::spec::{ServiceSpec, Spec};

/// A setting with a value that would hurt in most places.
#[derive(Clone, Copy)]
pub struct Quirk {
    /// The key.
    pub key: &'static str,
    /// Values that look odd.
    pub values: &'static [&'static str],
    /// Makes them harmless in a place, for the service of that name and its key.
    pub settle: fn(&mut Spec, &str, &str),
    /// What decides instead of it in such a place; none where it does what it says, and nothing depends on that.
    pub overruled: Option<Overruled>,
}

/// Something about a place that decides instead of a setting. Its status page says so: a switch that stands one way while
/// the place works the other way would be a lie.
#[derive(Clone, Copy, Debug)]
pub struct Overruled {
    /// The parameter of the service that says so, and its value there.
    pub by: (&'static str, f64),
    /// What the status page says.
    pub note: &'static str,
    /// What it must call for that to matter.
    pub calling: Option<Role>,
}

impl Quirk {
    /// A setting that does what it says, where nothing depends on it.
    pub(crate) const fn idle(
        key: &'static str,
        values: &'static [&'static str],
        settle: fn(&mut Spec, &str, &str),
    ) -> Quirk {
        Quirk { key, values, settle, overruled: None }
    }

    /// What the status page of a service with these parameters says, which calls services with these roles, if something else
    /// decides there.
    pub(crate) fn note(&self, params: &BTreeMap<&'static str, f64>, calls: &[Role]) -> Option<&'static str> {
        let Overruled { by: (name, is), note, calling } = self.overruled?;
        let matters = calling.is_none_or(|role| calls.contains(&role));
        (matters && params.get(name) == Some(&is)).then_some(note)
    }
}

/// Changes a service of a place.
pub(crate) fn at(spec: &mut Spec, service: &str, change: impl FnOnce(&mut ServiceSpec)) {
    if let Some(service) = spec.service_mut(service) {
        change(service);
    }
}

/// No statement of a place needs an index.
pub(crate) fn needs_no_index(spec: &mut Spec, service: &str, key: &str) {
    for route in spec.apps.iter_mut().flat_map(|a| &mut a.routes) {
        route.entry.each(&mut |call| {
            if call.to == service && call.op.index.as_deref() == Some(key) {
                call.op.index = None;
            }
        });
    }
}
