//! Takes out of a message what gives a change away without being understood.

/// The message without comments, checklists, trailers, addresses, issue numbers, commit ids, mentions, and names of
/// `people`; code marks, paths, identifiers and long numbers become what they are.
pub fn scrub(message: &str, people: &[&str]) -> String {
    let without_comments = without_comments(message);
    let lines = without_comments.lines().filter(|line| !is_noise(line)).map(|line| scrub_line(line, people));
    let lines: Vec<String> = lines.collect();
    let text = lines.join("\n");
    let mut text = text.trim().to_string();
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

fn without_comments(text: &str) -> String {
    let mut text = text.to_string();
    while let Some(start) = text.find("<!--") {
        let end = text[start..].find("-->").map_or(text.len(), |end| start + end + 3);
        text.replace_range(start..end, "");
    }
    text
}

fn is_noise(line: &str) -> bool {
    let line = line.trim();
    let checklist = line.starts_with("- [ ]") || line.starts_with("- [x]") || line.starts_with("- [X]");
    let trailer = line.split_once(": ").is_some_and(|(name, value)| {
        let lower = name.to_lowercase();
        lower.ends_with("-by")
            || (["cc", "change-id", "fixes", "closes", "refs", "link"].contains(&lower.as_str()) && !value.is_empty())
    });
    checklist || trailer || line.starts_with("This reverts commit")
}

fn scrub_line(line: &str, people: &[&str]) -> String {
    let mut kept: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let core = word.trim_matches(|c: char| !c.is_alphanumeric() && !"#@_/".contains(c)).trim_end_matches('/');
        let word = match stand_in(core, word, people) {
            Some("") => continue,
            Some(name) => word.trim_start_matches("--").replace(core, name).replace('`', ""),
            None => word.replace('`', ""),
        };
        if !(word.is_empty() && kept.last().is_some_and(String::is_empty)) && word != "()" {
            kept.push(word);
        }
    }
    kept.join(" ").trim_end().to_string()
}

/// What stands in for a word; an empty text drops it.
fn stand_in<'a>(core: &str, word: &str, people: &[&str]) -> Option<&'a str> {
    let lower = core.to_lowercase();
    let digits = core.chars().filter(char::is_ascii_digit).count();
    let is_issue =
        core.strip_prefix('#').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()));
    let is_hash = core.len() >= 7 && digits > 0 && core.chars().all(|c| c.is_ascii_hexdigit());
    let is_person =
        core.len() > 2 && people.iter().any(|person| person.split(' ').any(|part| part.eq_ignore_ascii_case(core)));
    if is_issue || is_hash || lower.contains("http://") || lower.contains("https://") || lower.starts_with("gh-") {
        Some("")
    } else if core.starts_with('@') || core.contains('@') || is_person {
        Some("[person]")
    } else if core.contains('/') && core.len() > 3 {
        Some("[path]")
    } else if !crate::words::identifiers(core).is_empty()
        || core.contains("::")
        || word.starts_with("--")
        || word.starts_with('`') && core.len() > 2
    {
        Some("[name]")
    } else if core.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && (2..=4).contains(&end.len()) && end.chars().all(|c| c.is_ascii_lowercase())
    }) {
        Some("[file]")
    } else if digits >= 2 && core.starts_with(|c: char| c.is_ascii_digit() || c == 'v') {
        Some("[number]")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaks_is_taken_out() {
        let check = |message: &str, expected: &str| assert_eq!(scrub(message, &["Ann Example"]), expected, "{message}");
        check("Close the pool (#812)", "Close the pool");
        check("Raise max_open in src/pool.rs", "Raise [name] in [path]");
        check("Show `x` of `getPool()` in pool.rs", "Show x of [name]() in [file]");
        check("See https://example.com/1 and 4f2a91c0.", "See and");
        check("Thank @bob and Ann for --dry-run", "Thank [person] and [person] for [name]");
        check("Wait 1500 ms, not 3", "Wait [number] ms, not 3");
        check("Keep it\n\nSigned-off-by: Ann\n- [x] tests\n<!-- fill\nin -->", "Keep it");
    }
}
