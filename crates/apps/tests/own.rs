//! An application of a user's own: a folder with manifests alone, and one with routes and programs.

#![allow(clippy::disallowed_methods, reason = "a test reads its folder")]

use std::path::Path;
use std::sync::Arc;

use apps::{AppCatalogue, Site, SiteOptions};
use cluster::api::User;
use kubectl::Terminal;

/// The example folder, with the files whose path is wanted.
fn deployed(is_wanted: impl Fn(&str) -> bool) -> Site {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/book-shop");
    let mut files = Vec::new();
    for name in ["10-shop.yaml", "20-users.yaml", "app.toml", "programs/web.toml"] {
        if is_wanted(name) {
            let text = std::fs::read_to_string(folder.join(name)).expect("a file of the example");
            files.push((format!("book-shop/{name}"), text));
        }
    }
    let mut catalogue = AppCatalogue::clone(&AppCatalogue::shipped());
    catalogue.add(files.iter().map(|(name, text)| (&**name, &**text))).expect("well-formed files");
    let options = SiteOptions {
        applications: vec!["book-shop".into()],
        catalogue: Some(Arc::new(catalogue)),
        ..SiteOptions::default()
    };
    Site::deploy(&options).unwrap_or_else(|error| panic!("{error}"))
}

fn run(site: &mut Site, line: &str) -> String {
    let (cluster, fleet) = site.parts();
    let output = Terminal::new(User::admin()).in_namespace("book-shop").run(cluster, fleet, line);
    format!("{}{}", output.stdout, output.stderr)
}

#[test]
fn manifests_alone_run() {
    let mut site = deployed(|name| name == "10-shop.yaml");
    assert_eq!(site.not_ready(), Vec::<String>::new());
    let answer = run(&mut site, "kubectl exec deploy/web -- curl -s http://web:8080/healthz");
    assert!(answer.contains("answered by web-"), "{answer}");
}

#[test]
fn it_has_users_breaks_and_heals() {
    let mut site = deployed(|_| true);
    assert!(site.routes().iter().all(|route| route.held), "{:?}", site.routes());
    run(&mut site, "kubectl exec deploy/db -- psql -U shop -d shop -c \"ALTER USER shop PASSWORD 'rotated'\"");
    run(&mut site, "kubectl delete pod -l app=web");
    site.advance(site.cluster.now().after_secs(120));
    assert!(site.routes().iter().all(|route| !route.held), "{:?}", site.routes());
    let log = run(&mut site, "kubectl logs deploy/web --tail=2");
    assert!(log.contains("password authentication failed for user \"shop\""), "{log}");
    run(&mut site, "kubectl set env deploy/web DB=postgres://shop:rotated@db/shop");
    site.advance(site.cluster.now().after_secs(180));
    assert!(site.routes().iter().all(|route| route.held), "{:?}", site.routes());
}
