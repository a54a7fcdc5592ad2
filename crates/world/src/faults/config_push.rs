//! # What happens
//! Somebody pushes a configuration value that does not fit the load.
//!
//! # What an operator sees
//! Whatever the key does to the service; the push stands in the change history.
//!
//! # How it is fixed
//! Set the key to a value that fits, or roll the change back.

use super::{Act, Args, Cure, Family, Fault, FaultError, kit};
use crate::blueprint::{Blueprint, ServiceInfo};
use crate::config::Value;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::time::{Span, Time};

/// A configuration value that does not fit.
pub struct ConfigPush;

/// A value that hurts under an ordinary load.
enum Bad {
    Is(&'static str),
    /// The healthy number times this.
    Times(f64),
}

/// What can be pushed: kind, key, the value, and the concept behind it.
const PUSHES: &[(&str, &str, Bad, &str)] = &[
    ("balancer", "HEALTH_CHECK_PATH", Bad::Is("/status"), "health_check_path"),
    ("balancer", "MAX_CONNECTIONS", Bad::Times(0.25), "connection_limit"),
    ("balancer", "STICKY_SESSIONS", Bad::Is("true"), "sticky_sessions"),
    ("balancer", "WEB_WEIGHT_PRIMARY", Bad::Is("100"), "backend_weight"),
    ("balancer", "IDLE_TIMEOUT_MS", Bad::Times(0.125), "idle_timeout"),
    ("web", "TIMEOUT_MS", Bad::Times(0.25), "request_timeout"),
    ("web", "MAX_WORKERS", Bad::Times(0.4), "worker_limit"),
    ("web", "CACHE_HOST", Bad::Is("cache-old.internal"), "cache_host"),
    ("web", "USE_CACHE", Bad::Is("false"), "cache_bypass"),
    ("web", "RATE_LIMIT_RPS", Bad::Times(0.25), "rate_limit"),
    ("web", "QUEUE_PUBLISH_TIMEOUT_MS", Bad::Times(0.125), "publish_timeout"),
    ("database", "DB_POOL_SIZE", Bad::Times(0.35), "connection_pool"),
    ("database", "QUERY_TIMEOUT_MS", Bad::Times(0.125), "query_timeout"),
    ("database", "DISK_QUOTA_GB", Bad::Times(0.417), "disk_full"),
    ("database", "MAINTENANCE_MODE", Bad::Is("true"), "maintenance_mode"),
    ("database", "READ_REPLICA_ENABLED", Bad::Is("false"), "read_replica"),
    ("database", "AUTOVACUUM_ENABLED", Bad::Is("false"), "autovacuum"),
    ("database", "INDEX_ORDERS_USER_ID", Bad::Is("false"), "missing_index"),
    ("database", "INDEX_PRODUCTS_SKU", Bad::Is("false"), "missing_index"),
    ("cache", "TTL_SECONDS", Bad::Times(0.017), "cache_ttl"),
    ("cache", "MAX_MEMORY_MB", Bad::Times(0.25), "memory_limit"),
    ("cache", "COMPRESSION_ENABLED", Bad::Is("false"), "compression"),
    ("queue", "CONSUMER_CONCURRENCY", Bad::Times(0.17), "consumer_concurrency"),
    ("queue", "MAX_IN_FLIGHT", Bad::Times(0.2), "in_flight_limit"),
    ("queue", "RETRY_LIMIT", Bad::Is("1"), "retry_limit"),
    ("queue", "VISIBILITY_TIMEOUT_MS", Bad::Times(0.17), "visibility_timeout"),
];

/// The value that hurts this service, if it differs from the healthy one and the key takes it.
fn bad_value(service: &ServiceInfo, key: &str, bad: &Bad) -> Option<String> {
    let at = service.key(key)?;
    let text = match bad {
        Bad::Is(text) => text.to_string(),
        Bad::Times(by) => ((service.config[at].int() * by).round() as i64).to_string(),
    };
    let value = service.kind.keys()[at].parse(&text).ok()?;
    (value != service.config[at]).then_some(text)
}

impl Fault for ConfigPush {
    fn name(&self) -> &'static str {
        "config_push"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("key", "its configuration key"), ("value", "the value pushed")]
    }

    fn plan(&self, args: &Args, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let key = args.key(plan, service)?;
        let info = &plan.services[service].kind.keys()[key];
        let bad = |problem| FaultError::Bad { name: "value", problem };
        let value = info.parse(args.text("value")?).map_err(bad)?;
        let old = &plan.services[service].config[key];
        if *old == value {
            return Err(bad(format!("{} is {value} already, so nothing would change", info.name)));
        }
        let summary = format!("set {} from {old} to {value}", info.name);
        let mutation = Mutation::Config { service, key, value, since: Time(0) };
        Ok(vec![Act { after: Span::ZERO, service, mutation, change: Some((super::author(seed, &summary), summary)) }])
    }

    fn family(&self) -> Family {
        Family::Configuration
    }

    fn sites(&self, plan: &Blueprint) -> Vec<Args> {
        let mut sites = Vec::new();
        for service in &plan.services {
            for (_, key, bad, _) in PUSHES.iter().filter(|p| p.0 == service.kind.name()) {
                if let Some(value) = bad_value(service, key, bad) {
                    sites.push(kit::site(&[("service", &service.name), ("key", key), ("value", &value)]));
                }
            }
        }
        sites
    }

    fn cures(&self, args: &Args, plan: &Blueprint) -> Vec<Cure> {
        let (service, key) = (args.said("service"), args.said("key"));
        let bad: Option<Value> = args.said("value").parse().ok().map(Value::Int);
        let mut cures = Cure::config(plan, service, key, bad.as_ref());
        cures.push(Cure::rollback(service));
        cures
    }

    fn concept(&self, args: &Args) -> &'static str {
        let key = args.said("key");
        PUSHES.iter().find(|p| p.1 == key).map_or("", |p| p.3)
    }
}
