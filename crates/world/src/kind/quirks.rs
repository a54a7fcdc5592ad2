//! Settings that look odd and do no harm where nothing depends on them: each kind knows which of its own can be like that,
//! and what a place is like where they are.

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
