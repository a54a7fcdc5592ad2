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
        astronomy-shop f294785f3fc2edab
        blueprint-hotel-reservation 86202869e3b42263
        fleetcast c88ac060bbc31fb9
        flight-booking 1050405dbbfa1387
        hotel-reservation ee8e143867cea5ff
        social-network c7703b3ddba2f99e
        train-ticket eeeec0fc80411859
    "#]]
    .assert_eq(&lines);
}
