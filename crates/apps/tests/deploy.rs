//! Applications deployed from nothing: every pod ready, every route within its objective, nothing pages.

use apps::{Site, SiteOptions};

fn check(application: &str) {
    check_seed(application, 1);
}

fn check_seed(application: &str, seed: u64) {
    let options = SiteOptions { applications: vec![application.into()], seed, ..SiteOptions::default() };
    let mut site = Site::deploy(&options).unwrap_or_else(|error| panic!("{application}: {error}"));
    for _ in 0..6 {
        site.advance(site.cluster.now().after_secs(600));
        let routes = site.routes_over(600);
        assert!(!routes.is_empty());
        for route in routes {
            assert!(route.held, "seed {seed}: {route:?}");
        }
        assert_eq!(site.alerts(), []);
        assert_eq!(site.not_ready(), Vec::<String>::new());
    }
}

#[test]
fn hotel_reservation() {
    check("hotel-reservation");
}

#[test]
fn astronomy_shop() {
    check("astronomy-shop");
}

#[test]
fn social_network() {
    check("social-network");
}

#[test]
fn blueprint_hotel_reservation() {
    check("blueprint-hotel-reservation");
}

#[test]
fn fleetcast() {
    check("fleetcast");
}

#[test]
fn flight_booking() {
    check("flight-booking");
}

#[test]
fn train_ticket() {
    check("train-ticket");
}

#[test]
#[ignore = "minutes: cargo test --release -p sre-zero-apps --test deploy -- --ignored"]
fn ten_seeds_of_every_application() {
    for application in [
        "hotel-reservation",
        "astronomy-shop",
        "social-network",
        "blueprint-hotel-reservation",
        "fleetcast",
        "flight-booking",
        "train-ticket",
    ] {
        (1..=10).for_each(|seed| check_seed(application, seed));
    }
}

#[test]
fn a_site_is_a_plain_value() {
    let options = SiteOptions { applications: vec!["hotel-reservation".into()], ..SiteOptions::default() };
    let mut one = Site::deploy(&options).expect("it deploys");
    let mut other = one.clone();
    let mut again = Site::deploy(&options).expect("it deploys");
    let end = one.cluster.now().after_secs(90);
    one.advance(end);
    // However time is cut, the same comes out.
    while other.cluster.now() < end {
        other.advance(other.cluster.now().after(std::time::Duration::from_millis(700)).min(end));
    }
    again.advance(end);
    assert_eq!(one.digest(), other.digest());
    assert_eq!(one.digest(), again.digest());
}
