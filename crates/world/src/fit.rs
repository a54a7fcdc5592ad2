//! Fits a spec to a place that differs from how it was written down.

use std::collections::BTreeSet;

use crate::growth::{Growth, HEAVY_MS, Needs};
use crate::services;
use crate::spec::{RouteSpec, ServiceSpec, Spec};

impl Spec {
    /// Fits every service and every route to a place that differs by these factors; gives by how much more of each
    /// setting each service needs now, in their order. The settings themselves are left to the caller.
    pub fn grow(&mut self, by: &Growth) -> Vec<Needs> {
        let longest = self.routes().filter(|r| r.rps > 0.0).map(|r| r.slow_ms).fold(0.0, f64::max);
        let hands_over: Vec<bool> = {
            let is_queue = |s: &&ServiceSpec| s.kind == "queue";
            let queues: BTreeSet<&str> = self.services.iter().filter(is_queue).map(|s| s.name.as_str()).collect();
            let calls_queue = |r: &RouteSpec| r.entry.any(&|c| queues.contains(&*c.to));
            self.routes().map(calls_queue).collect()
        };
        for (route, hands_over) in self.apps.iter_mut().flat_map(|a| &mut a.routes).zip(hands_over) {
            route.rps *= by.size;
            if route.rps <= 0.0 {
                route.slow_ms *= by.settle.max(1.0);
                continue;
            }
            if route.slow_ms == longest && longest > 10_000.0 {
                route.rps /= by.long;
                route.slow_ms *= by.long;
                route.patience_ms *= by.long;
                route.entry.calls.iter_mut().flat_map(|c| &mut c.calls).for_each(|c| c.times *= by.long);
            }
            if route.entry.any(&|c| c.op.work_ms >= HEAVY_MS && c.op.hold_ms > 0.0) {
                route.rps /= by.heavy;
                route.slow_ms *= by.heavy;
                route.patience_ms *= by.heavy.max(1.0);
                route.entry.each(&mut |c| {
                    if c.op.work_ms >= HEAVY_MS && c.op.hold_ms > 0.0 {
                        c.op.work_ms *= by.heavy;
                        c.op.hold_ms *= by.heavy;
                    }
                });
            }
            if hands_over {
                route.slow_ms *= 1.0 + 0.4 * (by.confirm - 1.0).max(0.0);
            }
        }
        let grow = |service: &mut ServiceSpec| {
            service.params.insert("size".into(), by.size);
            services::find(&service.kind).map_or(Needs::new(), |kind| kind.grow(service, by))
        };
        self.services.iter_mut().map(grow).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_grows_by_nothing() {
        let mut spec = crate::shop();
        let needs = spec.grow(&Growth::NONE);
        assert!(needs.iter().flatten().all(|(_, by)| (by - 1.0).abs() < 1e-9), "{needs:?}");
        let written = crate::shop();
        assert_eq!(spec.apps, written.apps);
    }
}
