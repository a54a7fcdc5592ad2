//! Diagnoses as people write them, right and wrong, each with the verdict that it deserves.

use super::diagnosis::{Asked, judge, judge_asked, names_fix};
use super::stage::card;
use crate::Fix;

/// `verdict | service | mechanisms | text`. `yes`: credit. `vague`: something required is not
/// named. `denied`: it is named, but under a denial. `list`: too much is named.
const CASES: &str = r#"
yes | cache | cache_ttl | cache TTL_SECONDS was set to 5, so entries expired, the hit rate collapsed and the database was overloaded
yes | cache | cache_ttl | The cache's TTL is far too short
yes | cache | cache_ttl | TTL_SECONDS=5 is too low; entries expire before they are reused
yes | cache | cache_ttl | Someone pushed cache.TTL_SECONDS = 5 twenty minutes ago
yes | cache | cache_ttl | Redis time-to-live of five seconds floods postgres with misses
yes | cache | cache_ttl | A TTL_SECONDS of 5 overloaded the database
yes | cache | cache_ttl | It is not the database but the cache: its TTL is 5 seconds
yes | cache | cache_ttl | Keys in the cache expire too quickly (5 s), which sends every read to the DB
list | cache | cache_ttl | the limits of cache were too low: MAX_MEMORY_MB and TTL_SECONDS
list | cache | memory_limit | database READ_REPLICA_ENABLED is off. The cache MAX_MEMORY_MB is too small. web_server MAX_WORKERS is too low.
vague | cache | cache_ttl | The cache is slow
vague | cache | cache_ttl | High latency and errors across the site
yes | cache | cache_ttl | TTL is too short
vague | cache | cache_ttl |
denied | cache | cache_ttl | It isn't a TTL problem in the cache
denied | cache | cache_ttl | The cache TTL is fine, the database is slow
denied | cache | cache_ttl | Cache TTL was ruled out
denied | cache | cache_ttl | This has nothing to do with the cache TTL
denied | cache | cache_ttl | The database is overloaded, not the cache TTL
vague | cache | cache_ttl | cache MAX_MEMORY_MB is too small
vague | cache | cache_ttl | the database.TTL_SECONDS is too low
yes | cache | crash | The cache process crashed
yes | cache | crash | cache is down
yes | cache | crash | Redis was OOM killed and did not come back, so the app hits the database
yes | cache | crash | The cache died -> database overloaded -> web workers busy -> 502 at the load balancer
yes | cache | crash | web_server cannot reach the crashed cache
yes | cache | crash | 502s at the edge caused by a crash of the cache
yes | cache | crash | The cache is not running since 10:04
yes | cache | crash | Der Cache ist abgestürzt
vague | cache | crash | The database crashed and the cache is slow
vague | cache | crash | the web server crashed
denied | cache | crash | The cache did not crash
denied | cache | crash | no crash of the cache, only slow queries
denied | cache | crash | the cache never crashed, but the database is slow
yes | web_server | worker_crash | web workers keep crashing
yes | web_server | worker_crash | Two of the app server's worker processes died
yes | web_server | crash | web_server workers crashed after a bad deploy
denied | web_server | worker_crash | web server workers have not crashed
yes | web_server | memory_leak | The web server leaks memory and has to be restarted
yes | web_server | memory_leak | memory leak in web-server workers
yes | web_server | memory_leak | web server memory keeps growing until workers are recycled
denied | web_server | memory_leak | There is no memory leak in the web server
denied | web_server | memory_leak | no sign of a memory leak on web_server
vague | web_server | memory_leak | The database leaks memory, which slows the web server
yes | cache | memory_limit | MAX_MEMORY_MB of 256 is too small: the cache runs out of memory
yes | cache | memory_limit | Not enough memory for the cache, so live keys are evicted
yes | cache | eviction | the cache is evicting live keys because its memory limit is 384 MB
yes | database | disk_full | The database disk is full; writes fail
yes | database | disk_full | No space left on device on postgres
denied | database | disk_full | The database disk is not full
yes | database | maintenance_mode | the database was left in maintenance mode
yes | database | maintenance_mode | MAINTENANCE_MODE=true after last night's work
yes | cache | auth_expired | The auth token for the cache expired
yes | cache | auth_expired | cache rejects clients: their token is no longer valid
yes | load_balancer | tls_expired | The LB's TLS certificate has expired
yes | load_balancer | tls_expired | expired cert at the edge, so handshakes fail
denied | load_balancer | tls_expired | load balancer certificate is not the problem
yes | database | connection_pool | Database connection pool exhausted
yes | database | connection_pool | DB_POOL_SIZE is 50, callers wait for a connection and the web server returns 500
yes | database | connection_pool | the database ran out of connections because its pool is too small
yes | database | connection_pool | El pool de conexiones de la database está agotado
vague | database | connection_pool | the database is slow
vague | database | connection_pool | database overload
denied | database | connection_pool | the database, rather than its connection pool, is slow
yes | database | missing_index | The database has no index on orders.user_id
yes | database | missing_index | Slow queries in the DB: the products sku index is missing
yes | database | missing_index | INDEX_PRODUCTS_SKU is false, so every lookup is a full table scan
yes | database | missing_index | The index does not exist in postgres
denied | database | missing_index | There is no missing index in the database
yes | web_server | worker_limit | web_server MAX_WORKERS is too low for the load
yes | web_server | worker_limit | Not enough web workers; requests queue up
yes | web_server | worker_limit | all web workers are busy: only 16 workers are configured
yes | database | query_timeout | The database query timeout is too low
yes | database | query_timeout | QUERY_TIMEOUT_MS=1000 cancels queries that would have finished
vague | database | query_timeout | database TIMEOUT_MS is wrong
yes | load_balancer | connection_limit | The load balancer's connection limit of 500 is reached
vague | load_balancer | connection_limit | database MAX_CONNECTIONS is too low
yes | message_queue | retry_limit | RETRY_LIMIT of 1 sends messages to the dead letter queue after one failure
yes | message_queue | retry_limit | The broker gives up too early: too few retries
yes | load_balancer | sticky_sessions | Session affinity at the load balancer pins clients to one backend
yes | message_queue | visibility_timeout | The queue's visibility timeout is shorter than processing takes, so messages are delivered twice
yes | web_server | rate_limit | The web server's rate limiter rejects good traffic with 429
yes | database | autovacuum | Autovacuum is disabled on the database, so tables bloat
yes | database | autovacuum | Postgres autovacuum is not enabled
yes | cache | compression | Cache compression was disabled, so entries take too much memory
yes | message_queue | in_flight_limit | MAX_IN_FLIGHT is too low; consumers starve
yes | load_balancer | idle_timeout | The load balancer closes connections after its idle timeout of 15 s
yes | load_balancer | idle_timeout | web timeouts are only a symptom; IDLE_TIMEOUT_MS on the load balancer is too low
yes | web_server | publish_timeout | The web server's publish timeout of 500 ms is shorter than a publish takes
yes | web_server | request_timeout | TIMEOUT_MS on web_server was lowered to 1000
yes | web_server | request_timeout | the web server's timeout is too short
yes | web_server | cache_host | The web server looks for the cache at the wrong host
yes | web_server | cache_host | web_server CACHE_HOST points at cache-old.internal instead of cache.internal
yes | database | read_replica | The database's read replica is disabled; the primary takes all reads
yes | database | read_replica | no read replica is in use on the database
yes | web_server | cache_bypass | USE_CACHE is false on web_server, so the cache is bypassed
yes | web_server | cache_bypass | The web server is not using the cache
yes | load_balancer | backend_weight | The load balancer's weights send all traffic to one backend
yes | message_queue | poison_messages | Poison messages in the queue are retried fifty times
yes | message_queue | poison_messages+retry_limit | a poison message and RETRY_LIMIT of 50 keep the message queue busy
vague | message_queue | poison_messages+retry_limit | poison messages in the queue
yes | message_queue | retry_storm | The queue is in a retry storm
yes | message_queue | consumer_concurrency | The message queue has too few consumers
yes | load_balancer | health_check_path | the load balancer's health check path is /status
yes | cart-worker | crash | the cart worker crashed
yes | cart-worker | memory_leak | cart_worker leaks memory
vague | cart-worker | crash | the database crashed
list | cache | crash | crash, memory leak, disk full, connection pool, missing index, cache
list | cache | cache_ttl | cache TTL or eviction
denied | cache | cache_ttl | either the cache TTL or a memory leak in the web server
list | cache | cache_ttl | cache ttl, eviction, compression
list | database | read_replica | database pool, missing index, read replica and autovacuum
list | cache | crash | It could be that the cache crashed, that the database disk is full, that web workers are too few, that the queue has poison messages or that the load balancer certificate expired
list | cache | crash | web_server database cache message_queue load_balancer crash
list | database | connection_pool | timeout latency error pool index ttl memory leak crash restart database cache web_server
yes | database | missing_index | I ruled out the cache, the queue and the load balancer: the database lacks an index
yes | database | missing_index | Ruled out memory leak, disk full, and connection pool. A missing index in the database makes every query slow
denied | cache | crash | neither the cache crash nor the database matters
yes | cache | cache_ttl | Root cause: cache TTL_SECONDS misconfigured to 5s (normally 300s), causing a collapse in hit rate (0.92→0.35), which increased database load, exhausting the connection pool and raising web_server p95 latency and timeouts.
yes | database | connection_pool | database connection pool exhausted: DB_POOL_SIZE=50 with active_connections at max; web_server logs show 'could not obtain connection from pool'. Not a web_server or cache issue.
yes | load_balancer | idle_timeout | The load_balancer's IDLE_TIMEOUT_MS (30000) is lower than the web_server's response time, so the LB closes connections mid-response. The web_server itself was healthy.
yes | web_server | worker_crash | web_server worker processes segfaulted, leaving 1 of 8 healthy; memory was not involved
yes | web_server | cache_bypass | Misconfigured USE_CACHE=false in web_server disables caching, sending all reads directly to the database and overloading it.
yes | message_queue | poison_messages | A poison message is retried up to RETRY_LIMIT=50 times, causing a retry storm that saturates message_queue consumers and the database.
yes | web_server | memory_leak | web_server is leaking memory; memory_used_pct climbed to 97% and workers are being OOM-killed and restarted
yes | database | read_replica | Database read replica disabled → primary saturated. Message queue backlog is a downstream symptom.
yes | load_balancer | health_check_path | HEALTH_CHECK_PATH set to /status (should be /healthz), marking healthy backends as down
yes | cache | memory_limit | not a code issue but the cache memory limit (MAX_MEMORY_MB=256) is too low
yes | cache | memory_limit | Cache TTL is fine but its memory is too small
denied | cache | cache_ttl | Cache TTL is fine but its memory is too small
yes | cache | memory_limit | not the cache TTL but its memory limit
yes | database | maintenance_mode | The database is unavailable because MAINTENANCE_MODE was not turned off after the work
yes | load_balancer | tls_expired | No problem with the database; the LB's cert isn't valid
yes | database | connection_pool | web_server cannot acquire database connections since the pool size is 50
yes | database | missing_index | **Root cause**: `database` – missing index on `orders.user_id` (INDEX_ORDERS_USER_ID=false)
yes | cache | crash | The issue was caused by the cache service having crashed
yes | message_queue | crash | message_queue broker process terminated unexpectedly
yes | load_balancer | sticky_sessions | STICKY_SESSIONS=true on load_balancer pins users to one backend; not a web_server capacity problem
yes | load_balancer | backend_weight | WEB_WEIGHT_PRIMARY=100 sends 100% of traffic to the primary web backend, overloading it
yes | message_queue | visibility_timeout | Visibility timeout of 5s shorter than processing time => duplicate deliveries in message_queue
yes | database | query_timeout | Query timeout too aggressive (QUERY_TIMEOUT_MS 1000ms): legitimate database queries are cancelled
yes | web_server | rate_limit | web_server RATE_LIMIT_RPS=200 is below normal traffic of 240 rps -> 429s
yes | web_server | request_timeout | Web server's upstream timeout TIMEOUT_MS=1000 is too low for normal DB latency so requests time out; DB itself is fine.
yes | database | connection_pool | Connection pool exhaustion in database, not a missing index nor slow queries
yes | web_server | worker_crash | It is the web server, not the database, whose workers crashed
yes | cache | crash | web server, load balancer and queue saw errors because the cache crashed
list | message_queue | crash | The cache, database, web server and queue all crashed
list | cache | crash | cache, database, web_server, queue: crash
vague | web_server | request_timeout | web server requests time out
vague | database | query_timeout | The database returns errors
vague | message_queue | consumer_concurrency | The message queue backlog grows
vague | cache | crash | restart fixed it
"#;

