//! Every command that a document names is there, and takes every flag that it is given.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's folder")
}

/// The documents for users: those beside the project's file and all in `docs/`.
fn documents() -> Vec<PathBuf> {
    let folders = [root(), root().join("docs"), root().join("docs/clients")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder of documents"));
    let mut found: Vec<PathBuf> = files.map(|file| file.expect("it can be listed").path()).collect();
    // What has changed may speak of flags that were.
    found.retain(|path| path.extension().is_some_and(|e| e == "md") && !path.ends_with("CHANGELOG.md"));
    found.sort();
    found
}

/// The commands of a text: the first word behind the program's name, and the flags up to the end of the command. What stands
/// between quotes belongs to another program.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let joined = text.replace("\\\n", " ");
    let mut found = Vec::new();
    for start in joined.match_indices("sre-zero ").map(|(at, name)| at + name.len()) {
        let rest = joined[start..].split(['\n', '`', '#', '|', ';', '>']).next().unwrap_or_default();
        let own: String = rest.split('\'').step_by(2).collect();
        let mut words = own.split_whitespace();
        let name = words.next().unwrap_or_default();
        let is_written = joined[..start - "sre-zero ".len()].ends_with(['`', '$', ' ', '\n']);
        if is_written && name.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !name.starts_with('-') {
            let flags = words.filter(|word| word.starts_with("--") && word.len() > 2);
            let plain = |flag: &str| flag.split(['=', ',', ')', '.', '\"', ']']).next().unwrap_or_default().to_owned();
            found.push((name.to_owned(), flags.map(plain).collect()));
        }
    }
    found
}

fn help(name: &str) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_sre-zero")).args([name, "--help"]).output().expect("it starts");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn commands_are_read() {
    let found = commands(
        "Use `sre-zero run --a x` or\n$ sre-zero report \\\n  --exec 'p --q' --out d   # --not\nthe sre-zero program",
    );
    let flags = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    assert_eq!(found[0], ("run".into(), flags(&["--a"])));
    assert_eq!(found[1], ("report".into(), flags(&["--exec", "--out"])));
}

#[test]
fn every_flag_of_the_documents_is_taken() {
    let mut known: BTreeMap<String, Option<String>> = BTreeMap::new();
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document is text");
        for (name, flags) in commands(&text) {
            let help = known.entry(name.clone()).or_insert_with(|| help(&name));
            // A word that is no command is part of a sentence; with a flag it was meant as one.
            let Some(help) = help else {
                if !flags.is_empty() {
                    wrong.push(format!("{}: there is no `sre-zero {name}`", path.display()));
                }
                continue;
            };
            checked += flags.len();
            let missing = flags.iter().filter(|flag| !help.contains(flag.as_str()));
            wrong.extend(missing.map(|flag| format!("{}: `sre-zero {name}` takes no {flag}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 100, "only {checked} flags were found");
}

#[test]
fn the_head_of_a_manual_page_is_one_line() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    let program = Command::new(env!("CARGO_BIN_EXE_sre-zero")).arg("man").arg(&folder).output().expect("it starts");
    assert!(program.status.success(), "{}", String::from_utf8_lossy(&program.stderr));
    let pages: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the pages").map(|page| page.expect("a page").path()).collect();
    assert!(pages.len() > 20, "a page for each command");
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page is text");
        let head = text.lines().find(|line| line.starts_with(".TH ")).expect("a page has a head");
        assert!(head.matches('"').count().is_multiple_of(2), "{}: {head}", page.display());
    }
}
