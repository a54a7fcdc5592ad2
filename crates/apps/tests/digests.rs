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
        astronomy-shop 23498ca4b38935f3
        blueprint-hotel-reservation 3bd8a09bd39be589
        fleetcast a59ee84e43072d5b
        flight-booking b48c851a0ce6ce85
        hotel-reservation 1af39eaa087d397e
        social-network d9d666fb24e0af73
        train-ticket 95dc4d5b2f0597aa
    "#]]
    .assert_eq(&lines);
}
