//! A cache: entries warm with traffic, expire, and are evicted when memory is short.

mod model;
mod tables;

use super::{
    Hazard, Kind, Model, ModelSetup, Named, Occupancy, Overruled, Physics, Quirk, RelativeLoad, Role, Rule, Template,
};
use crate::config;
use crate::growth::{Growth, Needs};
use crate::kind::{Repeated, Settle};
use crate::spec::{Op, ServiceSpec};
use model::CacheModel;
use tables::{Gauge, Key, Log, Metric};

/// The kind.
pub struct Cache;

impl Kind for Cache {
    fn name(&self) -> &'static str {
        "cache"
    }

    fn title(&self) -> &'static str {
        "cache"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["cache", "redis", "memcached", "memcache", "caching layer", "cache tier", "cache layer"]
    }

    fn tier(&self) -> u32 {
        2
    }

    fn role(&self) -> Role {
        Role::Lookup
    }

    fn keys(&self) -> &'static [config::Key] {
        Key::TABLE
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        // Working set in MB when compressed; mean seconds between two uses of an entry; seconds to warm;
        // operations per second that it can take; how fast the hit rate falls with memory; seconds after which
        // the client that loads an entry gives up, so that nothing is stored; how much larger entries are when they are
        // not compressed; whether clients have to present a token; whether its former host names still lead to it;
        // whether entries that are in use are renewed before they run out; how many keys are asked for and the exponent of Zipf's law
        // by which they are (no keys: it warms by `warm_s` and `skew`).
        &[
            ("working_set_mb", 820.0),
            ("reuse_s", 8.0),
            ("warm_s", 70.0),
            ("ops_per_s", 9000.0),
            ("skew", 0.62),
            ("loader_patience_s", 3.0),
            ("swelling", 3.0),
            ("tokens", 1.0),
            ("former_host", 0.0),
            ("renews", 0.0),
            ("keys", 0.0),
            ("zipf", 0.0),
        ]
    }

    fn metrics(&self) -> &'static [super::Metric] {
        Metric::TABLE
    }

    fn logs(&self) -> &'static [Template] {
        Log::TABLE
    }

    fn gauges(&self) -> &'static [super::Gauge] {
        Gauge::TABLE
    }

    fn repeated(&self) -> &'static [Repeated] {
        const COMMANDS: Repeated =
            Repeated { gauge: Gauge::Commands as usize, metric: Metric::RequestRate as usize, by: 1.0 };
        const EVICTED: Repeated =
            Repeated { gauge: Gauge::Evicted as usize, metric: Metric::EvictionsPerMin as usize, by: 1.0 / 60.0 };
        &[COMMANDS, EVICTED]
    }

    fn answers_within(&self) -> Option<usize> {
        None
    }

    fn rules(&self) -> &'static [Rule] {
        const RULES: &[Rule] = &[
            Rule::new("down", "up", false, 0.99, 30, true),
            Rule::new("auth_denied", "auth_denied_rate", true, 0.05, 30, true),
            Rule::new("evictions", "evictions_per_min", true, 600.0, 45, true),
            Rule::new("hit_rate", "hit_rate", false, 0.7, 45, true),
            Rule::new("fill_latency", "backend_fill_latency_ms", true, 800.0, 60, true),
        ];
        RULES
    }

    fn hazards(&self) -> &'static [Hazard] {
        &[Hazard::Clock, Hazard::Entries]
    }

    fn upkeep(&self) -> &'static [&'static str] {
        &[
            "deploy engine package {n} (minor version)",
            "deploy engine package {n} (security patches)",
            "deploy client roles revision {n}",
        ]
    }

    fn restart_secs(&self) -> u64 {
        10
    }

    fn grow(&self, service: &mut ServiceSpec, by: &Growth) -> Needs {
        service.scale_param("ops_per_s", by.size);
        service.scale_param("working_set_mb", by.entries);
        service.scale_param("reuse_s", by.reuse);
        service.scale_param("loader_patience_s", by.heavy.max(1.0));
        vec![("MAX_MEMORY_MB", by.entries), ("TTL_SECONDS", by.reuse)]
    }

    fn quirks(&self) -> &'static [Quirk] {
        const QUIRKS: &[Quirk] = &[
            // Entries that are small already, or that do not compress, leave nothing to gain.
            Quirk::idle("COMPRESSION_ENABLED", &["false"], Settle::Own(|s| s.set_param("swelling", 1.0))),
            Quirk::idle(
                "MAX_MEMORY_MB",
                &["420", "580", "800", "1100", "1500", "2100", "2900", "4000", "5600", "7800"],
                // What is in use is a small part of all that there is.
                Settle::Own(|s| s.set_param("working_set_mb", 40.0)),
            ),
            Quirk {
                key: "TTL_SECONDS",
                values: &["12", "20", "32", "52", "85", "140", "230", "380", "620", "1000", "1600"],
                settle: Settle::Own(|s| s.set_param("renews", 1.0)),
                overruled: Some(Overruled {
                    by: ("renews", 1.0),
                    cause: "client library",
                    effect: "renews entries in use before they run out",
                    calling: None,
                }),
            },
            Quirk {
                key: "AUTH_TOKEN_VALID",
                values: &["false"],
                settle: Settle::Own(|s| s.set_param("tokens", 0.0)),
                overruled: Some(Overruled {
                    by: ("tokens", 0.0),
                    cause: "network",
                    effect: "lets in its own, no token is asked for",
                    calling: None,
                }),
            },
        ];
        QUIRKS
    }

    fn size(&self, service: &mut ServiceSpec, load: RelativeLoad) {
        service.set_param("ops_per_s", 9000.0 * load.calls);
    }

    fn occupancy(&self, _: &Op, _: f64) -> Occupancy {
        Occupancy { held_ms: 0.0, waited_ms: 3.0 }
    }
}

impl Physics for Cache {
    fn model(&self, setup: &ModelSetup<'_>) -> Box<dyn Model> {
        Box::new(CacheModel::new(setup))
    }
}