fn verdict(text: &str, service: &str, mechanisms: &[&str]) -> &'static str {
    let verdict = judge(text, service, mechanisms);
    match verdict {
        _ if verdict.credit() => "yes",
        _ if verdict.too_many => "list",
        _ if verdict.negated => "denied",
        _ => "vague",
    }
}

#[test]
fn diagnoses_get_the_verdict_they_deserve() {
    let cases: Vec<Vec<&str>> = CASES.lines().filter(|line| !line.is_empty()).map(fields).collect();
    assert!(cases.len() >= 60);
    let wrong: Vec<String> = cases.iter().filter_map(|case| complaint(case)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn fields(line: &str) -> Vec<&str> {
    line.splitn(4, '|').map(str::trim).collect()
}

fn complaint(case: &[&str]) -> Option<String> {
    let [expect, service, mechanisms, text] = case else { panic!("a case has four fields: {case:?}") };
    let mechanisms: Vec<&str> = mechanisms.split('+').collect();
    let found = verdict(text, service, &mechanisms);
    (found != *expect).then(|| format!("{found}, not {expect}: {service} {mechanisms:?}: {text}"))
}

#[test]
fn a_fix_is_named_by_its_key_or_its_restart() {
    let ttl = card().fix;
    let restart = vec![Fix::Restart { restart: "cache".into() }];
    let both = [ttl.clone(), restart.clone()].concat();
    let odd = vec![Fix::Config { config: "cart.SHARD_COUNT".into(), is: "= 3".into() }];
    let cases = [
        (&ttl, "set TTL_SECONDS to 300", true),
        (&ttl, "raise the cache's TTL", true),
        (&ttl, "restart the cache", false),
        (&ttl, "instead of the TTL, raise the pool size", false),
        (&restart, "restart the cache", true),
        (&restart, "restarted redis", true),
        (&restart, "bounce the database", false),
        (&restart, "fix the cache", false),
        (&restart, "restart web_server, database, cache, message_queue and load_balancer", false),
        (&both, "raise TTL_SECONDS, then restart the cache", true),
        (&both, "raise TTL_SECONDS", false),
        (&odd, "set SHARD_COUNT back to 3", true),
        (&odd, "add shards", false),
    ];
    for (fix, text, expect) in cases {
        assert_eq!(names_fix(text, fix), expect, "{text}");
    }
}

#[test]
fn naming_every_mechanism_is_no_diagnosis() {
    let everything: Vec<&str> = super::concepts::ALL.iter().map(|concept| concept.name).collect();
    let text = format!("web_server database cache message_queue load_balancer {}", everything.join(", "));
    for concept in super::concepts::ALL {
        assert!(!judge(&text, "cache", &[concept.name]).credit(), "{}", concept.name);
    }
}

#[test]
fn every_mechanism_is_known_by_its_own_name_and_keys() {
    for concept in super::concepts::ALL {
        let home = if concept.home.is_empty() { "web_server" } else { concept.home };
        for word in concept.keys.iter().copied().chain([concept.name]) {
            let verdict = judge(&format!("{home}: {word}"), home, &[concept.name]);
            assert!(verdict.credit(), "{word} does not name {}: {verdict:?}", concept.name);
        }
    }
}

#[test]
fn a_service_may_bring_names_that_the_catalogue_does_not_know() {
    let aliases = ["elasticsearch".to_string()];
    let text = "elasticsearch crashed and nobody restarted it";
    assert!(!judge(text, "search_index", &["crash"]).credit());
    let asked = Asked { component: "search_index", aliases: &aliases, concepts: vec!["crash"], direction: None };
    assert!(judge_asked(text, &asked, 1).credit());
    assert!(!judge_asked("the cache crashed", &asked, 1).credit());
}
