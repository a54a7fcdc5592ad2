//! One story: what is printed twice agrees. For random faults, sites, severities and times of random worlds, everything that
//! an operator can read is parsed and compared.
//! `PROPTEST_CASES=1000 cargo test --release -p sre-zero-world --test one_story` looks at a thousand of them.
//!
//! The law of all of it is here. Each file beside this one has what is held of one thing that is told, and incidents that are
//! about it.

#[path = "../common/mod.rs"]
mod common;
mod logs;
mod proxies;
mod status;
mod stores;
mod traces;
mod worlds;

use proptest::prelude::*;

use logs::{check_deaths, check_lines, check_peers, check_single_lines};
use proxies::{check_backends, check_turns};
use status::{check_routes, check_transactions};
use stores::check_statements;
use traces::{check_ids, check_lines_before_servers, check_times, check_traces};
use worlds::broken;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everything_that_is_shown_tells_one_story(which in 0u8..4, seed in 0u64..1000, pick in any::<u64>(), minutes in 2u64..25) {
        let world = broken(which, seed, pick, minutes);
        check_lines(&world);
        let roots = check_traces(&world);
        check_times(&world);
        check_lines_before_servers(&world);
        check_ids(&world, &roots);
        check_single_lines(&world);
        check_peers(&world);
        check_statements(&world);
        check_routes(&world);
        check_backends(&world);
        check_transactions(&world);
        check_deaths(&world);
        check_turns(&world);
    }
}
