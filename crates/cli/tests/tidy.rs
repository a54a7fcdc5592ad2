//! Style that is also a test: reads every source file of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's folder")
}

/// Files below a folder, sorted, with the given ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.map(|e| e.expect("a readable folder").path()) {
        if entry.is_dir() && !entry.ends_with("target") {
            found.extend(files(&entry, ending));
        } else if entry.to_string_lossy().ends_with(ending) {
            found.push(entry);
        }
    }
    found.sort();
    found
}

/// Sources that are neither tests nor examples, with their text.
fn sources() -> Vec<(PathBuf, String)> {
    let rust = files(&root().join("crates"), ".rs").into_iter().filter(|path| {
        let path = path.to_string_lossy();
        !path.contains("/tests/")
            && !path.contains("/examples/")
            && !path.ends_with("tests.rs")
            && !path.ends_with("_cases.rs")
    });
    rust.map(|path| (path.clone(), fs::read_to_string(&path).expect("a readable file"))).collect()
}

fn task_ids() -> Vec<String> {
    let ids: Vec<String> = files(&root().join("tasks"), ".toml")
        .iter()
        .map(|p| p.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert!(ids.len() >= 40, "the forty are there");
    ids
}

#[test]
fn no_source_names_a_task() {
    let ids = task_ids();
    let sources = sources();
    assert!(sources.len() > 50, "the sources are there");
    for (path, text) in sources {
        // Whole files, unit tests included: a file that declares its tests at the top has its code below.
        for id in &ids {
            assert!(!text.contains(id.as_str()), "{} names the task {id}", path.display());
        }
    }
}

#[test]
fn no_source_is_unfinished() {
    for (path, text) in sources() {
        for word in ["todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX"] {
            assert!(!text.contains(word), "{} holds {word}", path.display());
        }
        assert!(text.starts_with("//!"), "{} does not say what it is in its first line", path.display());
    }
}

#[test]
fn files_hold_one_idea() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= 600, "{} has {lines} lines: it is two files", path.display());
    }
}

/// The directions are the design: who may depend on whom.
#[test]
fn crates_depend_only_in_the_allowed_direction() {
    let allowed: &[(&str, &[&str])] = &[
        ("shell", &[]),
        ("cluster", &["shell"]),
        ("apps", &["cluster", "kubectl", "shell"]),
        ("kubeapi", &["cluster", "exporters", "telemetry"]),
        ("world", &["cluster"]),
        ("record", &[]),
        ("telemetry", &[]),
        ("exporters", &["cluster", "telemetry"]),
        ("terraform", &[]),
        ("plugin", &["terraform"]),
        ("faces", &["world", "record"]),
        ("questions", &["world", "terraform"]),
        ("harness", &["world", "faces", "record", "questions", "terraform"]),
        ("doors", &["record", "faces", "harness"]),
        ("agents", &["harness"]),
        ("report", &["record"]),
        ("server", &["harness", "doors"]),
        // The listener, with its limits.
        ("viewer", &["record", "harness", "report", "server"]),
        ("runner", &["record", "harness", "doors", "agents", "report", "server"]),
        (
            "cli",
            &[
                "record",
                "questions",
                "cluster",
                "apps",
                "exporters",
                "kubeapi",
                "harness",
                "doors",
                "agents",
                "report",
                "viewer",
                "server",
                "runner",
            ],
        ),
    ];
    for (name, may) in allowed {
        let path = root().join("crates").join(name).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).expect("a manifest");
        let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        for line in section.lines() {
            let dependency = line.split(['.', '=', ' ']).next().unwrap_or_default();
            let ours = allowed.iter().any(|(other, _)| *other == dependency);
            assert!(!ours || may.contains(&dependency), "{name} may not depend on {dependency}");
        }
    }
}

/// A door sees what a player sees: it names neither a world nor what opens a player.
#[test]
fn doors_name_no_world_no_scenario_and_no_referee() {
    let doors: Vec<(PathBuf, String)> =
        sources().into_iter().filter(|(path, _)| path.to_string_lossy().contains("/doors/src/")).collect();
    assert!(doors.len() > 15, "the doors are there");
    for (path, text) in doors.iter().filter(|(path, _)| !path.ends_with("test_support.rs")) {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words = |line: &str| line.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_string).collect();
        let words: Vec<String> = code.flat_map(|line| -> Vec<String> { words(line) }).collect();
        for word in ["world", "World", "Scenario", "Task", "Episode", "Referee", "Blueprint"] {
            assert!(words.iter().all(|known| known != word), "{} names {word}", path.display());
        }
    }
}

#[test]
fn documents_and_sources_name_no_machine() {
    let mut all = files(&root().join("crates"), ".rs");
    all.extend(files(&root().join("tasks"), ".toml"));
    all.extend(
        fs::read_dir(root())
            .expect("a folder")
            .map(|e| e.expect("an entry").path())
            .filter(|p| p.extension().is_some_and(|e| e == "md" || e == "toml" || e == "sh")),
    );
    for path in all {
        let text = fs::read_to_string(&path).expect("a readable file");
        for folder in ["/wo\u{72}k/", "/ro\u{6f}t/", "/ho\u{6d}e/"] {
            assert!(!text.contains(folder), "{} names a path of one machine", path.display());
        }
    }
}

