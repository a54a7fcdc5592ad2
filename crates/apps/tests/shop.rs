//! The session with applications in docs/kubernetes.md, typed into a terminal.
//!
//! Three dots stand for anything. A command is repeated until it prints what the page says, because time passes in a
//! cluster.

#![allow(clippy::disallowed_methods, reason = "a test reads a page")]

use std::path::Path;

use apps::{Site, SiteOptions};
use cluster::api::User;
use kubectl::Terminal;

/// How often a command is repeated, and the seconds that pass between two tries.
const TRIES: usize = 40;
const PAUSE: i64 = 10;

#[test]
fn the_session_with_a_shop_is_as_documented() {
    let applications = vec!["astronomy-shop".into(), "hotel-reservation".into()];
    let options = SiteOptions { applications, ..SiteOptions::default() };
    let mut site = Site::deploy(&options).unwrap_or_else(|error| panic!("{error}"));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kubernetes.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let session = page.split_once("## An application with users").expect("the section").1;
    let session = session.split_once("\n## ").map_or(session, |(session, _)| session);
    let commands = commands(session);
    assert!(commands.len() > 10, "{commands:?}");
    let mut terminal = Terminal::new(User::admin());
    for (command, expect) in commands {
        check(&mut site, &mut terminal, &command, &expect);
    }
}

/// Command lines and what they print, of all sessions of a section but the one that starts the cluster.
fn commands(section: &str) -> Vec<(String, String)> {
    let blocks =
        section.split("```console\n").skip(1).filter_map(|rest| rest.split_once("```")).map(|(block, _)| block);
    let mut all: Vec<(String, String)> = Vec::new();
    for line in blocks.filter(|block| !block.contains("sre-zero cluster")).flat_map(str::lines) {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push((command.into(), String::new())),
            (None, Some((_, expect))) => *expect += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    all
}

fn check(site: &mut Site, terminal: &mut Terminal, command: &str, expect: &str) {
    let mut printed = String::new();
    for _ in 0..TRIES {
        let (cluster, fleet) = site.parts();
        let output = terminal.run(cluster, fleet, command);
        printed = format!("{}{}", output.stdout, output.stderr);
        if is_as(&printed, expect) {
            return;
        }
        site.advance(site.cluster.now().after_secs(PAUSE));
    }
    panic!("$ {command}\n--- wanted\n{expect}--- printed\n{printed}");
}

/// Whether a text is another one in which three dots stand for anything.
fn is_as(text: &str, wanted: &str) -> bool {
    let parts: Vec<&str> = wanted.trim().split("...").collect();
    let mut rest = text.trim();
    for (number, part) in parts.iter().enumerate() {
        let Some(at) = rest.find(part) else { return false };
        if number == 0 && at > 0 {
            return false;
        }
        rest = &rest[at + part.len()..];
    }
    parts.last().is_some_and(|last| last.is_empty()) || rest.is_empty()
}

#[test]
fn three_dots_stand_for_anything() {
    for (text, wanted, expect) in [
        ("a b c", "a ... c", true),
        ("a b c", "a ...", true),
        ("a b c", "... c", true),
        ("a b c", "b ...", false),
        ("a b c", "a b", false),
        ("", "", true),
    ] {
        assert_eq!(is_as(text, wanted), expect, "{wanted}");
    }
}
