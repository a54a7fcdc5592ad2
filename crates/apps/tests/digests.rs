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
        astronomy-shop ac93fcb1ccfb9009
        blueprint-hotel-reservation a2f5443f0fa4f126
        fleetcast 7d4bccfa8eb374d4
        flight-booking ee01f0c10f8486d4
        hotel-reservation 6f809ebe684e84ac
        social-network a26d0a982844be16
        train-ticket c0afa6559f785f98
    "#]]
    .assert_eq(&lines);
}
