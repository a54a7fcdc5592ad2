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
        astronomy-shop 9af03ece96eb78b6
        blueprint-hotel-reservation 6193f4195d6dc457
        fleetcast 9a12972a677f0eae
        flight-booking aaf5072e1a1a8bb3
        hotel-reservation 0ee3101abbff58fb
        social-network 4726ae6bb00438e6
        train-ticket 072cb49b90993dd0
    "#]]
    .assert_eq(&lines);
}
