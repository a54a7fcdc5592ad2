//! Actions have consequences: the right fix heals over minutes, a plausible wrong one does not, and
//! some wrong ones make it measurably worse.

mod common;

use common::{act, harm, plant, shop, wait, well};
use world::{Span, World};

/// A wrong fix is worse if users felt at least this much more than without any action.
const WORSE: f64 = 1.03;

struct Case {
    fault: &'static str,
    wrong: &'static str,
    worse: bool,
}

const fn case(fault: &'static str, wrong: &'static str, worse: bool) -> Case {
    Case { fault, wrong, worse }
}

const CASES: &[Case] = &[
    case(
        "config_push service=database key=READ_REPLICA_ENABLED value=false",
        "message_queue CONSUMER_CONCURRENCY 200",
        false,
    ),
    case("config_push service=database key=READ_REPLICA_ENABLED value=false", "restart cache", true),
    case("config_push service=database key=INDEX_ORDERS_USER_ID value=false", "restart database", false),
    case("config_push service=database key=DB_POOL_SIZE value=50", "web_server USE_CACHE false", true),
    case("config_push service=load_balancer key=IDLE_TIMEOUT_MS value=15000", "restart web_server", true),
    case("config_push service=message_queue key=CONSUMER_CONCURRENCY value=4", "restart database", true),
    case("config_push service=message_queue key=RETRY_LIMIT value=1", "restart message_queue", true),
    case("expiry service=load_balancer key=TLS_CERT_VALID", "restart web_server", false),
    case("config_push service=web_server key=MAX_WORKERS value=16", "load_balancer MAX_CONNECTIONS 8000", false),
    case("config_push service=web_server key=RATE_LIMIT_RPS value=200", "web_server MAX_WORKERS 80", true),
    case("config_push service=cache key=TTL_SECONDS value=5", "cache MAX_MEMORY_MB 4096", false),
    case("config_push service=cache key=MAX_MEMORY_MB value=256", "cache TTL_SECONDS 3600", false),
    case("crash service=message_queue", "web_server QUEUE_PUBLISH_TIMEOUT_MS 20000", false),
    case("config_push service=database key=QUERY_TIMEOUT_MS value=1000", "web_server TIMEOUT_MS 20000", false),
];

/// Ten minutes after the fault; then the action, if any; then a quarter of an hour.
fn run(fault: &str, action: Option<&str>, seed: u64) -> World {
    let mut world = shop(seed);
    plant(&mut world, fault);
    wait(&mut world, 10);
    assert!(!well(&world), "{fault} hurts");
    if let Some(action) = action {
        act(&mut world, action);
    }
    wait(&mut world, 15);
    world
}

#[test]
fn plausible_wrong_fixes_do_not_heal_and_some_make_it_worse() {
    for case in CASES {
        for seed in [1, 2] {
            let (left, tried) = (run(case.fault, None, seed), run(case.fault, Some(case.wrong), seed));
            assert!(!well(&tried), "{} does not heal {}", case.wrong, case.fault);
            let ratio = harm(&tried) / harm(&left);
            let place = format!("{} after {}: harm {ratio:.3} of the untouched", case.wrong, case.fault);
            assert_eq!(ratio > WORSE, case.worse, "{place}");
        }
    }
    assert!(CASES.len() >= 10 && CASES.iter().filter(|c| c.worse).count() >= 5);
}

#[test]
fn after_the_right_fix_metrics_recover_over_minutes() {
    let fixes = [
        ("config_push service=cache key=MAX_MEMORY_MB value=256", "cache MAX_MEMORY_MB 1024", "cache", "hit_rate"),
        ("crash service=cache", "restart cache", "cache", "hit_rate"),
        (
            "config_push service=message_queue key=CONSUMER_CONCURRENCY value=4",
            "message_queue CONSUMER_CONCURRENCY 32",
            "message_queue",
            "queue_depth",
        ),
        (
            "config_push service=database key=AUTOVACUUM_ENABLED value=false",
            "database AUTOVACUUM_ENABLED true",
            "database",
            "table_bloat_pct",
        ),
    ];
    for (fault, fix, service, metric) in fixes {
        let mut world = shop(3);
        plant(&mut world, fault);
        wait(&mut world, 10);
        let distance = |w: &World| {
            let at = w.plan().service(service).expect("a service");
            let reading = w.view().metrics(at).find(|m| m.name == metric).expect("a metric");
            (reading.value.expect("a sample") - reading.usual).abs()
        };
        let broken = distance(&world);
        act(&mut world, fix);
        let end = world.now() + Span::secs(45);
        world.run_until(end);
        let soon = distance(&world);
        assert!(soon > 0.1 * broken, "{fix}: {metric} does not jump back at once");
        wait(&mut world, 12);
        assert!(distance(&world) < 0.1 * broken, "{fix}: {metric} is back: {} of {broken}", distance(&world));
        assert!(well(&world), "{fix} heals: {:?}", world.objectives(Span::mins(3)));
    }
}
