//! Did you mean: the closest known name to one that is not known.

/// `unknown fault `leak`: did you mean `memory_leak`?`, or all known names where nothing is close.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(close) => format!("unknown {what} `{name}`: did you mean `{close}`?"),
        None => format!("unknown {what} `{name}`; known are {}", known.join(", ")),
    }
}

/// ` (did you mean `x`?)`, or nothing where nothing is close.
pub(crate) fn hint(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or(String::new(), |close| format!(" (did you mean `{close}`?)"))
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let far = |other: &str| {
        let other = other.to_ascii_lowercase();
        let part = name.len() >= 3 && (other.contains(&name) || name.contains(&other));
        if part { 1 } else { distance(&name, &other) }
    };
    let (far, close) = known.iter().map(|k| (far(k), *k)).min_by_key(|(far, _)| *far)?;
    let near = if name.len() < 4 { 1 } else { (name.len() / 3).max(2) };
    (far <= near).then_some(close)
}

/// How many characters must be added, removed or replaced (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_offered() {
        let known = ["memory_leak", "crash", "config_push"];
        let check = |name: &str, expect: &str| assert_eq!(unknown("fault", name, &known), expect);
        check("leak", "unknown fault `leak`: did you mean `memory_leak`?");
        check("carsh", "unknown fault `carsh`: did you mean `crash`?");
        check("crsh", "unknown fault `crsh`: did you mean `crash`?");
        check("Config_Push", "unknown fault `Config_Push`: did you mean `config_push`?");
        check("flood", "unknown fault `flood`; known are memory_leak, crash, config_push");
    }
}
