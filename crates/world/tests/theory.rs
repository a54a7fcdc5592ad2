//! Stations against the closed forms of queueing theory.

use world::station::{Capacity, Station, mean_wait};

/// Mean wait of M/M/c by Erlang's C formula, exactly.
fn erlang_wait(servers: u32, hold: f64, load: f64) -> f64 {
    let offered = load * f64::from(servers);
    let mut b = 1.0;
    for n in 1..=servers {
        b = offered * b / (f64::from(n) + offered * b);
    }
    let c = b / (1.0 - load * (1.0 - b));
    c * hold / (f64::from(servers) * (1.0 - load))
}

fn settle(servers: f64, hold: f64, load: f64) -> (Station, world::station::Served) {
    let mut station = Station::default();
    let arrivals = load * servers / hold;
    let capacity = Capacity { servers, hold, room: 1e9 };
    let mut served = station.step(arrivals, capacity, 5.0);
    for _ in 0..2000 {
        served = station.step(arrivals, capacity, 5.0);
    }
    (station, served)
}

#[test]
fn one_server_waits_as_m_m_1_says() {
    for load in [0.1, 0.3, 0.5, 0.7, 0.9, 0.97] {
        let (_, served) = settle(1.0, 0.2, load);
        let expect = 0.2 * load / (1.0 - load);
        assert!(
            (served.wait.mean - expect).abs() < 1e-6 * expect,
            "load {load}: {} against {expect}",
            served.wait.mean
        );
    }
}

/// Sakasegawa's formula is approximate: the stated error is 4 % of the holding time, or 10 % of the wait where that is long.
#[test]
fn many_servers_wait_as_m_m_c_says_within_the_stated_error() {
    for servers in [2u32, 4, 8, 16, 32, 64, 128] {
        for load in [0.3, 0.5, 0.7, 0.8, 0.9, 0.95] {
            let (_, served) = settle(f64::from(servers), 0.3, load);
            let expect = erlang_wait(servers, 0.3, load);
            let error = (served.wait.mean - expect).abs();
            assert!(
                error < (0.04 * 0.3f64).max(0.1 * expect),
                "c {servers} load {load}: {} against {expect}",
                served.wait.mean
            );
        }
    }
}

#[test]
fn the_queue_is_as_long_as_littles_law_says() {
    for (servers, load) in [(1.0, 0.8), (12.0, 0.9), (40.0, 0.95)] {
        let (station, served) = settle(servers, 0.25, load);
        assert!((station.waiting - served.throughput * served.wait.mean).abs() < 1e-6);
        assert!((served.busy - served.throughput * 0.25).abs() < 1e-9, "Little's law for the servers");
    }
}

#[test]
fn jobs_are_conserved_whatever_arrives() {
    let draws = world::Seed(3).stream("arrivals");
    let mut station = Station::default();
    let (mut came, mut left) = (0.0, 0.0);
    for tick in 0..5000u64 {
        let arrivals = draws.at(tick).between(0.0, 90.0);
        let capacity = Capacity { servers: 8.0, hold: draws.within(1).at(tick).between(0.05, 0.4), room: 300.0 };
        let served = station.step(arrivals, capacity, 5.0);
        assert!(served.throughput >= -1e-9 && served.rejected >= 0.0 && station.waiting >= 0.0);
        assert!(served.throughput <= capacity.servers / capacity.hold + 1e-9, "no more than the servers can do");
        came += arrivals * 5.0;
        left += (served.throughput + served.rejected) * 5.0;
    }
    assert!((came - left - station.waiting).abs() < 1e-6 * came, "{came} came, {left} left, {} wait", station.waiting);
}

#[test]
fn above_saturation_the_queue_integrates_the_difference() {
    let mut station = Station::default();
    let capacity = Capacity { servers: 10.0, hold: 0.1, room: 1e9 };
    for _ in 0..12 {
        station.step(130.0, capacity, 5.0);
    }
    assert!((station.waiting - 30.0 * 60.0).abs() < 1e-6, "{}", station.waiting);
    for _ in 0..12 {
        station.step(70.0, capacity, 5.0);
    }
    let steady = 70.0 * mean_wait(10.0, 0.1, 0.7);
    assert!((station.waiting - steady).abs() < 1e-6, "drained to the steady queue");
}
