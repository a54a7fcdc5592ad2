//! An application of a user's own: a folder with manifests alone, and one with routes and programs.

#![allow(clippy::disallowed_methods, reason = "a test reads its folder")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apps::{AppCatalogue, Site, SiteError, SiteOptions};
use cluster::api::User;
use kubectl::Terminal;

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The example folder, with the files whose path is wanted.
fn deployed(is_wanted: impl Fn(&str) -> bool) -> Site {
    let folder = root().join("examples/book-shop");
    let mut files = Vec::new();
    for name in ["10-shop.yaml", "20-users.yaml", "app.toml", "programs/web.toml"] {
        if is_wanted(name) {
            let text = std::fs::read_to_string(folder.join(name)).expect("a file of the example");
            files.push((format!("book-shop/{name}"), text));
        }
    }
    site_of("book-shop", &files)
}

fn site_of(name: &str, files: &[(String, String)]) -> Site {
    deploy(name, files).unwrap_or_else(|error| panic!("{error}"))
}

fn deploy(name: &str, files: &[(String, String)]) -> Result<Site, SiteError> {
    let mut catalogue = AppCatalogue::clone(&AppCatalogue::shipped());
    catalogue.add(files.iter().map(|(name, text)| (&**name, &**text))).expect("well-formed files");
    let options =
        SiteOptions { applications: vec![name.into()], catalogue: Some(Arc::new(catalogue)), ..SiteOptions::default() };
    Site::deploy(&options)
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
fn what_does_not_stay_up_is_told_with_its_last_words() {
    let manifest = r#"
apiVersion: v1
kind: Pod
metadata: {name: worker, namespace: default}
spec:
  containers:
    - name: main
      image: busybox:1.36
      command: [sh, -c, "echo one; echo two; echo three; echo no such queue: orders; exit 3"]
"#;
    let error = deploy("own", &[("own/10-worker.yaml".into(), manifest.into())]).expect_err("it does not stay up");
    let told = error.to_string();
    assert!(told.contains("default/worker (CrashLoopBackOff)"), "{told}");
    assert!(told.ends_with("default/worker main: no such queue: orders"), "{told}");
    assert!(told.contains("main: two\n") && !told.contains("main: one\n"), "{told}");
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

/// The files of the page beside the manifests of the example, under the names of the page.
#[test]
fn the_page_is_true_to_the_letter() {
    let page = std::fs::read_to_string(root().join("docs/your-own-application.md")).expect("the page");
    let mut blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```")).map(|(block, _)| block);
    let mut block = || blocks.next().expect("the page shows two files").to_string();
    let mut files = vec![("my-shop/app.toml".into(), block()), ("my-shop/programs/web.toml".into(), block())];
    for name in ["10-shop.yaml", "20-users.yaml"] {
        let text = std::fs::read_to_string(root().join("examples/book-shop").join(name)).expect("a manifest");
        let text = text.replace("example/book-shop", "example/web").replace("book-shop", "my-shop");
        files.push((format!("my-shop/{name}"), text));
    }
    let mut site = site_of("my-shop", &files);
    site.advance(site.cluster.now().after_secs(120));
    assert!(!site.routes().is_empty() && site.routes().iter().all(|route| route.held), "{:?}", site.routes());
    let (cluster, fleet) = site.parts();
    let mut terminal = Terminal::new(User::admin()).in_namespace("my-shop");
    terminal.run(cluster, fleet, "kubectl set env deployment/web DB=postgres://shop:wrong@db/shop");
    site.advance(site.cluster.now().after_secs(60));
    let (cluster, fleet) = site.parts();
    let log = terminal.run(cluster, fleet, "kubectl logs -l app=web --tail=3").stdout;
    assert!(log.contains("cannot reach the database: "), "{log}");
}
