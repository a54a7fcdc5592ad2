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
        astronomy-shop b3338f173cd2528c
        blueprint-hotel-reservation 39223223e1260790
        fleetcast da8b44d508529c0f
        flight-booking 4909f1dacd54e8e9
        hotel-reservation 9620ee565ee703dd
        social-network 77e96e80ad75dcc8
        train-ticket d204a927ffcfd253
    "#]]
    .assert_eq(&lines);
}
