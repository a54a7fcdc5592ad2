//! How a place differs from how it was written down: larger or smaller as a whole, and by its own habits. What it needs
//! of each setting follows from these, and an operator sees them only in what is measured.

use crate::math::{exp, ln};
use crate::rng::Stream;
use crate::services;
use crate::spec::{ServiceSpec, Spec};
use crate::station::mean_wait;

/// Factors on what was written down; 1 leaves everything as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Requests, machines, and what is counted of them.
    pub size: f64,
    /// How much heavier the heavy statements are; they come the more rarely.
    pub heavy: f64,
    /// How much longer the longest requests are; they come the more rarely.
    pub long: f64,
    /// How long a queue takes to confirm a message.
    pub confirm: f64,
    /// How long messages take to settle.
    pub settle: f64,
    /// A consumer's own work.
    pub work: f64,
    /// How long clients keep a connection to a balancer.
    pub keepalive: f64,
    /// How long a pooler keeps a connection after its use.
    pub linger: f64,
    /// Data on disks.
    pub data: f64,
    /// The size of what caches hold.
    pub entries: f64,
    /// Time between two uses of a cached entry.
    pub reuse: f64,
}

impl Growth {
    /// A place that differs by chance; `reach` says how far, from 0 for not at all to 1.
    pub fn draw(draws: Stream, reach: f64) -> Growth {
        let factor = |n: u64, least: f64, most: f64| {
            let far = ln(least) + (ln(most) - ln(least)) * draws.at(n).unit();
            exp(far * reach)
        };
        Growth {
            size: factor(0, 0.2, 10.0),
            heavy: factor(1, 0.25, 4.0),
            long: factor(2, 0.25, 4.0),
            confirm: factor(3, 0.08, 4.0),
            settle: factor(4, 0.12, 6.0),
            work: factor(5, 0.3, 8.0),
            keepalive: factor(6, 0.15, 6.0),
            linger: factor(7, 0.2, 9.0),
            data: factor(8, 0.1, 12.0),
            entries: factor(9, 0.25, 12.0),
            reuse: factor(10, 0.05, 25.0),
        }
    }

    /// As it was written down.
    pub const NONE: Growth = Growth {
        size: 1.0,
        heavy: 1.0,
        long: 1.0,
        confirm: 1.0,
        settle: 1.0,
        work: 1.0,
        keepalive: 1.0,
        linger: 1.0,
        data: 1.0,
        entries: 1.0,
        reuse: 1.0,
    };
}

/// How many times as much of a setting is needed.
pub type Needs = Vec<(&'static str, f64)>;

/// A statement is heavy from so many milliseconds on.
pub const HEAVY_MS: f64 = 200.0;

/// So busy are machines of a healthy place, for the sake of comparing their waits.
const BUSY: f64 = 0.6;

/// How many servers a place of another size needs so that no request waits longer than in a place with `servers`: few
/// servers need more room each than many.
pub(crate) fn servers(servers: f64, size: f64) -> f64 {
    let work = BUSY * servers * size;
    let most = mean_wait(servers, 1.0, BUSY);
    let mut needed = servers * size;
    while mean_wait(needed, 1.0, work / needed) > most && needed < 2.0 * servers * size {
        needed *= 1.02;
    }
    needed
}

impl ServiceSpec {
    /// A physical parameter: its own, or that of its kind.
    pub fn param(&self, name: &str) -> f64 {
        let usual = || services::find(&self.kind)?.params().iter().find(|p| p.0 == name).map(|p| p.1);
        self.params.get(name).copied().or_else(usual).unwrap_or(1.0)
    }

    /// Multiplies a number that is set.
    pub fn scale_setting(&mut self, key: &str, by: f64) {
        let usual = || services::find(&self.kind)?.keys().iter().find(|k| k.name == key).map(|k| k.default.to_string());
        let set = self.config.get(key).cloned().or_else(usual).and_then(|text| text.parse::<f64>().ok());
        if let Some(number) = set {
            self.config.insert(key.to_string(), ((number * by).round() as i64).to_string());
        }
    }

    /// Multiplies a physical parameter.
    pub fn scale_param(&mut self, name: &str, by: f64) {
        self.set_param(name, self.param(name) * by);
    }
}

impl Spec {
    /// Fits every service and every route to a place that differs by these factors; gives by how much more of each
    /// setting each service needs now. The settings themselves are left to the caller.
    pub fn grow(&mut self, by: &Growth) -> Vec<(String, Needs)> {
        let queues = |spec: &Spec, name: &str| spec.services.iter().any(|s| s.name == name && s.kind == "queue");
        let longest = self.routes().filter(|r| r.rps > 0.0).map(|r| r.slow_ms).fold(0.0, f64::max);
        let hands_over: Vec<bool> = {
            let calls_queue = |r: &crate::spec::RouteSpec| r.entry.any(&|c| queues(self, &c.to));
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
            service.params.insert("size".to_string(), by.size);
            let needs = services::find(&service.kind).map_or(Needs::new(), |kind| kind.grow(service, by));
            (service.name.clone(), needs)
        };
        self.services.iter_mut().map(grow).collect()
    }

    fn routes(&self) -> impl Iterator<Item = &crate::spec::RouteSpec> {
        self.apps.iter().flat_map(|a| &a.routes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_servers_need_more_room_each() {
        assert!(servers(12.0, 0.25) > 3.0);
        assert!(servers(12.0, 0.25) < 6.1);
        assert_eq!(servers(12.0, 4.0), 48.0);
        assert_eq!(servers(12.0, 1.0), 12.0);
    }

    #[test]
    fn nothing_grows_by_nothing() {
        let mut spec = crate::shop();
        let needs = spec.grow(&Growth::NONE);
        assert!(needs.iter().flat_map(|(_, n)| n).all(|(_, by)| (by - 1.0).abs() < 1e-9), "{needs:?}");
        let written = crate::shop();
        assert_eq!(spec.apps, written.apps);
    }
}
