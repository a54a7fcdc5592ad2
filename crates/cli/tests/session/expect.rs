//! Does some output match what was expected? `...` stands for what may differ.

const ANY: &str = "...";

/// Whether the lines match; empty lines at the end do not count.
pub fn matches(expected: &[String], actual: &[String]) -> bool {
    lines(trimmed(expected), trimmed(actual))
}

/// The output with what may differ, as far as it was marked before.
pub fn merged(expected: &[String], actual: &[String]) -> Vec<String> {
    let mut old = expected.iter().filter(|line| *line != ANY);
    let keep = |line: &String| match old.clone().position(|kept| fits(kept, line)) {
        Some(at) => old.nth(at).unwrap_or(line).clone(),
        None => line.clone(),
    };
    actual.iter().map(keep).collect()
}

/// Whether a line says how far something is, as a slow machine prints it and a quick one does not: `3 of 6 checks, 0 failed`.
pub fn is_progress(line: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((done, rest)) = line.split_once(" of ") else { return false };
    let Some((all, what)) = rest.split_once(' ') else { return false };
    let is_counted = ["checks, ", "episodes, ", "tasks, ", "problems, "].into_iter().any(|name| what.starts_with(name));
    let is_told = is_counted && (what.ends_with(" failed") || what.contains(" left")) || what == "episodes checked";
    is_number(done) && is_number(all) && is_told
}

fn trimmed(lines: &[String]) -> &[String] {
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    &lines[..end]
}

fn lines(expected: &[String], actual: &[String]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((first, rest)) if first == ANY => (0..=actual.len()).any(|skip| lines(rest, &actual[skip..])),
        Some((first, rest)) => actual.split_first().is_some_and(|(line, more)| fits(first, line) && lines(rest, more)),
    }
}

fn fits(expected: &str, line: &str) -> bool {
    let mut pieces = expected.trim_end().split(ANY);
    let Some(mut rest) = line.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[test]
fn only_progress_is_passed_over() {
    let told = ["3 of 6 checks, 0 failed", "494 of 600 episodes, 1 s left", "7 of 9 episodes checked"];
    assert!(told.into_iter().all(is_progress));
    let kept =
        ["1 of 1 certified under 3 seeds", "3 of 6 checks", "2 of 3 episodes played", "of 3 checks, 1 failed", ""];
    assert!(!kept.into_iter().any(is_progress));
}

#[test]
fn dots_stand_for_what_may_differ() {
    let check = |expected: &str, actual: &str, same: bool| {
        let split = |text: &str| text.split('|').map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(matches(&split(expected), &split(actual)), same, "{expected} / {actual}");
    };
    check("one|two", "one|two", true);
    check("one|two", "one|two||", true);
    check("one|two", "one|three", false);
    check("...", "", true);
    check("...|two", "one|one|two", true);
    check("one|...", "two", false);
    check("took ... s", "took 1.5 s", true);
    check("took ... s", "took 1.5 min", false);
    check("a ... b ... c", "a 1 b 2 c", true);
    check("a ... b ... c", "a 1 c 2 b", false);
    check("a", "a b", false);
    check("a ...", "a", false);
}

#[test]
fn an_update_keeps_the_dots() {
    let split = |text: &str| text.split('|').map(ToString::to_string).collect::<Vec<_>>();
    let found = merged(&split("at ... o'clock|one|...|two ..."), &split("at 9 o'clock|1|two 2|three"));
    assert_eq!(found, split("at ... o'clock|1|two ...|three"));
}
