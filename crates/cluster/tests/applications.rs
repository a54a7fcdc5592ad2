//! The shipped manifests: every one is accepted under strict field validation, and every pod becomes ready.

// Tests read files.
#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use cluster::api::{ApiRequest, HttpMethod, pod_status};
use cluster::{
    Cluster, ClusterOptions, ContainerExit, ContainerRun, Launch, LogRecord, NodeOptions, PlainPrograms, ProbeAnswer,
    ProbeCheck, Programs, Pull, ResourceUse, Stamp,
};

/// Plain programs, but containers that only prepare something are done soon.
#[derive(Default)]
struct Shipped(PlainPrograms);

impl Programs for Shipped {
    fn pull(&mut self, now: Stamp, node: &str, image: &str) -> Pull {
        self.0.pull(now, node, image)
    }

    fn start(&mut self, now: Stamp, container: &ContainerRun) -> Launch {
        let prepares =
            ["wait-for-", "init-", "install-", "clone-"].iter().any(|start| container.name.starts_with(start));
        match prepares {
            true => Launch::Ends { after: Duration::from_secs(1), exit: ContainerExit::with(0) },
            false => self.0.start(now, container),
        }
    }

    fn probe(&mut self, now: Stamp, container: &ContainerRun, probe: &ProbeCheck) -> ProbeAnswer {
        self.0.probe(now, container, probe)
    }

    fn stop(&mut self, now: Stamp, container: &ContainerRun, grace: Duration) -> (Duration, i32) {
        self.0.stop(now, container, grace)
    }

    fn usage(&mut self, now: Stamp, container: &ContainerRun) -> ResourceUse {
        self.0.usage(now, container)
    }

    fn log(&mut self, now: Stamp, container: &ContainerRun) -> Vec<LogRecord> {
        self.0.log(now, container)
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../applications").join(name)
}

fn manifests(name: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder(name)).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    files.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a file"))
    };
    files.iter().map(read).collect()
}

fn nodes() -> Vec<NodeOptions> {
    let mut nodes = vec![NodeOptions { is_control_plane: true, ..NodeOptions::worker("kind-control-plane", 0) }];
    nodes.extend((1..=3).map(|number| NodeOptions::worker(&format!("kind-worker{number}"), number)));
    nodes
}

fn apply(cluster: &mut Cluster, programs: &mut Shipped, name: &str) {
    for (file, text) in manifests(name) {
        let objects = cluster::yaml::documents(&text).unwrap_or_else(|error| panic!("{name}/{file}: {error}"));
        assert!(!objects.is_empty(), "{name}/{file} holds nothing");
        for object in objects {
            let what = format!("{name}/{file}: {} {}", object["kind"], object["metadata"]["name"]);
            let path = cluster.path_of(&object).unwrap_or_else(|| panic!("{what}: no such kind"));
            let request =
                ApiRequest::new(HttpMethod::Patch, &format!("{path}?fieldManager=kubectl&fieldValidation=Strict"))
                    .typed("application/apply-patch+yaml", object.to_string());
            let response = cluster.call(programs, &request);
            assert!(matches!(response.status, 200 | 201), "{what}: {}", response.value());
            let warning = response.headers.iter().find(|(name, _)| *name == "Warning");
            assert_eq!(warning, None, "{what}");
        }
    }
}

/// Applies the platform and an application and waits.
fn check(name: &str) {
    let mut cluster = Cluster::new(&ClusterOptions { nodes: nodes(), ..ClusterOptions::default() });
    let mut programs = Shipped::default();
    apply(&mut cluster, &mut programs, "platform");
    if name != "platform" {
        apply(&mut cluster, &mut programs, name);
    }
    let until = cluster.now().after_secs(900);
    cluster.advance(&mut programs, until);
    let standing: Vec<String> = cluster
        .objects("pods", None)
        .filter(|pod| {
            let is_ready =
                |condition: &serde_json::Value| condition["type"] == "Ready" && condition["status"] == "True";
            let conditions = pod["status"]["conditions"].as_array().cloned().unwrap_or_default();
            pod["status"]["phase"] != "Succeeded" && !conditions.iter().any(is_ready)
        })
        .map(|pod| format!("{}/{} {}", pod["metadata"]["namespace"], pod["metadata"]["name"], pod_status(pod)))
        .collect();
    assert!(standing.is_empty(), "not ready: {standing:#?}");
    assert!(cluster.objects("pods", None).count() > 5, "{name} has pods");
}

macro_rules! applications {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            check($name);
        })*

        #[test]
        fn every_folder_is_checked() {
            let named = [$($name),*];
            for entry in std::fs::read_dir(folder("")).expect("a folder") {
                let path = entry.expect("an entry").path();
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                let has_manifests = path.is_dir() && !manifests(&name).is_empty();
                assert!(!has_manifests || named.contains(&&*name), "{name} is not checked");
            }
        }
    };
}

applications! {
    platform: "platform",
    hotel_reservation: "hotel-reservation",
    astronomy_shop: "astronomy-shop",
    social_network: "social-network",
    blueprint_hotel_reservation: "blueprint-hotel-reservation",
    fleetcast: "fleetcast",
    train_ticket: "train-ticket",
    flight_booking: "flight-booking",
}