/// Names that stand for one thing in several places, with the reason. The list may only become shorter.
const SHARED_NAMES: &[(&str, &str)] = &[
    ("Args", "the arguments of a command, one per file of `commands`"),
    ("Fleet", "the instances of a world, and the programs of a cluster: the same thing on two control planes"),
    ("Painter", "one with the feature `png`, one without"),
    ("Screen", "one with the feature `tui`, one without"),
];

/// The same inside a crate: the name, the crate and the reason.
const SHARED_INSIDE: &[(&str, &str, &str)] =
    &[("Command", "kubectl", "a command of kubectl; that of a shell is never named there")];

/// The name of the type that a line defines for others to use, and whether other crates may.
fn shared_type(line: &str) -> Option<(&str, bool)> {
    let line = line.trim_start();
    let (rest, for_all) = match line.strip_prefix("pub ") {
        Some(rest) => (rest, true),
        None => (line.strip_prefix("pub(crate) ")?, false),
    };
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let name = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    let name = name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().filter(|name| !name.is_empty())?;
    Some((name, for_all))
}

#[test]
fn shared_types_are_found() {
    let check = |line: &str, expect: Option<(&str, bool)>| assert_eq!(shared_type(line), expect, "{line}");
    check("pub struct World {", Some(("World", true)));
    check("    pub enum Phase {", Some(("Phase", true)));
    check("pub type Values<'a> = Vec<&'a str>;", Some(("Values", true)));
    check("pub trait Fault: Sync {", Some(("Fault", true)));
    check("pub(crate) struct Due {", Some(("Due", false)));
    check("pub(crate) trait HealthyPast: Send {", Some(("HealthyPast", false)));
    check("pub(super) struct Inside;", None);
    check("struct Private;", None);
    check("pub fn type_of() {}", None);
    check("pub mod world;", None);
}

/// A type that others may use: its name, the crate, the file, and whether other crates may.
struct SharedType {
    name: String,
    home: String,
    file: String,
    for_all: bool,
}

fn shared_types() -> Vec<SharedType> {
    let python = files(&root().join("python/src"), ".rs");
    let python = python.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).expect("a readable file")));
    let mut found = Vec::new();
    for (path, text) in sources().into_iter().chain(python) {
        let below = path.strip_prefix(root()).expect("a source of the project").to_string_lossy().into_owned();
        let home = below.trim_start_matches("crates/").split('/').next().unwrap_or_default().to_string();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (name, for_all) in code.lines().filter_map(shared_type) {
            found.push(SharedType { name: name.to_string(), home: home.clone(), file: below.clone(), for_all });
        }
    }
    assert!(found.len() > 500, "the types are there: {}", found.len());
    found
}

/// One concept, one word: a public name means one thing in the whole project.
#[test]
fn no_public_type_name_is_defined_twice() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for SharedType { name, file, .. } in shared_types().into_iter().filter(|shared| shared.for_all) {
        places.entry(name).or_default().push(file);
    }
    for (name, files) in &places {
        match SHARED_NAMES.iter().find(|(shared, _)| shared == name) {
            None => assert_eq!(files.len(), 1, "{name} means {} things: {files:#?}", files.len()),
            Some(_) => assert!(files.len() > 1, "{name} is defined once: take it off the list"),
        }
    }
}

/// What is for the inside of a crate only is named after its place there, but never as something else that its crate
/// can see: another type of its own, or a public one of a crate that it stands on.
#[test]
fn no_name_inside_a_crate_means_another_thing_that_it_sees() {
    let all = shared_types();
    for inner in all.iter().filter(|shared| !shared.for_all) {
        let below = stands_on(&inner.home);
        let sees = |other: &&SharedType| {
            other.file != inner.file && (other.home == inner.home || (other.for_all && below.contains(&other.home)))
        };
        let other = all.iter().filter(|other| other.name == inner.name).find(sees);
        let is_listed = SHARED_INSIDE.iter().any(|(name, home, _)| *name == inner.name && *home == inner.home);
        match other {
            Some(other) => assert!(is_listed, "{} of {} is also in {}", inner.name, inner.file, other.file),
            None => assert!(!is_listed, "{} of {} is defined once: take it off the list", inner.name, inner.file),
        }
    }
}

/// The crates of the project that one stands on, near or far.
fn stands_on(home: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("crates").join(home).join("Cargo.toml")).unwrap_or_default();
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let names = section.split("\n[").next().unwrap_or_default().lines().map(|line| line.split(['.', '=', ' ']).next());
    let ours = |name: &&str| !name.is_empty() && root().join("crates").join(name).is_dir();
    let near: Vec<String> = names.flatten().filter(ours).map(str::to_string).collect();
    near.iter().flat_map(|name| stands_on(name)).chain(near.clone()).collect()
}
