//! Mutant squares: two independent semantic edits of a change, and all four of their combinations.
//!
//! If each wrong option is the right one with an edit, the right one is the centre of a star and no reading is needed.
//! In a square every corner has the same distances to the others.

use crate::diff::FileDiff;

/// An edit of one added line that keeps the syntax and changes what the code does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemanticEdit {
    /// The hunk, and the line within it.
    pub at: (usize, usize),
    /// The line instead.
    pub line: String,
    /// What was exchanged, in words.
    pub what: String,
}

/// Pairs that exchange meaning and keep the syntax. Each works both ways, so that neither form is the wrong one by habit.
const PAIRS: [(&str, &str); 21] = [
    (" == ", " != "),
    (" && ", " || "),
    (" < ", " > "),
    (" <= ", " >= "),
    (" + 1", " - 1"),
    (".min(", ".max("),
    (".any(", ".all("),
    (".first()", ".last()"),
    (".is_some()", ".is_none()"),
    (".is_ok()", ".is_err()"),
    (".is_some_and(", ".is_none_or("),
    (".take(", ".skip("),
    (".starts_with(", ".ends_with("),
    (".take_while(", ".skip_while("),
    (".find(", ".rfind("),
    (".position(", ".rposition("),
    (": true", ": false"),
    (" = true", " = false"),
    ("return true", "return false"),
    ("from_secs(", "from_millis("),
    (" += ", " -= "),
];

/// Pairs that are syntax in Python alone.
const PYTHON: [(&str, &str); 4] =
    [(" and ", " or "), (" in ", " not in "), (" is None", " is not None"), ("return True", "return False")];

/// Edits that fit the added lines of a change, one per line at most.
pub fn edits_of(file: &FileDiff) -> Vec<SemanticEdit> {
    let mut found = Vec::new();
    for (hunk_at, hunk) in file.hunks.iter().enumerate() {
        for (line_at, line) in hunk.lines.iter().enumerate() {
            if let Some((line, what)) = edit(line, file.path.ends_with(".py")) {
                found.push(SemanticEdit { at: (hunk_at, line_at), line, what });
            }
        }
    }
    found
}

fn edit(line: &str, is_python: bool) -> Option<(String, String)> {
    let code = line.strip_prefix('+')?.trim_start();
    // A comment may say what it likes: an edit of it changes nothing.
    if ["//", "#", "/*", "*", "\"", "--"].iter().any(|start| code.starts_with(start)) {
        return None;
    }
    let comment = line.find("//").unwrap_or(line.len());
    let python: &[(&str, &str)] = if is_python && !code.starts_with("for ") { &PYTHON } else { &[] };
    let both_ways = PAIRS.iter().chain(python).flat_map(|(one, other)| [(one, other), (other, one)]);
    for (from, to) in both_ways {
        let Some(at) = line[..comment].find(from) else { continue };
        // Prose in quotes is not code.
        if line[..at].matches('"').count() % 2 == 1 {
            continue;
        }
        let edited = format!("{}{to}{}", &line[..at], &line[at + from.len()..]);
        return Some((edited, format!("`{}` instead of `{}`", to.trim(), from.trim())));
    }
    None
}

/// The four corners: the change itself, with the first edit, with the second, with both; and what each breaks.
pub fn square(file: &FileDiff, first: &SemanticEdit, second: &SemanticEdit) -> (Vec<String>, Vec<String>) {
    let corner = |with: [bool; 2]| {
        let mut file = file.clone();
        for (edit, _) in [first, second].iter().zip(with).filter(|(_, with)| *with) {
            file.hunks[edit.at.0].lines[edit.at.1] = edit.line.clone();
        }
        file.show()
    };
    let breaks = |with: [bool; 2]| {
        let named = [first, second].into_iter().zip(with).filter(|(_, with)| *with).map(|(edit, _)| edit.what.clone());
        named.collect::<Vec<_>>().join(", ")
    };
    const CORNERS: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];
    (CORNERS.map(corner).to_vec(), CORNERS.map(breaks).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::parse;

    #[test]
    fn edits_keep_out_of_comments_and_quotes() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(edit(line, false).map(|(line, _)| line).as_deref(), expected, "{line}");
        };
        check("+    if a == b {", Some("+    if a != b {"));
        check("+    if a != b {", Some("+    if a == b {"));
        check("+    items.first()", Some("+    items.last()"));
        check("+    // if a == b", None);
        check("+    say(\"a == b\")", None);
        check(" if a == b {", None);
        check("-if a == b {", None);
        check("+    retry: true,", Some("+    retry: false,"));
    }

    #[test]
    fn corners_are_four_and_named() {
        let file = parse("a.rs\n@@ -1,1 +1,3 @@\n x\n+if a == b {\n+y.first()\n").remove(0);
        let edits = edits_of(&file);
        let (options, breaks) = square(&file, &edits[0], &edits[1]);
        assert_eq!(options.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
        assert_eq!(
            breaks,
            [
                "",
                "`!=` instead of `==`",
                "`.last()` instead of `.first()`",
                "`!=` instead of `==`, `.last()` instead of `.first()`"
            ]
        );
    }
}
