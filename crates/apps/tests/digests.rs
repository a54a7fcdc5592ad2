//! The state of every application after five minutes, as one number: it moves only when someone means it to.

use apps::{Site, SiteOptions};
use expect_test::expect;

#[test]
fn applications_live_as_they_did() {
    let names = [
        "astronomy-shop",
        "blueprint-hotel-reservation",
        "fleetcast",
        "flight-booking",
        "hotel-reservation",
        "social-network",
        "train-ticket",
    ];
    let lines: String = names
        .iter()
        .map(|name| {
            let options = SiteOptions { applications: vec![(*name).into()], seed: 7, ..SiteOptions::default() };
            let mut site = Site::deploy(&options).expect("shipped applications deploy");
            site.advance(site.cluster.now().after_secs(300));
            format!("{name} {:016x}\n", site.digest())
        })
        .collect();
    expect![[r#"
        astronomy-shop 3a40f6a143dc77a1
        blueprint-hotel-reservation ec0b29ec8fc278b7
        fleetcast dd52dc0d86fff6ae
        flight-booking 027d4d2892856c77
        hotel-reservation 3b4e76a93c81094b
        social-network 3a94e920d35d459d
        train-ticket eb85f8652b4ba811
    "#]]
    .assert_eq(&lines);
}
