//! The directions inside a crate: its modules form no cycle, so each can be read after those below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From each top-level module of a crate to those it uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_crate_has_a_cycle_of_modules() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut names: Vec<String> = fs::read_dir(&crates)
        .expect("the crates' folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| crates.join(name).join("src").is_dir())
        .collect();
    names.sort();
    assert!(names.len() > 5, "the crates are there: {names:?}");
    for name in names {
        let cycle = cycle(&graph(&crates.join(&name).join("src")));
        assert_eq!(cycle, None, "the modules of {name} use each other in a circle");
    }
}

#[test]
fn cycles_are_found() {
    let check = |edges: &[(&str, &str)], expect: Option<&[&str]>| {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry(from.to_string()).or_default().insert(to.to_string());
        }
        let expect = expect.map(|names| names.iter().map(|name| name.to_string()).collect::<Vec<_>>());
        assert_eq!(cycle(&graph), expect, "{edges:?}");
    };
    check(&[], None);
    check(&[("a", "b"), ("b", "c"), ("a", "c")], None);
    check(&[("a", "b"), ("b", "a")], Some(&["a", "b"]));
    check(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")], Some(&["b", "c", "d"]));
    assert_eq!(uses("use crate::{alpha, beta::{One, Two}};\nlet x = crate::gamma::x();"), ["alpha", "beta", "gamma"]);
    assert_eq!(uses("// crate::alpha\n/// [`crate::beta`]\nuse crate::delta;"), ["delta"]);
}

/// The modules in a circle, if there is one.
fn cycle(graph: &Graph) -> Option<Vec<String>> {
    let mut path = Vec::new();
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| follow(graph, start, &mut path, &mut done))
}

fn follow(graph: &Graph, at: &str, path: &mut Vec<String>, done: &mut BTreeSet<String>) -> Option<Vec<String>> {
    if let Some(first) = path.iter().position(|name| name == at) {
        return Some(path[first..].to_vec());
    }
    if done.contains(at) {
        return None;
    }
    path.push(at.to_string());
    let found = graph.get(at).into_iter().flatten().find_map(|next| follow(graph, next, path, done));
    path.pop();
    done.insert(at.to_string());
    found
}

/// What the modules of a crate use of each other, outside of tests.
fn graph(src: &Path) -> Graph {
    let mut files = Vec::new();
    walk(src, &mut files);
    let top = |path: &Path| {
        let first = path.strip_prefix(src).ok()?.components().next()?.as_os_str().to_string_lossy().into_owned();
        Some(first.trim_end_matches(".rs").to_string())
    };
    let all: BTreeSet<String> = files.iter().filter_map(|path| top(path)).collect();
    let mut graph = Graph::new();
    for path in files.iter().filter(|path| !is_test(path)) {
        let Some(module) = top(path).filter(|name| name != "lib" && name != "main") else { continue };
        let text = fs::read_to_string(path).expect("a readable file");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        // Directly below the crate's root, `super` is the crate.
        let code = if path.parent() == Some(src) { code.replace("super::", "crate::") } else { code.to_string() };
        let used = uses(&code).into_iter().filter(|name| all.contains(name) && *name != module);
        graph.entry(module.clone()).or_default().extend(used);
    }
    graph
}

/// Tests may use everything.
fn is_test(path: &Path) -> bool {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let words = ["tests", "laws", "cases", "stage", "test_support"];
    words.iter().any(|word| name.ends_with(word)) || path.components().any(|part| part.as_os_str() == "tests")
}

/// The names behind `crate::`, and those in a list behind it.
fn uses(code: &str) -> Vec<String> {
    let code: String =
        code.lines().filter(|line| !line.trim_start().starts_with("//")).map(|l| format!("{l}\n")).collect();
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => found.extend(word(rest)),
            Some(list) => found.extend(listed(list)),
        }
    }
    found.into_iter().collect()
}

/// The first name of each entry of a list, up to its closing bracket.
fn listed(list: &str) -> Vec<String> {
    let (mut depth, mut names, mut entry) = (0, Vec::new(), String::new());
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.extend(word(&std::mem::take(&mut entry))),
            _ if depth == 0 => entry.push(c),
            _ => {}
        }
    }
    names.extend(word(&entry));
    names
}

fn word(text: &str) -> Option<String> {
    let name: String = text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files.sort();
}
