//! The documents name what is there: files, folders and functions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's folder")
}

fn architecture() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the document is there")
}

/// What stands between single backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The cells of a row of a table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    (!inner.starts_with("---")).then(|| inner.split('|').map(str::trim).collect())
}

#[test]
fn rows_are_read() {
    assert_eq!(cells("| 1 | `main` | `cli/src/main.rs` | x |"), Some(vec!["1", "`main`", "`cli/src/main.rs`", "x"]));
    assert_eq!(cells("|---|---|"), None);
    assert_eq!(cells("words"), None);
    assert_eq!(quoted("`a`, `b_c` and d"), ["a", "b_c"]);
}

/// Every function of a walk is defined in the file beside it, and no walk comes back to a step.
#[test]
fn the_four_walks_can_be_walked() {
    let text = architecture();
    let walks = text.split("## Four walks").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the section");
    let walks: Vec<&str> = walks.split("\n### ").skip(1).collect();
    assert_eq!(walks.len(), 4);
    for walk in walks {
        let title = walk.lines().next().expect("a title");
        let steps: Vec<Vec<&str>> = walk.lines().filter_map(cells).filter(|row| row[0] != "#").collect();
        assert!((5..=13).contains(&steps.len()), "{title} has {} steps", steps.len());
        let mut walked = Vec::new();
        for step in steps {
            let (names, files) = (quoted(step[1]), quoted(step[2]));
            assert!(!names.is_empty() && !files.is_empty(), "{title}: {step:?}");
            let read = |file: &&str| {
                let path = root().join("crates").join(file);
                fs::read_to_string(path).unwrap_or_else(|_| panic!("{title}: there is no {file}"))
            };
            let code: String = files.iter().map(read).collect();
            for name in names {
                let is_there = code.contains(&format!("fn {name}(")) || code.contains(&format!("fn {name}<"));
                assert!(is_there, "{title}: no function `{name}` in {files:?}");
                assert!(!walked.contains(&(name, step[2])), "{title} comes back to `{name}`");
                walked.push((name, step[2]));
            }
        }
    }
}

/// The code map: what the tables of a crate's section list stands in that crate's sources.
#[test]
fn the_code_map_lists_what_is_there() {
    let text = architecture();
    let map = text.split("## Code map").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the section");
    let mut listed = 0;
    for section in map.split("\n### ").skip(1) {
        let title = section.lines().next().expect("a title");
        let crates: Vec<&str> = quoted(title).iter().filter_map(|name| name.strip_prefix("crates/")).collect();
        assert!(!crates.is_empty(), "{title} names no crate");
        for row in section.lines().filter_map(cells) {
            for name in quoted(row[0]).iter().filter(|name| name.ends_with(".rs") || name.ends_with('/')) {
                let is_there = |of: &&str| root().join("crates").join(of).join("src").join(name).exists();
                assert!(crates.iter().any(is_there), "{title}: there is no {name}");
                listed += 1;
            }
        }
    }
    assert!(listed > 60, "the map is there: {listed}");
}

#[test]
fn every_crate_is_on_the_map() {
    let text = architecture();
    for entry in fs::read_dir(root().join("crates")).expect("the crates' folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let is_named = text.contains(&format!("`crates/{name}`"));
        assert!(is_named, "ARCHITECTURE.md does not say what crates/{name} is for");
    }
}

/// All files below a folder whose names end so, without what was built.
fn below(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read").map(|entry| entry.expect("an entry").path());
    let all = entries.filter(|path| !path.ends_with("target") && !path.ends_with("node_modules"));
    all.flat_map(|path| match path.is_dir() {
        true => below(&path, end),
        false => vec![path].into_iter().filter(|path| path.to_string_lossy().ends_with(end)).collect(),
    })
    .collect()
}

/// Where the links of a line lead to.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

/// A source is named by the end of its path; pages and pictures from where they are named.
#[test]
fn the_pages_name_what_is_there() {
    let sources: Vec<String> =
        below(&root().join("crates"), ".rs").iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let (mut named, mut linked) = (0, 0);
    for page in below(&root().join("docs"), ".md").into_iter().chain([root().join("README.md")]) {
        let text = fs::read_to_string(&page).expect("the page can be read");
        // Every other part is a block of code.
        for line in text.split("```").step_by(2).flat_map(str::lines) {
            for name in quoted(line).into_iter().filter(|name| name.contains('/') && name.ends_with(".rs")) {
                let is_there = sources.iter().any(|source| source.ends_with(&format!("/{name}")));
                assert!(is_there, "{}: there is no {name}", page.display());
                named += 1;
            }
            for target in links(line) {
                let path = page.parent().expect("it is in a folder").join(target);
                assert!(path.exists(), "{}: there is no {target}", page.display());
                linked += 1;
            }
        }
    }
    assert!(named > 5 && linked > 60, "there are names and links: {named}, {linked}");
}

/// The page of seeds is what the command prints; `UPDATE_DOCS=1` writes it anew.
#[test]
fn the_page_of_seeds_is_what_its_command_prints() {
    let path = root().join("docs/seeds.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let command = quoted(&page).into_iter().find(|text| text.starts_with("sre-zero diversity ")).expect("its command");
    let program = Command::new(env!("CARGO_BIN_EXE_sre-zero")).args(command.split(' ').skip(1)).output();
    let printed = String::from_utf8(program.expect("the program runs").stdout).expect("text");
    let tables: String = printed.split("\n\n").map(str::trim).filter(|table| !table.is_empty()).map(table_of).collect();
    assert!(tables.matches("\n## ").count() >= 2, "several tasks are shown: {printed}");
    let begin = page.find("\n## ").expect("a section") + 1;
    let end = page.find("## What the memory").expect("the last section");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{}{tables}{}", &page[..begin], &page[end..])).expect("the page can be written");
        return;
    }
    assert_eq!(&page[begin..end], tables, "run with UPDATE_DOCS=1");
}

/// A table of the terminal, its name in front, as one of Markdown.
fn table_of(text: &str) -> String {
    let mut lines = text.lines();
    let name = lines.next().unwrap_or_default();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let head = lines.next().map(row).unwrap_or_default();
    let rule = "|---".repeat(head.matches(" | ").count() + 1);
    format!("## {name}\n\n{head}{rule}|\n{}\n", lines.map(row).collect::<String>())
}
