//! Worlds in which a failure can outlive its cause: the shop with less room in the wrong place.

use world::{Spec, shop};

/// A loop that keeps a failure alive when its trigger is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loop {
    /// Late answers are asked for again, which makes answers late.
    Retries,
    /// A database that takes all the misses is too slow to fill the cache that would spare it.
    ColdCache,
    /// Messages wait so long with their consumers that they are delivered again, which makes them wait.
    Redelivery,
    /// Clients that waited too long for the database open new connections, which cost it the time they wait for.
    Connections,
}

impl Loop {
    /// All of them, in order.
    pub const ALL: [Loop; 4] = [Loop::Retries, Loop::ColdCache, Loop::Redelivery, Loop::Connections];

    /// In one word.
    pub fn text(self) -> &'static str {
        match self {
            Loop::Retries => "retries",
            Loop::ColdCache => "cold_cache",
            Loop::Redelivery => "redelivery",
            Loop::Connections => "connections",
        }
    }

    /// The physical parameters that make it possible, as `params` of a task's world has them.
    ///
    /// * retries: many requests may wait in front of few workers, so that answers come later than users wait;
    /// * cold cache: workers are cheap, so that there are far more of them than the database can answer in time;
    /// * redelivery: consumers fetch far ahead, so that messages wait with them while their time runs;
    /// * connections: a new connection costs the database as much as several queries.
    pub fn params(self) -> &'static [(&'static str, f64)] {
        match self {
            Loop::Retries => &[("web_server.backlog", 4000.0)],
            Loop::ColdCache => &[("cache.loader_patience_s", 2.4), ("web_server.worker_mb", 7.0)],
            Loop::Redelivery => &[("message_queue.prefetch", 60.0)],
            Loop::Connections => &[("database.connect_ms", 150.0), ("web_server.worker_mb", 7.0)],
        }
    }

    /// The settings that make it possible, as `config` of a task's world has them.
    pub fn config(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Loop::Retries => &[("web_server.MAX_WORKERS", "30"), ("load_balancer.MAX_CONNECTIONS", "20000")],
            Loop::ColdCache => &[
                ("web_server.MAX_WORKERS", "300"),
                ("web_server.TIMEOUT_MS", "2400"),
                ("database.DB_POOL_SIZE", "500"),
            ],
            Loop::Redelivery => {
                &[("message_queue.CONSUMER_CONCURRENCY", "18"), ("message_queue.MAX_IN_FLIGHT", "5000")]
            }
            Loop::Connections => &[("web_server.MAX_WORKERS", "200"), ("database.DB_POOL_SIZE", "110")],
        }
    }

    /// The fault that sets it off, with its arguments. It is over within minutes.
    pub fn trigger(self) -> (&'static str, &'static [(&'static str, &'static str)]) {
        match self {
            Loop::Retries => ("retry_burst", &[("service", "web_server"), ("factor", "2.5")]),
            Loop::ColdCache => ("cache_flush", &[("service", "cache")]),
            Loop::Redelivery => ("redelivery_burst", &[("service", "message_queue"), ("messages", "4000")]),
            Loop::Connections => ("connection_storm", &[("service", "database"), ("clients", "20000")]),
        }
    }
}

/// The shop with what makes a loop possible.
pub fn fragile(sustained: Loop) -> Spec {
    let mut spec = shop();
    for (name, value) in sustained.params() {
        let (service, param) = name.split_once('.').expect("service.param");
        spec.service_mut(service).expect("a service of the shop").params.insert(param.into(), *value);
    }
    for (name, value) in sustained.config() {
        let (service, key) = name.split_once('.').expect("service.KEY");
        spec.service_mut(service).expect("a service of the shop").config.insert(key.into(), value.to_string().into());
    }
    spec
}
