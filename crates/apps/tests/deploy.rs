//! Applications deployed from nothing: every pod ready, every route within its objective.

use apps::{Site, SiteOptions};

fn deployed(application: &str, seed: u64) -> Site {
    let options = SiteOptions { applications: vec![application.into()], seed, ..SiteOptions::default() };
    Site::deploy(&options).unwrap_or_else(|error| panic!("{application}, seed {seed}: {error}"))
}

#[test]
fn hotel_reservation_serves_its_users() {
    let mut site = deployed("hotel-reservation", 1);
    site.advance(site.cluster.now().after_secs(300));
    for route in site.routes() {
        assert!(route.held, "{route:?}");
    }
    assert_eq!(site.alerts(), []);
}
